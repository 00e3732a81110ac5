//! Access Control Services (extended id 000Dh), and Alternative Routing-ID Interpretation (000Eh).

use crate::config::layout::layout;
use crate::config::register::register;
use crate::config::space::ConfigSpace;

register! {
    /// ACS Capability Register.
    AcsCap "ACSCap"
    flags {
        /// ACS Source Validation.
        source_validation "SrcValid" 0;
        /// ACS Translation Blocking.
        translation_blocking "TransBlk" 1;
        /// ACS P2P Request Redirect.
        request_redirect "ReqRedir" 2;
        /// ACS P2P Completion Redirect.
        completion_redirect "CmpltRedir" 3;
        /// ACS Upstream Forwarding.
        upstream_forwarding "UpstreamFwd" 4;
        /// ACS P2P Egress Control.
        egress_control "EgressCtrl" 5;
        /// ACS Direct Translated P2P.
        direct_translated "DirectTrans" 6;
        /// ACS Enhanced Capability.
        enhanced "Enhanced" 7;
    }
    fields {
        /// Egress Control Vector Size.
        vector_size "EgressVectorSize" 8..=15;
    }
}

register! {
    /// ACS Control Register.
    AcsCtl "ACSCtl"
    flags {
        /// ACS Source Validation Enable.
        source_validation "SrcValid" 0;
        /// ACS Translation Blocking Enable.
        translation_blocking "TransBlk" 1;
        /// ACS P2P Request Redirect Enable: requests between two ports of a switch are redirected to the root complex.
        request_redirect "ReqRedir" 2;
        /// ACS P2P Completion Redirect Enable.
        completion_redirect "CmpltRedir" 3;
        /// ACS Upstream Forwarding Enable.
        upstream_forwarding "UpstreamFwd" 4;
        /// ACS P2P Egress Control Enable.
        egress_control "EgressCtrl" 5;
        /// ACS Direct Translated P2P Enable.
        direct_translated "DirectTrans" 6;
        /// ACS I/O Request Blocking Enable.
        io_blocking "IOReqBlk" 7;
        /// ACS Unclaimed Request Redirect Control.
        unclaimed_redirect "UnclaimedRedir" 12;
    }
    fields {
        /// ACS DSP Memory Target Access Control.
        downstream_target "DspMemTarget" 8..=9;
        /// ACS USP Memory Target Access Control.
        upstream_target "UspMemTarget" 10..=11;
    }
}

layout! {
    /// ACS Extended Capability.
    Acs {
        /// ACS Capability.
        cap: AcsCap = 0x04, 2;
        /// ACS Control.
        ctl: AcsCtl = 0x06, 2;
    }
}

impl Acs {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Acs {
        Acs::registers_at(space, start)
    }
}

register! {
    /// ARI Capability Register.
    AriCap "ARICap"
    flags {
        /// MFVC Function Groups Capability.
        mfvc "MFVC" 0;
        /// ACS Function Groups Capability.
        acs "ACS" 1;
    }
    fields {
        /// Next Function Number.
        next_function "Next Function" 8..=15;
    }
}

register! {
    /// ARI Control Register.
    AriCtl "ARICtl"
    flags {
        /// MFVC Function Groups Enable.
        mfvc "MFVC" 0;
        /// ACS Function Groups Enable.
        acs "ACS" 1;
    }
    fields {
        /// Function Group.
        group "Function Group" 4..=6;
    }
}

layout! {
    /// ARI Extended Capability.
    Ari {
        /// ARI Capability.
        cap: AriCap = 0x04, 2;
        /// ARI Control.
        ctl: AriCtl = 0x06, 2;
    }
}

impl Ari {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Ari {
        Ari::registers_at(space, start)
    }
}
