//! The event loop.

use crate::assemble::assemble;
use crate::fabric::Fabric;
use crate::loopback::{contract, expand};
use crate::outcome::outcome;
use crate::part::{Node, Part};
use crate::queue::Event;
use crate::trace::{Nobody, Sink, Tracer};
use crate::{Options, Outcome, SimError};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use system::Scenario;

/// Events between two looks at whether the run was interrupted.
const LOOK_EVERY: u64 = 1 << 16;

/// Runs `scenario` to its end.
///
/// # Errors
/// [`SimError::Stuck`] where a flow can never end, [`SimError::NoBar`] where it has nowhere to go.
pub fn run(scenario: &Scenario, options: &Options<'_>) -> Result<Outcome, SimError> {
    run_any(scenario, options, None, &mut Nobody)
}

/// Runs `scenario` to its end, and tells `sink` all that passes. The outcome is that of [`run`].
///
/// # Errors
/// As [`run`].
pub fn run_traced(scenario: &Scenario, options: &Options<'_>, sink: &mut impl Sink) -> Result<Outcome, SimError> {
    run_any(scenario, options, Some(Box::default()), sink)
}

fn run_any(
    scenario: &Scenario,
    options: &Options<'_>,
    trace: Option<Box<Tracer>>,
    sink: &mut impl Sink,
) -> Result<Outcome, SimError> {
    match expand(scenario) {
        Some((expanded, stands_for)) => Ok(contract(run_flows(&expanded, options, trace, sink)?, &stands_for)),
        None => run_flows(scenario, options, trace, sink),
    }
}

fn run_flows(
    scenario: &Scenario,
    options: &Options<'_>,
    trace: Option<Box<Tracer>>,
    sink: &mut impl Sink,
) -> Result<Outcome, SimError> {
    let (mut fabric, mut nodes) = assemble(scenario, options)?;
    fabric.flip = options.flip;
    fabric.trace = trace;
    sink.begin(scenario);
    if let Some(trace) = &mut fabric.trace {
        trace.only_packets = sink.only_packets();
    }
    for node in &mut nodes {
        node.start(&mut fabric);
    }
    while !fabric.flows.are_done() {
        let Some((now, event)) = fabric.queue.pop() else {
            let _ = tell(&mut fabric, sink, true);
            return Err(stuck(scenario, &fabric));
        };
        fabric.now = now;
        handle(&mut fabric, &mut nodes, event);
        let asked = fabric.queue.handled.is_multiple_of(LOOK_EVERY)
            && options.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed));
        if asked || tell(&mut fabric, sink, false).is_break() {
            let _ = tell(&mut fabric, sink, true);
            return Ok(outcome(scenario, &mut fabric, true));
        }
    }
    let _ = tell(&mut fabric, sink, true);
    Ok(outcome(scenario, &mut fabric, false))
}

/// Gives records to `sink`: a full batch, or `all` that there are.
fn tell(fabric: &mut Fabric, sink: &mut impl Sink, all: bool) -> ControlFlow<()> {
    fabric.trace.as_mut().map_or(ControlFlow::Continue(()), |trace| trace.pass_on(sink, all))
}

// The loop is there twice, for a sink and for none: without this, neither would have it inside.
#[inline(always)]
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
