//! What a fit returns: figures with their uncertainty, rows, warnings, and whether the search has converged.

use crate::fit::parameter::Parameter;
use crate::reference::Row;
use std::fmt;

/// What computes a row while a fit searches for figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// The simulation, after a first search with the closed form.
    #[default]
    Simulation,
    /// The closed form alone: much faster, and as accurate as the closed form agrees with the simulation.
    Limit,
}

/// The largest global correlation at which the data still tell a parameter from the others.
pub const MOST_GLOBAL_CORRELATION: f64 = 0.95;

/// A parameter has no effect if no row changes by this share when the parameter changes by a tenth.
pub const NO_EFFECT: f64 = 1e-4;

/// The largest mean error of the fitted rows, in per cent, that counts as a fit. `validate` allows a table of published
/// figures no more. With a larger error it would not accept the machine on the rows it was fitted on.
pub const MOST_MEAN_ERROR_PERCENT: f64 = 4.0;

/// One figure that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The parameter.
    pub parameter: Parameter,
    /// Its value, as written in a description.
    pub value: String,
    /// Its value in the unit of [`system::Scale::number`]; `None` for words.
    pub number: Option<f64>,
    /// One standard error, in that unit; `None` for counts and words, at an end of the range, and if the data do not
    /// determine it.
    pub uncertainty: Option<f64>,
    /// The global correlation: how far the other parameters could take its place.
    pub global_correlation: f64,
    /// True if the value is at an end of the field's range.
    pub at_bound: bool,
    /// For counts and words: the next best value, and its error (root of the mean square, in per cent).
    pub next: Option<(String, f64)>,
}

/// A row and what was found for it.
#[derive(Clone, Debug)]
pub struct FitRow {
    /// The row as measured.
    pub row: Row,
    /// The value with the figures found.
    pub found: f64,
    /// The error against the measurement, in per cent of the measurement.
    pub error_percent: f64,
    /// How the fit used the row.
    pub part: RowUse,
}

/// How a fit uses a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowUse {
    /// The figures were fitted on it.
    Fitted,
    /// It was held out: its error is that of a prediction.
    HeldOut,
    /// A range or an inequality: compared, but not fitted on.
    Beside,
}

/// A warning to be read before the figures are used.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// No row depends on the parameter.
    NoEffect(String),
    /// The rows depend only on a combination of these parameters.
    Together(Vec<String>),
    /// The best value is at an end of the allowed range.
    AtBound(String),
    /// Another value of a count or a word is as good.
    AsGood {
        /// The path.
        path: String,
        /// The other value.
        value: String,
    },
    /// There are as many figures as rows: no row is left to estimate the uncertainty.
    NothingLeft,
    /// No trial comes near to the rows.
    Far {
        /// The mean error of the fitted rows, in per cent.
        mean_percent: f64,
    },
}

impl Warning {
    /// True if the warning is about the figure of that path.
    pub fn names(&self, path: &str) -> bool {
        match self {
            Warning::NoEffect(known) | Warning::AtBound(known) | Warning::AsGood { path: known, .. } => known == path,
            Warning::Together(paths) => paths.iter().any(|known| known == path),
            Warning::NothingLeft => false,
            Warning::Far { .. } => true,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::NoEffect(path) => write!(f, "no row follows {path}: leave it out, or measure something that does"),
            Warning::Together(paths) => write!(
                f,
                "the data cannot tell {} apart: fix one with --set, or measure where only one of them counts",
                paths.join(" and ")
            ),
            Warning::AsGood { path, value } => {
                write!(f, "{value} is as good for {path}: no row tells them apart; measure something that does")
            }
            Warning::NothingLeft => {
                write!(f, "as many figures as rows: nothing is left over that would tell how well they are known")
            }
            Warning::Far { mean_percent } => write!(
                f,
                "this is no fit: with the best figures found, the rows are missed by {mean_percent:.1} % in the mean, and \
                 {MOST_MEAN_ERROR_PERCENT} % is the most that a table of published figures is allowed; something else \
                 differs from the machine that was measured: fit other figures, or leave rows of another kind out (--rows)"
            ),
            Warning::AtBound(path) => write!(f, "{path} went to the end of its range: something else is missing"),
        }
    }
}

/// The result of a fit.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The figures, in the order in which they were asked for.
    pub found: Vec<Found>,
    /// Correlations of the parameters that have an uncertainty, by their indices in `found`.
    pub correlations: Vec<(usize, usize, f64)>,
    /// All rows of the machine in the file that were not excluded, in the file's order.
    pub rows: Vec<FitRow>,
    /// Warnings to be read before the figures are used.
    pub warnings: Vec<Warning>,
    /// What computed the rows.
    pub by: By,
    /// The provenance to write beside a figure: the file and the rows, in the form that `validate` reads.
    pub provenance: String,
    /// The number of points that were simulated.
    pub simulated: usize,
    /// False if interrupted: the figures are then the best so far.
    pub complete: bool,
    /// Why the search has not converged; `None` if it has, or was interrupted.
    pub not_converged: Option<NotConverged>,
    /// The number of starts by the closed form, and the number of those that reached the best minimum.
    pub starts: (usize, usize),
}

impl Fit {
    /// Mean and greatest error, in per cent, of the rows with that use; `None` if there are none.
    pub fn error(&self, part: RowUse) -> Option<(f64, f64)> {
        let errors: Vec<f64> = self.rows.iter().filter(|r| r.part == part).map(|r| r.error_percent.abs()).collect();
        let worst = errors.iter().copied().reduce(f64::max)?;
        Some((errors.iter().sum::<f64>() / errors.len() as f64, worst))
    }
    /// True if a warning names the figure: it is then not worth writing down.
    pub fn is_doubtful(&self, path: &str) -> bool {
        self.warnings.iter().any(|warning| warning.names(path))
    }
    /// True if the search ended, and from more than one start at the same figures. If not, the figures are no result.
    pub fn has_converged(&self) -> bool {
        self.complete && self.not_converged.is_none()
    }
    /// True if the figures are a result: the search has converged, and they describe the measurements.
    pub fn is_result(&self) -> bool {
        self.has_converged() && self.is_near()
    }
    /// False if the figures do not describe the measurements.
    pub fn is_near(&self) -> bool {
        self.error(RowUse::Fitted).is_none_or(|(mean, _)| mean <= MOST_MEAN_ERROR_PERCENT)
    }
    /// The number of rows with that use.
    pub fn count(&self, part: RowUse) -> usize {
        self.rows.iter().filter(|row| row.part == part).count()
    }
}

/// Why a search has not converged.
#[derive(Clone, Debug, PartialEq)]
pub enum NotConverged {
    /// The last round of the descent still improved the fit.
    Falling {
        /// The improvement of the sum of squares, in per cent.
        percent: f64,
    },
    /// The best minimum was reached from one start only.
    Alone {
        /// The number of starts.
        starts: usize,
    },
    /// Figures that differ meet the rows as well.
    Even {
        /// The other figures, by path and value.
        figures: Vec<(String, String)>,
    },
}

impl fmt::Display for NotConverged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotConverged::Falling { percent } => write!(
                f,
                "the last round of the search still lowered the sum of squares by {percent:.1} %: start nearer to where it \
                 ended (--start), or fit fewer figures"
            ),
            NotConverged::Alone { starts } => write!(
                f,
                "of {starts} starts, only one reached the best figures, so that better ones may exist: start nearer (--start), \
                 list what may be (--choose), or fit fewer figures"
            ),
            NotConverged::Even { figures } => {
                let all: Vec<String> = figures.iter().map(|(path, value)| format!("{path} {value}")).collect();
                write!(f, "other figures meet the rows as well: {}; measure where they differ", all.join(", "))
            }
        }
    }
}
