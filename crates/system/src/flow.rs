//! Flows, and scenarios: a system together with its flows.

use crate::demand::Demand;
use crate::field::Cap;
use crate::graph::{PartId, System};
use crate::kinds::HostParams;
use crate::operation::Operation;
use crate::pattern::{Order, Pattern};
use crate::timed::Timed;
use crate::work::Work;
use pcie::Bytes;
use std::borrow::Cow;

/// Who starts the commands of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drive {
    /// Software on the host, with a cost, a doorbell and a notification for each command.
    Software,
    /// The card itself, one command after another.
    Card,
}

/// One stream of data.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Unique within its scenario, as in `card0 -> host`.
    pub name: String,
    /// Its operation.
    pub operation: Operation,
    /// The part that makes the requests.
    pub initiator: PartId,
    /// The part whose memory or BAR the requests address.
    pub target: PartId,
    /// Length of one command (one call, for PIO).
    pub command: Bytes,
    /// Bytes to move in all, rounded to whole commands, at least one.
    pub volume: Bytes,
    /// Who starts its commands.
    pub drive: Drive,
    /// The flow (index in [`Scenario::flows`]) whose data this flow sends on: data that arrives from it at this flow's
    /// initiator passes the card's `fifo`. `None` where the card produces the data.
    pub fed_by: Option<usize>,
    /// The flow (index in [`Scenario::flows`]) whose commands the same jobs give, one after the other, where they mix reads
    /// and writes ([`Work::read_share`]). Each of the two names the other.
    pub mixed_with: Option<usize>,
    /// Where its commands lie in its buffer; `None` for one after another.
    pub pattern: Option<Pattern>,
    /// What its latency is measured over.
    pub timed: Timed,
    /// The commands that software keeps in the queues of its drive. One, for flows that are not those of a drive.
    pub work: Work,
}

impl Flow {
    /// A flow from `initiator` to `target`, or the other way where `operation` reads: commands of `command` bytes, `volume`
    /// in all, which its card starts, one after another in its buffer.
    pub fn of_card(
        name: impl Into<String>,
        operation: Operation,
        (initiator, target): (PartId, PartId),
        (command, volume): (Bytes, Bytes),
    ) -> Flow {
        Flow {
            name: name.into(),
            operation,
            initiator,
            target,
            command,
            volume,
            drive: Drive::Card,
            fed_by: None,
            mixed_with: None,
            pattern: None,
            timed: Timed::Requests,
            work: Work::default(),
        }
    }

    /// What it asks of the part that moves its data.
    pub fn demand(&self) -> Demand {
        Demand { operation: self.operation, command: self.command, commands: self.commands(), work: self.work }
    }

    /// The part of the commands of its jobs that are its own: of those that mix reads and writes, less than 1.
    pub fn share(&self) -> f64 {
        let reads = self.work.read_share.unwrap_or(100) as f64 / 100.0;
        match (self.mixed_with, self.operation.shape().writes) {
            (None, _) => 1.0,
            // A drive that is read writes memory.
            (Some(_), true) => reads,
            (Some(_), false) => 1.0 - reads,
        }
    }

    /// True where software has jobs for it alone, or for it and the flow that it is mixed with: not for the second of two.
    pub fn has_own_jobs(&self) -> bool {
        self.operation.is_queued() && (self.mixed_with.is_none() || self.operation.shape().writes)
    }

    /// How many commands it has.
    pub fn commands(&self) -> u64 {
        (self.volume.0 / self.command.0.max(1)).max(1)
    }

    /// The share of the lines of its buffer that the cache of `host` holds.
    pub fn hit_share(&self, host: &HostParams) -> f64 {
        if host.warm { self.share_in(host.cache) } else { 0.0 }
    }

    /// The share of the lines of its buffer that are in the ways of the cache of `host` which writes of devices may fill.
    pub fn written_share(&self, host: &HostParams) -> f64 {
        self.share_in(host.direct_io)
    }

    /// The share of the lines of its buffer that are in a cache which it alone fills.
    fn share_in(&self, cache: Cap<Bytes>) -> f64 {
        let Cap(Some(cache)) = cache else { return 1.0 };
        let (command, volume) = (self.command.0, self.whole_volume().0);
        let buffer = self.pattern.map_or(volume, |pattern| pattern.bytes(command)).max(1);
        let random = self.pattern.is_some_and(|pattern| pattern.order == Order::Random);
        match (buffer <= cache.0, random) {
            (false, false) => 0.0,
            (true, _) => 1.0,
            (false, true) => cache.0 as f64 / buffer as f64,
        }
    }

    /// Bytes to move in all: whole commands, at least one.
    pub fn whole_volume(&self) -> Bytes {
        Bytes(self.commands() * self.command.0.max(1))
    }
}

/// A settled system and its flows: the input of `limit` and `sim`.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// The system at this point of the experiment.
    pub system: System,
    /// The flows, which all start at the same time.
    pub flows: Vec<Flow>,
    /// True where the run carries payload bytes and compares them.
    pub integrity: bool,
}

impl Scenario {
    /// The flow that writes back what flow `number` reads, where both are the halves of what a device with queues copies
    /// ([`Operation::halves`]).
    pub fn written_back(&self, number: usize) -> Option<usize> {
        let reads = self.flows.get(number).filter(|flow| flow.operation.is_queued())?;
        let word = reads.operation.word();
        self.flows.iter().position(|flow| flow.fed_by == Some(number) && flow.operation.word() == word)
    }

    /// The same with the flows of drives as their hosts give them to the drives ([`Declared::gives`]).
    ///
    /// [`Declared::gives`]: crate::kind::Declared::gives
    pub fn given(&self) -> Cow<'_, Scenario> {
        let given = |flow: &Flow| {
            let demand = flow.demand();
            let host = self.system.host_for(flow.initiator, flow.target);
            let gives = || self.system.part(host).kind.gives(&demand);
            if flow.operation.is_queued() { gives() } else { demand }
        };
        if self.flows.iter().all(|flow| given(flow) == flow.demand()) {
            return Cow::Borrowed(self);
        }
        let mut all = self.clone();
        for (flow, own) in all.flows.iter_mut().zip(&self.flows) {
            let Demand { command, commands, work, .. } = given(own);
            (flow.command, flow.volume, flow.work) = (command, Bytes(command.0 * commands), work);
        }
        Cow::Owned(all)
    }
}
