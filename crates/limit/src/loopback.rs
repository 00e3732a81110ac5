//! A loopback is two flows: a card reads host memory, and writes what it read back.

use crate::FlowLimit;
use crate::crowded::Crowded;
use system::{Drive, Flow, Operation};

/// `flows`, each loopback as its reading half, with the writing halves behind all of them.
pub fn halves(flows: &[Flow]) -> Vec<Flow> {
    let is_loop = |flow: &&Flow| flow.operation == Operation::Loopback;
    let reading = flows.iter().map(|flow| match is_loop(&flow) {
        true => Flow { operation: Operation::DmaRead, ..flow.clone() },
        false => flow.clone(),
    });
    let writing = flows.iter().enumerate().filter(|(_, flow)| is_loop(flow)).map(|(number, flow)| Flow {
        operation: Operation::DmaWrite,
        drive: Drive::Card,
        command: flow.volume,
        fed_by: Some(number),
        ..flow.clone()
    });
    reading.chain(writing).collect()
}

/// The limits of `flows` from those of their halves: of a loopback, the slower half's, and both latencies.
pub fn whole(flows: &[Flow], mut halves: Vec<FlowLimit>) -> Vec<FlowLimit> {
    let mut writing = halves.split_off(flows.len()).into_iter();
    let both = |(flow, read): (&Flow, FlowLimit)| {
        let write = (flow.operation == Operation::Loopback).then(|| writing.next()).flatten();
        let Some(write) = write else { return read };
        let latency = read.latency + write.latency;
        let slower = if write.stream.0 <= read.stream.0 { write } else { read };
        FlowLimit { latency, ..slower }
    };
    flows.iter().zip(halves).map(both).collect()
}

/// The same of where halves are crowded: by the flows whose halves they are.
pub fn whole_flows(flows: &[Flow], mut crowded: Vec<Crowded>) -> Vec<Crowded> {
    let loops: Vec<usize> =
        flows.iter().enumerate().filter(|(_, flow)| flow.operation == Operation::Loopback).map(|(n, _)| n).collect();
    for of in &mut crowded {
        for flow in &mut of.flows {
            *flow = flow.checked_sub(flows.len()).and_then(|half| loops.get(half)).copied().unwrap_or(*flow);
        }
    }
    crowded
}
