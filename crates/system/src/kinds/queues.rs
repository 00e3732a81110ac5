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

/// Places that serve one command at a time, each command at one of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Places {
    /// How many there are.
    pub count: u64,
    /// How long a command takes there.
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
    /// Loads of registers of the drive, one after another, that software waits for after it was told and before it knows of
    /// an end.
    pub loaded: u64,
    /// How many of the reads of a command follow one another before its data moves.
    pub steps: u64,
    /// Of these, those whose data takes the receive latency of the engine before the next one begins.
    pub received: u64,
    /// What the drive takes for a command that is alone until its first data moves, beside the reads above.
    pub latency: Time,
    /// From the last data to its completion entry.
    pub after: Time,
    /// The rate at which data of a command that is alone moves in the drive, between the first piece and the last.
    pub pace: Option<Rate>,
    /// Bytes of a command that move at that rate: all but the first piece.
    pub paced: Bytes,
    /// The places inside the drive at which commands meet by chance; empty where they do not.
    pub places: Vec<Places>,
    /// Commands that the drive works on at once: each has its entry, and has not moved all of its data.
    pub most: Working,
    /// Commands whose entries the drive has asked for, until it has moved all of their data.
    pub entries: Working,
    /// Queues that software may have for a flow: what jobs there may be.
    pub jobs: u64,
    /// At which times software is told of completions.
    pub told: Told,
}

/// How many commands a drive has at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Working {
    /// So many of all flows together.
    InAllQueues(u64),
    /// So many of each flow, whatever it does for others.
    InEachQueue(u64),
}

impl Working {
    /// The number, of all flows or of each.
    pub fn commands(self) -> u64 {
        match self {
            Working::InAllQueues(commands) | Working::InEachQueue(commands) => commands,
        }
    }
}

impl Default for Queues {
    /// Nothing but the data moves, and nothing holds it back: no reads, one of them before the data, and no limits.
    fn default() -> Queues {
        Queues {
            written: Vec::new(),
            fetched: Vec::new(),
            stored: Vec::new(),
            loaded: 0,
            steps: 1,
            received: 0,
            latency: Time::ZERO,
            after: Time::ZERO,
            pace: None,
            paced: Bytes(0),
            places: Vec::new(),
            most: Working::InEachQueue(u64::MAX),
            entries: Working::InEachQueue(u64::MAX),
            jobs: u64::MAX,
            told: Told::AtOnce,
        }
    }
}

/// The times at which software is told of completions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Told {
    /// At once.
    #[default]
    AtOnce,
    /// At multiples of the first time; from one time to the next, a place in the queue takes the second time at least.
    Every(Time, Time),
    /// So long after the time before, at least.
    Apart(Time),
    /// So long after the first completion that software has not been told of: the queue has too few commands in flight for
    /// the number of completions that would tell it before.
    Late(Time),
}

impl Told {
    /// The least time from one completion of a place in a queue to the next, where nothing else takes less than `round`
    /// femtoseconds.
    pub fn round_fs(self, round: f64) -> f64 {
        match self {
            Told::AtOnce => round,
            Told::Every(period, least) => {
                let period = (period.as_fs() as f64).max(1.0);
                ((round / period).ceil() * period).max(least.as_fs() as f64)
            }
            Told::Apart(least) => round.max(least.as_fs() as f64),
            // Between two of these times, all commands of the queue end at most.
            Told::Late(wait) => round.max(wait.as_fs() as f64),
        }
    }

    /// The mean of it, where the commands of a queue are given together and take about the same time, of which the last
    /// `away` pass from the end of a command in the drive to its completion entry on the link.
    pub fn mean_round_fs(self, round: f64, away: f64) -> f64 {
        match self {
            // The first of them waits for the whole time, and the others no longer than it.
            Told::Late(wait) => round + (wait.as_fs() as f64 - away).max(0.0),
            _ => self.round_fs(round),
        }
    }
}

/// The mean time that commands wait for each other, where chance decides when they come to which of the places: `count`
/// commands go round all `places` and spend `elsewhere` outside them. Mean value analysis of a closed network (Reiser and
/// Lavenberg, 1980) with constant service times: who comes finds half of a service left.
pub fn waits(count: u64, places: &[Places], elsewhere: Time) -> Time {
    let alone: f64 = places.iter().map(|place| place.time.as_secs()).sum();
    // Of each: commands there, and the share of time in which it is busy.
    let mut seen = vec![(0.0, 0.0); places.len()];
    let mut round = alone;
    for n in 1..=count.min(MOST_COMMANDS) {
        let there = |(place, (here, busy)): (&Places, &(f64, f64))| place.time.as_secs() * (1.0 + here - busy / 2.0);
        let times: Vec<f64> = places.iter().zip(&seen).map(there).collect();
        round = times.iter().sum();
        let rate = n as f64 / (round + elsewhere.as_secs()).max(1e-18);
        for ((place, time), seen) in places.iter().zip(times).zip(&mut seen) {
            let each = rate / place.count.max(1) as f64;
            *seen = (each * time, (each * place.time.as_secs()).min(1.0));
        }
    }
    Time::from_secs_f64(round - alone).unwrap_or(Time::ZERO)
}

/// Commands beyond which the busiest places decide.
const MOST_COMMANDS: u64 = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_do_commands_wait_that_meet_by_chance() {
        let time = Time::from_us(50);
        let dies = [Places { count: 64, time }];
        assert_eq!(waits(1, &dies, Time::ZERO), Time::ZERO, "one alone waits for nobody");
        // As many as places: 2 - sqrt(2) of the places are busy (the mean-field solution of L = 1).
        let round = 1.0 + waits(64, &dies, Time::ZERO).as_secs() / 50e-6;
        assert!((1.0 / round / 0.5858 - 1.0).abs() < 0.02, "{round}");
        let round = 1.0 + waits(6400, &dies, Time::ZERO).as_secs() / 50e-6;
        assert!((round / 100.0 - 1.0).abs() < 0.01, "all places are busy: {round}");
        let link = Places { count: 1, time: Time::from_us(10) };
        let round = 60.0 + waits(1000, &[dies[0], link], Time::ZERO).as_secs() * 1e6;
        assert!((round / 10_000.0 - 1.0).abs() < 0.01, "the link decides: {round} us");
    }
}
