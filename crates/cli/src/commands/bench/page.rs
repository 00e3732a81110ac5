//! The report of `bench disk` and `bench card`.

use super::told::{self, title};
use ask::bench::{Measures, PathLimit, Prepared, limit_of};
use bench::{DriveRun, Load, Run};
use lab::Unit;
use pcie::Bytes;
use view::html::{BenchDrive, BenchLoad, BenchReport, BenchRun, bench};

/// One HTML file with pictures and tables.
pub fn html(prepared: &Prepared, limits: &[Option<PathLimit>], runs: &[Run], notes: &[String], unit: Unit) -> String {
    let mut loads: Vec<(Load, BenchLoad)> = Vec::new();
    for run in runs {
        let of = run.point.load;
        let one = one(prepared, limits, run);
        match loads.iter_mut().find(|(load, _)| *load == of) {
            Some((_, known)) => known.runs.push(one),
            None => {
                let order = match prepared.what {
                    Measures::Disks => format!(", {}", of.pattern.word()),
                    Measures::Cards => how(of),
                };
                let name = format!("{} x {}{order}", Bytes(of.block), of.depth);
                loads.push((of, BenchLoad { name, runs: vec![one] }));
            }
        }
    }
    let loads: Vec<BenchLoad> = loads.into_iter().map(|(_, load)| load).collect();
    let drives = prepared.drives.iter().map(|drive| drive.name.as_str()).collect::<Vec<_>>().join(", ");
    let title = format!("{drives}: {}", title(prepared));
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = format!("lanescope {}", crate::shell::line(&arguments));
    bench(&BenchReport { title: &title, notes, loads: &loads, unit, command: &command })
}

/// How the transfers of a load are made, where that is said.
fn how(load: Load) -> String {
    let Some(calls) = load.calls else { return String::new() };
    let order = calls.order.map_or_else(|| ", by calls".into(), |order| format!(", {} in turn", order.words()));
    let ends = calls.poll_us.map(|us| format!(", {}", told::ends(us)));
    order + &ends.unwrap_or_default()
}

fn one(prepared: &Prepared, limits: &[Option<PathLimit>], run: &Run) -> BenchRun {
    let drive = |drive: &DriveRun| BenchDrive {
        number: drive.drive,
        name: prepared.drives.get(drive.drive).map_or_else(String::new, |drive| drive.name.clone()),
        rate: drive.rate,
        parts: drive.parts.clone(),
        busy: drive.busy,
    };
    let latency = &run.latency;
    let shares = latency.percentiles.iter().map(|&(percent, time)| (percent / 100.0, time));
    let shares = std::iter::once((0.0, latency.least)).chain(shares).chain([(1.0, latency.greatest)]);
    BenchRun {
        subset: run.point.subset.clone(),
        drives: run.drives.iter().map(drive).collect(),
        limit: limit_of(prepared, limits, run).map(|limit| (limit.rate, limit.by)),
        latencies: shares.collect(),
        blocks: latency.count,
    }
}
