# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# AMD VCU118: Virtex UltraScale+ in an x16 slot.
set family usp
set top ls_board_usp
set parts {xcvu9p-flga2104-2L-e}
set links {16 {512 250}}             ;# lanes {bits of the streams, MHz of the user clock}
set gt {}                            ;# the block's own placement is the board's
set flash {}                         ;# two chips at once: not done here
