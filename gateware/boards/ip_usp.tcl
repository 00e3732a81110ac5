# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# The UltraScale+ block, as ls_board_usp instances it. Where each name is from: properties.csv.
set ip pcie4_uscale_plus
set module pcie4_uscale_plus_0

# lanes; width of the streams in bits; MHz of the user clock
proc ip_properties {lanes width mhz} {
  set properties [dict create \
    CONFIG.PL_LINK_CAP_MAX_LINK_SPEED               8.0_GT/s \
    CONFIG.PL_LINK_CAP_MAX_LINK_WIDTH               X$lanes \
    CONFIG.axisten_if_width                         ${width}_bit \
    CONFIG.axisten_freq                             $mhz \
    CONFIG.AXISTEN_IF_CQ_ALIGNMENT_MODE             DWORD_Aligned \
    CONFIG.AXISTEN_IF_RQ_ALIGNMENT_MODE             DWORD_Aligned \
    CONFIG.axisten_if_enable_client_tag             true \
    CONFIG.extended_tag_field                       true \
    CONFIG.pf0_dev_cap_max_payload                  512_bytes \
    CONFIG.PF0_DEV_CAP_FUNCTION_LEVEL_RESET_CAPABLE true \
    CONFIG.vendor_id                                10EE \
    CONFIG.PF0_DEVICE_ID                            4C54 \
    CONFIG.PF0_REVISION_ID                          00 \
    CONFIG.PF0_SUBSYSTEM_VENDOR_ID                  10EE \
    CONFIG.PF0_SUBSYSTEM_ID                         0007 \
    CONFIG.PF0_CLASS_CODE                           058000 \
    CONFIG.pf0_bar0_64bit                           false \
    CONFIG.pf0_bar0_prefetchable                    false \
    CONFIG.pf0_bar0_scale                           Kilobytes \
    CONFIG.pf0_bar0_size                            64 \
    CONFIG.pf0_bar2_enabled                         true \
    CONFIG.pf0_bar2_type                            Memory \
    CONFIG.pf0_bar2_64bit                           false \
    CONFIG.pf0_bar2_prefetchable                    false \
    CONFIG.pf0_bar2_scale                           Megabytes \
    CONFIG.pf0_bar2_size                            1 \
    CONFIG.PF0_INTERRUPT_PIN                        NONE \
    CONFIG.pf0_msi_enabled                          false \
    CONFIG.pf0_msix_enabled                         true \
    CONFIG.MSI_X_OPTIONS                            MSI-X_External \
    CONFIG.PF0_MSIX_CAP_TABLE_SIZE                  003 \
    CONFIG.PF0_MSIX_CAP_TABLE_BIR                   BAR_0 \
    CONFIG.PF0_MSIX_CAP_TABLE_OFFSET                00001000 \
    CONFIG.PF0_MSIX_CAP_PBA_BIR                     BAR_0 \
    CONFIG.PF0_MSIX_CAP_PBA_OFFSET                  00001080 \
  ]
  # More than one TLP in a beat, where the width has it; CC never does.
  if {$width == 512} {
    dict set properties CONFIG.AXISTEN_IF_EXT_512_RQ_STRADDLE true
    dict set properties CONFIG.AXISTEN_IF_EXT_512_RC_STRADDLE true
    dict set properties CONFIG.AXISTEN_IF_EXT_512_RC_4TLP_STRADDLE true
    dict set properties CONFIG.AXISTEN_IF_EXT_512_CQ_STRADDLE true
    dict set properties CONFIG.AXISTEN_IF_EXT_512_CC_STRADDLE false
  } elseif {$width == 256} {
    dict set properties CONFIG.AXISTEN_IF_RC_STRADDLE true
  }
  return $properties
}
