//! Latency Tolerance Reporting (extended id 0018h) and L1 PM Substates (001Eh).

use crate::config::layout::layout;
use crate::config::register::register;
use crate::config::space::ConfigSpace;

/// `value` in units of 32^`scale` ns; `None` for an undefined scale (Max Snoop Latency Register).
fn nanoseconds(value: Option<u32>, scale: Option<u32>) -> Option<u64> {
    let scale = scale.filter(|scale| *scale <= 5)?;
    Some(u64::from(value?) << (5 * scale))
}

register! {
    /// Max Snoop Latency Register.
    MaxSnoop "LTRSnoop"
    flags {}
    fields {
        /// Max Snoop LatencyValue.
        value "value" 0..=9;
        /// Max Snoop LatencyScale.
        scale "scale" 10..=12;
    }
}

register! {
    /// Max No-Snoop Latency Register.
    MaxNoSnoop "LTRNoSnoop"
    flags {}
    fields {
        /// Max No-Snoop LatencyValue.
        value "value" 0..=9;
        /// Max No-Snoop LatencyScale.
        scale "scale" 10..=12;
    }
}

impl MaxSnoop {
    /// In nanoseconds.
    pub fn ns(self) -> Option<u64> {
        nanoseconds(self.value(), self.scale())
    }
}

impl MaxNoSnoop {
    /// In nanoseconds.
    pub fn ns(self) -> Option<u64> {
        nanoseconds(self.value(), self.scale())
    }
}

layout! {
    /// LTR Extended Capability: the largest latency that software allows this function to report.
    Ltr {
        /// Max Snoop Latency.
        snoop: MaxSnoop = 0x04, 2;
        /// Max No-Snoop Latency.
        no_snoop: MaxNoSnoop = 0x06, 2;
    }
    more {
        /// Max Snoop Latency in nanoseconds, the only value of the register that text contains.
        snoop_ns: Option<u64>;
        /// Max No-Snoop Latency in nanoseconds.
        no_snoop_ns: Option<u64>;
    }
}

impl Ltr {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Ltr {
        let mut ltr = Ltr::registers_at(space, start);
        ltr.snoop_ns = ltr.snoop.ns();
        ltr.no_snoop_ns = ltr.no_snoop.ns();
        ltr
    }
}

register! {
    /// L1 PM Substates Capabilities Register.
    L1SubCap "L1SubCap"
    flags {
        /// PCI-PM L1.2 Supported.
        pci_pm_l1_2 "PCI-PM_L1.2" 0;
        /// PCI-PM L1.1 Supported.
        pci_pm_l1_1 "PCI-PM_L1.1" 1;
        /// ASPM L1.2 Supported.
        aspm_l1_2 "ASPM_L1.2" 2;
        /// ASPM L1.1 Supported.
        aspm_l1_1 "ASPM_L1.1" 3;
        /// L1 PM Substates Supported.
        substates "L1_PM_Substates" 4;
        /// Link Activation Supported.
        link_activation "LinkActivation" 5;
    }
    fields {
        /// Port Common_Mode_Restore_Time, in microseconds.
        common_mode_us "PortCommonModeRestoreTime" 8..=15;
        /// Port T_POWER_ON Scale.
        power_on_scale "PortTPowerOnScale" 16..=17;
        /// Port T_POWER_ON Value.
        power_on_value "PortTPowerOnValue" 19..=23;
    }
}

register! {
    /// L1 PM Substates Control 1 Register.
    L1SubCtl1 "L1SubCtl1"
    flags {
        /// PCI-PM L1.2 Enable.
        pci_pm_l1_2 "PCI-PM_L1.2" 0;
        /// PCI-PM L1.1 Enable.
        pci_pm_l1_1 "PCI-PM_L1.1" 1;
        /// ASPM L1.2 Enable.
        aspm_l1_2 "ASPM_L1.2" 2;
        /// ASPM L1.1 Enable.
        aspm_l1_1 "ASPM_L1.1" 3;
    }
    fields {
        /// Common_Mode_Restore_Time, in microseconds.
        common_mode_us "T_CommonMode" 8..=15;
        /// LTR_L1.2_THRESHOLD_Value.
        threshold_value "LTR1.2_ThresholdValue" 16..=25;
        /// LTR_L1.2_THRESHOLD_Scale.
        threshold_scale "LTR1.2_ThresholdScale" 29..=31;
    }
}

impl L1SubCtl1 {
    /// LTR_L1.2_THRESHOLD, in nanoseconds.
    pub fn threshold_ns(self) -> Option<u64> {
        nanoseconds(self.threshold_value(), self.threshold_scale())
    }
}

register! {
    /// L1 PM Substates Control 2 Register.
    L1SubCtl2 "L1SubCtl2"
    flags {}
    fields {
        /// T_POWER_ON Scale.
        power_on_scale "T_PwrOnScale" 0..=1;
        /// T_POWER_ON Value.
        power_on_value "T_PwrOnValue" 3..=7;
    }
}

impl L1SubCtl2 {
    /// T_POWER_ON, in microseconds: the value in units of 2, 10 or 100.
    pub fn power_on_us(self) -> Option<u32> {
        let unit = [2, 10, 100].get(self.power_on_scale()? as usize).copied()?;
        Some(self.power_on_value()? * unit)
    }
}

layout! {
    /// L1 PM Substates Extended Capability.
    L1Substates {
        /// L1 PM Substates Capabilities.
        cap: L1SubCap = 0x04, 4;
        /// L1 PM Substates Control 1.
        ctl1: L1SubCtl1 = 0x08, 4;
        /// L1 PM Substates Control 2.
        ctl2: L1SubCtl2 = 0x0c, 4;
    }
    more {
        /// LTR_L1.2_THRESHOLD in nanoseconds, the only value of the register that text contains.
        threshold_ns: Option<u64>;
        /// T_POWER_ON in microseconds, as it is set.
        power_on_us: Option<u32>;
    }
}

impl L1Substates {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> L1Substates {
        let mut substates = L1Substates::registers_at(space, start);
        substates.threshold_ns = substates.ctl1.threshold_ns();
        substates.power_on_us = substates.ctl2.power_on_us();
        substates
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::register::Register;

    #[test]
    fn is_a_latency_its_value_times_a_power_of_32_ns() {
        assert_eq!(MaxSnoop(Register::new(0x1001, 0xffff)).ns(), Some(1_048_576));
        assert_eq!(MaxSnoop(Register::new(0x1801, 0xffff)).ns(), None);
    }
}
