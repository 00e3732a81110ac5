//! The PCI Express capability (ID 10h), which every PCI Express function has.

use crate::config::device::{DevCap, DevCap2, DevCtl, DevCtl2, DevSta};
use crate::config::layout::layout;
use crate::config::link::{LnkCap, LnkCap2, LnkCtl, LnkCtl2, LnkSta, LnkSta2};
use crate::config::register::{Register, register};
use crate::config::slot::{RootCap, RootCtl, RootSta, SltCap, SltCtl, SltSta};
use crate::config::space::ConfigSpace;
use std::fmt;

register! {
    /// PCI Express Capabilities Register.
    ExpFlags "Express"
    flags {
        /// Slot Implemented.
        slot "Slot" 8;
        /// Flit Mode Supported.
        flit "FlitMode" 15;
    }
    fields {
        /// Capability Version.
        version "v" 0..=3;
        /// Device/Port Type, encoded.
        type_code "type" 4..=7;
        /// Interrupt Message Number.
        interrupt "IntMsgNum" 9..=13;
    }
}

impl ExpFlags {
    /// Device/Port Type.
    pub fn port_type(self) -> Option<PortType> {
        self.type_code().and_then(PortType::from_code)
    }
}

/// Device/Port Type (PCI Express Capabilities Register).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PortType {
    /// PCI Express Endpoint.
    Endpoint,
    /// Legacy PCI Express Endpoint.
    LegacyEndpoint,
    /// Root Port of PCI Express Root Complex.
    RootPort,
    /// Upstream Port of PCI Express Switch.
    UpstreamPort,
    /// Downstream Port of PCI Express Switch.
    DownstreamPort,
    /// PCI Express to PCI/PCI-X Bridge.
    ExpressToPci,
    /// PCI/PCI-X to PCI Express Bridge.
    PciToExpress,
    /// Root Complex Integrated Endpoint.
    IntegratedEndpoint,
    /// Root Complex Event Collector.
    EventCollector,
}

impl PortType {
    /// All types with their codes and the words that tools print.
    pub const ALL: [(PortType, u32, &'static str); 9] = [
        (PortType::Endpoint, 0, "Endpoint"),
        (PortType::LegacyEndpoint, 1, "Legacy Endpoint"),
        (PortType::RootPort, 4, "Root Port"),
        (PortType::UpstreamPort, 5, "Upstream Port"),
        (PortType::DownstreamPort, 6, "Downstream Port"),
        (PortType::ExpressToPci, 7, "PCI-Express to PCI/PCI-X Bridge"),
        (PortType::PciToExpress, 8, "PCI/PCI-X to PCI-Express Bridge"),
        (PortType::IntegratedEndpoint, 9, "Root Complex Integrated Endpoint"),
        (PortType::EventCollector, 10, "Root Complex Event Collector"),
    ];

    /// `None` for a reserved code.
    pub fn from_code(code: u32) -> Option<PortType> {
        PortType::ALL.into_iter().find(|entry| entry.1 == code).map(|entry| entry.0)
    }
    /// True where its link leads away from the root complex.
    pub fn is_downstream(self) -> bool {
        matches!(self, PortType::RootPort | PortType::DownstreamPort)
    }
    /// True where its link leads towards the root complex.
    pub fn is_upstream(self) -> bool {
        matches!(self, PortType::Endpoint | PortType::LegacyEndpoint | PortType::UpstreamPort | PortType::ExpressToPci)
    }
    /// True for a function inside the root complex, without a link.
    pub fn is_integrated(self) -> bool {
        matches!(self, PortType::IntegratedEndpoint | PortType::EventCollector)
    }
}

impl fmt::Display for PortType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = PortType::ALL.iter().find(|entry| entry.0 == *self).map_or("", |entry| entry.2);
        f.pad(name)
    }
}

layout! {
    /// PCI Express Capability Structure. Registers that do not exist for the type of port, or for the version of the
    /// capability, are unknown.
    Express {
        /// PCI Express Capabilities.
        flags: ExpFlags = 0x02, 2;
        /// Device Capabilities.
        dev_cap: DevCap = 0x04, 4;
        /// Device Control.
        dev_ctl: DevCtl = 0x08, 2;
        /// Device Status.
        dev_sta: DevSta = 0x0a, 2;
        /// Link Capabilities.
        lnk_cap: LnkCap = 0x0c, 4;
        /// Link Control.
        lnk_ctl: LnkCtl = 0x10, 2;
        /// Link Status.
        lnk_sta: LnkSta = 0x12, 2;
        /// Slot Capabilities.
        slt_cap: SltCap = 0x14, 4;
        /// Slot Control.
        slt_ctl: SltCtl = 0x18, 2;
        /// Slot Status.
        slt_sta: SltSta = 0x1a, 2;
        /// Root Control.
        root_ctl: RootCtl = 0x1c, 2;
        /// Root Capabilities.
        root_cap: RootCap = 0x1e, 2;
        /// Root Status.
        root_sta: RootSta = 0x20, 4;
        /// Device Capabilities 2.
        dev_cap2: DevCap2 = 0x24, 4;
        /// Device Control 2.
        dev_ctl2: DevCtl2 = 0x28, 2;
        /// Link Capabilities 2.
        lnk_cap2: LnkCap2 = 0x2c, 4;
        /// Link Control 2.
        lnk_ctl2: LnkCtl2 = 0x30, 2;
        /// Link Status 2.
        lnk_sta2: LnkSta2 = 0x32, 2;
    }
}

impl Express {
    /// The capability at `start`.
    pub fn decode(space: &ConfigSpace, start: u16) -> Express {
        let mut express = Express::registers_at(space, start);
        express.forget_what_does_not_exist();
        express
    }
    /// Device/Port Type.
    pub fn port_type(&self) -> Option<PortType> {
        self.flags.port_type()
    }
    /// Marks registers as unknown that this type of port, or this version of the structure, does not implement (PCI
    /// Express Capability Structure).
    fn forget_what_does_not_exist(&mut self) {
        let kind = self.port_type();
        let is = |what: fn(PortType) -> bool| kind.is_some_and(what);
        if is(PortType::is_integrated) {
            self.lnk_cap.0 = Register::UNKNOWN;
            self.lnk_ctl.0 = Register::UNKNOWN;
            self.lnk_sta.0 = Register::UNKNOWN;
            self.lnk_cap2.0 = Register::UNKNOWN;
            self.lnk_ctl2.0 = Register::UNKNOWN;
            self.lnk_sta2.0 = Register::UNKNOWN;
        }
        if self.flags.slot() != Some(true) || !is(PortType::is_downstream) {
            self.slt_cap.0 = Register::UNKNOWN;
            self.slt_ctl.0 = Register::UNKNOWN;
            self.slt_sta.0 = Register::UNKNOWN;
        }
        if !matches!(kind, Some(PortType::RootPort | PortType::EventCollector)) {
            self.root_ctl.0 = Register::UNKNOWN;
            self.root_cap.0 = Register::UNKNOWN;
            self.root_sta.0 = Register::UNKNOWN;
        }
        if self.flags.version() == Some(1) {
            self.dev_cap2.0 = Register::UNKNOWN;
            self.dev_ctl2.0 = Register::UNKNOWN;
            self.lnk_cap2.0 = Register::UNKNOWN;
            self.lnk_ctl2.0 = Register::UNKNOWN;
            self.lnk_sta2.0 = Register::UNKNOWN;
        }
    }
}
