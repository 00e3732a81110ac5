//! A line for some ports of a part: `at: { "down[2..3]": { port_cap: 800 MB/s } }`, or by a path as in
//! `switch.down[2].port_cap`.

use crate::figure::Figure;
use crate::source::Text;
use crate::written::which::Which;
use pcie::PayloadSize;

/// The name of an MPS set by hand for a port.
pub(crate) const SETPCI_MPS: &str = "setpci.mps";

/// The name of the address that a port has in the machine that is described.
pub(crate) const ADDRESS: &str = "address";

/// A line for some ports of a part.
#[derive(Clone, Debug)]
pub(crate) struct PortLine {
    /// The ports.
    pub which: Which,
    /// The path as written.
    pub name: Text,
    /// The value as written.
    pub value: Text,
    /// Its content.
    pub what: What,
}

/// The content of a line for ports.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A value of a field.
    Figure(Figure),
    /// Max_Payload_Size by hand.
    Mps(PayloadSize),
    /// Its address in the machine that is described.
    Address(String),
}

impl PortLine {
    /// The place of its value.
    pub fn place(&self) -> &crate::source::Place {
        &self.value.place
    }
    /// The name of its field.
    pub fn field(&self) -> &str {
        match &self.what {
            What::Figure(figure) => figure.field,
            What::Mps(_) => SETPCI_MPS,
            What::Address(_) => ADDRESS,
        }
    }
}

/// What an address looks like.
pub(crate) const ADDRESS_EXPECTS: &str = "the address of a function, as in `04:00.0` or `0000:04:00.0`";

/// True for `[DDDD:]BB:DD.F`, in hexadecimal digits.
pub(crate) fn is_address(text: &str) -> bool {
    let hex = |text: &str, most: u32| {
        let digits = !text.is_empty() && text.len() <= 8 && text.chars().all(|c| c.is_ascii_hexdigit());
        digits && u32::from_str_radix(text, 16).is_ok_and(|number| number <= most)
    };
    let Some((place, function)) = text.rsplit_once('.') else { return false };
    let all: Vec<&str> = place.split(':').collect();
    let (domain, bus, device) = match all.as_slice() {
        [bus, device] => ("0", *bus, *device),
        [domain, bus, device] => (*domain, *bus, *device),
        _ => return false,
    };
    hex(domain, u32::MAX)
        && bus.len() == 2
        && hex(bus, 0xff)
        && device.len() == 2
        && hex(device, 0x1f)
        && hex(function, 7)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_an_address_what_setpci_takes() {
        assert!(["04:00.0", "0000:04:1f.7", "10000:e1:00.0"].into_iter().all(is_address));
        for wrong in
            ["", "04:00", "4:0.0", "04:20.0", "04:00.8", "0:0:04:00.0", "zz:00.0", "04:00.0 ", "123456789:04:00.0"]
        {
            assert!(!is_address(wrong), "{wrong}");
        }
    }
}
