//! The rows of a flow's table by name, for those who explain a limit.

use crate::place::Way;
use crate::solve::solve;
use pcie::Rate;
use system::{Bottleneck, Scenario};

/// A row of a flow's table.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Place and cause.
    pub bottleneck: Bottleneck,
    /// The rate that this row alone allows.
    pub rate: Rate,
}

/// The rows of flow number `flow` alone, the slowest first; of a loopback, those of the half that reads. None where the
/// scenario has no such flow.
pub fn rows(scenario: &Scenario, flow: usize) -> Vec<Near> {
    let given = scenario.given();
    let (scenario, system) = (given.as_ref(), &scenario.system);
    let Some(flow) = scenario.flows.get(flow) else { return Vec::new() };
    let way = Way::new(system, flow);
    let near =
        |row: &crate::table::Row| Near { bottleneck: way.name(system, &row.by), rate: Rate(1e15 / row.fs_per_byte()) };
    solve(system, flow).table.rows.iter().map(near).collect()
}
