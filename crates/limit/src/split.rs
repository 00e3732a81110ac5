//! Arbitration: how a resource is divided among sources. Each source has a turn, one TLP a turn. Capacity that a source
//! does not need goes to the others. Within a source the same rule holds for the sources of the arbiter before.

/// A source of an arbiter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// Unique name among all sources of all arbiters on a path.
    pub name: u64,
    /// Turns needed for each byte of the flow's payload.
    pub turns_per_byte: f64,
}

/// One request for a part of a resource.
#[derive(Clone, Copy, Debug)]
pub struct Want<'a> {
    /// Requested rate, in payload bytes a femtosecond.
    pub rate: f64,
    /// Time for each byte of payload.
    pub fs_per_byte: f64,
    /// The sources that it passes, one for each arbiter on its path; the nearest to the resource is the last.
    pub through: &'a [Source],
}

impl Want<'_> {
    fn source(&self, level: usize) -> Option<&Source> {
        self.through.len().checked_sub(level + 1).map(|at| &self.through[at])
    }
    fn turns(&self, level: usize) -> f64 {
        self.rate * self.source(level).map_or(1.0, |source| source.turns_per_byte)
    }
    fn time(&self) -> f64 {
        self.rate * self.fs_per_byte
    }
}

/// Largest number of arbiters in sequence that are followed back.
const MOST_LEVELS: usize = 16;

/// The rate that each of `wants` gets of `capacity`, in payload bytes a femtosecond.
pub fn split(wants: &[Want<'_>], capacity: f64) -> Vec<f64> {
    let mut rates = vec![0.0; wants.len()];
    let mut order: Vec<usize> = (0..wants.len()).collect();
    share_out(wants, &mut order, &mut rates, capacity, 0);
    rates
}

/// Divides `capacity` among the sources at `level` of the requests `of`, then within each source at the level before.
fn share_out(wants: &[Want<'_>], of: &mut [usize], rates: &mut [f64], capacity: f64, level: usize) {
    let name = |&i: &usize| wants[i].source(level).map(|source| source.name);
    of.sort_by_key(name);
    let sources: Vec<(f64, f64)> = of.chunk_by(|a, b| name(a) == name(b)).map(|of| sums(wants, of, level)).collect();
    let turn_level = level_of(&sources, capacity);
    for (members, (time, turns)) in of.chunk_by_mut(|a, b| name(a) == name(b)).zip(sources) {
        let part = if turns <= turn_level * (1.0 + 1e-12) { 1.0 } else { turn_level / turns };
        if part == 1.0 || members.len() == 1 || level + 1 >= MOST_LEVELS {
            members.iter().for_each(|&i| rates[i] = wants[i].rate * part);
        } else {
            share_out(wants, members, rates, time * part, level + 1);
        }
    }
}

/// The sums of time and turns of some requests.
fn sums(wants: &[Want<'_>], of: &[usize], level: usize) -> (f64, f64) {
    of.iter().fold((0.0, 0.0), |(time, turns), &i| (time + wants[i].time(), turns + wants[i].turns(level)))
}

/// The number of turns for each source with which all together take `capacity`. A source that needs fewer turns gets
/// what it needs. `wants` has time and turns of each source.
fn level_of(wants: &[(f64, f64)], capacity: f64) -> f64 {
    let mut order: Vec<(f64, f64)> = wants.iter().copied().filter(|(_, turns)| *turns > 0.0).collect();
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    // The time of one turn of this source and of all sources that request more turns.
    let add = |sum: &mut f64, (time, turns): &(f64, f64)| {
        *sum += time / turns;
        Some(*sum)
    };
    let per_turn: Vec<f64> = order.iter().rev().scan(0.0, add).collect();
    let mut left = capacity.max(0.0);
    for ((time, turns), per_turn) in order.into_iter().zip(per_turn.into_iter().rev()) {
        let level = left / per_turn;
        if turns > level {
            return level;
        }
        left -= time;
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn want(rate: f64, through: &[Source]) -> Want<'_> {
        Want { rate, fs_per_byte: 1.0, through }
    }

    #[test]
    fn does_a_port_with_three_flows_get_what_a_port_with_one_gets() {
        let source = |name| Source { name, turns_per_byte: 1.0 };
        let ways = [[source(10), source(1)], [source(11), source(1)], [source(12), source(1)], [source(13), source(2)]];
        let wants: Vec<Want<'_>> = ways.iter().map(|through| want(1.0, through)).collect();
        let got = split(&wants, 0.6);
        assert!((got[3] - 0.3).abs() < 1e-12, "{got:?}");
        assert!(got[..3].iter().all(|rate| (rate - 0.1).abs() < 1e-12), "{got:?}");
    }

    proptest! {
        #[test]
        fn is_all_given_away_and_nobody_given_more_than_it_wants(
            users in prop::collection::vec((0.0f64..1.0, 0.1f64..4.0, 0u64..4, 0u64..3), 1..20), capacity in 0.0f64..3.0
        ) {
            let source = |name, turns_per_byte| Source { name, turns_per_byte };
            let ways: Vec<[Source; 2]> =
                users.iter().map(|&(_, turns, far, near)| [source(far, turns), source(near, turns)]).collect();
            let wants: Vec<Want<'_>> =
                users.iter().zip(&ways).map(|(&(rate, ..), through)| want(rate, through)).collect();
            let got = split(&wants, capacity);
            let (all, asked) = (got.iter().sum::<f64>(), wants.iter().map(|w| w.rate).sum::<f64>());
            prop_assert!((all - asked.min(capacity)).abs() < 1e-9, "{all} of {asked} by {capacity}");
            prop_assert!(got.iter().zip(&wants).all(|(&got, want)| got <= want.rate + 1e-12));
        }
    }
}
