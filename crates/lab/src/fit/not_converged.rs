//! Why a search has no result.

use crate::fit::model::{Model, Trial};
use crate::fit::result::{Found, NotConverged, Warning};
use crate::fit::search::FitSearch;

/// Two minima have different figures if these differ by more standard errors than this,
const ERRORS: f64 = 3.0;
/// and by more than this share.
const APART: f64 = 0.02;

/// Why a complete search has not converged; `None` if it has.
pub(crate) fn reason(
    model: &Model<'_>,
    search: &FitSearch<'_, '_>,
    found: &[Found],
    warnings: &[Warning],
) -> Option<NotConverged> {
    if search.falling > 0.0 {
        return Some(NotConverged::Falling { percent: 100.0 * search.falling });
    }
    if search.is_alone() {
        return Some(NotConverged::Alone { starts: search.starts });
    }
    let even = search.even().iter().find(|trial| is_apart(model, found, warnings, trial))?;
    let figures = model.parameters.iter().zip(even).map(|(parameter, value)| (parameter.path.clone(), value.clone()));
    Some(NotConverged::Even { figures: figures.collect() })
}

/// True if a figure that no warning names has another value in `trial`.
fn is_apart(model: &Model<'_>, found: &[Found], warnings: &[Warning], trial: &Trial) -> bool {
    found.iter().zip(trial).any(|(found, other)| {
        let parameter = &found.parameter;
        if !parameter.is_continuous() || warnings.iter().any(|warning| warning.names(&parameter.path)) {
            return false;
        }
        let numbers = (found.number, parameter.scale.number(other));
        let (Some(here), Some(there)) = numbers else { return false };
        let least = APART * here.max(there).max(parameter.unit() * model.negligible());
        (here - there).abs() > least.max(ERRORS * found.uncertainty.unwrap_or(0.0))
    })
}
