//! Bus, device and function numbers: what a completion is routed by.

use std::fmt;

/// The Routing ID of a function: bus 0 to 255, device 0 to 31, function 0 to 7 (Transaction Layer, ID Based
/// Routing Rules).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bdf(u16);

impl Bdf {
    /// `None` where `device` is above 31 or `function` above 7.
    pub const fn new(bus: u8, device: u8, function: u8) -> Option<Bdf> {
        if device > 31 || function > 7 {
            return None;
        }
        Some(Bdf((bus as u16) << 8 | (device as u16) << 3 | function as u16))
    }
    /// From the 16 bits of a TLP header or of configuration space.
    pub const fn from_bits(bits: u16) -> Bdf {
        Bdf(bits)
    }
    /// As in a TLP header.
    pub const fn bits(self) -> u16 {
        self.0
    }
    /// 0 to 255.
    pub const fn bus(self) -> u8 {
        (self.0 >> 8) as u8
    }
    /// 0 to 31.
    pub const fn device(self) -> u8 {
        (self.0 >> 3) as u8 & 31
    }
    /// 0 to 7.
    pub const fn function(self) -> u8 {
        self.0 as u8 & 7
    }
}

impl fmt::Display for Bdf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:02x}:{:02x}.{}", self.bus(), self.device(), self.function()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bdf_prints_as_lspci_prints_it_and_refuses_what_does_not_exist() {
        assert_eq!(Bdf::new(3, 31, 7).map(|b| b.to_string()).as_deref(), Some("03:1f.7"));
        assert_eq!(Bdf::new(0, 32, 0), None);
        assert_eq!(Bdf::new(0, 0, 8), None);
    }
}
