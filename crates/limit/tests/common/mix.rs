//! Random systems with several flows of any operation.

use super::common::random::{Case, Maker};
use super::common::*;
use system::Operation;

/// The random mix of `seed`: one to three switches, two to nine cards, two to six flows.
pub fn mix(seed: u64) -> Case {
    let mut m = Maker::new(!seed);
    let (host, habits) = (m.host(), m.habits());
    let mut builder = Builder::new(host, habits);
    // Bus numbers are given in the order of the cards, so that the cards below a switch must be neighbours: each switch
    // is below the switch before it or below one above that.
    let mut line = vec![HOST];
    let mut at_switch = Vec::new();
    for _ in 0..m.dice.between(1, 3) {
        line.truncate(m.dice.between(1, line.len() as u64) as usize);
        let (at, link) = (line[line.len() - 1], m.link());
        let (switch, habits) = (m.switch(), m.habits());
        let switch = builder.switch(at, &link, switch, habits);
        line.push(switch);
        // Each switch has a card, because a port with nothing below has no bus numbers.
        at_switch.extend(std::iter::repeat_n(switch, m.dice.between(1, 3) as usize));
    }
    let mut made = Vec::new();
    for at in at_switch {
        let link = m.link();
        let (card, habits) = (m.card(), m.habits());
        made.push(builder.card(at, &link, card, habits));
    }
    if let [_] = made[..] {
        let (at, link, card, habits) = (line[1], m.link(), m.card(), m.habits());
        made.push(builder.card(at, &link, card, habits));
    }
    let flows = (0..m.dice.between(2, 6)).map(|_| one(&mut m, &made)).collect();
    let mut scenario = scenario(&builder.system, flows);
    // Each flow would take about the same time alone.
    let alone = lanescope_limit::limit(&scenario).alone;
    for (flow, alone) in scenario.flows.iter_mut().zip(&alone) {
        let commands = (alone.stream.0 * SECONDS / flow.command.0 as f64).ceil().max(1.0) as u64;
        if flow.operation.is_pio() || flow.command.0 < LARGE {
            flow.volume.0 = flow.command.0 * commands;
        } else {
            flow.volume.0 = ((alone.stream.0 * SECONDS / LARGE as f64).ceil() as u64).clamp(1, 64) * LARGE;
            flow.command = flow.volume;
        }
    }
    Case { seed, scenario, mechanisms: m.on }
}

/// The time that each flow takes alone.
const SECONDS: f64 = 200e-6;

/// Bytes of a large command.
const LARGE: u64 = 64 << 10;

/// A flow of one of `cards`.
fn one(m: &mut Maker, cards: &[Id]) -> Flow {
    let card = m.dice.pick(cards);
    let others: Vec<Id> = cards.iter().copied().filter(|&other| other != card).collect();
    let other = m.dice.pick(&others);
    let operation = m.dice.pick(&[
        Operation::DmaWrite,
        Operation::DmaRead,
        Operation::DmaWrite,
        Operation::DmaRead,
        Operation::P2pWrite,
        Operation::P2pRead,
        Operation::PioWrite,
        Operation::PioRead,
    ]);
    let (initiator, target) = match operation {
        Operation::P2pWrite | Operation::P2pRead => (card, other),
        Operation::PioWrite | Operation::PioRead => (HOST, card),
        _ => (card, HOST),
    };
    let (command, commands) = match (operation, m.dice.chance(25)) {
        (Operation::PioRead, _) => (m.dice.between(1, 16) * 64, 40),
        (Operation::PioWrite, true) => (m.dice.between(1, 20) * 64, 200),
        (_, true) => (1u64 << m.dice.between(9, 15), 100),
        (_, false) => (LARGE, 1),
    };
    let mut made = flow(operation, initiator, target, command, commands);
    made.name = format!("{} {}", operation.word(), made.name);
    if !operation.is_pio() && m.has("software", 20) { by_software(made) } else { made }
}
