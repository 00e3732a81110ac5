//! Does every byte arrive as it was sent: through registers, rings, links, windows and FIFOs?

mod common;
use common::{absent, assert_near, assert_whole, outcome, rosta, run_with, scenario};
use cosim::Cosim;
use sim::{Options, Outcome, run};

const KIB: u64 = 1 << 10;

#[test]
fn does_software_get_every_byte_with_descriptors_in_a_ring_and_in_registers() {
    if absent("does_software_get_every_byte_with_descriptors_in_a_ring_and_in_registers") {
        return;
    }
    for experiment in ["calls-in", "calls-out"] {
        for how in ["card.descriptors=ring", "card.descriptors=pushed"] {
            for notice in ["host.notice=interrupt", "host.notice=polling"] {
                let outcome = outcome(&scenario(experiment, &[how, notice]));
                assert_whole(&outcome.flows[0], 64 * KIB);
            }
        }
    }
}

#[test]
fn are_descriptors_fetched_in_many_batches_and_answered_in_pieces() {
    if absent("are_descriptors_fetched_in_many_batches_and_answered_in_pieces") {
        return;
    }
    for experiment in ["long-calls-in", "long-calls-out"] {
        assert_whole(&outcome(&scenario(experiment, &["card.descriptors=ring"])).flows[0], 1024 * KIB);
        assert_whole(&outcome(&scenario(experiment, &["card.descriptors=pushed"])).flows[0], 1024 * KIB);
    }
}

#[test]
fn does_a_call_of_more_descriptors_than_the_ring_holds_end() {
    if absent("does_a_call_of_more_descriptors_than_the_ring_holds_end") {
        return;
    }
    for experiment in ["long-calls-in", "long-calls-out"] {
        for notice in ["host.notice=interrupt", "host.notice=polling"] {
            let overrides = ["card.descriptors=ring", "card.page_bytes=128 B", notice];
            assert_whole(&outcome(&scenario(experiment, &overrides)).flows[0], 1024 * KIB);
        }
    }
}

#[test]
fn does_a_card_that_drives_itself_move_every_byte() {
    if absent("does_a_card_that_drives_itself_move_every_byte") {
        return;
    }
    for experiment in ["write", "read", "peer", "peers", "loopback"] {
        for flow in &outcome(&scenario(experiment, &[])).flows {
            assert_whole(flow, 128 * KIB);
        }
    }
}

#[test]
fn does_the_wide_engine_move_every_byte() {
    if absent("does_the_wide_engine_move_every_byte") {
        return;
    }
    for experiment in ["write", "read", "peers", "loopback", "calls-in", "calls-out"] {
        let outcome = outcome(&scenario(experiment, &["card.core_width=16 B", "card.core_clock=125 MHz"]));
        for flow in &outcome.flows {
            assert_eq!(flow.integrity.unwrap().wrong, 0, "{experiment}");
            assert!(flow.bytes >= 64 * KIB);
        }
    }
}

#[test]
fn do_stores_of_a_cpu_come_out_of_the_window() {
    if absent("do_stores_of_a_cpu_come_out_of_the_window") {
        return;
    }
    assert_whole(&outcome(&scenario("stores", &[])).flows[0], 16 * KIB);
}

#[test]
fn does_the_ping_pongs_own_timer_grow_with_the_way() {
    if absent("does_the_ping_pongs_own_timer_grow_with_the_way") {
        return;
    }
    for core in [&[][..], &["card.core_width=16 B", "card.core_clock=125 MHz", "experiments.ping-pong.command=16 B"]] {
        let near = outcome(&scenario("ping-pong", &[core, &["switch.latency=100 ns"]].concat()));
        let far = outcome(&scenario("ping-pong", &[core, &["switch.latency=900 ns"]].concat()));
        assert!(near.flows[0].latency.count >= 8);
        let longer = far.flows[0].latency.median.as_ns() - near.flows[0].latency.median.as_ns();
        assert!((790.0..=810.0).contains(&longer), "{longer}");
    }
}

#[test]
fn is_a_flipped_bit_seen_at_the_end() {
    if absent("is_a_flipped_bit_seen_at_the_end") {
        return;
    }
    let cosim = Cosim::default();
    let options = Options { kinds: &[&cosim, &dma::Cards], flip: 500, ..Options::default() };
    for experiment in ["write", "peer"] {
        let flows = run(&scenario(experiment, &[]), &options).unwrap().flows;
        assert_eq!(flows[0].integrity.unwrap().wrong, 1, "{experiment}");
    }
}

#[test]
fn does_a_chain_of_eight_cards_return_every_byte_at_the_rate_of_one_reader() {
    if absent("does_a_chain_of_eight_cards_return_every_byte_at_the_rate_of_one_reader") {
        return;
    }
    let one_tag = ["card.read_requests=1", "card.read_request=512 B"];
    let volume = 64 * KIB;
    let chain = outcome(&rosta("chain", "", volume, &one_tag));
    chain.flows.iter().for_each(|flow| assert_whole(flow, volume));
    let alone = rosta("host-read-many", "devices=1", volume, &one_tag);
    assert_near(chain.flows[8].stream.unwrap().0, outcome(&alone).flows[0].stream.unwrap().0, 2.0);
}

/// Of reads of 4 KiB, one at a time: latency decides, and a card that writes as well has DLLPs for its writes between its
/// completions.
#[test]
fn are_dllps_what_a_chain_of_large_reads_lacks() {
    if absent("are_dllps_what_a_chain_of_large_reads_lacks") {
        return;
    }
    let lacks = |dllps: &[&str]| {
        let set = [&["card.read_requests=1", "card.read_request=4096 B"], dllps].concat();
        let rate = |experiment, point, flow: usize| {
            let found = outcome(&rosta(experiment, point, 512 * KIB, &set));
            found.flows[flow].stream.unwrap().0
        };
        100.0 * (1.0 - rate("chain", "", 8) / rate("host-read-many", "devices=1", 0))
    };
    let (with, without) = (lacks(&[]), lacks(&["card.dllps=no", "board.dllps=no"]));
    assert!((1.5..2.5).contains(&with) && without < with / 3.0, "{with:.2} % and {without:.2} %");
}

#[test]
fn does_skipping_clocks_change_nothing() {
    if absent("does_skipping_clocks_change_nothing") {
        return;
    }
    for experiment in ["calls-in", "calls-out", "peers", "loopback", "stores", "ping-pong"] {
        let scenario = scenario(experiment, &["card.descriptors=ring"]);
        let (skips, never) = (Cosim::default(), Cosim::without_skipping());
        let (quick, slow) = (run_with(&scenario, &skips), run_with(&scenario, &never));
        // What the simulation itself did for it is all that may differ.
        let (events, most_pending) = (slow.events, slow.most_pending);
        assert_eq!(Outcome { events, most_pending, ..quick }, slow, "{experiment}");
        assert_eq!(never.clocks().1, 0);
        // Cards that are always busy have nothing to skip.
        let idles = experiment != "peers";
        assert_eq!(skips.clocks().0 < never.clocks().0, idles, "{experiment}: {:?}", skips.clocks());
    }
}
