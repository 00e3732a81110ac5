//! Configuration space written byte by byte from the register layouts of the standard (Type 0 and Type 1
//! Configuration Space Header, PCI Express Capability Structure, Advanced Error Reporting, Access Control Services).
//! Shares nothing with the decoder that is tested against it.

use super::function::{Aer, Express, Function, Link, Other, PortType};

/// Bytes of the configuration space of a PCI Express function.
pub const BYTES: usize = 4096;

/// A configuration space with a list of capabilities and a list of extended capabilities, both extensible.
struct Space {
    bytes: Vec<u8>,
    next: usize,
    last: usize,
    next_extended: usize,
    last_extended: usize,
}

/// All 4096 bytes of a function; zero beyond 256 where it is no PCI Express function.
pub fn encode(function: &Function) -> Vec<u8> {
    let mut space = Space { bytes: vec![0; BYTES], next: 0x40, last: 0, next_extended: 0x100, last_extended: 0 };
    header(&mut space, function);
    for other in function.others.iter().filter(|o| !o.is_extended()) {
        space.other(*other);
    }
    if let Some(express) = &function.express {
        express_capability(&mut space, express);
    }
    if let Some(aer) = &function.aer {
        aer_capability(&mut space, aer, function.buses.is_some());
    }
    if let Some((capability, control)) = function.acs {
        let at = space.extended(0x000d, 1, 8);
        space.put16(at + 4, capability);
        space.put16(at + 6, control);
    }
    for other in function.others.iter().filter(|o| o.is_extended()) {
        space.other(*other);
    }
    space.bytes
}

fn header(space: &mut Space, function: &Function) {
    space.put16(0x00, function.id.0);
    space.put16(0x02, function.id.1);
    space.put16(0x04, 0x0406); // memory, bus master, no INTx
    space.put16(0x06, if function.express.is_some() || !function.others.is_empty() { 0x0010 } else { 0 });
    space.put32(0x08, function.class << 8 | 0x01);
    let kind = u8::from(function.buses.is_some());
    space.bytes[0x0e] = kind | if function.multi { 0x80 } else { 0 };
    match function.buses {
        Some((secondary, subordinate)) => {
            space.bytes[0x18..0x1b].copy_from_slice(&[function.bdf.0, secondary, subordinate]);
            space.put32(0x20, 0x0000_fff0); // no memory behind
            space.put32(0x24, 0x0001_fff1);
        }
        None => {
            space.put16(0x2c, function.subsystem.0);
            space.put16(0x2e, function.subsystem.1);
            // A 64-bit memory BAR, where firmware put it.
            space.put32(0x10, 0xe000_0004 | u32::from(function.bdf.0) << 20);
        }
    }
}

fn express_capability(space: &mut Space, express: &Express) {
    let at = space.capability(0x10, 0x3c);
    let slot = express.slot;
    space.put16(at + 0x02, 2 | (express.port_type as u16) << 4 | u16::from(slot.is_some()) << 8);
    let (supported, set) = express.payload;
    let (tags, tags_on) = express.ext_tag;
    space.put32(at + 0x04, u32::from(supported) | u32::from(tags) << 5 | 1 << 15);
    let control = u16::from(express.relaxed) << 4
        | u16::from(set) << 5
        | u16::from(tags_on) << 8
        | 1 << 11
        | u16::from(express.read_request) << 12;
    space.put16(at + 0x08, control | 0x0007);
    space.put16(at + 0x0a, u16::from(express.status & 0x0f));
    if let Some(link) = &express.link {
        link_registers(space, at, link, express.port_type);
    }
    if let Some(slot) = slot {
        let hot = if slot.hot_plug { 0x60 } else { 0 };
        space.put32(at + 0x14, hot | u32::from(slot.number) << 19);
        space.put16(at + 0x1a, if slot.present { 0x0040 } else { 0 });
    }
    // Completion Timeout ranges and disable, LTR, 10-bit tag completer.
    space.put32(at + 0x24, 0x0001_081f);
}

fn link_registers(space: &mut Space, at: usize, link: &Link, port_type: PortType) {
    let down = matches!(port_type, PortType::Root | PortType::Downstream);
    let capability = u32::from(link.max_speed)
        | u32::from(link.max_width) << 4
        | u32::from(link.aspm.0) << 10
        | u32::from(down) << 20
        | u32::from(down) << 21
        | 1 << 22
        | u32::from(link.port) << 24;
    space.put32(at + 0x0c, capability);
    space.put16(at + 0x10, u16::from(link.aspm.1) | 0x0040);
    let active = u16::from(link.active && down) << 13;
    space.put16(at + 0x12, u16::from(link.speed) | u16::from(link.width) << 4 | 1 << 12 | active);
    // Supported Link Speeds Vector: bit 1 is 2.5 GT/s.
    space.put32(at + 0x2c, (0xff >> (8 - link.max_speed.min(7))) << 1);
    space.put16(at + 0x30, u16::from(link.target));
}

fn aer_capability(space: &mut Space, aer: &Aer, root: bool) {
    let at = space.extended(0x0001, 2, if root { 0x48 } else { 0x2c });
    space.put32(at + 0x04, aer.uncorrectable);
    space.put32(at + 0x0c, 0x0046_2030);
    space.put32(at + 0x10, aer.correctable);
    space.put32(at + 0x14, 0x0000_2000);
    space.put32(at + 0x18, 0x0000_00a0);
}

impl Other {
    fn is_extended(self) -> bool {
        !matches!(self, Other::Power | Other::Msi | Other::MsiX | Other::Vendor)
    }
}

impl Space {
    fn put16(&mut self, at: usize, value: u16) {
        self.bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
    fn put32(&mut self, at: usize, value: u32) {
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    /// Appends a capability of `bytes` to the list.
    fn capability(&mut self, id: u8, bytes: usize) -> usize {
        let at = self.next;
        self.next = (at + bytes).next_multiple_of(4);
        self.bytes[if self.last == 0 { 0x34 } else { self.last + 1 }] = at as u8;
        self.bytes[at] = id;
        self.last = at;
        at
    }
    /// Appends an extended capability to its list.
    fn extended(&mut self, id: u16, version: u8, bytes: usize) -> usize {
        let at = self.next_extended;
        self.next_extended = (at + bytes).next_multiple_of(0x10);
        if self.last_extended != 0 {
            let before = u16::from_le_bytes([self.bytes[self.last_extended + 2], self.bytes[self.last_extended + 3]]);
            self.put16(self.last_extended + 2, before & 0x000f | (at as u16) << 4);
        }
        self.put16(at, id);
        self.put16(at + 2, u16::from(version));
        self.last_extended = at;
        at
    }
    fn other(&mut self, other: Other) {
        match other {
            Other::Power => {
                let at = self.capability(0x01, 8);
                self.put16(at + 2, 0x0003);
            }
            Other::Msi => {
                let at = self.capability(0x05, 0x0e);
                self.put16(at + 2, 0x0080);
            }
            Other::MsiX => {
                let at = self.capability(0x11, 12);
                self.put16(at + 2, 0x8010);
                self.put32(at + 4, 0x2000);
                self.put32(at + 8, 0x3000);
            }
            Other::Vendor => {
                let at = self.capability(0x09, 12);
                self.bytes[at + 2] = 12;
            }
            Other::Serial => {
                let at = self.extended(0x0003, 1, 12);
                self.put32(at + 4, 0xdead_beef);
                self.put32(at + 8, 0x0123_4567);
            }
            Other::L1Substates => {
                let at = self.extended(0x001e, 1, 16);
                self.put32(at + 4, 0x0028_281f);
            }
            Other::Ltr => {
                let at = self.extended(0x0018, 1, 8);
                self.put32(at + 4, 0x1003_1003);
            }
            Other::Secondary => {
                self.extended(0x0019, 1, 0x2c);
            }
            Other::Dpc => {
                let at = self.extended(0x001d, 1, 0x0c);
                self.put16(at + 4, 0x0060);
            }
            Other::Ari => {
                self.extended(0x000e, 1, 8);
            }
            Other::Physical16 => {
                self.extended(0x0026, 1, 0x30);
            }
            Other::DataLinkFeature => {
                let at = self.extended(0x0025, 1, 12);
                self.put32(at + 4, 0x8000_0001);
            }
            Other::Thunderbolt => {
                let at = self.extended(0x000b, 1, 0x1c);
                self.put32(at + 4, 0x01c1_1234);
            }
            Other::Unknown => {
                self.extended(0x7ace, 1, 16);
            }
        }
    }
}
