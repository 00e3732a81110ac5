//! `lanescope bench disk PATH...`.

use crate::args::{Bench, BenchDisk, BenchWhat, Files};
use crate::exit::{End, Failure};
use crate::output::{Side, Table, folded};
use crate::progress::Progress;
use crate::screen::Screen;
use crate::{csv, interrupt};
use ask::bench::{Asked, PathLimit, Prepared, Watched, limit_of};
use bench::{Run, Steadiness};
use lab::Unit;
use pcie::Time;
use probe::diff::Change;
use std::sync::atomic::Ordering;

/// Measures, and prints what was found.
///
/// # Errors
/// An option or a drive that is wrong, or a read that fails.
pub fn run(asked: &Bench, screen: &Screen) -> Result<End, Failure> {
    match &asked.what {
        BenchWhat::Disk(disk) => of_disks(disk, screen),
    }
}

fn of_disks(asked: &BenchDisk, screen: &Screen) -> Result<End, Failure> {
    let files = Files { json: asked.json.clone(), threads: None };
    csv::check_all(&files, &asked.table)?;
    let options = Asked {
        paths: &asked.paths,
        blocks: &asked.block,
        depths: &asked.depth,
        patterns: &asked.pattern,
        rate: asked.rate.as_deref(),
        subsets: &asked.subsets,
        time: &asked.time,
        warm_up: &asked.warm_up,
    };
    let prepared = options.prepare()?;
    let mut watched = Watched { before: Watched::look(), ..Watched::default() };
    let interrupted = interrupt::flag();
    let points = prepared.plan.points();
    let progress = Progress::new(screen, points.len());
    let mut runs: Vec<Run> = Vec::new();
    let mut failed = None;
    for point in &points {
        let mut look = || watched.under_load = Watched::look();
        match bench::run(&prepared.drives, &prepared.plan, point, &interrupted, &mut look) {
            Ok(Some(run)) => runs.push(run),
            Ok(None) => {}
            Err(error) => failed = Some(error),
        }
        if failed.is_some() || interrupted.load(Ordering::Relaxed) {
            break;
        }
        progress.step();
    }
    drop(progress);
    let complete = runs.len() == points.len() && !interrupted.load(Ordering::Relaxed);
    if let Some(error) = failed.take_if(|_| runs.is_empty()) {
        return Err(error.into());
    }
    watched.after = Watched::look();
    let limits = ask::bench::limits(&prepared, watched.limiting());
    let unit = screen.unit.unwrap_or(Unit::MbPerS);
    let json = || view::json::pretty(&ask::bench::value(&prepared, &watched, &limits, &runs, complete));
    let people = || text(&prepared, &watched, &limits, &runs, unit, screen);
    csv::tell((&files, &asked.table), json, || rows(&prepared, &limits, &runs, unit), people, screen)?;
    match failed {
        Some(error) => Err(error.into()),
        None if complete => Ok(End::Done),
        None => {
            screen.complain("interrupted: only the runs that were finished are there, the last one up to then\n");
            Ok(End::Interrupted)
        }
    }
}

fn rows(prepared: &Prepared, limits: &[Option<PathLimit>], runs: &[Run], unit: Unit) -> String {
    let row = |run: &Run| {
        let limit = limit_of(prepared, limits, run);
        [
            run.point.subset.clone(),
            run.point.load.block.to_string(),
            run.point.load.depth.to_string(),
            run.point.load.pattern.word().to_string(),
            unit.word().to_string(),
            unit.rate(run.rate()).to_string(),
            limit.map(|limit| unit.rate(limit.rate).to_string()).unwrap_or_default(),
            run.iops().to_string(),
            run.latency.mean.as_ns().to_string(),
            run.latency.at(50.0).map(|time| time.as_ns().to_string()).unwrap_or_default(),
            run.latency.at(99.0).map(|time| time.as_ns().to_string()).unwrap_or_default(),
            busiest(run).to_string(),
            run.unsteady().is_none().to_string(),
        ]
    };
    let head = [
        "subset",
        "block",
        "depth",
        "pattern",
        "unit",
        "rate",
        "limit",
        "iops",
        "latency_mean_ns",
        "latency_median_ns",
        "latency_p99_ns",
        "busy",
        "steady",
    ];
    view::csv::text(&head, runs.iter().map(row))
}

fn busiest(run: &Run) -> f64 {
    run.drives.iter().map(|drive| drive.busy).fold(0.0, f64::max)
}

fn short(time: Option<Time>) -> String {
    time.map_or_else(String::new, |time| match time.as_secs() {
        s if s < 1e-4 => format!("{:.1} us", s * 1e6),
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s => format!("{:.1} ms", s * 1e3),
    })
}

/// Bytes of a block, in the largest unit that keeps it whole.
fn length(block: u64) -> String {
    match block {
        n if n.is_multiple_of(1 << 20) => format!("{} MiB", n >> 20),
        n if n.is_multiple_of(1 << 10) => format!("{} KiB", n >> 10),
        n => format!("{n} B"),
    }
}

fn text(
    prepared: &Prepared,
    watched: &Watched,
    limits: &[Option<PathLimit>],
    runs: &[Run],
    unit: Unit,
    screen: &Screen,
) -> String {
    let plan = &prepared.plan;
    let head = format!(
        "reads past the page cache, {:.1} s each after {:.1} s",
        plan.time.as_secs_f64(),
        plan.warm_up.as_secs_f64()
    );
    let (rate, limit) = (unit.suffix().to_string(), format!("limit {}", unit.suffix()));
    let mut table = Table::new(
        screen,
        &[
            ("drives", Side::Left),
            ("block", Side::Right),
            ("depth", Side::Right),
            ("order", Side::Left),
            (rate.as_str(), Side::Right),
            (limit.as_str(), Side::Right),
            ("share", Side::Right),
            ("IOPS", Side::Right),
            ("median", Side::Right),
            ("99 %", Side::Right),
            ("busy", Side::Right),
        ],
    );
    let mut notes = Vec::new();
    for run in runs {
        let limit = limit_of(prepared, limits, run);
        let share = limit.map(|limit| format!("{:.0} %", 100.0 * run.rate().0 / limit.rate.0));
        table.row([
            run.point.subset.clone(),
            length(run.point.load.block),
            run.point.load.depth.to_string(),
            run.point.load.pattern.word().to_string(),
            unit.print(unit.rate(run.rate())),
            limit.map_or_else(|| "-".to_string(), |limit| unit.print(unit.rate(limit.rate))),
            share.unwrap_or_else(|| "-".to_string()),
            format!("{:.0}", run.iops()),
            short(run.latency.at(50.0)),
            short(run.latency.at(99.0)),
            format!("{:.0} %", 100.0 * busiest(run)),
        ]);
        notes.extend(noted(prepared, run));
    }
    let mut text = format!("{}\n{table}", screen.strong(&head));
    let told = limits.iter().zip(&plan.subsets).filter_map(|(limit, (name, _))| {
        limit.as_ref().map(|limit| format!("the path of {name} allows {}: {}", unit.told(limit.rate), limit.by))
    });
    let (under_load, after) = watched.changes(prepared);
    let change =
        |when: &str, Change { at, field, before, after }: &Change| format!("{at} {field}: {before}, {when} {after}");
    let under_load = under_load.iter().map(|one| change("under load", one));
    let after = after.iter().map(|one| change("after the runs", one));
    for line in told.chain(under_load).chain(after).chain(notes) {
        text += &folded(&line, 1, screen);
    }
    if limits.contains(&None) {
        text += &folded(
            "-: a drive that hangs at no PCI function, or at one whose link says nothing, has no limit here",
            1,
            screen,
        );
    }
    text
}

/// What is to be known of a run before its rate is believed.
fn noted(prepared: &Prepared, run: &Run) -> Vec<String> {
    let load = run.point.load;
    let of = format!("{}, {} x {}", run.point.subset, length(load.block), load.depth);
    let name = |drive: usize| prepared.drives.get(drive).map_or("", |drive| drive.name.as_str());
    let mut notes: Vec<String> = run
        .generator_bound()
        .map(|drive| {
            format!(
                "{of}: the generator is the limit: its thread for {} is busy {:.0} % of the time",
                name(drive.drive),
                100.0 * drive.busy
            )
        })
        .collect();
    let less = run
        .behind_rate()
        .map(|drive| format!("{of}: {} gives less than the rate that was asked of it", name(drive.drive)));
    notes.extend(less);
    if let Some(drive) = run.unsteady() {
        let how = match drive.steady {
            Steadiness::Drifts(slope) if slope < 0.0 => format!("falls by {:.0} %", -100.0 * slope),
            Steadiness::Drifts(slope) => format!("rises by {:.0} %", 100.0 * slope),
            Steadiness::Varies(most) => format!("varies by {:.0} %", 100.0 * most),
            Steadiness::Steady => String::new(),
        };
        notes.push(format!("{of}: not steady: {} {how} over the run", name(drive.drive)));
    }
    if run.drives.iter().any(|drive| !drive.registered) {
        notes.push(format!("{of}: buffers are not registered: a limit of locked memory forbids it (`ulimit -l`)"));
    }
    notes
}
