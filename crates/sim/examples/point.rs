//! One point of an experiment, simulated: `cargo run --release -p lanescope-sim --example point -- rosta-rb8v7
//! p2p-write 'flows=4;payload=128' [path=value ...]`.

use lanescope_sim::run;
use system::description::Description;
use system::experiment::Point;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [system, experiment, at, overrides @ ..] = arguments.as_slice() else {
        return Err("usage: point SYSTEM EXPERIMENT AXIS=VALUE;... [PATH=VALUE ...]".into());
    };
    let mut description = Description::open(system)?;
    for assignment in overrides {
        description.set(assignment)?;
    }
    let experiment = description.experiment(experiment)?;
    let point = Point::parse(at).ok_or("no point")?;
    let scenario = description.scenario(experiment, &point)?;
    let started = std::time::Instant::now();
    let outcome = run(&scenario, &dma::options())?;
    let seconds = started.elapsed().as_secs_f64();
    for (flow, done) in scenario.flows.iter().zip(&outcome.flows) {
        println!(
            "{}: stream {:.1} MiB/s, timer {:.1} MiB/s, app {:.1} MiB/s = {:.2} MB/s, latency {} ({} .. {})",
            flow.name,
            done.stream.unwrap_or_default().as_mib_per_s(),
            done.timer.as_mib_per_s(),
            done.app.as_mib_per_s(),
            done.app.as_mb_per_s(),
            done.latency.median,
            done.latency.min,
            done.latency.max
        );
        for (share, part) in done.budget.shares() {
            println!("    {:5.2} % {share}", part * 100.0);
        }
    }
    for (direction, rate) in &outcome.directions {
        println!("{}: {:.1} MiB/s payload", scenario.system.direction_name(*direction), rate.as_mib_per_s());
    }
    println!(
        "{} events, {} hops, {:.2} M hops/s, end {}",
        outcome.events,
        outcome.tlp_hops,
        outcome.tlp_hops as f64 / seconds * 1e-6,
        outcome.end
    );
    Ok(())
}
