//! A loopback is two flows at one card: it reads, and writes on what it read.

use crate::Outcome;
use system::{Drive, Flow, Operation, Scenario};

/// A scenario without loopbacks, and which of its flows stands for each flow of the original.
pub(crate) fn expand(scenario: &Scenario) -> Option<(Scenario, Vec<usize>)> {
    if scenario.flows.iter().all(|flow| flow.operation != Operation::Loopback) {
        return None;
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
    Some((expanded, stands_for))
}

/// The outcome in the order of the original's flows.
pub(crate) fn contract(outcome: Outcome, stands_for: &[usize]) -> Outcome {
    let flows = stands_for.iter().filter_map(|&flow| outcome.flows.get(flow).cloned()).collect();
    Outcome { flows, ..outcome }
}
