//! Reruns a point with steps made. The run is as short as possible while it still gives the same rates.

use crate::cause::change::with_steps;
use crate::cause::options::SearchOptions;
use crate::confirmed::Step;
use crate::measured::Measured;
use crate::metric::{Moves, payload};
use pcie::Bytes;
use sim::parts::Provider;
use sim::{Options, Outcome};
use std::sync::atomic::AtomicBool;
use system::{Flow, Scenario};

/// TLPs of a flow, and commands of a flow, that suffice for a steady state.
const TLPS: u64 = 2000;
const COMMANDS: u64 = 8;

/// A shorter run is accepted if its rates differ from those of the whole run by less than this share.
const SAME: f64 = 0.005;

/// A run that is not accepted is repeated with this many times the volume, if that is below the share `WORTH_IT` of the
/// whole.
const LONGER: f64 = 3.0;
const WORTH_IT: f64 = 0.7;

/// A point and its rates, with which a change is compared.
pub(crate) struct Base<'a> {
    scenario: Scenario,
    rates: Vec<Option<f64>>,
    moves: Moves,
    interrupted: &'a AtomicBool,
    kinds: &'a [&'a dyn Provider],
}

impl<'a> Base<'a> {
    /// Builds the base from a point that was run; `None` if interrupted.
    pub fn new(measured: &Measured, moves: Moves, search: &SearchOptions<'a>) -> Option<Base<'a>> {
        let scenario = &measured.job.scenario;
        let whole: Vec<Option<f64>> = measured.outcome.flows.iter().map(|flow| moves.rate(flow)).collect();
        let (interrupted, kinds) = (search.interrupted, search.kinds);
        let base = |scenario, rates| Base { scenario, rates, moves, interrupted, kinds };
        let near = |(a, b): (&Option<f64>, &Option<f64>)| match (a, b) {
            (Some(a), Some(b)) => (a / b - 1.0).abs() < SAME,
            (a, b) => a.is_none() && b.is_none(),
        };
        let shares = std::iter::successors(Some(share(scenario)), |share| Some(share * LONGER));
        for share in shares.take_while(|&share| share < WORTH_IT) {
            let shorter = base(shortened(scenario, share), Vec::new());
            let rates = shorter.rates(&[])?;
            if rates.iter().zip(&whole).all(near) {
                return Some(Base { rates, ..shorter });
            }
        }
        Some(base(scenario.clone(), whole))
    }

    /// The rates with `steps` made; `None` if interrupted, or if the point cannot be run with them.
    fn rates(&self, steps: &[Step]) -> Option<Vec<Option<f64>>> {
        let (scenario, faster) = with_steps(&self.scenario, steps)?;
        let options =
            Options { faster: &faster, interrupted: Some(self.interrupted), kinds: self.kinds, ..Options::default() };
        let outcome: Outcome = sim::run(&scenario, &options).ok().filter(|outcome| !outcome.partial)?;
        Some(outcome.flows.iter().map(|flow| self.moves.rate(flow)).collect())
    }

    /// The relative gain of the rate of `flow` with `steps` made; 0 if the point cannot be run with them.
    pub fn gain(&self, steps: &[Step], flow: usize) -> f64 {
        let before = self.rates.get(flow).copied().flatten();
        let after = self.rates(steps).and_then(|rates| rates.get(flow).copied().flatten());
        before.zip(after).map_or(0.0, |(before, after)| after / before - 1.0)
    }

    /// Which rate is compared.
    pub fn moves(&self) -> Moves {
        self.moves
    }

    /// True if the flow has a rate.
    pub fn has_rate(&self, flow: usize) -> bool {
        self.rates.get(flow).copied().flatten().is_some()
    }

    /// True if the search was interrupted.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(std::sync::atomic::Ordering::Relaxed)
    }
}

/// The share of all volumes that may suffice for a steady state.
fn share(scenario: &Scenario) -> f64 {
    let of = |flow: &Flow| {
        let tlps = TLPS * payload(&scenario.system, flow);
        let enough = if flow.command == flow.volume { tlps } else { tlps.max(COMMANDS * flow.command.0) };
        enough as f64 / flow.volume.0.max(1) as f64
    };
    scenario.flows.iter().map(of).fold(0.0, f64::max)
}

/// The scenario with this share of each flow's volume, in whole commands. A flow of a single command gets a shorter
/// command.
fn shortened(scenario: &Scenario, share: f64) -> Scenario {
    let mut shorter = scenario.clone();
    for flow in &mut shorter.flows {
        let single = flow.command == flow.volume;
        let volume = (flow.volume.0 as f64 * share) as u64;
        let whole = flow.volume.0;
        flow.volume = Bytes(volume);
        flow.volume = if single { Bytes(volume.next_multiple_of(4096).min(whole)) } else { flow.whole_volume() };
        if single {
            flow.command = flow.volume;
        }
    }
    shorter
}
