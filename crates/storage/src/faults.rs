//! Drives that fail: one command with an error, one that is answered late, or none that is answered any more.

use pcie::Time;

system::words! {
    /// What goes wrong in a drive.
    pub enum Fault {
        /// Nothing.
        Nothing = "none",
        /// One command ends with an error: an unrecovered read error, or a write fault.
        Error = "error",
        /// One command is answered late.
        Late = "late",
        /// From one command on, none is answered.
        Silence = "silence",
    }
}

/// What happens to a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is carried out.
    #[default]
    Well,
    /// It ends with an error.
    Fails,
    /// It is answered so much later.
    Late(Time),
    /// It and all after it are not answered.
    Lost,
}

/// Decides the fate of commands, in the order in which the drive takes them up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fates {
    fault: Fault,
    /// Commands that go well before.
    left: u64,
    delay: Time,
}

impl Fates {
    /// `fault` with the command after `after` others; a late one is answered `delay` later.
    pub fn new(fault: Fault, after: u64, delay: Time) -> Fates {
        Fates { fault, left: after, delay }
    }

    /// The fate of the next command.
    pub fn next(&mut self) -> Fate {
        if self.fault == Fault::Nothing {
            return Fate::Well;
        }
        if self.left > 0 {
            self.left -= 1;
            return Fate::Well;
        }
        match self.fault {
            Fault::Silence => return Fate::Lost,
            Fault::Nothing => return Fate::Well,
            Fault::Error | Fault::Late => {}
        }
        match std::mem::replace(&mut self.fault, Fault::Nothing) {
            Fault::Error => Fate::Fails,
            _ => Fate::Late(self.delay),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_one_command_fail_and_do_all_after_silence() {
        let all = |fault| {
            let mut fates = Fates::new(fault, 1, Time::from_us(3));
            [fates.next(), fates.next(), fates.next()]
        };
        assert_eq!(all(Fault::Nothing), [Fate::Well; 3]);
        assert_eq!(all(Fault::Error), [Fate::Well, Fate::Fails, Fate::Well]);
        assert_eq!(all(Fault::Late), [Fate::Well, Fate::Late(Time::from_us(3)), Fate::Well]);
        assert_eq!(all(Fault::Silence), [Fate::Well, Fate::Lost, Fate::Lost]);
    }
}
