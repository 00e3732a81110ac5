//! Software of the ping-pong of `gateware/examples`: tells two cards each other's address, lets one of them time a beat
//! there and back, and reads its timer.

use crate::bars::bars;
use crate::refusal::refuse;
use pcie::Time;
use sim::parts::KindError;
use sim::{Ask, HostMemory, Seen, Thread};
use std::collections::VecDeque;
use system::kinds::card::Design;
use system::{Drive, Flow, Operation, Scenario};

/// The design's registers in BAR 0: the window of the other card; control (bit 0 starts a round, bit 1 makes the card
/// the echo); the timer in the lower half, with bit 32 while it runs.
const PEER: u64 = 0x8000;
/// See [`PEER`].
const CONTROL: u64 = 0x8008;
/// See [`PEER`].
const TIMER: u64 = 0x8010;
const START: u64 = 1 << 0;
const ECHO: u64 = 1 << 1;
const BUSY: u64 = 1 << 32;
/// Delay from the start of a round to the first read of the timer, so that the read does not disturb the beat.
const REST: Time = Time::from_us(10);

/// The flow in the reverse direction of flow `number`, if both ends have ping-pongs.
fn back(scenario: &Scenario, number: usize) -> Option<usize> {
    let flow = scenario.flows.get(number)?;
    let plays = |flow: &Flow| {
        let card = scenario.system.part(flow.initiator).kind.card();
        card.is_some_and(|card| card.design == Design::PingPong) && flow.operation == Operation::P2pWrite
    };
    let returns = |other: &Flow| other.initiator == flow.target && other.target == flow.initiator && plays(other);
    scenario.flows.iter().position(returns).filter(|_| plays(flow))
}

/// True for the answering flow of a pair, which is the later one.
pub fn is_echo(scenario: &Scenario, number: usize) -> bool {
    back(scenario, number).is_some_and(|first| first < number)
}

/// Checks that a flow of a card with the ping-pong is possible.
///
/// # Errors
/// A flow that is not in a pair that software starts, or that has a partial beat.
pub fn check(scenario: &Scenario, number: usize) -> Result<(), KindError> {
    let Some(flow) = scenario.flows.get(number) else { return Ok(()) };
    let Some(card) = scenario.system.part(flow.initiator).kind.card() else {
        return refuse("a ping-pong is between cards", "let cards write to each other");
    };
    let other = back(scenario, number).and_then(|other| scenario.flows.get(other));
    let pair = other.is_some_and(|other| other.volume == flow.volume && other.command == flow.command);
    if !pair || flow.drive != Drive::Software || flow.command != card.core_width {
        let right = format!(
            "write two p2p-write flows, there and back, with `drive: software`, one volume and a command of {} B",
            card.core_width.0
        );
        return refuse(format!("`{}` is no half of a ping-pong", flow.name), right);
    }
    Ok(())
}

/// The state of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Set,
    Start,
    Look,
}

/// See the module.
#[derive(Debug)]
pub struct PingPong {
    flow: u32,
    /// BAR 0 of the card that measures.
    registers: u64,
    /// Stores that tell both cards each other's address, and loads that wait for them.
    plan: VecDeque<Ask>,
    phase: Phase,
    rounds_left: u64,
    period: Time,
}

impl PingPong {
    /// The software of flow `number`, whose card has a clock of `period`.
    ///
    /// # Errors
    /// The cards do not have the engine's BARs.
    pub fn new(scenario: &Scenario, number: usize, period: Time) -> Result<PingPong, KindError> {
        let Some(flow) = scenario.flows.get(number) else { return refuse("there is no such flow", "take it out") };
        let own = bars(scenario.system.part(flow.initiator))?;
        let other = bars(scenario.system.part(flow.target))?;
        let store = |address: u64, value: u64| Ask::Store { address, data: value.to_le_bytes().into() };
        let load = |address: u64| Ask::Load { address, bytes: 8 };
        let plan = [
            store(own[0].base + PEER, other[1].base),
            store(other[0].base + PEER, own[1].base),
            store(other[0].base + CONTROL, ECHO),
            load(own[0].base + PEER),
            load(other[0].base + PEER),
        ];
        let rounds_left = flow.commands();
        Ok(PingPong {
            flow: number as u32,
            registers: own[0].base,
            plan: plan.into(),
            phase: Phase::Set,
            rounds_left,
            period,
        })
    }

    fn start(&mut self) -> Ask {
        if self.rounds_left == 0 {
            self.plan.push_back(Ask::Leave);
            return Ask::End { flow: self.flow, wrong: 0 };
        }
        self.phase = Phase::Look;
        let round = [Ask::Spend(REST), Ask::Load { address: self.registers + TIMER, bytes: 8 }];
        self.plan.extend(round);
        Ask::Store { address: self.registers + CONTROL, data: START.to_le_bytes().into() }
    }

    /// Reads the timer: half of the time there and back is the latency in one direction.
    fn look(&mut self, seen: &Seen) -> Ask {
        let timer = match seen {
            Seen::Loaded(data) => data.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)),
            Seen::Done | Seen::Now(_) => BUSY,
        };
        if timer & BUSY != 0 {
            return Ask::Load { address: self.registers + TIMER, bytes: 8 };
        }
        self.rounds_left -= 1;
        self.phase = Phase::Start;
        let latency = Time::from_fs(self.period.as_fs() * (timer & (BUSY - 1)) / 2);
        Ask::Timed { flow: self.flow, latency }
    }
}

impl Thread for PingPong {
    fn next(&mut self, seen: Seen, _: &mut HostMemory) -> Ask {
        if let Some(ask) = self.plan.pop_front() {
            return ask;
        }
        match self.phase {
            Phase::Set | Phase::Start => self.start(),
            Phase::Look => self.look(&seen),
        }
    }
}
