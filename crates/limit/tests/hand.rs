//! The limit equals the value computed by hand.

#![allow(clippy::unwrap_used)] // a panic is a failure

mod common;
use common::*;
use lanescope_limit::limit;
use lanescope_limit::link::{Question, answer};
use pcie::Bytes;
use system::Operation;
use system::field::{Cap, Count};
use system::kinds::port::StartAlignment;
use system::kinds::{CardParams, HostParams, PortParams, SwitchParams};
use system::{Cause, Share};

/// The rate of the flow alone, in MiB/s.
fn mib(b: &Builder, flow: Flow) -> f64 {
    limit(&scenario(&b.system, vec![flow])).alone[0].stream.as_mib_per_s()
}

fn near(value: f64, by_hand: f64, percent: f64) {
    assert!((value / by_hand - 1.0).abs() < percent / 100.0, "{value} is not {by_hand} by hand");
}

fn starts(start_alignment: StartAlignment) -> PortParams {
    PortParams { start_alignment, ..PortParams::default() }
}

#[test]
pub(crate) fn what_does_gen2_x4_carry_with_a_start_every_eight_bytes() {
    let mut b = Builder::new(HostParams::default(), PortParams::default());
    let switch = b.switch(HOST, "gen2 x8", SwitchParams::default(), PortParams::default());
    let one = b.card(switch, "gen2 x4", CardParams::default(), starts(StartAlignment::EightBytes));
    let other = b.card(switch, "gen2 x4", CardParams::default(), PortParams::default());
    // 128 of 152 bytes, 1176 of 1180 symbol times.
    let by_hand = 2e9 * 128.0 / 152.0 * 1176.0 / 1180.0 / 1048576.0;
    both_near(&b, flow(Operation::P2pWrite, one, other, 4 << 20, 1), by_hand, 0.03);
    near(by_hand, 1600.8, 0.01);
}

#[test]
pub(crate) fn what_does_gen2_x8_carry_with_starts_in_lane_0_and_as_tight_as_the_standard_allows() {
    for (start, published) in [(StartAlignment::LaneZero, 3204.0), (StartAlignment::Standard, 3291.0)] {
        let habits = PortParams { skp_interval: Cap(Some(Count(1538))), ..starts(start) };
        let host = HostParams { memory_above_4g: false, ..HostParams::default() };
        let mut b = Builder::new(host, PortParams::default());
        let card = b.card(HOST, "gen2 x8", CardParams::default(), habits);
        near(mib(&b, flow(Operation::DmaWrite, card, HOST, 4 << 20, 1)), published, 0.05);
    }
}

#[test]
pub(crate) fn what_do_255_ns_a_page_leave_of_host_writes() {
    let params = CardParams { descriptor_wait: Time::from_ns(255), ..CardParams::default() };
    let mut b = Builder::new(HostParams::default(), PortParams::default());
    let card = b.card(HOST, "gen2 x4", params, starts(StartAlignment::EightBytes));
    // 32 TLPs of 152 bytes, then the wait.
    let by_hand = 4096.0 / (32.0 * 76e-9 * 1180.0 / 1176.0 + 255e-9) / 1048576.0;
    near(mib(&b, flow(Operation::DmaWrite, card, HOST, 4 << 20, 1)), by_hand, 0.1);
    near(by_hand, 1451.0, 0.2);
}

#[test]
pub(crate) fn does_a_command_cost_a_set_up_and_594_ns_a_tlp_at_gen1_x1() {
    let host = HostParams { memory_above_4g: false, command_cost: Time::from_ns(700), ..HostParams::default() };
    let mut b = Builder::new(host, PortParams::default());
    let card = b.card(HOST, "gen1 x1", CardParams::default(), PortParams::default());
    let cycle = |size: u64| {
        let flow = by_software(flow(Operation::DmaWrite, card, HOST, size, 100));
        size as f64 / limit(&scenario(&b.system, vec![flow])).alone[0].stream.0
    };
    let tlp = (cycle(32768) - cycle(1024)) / (256.0 - 8.0);
    near(tlp, 592e-9 * 1180.0 / 1176.0, 0.1);
    // 700 ns of software; the doorbell (24 bytes), its ACK (8) and the status write (24) at 4 ns a byte.
    near(cycle(1024) - 8.0 * tlp, 700e-9 + 56.0 * 4e-9, 1.0);
}

#[test]
pub(crate) fn what_does_one_request_of_4_kib_in_flight_come_to() {
    let params = CardParams { read_requests: Count(1), ..CardParams::default() };
    let mut b = Builder::new(HostParams::default(), PortParams::default());
    let card = b.card(HOST, "gen2 x4", params, PortParams::default());
    // 24 bytes for the request, 250 ns, 64 completions of 84 bytes.
    let by_hand = 4096.0 / (12e-9 + 250e-9 + 64.0 * 42e-9 * 1180.0 / 1176.0) / 1048576.0;
    let limits = limit(&scenario(&b.system, vec![flow(Operation::DmaRead, card, HOST, 4 << 20, 1)]));
    near(limits.alone[0].stream.as_mib_per_s(), by_hand, 0.3);
    assert_eq!(limits.alone[0].bottleneck.cause, Cause::Requests(1));
    near(limits.alone[0].latency.as_secs(), 12e-9 + 250e-9 + 64.0 * 42e-9, 0.5);
}

/// The rate of the flow alone in the simulation, in MiB/s.
fn mib_simulated(b: &Builder, flow: Flow) -> f64 {
    let outcome = sim::run(&scenario(&b.system, vec![flow]), &dma::options()).unwrap();
    outcome.flows[0].stream.unwrap().as_mib_per_s()
}

/// Asserts what limit and simulation give for the flow.
fn both_near(b: &Builder, flow: Flow, by_hand: f64, percent: f64) {
    near(mib(b, flow.clone()), by_hand, percent);
    near(mib_simulated(b, flow), by_hand, percent);
}

#[test]
pub(crate) fn what_does_gen3_x8_carry_in_tlps_of_256_bytes() {
    let plain = || PortParams { mps: size(256), skp: false, dllps: false, ..Default::default() };
    let host = HostParams { memory_above_4g: false, ..HostParams::default() };
    let mut b = Builder::new(host, plain());
    let card = b.card(HOST, "gen3 x8", CardParams::default(), plain());
    // 8 GT/s on 8 lanes, 128 of 130 bits, are 7.877 GB/s. A TLP of 256 bytes has an STP token of 4 bytes (with its
    // sequence number), a header of 12 and an LCRC of 4: 276 bytes, which is a whole number of double words.
    let by_hand = 8e9 * 128.0 / 130.0 * 256.0 / 276.0 / 1048576.0;
    both_near(&b, flow(Operation::DmaWrite, card, HOST, 4 << 20, 1), by_hand, 0.05);
}

#[test]
pub(crate) fn what_do_three_or_four_tlps_in_a_replay_buffer_come_to() {
    // A replay buffer holds a TLP with its sequence number (2 bytes) and its LCRC (4): 12 + 128 + 6 = 146 bytes.
    for (bytes, tlps) in [(583, 3.0), (584, 4.0)] {
        let few =
            || PortParams { replay_buffer: Cap(Some(Bytes(bytes))), tlps_per_ack: Count(1), ..Default::default() };
        let host = HostParams { memory_above_4g: false, ..HostParams::default() };
        let mut b = Builder::new(host, PortParams { tlps_per_ack: Count(1), ..Default::default() });
        let card = b.card(HOST, "gen2 x4", CardParams::default(), few());
        b.system.remake(|graph| graph.links[0].propagation = Time::from_ns(300));
        // At 0.5 ns a byte, a TLP takes 148 bytes and its ACK 8. The ACK starts when the last byte has come.
        let round = 74e-9 + 300e-9 + 4e-9 + 300e-9;
        let by_hand = tlps * 128.0 / round / 1048576.0;
        both_near(&b, flow(Operation::DmaWrite, card, HOST, 4 << 20, 1), by_hand, 0.3);
    }
}

#[test]
pub(crate) fn what_do_two_or_three_requests_in_flight_come_to() {
    for requests in [2, 3] {
        let params = CardParams { read_requests: Count(requests), read_request: size(512), ..CardParams::default() };
        let host = HostParams { read_latency: Time::from_us(2), ..HostParams::default() };
        let mut b = Builder::new(host, PortParams::default());
        let card = b.card(HOST, "gen2 x4", params, PortParams::default());
        // 24 bytes for the first request, 2 us, and 8 completions of 84 bytes: the other requests follow meanwhile.
        let round = 12e-9 + 2e-6 + 8.0 * 42e-9;
        let by_hand = requests as f64 * 512.0 / round / 1048576.0;
        both_near(&b, flow(Operation::DmaRead, card, HOST, 4 << 20, 1), by_hand, 1.0);
    }
}

fn size(bytes: u64) -> PayloadSize {
    PayloadSize::new(bytes).unwrap()
}

#[test]
pub(crate) fn where_do_the_bytes_of_a_full_direction_go() {
    let mut b = Builder::new(HostParams::default(), PortParams::default());
    let card = b.card(HOST, "gen2 x4", CardParams::default(), starts(StartAlignment::EightBytes));
    let host_low = HostParams { memory_above_4g: false, ..HostParams::default() };
    b.system.remake(|graph| graph.parts[0].kind = system::Kind::new(host_low));
    let budget = &limit(&scenario(&b.system, vec![flow(Operation::DmaWrite, card, HOST, 4 << 20, 1)])).alone[0].budget;
    let carried = 0.8 * 1176.0 / 1180.0;
    for (share, bytes) in
        [(Share::Payload, 128.0), (Share::Headers, 12.0), (Share::Framing, 8.0), (Share::Alignment, 4.0)]
    {
        near(budget.of(share), carried * bytes / 152.0, 0.1);
    }
    near(budget.of(Share::Encoding), 0.2, 1e-6);
    near(budget.sum(), 1.0, 1e-7);
}

#[test]
pub(crate) fn how_many_requests_hide_a_microsecond_of_gen4_x8() {
    let question = Question {
        speed: speed("gen4x8"),
        mps: PayloadSize::new(256).unwrap(),
        mrrs: PayloadSize::new(512).unwrap(),
        latency: Some(Time::from_us(1)),
        four_dw: true,
    };
    let answer = answer(question);
    assert_eq!(answer.signalled.0, 16e9);
    near(answer.encoded.0, 16e9 * 128.0 / 130.0, 1e-6);
    near(answer.writes_3dw.0, 16e9 * 128.0 / 130.0 * 256.0 / 276.0, 0.6);
    near(answer.writes_4dw.0, 16e9 * 128.0 / 130.0 * 256.0 / 280.0, 0.6);
    assert_eq!(answer.writes, answer.writes_4dw);
    assert!(answer.reads.0 < answer.writes_3dw.0, "an ACK for each request");
    assert_eq!(answer.sentence().as_deref(), Some("29 requests of 512 bytes in flight"));
}
