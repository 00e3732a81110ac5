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
