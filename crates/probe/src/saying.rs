//! What other programs have said of a function; [`crate::told`] reads it.

use crate::address::Address;
use crate::link_rate::LinkRate;
use pcie::config::Speed;
use std::collections::BTreeMap;

/// What was told of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The function.
    pub at: Address,
    /// What was said.
    pub what: Saying,
}

/// A saying of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum Saying {
    /// The kernel's `available PCIe bandwidth, limited by` (`drivers/pci/pci.c`, `__pcie_print_link_status`).
    Limited {
        /// The function whose link is the slowest on the way.
        by: Address,
        /// That link.
        now: LinkRate,
        /// The maximum of the device.
        able: LinkRate,
    },
    /// The kernel's `PCIe Bus Error` lines of one function (`drivers/pci/pcie/aer.c`).
    Errors(Errors),
    /// `nvidia-smi -q`.
    Gpu {
        /// `Replays Since Reset`.
        replays: u64,
        /// `Replay Number Rollovers`.
        rollovers: u64,
        /// The speed of the port above at most, `Host Max`.
        host: Option<Speed>,
    },
}

/// Errors that the kernel's log names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Errors {
    /// How often each was named, by the kernel's name.
    pub named: BTreeMap<String, u64>,
    /// The severities: `Corrected`, `Uncorrected (Fatal)` and so on.
    pub severities: BTreeMap<String, u64>,
    /// Times of the first and the last line, in seconds, if lines have them.
    pub times: Option<(f64, f64)>,
    /// True where the kernel says that more of them came at once than it names.
    pub several: bool,
}
