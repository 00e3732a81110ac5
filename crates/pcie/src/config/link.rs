//! The registers of the PCI Express capability about the link.

use crate::config::register::{BitField, register};
use crate::config::speed::Speed;
use std::fmt;

/// Active State Power Management states that are supported or enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aspm {
    /// L0s.
    pub l0s: bool,
    /// L1.
    pub l1: bool,
}

impl Aspm {
    fn from_code(code: u32) -> Aspm {
        Aspm { l0s: code & 1 != 0, l1: code & 2 != 0 }
    }
}

impl fmt::Display for Aspm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match (self.l0s, self.l1) {
            (false, false) => "off",
            (true, false) => "L0s",
            (false, true) => "L1",
            (true, true) => "L0s L1",
        })
    }
}

register! {
    /// Link Capabilities Register.
    LnkCap "LnkCap"
    flags {
        /// Clock Power Management.
        clock_pm "ClockPM" 18;
        /// Surprise Down Error Reporting Capable.
        surprise_down "Surprise" 19;
        /// Data Link Layer Link Active Reporting Capable.
        link_active_reporting "LLActRep" 20;
        /// Link Bandwidth Notification Capability.
        bandwidth_notification "BwNot" 21;
        /// ASPM Optionality Compliance.
        aspm_optionality "ASPMOptComp" 22;
    }
    fields {
        /// Max Link Speed, encoded.
        speed_code "Speed" 0..=3;
        /// Maximum Link Width: lanes.
        width "Width" 4..=9;
        /// ASPM Support, encoded.
        aspm_code "ASPM" 10..=11;
        /// L0s Exit Latency, encoded.
        l0s_exit "Exit Latency L0s" 12..=14;
        /// L1 Exit Latency, encoded.
        l1_exit "Exit Latency L1" 15..=17;
        /// Port Number.
        port "Port" 24..=31;
    }
}

impl LnkCap {
    /// Max Link Speed.
    pub fn speed(self) -> Option<Speed> {
        self.speed_code().and_then(Speed::from_code)
    }
    /// ASPM Support.
    pub fn aspm(self) -> Option<Aspm> {
        self.aspm_code().map(Aspm::from_code)
    }
}

register! {
    /// Link Control Register.
    LnkCtl "LnkCtl"
    flags {
        /// Read Completion Boundary: 128 bytes where set, 64 where clear.
        rcb_128 "RCB" 3;
        /// Link Disable.
        disabled "LnkDisable" 4;
        /// Retrain Link.
        retrain "Retrain" 5;
        /// Common Clock Configuration.
        common_clock "CommClk" 6;
        /// Extended Synch.
        extended_synch "ExtSynch" 7;
        /// Enable Clock Power Management.
        clock_pm "ClockPM" 8;
        /// Hardware Autonomous Width Disable.
        autonomous_width_disable "AutWidDis" 9;
        /// Link Bandwidth Management Interrupt Enable.
        bandwidth_interrupt "BWInt" 10;
        /// Link Autonomous Bandwidth Interrupt Enable.
        autonomous_interrupt "AutBWInt" 11;
        /// Flit Mode Disable.
        flit_disable "FltModeDis" 13;
    }
    fields {
        /// ASPM Control, encoded.
        aspm_code "ASPM" 0..=1;
        /// DRS Signaling Control.
        drs_signalling "DRSSignal" 14..=15;
    }
}

impl LnkCtl {
    /// ASPM Control: what is enabled.
    pub fn aspm(self) -> Option<Aspm> {
        self.aspm_code().map(Aspm::from_code)
    }
}

register! {
    /// Link Status Register.
    LnkSta "LnkSta"
    flags {
        /// Training Error (undefined from 1.1 on).
        training_error "TrErr" 10;
        /// Link Training.
        training "Train" 11;
        /// Slot Clock Configuration.
        slot_clock "SlotClk" 12;
        /// Data Link Layer Link Active.
        active "DLActive" 13;
        /// Link Bandwidth Management Status.
        bandwidth_management "BWMgmt" 14;
        /// Link Autonomous Bandwidth Status.
        autonomous_bandwidth "ABWMgmt" 15;
    }
    fields {
        /// Current Link Speed, encoded; undefined where the link is down.
        speed_code "Speed" 0..=3;
        /// Negotiated Link Width: lanes; 0 where there is no link.
        width "Width" 4..=9;
    }
}

impl LnkSta {
    /// Current Link Speed.
    pub fn speed(self) -> Option<Speed> {
        self.speed_code().and_then(Speed::from_code)
    }
}

register! {
    /// Link Capabilities 2 Register.
    LnkCap2 "LnkCap2"
    flags {
        /// Crosslink Supported.
        crosslink "Crosslink" 8;
        /// Retimer Presence Detect Supported.
        retimer "Retimer" 23;
        /// Two Retimers Presence Detect Supported.
        two_retimers "2Retimers" 24;
        /// DRS Supported.
        drs "DRS" 31;
    }
    fields {
        /// Supported Link Speeds Vector: bit n stands for the speed with code n + 1.
        speeds_vector "Supported Link Speeds" 1..=7;
        /// Lower SKP OS Generation Supported Speeds Vector.
        low_skp_generation "LowSkpGen" 9..=15;
        /// Lower SKP OS Reception Supported Speeds Vector.
        low_skp_reception "LowSkpRx" 16..=22;
    }
}

impl LnkCap2 {
    /// The speeds of the vector, slowest first; `None` also where the vector is empty (before revision 3.0).
    pub fn speeds(self) -> Option<Vec<Speed>> {
        let vector = self.speeds_vector().filter(|vector| *vector != 0)?;
        Some(Speed::ALL.into_iter().filter(|speed| vector >> (speed.code() - 1) & 1 == 1).collect())
    }
}

register! {
    /// Link Control 2 Register.
    LnkCtl2 "LnkCtl2"
    flags {
        /// Enter Compliance.
        enter_compliance "EnterCompliance" 4;
        /// Hardware Autonomous Speed Disable.
        autonomous_speed_disable "SpeedDis" 5;
        /// Selectable De-emphasis: set is -3.5 dB.
        selectable_deemphasis "Selectable De-emphasis" 6;
        /// Enter Modified Compliance.
        enter_modified_compliance "EnterModifiedCompliance" 10;
        /// Compliance SOS.
        compliance_sos "ComplianceSOS" 11;
    }
    fields {
        /// Target Link Speed, encoded.
        target_code "Target Link Speed" 0..=3;
        /// Transmit Margin.
        transmit_margin "Transmit Margin" 7..=9;
        /// Compliance Preset or De-emphasis.
        compliance_preset "Compliance Preset/De-emphasis" 12..=15;
    }
}

impl LnkCtl2 {
    /// Target Link Speed: no more than this is tried. Code 0, to which parts of one speed may hardwire the field, is
    /// 2.5 GT/s too.
    pub fn target(self) -> Option<Speed> {
        const BUT_LOWEST: BitField = BitField { name: "target_code", label: "Target Link Speed", low: 1, high: 3 };
        if self.0.get(BUT_LOWEST) == Some(0) {
            return Some(Speed::GT2_5);
        }
        self.target_code().and_then(Speed::from_code)
    }
}

register! {
    /// Link Status 2 Register.
    LnkSta2 "LnkSta2"
    flags {
        /// Current De-emphasis Level: set is -3.5 dB; meaningful at 5 GT/s.
        deemphasis_3_5 "Current De-emphasis Level" 0;
        /// Equalization 8.0 GT/s Complete.
        equalization_complete "EqualizationComplete" 1;
        /// Equalization 8.0 GT/s Phase 1 Successful.
        equalization_1 "EqualizationPhase1" 2;
        /// Equalization 8.0 GT/s Phase 2 Successful.
        equalization_2 "EqualizationPhase2" 3;
        /// Equalization 8.0 GT/s Phase 3 Successful.
        equalization_3 "EqualizationPhase3" 4;
        /// Link Equalization Request 8.0 GT/s.
        equalization_request "LinkEqualizationRequest" 5;
        /// Retimer Presence Detected.
        retimer "Retimer" 6;
        /// Two Retimers Presence Detected.
        two_retimers "2Retimers" 7;
        /// Flit Mode Status: the link runs in FLIT mode.
        flit "FltMode" 10;
        /// DRS Message Received.
        drs_received "DRS" 15;
    }
    fields {
        /// Crosslink Resolution.
        crosslink "CrosslinkRes" 8..=9;
        /// Downstream Component Presence.
        presence "DownstreamComp" 12..=14;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::register::Register;

    #[test]
    fn is_the_vector_of_speeds_read_bit_by_bit() {
        let cap2 = LnkCap2(Register::new(0b0111_1110, u32::MAX));
        assert_eq!(cap2.speeds().map(|speeds| speeds.len()), Some(6));
        assert_eq!(cap2.speeds().and_then(|speeds| speeds.last().copied()), Some(Speed::GT64));
        assert_eq!(LnkCap2(Register::new(0, u32::MAX)).speeds(), None);
    }

    #[test]
    fn is_a_link_status_of_64_gts_understood() {
        let status = LnkSta(Register::new(6 | 16 << 4 | 1 << 13, 0xffff));
        assert_eq!((status.speed(), status.width(), status.active()), (Some(Speed::GT64), Some(16), Some(true)));
        assert_eq!(LnkSta(Register::new(0, 0xffff)).speed(), None);
    }
}
