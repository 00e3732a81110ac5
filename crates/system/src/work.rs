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
    /// Cores of the host that the jobs of all drives share, each running one job at a time; `None` where each job has a core
    /// of its own.
    pub cores: Option<u64>,
    /// Percent of the commands that read, where a job mixes reads and writes; `None` where the operation of the flow says it.
    pub read_share: Option<u64>,
}

impl Default for Work {
    fn default() -> Work {
        Work { depth: 1, jobs: 1, order: Order::Sequential, span: Bytes(16 << 30), cores: None, read_share: None }
    }
}

/// The most commands in a queue: a queue of the standard has 65536 entries, one of which stays empty (NVM Express Base
/// Specification, Queue Size).
const MOST_DEPTH: u64 = 65_535;
/// The most queues of a controller (NVM Express Base Specification, I/O queues).
const MOST_JOBS: u64 = 1024;

impl Work {
    /// The words of an experiment that describe work besides those of a pattern.
    pub(crate) const KEYS: [&str; 4] = ["queue_depth", "jobs", "cores", "read_share"];

    /// Sets what one of [`Work::KEYS`] names.
    ///
    /// # Errors
    /// What would be legal.
    pub(crate) fn set(&mut self, key: &str, text: &str) -> Result<(), &'static str> {
        let number = |most: u64| u64::parse(text).filter(|number| (1..=most).contains(number));
        match key {
            "cores" => self.cores = Some(number(MOST_JOBS).ok_or("1 to 1024 cores that all jobs share")?),
            "read_share" => self.read_share = Some(percent(text).ok_or("0 to 100, the percent of commands that read")?),
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

    /// True where command number `k` of a job reads: as many of the first commands as `read_share` says, spread evenly. Where
    /// nothing is mixed, all do.
    pub fn reads(&self, k: u64) -> bool {
        let share = u128::from(self.read_share.unwrap_or(100));
        let before = |k: u128| k * share / 100;
        before(u128::from(k) + 1) > before(u128::from(k))
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

/// A share, as in `70` or `70%`.
fn percent(text: &str) -> Option<u64> {
    u64::parse(text.strip_suffix('%').unwrap_or(text).trim_end()).filter(|&percent| percent <= 100)
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

    #[test]
    fn are_as_many_commands_reads_as_the_share_says_at_each_point() {
        let mut work = Work::default();
        assert!((0..100).all(|k| work.reads(k)));
        for share in [0, 1, 30, 50, 70, 99, 100] {
            work.set("read_share", &format!("{share}%")).unwrap();
            for all in [100, 1000, 12_300] {
                assert_eq!((0..all).filter(|&k| work.reads(k)).count() as u64, all * share / 100);
            }
        }
        assert!(work.set("read_share", "101").is_err() && work.set("cores", "0").is_err());
    }
}
