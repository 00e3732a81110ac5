//! The part: its instances, each on its own clock, and the memory port that they share.

use super::instance::Instance;
use super::memory::MemoryPort;
use crate::card::Clocks;
use sim::parts::{Arrived, Part, PartContext, Sent};
use std::sync::atomic::Ordering;

/// The largest number of clocks between two checks for events.
const BATCH: u32 = 64;

/// See the module.
pub(super) struct NvmeHost {
    instances: Vec<Instance>,
    /// By flow: its instance, and by port.
    of_flow: Vec<Option<usize>>,
    of_port: Vec<Option<usize>>,
    memory: MemoryPort,
    clocks: Clocks,
}

impl NvmeHost {
    /// The host of `instances`, by the flows and the ports of a part.
    pub fn new(
        instances: Vec<Instance>,
        (of_flow, of_port): (Vec<Option<usize>>, Vec<Option<usize>>),
        memory: MemoryPort,
        clocks: Clocks,
    ) -> NvmeHost {
        NvmeHost { instances, of_flow, of_port, memory, clocks }
    }

    fn at(&mut self, port: usize) -> Option<&mut Instance> {
        let index = (*self.of_port.get(port)?)?;
        self.instances.get_mut(index)
    }
}

impl Part for NvmeHost {
    fn start(&mut self, context: &mut PartContext<'_>) {
        for (token, instance) in (0..).zip(&self.instances) {
            context.wake(token, instance.edge);
        }
    }

    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        match self.at(arrived.port) {
            Some(instance) => instance.receive(context, arrived),
            None => context.refuse(|| "a drive without a flow sends it a TLP".to_string()),
        }
    }

    /// Runs the clocks of an instance up to the next event. An instance whose flow has ended runs on: its drive may still
    /// have something to be answered.
    fn wake(&mut self, context: &mut PartContext<'_>, token: u32) {
        let Some(instance) = self.instances.get_mut(token as usize) else { return };
        for _ in 0..BATCH {
            instance.clock(context, &mut self.memory);
            if instance.edge >= context.next_event() {
                break;
            }
        }
        context.wake(token, instance.edge);
    }

    fn sent(&mut self, _: &mut PartContext<'_>, sent: Sent) {
        let index = self.of_flow.get(sent.flow as usize).copied().flatten();
        if let Some(instance) = index.and_then(|index| self.instances.get_mut(index)) {
            instance.left(u64::from(sent.payload));
        }
    }
}

impl Drop for NvmeHost {
    fn drop(&mut self) {
        let ran = self.instances.iter().map(|instance| instance.clocks).sum();
        self.clocks.run.fetch_add(ran, Ordering::Relaxed);
    }
}
