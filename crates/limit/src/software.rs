//! Commands that software gives one after another: what they wait for lane 0 of the links, which are idle between them.

use crate::burst::{Burst, Starts};
use crate::latency::{dllps_of_answer, trip};
use crate::path::Hop;
use crate::plan::Plan;

fn fs(time: pcie::Time) -> f64 {
    time.as_fs() as f64
}

/// Commands, after the first, over which the mean is taken.
const COMMANDS: usize = 32;

/// The steps of a command.
#[derive(Clone, Copy, Debug)]
pub struct Steps<'a, 'p> {
    /// The flow.
    pub plan: &'a Plan<'p>,
    /// From the end of a command to the end of the next, where packets start at any time.
    pub cycle_fs: f64,
    /// Of a read: from the data of its first request to that of its last.
    pub more_fs: f64,
    /// Of a write: hops after which its end is seen.
    pub through: usize,
}

/// When a command has ended, and its first data has come.
#[derive(Clone, Copy, Debug, Default)]
struct Ended {
    all: f64,
    data: f64,
}

impl Steps<'_, '_> {
    /// The time that the places where packets may start add to a command: to its doorbell, its first request or TLP, and the
    /// status of a read. The mean of several commands, each of which continues where the one before ended.
    pub fn start_gaps_fs(&self) -> f64 {
        let rest = self.cycle_fs - self.command(Ended::default(), 0.0, Starts::Anywhere).all;
        let next = |ended: Ended| self.command(ended, rest, Starts::OnGrid);
        let first = next(Ended::default());
        let last = (0..COMMANDS).fold(first, |ended, _| next(ended));
        (last.all - first.all) / COMMANDS as f64 - self.cycle_fs
    }

    /// The command after one that has `ended`, which is seen `rest` after its last packet.
    fn command(&self, ended: Ended, rest: f64, starts: Starts) -> Ended {
        let plan = self.plan;
        let mut bells = Burst::new(&plan.doorbell.0, starts);
        let (_, rung) = bells.send(ended.all + plan.before_doorbell_fs(), &plan.doorbell.1);
        let decided = rung + fs(plan.card.rx_latency) + fs(plan.card.command_latency);
        let acks = plan.doorbell.0.last().is_some_and(Hop::acks_at_once).then_some(rung);
        if plan.reads() {
            let before: Vec<f64> = dllps_of_answer(plan, ended.data).chain(acks).collect();
            let (_, data) = trip(plan, decided, &before, starts);
            let mut status = Burst::new(&plan.status.0, starts);
            let (_, told) = status.send(data + self.more_fs + fs(plan.card.tx_latency), &plan.status.1);
            return Ended { all: told + rest, data };
        }
        let bytes = plan.cut.sizes.first().map_or(0, |&(size, _)| size);
        let hops = self.through.max(1).min(plan.data.len());
        let mut writes = Burst::new(&plan.data, starts);
        acks.into_iter().for_each(|due| writes.send_dllp(due));
        let ready = decided + fs(plan.card.tx_latency);
        let (_, data) = writes.send_over(hops, plan.data.get(hops), ready, &plan.data_tlp(bytes));
        Ended { all: data + rest, data }
    }
}
