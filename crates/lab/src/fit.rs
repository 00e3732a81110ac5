//! Finds unknown figures of parts from measurements: the values for which the simulation (or the closed form) comes
//! nearest to the measured rows, each with its uncertainty.
//!
//! Continuous figures are found by the Levenberg-Marquardt method of the crate of that name (MINPACK's), with
//! derivatives by differences, and by a bracketed search along lines where kinks and plateaus stop it. Counts and words
//! are found by trying all legal values, or those that the caller lists. The search begins at several starts. If its
//! best minimum was reached from one of them only, if it was still falling, or if other figures are as good, it has not
//! converged, and its figures are no result. The sum of squares of ln(found / measured) is minimised. This is a relative
//! error: too high by a factor counts the same as too low by that factor.
//!
//! | word | meaning |
//! |---|---|
//! | parameter | an unknown figure, by its path, as in `host.read_latency` |
//! | trial | a value for every parameter |
//! | standard error | the spread of a parameter if the measurements were repeated, with noise as in the residuals |
//! | global correlation | how far the other parameters could take the place of one: 0 not at all, 1 completely |

mod ask;
mod choices;
mod inside;
mod least;
mod line;
mod model;
mod not_converged;
mod parameter;
mod rounded;
mod search;
mod starts;
mod uncertainty;

pub use ask::Ask;
pub use not_converged::NotConverged;
pub use parameter::Parameter;

use crate::error::Error;
use crate::machine::DescribedMachine;
use crate::reference::Row;
use crate::sweep::RunOptions;
use model::{Model, Stop};
use search::Search;
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
    pub part: Part,
}

/// How a fit uses a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
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
    pub fn error(&self, part: Part) -> Option<(f64, f64)> {
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
        self.error(Part::Fitted).is_none_or(|(mean, _)| mean <= MOST_MEAN_ERROR_PERCENT)
    }
    /// The number of rows with that use.
    pub fn count(&self, part: Part) -> usize {
        self.rows.iter().filter(|row| row.part == part).count()
    }
}

/// Finds the figures that `ask` names.
///
/// # Errors
/// A parameter that is not a figure of the machine or has no start; a row that names something that does not exist; no
/// row to fit on; a point that cannot be run.
pub fn fit(machine: &DescribedMachine, ask: &Ask, options: &RunOptions<'_>) -> Result<Fit, Error> {
    let rows = ask.rows(machine)?;
    let parameters = ask.parameters(machine)?;
    ask.free(machine, &parameters, &rows)?;
    ask.enough(&parameters, &rows)?;
    let model = Model::new(machine, &parameters, &rows, options)?;
    let mut search = Search::new(&model);
    let complete = search.run(ask.by)?;
    finish(ask, &model, &search, complete)
}

fn finish(ask: &Ask, model: &Model<'_>, search: &Search<'_, '_>, complete: bool) -> Result<Fit, Error> {
    let known = if complete { uncertainty::uncertainty(model, search, ask.by)? } else { None };
    let values = known.as_ref().map_or_else(|| search.best().clone(), |known| known.rounded(model, search));
    let compared = if known.is_some() { Some(model.compared(&values, ask.by)) } else { None };
    let rows = match compared {
        Some(Ok(rows)) => Some(rows),
        Some(Err(Stop::Error(error))) => return Err(error),
        Some(Err(Stop::Interrupted)) | None => None,
    };
    let found = (0..model.parameters.len()).map(|n| search.found(n, &values[n], known.as_ref())).collect();
    let mut fit = Fit {
        found,
        correlations: known.as_ref().map(|k| k.correlations.clone()).unwrap_or_default(),
        complete: rows.is_some(),
        rows: rows.unwrap_or_else(|| model.left_over(search.residuals())),
        warnings: Vec::new(),
        by: ask.by,
        provenance: ask.provenance(&model.fitted_rows()),
        simulated: model.simulated(),
        not_converged: None,
        starts: (search.starts, search.reached),
    };
    fit.warnings = uncertainty::warnings(&fit, known.as_ref());
    if fit.complete {
        let as_good = (0..fit.found.len()).filter_map(|n| search.as_good(n));
        fit.warnings.extend(as_good);
        fit.not_converged = not_converged::reason(model, search, &fit.found, &fit.warnings);
    }
    if let Some((mean_percent, _)) = fit.error(Part::Fitted).filter(|_| !fit.is_near()) {
        fit.warnings.insert(0, Warning::Far { mean_percent });
    }
    Ok(fit)
}
