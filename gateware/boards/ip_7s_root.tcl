# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# The 7-series block as a root port, as ls_board_nvme_7s instances it. Where each name is from: properties.csv.
set ip pcie_7x
set module pcie_7x_0

# lanes; width of the streams in bits; MHz of the user clock
proc ip_properties {lanes width mhz} {
  return [dict create \
    CONFIG.mode_selection                  Advanced \
    CONFIG.Device_Port_Type                Root_Port_of_PCI_Express_Root_Complex \
    CONFIG.PCIe_Cap_Slot_Implemented       true \
    CONFIG.PCIe_Blk_Locn                   X0Y0 \
    CONFIG.Maximum_Link_Width              X$lanes \
    CONFIG.Link_Speed                      5.0_GT/s \
    CONFIG.Trgt_Link_Speed                 4'h2 \
    CONFIG.Interface_Width                 ${width}_bit \
    CONFIG.User_Clk_Freq                   $mhz \
    CONFIG.Ref_Clk_Freq                    100_MHz \
    CONFIG.Max_Payload_Size                [expr {$lanes == 8 ? "256_bytes" : "512_bytes"}] \
    CONFIG.Extended_Tag_Field              true \
    CONFIG.Buf_Opt_BMA                     true \
    CONFIG.Trans_Buf_Pipeline              None \
    CONFIG.Vendor_ID                       10EE \
    CONFIG.Device_ID                       4C53 \
    CONFIG.Revision_ID                     00 \
    CONFIG.Subsystem_Vendor_ID             10EE \
    CONFIG.Subsystem_ID                    0007 \
    CONFIG.Use_Class_Code_Lookup_Assistant false \
    CONFIG.Class_Code_Base                 06 \
    CONFIG.Class_Code_Sub                  04 \
    CONFIG.Class_Code_Interface            00 \
    CONFIG.IntX_Generation                 false \
    CONFIG.Legacy_Interrupt                NONE \
    CONFIG.MSI_Enabled                     false \
    CONFIG.MSIx_Enabled                    false \
    CONFIG.en_ext_clk                      false \
    CONFIG.PCIe_Debug_Ports                false \
    CONFIG.pl_interface                    true \
    CONFIG.cfg_mgmt_if                     true \
    CONFIG.cfg_ctl_if                      true \
    CONFIG.cfg_status_if                   true \
    CONFIG.rcv_msg_if                      false \
    CONFIG.cfg_fc_if                       false \
    CONFIG.err_reporting_if                false \
  ]
}
