//! Flows that run at once: the class, the path and the uses of each, and which of them have one rate.

use crate::load::Load;
use crate::place::Way;
use crate::resource::{Use, Uses};
use crate::solve::Solved;

/// The input: flows, each with the class and the uses that it has.
#[derive(Clone, Copy)]
pub struct Crowd<'a> {
    /// One flow of each class.
    pub solved: &'a [Solved<'a>],
    /// The class of each flow.
    pub classes: &'a [usize],
    /// The path of each flow.
    pub ways: &'a [Way],
    /// The uses of all flows.
    pub uses: &'a Uses,
}

impl Crowd<'_> {
    /// The solved flow of a flow's class.
    pub fn solved(&self, flow: usize) -> &Solved<'_> {
        &self.solved[self.classes[flow]]
    }

    /// The load that belongs to a use of a direction.
    pub fn load(&self, of: &Use) -> &Load {
        &self.solved(of.flow).loads[of.load]
    }

    /// The first flow of each flow's chain. The flows of a chain have one rate: each sends on the data of the one before,
    /// or a card decides their commands in turn. Those that the same jobs mix have rates as their shares of the commands.
    pub(crate) fn chains(&self) -> Vec<usize> {
        let flows = self.ways.len();
        let fed_by = |flow: usize| self.solved(flow).plan.flow.fed_by.filter(|&from| from < flows);
        let mixed = |flow: usize| self.solved(flow).plan.flow.mixed_with.filter(|&with| with < flow);
        let before = |flow: usize| fed_by(flow).or_else(|| self.in_turn_with(flow)).or_else(|| mixed(flow));
        let first =
            |flow: usize| std::iter::successors(Some(flow), |&flow| before(flow)).take(flows).last().unwrap_or(flow);
        (0..flows).map(first).collect()
    }

    /// What the rate of a flow is of that of its chain.
    pub(crate) fn part(&self, flow: usize) -> f64 {
        self.solved(flow).plan.flow.share()
    }

    /// The flow before `flow` whose commands its card decides in turn with those of `flow`: the first that reads and the
    /// first that writes of the card's flows, if no other feeds it, take turns, where their commands have the same length.
    fn in_turn_with(&self, flow: usize) -> Option<usize> {
        let plan = |flow: usize| &self.solved(flow).plan;
        if !plan(flow).card.in_turn {
            return None;
        }
        let first = |reads: bool| {
            let is = |other: &usize| {
                self.ways[*other].initiator == self.ways[flow].initiator
                    && plan(*other).reads() == reads
                    && plan(*other).flow.fed_by.is_none()
            };
            (0..self.ways.len()).find(is)
        };
        let (reads, writes) = (first(true)?, first(false)?);
        let (one, other) = (reads.min(writes), reads.max(writes));
        (flow == other && plan(one).flow.command == plan(other).flow.command).then_some(one)
    }
}
