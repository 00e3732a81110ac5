//! The physical and data link layers: Secondary PCI Express (extended id 0019h), Data Link Feature (0025h),
//! Physical Layer 16, 32 and 64 GT/s (0026h, 002Ah, 0031h).

use crate::config::layout::layout;
use crate::config::register::register;
use crate::config::space::ConfigSpace;

register! {
    /// Link Control 3 Register.
    LnkCtl3 "LnkCtl3"
    flags {
        /// Perform Equalization.
        perform_equalization "PerformEqu" 0;
        /// Link Equalization Request Interrupt Enable.
        equalization_interrupt "LnkEquIntrruptEn" 1;
    }
    fields {
        /// Enable Lower SKP OS Generation Vector.
        low_skp "LowSkpGen" 9..=15;
    }
}

register! {
    /// Lane Error Status Register: one bit for each lane.
    LaneErrSta "LaneErrStat"
    flags {}
    fields {
        /// The lanes 0 to 15 that have seen errors.
        lanes "LaneErr at lane" 0..=15;
        /// The lanes 16 to 31, which tools do not print.
        upper_lanes "LaneErr at lane 16 and up" 16..=31;
    }
}

layout! {
    /// Secondary PCI Express Extended Capability.
    Secondary {
        /// Link Control 3.
        lnk_ctl3: LnkCtl3 = 0x04, 4;
        /// Lane Error Status.
        lane_errors: LaneErrSta = 0x08, 4;
    }
}

impl Secondary {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Secondary {
        Secondary::registers_at(space, start)
    }
}

register! {
    /// Data Link Feature Capabilities Register.
    DlfCap "DLFCap"
    flags {
        /// Local Scaled Flow Control Supported.
        scaled_flow_control "ScaledFC" 0;
        /// Local Immediate Readiness.
        immediate_readiness "ImmReady" 1;
        /// Data Link Feature Exchange Enable.
        exchange "Exchange" 31;
    }
    fields {
        /// Local Extended VC Count.
        extended_vcs "ExtVC" 2..=4;
        /// Local L0p Exit Latency.
        l0p_exit "L0pExit" 5..=7;
    }
}

register! {
    /// Data Link Feature Status Register.
    DlfSta "DLFSta"
    flags {
        /// Remote Scaled Flow Control Supported.
        scaled_flow_control "ScaledFC" 0;
        /// Remote Immediate Readiness.
        immediate_readiness "ImmReady" 1;
        /// Remote Data Link Feature Supported Valid.
        valid "Valid" 31;
    }
    fields {
        /// Remote Extended VC Count.
        extended_vcs "ExtVC" 2..=4;
        /// Remote L0p Exit Latency.
        l0p_exit "L0pExit" 5..=7;
    }
}

layout! {
    /// Data Link Feature Extended Capability.
    DataLink {
        /// Data Link Feature Capabilities.
        cap: DlfCap = 0x04, 4;
        /// Data Link Feature Status.
        sta: DlfSta = 0x08, 4;
    }
}

impl DataLink {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> DataLink {
        DataLink::registers_at(space, start)
    }
}

register! {
    /// 16.0 GT/s Status Register.
    Phy16Sta "Phy16Sta"
    flags {
        /// Equalization 16.0 GT/s Complete.
        equalization_complete "EquComplete" 0;
        /// Equalization 16.0 GT/s Phase 1 Successful.
        equalization_1 "EquPhase1" 1;
        /// Equalization 16.0 GT/s Phase 2 Successful.
        equalization_2 "EquPhase2" 2;
        /// Equalization 16.0 GT/s Phase 3 Successful.
        equalization_3 "EquPhase3" 3;
        /// Link Equalization Request 16.0 GT/s.
        equalization_request "LinkEquRequest" 4;
    }
    fields {}
}

register! {
    /// 16.0 GT/s Local Data Parity Mismatch Status Register: one bit for each lane.
    ParityLocal "ParityLocal"
    flags {}
    fields {
        /// The lanes.
        lanes "Lanes" 0..=31;
    }
}

register! {
    /// 16.0 GT/s First Retimer Data Parity Mismatch Status Register: one bit for each lane.
    ParityRetimer1 "ParityRetimer1"
    flags {}
    fields {
        /// The lanes.
        lanes "Lanes" 0..=31;
    }
}

register! {
    /// 16.0 GT/s Second Retimer Data Parity Mismatch Status Register: one bit for each lane.
    ParityRetimer2 "ParityRetimer2"
    flags {}
    fields {
        /// The lanes.
        lanes "Lanes" 0..=31;
    }
}

layout! {
    /// Physical Layer 16.0 GT/s Extended Capability.
    Phy16 {
        /// 16.0 GT/s Status.
        sta: Phy16Sta = 0x0c, 4;
        /// Local data parity mismatches.
        parity_local: ParityLocal = 0x10, 4;
        /// Mismatches at the first retimer.
        parity_retimer1: ParityRetimer1 = 0x14, 4;
        /// Mismatches at the second retimer.
        parity_retimer2: ParityRetimer2 = 0x18, 4;
    }
}

impl Phy16 {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Phy16 {
        Phy16::registers_at(space, start)
    }
}

register! {
    /// 32.0 GT/s Capabilities Register.
    Phy32Cap "Phy32Cap"
    flags {
        /// Equalization bypass to highest NRZ rate Supported.
        equalization_bypass "EquBypass" 0;
        /// No Equalization Needed Supported.
        no_equalization "NoEquNeeded" 1;
        /// Modified TS Usage Mode 0 Supported: PCI Express.
        modified_ts_0 "ModTsMode0" 8;
        /// Modified TS Usage Mode 1 Supported: training set messages.
        modified_ts_1 "ModTsMode1" 9;
        /// Modified TS Usage Mode 2 Supported: alternate protocol.
        modified_ts_2 "ModTsMode2" 10;
    }
    fields {}
}

register! {
    /// 32.0 GT/s Control Register.
    Phy32Ctl "Phy32Ctl"
    flags {
        /// Equalization bypass to highest NRZ rate Disable.
        equalization_bypass_disable "EquBypassDis" 0;
        /// No Equalization Needed Disable.
        no_equalization_disable "NoEquNeededDis" 1;
    }
    fields {
        /// Modified TS Usage Mode Selected.
        modified_ts "ModTsMode" 8..=10;
    }
}

register! {
    /// 32.0 GT/s Status Register.
    Phy32Sta "Phy32Sta"
    flags {
        /// Equalization 32.0 GT/s Complete.
        equalization_complete "EquComplete" 0;
        /// Equalization 32.0 GT/s Phase 1 Successful.
        equalization_1 "EquPhase1" 1;
        /// Equalization 32.0 GT/s Phase 2 Successful.
        equalization_2 "EquPhase2" 2;
        /// Equalization 32.0 GT/s Phase 3 Successful.
        equalization_3 "EquPhase3" 3;
        /// Link Equalization Request 32.0 GT/s.
        equalization_request "LinkEquRequest" 4;
        /// Modified TS Received.
        modified_ts "ModTsRcvd" 5;
        /// Transmitter Precoding On.
        precoding "TxPrecodeOn" 8;
        /// Transmitter Precode Request.
        precode_request "TxPrecodeReq" 9;
        /// No Equalization Needed Received.
        no_equalization "NoEquNeededRcvd" 10;
    }
    fields {
        /// Received Enhanced Link Behavior Control.
        link_behaviour "RxEnhLinkBehavior" 6..=7;
    }
}

layout! {
    /// Physical Layer 32.0 GT/s Extended Capability.
    Phy32 {
        /// 32.0 GT/s Capabilities.
        cap: Phy32Cap = 0x04, 4;
        /// 32.0 GT/s Control.
        ctl: Phy32Ctl = 0x08, 4;
        /// 32.0 GT/s Status.
        sta: Phy32Sta = 0x0c, 4;
    }
}

impl Phy32 {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Phy32 {
        Phy32::registers_at(space, start)
    }
}

register! {
    /// 64.0 GT/s Status Register.
    Phy64Sta "Phy64Sta"
    flags {
        /// Equalization 64.0 GT/s Complete.
        equalization_complete "EquComplete" 0;
        /// Equalization 64.0 GT/s Phase 1 Successful.
        equalization_1 "EquPhase1" 1;
        /// Equalization 64.0 GT/s Phase 2 Successful.
        equalization_2 "EquPhase2" 2;
        /// Equalization 64.0 GT/s Phase 3 Successful.
        equalization_3 "EquPhase3" 3;
        /// Link Equalization Request 64.0 GT/s.
        equalization_request "LinkEquRequest" 4;
        /// Transmitter Precoding On.
        precoding "TxPrecodeOn" 5;
        /// Transmitter Precode Request.
        precode_request "TxPrecodeReq" 6;
        /// No Equalization Needed Received.
        no_equalization "NoEquNeededRcvd" 7;
    }
    fields {}
}

layout! {
    /// Physical Layer 64.0 GT/s Extended Capability.
    Phy64 {
        /// 64.0 GT/s Status.
        sta: Phy64Sta = 0x0c, 4;
    }
}

impl Phy64 {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Phy64 {
        Phy64::registers_at(space, start)
    }
}
