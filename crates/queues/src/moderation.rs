//! Interrupts that several completions share.

use pcie::Time;

/// When software is told of completions: after `most` of them, or `within` a time after the first that it has not been told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moderation {
    most: u64,
    within: Time,
    untold: u64,
    due: Time,
}

/// What a completion does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tell {
    /// Software is told at once.
    Now,
    /// It is told at this time at the latest: the device looks then, with [`Moderation::is_due`].
    By(Time),
    /// It will be told with one before.
    Later,
}

impl Moderation {
    /// One for each `most` completions, and no later than `within` the first of them.
    pub fn new(most: u64, within: Time) -> Moderation {
        Moderation { most: most.max(1), within, untold: 0, due: Time::NEVER }
    }

    /// A command has ended at `now`.
    pub fn ended(&mut self, now: Time) -> Tell {
        self.untold += 1;
        match self.untold {
            all if all >= self.most => Tell::Now,
            1 => {
                self.due = now + self.within;
                Tell::By(self.due)
            }
            _ => Tell::Later,
        }
    }

    /// True where software waits for an interrupt that is due at `now`.
    pub fn is_due(&self, now: Time) -> bool {
        self.untold > 0 && self.due <= now
    }

    /// Software has been told of all.
    pub fn told(&mut self) {
        self.untold = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_is_software_told_of_completions() {
        let us = Time::from_us;
        let mut each = Moderation::new(1, us(10));
        assert_eq!(each.ended(us(1)), Tell::Now);
        let mut third = Moderation::new(3, us(10));
        assert!(!third.is_due(us(100)), "nobody waits");
        assert_eq!((third.ended(us(1)), third.ended(us(2))), (Tell::By(us(11)), Tell::Later));
        assert!(!third.is_due(us(10)) && third.is_due(us(11)));
        assert_eq!(third.ended(us(3)), Tell::Now);
        third.told();
        assert!(!third.is_due(us(11)), "it was told before");
        assert_eq!(third.ended(us(12)), Tell::By(us(22)));
    }
}
