//! How fast a trace is written: the eight-card rig with a million TLPs and more on its links, simulated without a trace
//! and with one in each format, into a file in the folder for temporary files. `make bench` prints the ratios.
//!
//! The ratio is of wall time, best of several rounds. On a machine that has other work it says little: beside it stands
//! the processor time of the simulating thread and of the writing one (where Linux tells), the longer of which is what
//! the run takes where both have a core of their own.

use lanescope_trace::{Chosen, Format, Summary, Writer};
use sim::{run, run_traced};
use std::fs::File;
use std::path::Path;
use std::time::Instant;
use system::Scenario;
use system::description::Description;
use system::experiment::Point;

const ROUNDS: usize = 5;
/// Twice that of the experiment.
const VOLUME_FACTOR: u64 = 2;
/// What must be reached.
const LEAST: f64 = 1.0 / 3.0;

/// Seconds that a run took.
#[derive(Clone, Copy, Debug)]
struct Took {
    wall: f64,
    /// Processor time of the simulating thread, and of all others, where the system tells.
    threads: Option<(f64, f64)>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scenario = scenario()?;
    let mut best = [Took { wall: f64::INFINITY, threads: None }; 3];
    let mut hops = 0;
    let mut summaries = [None; 2];
    for _ in 0..ROUNDS {
        let (took, outcome) = timed(|| Ok(run(&scenario, &dma::options())?))?;
        hops = outcome.tlp_hops;
        best[0] = best[0].better(took);
        for (n, format) in [Format::Pcapng, Format::Perfetto].into_iter().enumerate() {
            let path = std::env::temp_dir().join(format!("lanescope-bench-{}.trace", std::process::id()));
            let (took, summary) = timed(|| traced(&scenario, format, &path))?;
            std::fs::remove_file(&path)?;
            best[n + 1] = best[n + 1].better(took);
            summaries[n] = Some(summary);
        }
    }
    let [without, traced @ ..] = best;
    println!("{hops} TLPs on links without a trace: {:.2} M TLPs/s", hops as f64 / without.wall * 1e-6);
    for ((name, took), summary) in ["pcapng", "Perfetto"].iter().zip(traced).zip(summaries.iter().flatten()) {
        let Summary { tlps, dllps, bytes } = summary;
        println!(
            "with a {name} trace of {tlps} TLPs and {dllps} DLLPs, {:.0} MB: {:.2} M TLPs/s, ratio {:.2} (bound {LEAST:.2})",
            *bytes as f64 * 1e-6,
            hops as f64 / took.wall * 1e-6,
            without.wall / took.wall
        );
        if let (Some((alone, _)), Some((simulating, writing))) = (without.threads, took.threads) {
            println!(
                "  processor time: {alone:.2} s without, {simulating:.2} s simulating and {writing:.2} s writing with it; \
                 a core for each gives {:.2}",
                alone / simulating.max(writing)
            );
        }
    }
    Ok(())
}

impl Took {
    /// The shorter times of both.
    fn better(self, other: Took) -> Took {
        let threads = match (self.threads, other.threads) {
            (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.min(b.1))),
            (a, b) => a.or(b),
        };
        Took { wall: self.wall.min(other.wall), threads }
    }
}

fn scenario() -> Result<Scenario, Box<dyn std::error::Error>> {
    let description = Description::bundled("rosta-rb8v7")?;
    let point = Point::parse("devices=8").ok_or("a point is axis=value pairs")?;
    let mut scenario = description.scenario(description.experiment("host-write-many")?, &point)?;
    for flow in &mut scenario.flows {
        flow.volume.0 *= VOLUME_FACTOR;
    }
    Ok(scenario)
}

/// From the start of the run to the end of the file.
fn traced(scenario: &Scenario, format: Format, path: &Path) -> Result<Summary, Box<dyn std::error::Error>> {
    let mut writer = Writer::new(File::create(path)?, format, Chosen::default(), "bench");
    run_traced(scenario, &dma::options(), &mut writer)?;
    Ok(writer.finish()?)
}

type Answer<T> = Result<T, Box<dyn std::error::Error>>;

fn timed<T>(what: impl FnOnce() -> Answer<T>) -> Answer<(Took, T)> {
    let (started, before) = (Instant::now(), processor());
    let answer = what()?;
    let threads = before.zip(processor()).map(|(before, after)| {
        let own = after.0 - before.0;
        (own, (after.1 - before.1 - own).max(0.0))
    });
    Ok((Took { wall: started.elapsed().as_secs_f64(), threads }, answer))
}

/// Processor time so far, of this thread and of the whole process, ended threads included: proc_pid_schedstat(5) and
/// proc_pid_stat(5), whose ticks are hundredths of a second.
fn processor() -> Option<(f64, f64)> {
    let own = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let own: f64 = own.split(' ').next()?.parse().ok()?;
    let all = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program, in brackets, may hold blanks.
    let fields = all.rsplit(')').next()?.split(' ');
    let ticks: Vec<f64> = fields.skip(12).take(2).filter_map(|field| field.parse().ok()).collect();
    Some((own * 1e-9, ticks.iter().sum::<f64>() * 1e-2))
}
