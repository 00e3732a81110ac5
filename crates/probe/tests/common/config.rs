//! Configuration spaces, built byte by byte.

/// A configuration space of 4096 bytes that is being filled.
#[derive(Clone)]
pub struct Config {
    /// The bytes.
    pub bytes: Vec<u8>,
    last: usize,
    last_extended: Option<usize>,
}

impl Config {
    /// An endpoint with its ids and class.
    pub fn endpoint(vendor: u16, device: u16, class: u16) -> Config {
        let mut config = Config { bytes: vec![0; 4096], last: 0x34, last_extended: None };
        config.u16(0x00, vendor).u16(0x02, device).u16(0x04, 0x0406).u16(0x06, 0x0010).u16(0x0a, class);
        config
    }
    /// A bridge with its ids and bus numbers.
    pub fn bridge(vendor: u16, device: u16, buses: [u8; 3]) -> Config {
        let mut config = Config::endpoint(vendor, device, 0x0604);
        config.bytes[0x0e] = 1;
        config.bytes[0x18..0x1b].copy_from_slice(&buses);
        config
    }
    /// Sets two bytes.
    pub fn u16(&mut self, at: usize, value: u16) -> &mut Config {
        self.bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
        self
    }
    /// Sets four bytes.
    pub fn u32(&mut self, at: usize, value: u32) -> &mut Config {
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        self
    }
    /// Adds an entry to the list of capabilities.
    pub fn capability(&mut self, at: usize, id: u8) -> &mut Config {
        self.bytes[self.last] = at as u8;
        self.bytes[at] = id;
        self.last = at + 1;
        self
    }
    /// Adds an entry to the list of extended capabilities; the first one must be at 100h.
    pub fn extended(&mut self, at: usize, id: u16, version: u32) -> &mut Config {
        if let Some(last) = self.last_extended {
            let header = u32::from_le_bytes(self.bytes[last..last + 4].try_into().unwrap());
            self.u32(last, header | (at as u32) << 20);
        }
        self.last_extended = Some(at);
        self.u32(at, u32::from(id) | version << 16)
    }
    /// Adds the PCI Express capability at 40h, version 2. `kind`: port type. `can`, `now`: speed code and width, supported
    /// and current. `payload`: supported MPS, set MPS and set MRRS, encoded.
    pub fn express(&mut self, kind: u16, can: (u32, u32), now: (u16, u16), payload: (u32, u16, u16)) -> &mut Config {
        self.capability(0x40, 0x10).u16(0x42, 2 | kind << 4);
        self.u32(0x44, payload.0 | 1 << 5 | 1 << 15).u16(0x48, payload.1 << 5 | payload.2 << 12 | 1 << 8 | 1 << 4);
        self.u32(0x4c, can.0 | can.1 << 4 | 3 << 10 | 1 << 20).u16(0x52, now.0 | now.1 << 4 | 1 << 13);
        self.u32(0x6c, ((1 << can.0) - 1) << 1).u16(0x70, can.0 as u16)
    }
    /// Adds AER at 100h with its two status registers.
    pub fn aer(&mut self, correctable: u32, uncorrectable: u32) -> &mut Config {
        self.extended(0x100, 1, 2).u32(0x104, uncorrectable).u32(0x110, correctable)
    }
    /// The bytes as `lspci -xxxx` prints them.
    pub fn hex(&self, address: &str) -> String {
        let line = |(index, bytes): (usize, &[u8])| {
            let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{:02x}: {}\n", index * 16, bytes.join(" "))
        };
        let lines: String = self.bytes.chunks(16).enumerate().map(line).collect();
        format!("{address} Device\n{lines}\n")
    }
}
