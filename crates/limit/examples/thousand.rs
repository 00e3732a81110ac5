//! How long the limits of a thousand endpoints take: a described machine with 1024 cards behind two levels of
//! switches, all flows at once. Prints the least of some runs for each operation (or for those named as arguments).

use lanescope_limit::limit;
use std::time::{Duration, Instant};
use system::{Description, Point};

const MACHINE: &str = "\
title: 1024 cards behind eight root ports
parts:
  host:   { part: generic/gen5-host, slots: { 'pcie[8]': gen5 x16 } }
  spine:  { part: generic/gen4-switch, count: 8, ports: { up: gen4 x16, 'down[16]': gen4 x8 } }
  leaf:   { part: generic/gen4-switch, count: 128, ports: { up: gen4 x8, 'down[8]': gen4 x4 } }
  card:   { part: generic/gen4-card, count: 1024 }
links:
  - host.pcie[i] - spine[i].up
  - spine[i].down[j] - leaf[16*i + j].up
  - leaf[i].down[j] - card[8*i + j].pcie
settings: { bars: above 4 GiB, segments: root-port }
experiments:
  dma-write: { operation: dma-write, command: 1 MiB, volume: 16 MiB, flows: ['card[i] -> host'], measures: [throughput_per_flow] }
  dma-read: { operation: dma-read, command: 1 MiB, volume: 16 MiB, flows: ['host -> card[i]'], measures: [throughput_per_flow] }
  p2p-write: { operation: p2p-write, command: 1 MiB, volume: 16 MiB, flows: ['card[i] -> card[1023 - i]'], measures: [throughput_per_flow] }
";

/// Runs of which the quickest counts: the machine has other work, too.
const RUNS: usize = 7;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let begun = Instant::now();
    let description = Description::from_text("thousand.yaml", MACHINE)?;
    println!("described and checked in {:.1} ms", ms(begun.elapsed()));
    let asked: Vec<String> = std::env::args().skip(1).collect();
    for experiment in description.experiments().iter().filter(|e| asked.is_empty() || asked.contains(&e.name)) {
        let scenario = description.scenario(experiment, &Point::default())?;
        let mut best = Duration::MAX;
        let mut slowest_mib = f64::INFINITY;
        for _ in 0..RUNS {
            let begun = Instant::now();
            let limits = limit(&scenario);
            best = best.min(begun.elapsed());
            slowest_mib = limits.together.iter().map(|l| l.stream.as_mib_per_s()).fold(slowest_mib, f64::min);
        }
        let flows = scenario.flows.len();
        println!("{:10} {flows} flows: {:.2} ms; the slowest gets {slowest_mib:.1} MiB/s", experiment.name, ms(best));
    }
    Ok(())
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
