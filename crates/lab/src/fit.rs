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
mod result;
mod rounded;
mod search;
mod starts;
mod uncertainty;

pub use ask::Ask;
pub use parameter::Parameter;
pub use result::{
    By, Fit, FitRow, Found, MOST_GLOBAL_CORRELATION, MOST_MEAN_ERROR_PERCENT, NO_EFFECT, NotConverged, RowUse, Warning,
};

use crate::error::Error;
use crate::machine::DescribedMachine;
use crate::sweep::RunOptions;
use model::{Model, Stop};
use search::FitSearch;

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
    let mut search = FitSearch::new(&model);
    let complete = search.run(ask.by)?;
    finish(ask, &model, &search, complete)
}

fn finish(ask: &Ask, model: &Model<'_>, search: &FitSearch<'_, '_>, complete: bool) -> Result<Fit, Error> {
    let known = if complete { uncertainty::uncertainty(model, search, ask.by)? } else { None };
    let values = known.as_ref().map_or_else(|| search.best().clone(), |known| known.rounded(model, search));
    let compared = if known.is_some() { Some(model.compared(&values, ask.by)) } else { None };
    let rows = match compared {
        Some(Ok(rows)) => Some(rows),
        Some(Err(Stop::Error(error))) => return Err(error),
        Some(Err(Stop::Interrupted)) | None => None,
    };
    let found =
        (0..model.parameters.len()).map(|n| uncertainty::found(search, n, &values[n], known.as_ref())).collect();
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
    if let Some((mean_percent, _)) = fit.error(RowUse::Fitted).filter(|_| !fit.is_near()) {
        fit.warnings.insert(0, Warning::Far { mean_percent });
    }
    Ok(fit)
}
