//! The queues of a flow of a drive, and its ways.

use crate::path::{Hop, hops};
use pcie::Class;
use system::kinds::HostParams;
use system::kinds::queues::Queues;
use system::{Flow, System};

/// See the module.
#[derive(Clone, Debug)]
pub struct Queued {
    /// What the kind of the drive declares.
    pub queues: Queues,
    /// Commands of a block, and bytes of the largest: how often entries are completed for it.
    pub commands: u64,
    /// See [`Queued::commands`].
    pub bytes: u64,
    /// From the drive to memory, and back.
    pub up: Vec<Hop>,
    /// See [`Queued::up`].
    pub down: Vec<Hop>,
}

impl Queued {
    /// The queues of `flow`; `None` where its part has none.
    pub fn of(system: &System, flow: &Flow, host: &HostParams) -> Option<Queued> {
        if !flow.operation.is_queued() {
            return None;
        }
        let queues = system.part(flow.initiator).kind.queues(&flow.demand(), host)?;
        let commands = queues.written.first().map_or(1.0, |beside| beside.each).round().max(1.0) as u64;
        Some(Queued {
            commands,
            bytes: flow.command.0.div_ceil(commands).max(1),
            up: hops(system, flow.initiator, flow.target, Class::NonPosted),
            down: hops(system, flow.target, flow.initiator, Class::Completion),
            queues,
        })
    }
}
