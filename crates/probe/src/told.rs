//! What other programs say of a machine, in one text with what `lspci` prints or alone: lines of the kernel's log (available
//! bandwidth of a new device, AER), and the link section of `nvidia-smi -q`.
//!
//! Not a log reader: every other line is left to [`crate::lspci`]. What is told of a function is what one program saw once; a
//! register of the same text is newer or says the same.

mod log;
mod smi;

use crate::address::Address;
use crate::function::{Function, Reach};
use crate::link_rate::LinkRate;
use crate::machine::Machine;
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

/// What was told in a text.
#[derive(Default)]
pub struct Sayings {
    log: log::Log,
    smi: smi::Section,
}

impl Sayings {
    /// Takes what is told out of a text: these lines are empty in the text that is returned.
    pub fn take(&mut self, text: &str) -> String {
        let rest: Vec<&str> =
            text.lines().map(|line| if self.log.line(line) || self.smi.line(line) { "" } else { line }).collect();
        rest.join("\n")
    }

    /// Adds it to a machine: functions that nothing else names, and what registers do not say.
    pub fn fill(self, machine: &mut Machine) {
        let log = self.log.told(machine);
        machine.told = log.into_iter().chain(self.smi.told(machine)).collect();
    }
}

/// The function at an address, which may be known by its name alone.
fn function(machine: &mut Machine, address: Address) -> &mut Function {
    let named = || Function { address, reach: Reach::Printed, ..Function::default() };
    machine.functions.entry(address).or_insert_with(named)
}
