//! What do a card's engine, its core, its tags and its descriptors cost, and does every byte arrive as it was sent?

mod common;
use common::{app_rate, assert_near, flow, latency_ns, outcome, rate, scenario, stream};
use lanescope_sim::{Options, SimError, run};
use pcie::{Bytes, Time};
use system::field::{Cap, Count, MOST_TIME};
use system::{Flow, Operation, Share, Wait};

#[test]
fn how_many_requests_are_in_flight() {
    let with = |count: &str| rate("read", &[count, "card.read_request=128 B", "host.read_latency=2 us"]);
    let (one, four) = (with("card.read_requests=1"), with("card.read_requests=4"));
    assert_near(four, 4.0 * one, 1.0);
    let tags = rate(
        "read",
        &["card.read_requests=64", "card.tag_bits=5", "card.read_request=128 B", "host.read_latency=4 us"],
    );
    let more = rate(
        "read",
        &["card.read_requests=64", "card.tag_bits=8", "card.read_request=128 B", "host.read_latency=4 us"],
    );
    assert!(more > 1.5 * tags, "32 tags give {tags}, 64 requests {more}");
}

#[test]
fn does_buffer_space_bound_requests_as_tags_do() {
    let base = ["card.read_requests=32", "card.read_request=512 B", "host.read_latency=2 us"];
    let tight = rate("read", &[&base[..], &["card.completion_buffer=1 KiB"]].concat());
    let two = rate("read", &["card.read_requests=2", base[1], base[2]]);
    assert!(tight >= two * 0.99 && tight < 1.3 * two, "space for two requests: {tight} against {two}");
    assert_near(rate("read", &[&base[..], &["card.completion_buffer=64 KiB"]].concat()), rate("read", &base), 0.1);
}

#[test]
fn does_mrrs_bound_the_request() {
    let base = ["card.read_requests=1", "host.read_latency=1 us"];
    let small = rate("read", &[&base[..], &["settings.mrrs=128"]].concat());
    assert_near(rate("read", &[&base[..], &["settings.mrrs=4096", "card.read_request=128 B"]].concat()), small, 0.1);
    assert!(rate("read", &[&base[..], &["settings.mrrs=4096"]].concat()) > 5.0 * small);
}

#[test]
fn does_the_core_bound_what_the_link_could() {
    let slow = flow("write", &["card.core_clock=100 MHz", "card.core_width=8 B"]);
    assert_near(stream(&slow), 800.0, 0.2);
    assert!(slow.budget.of(Share::Idle(Wait::Core)) > 0.4, "{:?}", slow.budget);
    let idle = rate("write", &["card.core_clock=100 MHz", "card.core_width=8 B", "card.idle_cycles=4"]);
    assert_near(idle, 640.0, 0.2);
    let read = rate("read", &["card.core_clock=100 MHz", "card.core_width=8 B", "card.idle_cycles=4"]);
    assert_near(read, 640.0, 0.2);
    assert_near(rate("write", &["card.core_clock=250 MHz", "card.core_width=16 B"]), rate("write", &[]), 0.1);
}

#[test]
fn does_a_fifo_have_to_cover_the_latency_behind_it() {
    let short = rate("write", &["card.tx_latency=1 us", "card.fifo=512 B"]);
    assert!(short < 500.0, "{short}");
    assert_near(rate("write", &["card.tx_latency=1 us", "card.fifo=8 KiB"]), rate("write", &[]), 0.1);
}

#[test]
fn what_does_a_descriptor_a_page_cost() {
    let wait = flow("write", &["card.descriptor_wait=1 us"]);
    let page_us = 4096.0 / rate("write", &[]) + 1.0;
    assert_near(stream(&wait), 4096.0 / page_us, 0.3);
    assert!(wait.budget.of(Share::Idle(Wait::Descriptors)) > 0.2, "{:?}", wait.budget);
    assert_near(rate("write", &["card.descriptor_wait=1 us", "card.page_bytes=64 KiB"]), rate("write", &[]), 3.0);
}

#[test]
fn does_a_ring_that_is_read_ahead_cost_next_to_nothing() {
    let ring = ["card.descriptors=ring", "host.read_latency=1 us"];
    let ahead = rate("write", &ring);
    assert_near(ahead, rate("write", &[]), 1.0);
    let late =
        flow("write", &[&ring[..], &["card.ring_batch=1", "card.ring_ahead=1", "host.read_latency=5 us"]].concat());
    assert!(stream(&late) < 0.75 * ahead, "{:?}", late.stream);
    assert!(late.budget.of(Share::Idle(Wait::Descriptors)) > 0.2, "{:?}", late.budget);
    let pushed = app_rate("commands", &["host.descriptor_cost=1 us"]);
    assert!(app_rate("commands", &["host.descriptor_cost=1 us", "card.descriptors=ring"]) > pushed * 0.9);
}

#[test]
fn what_is_the_latency_of_one_packet() {
    let plain = latency_ns("once", &[]);
    let with = |field: &str| latency_ns("once", &[field]) - plain;
    assert!((with("card.tx_latency=200 ns") - 200.0).abs() < 2.5);
    assert!((with("switch.latency=300 ns") - 200.0).abs() < 2.5);
    assert!((with("switch.forwarding=store-and-forward") - 76.0).abs() < 2.5, "a wire time more");
    let peer = latency_ns("peer", &["card.rx_latency=200 ns"]);
    assert!(peer > 370.0);
}

/// A TLP takes 76 ns on the slow link and 9 ns on the fast one.
#[test]
fn does_a_slow_ingress_delay_the_start_on_a_fast_egress() {
    let mixed = |latency: &str, up: &str| latency_ns("once", &["host.ports.pcie=gen3 x16", latency, up]);
    let saves = |latency: &str| mixed(latency, "switch.ports.up=gen2 x4") - mixed(latency, "switch.ports.up=gen3 x16");
    let early = saves("switch.latency=20 ns");
    assert!((early - 20.0).abs() < 6.0, "the last symbol leaves when it has arrived: {early} ns earlier");
    let late = saves("switch.latency=100 ns");
    assert!((late - 67.0).abs() < 6.0, "all of it has arrived when it may start: {late} ns earlier");
}

#[test]
fn does_a_card_that_others_read_from_answer() {
    let slow = rate("peer-read", &["card.read_requests=1", "card.read_request=128 B", "card.target_read_latency=1 us"]);
    let fast =
        rate("peer-read", &["card.read_requests=16", "card.read_request=512 B", "card.target_read_latency=1 us"]);
    assert!(fast > 8.0 * slow, "{fast} against {slow}");
}

fn fed(operation: Operation, of: &Flow, from: usize) -> Flow {
    Flow { name: format!("{} on", of.name), operation, fed_by: Some(from), ..of.clone() }
}

#[test]
fn does_loopback_return_every_byte() {
    let mut loopback = scenario("read", &["card.fifo=4 KiB", "card.read_request=512 B"]);
    loopback.integrity = true;
    let back = fed(Operation::DmaWrite, &loopback.flows[0], 0);
    loopback.flows.push(back);
    let outcome = run(&loopback, &dma::options()).unwrap();
    for flow in &outcome.flows {
        let integrity = flow.integrity.unwrap();
        assert_eq!((integrity.compared, integrity.wrong), (512 << 10, 0));
    }
    let bad = run(&loopback, &Options { flip: 5000, ..dma::options() }).unwrap();
    assert_eq!(bad.flows[1].integrity.unwrap().wrong, 1, "a flipped bit is seen at the end");
}

#[test]
fn does_a_two_card_chain_return_every_byte() {
    let mut chain = scenario("read", &["card.fifo=4 KiB", "card.read_request=512 B", "card.posted_headers=8"]);
    chain.integrity = true;
    let (host, first) = (chain.flows[0].target, chain.flows[0].initiator);
    let second = chain.system.part_named("card[1]").unwrap();
    let mut across = fed(Operation::P2pWrite, &chain.flows[0], 0);
    across.target = second;
    let mut home = fed(Operation::DmaWrite, &chain.flows[0], 1);
    (home.initiator, home.target) = (second, host);
    assert_eq!(across.initiator, first);
    chain.flows.extend([across, home]);
    let outcome = run(&chain, &dma::options()).unwrap();
    let end = outcome.flows[2].integrity.unwrap();
    assert_eq!((end.compared, end.wrong), (512 << 10, 0));
}

#[test]
fn does_the_same_scenario_give_the_same_outcome() {
    let overrides = ["switch.posted_headers=3", "card.tlps_per_ack=3"];
    assert_eq!(outcome("peers", &overrides), outcome("peers", &overrides));
}

#[test]
fn do_turns_go_by_ingress_port() {
    let both = outcome("writes", &[]);
    let (a, b) = (stream(&both.flows[0]), stream(&both.flows[1]));
    assert_near(a, b, 0.5);
    assert_near(a + b, rate("write", &[]), 0.5);
}

#[test]
fn is_a_pool_that_never_holds_a_tlp_reported() {
    // A description with such a pool is refused; a system made otherwise is not.
    let mut starved = scenario("write", &[]);
    starved.system.remake(|graph| graph.parts[1].habits.posted_data = Cap(Some(Count(4))));
    let stuck = run(&starved, &dma::options());
    assert!(matches!(stuck, Err(SimError::Stuck { .. })), "{stuck:?}");
}

#[test]
fn does_a_run_that_would_take_days_of_simulated_time_say_so() {
    let mut slow = scenario("write", &[]);
    slow.system.remake(|graph| {
        for part in &mut graph.parts {
            part.habits.dllps = false;
            if let Some(card) = part.kind.card_mut() {
                (card.command_latency, card.descriptor_wait, card.overlap) = (MOST_TIME, MOST_TIME, false);
            }
        }
    });
    for command in [1u64 << 9, 1 << 16] {
        slow.flows[0].command = Bytes(command);
        slow.flows[0].volume = Bytes(u64::from(u32::MAX) << 10);
        let ended = run(&slow, &dma::options());
        let Err(SimError::TooLong { longest, .. }) = ended else { panic!("{ended:?}") };
        assert_eq!(longest, Time::from_us(100_000_000));
    }
}
