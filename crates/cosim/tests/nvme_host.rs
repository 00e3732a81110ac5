#![allow(clippy::unwrap_used)]
//! Does the NVMe host's gateware bring the simulated drives up, and move every byte of their blocks?

mod common;
use common::{absent, assert_near, assert_whole};
use cosim::Cosim;
use pcie::Bytes;
use sim::{Options, Outcome, SimError, run};
use system::Scenario;
use system::description::Description;
use system::experiment::Point;
use system::pattern::Order;

const KIB: u64 = 1 << 10;
const COMPILED: &str = "fpga.gateware=nvme_host";

/// A point of a board of the published host, with `volume` bytes a flow.
fn board(name: &str, point: &str, volume: u64, overrides: &[&str]) -> Scenario {
    let _ = storage::register();
    let mut description = Description::bundled(name).unwrap();
    // A bring-up of 2 ms is mostly polling.
    description.set("ssd.ready_latency=100 us").unwrap();
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

fn refusal(name: &str, point: &str, overrides: &[&str]) -> String {
    let scenario = board(name, point, 128 * KIB, &[&[COMPILED], overrides].concat());
    ran(&scenario).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn does_the_host_move_every_byte_of_its_drives_on_every_board() {
    if absent("does_the_host_move_every_byte_of_its_drives_on_every_board") {
        return;
    }
    for name in ["bit-nvme-vc707", "bit-nvme-zc706", "bit-nvme-zcu106"] {
        for (drives, op) in [(1, "read"), (1, "write"), (2, "read"), (2, "write")] {
            let gen_of = if name == "bit-nvme-zcu106" { 3 } else { 2 };
            let point = format!("gen={gen_of};drives={drives};op={op}");
            let outcome = ran(&board(name, &point, 512 * KIB, &[COMPILED])).unwrap();
            assert_eq!(outcome.flows.len(), drives);
            outcome.flows.iter().for_each(|flow| assert_whole(flow, 512 * KIB));
        }
    }
}

/// Blocks of a page, of one block, and of more than a command; one after another, several at once, and in random order.
#[test]
fn does_every_byte_come_in_blocks_of_any_size_and_order() {
    if absent("does_every_byte_come_in_blocks_of_any_size_and_order") {
        return;
    }
    for (block, depth, order) in
        [(512, 1, "sequential"), (4096, 8, "random"), (20 * 1024, 3, "random"), (131_072, 4, "sequential")]
    {
        for op in ["read", "write"] {
            let mut scenario = board("bit-nvme-vc707", &format!("gen=1;drives=1;op={op}"), 128 * KIB, &[COMPILED]);
            for flow in &mut scenario.flows {
                (flow.command, flow.volume) = (Bytes(block), Bytes(block * (128 * KIB / block).min(64)));
                flow.work.depth = depth;
                flow.work.order = if order == "random" { Order::Random } else { Order::Sequential };
            }
            let whole = scenario.flows[0].whole_volume().0;
            assert_whole(&ran(&scenario).unwrap().flows[0], whole);
        }
    }
}

#[test]
fn is_a_flipped_bit_of_a_drives_data_seen() {
    if absent("is_a_flipped_bit_of_a_drives_data_seen") {
        return;
    }
    let cosim = Cosim::default();
    // One of a few TLPs that come after each other carries data.
    let flips = 4000..4008;
    for op in ["read", "write"] {
        let scenario = board("bit-nvme-vc707", &format!("gen=2;drives=1;op={op}"), 1024 * KIB, &[COMPILED]);
        let wrong = flips.clone().map(|flip| {
            let options = Options { kinds: &[&cosim], flip, ..Options::default() };
            run(&scenario, &options).unwrap().flows[0].integrity.unwrap().wrong
        });
        let seen: Vec<u64> = wrong.collect();
        assert!(seen.contains(&1) && seen.iter().all(|wrong| *wrong <= 1), "{op}: {seen:?}");
    }
}

/// The gateware, and the behavioural host that gives the drive the same commands, where neither waits for the user.
#[test]
fn does_the_gateware_move_what_storage_predicts_for_it() {
    if absent("does_the_gateware_move_what_storage_predicts_for_it") {
        return;
    }
    for op in ["read", "write"] {
        let mut scenario = board("bit-nvme-vc707", &format!("gen=2;drives=1;op={op}"), 4096 * KIB, &[COMPILED]);
        scenario.flows[0].work.depth = 4;
        let counterpart = cosim::counterpart::host(&scenario);
        let rate = |scenario: &Scenario| ran(scenario).unwrap().flows[0].stream.unwrap().0;
        let (gateware, told) = (rate(&scenario), rate(&counterpart));
        println!("{op}: {:.1} MB/s, and {:.1} as predicted", gateware / 1e6, told / 1e6);
        assert_near(gateware, told, 5.0);
        assert_eq!(counterpart.flows[0].command, Bytes(16 * KIB));
        assert_eq!(counterpart.flows[0].work.depth, 4);
    }
}

#[test]
fn is_what_the_gateware_cannot_do_refused_with_what_would_be_right() {
    if absent("is_what_the_gateware_cannot_do_refused_with_what_would_be_right") {
        return;
    }
    let (name, point) = ("bit-nvme-vc707", "gen=2;drives=1;op=read");
    let told = |overrides: &[&str]| refusal(name, point, overrides);
    assert!(told(&["fpga.core_width=8 B"]).contains("core_width: 16 B"), "{}", told(&["fpga.core_width=8 B"]));
    assert!(told(&["fpga.memory_above_4g=yes"]).contains("memory_above_4g: no"));
    assert!(told(&["settings.mrrs=256"]).contains("mrrs: 512"));
    assert!(told(&["ssd.queues_in=drive", "ssd.bars=1 MiB"]).contains("queues_in: host"));
    assert!(told(&["ssd.fault=error"]).contains("fault: none"));
    assert!(told(&["experiments.sequential.jobs=2"]).contains("one flow with one job"));
    assert!(told(&["experiments.sequential.command=1000 B"]).contains("512 B"));
}

/// What a host makes of a demand, which the limit reads, is what the builds do.
#[test]
fn do_the_limit_and_the_builds_know_the_same_host() {
    for build in cosim::builds::HOST_BUILDS {
        assert_eq!(build.command, storage::nvme_host::COMMAND_BYTES);
        assert_eq!(build.commands, storage::nvme_host::COMMANDS);
        assert_eq!(build.buffer, storage::nvme_host::BUFFER_BYTES);
    }
}
