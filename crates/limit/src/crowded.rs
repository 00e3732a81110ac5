//! Crowded directions: flows cannot all have their own limits there at once. For each, the most that they can have
//! together.

use crate::resource::Use;
use crate::share::{Crowd, Share};
use pcie::Rate;
use system::System;
use system::graph::{Direction, LinkId};

/// A direction on which the limits of single flows are coarse. Either flows of different nature meet there while it is
/// full, or the limits add up to more than it carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Crowded {
    /// The direction.
    pub direction: Direction,
    /// The flows whose payload it carries.
    pub flows: Vec<usize>,
    /// The highest total payload rate of these flows.
    pub most: Rate,
}

/// Flows of different nature delay each other from this share of a direction on.
const FULL: f64 = 0.97;
/// Tolerance for rounding.
const ABOVE: f64 = 1e-6;

/// The crowded directions while flows run at `shares`. `full` returns the share of a direction that is in use, requests
/// and DLLPs included.
pub fn crowded(system: &System, crowd: &Crowd<'_>, shares: &[Share], full: impl Fn(Direction) -> f64) -> Vec<Crowded> {
    let all = &crowd.uses.all;
    let of_direction = |index: usize| {
        let carried = crowd.uses.users[index].iter().map(|&number| &all[number]);
        let users: Vec<&Use> = carried.filter(|of| !crowd.load(of).data.is_empty()).collect();
        let direction = Direction { link: LinkId(index / 2), up: index % 2 == 1 };
        let rate = |of: &Use| shares[crowd.colours.of[of.flow]].rate;
        let told: f64 = users.iter().map(|of| rate(of) * of.fs_per_byte).sum();
        let unlike = users.windows(2).any(|pair| crowd.completer(pair[0].flow) != crowd.completer(pair[1].flow));
        let meets = users.len() > 1 && (told > 1.0 + ABOVE || (unlike && full(direction) > FULL));
        meets.then(|| {
            let wants = users.iter().map(|of| (rate(of), of.fs_per_byte)).collect();
            Crowded { direction, flows: users.iter().map(|of| of.flow).collect(), most: Rate(most(wants) * 1e15) }
        })
    };
    (0..2 * system.links.len()).filter_map(of_direction).collect()
}

/// The highest total rate of flows on a direction. `wants` has the rate of each flow and its time for a byte. The flows
/// with the least time for a byte are served first.
fn most(mut wants: Vec<(f64, f64)>) -> f64 {
    wants.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (mut left, mut sum) = (1.0, 0.0);
    for (rate, fs_per_byte) in wants {
        let rate = rate.min(left / fs_per_byte);
        left -= rate * fs_per_byte;
        sum += rate;
    }
    sum
}

/// The highest total rate of all flows, whose own limits are `rates`. The crowded directions that reduce the sum most
/// are applied first; each flow counts once.
pub fn sum(rates: &[Rate], crowded: &[Crowded]) -> Rate {
    let own = |of: &Crowded| of.flows.iter().map(|&flow| rates[flow].0).sum::<f64>();
    let mut order: Vec<(&Crowded, f64)> = crowded.iter().map(|of| (of, own(of) - of.most.0)).collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut open = vec![true; rates.len()];
    let mut sum = 0.0;
    for (of, saved) in order {
        if saved > 0.0 && of.flows.iter().all(|&flow| open[flow]) {
            of.flows.iter().for_each(|&flow| open[flow] = false);
            sum += of.most.0;
        }
    }
    sum += rates.iter().zip(&open).filter(|(_, open)| **open).map(|(rate, _)| rate.0).sum::<f64>();
    Rate(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_do_flows_come_to_that_want_more_than_there_is() {
        assert!((most(vec![(0.5, 1.0), (0.4, 1.0)]) - 0.9).abs() < 1e-12, "no more than they want");
        assert!((most(vec![(1.0, 2.0), (0.5, 1.0)]) - 0.75).abs() < 1e-12, "the one that needs less first");
    }

    #[test]
    fn is_each_flow_counted_once_in_the_sum() {
        let on = |link: usize, flows: Vec<usize>, most: f64| Crowded {
            direction: Direction { link: LinkId(link), up: true },
            flows,
            most: Rate(most),
        };
        let rates = [Rate(10.0), Rate(10.0), Rate(10.0), Rate(3.0)];
        assert_eq!(sum(&rates, &[]), Rate(33.0));
        assert_eq!(sum(&rates, &[on(0, vec![0, 1], 12.0), on(1, vec![0, 1, 2], 14.0)]), Rate(17.0));
        assert_eq!(sum(&rates, &[on(0, vec![0, 1], 12.0), on(1, vec![2, 3], 12.0)]), Rate(24.0));
    }
}
