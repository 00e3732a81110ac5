# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# SQRL Acorn CLE-215+ (the default), CLE-215 and NiteFury, CLE-101 and LiteFury: Artix-7 on M.2 cards.
set family 7s
set top ls_board_acorn
set parts {xc7a200tfbg484-3 xc7a200tfbg484-2 xc7a100tfgg484-2}
set links {4 {128 125}}              ;# lanes {bits of the streams, MHz of the user clock}
set gt {GTPE2_CHANNEL_X0Y6 GTPE2_CHANNEL_X0Y4 GTPE2_CHANNEL_X0Y5 GTPE2_CHANNEL_X0Y7}  ;# of lanes 0 to 3
set flash {SPIx4 16}                 ;# interface, MiB
