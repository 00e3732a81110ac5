# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# AMD ZCU106: Zynq UltraScale+ in an x4 slot.
set family usp
set top ls_board_usp
set parts {xczu7ev-ffvc1156-2-e}
set links {4 {256 125}}              ;# lanes {bits of the streams, MHz of the user clock}
set gt {}                            ;# the block's own placement is the board's
set flash {}                         ;# none that the FPGA part boots from
