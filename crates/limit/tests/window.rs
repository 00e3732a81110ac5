//! Rates are measured while all flows are active, and no direction carries more than it can, in the simulation and in
//! the sums of the limit.

#![allow(clippy::unwrap_used)] // a panic is a failure

mod common;
use common::random::Dice;
use common::*;
use lanescope_limit::{Limits, limit};
use pcie::{LinkSpeed, Rate};
use sim::{Outcome, run};
use system::Operation;
use system::field::{Cap, Count};
use system::graph::Direction;
use system::kinds::{CardParams, HostParams, PortParams, SwitchParams};

/// Payload of a TLP in these tests. `OVERHEAD` is what each carries besides: framing, sequence number, LCRC and a 3 DW
/// header.
const MPS: f64 = 128.0;
const OVERHEAD: f64 = 20.0;
/// Factor for payload that a path already holds when the window opens.
const BUFFERED: f64 = 1.01;

fn carries(speed: LinkSpeed) -> f64 {
    speed.encoded().0 * MPS / (MPS + OVERHEAD)
}

/// The directions that the payload of a flow crosses.
fn crosses(s: &Scenario, flow: usize) -> Vec<Direction> {
    let flow = &s.flows[flow];
    let (from, to) =
        if flow.operation.is_read() { (flow.target, flow.initiator) } else { (flow.initiator, flow.target) };
    s.system.path(from, to)
}

/// Asserts that on no direction the rates of its flows add up to more than it carries.
#[track_caller]
fn assert_carried(name: &str, s: &Scenario, rates: &[Rate]) {
    for (number, link) in s.system.links.iter().enumerate() {
        for up in [true, false] {
            let on = Direction { link: system::LinkId(number), up };
            let over = (0..rates.len()).filter(|&flow| crosses(s, flow).contains(&on));
            let sum: f64 = over.map(|flow| rates[flow].0).sum();
            assert!(
                sum <= carries(link.speed) * BUFFERED,
                "{name}: {} is to carry {:.0} MB/s of {:.0}",
                s.system.direction_name(on),
                sum * 1e-6,
                carries(link.speed) * 1e-6
            );
        }
    }
}

/// Asserts that the sum of the limits is no more than a direction carries plus the limits of the flows that do not use
/// it.
#[track_caller]
fn assert_sum(name: &str, s: &Scenario, limits: &Limits) {
    let sum = limits.sum().0;
    for (number, link) in s.system.links.iter().enumerate() {
        for up in [true, false] {
            let on = Direction { link: system::LinkId(number), up };
            let flows = 0..limits.together.len();
            let others = flows.filter(|&flow| !crosses(s, flow).contains(&on));
            let most = carries(link.speed) + others.map(|flow| limits.together[flow].stream.0).sum::<f64>();
            assert!(
                sum <= most * 1.001,
                "{name}: {:.0} MB/s in all, {} gives {most}",
                sum * 1e-6,
                s.system.direction_name(on)
            );
        }
    }
}

fn rates(outcome: &Outcome) -> Option<Vec<Rate>> {
    outcome.flows.iter().map(|flow| flow.stream).collect()
}

fn simulate(s: &Scenario) -> Outcome {
    run(s, &dma::options()).unwrap()
}

#[test]
fn twelve_cards_behind_a_leaf_and_one_beside_it_come_to_what_the_slot_carries() {
    let mut b = Builder::new(HostParams::default(), PortParams::default());
    let spine = b.switch(HOST, "gen3 x8", SwitchParams::default(), PortParams::default());
    let leaf = b.switch(spine, "gen3 x16", SwitchParams::default(), PortParams::default());
    let mut cards: Vec<Id> =
        (0..12).map(|_| b.card(leaf, "gen3 x8", CardParams::default(), PortParams::default())).collect();
    cards.push(b.card(spine, "gen3 x8", CardParams::default(), PortParams::default()));
    let flows = cards.iter().map(|&card| flow(Operation::DmaWrite, card, HOST, 256 << 10, 1)).collect();
    let s = scenario(&b.system, flows);
    let outcome = simulate(&s);
    let found = rates(&outcome).unwrap();
    assert!(outcome.window.as_ref().unwrap().prolonged, "the one beside is done long before the twelve");
    assert_carried("twelve and one", &s, &found);
    let sum: f64 = found.iter().map(|rate| rate.0).sum();
    assert!(sum > 0.96 * carries(s.system.links[0].speed), "the slot is full: {:.0} MB/s", sum * 1e-6);
    // Each port has a turn: half of the rate for the single card, half for the twelve.
    let one = found[12].0;
    assert!((one / sum - 0.5).abs() < 0.01, "{:.3} of the slot for the one", one / sum);
    for twelfth in &found[..12] {
        assert!((twelfth.0 / one * 12.0 - 1.0).abs() < 0.03, "{:.3}", twelfth.0 / one * 12.0);
    }
    // The values of each flow alone still cover its own duration: the single card's flow ends before the others.
    assert!(outcome.flows[12].timer.0 > 5.0 * outcome.flows[0].timer.0 && outcome.flows[12].bytes == 256 << 10);
}

#[test]
fn are_rates_the_same_again_and_the_same_for_twice_the_volume() {
    let mut b = Builder::new(HostParams::default(), PortParams::default());
    let spine = b.switch(HOST, "gen3 x4", SwitchParams::default(), PortParams::default());
    let leaf = b.switch(spine, "gen3 x8", SwitchParams::default(), PortParams::default());
    let mut cards: Vec<Id> =
        (0..5).map(|_| b.card(leaf, "gen3 x4", CardParams::default(), PortParams::default())).collect();
    cards.push(b.card(spine, "gen3 x4", CardParams::default(), PortParams::default()));
    let of = |command: u64, commands: u64| {
        let flows = cards.iter().map(|&card| flow(Operation::DmaWrite, card, HOST, command, commands)).collect();
        simulate(&scenario(&b.system, flows))
    };
    assert_eq!(of(64 << 10, 4), of(64 << 10, 4));
    let (short, long) = (rates(&of(64 << 10, 4)).unwrap(), rates(&of(64 << 10, 16)).unwrap());
    for (short, long) in short.iter().zip(&long) {
        assert!((short.0 / long.0 - 1.0).abs() < 0.01, "{:.3}", short.0 / long.0);
    }
}

/// The parts from the host down to `place`.
fn way_down(places: &[(Id, Id)], place: Id) -> Vec<usize> {
    let above =
        |&at: &Id| places.iter().find(|(below, _)| *below == at).map(|(_, above)| *above).filter(|_| at != HOST);
    let mut way: Vec<usize> = std::iter::successors(Some(place), above).map(|part| part.0).collect();
    way.reverse();
    way
}

/// A port with buffers of realistic size. With unlimited buffers, traffic that arrives too fast accumulates and reads
/// starve behind it; then there is no rate.
fn port() -> PortParams {
    let count = |n: u64| Cap(Some(Count(n)));
    PortParams {
        posted_headers: count(32),
        posted_data: count(256),
        nonposted_headers: count(32),
        completion_headers: count(64),
        completion_data: count(512),
        ..PortParams::default()
    }
}

/// A random tree with flows of all operations. Volumes are equal in bytes, or up to 32 times one another.
fn random(seed: u64, equal: bool) -> Scenario {
    let mut dice = Dice(seed.wrapping_mul(0x5851_f42d_4c95_7f2d) + u64::from(equal));
    let mut b = Builder::new(HostParams::default(), port());
    let link = |dice: &mut Dice| format!("gen{} x{}", dice.between(1, 4), dice.pick(&[1, 2, 4, 8, 16]));
    // Each place, with the place above it.
    let mut places = vec![(HOST, HOST)];
    for _ in 0..dice.below(4) {
        let (above, speed) = (dice.pick(&places).0, link(&mut dice));
        places.push((b.switch(above, &speed, SwitchParams::default(), port()), above));
    }
    // A card below every switch, so that every port has bus numbers below it.
    let mut wanted: Vec<Id> = (0..dice.between(2, 6)).map(|_| dice.pick(&places).0).collect();
    wanted.extend(places[1..].iter().map(|(switch, _)| *switch));
    // Bus numbers are given depth first: the cards below a port have consecutive numbers.
    wanted.sort_by_key(|&place| way_down(&places, place));
    let mut cards = Vec::new();
    for above in wanted {
        let params = CardParams { read_requests: Count(dice.between(1, 32)), ..CardParams::default() };
        let speed = link(&mut dice);
        cards.push(b.card(above, &speed, params, port()));
    }
    let kinds = [
        Operation::DmaWrite,
        Operation::DmaRead,
        Operation::P2pWrite,
        Operation::P2pRead,
        Operation::DmaWrite,
        Operation::DmaRead,
        Operation::PioWrite,
        Operation::PioRead,
    ];

    let one = |dice: &mut Dice, number: usize| {
        let operation: Operation = dice.pick(&kinds);
        let card = cards[number % cards.len()];
        let other = cards[(number + 1 + dice.below(cards.len() as u64 - 1) as usize) % cards.len()];
        let (initiator, target) = match operation {
            Operation::PioWrite | Operation::PioRead => (HOST, card),
            Operation::P2pWrite | Operation::P2pRead => (card, other),
            _ => (card, HOST),
        };
        let volume = if equal { 64 << 10 } else { (8 << 10) << dice.below(6) };
        let command = if operation.is_pio() { 4 << 10 } else { dice.pick(&[4u64 << 10, 8 << 10]) };
        let made = flow(operation, initiator, target, command, volume / command);
        Flow { name: format!("{number}: {}", made.name), ..made }
    };
    let count = dice.between(2, cards.len() as u64 + 2) as usize;
    let flows = (0..count).map(|number| one(&mut dice, number)).collect();
    b.system.remake(|graph| {
        for part in &mut graph.parts {
            part.mps = PayloadSize::new(MPS as u64).unwrap();
        }
    });
    scenario(&b.system, flows)
}

/// Number of `cases` systems that have a rate, and how many of these only because flows continue after their volume.
fn with_rate(cases: u64, equal: bool) -> (u64, u64) {
    let (mut have, mut prolonged) = (0, 0);
    for seed in 0..cases {
        let s = random(seed, equal);
        let name = format!("seed {seed}, volumes {}", if equal { "equal" } else { "unequal" });
        let (outcome, limits) = (simulate(&s), limit(&s));
        assert_sum(&name, &s, &limits);
        match &outcome.window {
            Ok(window) => {
                have += 1;
                prolonged += u64::from(window.prolonged);
                assert_carried(&name, &s, &rates(&outcome).unwrap());
            }
            Err(starved) => {
                println!("{name}: {starved}");
                assert!(s.flows.iter().any(|flow| flow.name == starved.flow), "{name}: {starved}");
                assert!(outcome.flows.iter().all(|flow| flow.stream.is_none()), "{name}: a rate all the same");
            }
        }
    }
    println!("{have} of {cases} have a rate, {prolonged} of them by going on");
    (have, prolonged)
}

fn cases() -> u64 {
    std::env::var("LANESCOPE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

#[test]
fn has_every_system_with_equal_volumes_a_rate() {
    let (have, prolonged) = with_rate(cases(), true);
    assert_eq!(have, cases());
    assert!(prolonged * 4 > cases(), "the test would not see that flows go on");
}

#[test]
fn have_nineteen_of_twenty_systems_with_unequal_volumes_a_rate() {
    let (have, _) = with_rate(cases(), false);
    assert!(have * 20 >= cases() * 19, "{have} of {}", cases());
}
