//! A published figure beside what was computed for it.

use crate::difference::Difference;
use crate::reference::Row;

/// A row and what was computed for it.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The published row.
    pub row: Row,
    /// The simulated value, in the row's unit; `None` for formula rows.
    pub simulated: Option<f64>,
    /// The limit in closed form, a bound (for formula rows, the value by the standard), in the row's unit.
    pub limit: Option<f64>,
    /// Of several flows: what arbiters give them when all run, a prediction.
    pub fair: Option<f64>,
    /// The value by the publication's own formula, for formula rows.
    pub reference_formula: Option<f64>,
    /// The error of the simulation (or of the formula) against the figure, in per cent of the figure.
    pub error_percent: f64,
    /// True if figures were fitted on this row: it is reproduced, not predicted.
    pub fitted: bool,
    /// Why the limit differs from the simulation or from the published figure; `None` where it hardly does.
    pub difference: Option<Difference>,
}
