//! A loopback is two flows at one card: it reads, and writes on what it read.

use crate::run::outcome::Outcome;
use std::borrow::Cow;
use system::{Drive, Flow, Operation, Scenario};

/// A scenario without loopbacks, and which of its flows stands for each flow of the original. The writing halves stand
/// behind all flows of the original, in its order.
pub(crate) fn expand(scenario: &Scenario) -> (Cow<'_, Scenario>, Vec<usize>) {
    if scenario.flows.iter().all(|flow| flow.operation != Operation::Loopback) {
        return (Cow::Borrowed(scenario), (0..scenario.flows.len()).collect());
    }
    let mut expanded = scenario.clone();
    let mut stands_for = Vec::new();
    for (number, flow) in scenario.flows.iter().enumerate() {
        if flow.operation != Operation::Loopback {
            stands_for.push(number);
            continue;
        }
        expanded.flows[number] = Flow { operation: Operation::DmaRead, ..flow.clone() };
        stands_for.push(expanded.flows.len());
        expanded.flows.push(Flow {
            operation: Operation::DmaWrite,
            drive: Drive::Card,
            command: flow.volume,
            fed_by: Some(number),
            ..flow.clone()
        });
    }
    (Cow::Owned(expanded), stands_for)
}

/// The outcome in the order of the original's flows.
pub(crate) fn contract(outcome: Outcome, stands_for: &[usize]) -> Outcome {
    if stands_for.len() == outcome.flows.len() {
        return outcome;
    }
    let flows = stands_for.iter().filter_map(|&flow| outcome.flows.get(flow).cloned()).collect();
    Outcome { flows, ..outcome }
}
