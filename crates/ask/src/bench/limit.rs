//! What the paths of drives allow, beside their rates.

use super::prepared::Prepared;
use bench::{Direction, Drive, Pair, Run};
use pcie::Rate;
use probe::limits::peer;
use probe::rates::Way;
use probe::report::Report;
use probe::together::Together;
use probe::view::View;
use probe::{Address, Machine, Tree};

/// What the path of a subset allows.
#[derive(Clone, Debug, PartialEq)]
pub struct PathLimit {
    /// All drives together.
    pub rate: Rate,
    /// What sets it for the first of them.
    pub by: String,
    /// The same of each controller.
    each: Vec<Each>,
}

/// What a controller gets, to memory and from memory.
#[derive(Clone, Debug, PartialEq)]
struct Each {
    at: Address,
    /// Beside the others of the subset, and what sets that.
    share: [(Rate, String); 2],
    /// Alone.
    alone: [Rate; 2],
}

const WAYS: [Way; 2] = [Way::ToMemory, Way::FromMemory];

/// What the path of each subset allows, and then that of each pair of cards, by `inspect`: `None` where a drive hangs at no PCI function, or at one whose link says
/// nothing.
pub fn limits(prepared: &Prepared, machine: Option<&Machine>) -> Vec<Option<PathLimit>> {
    let Some(machine) = machine else { return vec![None; prepared.plan.subsets.len() + prepared.plan.pairs.len()] };
    let tree = Tree::of(machine);
    let mut report = Report::of(machine, &tree, false);
    let between: Vec<Option<PathLimit>> =
        prepared.plan.pairs.iter().map(|pair| card_to_card(prepared, machine, &tree, &report, pair)).collect();
    let mut limit = |drives: &[usize]| {
        let mut at: Vec<Address> =
            drives.iter().map(|&drive| prepared.ways[drive].last().copied()).collect::<Option<_>>()?;
        // Disks at one controller share its link.
        at.sort_unstable();
        at.dedup();
        report.together.clear();
        report.ask(machine, &tree, &[Together::Named(at)]).ok()?;
        let found = report.together.first()?;
        let goes = |way: Way| drives.iter().any(|&drive| way_of(&prepared.drives[drive]) == way);
        let ways: Vec<Way> = WAYS.into_iter().filter(|&way| goes(way)).collect();
        let share = found.shares.first()?;
        let by: Vec<String> = ways.iter().map(|&way| share.way(way).by.to_string()).collect();
        // Both directions of a link carry data at once.
        let rate = Rate(ways.iter().map(|&way| found.sum(way).0).sum());
        let each = found.shares.iter().zip(&found.alone).map(|(share, alone)| Each {
            at: share.at,
            share: WAYS.map(|way| (share.way(way).rate, share.way(way).by.to_string())),
            alone: WAYS.map(|way| alone.way(way).rate),
        });
        Some(PathLimit { rate, by: by.join("; "), each: each.collect() })
    };
    prepared.plan.subsets.iter().map(|(_, drives)| limit(drives)).chain(between).collect()
}

/// What the path from a card to another allows: straight through their switch, or through the root complex.
fn card_to_card(
    prepared: &Prepared,
    machine: &Machine,
    tree: &Tree,
    report: &Report,
    pair: &Pair,
) -> Option<PathLimit> {
    let view = View::new(machine, tree, &report.model);
    let device = |drive: usize| {
        let at = prepared.ways.get(drive)?.last()?;
        view.model.devices.iter().find(|device| device.main == *at && !device.is_virtual)
    };
    let found = peer(&view, device(pair.from)?, device(pair.to)?)?;
    Some(PathLimit { rate: found.limited.rate, by: found.limited.by.to_string(), each: Vec::new() })
}

/// Where the data of a drive goes: of a disk, as far as its limit is concerned, to memory.
fn way_of(drive: &Drive) -> Way {
    if drive.direction() == Some(Direction::ToCard) { Way::FromMemory } else { Way::ToMemory }
}

/// The limit of a run: that of its subset, or, where threads read and then write, what that leaves of it.
pub fn limit_of(prepared: &Prepared, limits: &[Option<PathLimit>], run: &Run) -> Option<PathLimit> {
    if let Some(pair) = run.point.pair {
        return limits.get(prepared.plan.subsets.len() + pair)?.clone();
    }
    let place = prepared.plan.subsets.iter().position(|(_, drives)| *drives == run.point.drives)?;
    let path = limits.get(place)?.as_ref()?;
    if run.point.load.calls.and_then(|calls| calls.order).is_none() {
        return Some(path.clone());
    }
    let turns = path.each.iter().map(|each| {
        let of = |way: Way| {
            let there = |drive: usize| prepared.ways[drive].last() == Some(&each.at);
            run.drives.iter().filter(move |one| there(one.drive) && way_of(&prepared.drives[one.drive]) == way)
        };
        let [to, from] = WAYS.map(|way| of(way).map(|one| one.rate.0).sum::<f64>());
        let moved = if to + from > 0.0 { to / (to + from) } else { 0.5 };
        in_turn(each, moved, of(Way::ToMemory).count() as u32 * run.point.load.depth)
    });
    let turns: Vec<(f64, String)> = turns.collect();
    let (rate, by) = (turns.iter().map(|(rate, _)| rate).sum(), turns.first()?.1.clone());
    Some(PathLimit { rate: Rate(rate), by, each: Vec::new() })
}

/// What a card gives threads that each read and then write, both directions together, and what sets it. `to` is the part of the
/// bytes that goes to memory. Each direction has its own part of the bytes to carry; and a thread uses one direction at a time.
fn in_turn(each: &Each, to: f64, threads: u32) -> (f64, String) {
    let parts = [to, 1.0 - to];
    let time = |rates: [Rate; 2]| parts.iter().zip(rates).map(|(part, rate)| part / rate.0).sum::<f64>();
    let own = if threads == 1 { "its thread has".to_string() } else { format!("its {threads} threads have") };
    let own = (f64::from(threads) / time(each.alone), format!("{own} one direction of the path at a time"));
    let ways = parts.iter().zip(&each.share).filter(|(part, _)| **part > 0.0);
    let ways = ways.map(|(part, (rate, by))| (rate.0 / part, by.clone()));
    ways.chain([own]).min_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or_default()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    #[test]
    fn does_a_thread_that_reads_and_then_writes_have_half_of_the_path_and_two_have_all_of_the_slower_way() {
        let gb = |rate: f64| Rate(rate * 1e9);
        let at: Address = "0000:01:00.0".parse().unwrap();
        let each = |share: [f64; 2], alone: [f64; 2]| Each {
            at,
            share: [(gb(share[0]), "the way to memory".into()), (gb(share[1]), "the way from memory".into())],
            alone: alone.map(gb),
        };
        let told = |each: &Each, to: f64, threads: u32| {
            let (rate, by) = in_turn(each, to, threads);
            format!("{:.3} {by}", rate / 1e9)
        };
        let even = each([4.0, 4.0], [4.0, 4.0]);
        assert_eq!(told(&even, 0.5, 1), "4.000 its thread has one direction of the path at a time");
        assert_eq!(told(&even, 0.5, 3), "8.000 the way to memory");
        let uneven = each([6.0, 3.0], [6.0, 3.0]);
        // 1 GB each way: 1/6 s and 1/3 s.
        assert_eq!(told(&uneven, 0.5, 1), "4.000 its thread has one direction of the path at a time");
        assert_eq!(told(&uneven, 0.5, 2), "6.000 the way from memory");
        // Beside another card, which takes half of what one thread would have.
        assert_eq!(told(&each([1.5, 3.0], [6.0, 3.0]), 0.5, 1), "3.000 the way to memory");
        // Frames that end early: nine of ten bytes are written.
        assert_eq!(told(&even, 0.1, 1), "4.000 its thread has one direction of the path at a time");
        assert_eq!(told(&even, 0.1, 2), "4.444 the way from memory");
    }
}
