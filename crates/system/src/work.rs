//! The work of a drive: which commands software keeps in its queues.

use crate::field::FieldType;
use crate::pattern::{Order, Pattern, mixed};
use pcie::Bytes;

/// The commands of a flow of a drive. Each job has a queue of its own, and keeps `depth` commands in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    /// Commands that each job keeps in its queue, until it has given its last one.
    pub depth: u64,
    /// Threads that submit commands, each with its own queue.
    pub jobs: u64,
    /// Which blocks of the drive its commands take.
    pub order: Order,
    /// Bytes of the drive that they take them from, from its start on.
    pub span: Bytes,
}

impl Default for Work {
    fn default() -> Work {
        Work { depth: 1, jobs: 1, order: Order::Sequential, span: Bytes(16 << 30) }
    }
}

/// The most commands in a queue: a queue of the standard has 65536 entries, one of which stays empty (NVM Express Base
/// Specification, Queue Size).
const MOST_DEPTH: u64 = 65_535;
/// The most queues of a controller (NVM Express Base Specification, I/O queues).
const MOST_JOBS: u64 = 1024;

impl Work {
    /// The words of an experiment that describe work besides those of a pattern.
    pub(crate) const KEYS: [&str; 2] = ["queue_depth", "jobs"];

    /// Sets `queue_depth` or `jobs`.
    ///
    /// # Errors
    /// What would be legal.
    pub(crate) fn set(&mut self, key: &str, text: &str) -> Result<(), &'static str> {
        let number = |most: u64| u64::parse(text).filter(|number| (1..=most).contains(number));
        match key {
            "jobs" => self.jobs = number(MOST_JOBS).ok_or("1 to 1024 threads that submit commands")?,
            _ => self.depth = number(MOST_DEPTH).ok_or("1 to 65535 commands in each queue")?,
        }
        Ok(())
    }

    /// The same work in the order of `pattern`, and in its window where that is not the usual one of a buffer.
    pub(crate) fn in_order_of(self, pattern: Option<Pattern>) -> Work {
        let Some(Pattern { order, window, .. }) = pattern else { return self };
        let usual = window == Pattern::default().window;
        Work { order, span: if usual { self.span } else { window }, ..self }
    }

    /// Commands in flight in all queues.
    pub fn in_flight(&self) -> u64 {
        self.depth * self.jobs
    }

    /// The first byte on the drive of command number `k`, each of `command` bytes.
    pub fn start(&self, command: u64, k: u64) -> u64 {
        let places = (self.span.0 / command.max(1)).max(1);
        let place = match self.order {
            Order::Sequential => k,
            Order::Random => mixed(k),
        };
        place % places * command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_blocks_do_commands_take() {
        let work = Work { span: Bytes(10_000), ..Work::default() };
        assert_eq!((0..4).map(|k| work.start(4096, k)).collect::<Vec<_>>(), [0, 4096, 0, 4096]);
        let random = Work { order: Order::Random, span: Bytes(1 << 20), ..work };
        assert!((0..1000).all(|k| random.start(4096, k) < 1 << 20 && random.start(4096, k).is_multiple_of(4096)));
        assert_eq!(Work { depth: 32, jobs: 4, ..work }.in_flight(), 128);
    }
}
