//! A load of the guest from the card, which waits for its answer: the guest's processor runs no further without one.

use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// Clocks after which a register access that the engine does not answer reads all ones. Those in which what it sends waits for
/// the other card are not counted: that card's process may have no processor.
pub const ANSWER_CLOCKS: u64 = 20_000;
/// Until then that may last: the other card may take nothing for a reason of its own.
const HELD: Duration = Duration::from_secs(1);
/// A channel's register whose bit 0 says that it is busy.
const STATE: u64 = 0x40;

/// See the module.
pub struct Load {
    answer: SyncSender<Vec<u8>>,
    bytes: u64,
    /// Offset in its BAR.
    pub offset: u64,
    /// The clock at which it has waited long enough.
    until: u64,
    /// The time at which it has, whatever is not counted.
    latest: Instant,
}

/// What a clock is for a load that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    /// One of those that it may wait.
    Counted,
    /// One that is not counted: it may wait until this clock now.
    Uncounted(u64),
    /// One too many.
    TooLong,
}

impl Load {
    /// A load of so many bytes at an offset, from `now` on.
    pub fn new(answer: SyncSender<Vec<u8>>, (offset, bytes): (u64, u64), now: u64) -> Load {
        Load { answer, bytes, offset, until: now + ANSWER_CLOCKS, latest: Instant::now() + HELD }
    }

    /// The clock `now` has passed; with `held`, what the engine sends waits for the other card.
    pub fn waited(&mut self, now: u64, held: bool) -> Waited {
        if held && Instant::now() < self.latest {
            self.until += 1;
            return Waited::Uncounted(self.until);
        }
        if self.until <= now { Waited::TooLong } else { Waited::Counted }
    }

    /// The registers of the channel whose state it loads, by their offset.
    pub fn channel(&self) -> Option<u64> {
        let is_state = (0x100..0x1000).contains(&self.offset) && self.offset & 0xff == STATE;
        is_state.then(|| self.offset - STATE)
    }

    /// Answers it: all ones where `data` is not what was asked for. With `busy`, the state of a channel says that.
    pub fn answer(self, data: &[u8], busy: bool) {
        let mut data = if data.len() as u64 == self.bytes { data.to_vec() } else { vec![0xff; self.bytes as usize] };
        if let Some(first) = data.first_mut().filter(|_| busy) {
            *first |= 1;
        }
        // A guest that is gone takes no answer.
        let _ = self.answer.send(data);
    }
}
