# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# AMD KC705 with an M.2 drive on its FMC HPC connector (Opsero FPGA Drive FMC Gen4): the block is a root port.
set family 7s
set role root
set top ls_board_nvme_7s
set parts {xc7k325tffg900-2}
set links {4 {128 125}}              ;# lanes {bits of the streams, MHz of the user clock}
set gt {GTXE2_CHANNEL_X0Y12 GTXE2_CHANNEL_X0Y13 GTXE2_CHANNEL_X0Y14 GTXE2_CHANNEL_X0Y15}    ;# by lane
set gt_cell gtx_channel.gtxe2_channel_i
set flash {SPIx4 16}                 ;# interface, MiB
