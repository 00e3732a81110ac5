//! Short capabilities: Device 3 (extended id 002Fh), Address Translation Service (000Fh), Process Address Space ID
//! (001Bh), Virtual Channel (0002h).

use crate::config::layout::layout;
use crate::config::register::register;
use crate::config::space::ConfigSpace;

register! {
    /// Device Capabilities 3 Register.
    DevCap3 "DevCap3"
    flags {
        /// DMWr Request Routing Supported.
        dmwr_routing "DMWrReqRtng" 0;
        /// 14-Bit Tag Completer Supported.
        fourteen_bit_completer "14BitTagComp" 1;
        /// 14-Bit Tag Requester Supported.
        fourteen_bit_requester "14BitTagReq" 2;
        /// Receiver L0p Supported.
        l0p "RxL0p" 3;
    }
    fields {
        /// Port L0p Exit Latency.
        port_l0p_exit "PortL0pExitLat" 4..=6;
        /// Retimer L0p Exit Latency.
        retimer_l0p_exit "RetimerL0pExit" 7..=9;
    }
}

register! {
    /// Device Control 3 Register.
    DevCtl3 "DevCtl3"
    flags {
        /// DMWr Requester Enable.
        dmwr_requester "DMWrReqEn" 0;
        /// DMWr Egress Blocking.
        dmwr_blocking "DMWrEgBlk" 1;
        /// 14-Bit Tag Requester Enable.
        fourteen_bit_requester "14BitTagReqEn" 2;
        /// L0p Enable.
        l0p "L0pEn" 3;
    }
    fields {
        /// Target Link Width for L0p.
        target_width "TargLinkWidth" 4..=6;
    }
}

register! {
    /// Device Status 3 Register.
    DevSta3 "DevSta3"
    flags {
        /// Segment Captured: the function has captured its Segment (FLIT mode).
        segment_captured "SegmCapt" 3;
        /// Remote L0p Supported.
        remote_l0p "RemoteL0p" 4;
    }
    fields {
        /// Initial Link Width.
        initial_width "InitLinkWidth" 0..=2;
    }
}

layout! {
    /// Device 3 Extended Capability.
    Device3 {
        /// Device Capabilities 3.
        cap: DevCap3 = 0x04, 4;
        /// Device Control 3.
        ctl: DevCtl3 = 0x08, 4;
        /// Device Status 3.
        sta: DevSta3 = 0x0c, 4;
    }
}

impl Device3 {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Device3 {
        Device3::registers_at(space, start)
    }
}

register! {
    /// ATS Capability Register.
    AtsCap "ATSCap"
    flags {
        /// Page Aligned Request.
        page_aligned "PageAligned" 5;
        /// Global Invalidate Supported.
        global_invalidate "GlobalInv" 6;
        /// Relaxed Ordering Supported.
        relaxed_ordering "RlxdOrd" 7;
    }
    fields {
        /// Invalidate Queue Depth; 0 is 32.
        queue_depth "Invalidate Queue Depth" 0..=4;
    }
}

register! {
    /// ATS Control Register.
    AtsCtl "ATSCtl"
    flags {
        /// Enable.
        enable "Enable" 15;
    }
    fields {
        /// Smallest Translation Unit.
        unit "Smallest Translation Unit" 0..=4;
    }
}

layout! {
    /// ATS Extended Capability.
    Ats {
        /// ATS Capability.
        cap: AtsCap = 0x04, 2;
        /// ATS Control.
        ctl: AtsCtl = 0x06, 2;
    }
}

impl Ats {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Ats {
        Ats::registers_at(space, start)
    }
}

register! {
    /// PASID Capability Register.
    PasidCap "PASIDCap"
    flags {
        /// Execute Permission Supported.
        execute "Exec" 1;
        /// Privileged Mode Supported.
        privileged "Priv" 2;
    }
    fields {
        /// Max PASID Width, in bits.
        width "Max PASID Width" 8..=12;
    }
}

register! {
    /// PASID Control Register.
    PasidCtl "PASIDCtl"
    flags {
        /// PASID Enable.
        enable "Enable" 0;
        /// Execute Permission Enable.
        execute "Exec" 1;
        /// Privileged Mode Enable.
        privileged "Priv" 2;
    }
    fields {}
}

layout! {
    /// PASID Extended Capability.
    Pasid {
        /// PASID Capability.
        cap: PasidCap = 0x04, 2;
        /// PASID Control.
        ctl: PasidCtl = 0x06, 2;
    }
}

impl Pasid {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Pasid {
        Pasid::registers_at(space, start)
    }
}

register! {
    /// Port VC Capability Register 1.
    VcCap1 "VCCap"
    flags {}
    fields {
        /// Extended VC Count: the number of virtual channels in addition to VC0.
        count "ExtVC" 0..=2;
        /// Low Priority Extended VC Count.
        low_priority "LPEVC" 4..=6;
        /// Reference Clock; 0 is 100 ns.
        clock "RefClkCode" 8..=9;
        /// Port Arbitration Table Entry Size, as log2 of the number of bits.
        entry "PATEntryCode" 10..=11;
    }
}

register! {
    /// VC Resource Control Register of VC0.
    Vc0Ctl "VC0"
    flags {
        /// VC Enable.
        enable "Enable" 31;
    }
    fields {
        /// TC/VC Map: one bit for each traffic class.
        traffic_classes "TC/VC" 0..=7;
        /// VC ID.
        id "ID" 24..=26;
    }
}

layout! {
    /// Virtual Channel Extended Capability, as far as VC0.
    VirtualChannel {
        /// Port VC Capability 1.
        cap1: VcCap1 = 0x04, 4;
        /// VC Resource Control of VC0.
        vc0: Vc0Ctl = 0x14, 4;
    }
}

impl VirtualChannel {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> VirtualChannel {
        VirtualChannel::registers_at(space, start)
    }
}
