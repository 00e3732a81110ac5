//! What is said of a machine in another form than a list of functions, in one text with such a list or alone: the tree that
//! `lspci -t` draws, lines of the kernel's log (available bandwidth of a new device, AER), and the link section of `nvidia-smi -q`.
//!
//! Not a log reader: every other line is left to [`crate::lspci`]. What is told of a function is what one program saw once; a
//! register of the same text is newer or says the same.

mod drawing;
mod log;
mod smi;

use crate::machine::Machine;

/// What was told in a text.
#[derive(Default)]
pub struct Sayings {
    drawing: drawing::Drawing,
    log: log::Log,
    smi: smi::Section,
}

impl Sayings {
    /// Takes what is told out of a text: these lines are empty in the text that is returned.
    pub fn take(&mut self, text: &str) -> String {
        let mut is_told = |line: &str| self.drawing.line(line) || self.log.line(line) || self.smi.line(line);
        let rest: Vec<&str> = text.lines().map(|line| if is_told(line) { "" } else { line }).collect();
        rest.join("\n")
    }

    /// Adds it to a machine: functions that nothing else names, and what registers do not say.
    pub fn fill(self, machine: &mut Machine) {
        self.drawing.told(machine);
        let log = self.log.told(machine);
        machine.told = log.into_iter().chain(self.smi.told(machine)).collect();
    }
}
