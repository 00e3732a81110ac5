//! How fast a card with gateware runs: clocks a second of one busy card that writes to host memory, simulation included.
//! `make bench` prints it.

use cosim::Cosim;
use sim::{Options, run};
use std::time::Instant;
use system::description::Description;
use system::experiment::Point;

/// What is asked of one card on one core.
const ASKED: f64 = 500_000.0;
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if !cosim::is_there() {
        println!("no gateware is compiled in: {}", cosim::INSTALL);
        return Ok(());
    }
    let mut description = Description::bundled("rosta-rb8v7")?;
    description.set("card.part=lanescope/virtex7-pcie-dma")?;
    let experiment = description.experiment("host-write-many")?;
    let point = Point::parse("devices=1").ok_or("a point is axis=value pairs")?;
    let scenario = description.scenario(experiment, &point)?;
    let mut best = 0f64;
    for _ in 0..ROUNDS {
        let cosim = Cosim::default();
        let started = Instant::now();
        run(&scenario, &Options { kinds: &[&cosim, &dma::Cards], ..Options::default() })?;
        best = best.max(cosim.clocks().0 as f64 / started.elapsed().as_secs_f64());
    }
    println!("one card with gateware, 64 bit, writing 4 MiB: {best:.0} clocks/s (asked: {ASKED:.0})");
    Ok(())
}
