//! Limit and simulation of one random system, and the bounds within which they have to agree.
#![allow(dead_code, clippy::unwrap_used)] // each test uses a part of it; a panic is a failure

use crate::common::Scenario;
use crate::common::random::{Case, case};
use system::Bottleneck;

/// Largest difference where one row decides and the volume is long enough for a steady state.
pub const TOLERANCE: f64 = 0.005;

/// Largest amount by which the limit may be below the simulation, except for one system in [`EXCEPTIONS`].
pub const BELOW: f64 = 0.004;

/// Largest amount by which any limit may be below.
pub const FAR_BELOW: f64 = 0.01;

/// Largest amount by which the limit may be above where several rows are about as slow, except for one system in
/// [`EXCEPTIONS`].
pub const GENEROUS: f64 = 0.03;

/// Largest amount by which any limit may be above.
pub const FAR: f64 = 0.08;

/// One system in this number may exceed [`BELOW`] and [`GENEROUS`].
pub const EXCEPTIONS: usize = 100;

/// Factor by which the slowest row must be slower than the next in order to decide.
pub const CLEAR: f64 = 1.15;

/// Factor by which the volume grows when it was too short for a steady state.
pub const LONGER: u64 = 8;

/// A system with both rates, in MiB/s.
pub struct Compared {
    pub case: Case,
    pub limit: f64,
    pub sim: f64,
    pub bottleneck: Bottleneck,
    /// True where one row decides.
    pub clear: bool,
}

impl Compared {
    /// How far the limit is above the simulation, as a share of that.
    pub fn off(&self) -> f64 {
        let off = self.limit / self.sim - 1.0;
        if off.is_finite() { off } else { f64::INFINITY }
    }
}

/// The rate of the only flow, in MiB/s.
pub fn sim_rate(scenario: &Scenario) -> Option<f64> {
    Some(sim::run(scenario, &dma::options()).ok()?.flows[0].stream.unwrap().as_mib_per_s())
}

/// A number from the environment.
pub fn from_environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
}

/// Compares both for the random system of `seed`; `None` where it cannot run.
pub fn compare(seed: u64) -> Option<Compared> {
    compare_with(case(seed))
}

/// The same for a case.
pub fn compare_with(case: Case) -> Option<Compared> {
    let first = compare_case(case.clone())?;
    if first.off().abs() <= TOLERANCE {
        return Some(first);
    }
    compare_case(Case { scenario: longer(&case.scenario), ..case })
}

/// The random scenario of `seed`, with a volume that is long enough for a steady state; `None` where it cannot run.
pub fn steady(seed: u64) -> Option<Scenario> {
    compare(seed).map(|compared| compared.case.scenario)
}

/// The scenario with a volume that gives a steady state.
pub fn longer(scenario: &Scenario) -> Scenario {
    let mut longer = scenario.clone();
    let flow = &mut longer.flows[0];
    let single = flow.volume == flow.command;
    flow.volume.0 *= LONGER;
    if single {
        flow.command = flow.volume;
    }
    longer
}

fn compare_case(case: Case) -> Option<Compared> {
    // A credit pool too small for one TLP stops the limit and the simulation.
    let sim = sim_rate(&case.scenario)?;
    let alone = lanescope_limit::limit(&case.scenario).alone.remove(0);
    let limit = alone.stream.as_mib_per_s();
    let clear = decides(&case);
    Some(Compared { limit, sim, bottleneck: alone.bottleneck, clear, case })
}

/// True where the slowest row of the flow is slower than the next by the factor [`CLEAR`].
pub fn decides(case: &Case) -> bool {
    let solved = lanescope_limit::solve::solve(&case.scenario.system, &case.scenario.flows[0]);
    let mut rows = solved.table.rows.iter().map(|row| row.fs_per_byte());
    let (first, second) = (rows.next().unwrap_or(0.0), rows.next().unwrap_or(0.0));
    first >= CLEAR * second
}

/// The bounds that the systems break, as text; none where limit and simulation agree.
pub fn broken(all: &[Compared]) -> Vec<String> {
    let count = |holds: &dyn Fn(f64) -> bool| all.iter().filter(|c| holds(c.off())).count();
    let bound = |most: usize, what: &str, holds: &dyn Fn(f64) -> bool| {
        let found = count(holds);
        (found > most).then(|| format!("{found} of {} {what}, {most} may be", all.len()))
    };
    let few = all.len() / EXCEPTIONS;
    let bounds = [
        bound(0, "are below by more than 1 %", &|off| off < -FAR_BELOW),
        bound(0, "are above by more than 8 %", &|off| off > FAR),
        bound(few, "are below by more than 0.4 %", &|off| off < -BELOW),
        bound(few, "are above by more than 3 %", &|off| off > GENEROUS),
    ];
    bounds.into_iter().flatten().collect()
}
