//! Loopbacks, and what other kinds copy, as two flows of one card: one reads host memory, the other writes back what was read.

use crate::flow::{Drive, Flow, Scenario};
use std::borrow::Cow;

/// Flows with loopbacks divided into halves. First all flows in order, with the reading half in place of a loopback;
/// then the writing halves of the loopbacks, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Halves {
    /// The flows, none of which is a loopback.
    pub flows: Vec<Flow>,
    /// For each half: the flow that it is, or is half of.
    pub whole: Vec<usize>,
    /// For each flow: the half that delivers its payload at the end; for a loopback, the writing half.
    pub last: Vec<usize>,
}

impl Halves {
    /// The halves of `flows`.
    pub fn new(flows: &[Flow]) -> Halves {
        let mut halves = Halves { flows: flows.to_vec(), whole: (0..flows.len()).collect(), last: Vec::new() };
        for (number, flow) in flows.iter().enumerate() {
            let Some((reads, writes)) = flow.operation.halves() else {
                halves.last.push(number);
                continue;
            };
            halves.flows[number].operation = reads;
            halves.last.push(halves.flows.len());
            halves.whole.push(number);
            halves.flows.push(Flow {
                operation: writes,
                drive: Drive::Card,
                command: flow.volume,
                fed_by: Some(number),
                ..flow.clone()
            });
        }
        halves
    }

    /// `scenario` with these halves in place of its flows.
    pub fn scenario<'s>(&self, scenario: &'s Scenario) -> Cow<'s, Scenario> {
        if self.flows.len() == scenario.flows.len() {
            return Cow::Borrowed(scenario);
        }
        Cow::Owned(Scenario { flows: self.flows.clone(), ..scenario.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::PartId;
    use crate::operation::Operation;
    use pcie::Bytes;

    fn flow(operation: Operation) -> Flow {
        let whole = Flow::of_card("x", operation, (PartId(1), PartId(0)), (Bytes(64), Bytes(256)));
        Flow { drive: Drive::Software, ..whole }
    }

    #[test]
    fn which_halves_stand_for_which_flow() {
        let flows = [Operation::Loopback, Operation::DmaWrite, Operation::Loopback].map(flow);
        let halves = Halves::new(&flows);
        assert_eq!(halves.whole, [0, 1, 2, 0, 2]);
        assert_eq!(halves.last, [3, 1, 4]);
        assert_eq!(halves.flows[1], flows[1]);
        assert_eq!(halves.flows[2], flow(Operation::DmaRead));
        let writes = &halves.flows[4];
        assert_eq!((writes.operation, writes.drive, writes.fed_by), (Operation::DmaWrite, Drive::Card, Some(2)));
        assert_eq!(writes.command, writes.volume, "it writes as the data comes, in no commands of its own");
    }
}
