//! The address of a function: its domain and its Bdf.

use pcie::Bdf;
use std::fmt;
use std::str::FromStr;

/// Domain (Segment Group), bus, device and function. Domains above ffff exist: Linux numbers the domains of
/// Intel VMD from 10000 (hex) on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Address {
    /// The domain; 0 if a text leaves it out.
    pub domain: u32,
    /// Bus, device and function.
    pub bdf: Bdf,
}

impl Address {
    /// An address in domain 0.
    pub fn new(bdf: Bdf) -> Address {
        Address { domain: 0, bdf }
    }
}

/// Always with the domain, as in sysfs.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:04x}:{}", self.domain, self.bdf))
    }
}

/// The error for a text that is not an address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no address of a function: `0000:3b:00.0` or `3b:00.0` is")]
pub struct AddressError(String);

impl FromStr for Address {
    type Err = AddressError;
    fn from_str(text: &str) -> Result<Address, AddressError> {
        let read = pcie::bdf::address(text).ok_or_else(|| AddressError(text.to_string()));
        read.map(|(domain, bdf)| Address { domain, bdf })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_an_address_read_with_and_without_its_domain() {
        let short: Address = "3b:00.0".parse().unwrap();
        assert_eq!(short.to_string(), "0000:3b:00.0");
        assert_eq!("0000:3b:00.0".parse(), Ok(short));
        let vmd: Address = "10000:e1:1f.7".parse().unwrap();
        assert_eq!((vmd.domain, vmd.to_string().as_str()), (0x10000, "10000:e1:1f.7"));
    }

    #[test]
    fn is_what_is_no_address_refused() {
        for text in
            ["", "3b:00", "3b:20.0", "3b:00.8", "b:00.0", "3b:0.0", "x:3b:00.0", ":3b:00.0", "+3b:00.0", "3b:00.é"]
        {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
