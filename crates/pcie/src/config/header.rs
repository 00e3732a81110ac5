//! The first 64 bytes: the Type 0 (endpoint) and Type 1 (bridge) configuration space headers.

use crate::config::bar::{Bar, BarKind};
use crate::config::register::register;
use crate::config::space::ConfigSpace;

/// Header Layout (Header Type Register).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderKind {
    /// Type 0: a function that is not a bridge.
    Endpoint,
    /// Type 1: a PCI-to-PCI bridge, as every root port and switch port is.
    Bridge,
    /// Type 2: a CardBus bridge.
    CardBus,
    /// An undefined layout.
    Other(u8),
}

/// The bus numbers that a bridge routes by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusNumbers {
    /// The bus on the upstream side of the bridge.
    pub primary: u8,
    /// The bus directly below it.
    pub secondary: u8,
    /// The highest bus number below it.
    pub subordinate: u8,
}

register! {
    /// Command Register.
    Command "Control"
    flags {
        /// I/O Space Enable.
        io "I/O" 0;
        /// Memory Space Enable.
        memory "Mem" 1;
        /// Bus Master Enable.
        bus_master "BusMaster" 2;
        /// Special Cycle Enable.
        special_cycle "SpecCycle" 3;
        /// Memory Write and Invalidate.
        write_invalidate "MemWINV" 4;
        /// VGA Palette Snoop.
        vga_snoop "VGASnoop" 5;
        /// Parity Error Response.
        parity "ParErr" 6;
        /// IDSEL Stepping.
        stepping "Stepping" 7;
        /// SERR# Enable.
        serr "SERR" 8;
        /// Fast Back-to-Back Transactions Enable.
        fast_b2b "FastB2B" 9;
        /// Interrupt Disable.
        intx_disable "DisINTx" 10;
    }
    fields {}
}

register! {
    /// Status Register.
    Status "Status"
    flags {
        /// Interrupt Status.
        intx "INTx" 3;
        /// Capabilities List.
        capabilities "Cap" 4;
        /// 66 MHz Capable.
        mhz_66 "66MHz" 5;
        /// User Definable Features.
        udf "UDF" 6;
        /// Fast Back-to-Back Transactions Capable.
        fast_b2b "FastB2B" 7;
        /// Master Data Parity Error.
        parity "ParErr" 8;
        /// Signaled Target Abort.
        signalled_target_abort ">TAbort" 11;
        /// Received Target Abort.
        received_target_abort "<TAbort" 12;
        /// Received Master Abort.
        received_master_abort "<MAbort" 13;
        /// Signaled System Error.
        signalled_serr ">SERR" 14;
        /// Detected Parity Error.
        detected_parity "<PERR" 15;
    }
    fields {
        /// DEVSEL Timing.
        devsel "DEVSEL" 9..=10;
    }
}

/// The header as observed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// Vendor ID.
    pub vendor: Option<u16>,
    /// Device ID.
    pub device: Option<u16>,
    /// Class Code: base class and sub-class. The programming interface is separate, because text prints it (as
    /// `prog-if`) only where it has a name.
    pub class: Option<u16>,
    /// Programming interface, the low byte of the Class Code.
    pub interface: Option<u8>,
    /// Revision ID.
    pub revision: Option<u8>,
    /// Subsystem Vendor ID and Subsystem ID.
    pub subsystem: Option<(u16, u16)>,
    /// Header Layout.
    pub kind: Option<HeaderKind>,
    /// Multi-Function Device.
    pub multi_function: Option<bool>,
    /// Command.
    pub command: Command,
    /// Status.
    pub status: Status,
    /// Interrupt pin: 1 is A; 0 is none.
    pub interrupt_pin: Option<u8>,
    /// Base addresses that claim something.
    pub bars: Vec<Bar>,
    /// Primary, secondary and subordinate bus of a bridge.
    pub buses: Option<BusNumbers>,
}

impl Header {
    /// Decodes the first 64 bytes, as far as they were observed.
    pub fn decode(space: &ConfigSpace) -> Header {
        let layout = space.u8(0x0e);
        let kind = layout.map(|layout| HeaderKind::from_layout(layout & 0x7f));
        Header {
            vendor: space.u16(0x00),
            device: space.u16(0x02),
            class: space.u16(0x0a),
            interface: space.u8(0x09),
            revision: space.u8(0x08),
            subsystem: subsystem(space, kind),
            kind,
            multi_function: layout.map(|layout| layout & 0x80 != 0),
            command: Command(space.register(0x04, 2)),
            status: Status(space.register(0x06, 2)),
            interrupt_pin: space.u8(0x3d),
            bars: bars(space, kind),
            buses: buses(space, kind),
        }
    }
    /// True where the function answered. A Vendor ID of all ones means that no function answered (an empty slot,
    /// surprise removal, or a Configuration Request Retry Status).
    pub fn answered(&self) -> bool {
        self.vendor != Some(0xffff)
    }
    /// True for a bridge between PCI buses.
    pub fn is_bridge(&self) -> bool {
        self.kind == Some(HeaderKind::Bridge) || self.buses.is_some()
    }
}

impl HeaderKind {
    fn from_layout(layout: u8) -> HeaderKind {
        match layout {
            0 => HeaderKind::Endpoint,
            1 => HeaderKind::Bridge,
            2 => HeaderKind::CardBus,
            other => HeaderKind::Other(other),
        }
    }
}

/// The Subsystem IDs of a Type 0 header; a bridge has a capability (0Dh) for them.
fn subsystem(space: &ConfigSpace, kind: Option<HeaderKind>) -> Option<(u16, u16)> {
    if kind != Some(HeaderKind::Endpoint) {
        return None;
    }
    let ids = (space.u16(0x2c)?, space.u16(0x2e)?);
    (ids != (0, 0)).then_some(ids)
}

fn buses(space: &ConfigSpace, kind: Option<HeaderKind>) -> Option<BusNumbers> {
    if !matches!(kind, Some(HeaderKind::Bridge | HeaderKind::CardBus)) {
        return None;
    }
    let numbers = [space.u8(0x18)?, space.u8(0x19)?, space.u8(0x1a)?];
    Some(BusNumbers { primary: numbers[0], secondary: numbers[1], subordinate: numbers[2] })
}

/// Base Address Registers: six in an endpoint, two in a bridge.
fn bars(space: &ConfigSpace, kind: Option<HeaderKind>) -> Vec<Bar> {
    let count = match kind {
        Some(HeaderKind::Endpoint) => 6,
        Some(HeaderKind::Bridge) => 2,
        _ => 0,
    };
    let (mut bars, mut index) = (Vec::new(), 0);
    while index < count {
        let Some(low) = space.u32(0x10 + 4 * index) else { break };
        let high = space.u32(0x14 + 4 * index).filter(|_| index + 1 < count);
        let (bar, registers) = bar(index as u8, low, high);
        bars.extend(bar);
        index += registers;
    }
    bars
}

/// Decodes one Base Address Register; also how many registers it takes.
fn bar(index: u8, low: u32, high: Option<u32>) -> (Option<Bar>, u16) {
    if low == 0 || low == u32::MAX {
        return (None, 1);
    }
    if low & 1 == 1 {
        return (Some(Bar { index, kind: BarKind::Io, address: Some(u64::from(low & !3)), size: None }), 1);
    }
    let is_64 = low >> 1 & 3 == 2;
    let kind = BarKind::Memory { is_64, prefetchable: low & 8 != 0 };
    let address = u64::from(low & !0xf) | if is_64 { u64::from(high.unwrap_or(0)) << 32 } else { 0 };
    (Some(Bar { index, kind, address: Some(address), size: None }), if is_64 { 2 } else { 1 })
}
