//! How much memory long runs and large machines take, and how long they take: 100 million TLPs of one card, then 1,000 and
//! 4,000 cards in Segment Groups with 16 KiB each. Peak memory is the process's so far, so that the small ones come
//! first. `make bench` prints it.

use lanescope_sim::run;
use std::time::Instant;
use system::Scenario;
use system::description::Description;
use system::experiment::Point;

const LONG: &str = "\
title: one card
parts:
  host: { part: generic/gen5-host, slots: { pcie: gen4 x8 } }
  card: { part: generic/gen4-card }
links:
  - host.pcie - card.pcie
experiments:
  write: { operation: dma-write, drive: card, command: 12800000000 B, volume: 12800000000 B, flows: ['card -> host'], axes: { payload: [128] } }
";

/// Cards behind one root port: behind eight leaves of 25 each.
const BELOW: usize = 200;

fn many(cards: usize) -> String {
    let roots = cards / BELOW;
    let leaves = 8 * roots;
    format!(
        "\
title: {cards} cards behind {roots} root ports
parts:
  host: {{ part: generic/gen5-host, slots: {{ 'pcie[{roots}]': gen4 x16 }} }}
  spine: {{ part: generic/gen4-switch, count: {roots}, ports: {{ up: gen4 x16, 'down[8]': gen4 x8 }} }}
  leaf: {{ part: generic/gen4-switch, count: {leaves}, ports: {{ up: gen4 x8, 'down[25]': gen4 x4 }} }}
  card: {{ part: generic/gen4-card, count: {cards} }}
links:
  - host.pcie[i] - spine[i].up
  - spine[i].down[j] - leaf[8*i + j].up
  - leaf[i].down[j] - card[25*i + j].pcie
settings: {{ bars: above 4 GiB, segments: root-port }}
experiments:
  write: {{ operation: dma-write, drive: card, command: 16 KiB, volume: 16 KiB, flows: ['card[i] -> host'] }}
"
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Numbers of cards may be named instead.
    let asked: Vec<usize> = std::env::args().skip(1).filter_map(|n| n.parse().ok()).collect();
    if asked.is_empty() {
        print(&scenario(LONG, "payload=128")?)?;
    }
    for &cards in if asked.is_empty() { &[1000, 4000] } else { &asked[..] } {
        print(&scenario(&many(cards), "")?)?;
    }
    Ok(())
}

fn scenario(text: &str, point: &str) -> Result<Scenario, Box<dyn std::error::Error>> {
    let description = Description::from_text("sizes.yaml", text)?;
    let experiment = description.experiments().first().ok_or("no experiment")?;
    let point = if point.is_empty() { Point::default() } else { Point::parse(point).ok_or("no point")? };
    Ok(description.scenario(experiment, &point)?)
}

fn print(scenario: &Scenario) -> Result<(), Box<dyn std::error::Error>> {
    let started = Instant::now();
    let outcome = run(scenario, &dma::options())?;
    println!(
        "{} flows, {:.1} M TLPs on {} links: {:.1} s, at most {:.0} MB of memory",
        scenario.flows.len(),
        outcome.tlp_hops as f64 * 1e-6,
        scenario.system.links.len(),
        started.elapsed().as_secs_f64(),
        peak_memory_mb()
    );
    Ok(())
}

/// The most memory that this process has held (Linux; zero elsewhere).
fn peak_memory_mb() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(0.0) * 1024e-6
}
