# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# AMD KC705: Kintex-7 in an x8 slot.
set family 7s
set top ls_board_7s
set parts {xc7k325tffg900-2}
set links {4 {128 125} 8 {128 250}}  ;# lanes {bits of the streams, MHz of the user clock}, default first
set gt {}                            ;# the block's own placement is the board's
set flash {SPIx4 16}                 ;# interface, MiB
