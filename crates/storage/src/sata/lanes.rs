//! The lanes between an adapter and an expander, which FISes of all drives pass.

use super::port::Event;
use std::collections::VecDeque;

/// A drive: its port, and its number among the members of an array there.
pub(super) type DriveAt = (u32, u32);

/// Lanes, each of which one drive has for a FIS. Drives whose FISes wait have them in turn.
pub(super) struct Lanes {
    free: u64,
    waiting: VecDeque<DriveAt>,
    /// By port and member: bytes of its FISes, the one under way first, and what happens at their ends.
    fises: Vec<Vec<VecDeque<(u64, Event)>>>,
}

impl Lanes {
    /// So many lanes, for `ports` with so many members each.
    pub fn new(lanes: u64, ports: usize, members: usize) -> Lanes {
        Lanes { free: lanes, waiting: VecDeque::new(), fises: vec![vec![VecDeque::new(); members]; ports] }
    }

    fn of(&mut self, (port, member): DriveAt) -> &mut VecDeque<(u64, Event)> {
        &mut self.fises[port as usize][member as usize]
    }

    /// Adds a FIS with `bytes` of data, at whose end `then` happens.
    pub fn add(&mut self, drive: DriveAt, bytes: u64, then: Event) {
        let of = self.of(drive);
        of.push_back((bytes, then));
        if of.len() == 1 {
            self.waiting.push_back(drive);
        }
    }

    /// The next FIS that takes a lane: its drive and its bytes.
    pub fn next(&mut self) -> Option<(DriveAt, u64)> {
        if self.free == 0 {
            return None;
        }
        let drive = self.waiting.pop_front()?;
        let &(bytes, _) = self.of(drive).front()?;
        self.free -= 1;
        Some((drive, bytes))
    }

    /// The FIS of a drive has passed. Returns what happens then.
    pub fn passed(&mut self, drive: DriveAt) -> Option<Event> {
        let of = self.of(drive);
        let (_, then) = of.pop_front()?;
        let more = !of.is_empty();
        self.free += 1;
        if more {
            self.waiting.push_back(drive);
        }
        Some(then)
    }
}
