//! Figures of parts that nobody knows, found from measurements: those with which the simulation (or the closed form)
//! comes nearest to the measured rows, each with its uncertainty.
//!
//! What it is not: it does no optimisation of its own. Continuous figures are found by the Levenberg-Marquardt method
//! of the crate of that name (MINPACK's), with derivatives by differences, from several starts; counts and words by
//! trying all that they may be. What is made small is the sum of squares of ln(found / measured): a relative error, the same for a
//! rate that is too high by a factor as for one that is too low by it.
//!
//! | word | meaning |
//! |---|---|
//! | parameter | an unknown figure, by its path, as in `host.read_latency` |
//! | trial | a value for every parameter |
//! | standard error | the spread that a parameter would have if the measurements were made anew, as far as what is left over tells their noise |
//! | global correlation | how much of a parameter the others could take over: 0 none of it, 1 all |

mod ask;
mod least;
mod model;
mod parameter;
mod search;
mod starts;
mod uncertainty;

pub use ask::Ask;
pub use parameter::Parameter;

use crate::error::Error;
use crate::machine::DescribedMachine;
use crate::reference::Row;
use crate::sweep::RunOptions;
use model::{Model, Stop};
use search::Search;
use std::fmt;

/// What answers for a row while a fit looks for its figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum By {
    /// The simulation, from where the closed form ends.
    #[default]
    Simulation,
    /// The closed form alone: much faster, and as near as the two agree.
    Limit,
}

/// More than this of a parameter in the others, and the data cannot tell it from them.
pub const MOST_GLOBAL_CORRELATION: f64 = 0.95;

/// No row follows a parameter that moves no row by this share when it is moved by a tenth.
pub const NO_EFFECT: f64 = 1e-4;

/// A mean error of the fitted rows above this, in per cent, is no fit: `validate` allows a table of published figures
/// no more, so that a machine with such figures would not be said to reproduce what it was fitted on.
pub const MOST_MEAN_ERROR_PERCENT: f64 = 4.0;

/// One found figure.
#[derive(Clone, Debug)]
pub struct Found {
    /// Which.
    pub parameter: Parameter,
    /// As it would be written in a description.
    pub value: String,
    /// In the unit of [`system::Scale::number`]; `None` for words.
    pub number: Option<f64>,
    /// One standard error, in that unit; `None` for counts and words, at an end of the range, and where the data do
    /// not tell.
    pub uncertainty: Option<f64>,
    /// How much of it the other parameters could take over.
    pub global_correlation: f64,
    /// True at an end of the range that the field has.
    pub at_bound: bool,
    /// Of counts and words: the next best value, and the error (root of the mean square, per cent) that it leaves.
    pub next: Option<(String, f64)>,
}

/// A row beside what was found for it.
#[derive(Clone, Debug)]
pub struct FitRow {
    /// As measured.
    pub row: Row,
    /// With the figures found.
    pub found: f64,
    /// How far that lies from the measurement, in per cent of it.
    pub error_percent: f64,
    /// What part the row had.
    pub part: Part,
}

/// What part a row had in a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The figures were fitted on it.
    Fitted,
    /// It was held out: its error is that of a prediction.
    HeldOut,
    /// A range or an inequality: compared, not fitted on.
    Beside,
}

/// What a person should know before the figures are used.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// No row follows the parameter.
    NoEffect(String),
    /// The rows follow these only together.
    Together(Vec<String>),
    /// The best value is the last one allowed.
    AtBound(String),
    /// As many figures as rows: no row is left to tell how well they are known.
    NothingLeft,
    /// Nothing that was tried comes near to the rows.
    Far {
        /// Mean error of the fitted rows, in per cent.
        mean_percent: f64,
    },
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

/// What a fit came to.
#[derive(Clone, Debug)]
pub struct Fit {
    /// In the order that they were asked for.
    pub found: Vec<Found>,
    /// Correlations of the parameters that have an uncertainty, by their places in `found`.
    pub correlations: Vec<(usize, usize, f64)>,
    /// All rows of the machine in the file that were not left aside, in its order.
    pub rows: Vec<FitRow>,
    /// What to know before the figures are used.
    pub warnings: Vec<Warning>,
    /// What answered.
    pub by: By,
    /// Where a figure that is written down should say it comes from: the file and the rows, as `validate` reads it back.
    pub provenance: String,
    /// Points that were simulated on the way.
    pub simulated: usize,
    /// False where interrupted: the figures are the best so far.
    pub complete: bool,
}

impl Fit {
    /// Mean and greatest error of the rows that had a part, in per cent; `None` where none had.
    pub fn error(&self, part: Part) -> Option<(f64, f64)> {
        let errors: Vec<f64> = self.rows.iter().filter(|r| r.part == part).map(|r| r.error_percent.abs()).collect();
        let worst = errors.iter().copied().reduce(f64::max)?;
        Some((errors.iter().sum::<f64>() / errors.len() as f64, worst))
    }
    /// True where a warning names the figure: it is not worth writing down.
    pub fn is_doubtful(&self, path: &str) -> bool {
        self.warnings.iter().any(|warning| match warning {
            Warning::NoEffect(known) | Warning::AtBound(known) => known == path,
            Warning::Together(paths) => paths.iter().any(|known| known == path),
            Warning::NothingLeft => false,
            Warning::Far { .. } => true,
        })
    }
    /// False where the figures do not describe what was measured.
    pub fn is_near(&self) -> bool {
        self.error(Part::Fitted).is_none_or(|(mean, _)| mean <= MOST_MEAN_ERROR_PERCENT)
    }
    /// How many rows had a part.
    pub fn count(&self, part: Part) -> usize {
        self.rows.iter().filter(|row| row.part == part).count()
    }
}

/// Finds the figures that `ask` names.
///
/// # Errors
/// A parameter that is no figure of the machine or has no start, a row that names nothing, no row to fit on, a point
/// that cannot be run.
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
    };
    fit.warnings = uncertainty::warnings(&fit, known.as_ref());
    if let Some((mean_percent, _)) = fit.error(Part::Fitted).filter(|_| !fit.is_near()) {
        fit.warnings.insert(0, Warning::Far { mean_percent });
    }
    Ok(fit)
}
