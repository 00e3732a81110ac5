//! A shorter run of a point in which all flows end at about the same time.

use crate::cause::options::Effort;
use crate::measured::Measured;
use crate::metric::{Moves, payload};
use pcie::Bytes;
use system::{Flow, Scenario, System};

/// What each flow has to move at least.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Enough {
    tlps: u64,
    commands: u64,
}

impl Enough {
    /// What suffices for a steady state.
    pub fn of(effort: Effort) -> Enough {
        match effort {
            Effort::Nothing | Effort::AsTheRun => Enough { tlps: 300, commands: 4 },
            Effort::Full => Enough { tlps: 2000, commands: 8 },
        }
    }

    fn bytes(self, system: &System, flow: &Flow, moves: Moves) -> u64 {
        let tlps = self.tlps * payload(system, flow);
        // A median is that of many commands.
        let commands = if moves == Moves::Latency { 8 * self.commands } else { self.commands };
        // The window of a drive opens when all that is in flight has moved.
        let in_flight = if flow.operation.is_queued() { 2 * flow.work.in_flight() } else { 0 };
        let commands = commands.max(in_flight).saturating_mul(flow.command.0);
        if is_single(flow) && in_flight == 0 { tlps } else { tlps.max(commands) }
    }
}

/// A run longer than this share of the whole is not shorter.
const WORTH_IT: f64 = 0.7;

/// The scenario of a point with volumes in proportion to the rates of its flows, so that each moves `size` times what
/// is enough and none runs long after the others, and its share of the whole; `None` if that is not shorter.
pub(crate) fn shorter(
    measured: &Measured,
    rates: &[Option<f64>],
    moves: Moves,
    enough: Enough,
    size: f64,
) -> Option<(Scenario, f64)> {
    let scenario = &measured.job.scenario;
    let rate = |flow: usize| match moves {
        // A flow with many commands in flight has a latency that says nothing of its rate.
        Moves::Latency => Moves::Stream.rate(&measured.outcome.flows[flow]),
        _ => rates[flow],
    };
    let seconds = |(number, flow): (usize, &Flow)| {
        Some(size * enough.bytes(&scenario.system, flow, moves) as f64 / rate(number)?)
    };
    let seconds: f64 = scenario.flows.iter().enumerate().filter_map(seconds).fold(0.0, f64::max);
    let mut shorter = scenario.clone();
    for (number, flow) in shorter.flows.iter_mut().enumerate() {
        if let Some(rate) = rate(number) {
            resize(flow, rate * seconds);
        }
    }
    let whole: f64 = scenario.flows.iter().map(|flow| flow.volume.0 as f64).sum();
    let share = shorter.flows.iter().map(|flow| flow.volume.0 as f64).sum::<f64>() / whole.max(1.0);
    (share < WORTH_IT && share > 0.0).then_some((shorter, share))
}

fn is_single(flow: &Flow) -> bool {
    flow.command == flow.volume
}

/// Gives a flow this volume, in whole commands. A flow of a single command gets a shorter command.
fn resize(flow: &mut Flow, bytes: f64) {
    let bytes = (bytes as u64).max(1);
    if is_single(flow) && bytes < flow.volume.0 {
        flow.volume = Bytes(bytes.next_multiple_of(PAGE).min(flow.volume.0));
        flow.command = flow.volume;
        return;
    }
    flow.volume = Bytes(bytes);
    flow.volume = flow.whole_volume();
}

/// A shorter command ends where a page ends.
const PAGE: u64 = 4096;
