#![allow(clippy::unwrap_used)]
//! The reasons why a chain of cards is slower than one card that only reads. Each mechanism that takes a part of the
//! first card's transmit direction is switched off in turn, and its part disappears.

use lanescope_limit::limit;
use system::description::Description;
use system::experiment::Point;

const VOLUME: u64 = 512 << 10;
/// Gen2 x4 after 8b/10b encoding, in MiB/s.
const LINK: f64 = 2e9 / 1_048_576.0;
/// Share of it that SKPs leave.
const SKP: f64 = 0.9967;

/// The rate at the end of the chain, by simulation and by limit, with behavioural cards in the eight-card rig.
fn rates(experiment: &str, point: &str, overrides: &[&str]) -> (f64, f64) {
    let mut description = Description::bundled("rosta-rb8v7").unwrap();
    let card = ["card.part=lanescope/virtex7-pcie-dma", "card.gateware=none", "card.read_request=512 B"];
    for assignment in card.iter().chain(overrides) {
        description.supersede(assignment).unwrap();
    }
    let point = if point.is_empty() { Point::default() } else { Point::parse(point).unwrap() };
    let mut scenario = description.scenario(description.experiment(experiment).unwrap(), &point).unwrap();
    for flow in &mut scenario.flows {
        (flow.command.0, flow.volume.0) = (VOLUME, VOLUME);
    }
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    let (simulated, limited) = (outcome.flows.last().unwrap(), limit(&scenario).together);
    (simulated.stream.unwrap().as_mib_per_s(), limited.last().unwrap().stream.as_mib_per_s())
}

#[track_caller]
fn assert_near(found: f64, wanted: f64, percent: f64) {
    assert!((found / wanted - 1.0).abs() * 100.0 <= percent, "{found:.1} is not within {percent} % of {wanted:.1}");
}

/// Asserts that a chain and a loopback need `bytes` of the first card's transmit direction for each 128 bytes of
/// payload.
#[track_caller]
fn assert_needs(bytes: f64, overrides: &[&str]) {
    let (chain, limit) = rates("chain", "", overrides);
    assert_near(chain, LINK * SKP * 128.0 / bytes, 0.5);
    assert_near(limit, chain, 0.5);
    let (looped, limit) = rates("loopback", "size=4194304", overrides);
    assert_near(looped, chain, 1.0);
    assert_near(limit, looped, 1.0);
}

#[test]
fn do_writes_acks_and_requests_fill_the_transmit_direction_of_the_first_card() {
    // A write of 148 bytes with starts at multiples of 8, an ACK for a completion, and a quarter of a request of 24
    // bytes.
    assert_needs(152.0 + 8.0 + 6.0, &[]);
    assert_needs(152.0 + 6.0, &["card.dllps=no"]);
}

#[test]
fn is_a_chain_as_fast_as_one_reader_where_nothing_but_writes_is_on_that_direction() {
    // The last card writes to host memory, with a 4 DW header where memory is above 4 GiB.
    let off = ["card.dllps=no", "board.dllps=no", "card.start_alignment=standard", "host.memory_above_4g=no"];
    let large = ["card.read_request=4096 B", "card.fifo=64 KiB"];
    let (chain, _) = rates("chain", "", &[&off[..], &large].concat());
    let (reader, _) = rates("host-read-many", "devices=1", &[&off[..], &large].concat());
    assert_near(chain, reader, 0.7);
    let (chain, _) = rates("chain", "", &[]);
    let (reader, _) = rates("host-read-many", "devices=1", &[]);
    assert!(chain < 0.95 * reader, "{chain:.1} beside {reader:.1}");
}

/// A card with a FIFO of 4 KiB and these habits, and its flows by simulation and by what is fair.
fn of_card(habits: &str, command: &str, flows: &str) -> Vec<(f64, f64)> {
    let text = format!(
        "parts:
  h0: {{ kind: host, ports: {{ p0: gen3 x8 }} }}
  c0: {{ kind: dma-card, fifo: 4 KiB, {habits}ports: {{ pcie: gen2 x1 }} }}
links:
  - {{ join: 'h0.p0 - c0.pcie' }}
experiments:
  e: {{ command: {command}, volume: 1 MiB, drive: card, flows: [{flows}], measures: [throughput_per_flow] }}
"
    );
    let description = Description::from_text("turns.yaml", &text).unwrap();
    let mut scenario = description.scenario(description.experiment("e").unwrap(), &Point::default()).unwrap();
    scenario.integrity = true;
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    for flow in &outcome.flows {
        let bytes = flow.integrity.unwrap();
        assert!(bytes.compared > 0 && bytes.wrong == 0, "{habits} {command} {flows}: {bytes:?}");
    }
    let found = outcome.flows.iter().zip(limit(&scenario).together);
    found.map(|(found, fair)| (found.stream.unwrap().as_mib_per_s(), fair.stream.as_mib_per_s())).collect()
}

const LOOP: &str = "{ flow: 'h0 -> c0', operation: loopback }";
const READ: &str = "{ flow: 'h0 -> c0', operation: dma-read }";
const WRITE: &str = "{ flow: 'c0 -> h0', operation: dma-write }";

/// What a loopback reads for itself is written after it was read: a card that decides a read and a write in turn has no turns for it.
#[test]
fn is_a_loopback_the_same_where_the_card_takes_turns() {
    for command in ["512 B", "4 KiB", "64 KiB"] {
        for more in ["", "overlap: yes, "] {
            let (one, other) = (of_card(more, command, LOOP), of_card(&format!("in_turn: yes, {more}"), command, LOOP));
            assert_eq!(one, other, "{command} {more}");
        }
    }
}

/// Beside another flow it has turns with that, and passes its FIFO as ever: with commands that are longer than it, too.
#[test]
fn does_a_loopback_take_turns_with_another_flow_and_end() {
    for command in ["512 B", "4 KiB", "64 KiB"] {
        for flows in [[LOOP, WRITE], [READ, LOOP], [LOOP, LOOP]] {
            let found = of_card("in_turn: yes, ", command, &flows.join(", "));
            assert!(found.iter().all(|(rate, _)| *rate > 1.0), "{command} {flows:?}: {found:?}");
        }
    }
}
