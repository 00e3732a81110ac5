//! `lanescope bench disk PATH...` and `lanescope bench card PATH...`.

mod page;
mod told;

use crate::args::{Bench, BenchCard, BenchDisk, BenchFile, BenchForms, BenchWhat, Files};
use crate::exit::{Complaint, End, Failure};
use crate::progress::Progress;
use crate::screen::Screen;
use crate::{csv, file, interrupt};
use ask::bench::{Asked, AskedCards, PathLimit, Prepared, Watch, Watched, limit_of};
use bench::{Order, Run};
use lab::Unit;
use pcie::{Bytes, Time};
use std::sync::atomic::Ordering;
use system::FieldType;

/// Measures, and prints what was found.
///
/// # Errors
/// An option or a drive that is wrong, or a read that fails.
pub fn run(asked: &Bench, screen: &Screen) -> Result<End, Failure> {
    match &asked.what {
        BenchWhat::Disk(disk) => of_disks(disk, screen),
        BenchWhat::Card(card) => of_cards(card, screen),
        BenchWhat::File(file) => make(file, screen),
    }
}

/// Makes a file that may be written.
fn make(asked: &BenchFile, screen: &Screen) -> Result<End, Failure> {
    let bytes = Bytes::parse(&asked.size)
        .ok_or_else(|| Complaint::new(format!("`{}` is no size", asked.size), "write it with its unit, as in 4GiB"))?;
    let interrupted = interrupt::flag();
    let steps = bytes.0.div_ceil(STEP);
    let progress = Progress::new(screen, steps as usize);
    let mut told = 0;
    let mut step = |at: u64| {
        (told..at / STEP).for_each(|_| progress.step());
        told = at / STEP;
        !interrupted.load(Ordering::Relaxed)
    };
    let done = bench::make(&asked.path, bytes.0, &mut step);
    drop(progress);
    if done? {
        screen.tell(&format!("{} has {bytes}, and may be written by `bench disk`\n", asked.path.display()))?;
        return Ok(End::Done);
    }
    screen.complain("interrupted: nothing is left of the file\n");
    Ok(End::Interrupted)
}

/// Bytes of a step of the progress.
const STEP: u64 = 64 << 20;

fn of_disks(asked: &BenchDisk, screen: &Screen) -> Result<End, Failure> {
    check(&asked.forms)?;
    let options = Asked {
        paths: &asked.paths,
        blocks: &asked.block,
        depths: &asked.depth,
        patterns: &asked.pattern,
        reads: asked.reads,
        destroy: &asked.destroy,
        rate: asked.rate.as_deref(),
        poll: &asked.poll,
        subsets: &asked.subsets,
        time: &asked.time,
        warm_up: &asked.warm_up,
    };
    measure(&options.prepare()?, &asked.forms, screen)
}

fn of_cards(asked: &BenchCard, screen: &Screen) -> Result<End, Failure> {
    check(&asked.forms)?;
    let options = AskedCards {
        paths: &asked.paths,
        sizes: &asked.size,
        depths: &asked.depth,
        rings: asked.rings,
        calls: asked.calls,
        in_turn: asked.in_turn.as_deref(),
        poll: asked.poll.as_deref(),
        peers: asked.peers.as_deref(),
        subsets: &asked.subsets,
        time: &asked.time,
        warm_up: &asked.warm_up,
    };
    measure(&options.prepare()?, &asked.forms, screen)
}

/// Checks that the files of a result can be made, before anything is measured.
fn check(forms: &BenchForms) -> Result<(), Failure> {
    csv::check_all(&files(forms), &forms.table)?;
    if let Some(path) = &forms.report {
        file::check_report(path)?;
    }
    Ok(())
}

fn files(forms: &BenchForms) -> Files {
    Files { json: forms.json.clone(), threads: None }
}

/// Runs what was prepared, and prints what was found.
fn measure(prepared: &Prepared, forms: &BenchForms, screen: &Screen) -> Result<End, Failure> {
    let mut watched = Watched { before: Watched::look(), ..Watched::default() };
    let interrupted = interrupt::flag();
    let points = prepared.plan.points();
    let progress = Progress::new(screen, points.len());
    let mut runs: Vec<Run> = Vec::new();
    let (mut failed, mut watch) = (None, Watch::new(&prepared.ways));
    let mut skipped = 0;
    for point in &points {
        if watched.refused.iter().any(|(pair, _)| Some(*pair) == point.pair) {
            skipped += 1;
            progress.step();
            continue;
        }
        watch.begin();
        let mut look = || watched.look_under_load();
        match bench::run(&prepared.drives, &prepared.plan, point, &interrupted, &mut look) {
            Ok(Some(run)) => {
                watched.served.push(watch.end(&run));
                runs.push(run);
            }
            Ok(None) => {}
            Err(ref error @ bench::Error::Pair { ref source, .. }) if let Some(pair) = point.pair => {
                watched.refused.push((pair, format!("{error} ({source})")));
                skipped += 1;
            }
            Err(error) => failed = Some(error),
        }
        if failed.is_some() || interrupted.load(Ordering::Relaxed) {
            break;
        }
        progress.step();
    }
    drop(progress);
    let complete = runs.len() + skipped == points.len() && !interrupted.load(Ordering::Relaxed);
    if let Some(error) = failed.take_if(|_| runs.is_empty()) {
        return Err(error.into());
    }
    watched.after = Watched::look();
    let changes = watched.changes(prepared);
    let limits = ask::bench::limits(prepared, watched.limiting());
    let unit = screen.unit.unwrap_or(Unit::MbPerS);
    let json = || view::json::pretty(&ask::bench::value(prepared, &watched, (&changes, &limits), &runs, complete));
    if let Some(path) = &forms.report {
        let notes = told::notes(prepared, &watched, &changes, &limits, &runs, unit);
        file::write(path, page::html(prepared, &limits, &runs, &notes, unit))?;
    }
    let people = || told::text(prepared, &watched, &changes, &limits, &runs, unit, screen);
    csv::tell((&files(forms), &forms.table), json, || rows(prepared, &limits, &runs, unit), people, screen)?;
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
        // Empty where nothing moved.
        let ns = |time: Option<Time>| {
            time.filter(|_| run.latency.count > 0).map(|time| time.as_ns().to_string()).unwrap_or_default()
        };
        [
            run.point.subset.clone(),
            run.point.load.block.to_string(),
            run.point.load.depth.to_string(),
            run.point.load.pattern.word().to_string(),
            run.point.load.reads.to_string(),
            unit.word().to_string(),
            unit.rate(run.rate()).to_string(),
            limit.as_ref().map(|limit| unit.rate(limit.rate).to_string()).unwrap_or_default(),
            run.iops().to_string(),
            ns(Some(run.latency.mean)),
            ns(run.latency.at(50.0)),
            ns(run.latency.at(99.0)),
            told::busiest(run).to_string(),
            run.unsteady().is_none().to_string(),
            run.point.load.calls.and_then(|calls| calls.order).map_or("", Order::words).to_string(),
            run.point.load.calls.and_then(|calls| calls.poll_us).map(|us| us.to_string()).unwrap_or_default(),
        ]
    };
    let head = [
        "subset",
        "block",
        "depth",
        "pattern",
        "reads_percent",
        "unit",
        "rate",
        "limit",
        "iops",
        "latency_mean_ns",
        "latency_median_ns",
        "latency_p99_ns",
        "busy",
        "steady",
        "in_turn",
        "poll_us",
    ];
    view::csv::text(&head, runs.iter().map(row))
}
