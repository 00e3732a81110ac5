//! Does an NVMe host in logic give what its datapath, its memory and the state of the drive allow?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use sim::Outcome;
use system::{Description, Point, Scenario};

fn scenario(machine: &str, point: &[(&str, &str)], settings: &[&str]) -> Scenario {
    let _ = lanescope_storage::register();
    let mut description = Description::bundled(machine).unwrap();
    settings.iter().for_each(|setting| description.set(setting).unwrap());
    let point = point.iter().fold(Point::default(), |point, (axis, value)| point.with(axis, value));
    description.scenario(description.experiment("sequential").unwrap(), &point).unwrap()
}

/// What is simulated and the limit, of all flows, MB/s.
fn both(point: &[(&str, &str)], settings: &[&str]) -> (f64, f64, Outcome) {
    let scenario = scenario("bit-nvme-vc707", point, settings);
    let outcome = sim::run(&scenario, &sim::Options::default()).unwrap();
    let simulated = outcome.flows.iter().map(|flow| flow.stream.unwrap().as_mb_per_s()).sum();
    let limit = limit::limit(&scenario).together.iter().map(|flow| flow.stream.as_mb_per_s()).sum();
    (simulated, limit, outcome)
}

const DEEP: &str = "experiments.sequential.queue_depth=8";
const FREE: &str = "ssd.program_time=20 us";

fn point(op: &'static str) -> [(&'static str, &'static str); 3] {
    [("gen", "2"), ("op", op), ("drives", "1")]
}

#[test]
fn does_a_datapath_take_whole_cycles_and_lose_some_with_each_tlp() {
    // 125 MHz: 128 bytes are 8 cycles of 16 bytes, and completions of 64 bytes are 4.
    let short = ["fpga.completion_bytes=64", "fpga.reads_at_once=none"];
    for (op, idle, cycles, bytes) in [("read", 2, 10.0, 128.0), ("read", 5, 13.0, 128.0), ("write", 3, 7.0, 64.0)] {
        let idle_cycles = format!("fpga.idle_cycles={idle}");
        let (simulated, limit, _) = both(&point(op), &[&[DEEP, FREE, &idle_cycles], &short[..]].concat());
        let by_hand = bytes / cycles * 125.0;
        assert!((limit / by_hand - 1.0).abs() < 0.01, "{op} {idle}: limit {limit}, by hand {by_hand}");
        assert!((simulated / by_hand - 1.0).abs() < 0.01, "{op} {idle}: {simulated}, by hand {by_hand}");
    }
    // A datapath that is as wide as two links is no limit: what is left is the link's.
    let (wide, limit, _) = both(&point("read"), &[DEEP, FREE, "fpga.core_width=64 B", "fpga.idle_cycles=0"]);
    let link = 2000.0 * 128.0 / 148.0;
    assert!((wide / link - 1.0).abs() < 0.01 && (wide / limit - 1.0).abs() < 0.01, "{wide} {limit} {link}");
}

#[test]
fn does_the_datapath_keep_its_clock_where_the_link_trains_low() {
    // 10 cycles of 8 ns for 128 bytes hide behind 148 bytes of a Gen1 link, in both directions; at half of that clock they do not.
    let wire = 1000.0 * 128.0 / 148.0;
    for op in ["read", "write"] {
        let at = [("gen", "1"), ("op", op), ("drives", "1")];
        let (simulated, limit, _) = both(&at, &[DEEP, FREE]);
        assert!(
            simulated / wire > 0.98 && simulated <= limit && limit <= wire,
            "{op}: {simulated} of {limit} of {wire}"
        );
        let (slow, _, _) = both(&at, &[DEEP, FREE, "fpga.slots.m2=gen1 x4"]);
        assert!((slow / (128.0 / 10.0 * 62.5) - 1.0).abs() < 0.01, "{op}: {slow}");
    }
}

#[test]
fn does_a_completer_that_fetches_for_one_request_at_a_time_cost_what_a_read_takes() {
    // 512 bytes in 100 cycles of 5 ns.
    let at = |reads: &str| {
        both(&point("write"), &[DEEP, FREE, "fpga.read_cycles=100", &format!("fpga.reads_at_once={reads}")])
    };
    let (one, limit, _) = at("1");
    let by_hand = 512.0 / 0.5;
    assert!(
        (one / by_hand - 1.0).abs() < 0.01 && (limit / by_hand - 1.0).abs() < 0.01,
        "{one} of {limit}, by hand {by_hand}"
    );
    let (two, all) = (at("2").0, at("none").0);
    assert!(two > 1.3 * one && (two / all - 1.0).abs() < 0.01, "{one} {two} {all}");
}

#[test]
fn is_a_completion_seen_when_the_data_before_it_is_in_memory() {
    // Without credits that end, data waits at the root port; its completion must wait behind it.
    let (simulated, _, outcome) = both(&point("read"), &[DEEP, "fpga.idle_cycles=8"]);
    let (flow, depth) = (&outcome.flows[0], 8.0);
    let little = flow.latency.mean.as_secs() * simulated * 1e6 / f64::from(128 << 10);
    assert!((little / depth - 1.0).abs() < 0.01, "{little} of {depth} in flight");
    assert!(flow.app.as_mb_per_s() < simulated * 1.001, "{} {simulated}", flow.app.as_mb_per_s());
}

#[test]
fn does_the_memory_port_bound_all_links_together_in_both_directions() {
    // 4 bytes a cycle at 200 MHz, and one cycle lost with each burst of 128 bytes.
    let by_hand = 128.0 / 33.0 * 200.0;
    for op in ["read", "write"] {
        let point = [("gen", "2"), ("op", op), ("drives", "2")];
        let (simulated, limit, _) = both(&point, &[DEEP, FREE, "fpga.memory_width=4 B"]);
        assert!((simulated / by_hand - 1.0).abs() < 0.01, "{op}: {simulated}, by hand {by_hand}");
        assert!(limit > 0.996 * simulated && limit < 1.03 * simulated, "{op}: {simulated} of {limit}");
    }
}

#[test]
fn does_a_drive_write_fast_until_its_cache_is_full() {
    let rate = |settings: &[&str]| {
        let slow = ["fpga.idle_cycles=0", "fpga.core_width=64 B", "fpga.reads_at_once=none", DEEP];
        let (simulated, limit, _) = both(&point("write"), &[&slow, settings].concat());
        assert!(simulated < 1.004 * limit && simulated > 0.96 * limit, "{settings:?}: {simulated} of {limit}");
        simulated
    };
    // 64 dies with 16 KiB each, which come over a channel of 533 MB/s before.
    let by_hand = |micros: f64| 64.0 * 16384.0 / (micros + 16384.0 / 533.0);
    let (cached, beyond) = (rate(&["ssd.slc_program_time=900 us"]), rate(&["ssd.written=42 GB"]));
    assert!((cached / by_hand(900.0) - 1.0).abs() < 0.01, "{cached}");
    assert!((beyond / by_hand(690.0) - 1.0).abs() < 0.01, "{beyond}");
    // Garbage collection moves a page for each that is written, but not for what is written in order.
    let dirty = ["ssd.written=42 GB", "ssd.clean=10 GB", "ssd.collected=1"];
    assert!((rate(&dirty) / beyond - 1.0).abs() < 0.01);
    let random = rate(&[&dirty[..], &["experiments.sequential.pattern=random"]].concat());
    assert!((random / by_hand(690.0 * 2.0 + 70.0) - 1.0).abs() < 0.01, "{random}");
}

#[test]
fn does_reading_ahead_hide_the_flash_from_one_command_at_a_time() {
    let read = |ahead: &str| both(&point("read"), &[&format!("ssd.read_ahead={ahead}")]).0;
    let (ahead, alone) = (read("1 MiB"), read("0 B"));
    assert!(ahead > 1.5 * alone, "{ahead} {alone}");
    // What the dies give together bounds what is read ahead: 2 of them with 16 KiB in 70 us.
    let few = both(&point("read"), &["ssd.dies=2"]).0;
    assert!((few / (2.0 * 16384.0 / 70.0) - 1.0).abs() < 0.02, "{few}");
}

#[test]
fn is_a_link_that_trains_low_named_and_does_it_cost_its_own_drive_only() {
    let scenario = scenario("bit-nvme-vc707", &[("gen", "2"), ("op", "read"), ("drives", "2")], &[]);
    let low = self::scenario("bit-nvme-vc707", &[("op", "read"), ("drives", "2")], &["links.1.gen=1"]);
    let rates = |scenario: &Scenario| -> Vec<f64> {
        let outcome = sim::run(scenario, &sim::Options::default()).unwrap();
        outcome.flows.iter().map(|flow| flow.stream.unwrap().as_mb_per_s()).collect()
    };
    let (good, low_rates) = (rates(&scenario), rates(&low));
    assert!((low_rates[0] / good[0] - 1.0).abs() < 0.01, "{good:?} {low_rates:?}");
    assert!(low_rates[1] < 0.6 * good[1], "{good:?} {low_rates:?}");
    assert_eq!(low.system.links[1].why.to_string(), "Gen1 of Gen3: the link is held to it");
}
