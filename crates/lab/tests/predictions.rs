//! Does the model reproduce what the authors of the 2008 card expected of changes that they could not make, with no
//! figure fitted to it?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_lab::{At, DescribedMachine, Quality, Unit, metric};
use pcie::Time;
use system::FieldType;

const SYSTEM: &str = "kfcr-5400";

/// The rate in MB/s at x4 with the authors' own core.
fn rate(sets: &[String], experiment: &str, size: u64) -> f64 {
    let machine = DescribedMachine::open(SYSTEM, sets).unwrap();
    let experiment = machine.description().experiment(experiment).unwrap();
    let at = At::parse(&format!("core=kf;lanes=4;size={size}")).unwrap();
    let mut scenario = machine.job(experiment, at).unwrap().scenario;
    for flow in &mut scenario.flows {
        flow.volume.0 = flow.volume.0.min(64 * flow.command.0);
    }
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    metric::simulated(Quality::THROUGHPUT, Unit::MbPerS, &scenario, &outcome).unwrap()
}

/// Overrides that halve all parts of the read latency.
fn half_the_latency() -> Vec<String> {
    let system = DescribedMachine::open(SYSTEM, &[]).unwrap().description().system().unwrap();
    let fields = [("host", "read_latency"), ("card", "tx_latency"), ("card", "rx_latency")];
    let halved = fields.iter().filter_map(|(part, field)| {
        let part_figures = &system.part(system.part_named(part).unwrap()).figures;
        let figure = part_figures.iter().find(|figure| figure.field == *field)?;
        let half = Time::parse(&figure.value).unwrap() / 2;
        Some(format!("{part}.{field}={} fs", half.as_fs()))
    });
    halved.collect()
}

fn mps_512() -> Vec<String> {
    vec!["host.mps=512".to_string(), "card.mps=512".to_string()]
}

fn passes_pio_from(sets: &[String], below: u64, above: u64) -> bool {
    let passes = |size| rate(sets, "dma-read", size) > rate(sets, "pio-write", size);
    !passes(below) && passes(above)
}

#[test]
fn does_a_dma_read_stay_under_a_pio_write_as_things_were() {
    assert!(rate(&[], "dma-read", 1 << 20) < rate(&[], "pio-write", 1 << 20));
}

#[test]
fn does_mps_512_let_a_dma_read_pass_a_pio_write_from_some_10_kb_on() {
    assert!(passes_pio_from(&mps_512(), 4096, 16384));
}

#[test]
fn does_half_the_latency_let_a_dma_read_pass_a_pio_write_from_some_10_kb_on() {
    assert!(passes_pio_from(&half_the_latency(), 4096, 16384));
}

#[test]
fn do_more_requests_in_flight_hide_the_latency() {
    let [one, two, four] = [1, 2, 4].map(|n| rate(&[format!("card.read_requests={n}")], "dma-read", 32768));
    assert!(two > 1.1 * one, "{one} {two}");
    // From this size on the link is full.
    assert!(four < 1.05 * two, "{two} {four}");
}
