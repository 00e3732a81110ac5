//! A line about ports of a part: `at: { "down[2..3]": { port_cap: 800 MB/s } }`, or by a path as in `switch.down[2].port_cap`.

use crate::figure::Figure;
use crate::source::Text;
use crate::written::which::Which;
use pcie::PayloadSize;

/// What an administrator sets of a port.
pub(crate) const SETPCI_MPS: &str = "setpci.mps";

/// A line about ports.
#[derive(Clone, Debug)]
pub(crate) struct PortLine {
    /// Of which.
    pub which: Which,
    /// As it was written: the path, and the value.
    pub name: Text,
    /// See `name`.
    pub value: Text,
    /// What it says.
    pub what: What,
}

/// What is said of a port.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A field of its own.
    Figure(Figure),
    /// Max_Payload_Size by hand.
    Mps(PayloadSize),
}

impl PortLine {
    /// Where its value is written.
    pub fn place(&self) -> &crate::source::Place {
        &self.value.place
    }
    /// Which field.
    pub fn field(&self) -> &str {
        match &self.what {
            What::Figure(figure) => figure.field,
            What::Mps(_) => SETPCI_MPS,
        }
    }
}
