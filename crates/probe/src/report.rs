//! Everything about a machine: its limits and what is wrong with it.

use crate::finding::{Finding, Severity};
use crate::findings::{findings, worst};
use crate::judged::Judged;
use crate::limits::{Limits, PeerLimit, matrix};
use crate::machine::Machine;
use crate::model::Model;
use crate::together::{self, Together, TogetherLimit};
use crate::tree::Tree;
use crate::view::View;

/// Limits and findings.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was observed, as a system.
    pub model: Model,
    /// What it allows.
    pub limits: Limits,
    /// How much of it was judged.
    pub judged: Judged,
    /// What is wrong, most costly first.
    pub findings: Vec<Finding>,
    /// Every peer with every other, where it was asked for.
    pub matrix: Option<Vec<PeerLimit>>,
    /// Devices that were asked about together.
    pub together: Vec<TogetherLimit>,
}

impl Report {
    /// Of a machine, with a matrix of peers where `with_matrix`.
    pub fn of(machine: &Machine, tree: &Tree, with_matrix: bool) -> Report {
        let model = Model::of(machine, tree);
        let view = View::new(machine, tree, &model);
        let limits = Limits::of(&view);
        let judged = Judged::of(&view);
        let findings = findings(&view);
        let matrix = with_matrix.then(|| matrix(&view));
        drop(view);
        Report { model, limits, judged, findings, matrix, together: Vec::new() }
    }
    /// Adds what devices of the same machine get at once.
    ///
    /// # Errors
    /// Nothing fits, or a function that is named is no device with a limit.
    pub fn ask(&mut self, machine: &Machine, tree: &Tree, together: &[Together]) -> Result<(), together::Error> {
        let view = View::new(machine, tree, &self.model);
        let all = together.iter().map(|which| which.limit(&view)).collect::<Result<Vec<_>, _>>()?;
        drop(view);
        self.together.extend(all);
        Ok(())
    }
    /// How bad the worst finding is.
    pub fn worst(&self) -> Option<Severity> {
        worst(&self.findings)
    }
}
