//! How long `limit` takes for random systems of all kinds, and whether any simulated rate is above it.
//!
//! `random_limits [COUNT] [EVERY] [FIRST]` asks for the limits of COUNT systems (10,000), and simulates each EVERYth of them
//! (none). `random_limits show SEED` prints the system of a seed. It prints percentiles of the CPU time and fails where one of a hundred takes more than the bound allows, or a
//! rate is above what no run may exceed.

mod random;

use lanescope_lab::above;
use random::{cpu, number, scenario, shown};
use std::process::ExitCode;
use std::time::Duration;
use testing::described::described;

/// The bound for 95 % of the systems, and for each.
const MOST: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

fn main() -> ExitCode {
    if let Err(error) = storage::register() {
        eprintln!("{error}");
        return ExitCode::from(2);
    }
    if let Some(seed) = shown() {
        print!("{}", described(seed));
        return ExitCode::SUCCESS;
    }
    let (count, every, first) = (number(1, 10_000), number(2, 0), number(3, 0));
    let (mut times, mut flows, mut wrong, mut simulated) = (Vec::new(), 0, 0, 0);
    for seed in first..first + count {
        let Some(scenario) = scenario(&described(seed)) else { continue };
        let before = cpu();
        let limits = limit::limit(&scenario);
        let bound = limits.bound();
        times.push((cpu() - before, seed));
        flows += scenario.flows.len();
        assert!(bound.0.is_finite() && bound.0 > 0.0, "seed {seed}: {bound:?}");
        if every > 0 && seed % every == 0 {
            let Ok(outcome) = sim::run(&scenario, &dma::options()) else { continue };
            simulated += 1;
            for above in above::of(&scenario, &limits, &outcome) {
                println!("seed {seed}: {above}");
                wrong += 1;
            }
        }
    }
    times.sort();
    let at = |share: f64| times.get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)));
    println!("{} of {count} systems make sense, {flows} flows", times.len());
    for (share, name) in [(0.5, "median"), (0.95, "95 %"), (0.99, "99 %"), (0.999, "99.9 %"), (1.0, "longest")] {
        if let Some((time, seed)) = at(share) {
            println!("  {name:8} {:9.3} ms of CPU (seed {seed})", time.as_secs_f64() * 1e3);
        }
    }
    println!("{simulated} simulated, {wrong} rates above their limits");
    let late = |share: f64, most: Duration| at(share).is_none_or(|(time, _)| *time > most);
    if late(0.95, MOST.0) || late(1.0, MOST.1) || wrong > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
