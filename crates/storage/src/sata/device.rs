//! A drive behind its SATA link: where its arm is, what its cache holds, and when it has moved what it was asked for.

use super::params::{COMMAND_FIS_BYTES, Device, SataParams};
use pcie::Time;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Drive {
    params: SataParams,
    /// When the media, or each unit of an SSD, is free.
    free: Vec<Time>,
    /// When the datapath behind the units is free.
    path: Time,
    /// When the SATA link is free.
    wire: Time,
    /// Where the next byte in order is.
    next: u64,
    /// How many times the arm has moved; half a turn is waited for on average.
    moves: u64,
    /// Bytes in the cache that are not written, or have their room.
    held: u64,
}

impl Drive {
    /// A drive at rest.
    pub fn new(params: &SataParams) -> Drive {
        let units = if params.device == Device::Ssd { params.units.0.max(1) } else { 1 };
        let free = vec![Time::ZERO; units as usize];
        Drive { params: params.clone(), free, path: Time::ZERO, wire: Time::ZERO, next: 0, moves: 0, held: 0 }
    }

    /// The time that the media takes to move `bytes` at `at`.
    fn moved(&self, at: u64, bytes: u64, reads: bool) -> Time {
        Time::from_secs_f64(bytes as f64 / self.params.rate_at(at, reads).0).unwrap_or(Time::FAR)
    }

    /// What it takes to come to `at` from where the drive is.
    fn position(&mut self, at: u64) -> Time {
        if at == self.next || self.params.device == Device::Ssd {
            return Time::ZERO;
        }
        self.moves += 1;
        self.params.moved_arm(at.abs_diff(self.next), self.moves)
    }

    /// A command of `bytes` at `at` has come over the link. Returns when its first data begins to move.
    pub fn read(&mut self, now: Time, at: u64, bytes: u64) -> Time {
        let in_order = at == self.next;
        let position = self.position(at);
        self.next = at.wrapping_add(bytes);
        if self.params.device == Device::Ssd && !in_order {
            let unit = (0..self.free.len()).min_by_key(|&unit| self.free[unit]).unwrap_or(0);
            self.free[unit] = self.free[unit].max(now) + self.params.ssd_latency;
            self.path = self.path.max(self.free[unit]);
            return self.path;
        }
        self.path = self.path.max(now) + position;
        self.path
    }

    /// The next `bytes` of a read, which lie at `at`, from `from` on. Returns when they are there.
    pub fn stream(&mut self, from: Time, at: u64, bytes: u64) -> Time {
        self.path = self.path.max(from) + self.moved(at, bytes, true);
        self.path
    }

    /// Sends `bytes` of data, or takes them, on the SATA link from `from` on. Returns the end.
    pub fn data(&mut self, from: Time, bytes: u64) -> Time {
        self.wire = self.wire.max(from) + self.params.on_wire(bytes);
        self.wire
    }

    /// Sends a command. Returns when the drive has it.
    pub fn command(&mut self, now: Time) -> Time {
        let fis = COMMAND_FIS_BYTES as f64 / self.params.sata_rate.0;
        self.wire = self.wire.max(now) + Time::from_secs_f64(fis).unwrap_or_default();
        self.wire
    }

    /// True where there is room for `bytes` to be written.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.held + bytes <= self.params.cache.0
    }

    /// Takes that room.
    pub fn reserve(&mut self, bytes: u64) {
        self.held += bytes;
    }

    /// `bytes` for `at` are in the cache. Returns when they are written, and their room is free.
    pub fn write(&mut self, now: Time, at: u64, bytes: u64) -> Time {
        let is_alone = self.params.device == Device::Ssd && at != self.next;
        let least = if is_alone { self.params.ssd_write_time } else { Time::ZERO };
        let position = self.position(at);
        self.next = at.wrapping_add(bytes);
        self.path = self.path.max(now) + position + self.moved(at, bytes, false).max(least);
        self.path
    }

    /// The room of `bytes` is free.
    pub fn written(&mut self, bytes: u64) {
        self.held = self.held.saturating_sub(bytes);
    }

    /// Makes the cache full of what was written before: commands of `piece` bytes at `places`. Returns when each is written.
    pub fn fill(&mut self, now: Time, piece: u64, places: impl Iterator<Item = u64>) -> Vec<(u64, Time)> {
        let pieces = self.params.cache.0 / piece.max(1);
        self.held = pieces * piece;
        let mut places = places.peekable();
        self.next = places.peek().copied().unwrap_or_default();
        places.take(pieces as usize).map(|at| (piece, self.write(now, at, piece))).collect()
    }
}
