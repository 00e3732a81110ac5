//! What a stripe gives: each of its drives has an equal share of the data, so that all of them wait for the slowest.

use limit::limit;
use pcie::Rate;
use std::collections::BTreeSet;
use system::Scenario;

/// What the drives of a stripe give together, by the rate of each: as many times the slowest.
pub(crate) fn rate(each: impl Iterator<Item = f64>) -> Rate {
    let (number, slowest) = each.fold((0.0, f64::INFINITY), |(number, slowest), one| (number + 1.0, one.min(slowest)));
    if number > 0.0 { Rate(number * slowest) } else { Rate(0.0) }
}

/// The limit of equal shares: none is more than its drive carries alone, nor than an equal part of what those come to that
/// share a link or a controller with it.
pub(crate) fn limit_of(scenario: &Scenario) -> Rate {
    let limits = limit(scenario);
    let number = scenario.flows.len() as f64;
    let alone = limits.alone.iter().map(|flow| flow.stream.0).fold(f64::INFINITY, f64::min);
    let all = limits.bound().0 / number.max(1.0);
    let of_some = |places: &Vec<usize>| {
        let flows = places.iter().map(|&place| scenario.flows[place].clone()).collect();
        let some = Scenario { flows, ..scenario.clone() };
        limit(&some).bound().0 / places.len() as f64
    };
    let shared = crowds(scenario).iter().map(of_some).fold(f64::INFINITY, f64::min);
    let each = alone.min(all).min(shared);
    Rate(if each.is_finite() { number * each } else { 0.0 })
}

/// The flows that share a direction of a link, of each link, where they are more than one and not all.
fn crowds(scenario: &Scenario) -> BTreeSet<Vec<usize>> {
    let system = &scenario.system;
    let ways: Vec<_> = scenario.flows.iter().map(|flow| system.path(flow.initiator, flow.target)).collect();
    let over = |way: &_| (0..ways.len()).filter(|&place| ways[place].contains(way)).collect::<Vec<usize>>();
    let crowds: BTreeSet<Vec<usize>> = ways.iter().flatten().map(over).collect();
    crowds.into_iter().filter(|crowd| crowd.len() > 1 && crowd.len() < ways.len()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_stripe_as_fast_as_its_slowest_drive_times_their_number() {
        assert_eq!(rate([6.5, 1.9].into_iter()).0, 3.8);
        assert_eq!(rate([5.0].into_iter()).0, 5.0);
        assert_eq!(rate([].into_iter()).0, 0.0);
    }
}
