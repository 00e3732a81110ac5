//! The event loop.

use crate::assemble::assemble;
use crate::fabric::Fabric;
use crate::loopback::{contract, expand};
use crate::outcome::outcome;
use crate::part::{Node, Part};
use crate::queue::Event;
use crate::{Options, Outcome, SimError};
use std::sync::atomic::Ordering;
use system::Scenario;

/// Events between two looks at whether the run was interrupted.
const LOOK_EVERY: u64 = 1 << 16;

/// Runs `scenario` to its end.
///
/// # Errors
/// [`SimError::Stuck`] where a flow can never end, [`SimError::NoBar`] where it has nowhere to go.
pub fn run(scenario: &Scenario, options: &Options<'_>) -> Result<Outcome, SimError> {
    match expand(scenario) {
        Some((expanded, stands_for)) => Ok(contract(run_flows(&expanded, options)?, &stands_for)),
        None => run_flows(scenario, options),
    }
}

fn run_flows(scenario: &Scenario, options: &Options<'_>) -> Result<Outcome, SimError> {
    let (mut fabric, mut nodes) = assemble(scenario)?;
    fabric.flip = options.flip;
    for node in &mut nodes {
        node.start(&mut fabric);
    }
    while !fabric.flows.are_done() {
        let Some((now, event)) = fabric.queue.pop() else { return Err(stuck(scenario, &fabric)) };
        fabric.now = now;
        handle(&mut fabric, &mut nodes, event);
        if fabric.queue.handled.is_multiple_of(LOOK_EVERY)
            && options.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed))
        {
            return Ok(outcome(scenario, &fabric, true));
        }
    }
    Ok(outcome(scenario, &fabric, false))
}

fn handle(fabric: &mut Fabric, nodes: &mut [Node], event: Event) {
    match event {
        Event::Transmit(direction) => fabric.on_transmit(direction),
        Event::Dllp(direction) => fabric.on_dllp(direction),
        Event::Forward { tlp } => fabric.on_forward(tlp),
        Event::Receive { tlp } => {
            let direction = fabric.tlps[tlp].came_by;
            let part = fabric.directions[direction as usize].to;
            nodes[part as usize].receive(fabric, tlp);
        }
        Event::Wake { part, token } => nodes[part as usize].wake(fabric, token),
    }
    while let Some(sent) = fabric.sent.pop() {
        nodes[sent.from as usize].sent(fabric, sent);
    }
}

fn stuck(scenario: &Scenario, fabric: &Fabric) -> SimError {
    let waiting = scenario.flows.iter().zip(&fabric.flows.accounts).find(|(_, account)| !account.is_done());
    let what = waiting.map_or_else(String::new, |(flow, account)| {
        format!("{} has {} of its bytes; a credit pool is too small for one TLP", flow.name, account.delivered)
    });
    SimError::Stuck { at: fabric.now, what }
}
