//! Limit and simulation agree on the described machines, at every point of their experiments.

use lanescope_limit::limit;
use system::{Description, Operation};

/// Largest amount by which a flow may be above its limit.
const TOLERANCE: f64 = 0.006;

/// Largest amount by which a flow that runs alone may be below its limit.
const GENEROUS: f64 = 0.03;

/// Volumes are reduced to this, in whole commands. It is long enough for a steady state.
const VOLUME: u64 = 4 << 20;

#[test]
fn do_limit_and_sim_agree_on_the_machines_that_come_with_the_program() {
    let (mut points, mut apart) = (0, Vec::new());
    for name in ["rosta-rb8v7", "kfcr-5400", "kfcr-x38"] {
        let description = Description::bundled(name).unwrap();
        for experiment in description.experiments() {
            for point in experiment.points() {
                let Ok(mut scenario) = description.scenario(experiment, &point) else { continue };
                for flow in &mut scenario.flows {
                    let commands = (VOLUME / flow.command.0).max(1);
                    flow.volume.0 = flow.volume.0.min(flow.command.0 * commands);
                }
                let many = scenario.flows.len() > 1;
                let (limits, outcome) = (limit(&scenario), sim::run(&scenario, &dma::options()).unwrap());
                for ((flow, l), o) in scenario.flows.iter().zip(&limits.together).zip(&outcome.flows) {
                    points += 1;
                    assert!((l.budget.sum() - 1.0).abs() < 1e-9);
                    let off = o.stream.unwrap().0 / l.stream.0 - 1.0;
                    let low = !many && off < -GENEROUS;
                    if off > TOLERANCE || low || (many && off < -0.03) {
                        let (limit, sim) = (l.stream.as_mib_per_s(), o.stream.unwrap().as_mib_per_s());
                        println!(
                            "{name} {} {point:?} {}: limit {limit:.1} sim {sim:.1} {:+.2} % [{}]",
                            experiment.name,
                            flow.name,
                            100.0 * off,
                            l.bottleneck
                        );
                    }
                    if (off > TOLERANCE || low) && flow.operation != Operation::Loopback {
                        apart.push(flow.name.clone());
                    }
                }
            }
        }
    }
    println!("{points} flows, {} apart", apart.len());
    assert!(apart.len() * 50 <= points, "{} of {points} apart", apart.len());
}
