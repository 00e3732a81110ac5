//! Arbitration: how one server is divided among the flows that use it.
//!
//! An arbiter takes its sources in turn, one TLP a turn. Capacity that a source does not need goes to the others. What
//! comes by one source was divided before: by the arbiter before, where the source has to wait with what it got; or by
//! nobody, where all of it waits in one queue, in the order of arrival. In such a queue each flow that is a loop has in
//! flight what it may have, and all of them wait the same time.

/// A source of an arbiter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Unique name among all sources of all arbiters on a path.
    pub name: u64,
    /// Turns needed for each byte of the flow's payload.
    pub turns_per_byte: f64,
    /// True where all that comes by this source waits in one queue, in the order of arrival.
    pub one_queue: bool,
}

/// A loop that contains the server: payload bytes in flight, and the time of a round without waiting.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Payload bytes in flight.
    pub bytes: f64,
    /// From the start of a byte until its place is free again.
    pub fs: f64,
}

/// One request for a part of a server.
#[derive(Clone, Copy, Debug)]
pub struct Want<'a> {
    /// Requested rate, in payload bytes a femtosecond.
    pub rate: f64,
    /// Time for each byte of payload.
    pub fs_per_byte: f64,
    /// The sources that it passes, one for each arbiter on its path; the nearest to the server is the last.
    pub through: &'a [Source],
    /// The loops of the flow that contain the server; none for a flow that does not wait for answers.
    pub rounds: &'a [Round],
}

/// What a request gets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Got {
    /// The rate.
    pub rate: f64,
    /// The rate that it would get if it requested more, while the others do not.
    pub most: f64,
    /// True where it waits in a queue that grows as long as the flows run, with flows that wait for answers. Their rates
    /// then fall as the queue grows; the division is that of the requests.
    pub grows: bool,
}

impl Got {
    /// A rate that asking for more does not change.
    fn of(rate: f64) -> Got {
        Got { rate, most: rate, grows: false }
    }
}

impl Want<'_> {
    fn source(&self, level: usize) -> Option<&Source> {
        self.through.len().checked_sub(level + 1).map(|at| &self.through[at])
    }
    /// Turns for each byte of payload at an arbiter.
    fn turns(&self, level: usize) -> f64 {
        self.source(level).map_or(1.0, |source| source.turns_per_byte)
    }
    fn time(&self) -> f64 {
        self.rate * self.fs_per_byte
    }
    /// The rate of the loops while each round takes `wait` longer.
    fn of_rounds(&self, wait: f64) -> f64 {
        self.rounds.iter().map(|round| round.bytes / (round.fs + wait)).fold(f64::INFINITY, f64::min)
    }
}

/// What one that has the server alone gets of its `capacity`.
pub fn whole(want: &Want<'_>, capacity: f64) -> Got {
    let (time, capacity) = (want.time(), capacity.max(0.0));
    if time > capacity {
        return Got::of(want.rate * capacity / time);
    }
    Got { rate: want.rate, most: want.rate + (capacity - time) / want.fs_per_byte, grows: false }
}

/// Divides a server among `wants`, of which those that come by one source are neighbours, at each arbiter. `capacity`
/// is the share of time that the server has for them.
pub fn split(wants: &[Want<'_>], capacity: f64) -> Vec<Got> {
    let mut got = vec![Got::default(); wants.len()];
    turns(wants, &mut got, capacity.max(0.0), 0);
    got
}

/// Divides `capacity` among the sources at `level`, then what each source gets among its members.
fn turns(wants: &[Want<'_>], got: &mut [Got], capacity: f64, level: usize) {
    let name = |want: &Want<'_>| want.source(level).map(|source| source.name);
    let groups = || wants.chunk_by(|a, b| name(a) == name(b));
    let sums: Vec<(f64, f64)> = groups().map(|of| sums(of, level)).collect();
    let turn_level = level_of(&sums, capacity);
    let left = (capacity - sums.iter().map(|(time, _)| time).sum::<f64>()).max(0.0);
    let mut begin = 0;
    for (of, (time, turns_of)) in groups().zip(sums) {
        let got = &mut got[begin..begin + of.len()];
        begin += of.len();
        let spare = turn_level - turns_of;
        if spare >= -1e-12 * turns_of {
            for (want, got) in of.iter().zip(got) {
                let more =
                    if turn_level.is_finite() { spare.max(0.0) / want.turns(level) } else { left / want.fs_per_byte };
                *got = Got { rate: want.rate, most: want.rate + more, grows: false };
            }
            continue;
        }
        let part = turn_level / turns_of;
        let one_queue = of[0].source(level).is_some_and(|source| source.one_queue);
        match of.len() {
            1 => got[0] = Got::of(of[0].rate * part),
            _ if one_queue => queue(of, got, time * part),
            // No arbiter before this one tells them apart.
            _ if of[0].through.len() <= level + 1 => {
                of.iter().zip(got).for_each(|(want, got)| *got = Got::of(want.rate * part));
            }
            _ => turns(of, got, time * part, level + 1),
        }
    }
}

/// Divides `capacity` among flows that wait in one queue. Each waits the same time, which is as long as it takes to
/// hold them to the capacity. Flows that wait for nothing fill the queue without end; the queue then passes all in
/// proportion to what they send.
fn queue(wants: &[Want<'_>], got: &mut [Got], capacity: f64) {
    let asked: f64 = wants.iter().map(Want::time).sum();
    let endless = wants.iter().any(|want| want.rounds.is_empty());
    let grows = endless && wants.iter().any(|want| !want.rounds.is_empty());
    let full = |wait: f64| wants.iter().map(|want| want.rate.min(want.of_rounds(wait)) * want.fs_per_byte).sum::<f64>();
    let (mut least, mut most) = (0.0, 1.0);
    while !endless && full(most) > capacity && most < LONGEST_FS {
        (least, most) = (most, 2.0 * most);
    }
    for _ in 0..if endless { 0 } else { HALVINGS } {
        let middle = 0.5 * (least + most);
        if full(middle) > capacity { least = middle } else { most = middle }
    }
    for (want, got) in wants.iter().zip(got) {
        let most = if endless { want.rate * capacity / asked } else { want.of_rounds(most) };
        *got = Got { rate: most.min(want.rate), most, grows };
    }
}

/// A wait in which nothing passes any more.
const LONGEST_FS: f64 = 1e24;

/// Halvings of an interval until its ends are the same number but for rounding.
const HALVINGS: usize = 48;

/// The sums of time and turns of some requests.
fn sums(wants: &[Want<'_>], level: usize) -> (f64, f64) {
    wants.iter().fold((0.0, 0.0), |(time, turns), want| (time + want.time(), turns + want.rate * want.turns(level)))
}

/// The number of turns for each source with which all together take `capacity`; infinite where they do not need that
/// much. A source that needs fewer turns gets what it needs. `wants` has time and turns of each source.
fn level_of(wants: &[(f64, f64)], capacity: f64) -> f64 {
    let mut order: Vec<(f64, f64)> = wants.iter().copied().filter(|(_, turns)| *turns > 0.0).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    // The time of one turn of all sources that are not served yet.
    let mut per_turn: f64 = order.iter().map(|(time, turns)| time / turns).sum();
    let mut left = capacity;
    for (time, turns) in order {
        let level = left / per_turn;
        if turns > level {
            return level;
        }
        (left, per_turn) = (left - time, per_turn - time / turns);
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn want(rate: f64, through: &[Source]) -> Want<'_> {
        Want { rate, fs_per_byte: 1.0, through, rounds: &[] }
    }

    fn source(name: u64) -> Source {
        Source { name, turns_per_byte: 1.0, one_queue: false }
    }

    #[test]
    fn does_a_port_with_three_flows_get_what_a_port_with_one_gets() {
        let ways = [[source(10), source(1)], [source(11), source(1)], [source(12), source(1)], [source(13), source(2)]];
        let wants: Vec<Want<'_>> = ways.iter().map(|through| want(1.0, through)).collect();
        let got = split(&wants, 0.6);
        assert!((got[3].rate - 0.3).abs() < 1e-12, "{got:?}");
        assert!(got[..3].iter().all(|got| (got.rate - 0.1).abs() < 1e-12), "{got:?}");
    }

    #[test]
    fn do_flows_in_one_queue_get_what_they_have_in_flight() {
        let queue = Source { one_queue: true, ..source(1) };
        let ways = [[source(10), queue], [source(11), queue]];
        let rounds = [Round { bytes: 300.0, fs: 100.0 }, Round { bytes: 100.0, fs: 100.0 }];
        let wants = [0, 1].map(|n| Want { rounds: &rounds[n..=n], ..want(1.0, &ways[n]) });
        let got = split(&wants, 1.0);
        // Both wait 300 in the queue: 300 / 400 and 100 / 400.
        assert!((got[0].rate - 0.75).abs() < 1e-9 && (got[1].rate - 0.25).abs() < 1e-9, "{got:?}");
    }

    proptest! {
        #[test]
        fn is_all_given_away_and_nobody_given_more_than_it_wants(
            users in prop::collection::vec((0.01f64..1.0, 0.1f64..4.0, 0u64..4, 0u64..3, 0.1f64..9.0), 1..20),
            capacity in 0.0f64..3.0, one_queue: bool
        ) {
            let mut users = users;
            users.sort_by_key(|&(_, _, far, near, _)| (near, far));
            let near = |name, turns_per_byte| Source { name, turns_per_byte, one_queue };
            let ways: Vec<[Source; 2]> = users
                .iter()
                .map(|&(_, turns, far, name, _)| [Source { turns_per_byte: turns, ..source(far) }, near(name, turns)])
                .collect();
            let rounds: Vec<Round> =
                users.iter().map(|&(rate, .., fs)| Round { bytes: rate * fs, fs }).collect();
            let wants: Vec<Want<'_>> = (0..users.len())
                .map(|n| Want { rate: users[n].0, fs_per_byte: 1.0, through: &ways[n], rounds: &rounds[n..=n] })
                .collect();
            let got = split(&wants, capacity);
            let (all, asked) = (got.iter().map(|got| got.rate).sum::<f64>(), wants.iter().map(|w| w.rate).sum::<f64>());
            prop_assert!((all - asked.min(capacity)).abs() < 1e-6, "{all} of {asked} by {capacity}");
            prop_assert!(got.iter().zip(&wants).all(|(got, want)| got.rate <= want.rate + 1e-12));
            prop_assert!(got.iter().all(|got| got.most >= got.rate - 1e-12));
        }
    }
}
