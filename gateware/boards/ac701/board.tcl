# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# AMD AC701: Artix-7 in an x4 slot.
set family 7s
set top ls_board_7s
set parts {xc7a200tfbg676-2}
set links {4 {128 125}}              ;# lanes {bits of the streams, MHz of the user clock}
set gt {}                            ;# the block's own placement is the board's
set flash {SPIx4 16}                 ;# interface, MiB
