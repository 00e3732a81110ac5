//! What other programs say of a machine, in one text with what `lspci` prints or alone: lines of the kernel's log (available
//! bandwidth of a new device, AER), and the link section of `nvidia-smi -q`.
//!
//! Not a log reader: every other line is left to [`crate::lspci`]. What is told of a function is what one program saw once; a
//! register of the same text is newer or says the same.

mod log;
mod smi;

use crate::machine::Machine;

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
