//! The registers of the PCI Express capability about the function itself.

use crate::config::register::register;
use crate::payload::PayloadSize;

register! {
    /// Device Capabilities Register.
    DevCap "DevCap"
    flags {
        /// Extended Tag Field Supported: the function can make requests with tags of 8 bits.
        extended_tag "ExtTag" 5;
        /// Attention Button Present (undefined from 1.1 on).
        attention_button "AttnBtn" 12;
        /// Attention Indicator Present (undefined from 1.1 on).
        attention_indicator "AttnInd" 13;
        /// Power Indicator Present (undefined from 1.1 on).
        power_indicator "PwrInd" 14;
        /// Role-Based Error Reporting.
        role_based_errors "RBE" 15;
        /// ERR_COR Subclass Capable.
        err_cor_subclass "ErrCorrSubclass" 16;
        /// Rx_MPS_Fixed: the largest payload that it can receive is independent of Max_Payload_Size.
        receive_mps_fixed "RxMpsFixed" 17;
        /// Function Level Reset Capability.
        function_level_reset "FLReset" 28;
        /// Mixed_MPS_Supported.
        mixed_mps "MixedMps" 29;
        /// TEE-IO Supported.
        tee_io "TEE-IO" 30;
    }
    fields {
        /// Max_Payload_Size Supported, encoded.
        mps_code "MaxPayload" 0..=2;
        /// Phantom Functions Supported: how many bits of the function number extend the tag.
        phantom_functions "PhantFunc" 3..=4;
        /// Endpoint L0s Acceptable Latency, encoded.
        l0s_acceptable "Latency L0s" 6..=8;
        /// Endpoint L1 Acceptable Latency, encoded.
        l1_acceptable "Latency L1" 9..=11;
        /// Captured Slot Power Limit Value.
        slot_power_value "SlotPowerValue" 18..=25;
        /// Captured Slot Power Limit Scale.
        slot_power_scale "SlotPowerScale" 26..=27;
    }
}

impl DevCap {
    /// Max_Payload_Size Supported.
    pub fn mps(self) -> Option<PayloadSize> {
        payload(self.mps_code())
    }
}

register! {
    /// Device Control Register.
    DevCtl "DevCtl"
    flags {
        /// Correctable Error Reporting Enable.
        correctable_reporting "CorrErr" 0;
        /// Non-Fatal Error Reporting Enable.
        nonfatal_reporting "NonFatalErr" 1;
        /// Fatal Error Reporting Enable.
        fatal_reporting "FatalErr" 2;
        /// Unsupported Request Reporting Enable.
        unsupported_reporting "UnsupReq" 3;
        /// Enable Relaxed Ordering.
        relaxed_ordering "RlxdOrd" 4;
        /// Extended Tag Field Enable.
        extended_tag "ExtTag" 8;
        /// Phantom Functions Enable.
        phantom_functions "PhantFunc" 9;
        /// Aux Power PM Enable.
        aux_power "AuxPwr" 10;
        /// Enable No Snoop.
        no_snoop "NoSnoop" 11;
        /// Initiate Function Level Reset, or Bridge Configuration Retry Enable.
        reset_or_retry "FLReset" 15;
    }
    fields {
        /// Max_Payload_Size, encoded.
        mps_code "MaxPayload" 5..=7;
        /// Max_Read_Request_Size, encoded.
        mrrs_code "MaxReadReq" 12..=14;
    }
}

impl DevCtl {
    /// Max_Payload_Size.
    pub fn mps(self) -> Option<PayloadSize> {
        payload(self.mps_code())
    }
    /// Max_Read_Request_Size.
    pub fn mrrs(self) -> Option<PayloadSize> {
        payload(self.mrrs_code())
    }
}

fn payload(code: Option<u32>) -> Option<PayloadSize> {
    code.and_then(|code| PayloadSize::ALL.into_iter().find(|size| u32::from(size.encoding()) == code))
}

register! {
    /// Device Status Register.
    DevSta "DevSta"
    flags {
        /// Correctable Error Detected.
        correctable "CorrErr" 0;
        /// Non-Fatal Error Detected.
        nonfatal "NonFatalErr" 1;
        /// Fatal Error Detected.
        fatal "FatalErr" 2;
        /// Unsupported Request Detected.
        unsupported "UnsupReq" 3;
        /// AUX Power Detected.
        aux_power "AuxPwr" 4;
        /// Transactions Pending.
        pending "TransPend" 5;
        /// Emergency Power Reduction Detected.
        emergency_power_reduction "EmergencyPowerReduction" 6;
    }
    fields {}
}

register! {
    /// Device Capabilities 2 Register.
    DevCap2 "DevCap2"
    flags {
        /// Completion Timeout Disable Supported.
        timeout_disable "TimeoutDis" 4;
        /// ARI Forwarding Supported.
        ari_forwarding "ARIFwd" 5;
        /// AtomicOp Routing Supported.
        atomic_routing "Routing" 6;
        /// 32-bit AtomicOp Completer Supported.
        atomic_32 "32bit" 7;
        /// 64-bit AtomicOp Completer Supported.
        atomic_64 "64bit" 8;
        /// 128-bit CAS Completer Supported.
        cas_128 "128bitCAS" 9;
        /// No RO-enabled PR-PR Passing.
        no_relaxed_passing "NROPrPrP" 10;
        /// LTR Mechanism Supported.
        ltr "LTR" 11;
        /// TPH Completer Supported.
        tph_completer "TPHComp" 12;
        /// Extended TPH Completer Supported.
        extended_tph_completer "ExtTPHComp" 13;
        /// 10-Bit Tag Completer Supported.
        ten_bit_completer "10BitTagComp" 16;
        /// 10-Bit Tag Requester Supported.
        ten_bit_requester "10BitTagReq" 17;
        /// Extended Fmt Field Supported.
        extended_fmt "ExtFmt" 20;
        /// End-End TLP Prefix Supported.
        prefix "EETLPPrefix" 21;
        /// Emergency Power Reduction Initialization Required.
        emergency_power_reduction_init "EmergencyPowerReductionInit" 26;
        /// DMWr Request Completer Supported.
        dmwr_completer "DMWrComp" 28;
        /// FRS Supported.
        frs "FRS" 31;
    }
    fields {
        /// Completion Timeout Ranges Supported.
        timeout_ranges "Completion Timeout" 0..=3;
        /// LN System CLS.
        ln_cls "LN System CLS" 14..=15;
        /// OBFF Supported: 0 no, 1 by message, 2 by WAKE#, 3 both.
        obff "OBFF" 18..=19;
        /// Max End-End TLP Prefixes; 0 is four.
        max_prefixes "MaxEETLPPrefixes" 22..=23;
        /// Emergency Power Reduction Supported.
        emergency_power_reduction "EmergencyPowerReduction" 24..=25;
        /// DMWr Lengths Supported.
        dmwr_lengths "DMWrLength" 29..=30;
    }
}

register! {
    /// Device Control 2 Register.
    DevCtl2 "DevCtl2"
    flags {
        /// Completion Timeout Disable.
        timeout_disable "TimeoutDis" 4;
        /// ARI Forwarding Enable.
        ari_forwarding "ARIFwd" 5;
        /// AtomicOp Requester Enable.
        atomic_requester "ReqEn" 6;
        /// AtomicOp Egress Blocking.
        atomic_blocking "EgressBlck" 7;
        /// IDO Request Enable.
        ido_request "IDOReq" 8;
        /// IDO Completion Enable.
        ido_completion "IDOCompl" 9;
        /// LTR Mechanism Enable.
        ltr "LTR" 10;
        /// Emergency Power Reduction Request.
        emergency_power_reduction "EmergencyPowerReductionReq" 11;
        /// 10-Bit Tag Requester Enable.
        ten_bit_requester "10BitTagReq" 12;
        /// End-End TLP Prefix Blocking.
        prefix_blocking "EETLPPrefixBlk" 15;
    }
    fields {
        /// Completion Timeout Value.
        timeout "Completion Timeout" 0..=3;
        /// OBFF Enable: 0 no, 1 and 2 by message, 3 by WAKE#.
        obff "OBFF" 13..=14;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::register::Register;

    #[test]
    fn is_a_payload_code_without_a_meaning_no_payload() {
        let control = |bits| DevCtl(Register::new(bits, 0xffff));
        assert_eq!(control(0x2030).mps().map(PayloadSize::bytes), Some(256));
        assert_eq!(control(0x2030).mrrs().map(PayloadSize::bytes), Some(512));
        assert_eq!(control(0x70e0).mps(), None);
        assert_eq!(DevCtl::default().mrrs(), None);
    }
}
