//! Counts the descriptors that software has given a channel, and those that the engine has reported done, from the
//! register writes that arrive and the records that leave. While the counts differ, a record may be pending in the
//! engine.

use crate::registers::{CONTROL, Channel, PUSH, RECORDS, RING, TAIL};

/// See the module.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ledger {
    control: u64,
    tail: u64,
    pushed: u64,
    /// Descriptors done, according to the last record.
    told: u64,
}

impl Ledger {
    /// `data` is written at offset `at` of the registers.
    pub fn note(&mut self, channel: Channel, at: u64, data: &[u8]) {
        let value = data.iter().take(8).rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
        match at.checked_sub(channel.base()) {
            // Enabling begins anew.
            Some(CONTROL) => *self = Ledger { control: value, ..Ledger::default() },
            Some(TAIL) => self.tail = value & 0xffff,
            Some(register) if pushes(register, data.len()) => self.pushed += 1,
            _ => {}
        }
    }

    /// A record leaves.
    pub fn recorded(&mut self, data: &[u8]) {
        if let Some(done) = data.get(8..12) {
            self.told = done.iter().rev().fold(0, |done, byte| done << 8 | u64::from(*byte));
        }
    }

    /// True where all descriptors are reported done.
    pub fn is_settled(&self) -> bool {
        if self.control & RECORDS == 0 {
            return true;
        }
        if self.control & RING == 0 {
            return self.told == self.pushed;
        }
        let mask = (1 << (self.control >> 8 & 0xf)) - 1;
        self.told & mask == self.tail & mask
    }
}

/// True where a write of `bytes` at `register` reaches the upper half of a descriptor's second word, which submits it.
fn pushes(register: u64, bytes: usize) -> bool {
    (register..register + bytes as u64).contains(&(PUSH + 12))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registers::{ENABLE, control};

    #[test]
    fn is_a_channel_settled_when_every_descriptor_is_in_a_record_and_not_before() {
        let channel = Channel::CardToHost;
        let mut ledger = Ledger::default();
        let note = |ledger: &mut Ledger, register: u64, value: u64| {
            ledger.note(channel, channel.base() + register, &value.to_le_bytes());
        };
        note(&mut ledger, CONTROL, control(ENABLE | RECORDS | RING, 4, 0, 1, 0));
        note(&mut ledger, TAIL, 3);
        assert!(!ledger.is_settled());
        let mut record = [0; 16];
        record[8] = 19;
        ledger.recorded(&record);
        assert!(ledger.is_settled(), "19 are 3 in the second round of a ring of 16");
        note(&mut ledger, CONTROL, control(ENABLE | RECORDS, 4, 0, 1, 0));
        note(&mut ledger, PUSH, 1);
        assert!(ledger.is_settled(), "half a descriptor");
        note(&mut ledger, PUSH + 8, 1);
        assert!(!ledger.is_settled());
    }
}
