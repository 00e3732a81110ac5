//! Measures the time for large machines: to read, to settle, to show, and to compute the limits of all their flows at
//! once. The machines have 1024 cards below two levels of switches, and 4000 cards in 25 Segment Groups. Prints the
//! shortest of several runs for each operation, or for those named as arguments.

use lanescope_limit::limit;
use std::time::{Duration, Instant};
use system::{Description, Point};

/// Number of root ports, of switches below each spine, and of cards below each of those.
const MACHINES: [[u64; 3]; 2] = [[8, 16, 8], [25, 16, 10]];

/// Number of runs. The fastest counts, because the machine has other work too.
const RUNS: usize = 5;

fn text([roots, leaves, cards]: [u64; 3]) -> String {
    let (all_leaves, all) = (roots * leaves, roots * leaves * cards);
    let flow = |operation: &str, flow: &str| {
        format!(
            "  {operation}: {{ operation: {operation}, command: 1 MiB, volume: 16 MiB, flows: ['{flow}'], measures: [throughput_per_flow] }}\n"
        )
    };
    let flows = [
        flow("dma-write", "card[i] -> host"),
        flow("dma-read", "host -> card[i]"),
        flow("p2p-write", &format!("card[i] -> card[{} - i]", all - 1)),
    ];
    format!(
        "parts:
  host:   {{ part: generic/gen5-host, slots: {{ 'pcie[{roots}]': gen5 x16 }} }}
  spine:  {{ part: generic/gen4-switch, count: {roots}, ports: {{ up: gen4 x16, 'down[{leaves}]': gen4 x8 }} }}
  leaf:   {{ part: generic/gen4-switch, count: {all_leaves}, ports: {{ up: gen4 x8, 'down[{cards}]': gen4 x4 }} }}
  card:   {{ part: generic/gen4-card, count: {all} }}
links:
  - host.pcie[i] - spine[i].up
  - spine[i].down[j] - leaf[{leaves}*i + j].up
  - leaf[i].down[j] - card[{cards}*i + j].pcie
settings: {{ bars: above 4 GiB, segments: root-port }}
experiments:
{}",
        flows.concat()
    )
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    for machine in MACHINES {
        of(&text(machine), machine.iter().product(), &asked)?;
    }
    Ok(())
}

fn of(text: &str, cards: u64, asked: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let description = Description::from_text("thousand.yaml", text)?;
    let (system, described) = least(|| Description::from_text("thousand.yaml", text)?.system())?;
    let (tree, shown) = least(|| Ok(system::tree::show(&system)))?;
    let (described, shown) = (ms(described), ms(shown));
    println!(
        "{cards} cards: described and settled in {described:.1} ms, shown in {shown:.1} ms ({} lines)",
        tree.lines().count()
    );
    for experiment in description.experiments().iter().filter(|e| asked.is_empty() || asked.contains(&e.name)) {
        let (scenario, put) = least(|| description.scenario(experiment, &Point::default()))?;
        let (limits, found) = least(|| Ok(limit(&scenario)))?;
        let slowest = limits.together.iter().map(|l| l.stream.as_mib_per_s()).fold(f64::INFINITY, f64::min);
        let (name, flows) = (&experiment.name, scenario.flows.len());
        println!(
            "  {name:10} {flows} flows: put together in {:.1} ms, limits in {:.2} ms; the slowest gets {slowest:.1} MiB/s",
            ms(put),
            ms(found)
        );
    }
    Ok(())
}

/// The result, and the shortest time to compute it.
fn least<T>(once: impl Fn() -> Result<T, system::Error>) -> Result<(T, Duration), system::Error> {
    let mut best: Option<(T, Duration)> = None;
    for _ in 0..RUNS {
        let begun = Instant::now();
        let answer = once()?;
        let took = begun.elapsed();
        if best.as_ref().is_none_or(|(_, least)| took < *least) {
            best = Some((answer, took));
        }
    }
    match best {
        Some(best) => Ok(best),
        None => once().map(|answer| (answer, Duration::ZERO)),
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
