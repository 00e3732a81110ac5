//! How fast drives are simulated: 24 drives behind two switches, random reads of 4 KiB at a depth of 64, and TLP-hops a second
//! beside those of the eight-card rig in the same run. `make bench` prints both.

use sim::{Options, Outcome, run};
use std::time::Instant;
use system::{Description, Point};

const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    lanescope_storage::register()?;
    let (mut commands, mut hops, mut rig): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for _ in 0..ROUNDS {
        let (seconds, outcome) = one("nvme-server-24", "random", "jobs=1;sockets=one")?;
        let done: u64 = outcome.flows.iter().map(|flow| flow.latency.count).sum();
        commands = commands.max(done as f64 / seconds);
        hops = hops.max(outcome.tlp_hops as f64 / seconds);
        let (seconds, outcome) = one("rosta-rb8v7", "host-write-many", "devices=8")?;
        rig = rig.max(outcome.tlp_hops as f64 / seconds);
    }
    println!("24 drives, random reads of 4 KiB at a depth of 64: {commands:.0} commands a second");
    let share = hops / rig;
    println!("{:.2} M TLP-hops/s, {share:.2} of the {:.2} M of the eight-card rig", hops * 1e-6, rig * 1e-6);
    Ok(())
}

/// Seconds that a point took, and what it did.
fn one(machine: &str, experiment: &str, point: &str) -> Result<(f64, Outcome), Box<dyn std::error::Error>> {
    let description = Description::bundled(machine)?;
    let point = Point::parse(point).ok_or("a point is axis=value pairs")?;
    let scenario = description.scenario(description.experiment(experiment)?, &point)?;
    let started = Instant::now();
    let outcome = run(&scenario, &Options { kinds: dma::KINDS, ..Options::default() })?;
    Ok((started.elapsed().as_secs_f64(), outcome))
}
