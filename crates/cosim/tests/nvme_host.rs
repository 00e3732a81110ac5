#![allow(clippy::unwrap_used)]
//! Does the NVMe host's gateware bring the simulated drives up, and move every byte of their blocks?

mod common;
use common::{absent, assert_whole};
use cosim::Cosim;
use pcie::Bytes;
use sim::{Options, Outcome, SimError, run};
use system::Scenario;
use system::description::Description;
use system::experiment::Point;

const KIB: u64 = 1 << 10;
const COMPILED: &str = "fpga.gateware=nvme_host";

/// A point of a board of the published host, with `volume` bytes a flow.
fn board(name: &str, point: &str, volume: u64, overrides: &[&str]) -> Scenario {
    let _ = storage::register();
    let mut description = Description::bundled(name).unwrap();
    overrides.iter().for_each(|text| description.set(text).unwrap());
    let experiment = description.experiment("sequential").unwrap();
    let mut scenario = description.scenario(experiment, &Point::parse(point).unwrap()).unwrap();
    scenario.integrity = true;
    scenario.flows.iter_mut().for_each(|flow| flow.volume = Bytes(volume));
    scenario
}

fn ran(scenario: &Scenario) -> Result<Outcome, SimError> {
    let cosim = Cosim::default();
    run(scenario, &Options { kinds: &[&cosim], ..Options::default() })
}

#[test]
fn does_the_host_move_every_byte_of_a_drive() {
    if absent("does_the_host_move_every_byte_of_a_drive") {
        return;
    }
    for op in ["read", "write"] {
        let scenario = board("bit-nvme-vc707", &format!("gen=2;drives=1;op={op}"), 1024 * KIB, &[COMPILED]);
        let outcome = ran(&scenario).unwrap();
        println!("{op}: {:?} {:?}", outcome.flows[0].stream, outcome.flows[0].app);
        assert_whole(&outcome.flows[0], 1024 * KIB);
    }
}
