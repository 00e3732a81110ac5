# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# The 7-series block, as ls_board_7s instances it. Where each name is from: properties.csv.
set ip pcie_7x
set module pcie_7x_0

# lanes; width of the streams in bits; MHz of the user clock
proc ip_properties {lanes width mhz} {
  return [dict create \
    CONFIG.mode_selection                  Advanced \
    CONFIG.Device_Port_Type                PCI_Express_Endpoint_device \
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
    CONFIG.Class_Code_Base                 05 \
    CONFIG.Class_Code_Sub                  80 \
    CONFIG.Class_Code_Interface            00 \
    CONFIG.Bar0_Enabled                    true \
    CONFIG.Bar0_Type                       Memory \
    CONFIG.Bar0_64bit                      false \
    CONFIG.Bar0_Prefetchable               false \
    CONFIG.Bar0_Scale                      Kilobytes \
    CONFIG.Bar0_Size                       64 \
    CONFIG.Bar1_Enabled                    false \
    CONFIG.Bar2_Enabled                    true \
    CONFIG.Bar2_Type                       Memory \
    CONFIG.Bar2_64bit                      false \
    CONFIG.Bar2_Prefetchable               false \
    CONFIG.Bar2_Scale                      Megabytes \
    CONFIG.Bar2_Size                       1 \
    CONFIG.IntX_Generation                 false \
    CONFIG.Legacy_Interrupt                NONE \
    CONFIG.MSI_Enabled                     false \
    CONFIG.MSIx_Enabled                    true \
    CONFIG.MSIx_Table_Size                 4 \
    CONFIG.MSIx_Table_BIR                  BAR_0 \
    CONFIG.MSIx_Table_Offset               1000 \
    CONFIG.MSIx_PBA_BIR                    BAR_0 \
    CONFIG.MSIx_PBA_Offset                 1080 \
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
