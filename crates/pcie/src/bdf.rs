//! Bus, device and function numbers, by which completions are routed.

use std::fmt;

/// The Routing ID of a function (Transaction Layer, ID Based Routing Rules): bus 0 to 255, device 0 to 31, function 0
/// to 7, together with its Segment Group. A TLP header carries the Routing ID only. A machine with more than 256 buses
/// has several Segment Groups: one for each root complex, or one for each root port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bdf(u32);

impl Bdf {
    /// `None` where `device` is above 31 or `function` above 7.
    pub const fn new(bus: u8, device: u8, function: u8) -> Option<Bdf> {
        if device > 31 || function > 7 {
            return None;
        }
        Some(Bdf((bus as u32) << 8 | (device as u32) << 3 | function as u32))
    }
    /// The same Routing ID in another Segment Group than 0.
    pub const fn in_segment(self, segment: u16) -> Bdf {
        Bdf((segment as u32) << 16 | self.bits() as u32)
    }
    /// Decodes the 16 bits of a TLP header or of configuration space; Segment Group 0.
    pub const fn from_bits(bits: u16) -> Bdf {
        Bdf(bits as u32)
    }
    /// The 16 bits of a TLP header.
    pub const fn bits(self) -> u16 {
        self.0 as u16
    }
    /// The Segment Group; 0 in most machines.
    pub const fn segment(self) -> u16 {
        (self.0 >> 16) as u16
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
        let id = format!("{:02x}:{:02x}.{}", self.bus(), self.device(), self.function());
        if self.segment() == 0 { f.pad(&id) } else { f.pad(&format!("{:04x}:{id}", self.segment())) }
    }
}

/// Domain and ID of `[DDDD:]BB:DD.F`, in hexadecimal digits, as `lspci` prints them and `setpci -s` takes them. Domains above
/// ffff exist, which are no Segment Groups: Linux numbers those of Intel VMD from 10000 on.
pub fn address(text: &str) -> Option<(u32, Bdf)> {
    let (rest, function) = text.rsplit_once('.')?;
    let (rest, device) = rest.rsplit_once(':')?;
    let (domain, bus) = rest.rsplit_once(':').unwrap_or(("0", rest));
    let hex = |text: &str, digits: std::ops::RangeInclusive<usize>| {
        let fits = digits.contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
        fits.then(|| u32::from_str_radix(text, 16).ok()).flatten()
    };
    let bdf = Bdf::new(
        u8::try_from(hex(bus, 2..=2)?).ok()?,
        u8::try_from(hex(device, 2..=2)?).ok()?,
        u8::try_from(hex(function, 1..=1)?).ok()?,
    )?;
    Some((hex(domain, 1..=8)?, bdf))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bdf_prints_as_lspci_prints_it_and_refuses_what_does_not_exist() {
        assert_eq!(Bdf::new(3, 31, 7).map(|b| b.to_string()).as_deref(), Some("03:1f.7"));
        let elsewhere = Bdf::new(3, 31, 7).map(|b| b.in_segment(0x1f));
        assert_eq!(elsewhere.map(|b| (b.to_string(), b.bits())), Some(("001f:03:1f.7".to_string(), 0x03ff)));
        assert_eq!(Bdf::new(0, 32, 0), None);
        assert_eq!(Bdf::new(0, 0, 8), None);
    }
}
