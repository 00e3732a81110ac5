//! What `bench disk` and `bench card` print for people.

use crate::output::{Side, Table, folded, latency};
use crate::screen::Screen;
use ask::bench::{Changes, Measures, PathLimit, Prepared, Served, Watched, card, limit_of};
use bench::{Load, Order, Plan, Run};
use lab::Unit;
use pcie::Bytes;
use probe::diff::Change;

/// The CPU time of the busiest thread over the time of the run.
pub fn busiest(run: &Run) -> f64 {
    run.drives.iter().map(|drive| drive.busy).fold(0.0, f64::max)
}

/// What the drives are asked for: `70 % reads and 30 % writes`.
fn operation(plan: &Plan) -> String {
    match plan.reads {
        100 => "reads".to_string(),
        0 => "writes".to_string(),
        reads => format!("{reads} % reads and {} % writes", 100 - reads),
    }
}

/// How calls are told of their ends that look for them so long.
pub fn ends(poll_us: u32) -> String {
    if poll_us == 0 { "interrupt".into() } else { format!("poll {poll_us} us") }
}

/// What is measured, as a head of it all.
pub fn title(prepared: &Prepared) -> String {
    match prepared.what {
        Measures::Disks => format!("{} past the page cache", operation(&prepared.plan)),
        Measures::Cards if !prepared.plan.pairs.is_empty() => "frames from card to card".to_string(),
        Measures::Cards => "transfers between cards and memory".to_string(),
    }
}

/// The table of all runs, and what is to be known of them.
pub fn text(
    prepared: &Prepared,
    watched: &Watched,
    changes: &Changes,
    limits: &[Option<PathLimit>],
    runs: &[Run],
    unit: Unit,
    screen: &Screen,
) -> String {
    let plan = &prepared.plan;
    let calls = plan.calls.first();
    let polled = match (plan.polls, prepared.what) {
        (false, _) => match calls.map(|calls| calls.order) {
            Some(Some(Order::ReadWrite)) => ", by threads that each read and then write",
            Some(Some(Order::WriteRead)) => ", by threads that each write and then read",
            Some(None) => ", by calls",
            None => "",
        },
        (true, Measures::Disks) => ", polled",
        (true, Measures::Cards) => ", in ring mode",
    };
    let what = title(prepared);
    let head =
        format!("{what}{polled}, {:.1} s each after {:.1} s", plan.time.as_secs_f64(), plan.warm_up.as_secs_f64());
    let (rate, limit) = (unit.suffix().to_string(), format!("limit {}", unit.suffix()));
    let what = if prepared.what == Measures::Cards { "channels" } else { "drives" };
    // A channel is a stream: its blocks have no order.
    let order = (prepared.what == Measures::Disks).then_some(("order", Side::Left));
    let ends_column = plan.calls.iter().any(|calls| calls.poll_us.is_some()).then_some(("ends by", Side::Left));
    let depth = if calls.is_some() { "threads" } else { "depth" };
    let columns: Vec<(&str, Side)> = [(what, Side::Left), ("block", Side::Right), (depth, Side::Right)]
        .into_iter()
        .chain(order)
        .chain(ends_column)
        .chain(
            [rate.as_str(), limit.as_str(), "share", "IOPS", "median", "99 %", "busy"].map(|head| (head, Side::Right)),
        )
        .collect();
    let mut table = Table::new(screen, &columns);
    let none = || "-".to_string();
    for run in runs {
        let limit = limit_of(prepared, limits, run);
        let share = limit.as_ref().map(|limit| format!("{:.0} %", 100.0 * run.rate().0 / limit.rate.0));
        let moved = run.latency.count > 0;
        let percentile = |share| run.latency.at(share).filter(|_| moved).map_or_else(none, latency);
        let load = run.point.load;
        let cells = [run.point.subset.clone(), Bytes(load.block).to_string(), load.depth.to_string()].into_iter();
        let poll = ends_column.map(|_| load.calls.and_then(|calls| calls.poll_us).map_or_else(none, ends));
        table.row(cells.chain(order.map(|_| load.pattern.word().to_string())).chain(poll).chain([
            unit.print(unit.rate(run.rate())),
            limit.map_or_else(none, |limit| unit.print(unit.rate(limit.rate))),
            share.unwrap_or_else(none),
            format!("{:.0}", run.iops()),
            percentile(50.0),
            percentile(99.0),
            format!("{:.0} %", 100.0 * busiest(run)),
        ]));
    }
    let mut text = format!("{}\n{table}", screen.strong(&head));
    text += &matrices(prepared, watched, runs, unit, screen);
    for line in notes(prepared, watched, changes, limits, runs, unit) {
        text += &folded(&line, 1, screen);
    }
    text
}

/// Each card to each other one, for each load.
fn matrices(prepared: &Prepared, watched: &Watched, runs: &[Run], unit: Unit, screen: &Screen) -> String {
    let pairs = &prepared.plan.pairs;
    let name = |drive: usize| prepared.drives.get(drive).map_or("", card);
    let mut cards: Vec<&str> = pairs.iter().map(|pair| name(pair.from)).collect();
    cards.dedup();
    let mut loads: Vec<Load> = Vec::new();
    for point in prepared.plan.points().iter().filter(|point| point.pair.is_some()) {
        if !loads.contains(&point.load) {
            loads.push(point.load);
        }
    }
    let mut text = String::new();
    for load in loads {
        let head = format!("{} x {}, {}, from \\ to", Bytes(load.block), load.depth, unit.suffix());
        let columns: Vec<(&str, Side)> =
            std::iter::once((head.as_str(), Side::Left)).chain(cards.iter().map(|card| (*card, Side::Right))).collect();
        let mut table = Table::new(screen, &columns);
        for from in &cards {
            let cell = |to: &&str| {
                let at = pairs.iter().position(|pair| name(pair.from) == *from && name(pair.to) == *to);
                let Some(at) = at else { return String::new() };
                if watched.refused.iter().any(|(pair, _)| *pair == at) {
                    return "refused".into();
                }
                let run = runs.iter().find(|run| run.point.pair == Some(at) && run.point.load == load);
                run.map_or_else(|| "-".into(), |run| unit.print(unit.rate(run.rate())))
            };
            table.row(std::iter::once((*from).to_string()).chain(cards.iter().map(cell)));
        }
        text += &table.to_string();
    }
    text
}

/// The limits, what changed, and what is to be known of each run, a sentence each.
pub fn notes(
    prepared: &Prepared,
    watched: &Watched,
    changes: &Changes,
    limits: &[Option<PathLimit>],
    runs: &[Run],
    unit: Unit,
) -> Vec<String> {
    let allows =
        |name: &str, limit: &PathLimit| format!("the path of {name} allows {}: {}", unit.told(limit.rate), limit.by);
    let told: Vec<String> = if prepared.plan.calls.iter().any(|calls| calls.order.is_some()) {
        // It depends on the threads, and on what the frames hold.
        let of = |run: &Run| {
            let name = format!("{}, {} x {},", run.point.subset, Bytes(run.point.load.block), run.point.load.depth);
            Some(allows(&name, &limit_of(prepared, limits, run)?))
        };
        runs.iter().filter_map(of).collect()
    } else {
        let subsets = prepared.plan.subsets.iter().map(|(name, _)| name);
        let named = limits.iter().zip(subsets.chain(prepared.plan.pairs.iter().map(|pair| &pair.name)));
        named.filter_map(|(limit, name)| Some(allows(name, limit.as_ref()?))).collect()
    };
    let change = |when: &str, Change { at, field, before, after, .. }: &Change| {
        format!("{at} {field}: {before}, {when} {after}")
    };
    let under_load = changes.under_load.iter().map(|one| change("under load", one));
    let after = changes.after.iter().map(|one| change("after the runs", one));
    let each = runs.iter().flat_map(|run| noted(prepared, run)).chain(on_one_core(&watched.served, runs));
    let what = if prepared.what == Measures::Cards { "card" } else { "drive" };
    let none = limits.contains(&None).then(|| {
        format!("-: a {what} that hangs at no PCI function, or at one whose link says nothing, has no limit here")
    });
    let refused = watched.refused.iter().map(|(_, why)| why.clone());
    told.into_iter().chain(refused).chain(under_load).chain(after).chain(each).chain(none).collect()
}

/// Where one core served the interrupts of several controllers: for each subset once, since all its runs have the same.
fn on_one_core(served: &[Served], runs: &[Run]) -> Vec<String> {
    let (mut told, mut notes) = (Vec::new(), Vec::new());
    for (run, served) in runs.iter().zip(served) {
        let subset = &run.point.subset;
        if let (Some((core, count)), false) = (served.only_core, told.contains(&subset)) {
            told.push(subset);
            notes.push(format!(
                "{subset}: core {core} served all interrupts of these drives ({count}): `smp_affinity_list` of each in \
                 /proc/irq, or irqbalance, spreads them"
            ));
        }
    }
    notes
}

/// A share of an engine's cycles that is told.
const LEAST_SHARE: f64 = 0.005;

/// What is to be known of a run before its rate is believed.
fn noted(prepared: &Prepared, run: &Run) -> Vec<String> {
    let load = run.point.load;
    let of = format!("{}, {} x {}", run.point.subset, Bytes(load.block), load.depth);
    let name = |drive: usize| prepared.drives.get(drive).map_or("", |drive| drive.name.as_str());
    let still = run.drives.iter().filter(|drive| prepared.what == Measures::Cards && drive.rate.0 == 0.0);
    let mut notes: Vec<String> = still
        .map(|drive| {
            format!("{of}: nothing moves at {}: its design sends or takes nothing by itself", name(drive.drive))
        })
        .collect();
    notes.extend(run.drives.iter().filter_map(|drive| {
        let shares = drive.engine?.shares().into_iter().filter(|(_, share)| *share >= LEAST_SHARE);
        let shares: Vec<String> = shares.map(|(cause, share)| format!("{cause} {:.0} %", 100.0 * share)).collect();
        Some(format!("{of}: cycles of the engine for {}: {}", name(drive.drive), shares.join(", ")))
    }));
    let bound = run.generator_bound().map(|drive| {
        format!(
            "{of}: the generator is the limit: its thread for {} is busy {:.0} % of the time",
            name(drive.drive),
            100.0 * drive.busy
        )
    });
    notes.extend(bound);
    let less = run
        .behind_rate()
        .map(|drive| format!("{of}: {} gives less than the rate that was asked of it", name(drive.drive)));
    notes.extend(less);
    if let Some(drive) = run.unsteady() {
        let how = drive.steady.told();
        notes.push(format!("{of}: not steady: {} {how} over the run", name(drive.drive)));
    }
    if run.drives.iter().any(|drive| drive.registered == Some(false)) {
        notes.push(format!("{of}: buffers are not registered: a limit of locked memory forbids it (`ulimit -l`)"));
    }
    notes
}
