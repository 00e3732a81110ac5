//! The queues of a drive, as the limit sees them: what a command needs of links and software besides its payload, and
//! how long one takes at least.

use pcie::{Bytes, Rate, Time};

/// TLPs of one size that commands cause besides those with their payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beside {
    /// How many for each command, at least.
    pub each: f64,
    /// Payload of one; for a read request, what it asks for.
    pub bytes: u64,
}

/// Places of a drive that serve one piece of a command at a time, where chance decides which: pieces that meet at one
/// place wait for each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Places {
    /// How many there are.
    pub count: u64,
    /// Pieces of a command.
    pub pieces: u64,
    /// How long a piece takes.
    pub time: Time,
}

/// The queues of a drive for the commands of one flow. Nothing here may be more than what the drive does in the
/// simulation, because the limit is an upper bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Queues {
    /// Writes to the memory of the host: completion entries, interrupt messages.
    pub written: Vec<Beside>,
    /// Reads of the memory of the host: submission entries, lists of pages.
    pub fetched: Vec<Beside>,
    /// Stores of the host to registers of the drive: doorbells.
    pub stored: Vec<Beside>,
    /// How many of the reads of a command follow one another before its data moves.
    pub steps: u64,
    /// What the drive takes for a command that is alone until its first data moves, beside the reads above.
    pub latency: Time,
    /// From the last data to its completion entry.
    pub after: Time,
    /// The rate at which data of a command that is alone moves in the drive, between the first piece and the last.
    pub pace: Option<Rate>,
    /// Bytes of a command that move at that rate: all but the first piece.
    pub paced: Bytes,
    /// Where pieces of several commands meet by chance; `None` where they are in order.
    pub places: Option<Places>,
    /// Commands that the drive works on at once, in all queues.
    pub most: u64,
}

impl Places {
    /// The mean time of a piece among `others` pieces in all places, as they see one another in a closed network: mean
    /// value analysis with constant service times (Reiser and Lavenberg 1980, with the residual time of half a service).
    /// `elsewhere` is what a piece takes outside the places.
    pub fn mean_time(&self, pieces: u64, elsewhere: Time) -> Time {
        let (count, time) = (self.count.max(1) as f64, self.time.as_secs());
        let (mut here, mut busy, mut mean) = (0.0, 0.0, time);
        for n in 1..=pieces.min(MOST_PIECES) {
            mean = time * (1.0 + here - busy / 2.0);
            let rate = n as f64 / (mean + elsewhere.as_secs());
            (here, busy) = (rate * mean / count, (rate * time / count).min(1.0));
        }
        Time::from_secs_f64(mean).unwrap_or(self.time)
    }
}

/// Pieces beyond which all places are busy.
const MOST_PIECES: u64 = 1 << 17;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_do_pieces_wait_that_meet_by_chance() {
        let places = Places { count: 64, pieces: 1, time: Time::from_us(50) };
        assert_eq!(places.mean_time(1, Time::ZERO), Time::from_us(50), "one alone waits for nobody");
        // As many as places: 2 - sqrt(2) of the places are busy (the mean-field solution of L = 1).
        let mean = places.mean_time(64, Time::ZERO).as_secs() / 50e-6;
        assert!((1.0 / mean / 0.5858 - 1.0).abs() < 0.02, "{mean}");
        let many = places.mean_time(6400, Time::ZERO).as_secs() / 50e-6;
        assert!((many / 100.0 - 1.0).abs() < 0.01, "all places are busy: {many}");
    }
}
