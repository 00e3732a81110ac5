//! The queues of a flow of a drive, on its ways: what commands put on links besides their payload.

use crate::load::Load;
use crate::path::{Hop, hops};
use crate::plan::Plan;
use crate::tlps::Tlp;
use pcie::Class;
use pcie::tlp::HEADER_3DW_BYTES;
use system::kinds::HostParams;
use system::kinds::queues::{Beside, Queues};
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
        let queues = system.part(flow.initiator).kind.queues(flow, host)?;
        let commands = queues.written.first().map_or(1.0, |beside| beside.each).round().max(1.0) as u64;
        Some(Queued {
            commands,
            bytes: flow.command.0.div_ceil(commands).max(1),
            up: hops(system, flow.initiator, flow.target, Class::NonPosted),
            down: hops(system, flow.target, flow.initiator, Class::Completion),
            queues,
        })
    }

    /// The TLPs of a block besides its payload on a direction, each with how many there are: `up` for those that the drive
    /// sends.
    fn tlps(&self, plan: &Plan<'_>, up: bool) -> Vec<(Tlp, f64)> {
        let Queues { written, fetched, stored, .. } = &self.queues;
        let of = |all: &[Beside], tlp: &dyn Fn(u64) -> Tlp| -> Vec<(Tlp, f64)> {
            all.iter().map(|beside| (tlp(beside.bytes), beside.each)).collect()
        };
        let mut all = match up {
            true => of(written, &|bytes| plan.status_tlp(bytes)),
            false => of(stored, &|bytes| Tlp::new(plan.doorbell.1.shape.header_bytes(), bytes)),
        };
        all.extend(match up {
            true => of(fetched, &|_| plan.request),
            // Completions carry at least as much as one can.
            false => of(fetched, &|bytes| Tlp::new(HEADER_3DW_BYTES, bytes)),
        });
        all
    }
}

/// Adds to `loads` what the commands of `plan` put on these directions besides their payload.
pub fn add(plan: &Plan<'_>, loads: &mut [Load]) {
    let Some(queued) = &plan.queued else { return };
    let block = plan.cut.bytes.max(1) as f64;
    for load in loads {
        for (tlp, each) in queued.tlps(plan, load.wire.direction.up) {
            load.put(tlp, each / block);
        }
    }
}
