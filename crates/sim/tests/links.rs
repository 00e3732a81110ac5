//! Does a link carry what its generation, its width and its framing allow, and what does each mechanism of the
//! data link layer cost?

mod common;
use common::{assert_near, flow, latency_ns, near, rate, stream};
use system::{Share, Wait};

/// All links at one speed.
fn speed(link: &str) -> Vec<String> {
    ["host.ports.pcie", "switch.ports.up", "switch.ports.down", "card.ports.pcie"]
        .iter()
        .map(|port| format!("{port}={link}"))
        .collect()
}

fn at(experiment: &str, link: &str, more: &[&str]) -> f64 {
    let speed = speed(link);
    let overrides: Vec<&str> = speed.iter().map(String::as_str).chain(more.iter().copied()).collect();
    rate(experiment, &overrides)
}

const NO_SKP: [&str; 3] = ["host.skp=no", "switch.skp=no", "card.skp=no"];

#[test]
fn what_does_each_generation_and_width_carry() {
    for (generation, lane_bytes_per_s) in [(1, 250e6), (2, 500e6), (3, 8e9 / 8.0 * 128.0 / 130.0)] {
        for lanes in [1.0, 2.0, 4.0, 8.0, 12.0, 16.0] {
            let carried = at("write", &format!("gen{generation} x{lanes}"), &NO_SKP);
            let wire = lane_bytes_per_s * lanes * 128.0 / 152.0 * 1e-6;
            assert_near(carried, wire, 0.2);
        }
    }
}

#[test]
fn what_do_skps_cost() {
    let with = at("write", "gen2 x4", &[]);
    let without = at("write", "gen2 x4", &NO_SKP);
    assert_near(with / without, 1180.0 / 1184.0, 0.1);
    let sparse = ["host.skp_interval=1538", "switch.skp_interval=1538", "card.skp_interval=1538"];
    assert_near(at("write", "gen2 x4", &sparse) / without, 1538.0 / 1542.0, 0.1);
}

#[test]
fn what_does_a_looser_start_cost() {
    let tight = at("peer", "gen2 x4", &NO_SKP);
    let eight = at("peer", "gen2 x4", &[&NO_SKP[..], &["card.start_alignment=8 B"]].concat());
    assert_near(tight, 2000.0 * 128.0 / 148.0, 0.1);
    assert_near(eight, 2000.0 * 128.0 / 152.0, 0.1);
    let lane_zero = ["card.start_alignment=lane 0", "switch.start_alignment=lane 0"];
    let lane_zero = at("peer", "gen2 x8", &[&NO_SKP[..], &lane_zero].concat());
    assert_near(lane_zero, 4000.0 * 128.0 / 152.0, 0.1);
    assert_near(at("peer", "gen2 x8", &NO_SKP), 4000.0 * 128.0 / 148.0, 0.1);
}

#[test]
fn does_a_slow_clock_slow_the_link() {
    let nominal = rate("write", &[]);
    assert_near(rate("write", &["host.clock_slow=1 %"]), nominal / 1.01, 0.1);
}

#[test]
fn does_a_longer_cable_delay_without_slowing() {
    let long = ["links.0.propagation=500 ns", "host.posted_headers=infinite"];
    assert!(near(latency_ns("once", &long) - latency_ns("once", &[]), 500.0, 1.0));
    assert_near(rate("write", &long), rate("write", &[]), 0.1);
}

#[test]
fn do_acks_and_updates_cost_the_direction_that_sends_them() {
    let one_way = rate("peer", &[]);
    let free = rate("peers", &["card.dllps=no", "switch.dllps=no"]);
    assert_near(free, one_way, 0.1);
    let free_pools = ["switch.posted_headers=infinite", "switch.posted_data=infinite"];
    let every = rate("peers", &free_pools);
    let fifth = rate("peers", &[&free_pools[..], &["card.tlps_per_ack=5", "switch.tlps_per_ack=5"]].concat());
    assert_near(every, 2000.0 * 128.0 / 156.0 * 1180.0 / 1184.0, 0.5);
    assert!(fifth > every * 1.03, "{fifth} against {every}");
    let credits =
        ["card.posted_headers=32", "card.posted_data=256", "switch.posted_headers=32", "switch.posted_data=256"];
    let finite = rate("peers", &credits);
    assert!(finite < every * 0.995, "UpdateFC costs: {finite} against {every}");
    let each = rate("peers", &[&credits[..], &["card.update_fc=each", "switch.update_fc=each"]].concat());
    assert!(each < finite * 0.98, "{each} against {finite}");
}

#[test]
fn does_the_standards_timer_cap_how_long_an_ack_is_put_off() {
    let with = |count: u32| {
        let counts = [format!("card.tlps_per_ack={count}"), format!("switch.tlps_per_ack={count}")];
        rate("peers", &[&counts[0], &counts[1], "switch.posted_headers=infinite", "switch.posted_data=infinite"])
    };
    // At x4 and MPS 128 the limit is 124 symbol times: four TLPs.
    assert_near(with(1000), with(4), 0.1);
    assert!(with(4) > 1.01 * with(2));
}

#[test]
fn does_a_small_replay_buffer_wait_for_acks() {
    let small = ["card.mps=128 B", "card.replay_buffer=320 B", "switch.tlps_per_ack=4"];
    let flow = flow("write", &small);
    assert!(stream(&flow) < 0.7 * rate("write", &[]), "{:?}", flow.stream);
    assert!(flow.budget.of(Share::Idle(Wait::Replay)) > 0.2, "{:?}", flow.budget);
    assert_near(rate("write", &["card.replay_buffer=8 KiB", "switch.tlps_per_ack=4"]), rate("write", &[]), 0.1);
}

#[test]
fn does_a_starved_pool_show_as_credit_wait() {
    for pool in ["switch.posted_headers=1", "switch.posted_data=8"] {
        let flow = flow("write", &["switch.mps=128 B", pool]);
        assert!(stream(&flow) < 0.8 * rate("write", &[]), "{pool}: {:?}", flow.stream);
        assert!(flow.budget.of(Share::Idle(Wait::Credits)) > 0.1, "{pool}: {:?}", flow.budget);
    }
    assert_near(rate("write", &["switch.posted_headers=64", "switch.posted_data=512"]), rate("write", &[]), 0.1);
}

#[test]
fn does_each_pool_starve_its_own_kind() {
    let reads = rate("read", &["switch.nonposted_headers=1", "card.read_requests=8", "card.read_request=128 B"]);
    assert!(reads < 0.9 * rate("read", &["card.read_requests=8", "card.read_request=128 B"]));
    let completions = rate("read", &["switch.completion_headers=1"]);
    assert!(completions < 0.9 * rate("read", &[]));
    assert_near(rate("write", &["switch.nonposted_headers=1", "switch.completion_headers=1"]), rate("write", &[]), 1.0);
}

#[test]
fn is_every_instant_in_exactly_one_class() {
    for experiment in ["write", "read", "peers", "commands", "stores", "loads", "writes", "reads", "peer-read"] {
        for flow in common::outcome(experiment, &["switch.posted_headers=2", "card.core_clock=125 MHz"]).flows {
            assert!((flow.budget.sum() - 1.0).abs() < 1e-9, "{experiment}: {}", flow.budget.sum());
            assert!(flow.budget.0.iter().all(|&share| share >= 0.0), "{experiment}: {:?}", flow.budget);
        }
    }
}
