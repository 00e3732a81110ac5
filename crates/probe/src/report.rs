//! The report of a machine: its limits and its findings.

use crate::finding::{Finding, Severity};
use crate::findings::{findings, worst};
use crate::judged::Judged;
use crate::limits::{Limits, PeerLimit, matrix};
use crate::machine::Machine;
use crate::model::Model;
use crate::together::{self, Together, TogetherLimit};
use crate::tree::Tree;
use crate::view::View;

/// The report of a machine.
#[derive(Clone, Debug)]
pub struct Report {
    /// The machine as a system.
    pub model: Model,
    /// Its limits.
    pub limits: Limits,
    /// How much of it was judged.
    pub judged: Judged,
    /// Its findings: errors and warnings by cost, then notes, then questions.
    pub findings: Vec<Finding>,
    /// The limits from every peer to every other one, if requested.
    pub matrix: Option<Vec<PeerLimit>>,
    /// The limits of devices at once, as requested.
    pub together: Vec<TogetherLimit>,
}

impl Report {
    /// The report of a machine; with the limits between all peers if `with_matrix`.
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
    /// Adds the limits of devices of the same machine at once.
    ///
    /// # Errors
    /// No device matches, or a named function is not a device with a limit.
    pub fn ask(
        &mut self,
        machine: &Machine,
        tree: &Tree,
        together: &[Together],
    ) -> Result<(), together::TogetherError> {
        let view = View::new(machine, tree, &self.model);
        let all = together.iter().map(|which| which.limit(&view)).collect::<Result<Vec<_>, _>>()?;
        drop(view);
        self.together.extend(all);
        Ok(())
    }
    /// The highest severity of the findings.
    pub fn worst(&self) -> Option<Severity> {
        worst(&self.findings)
    }
}
