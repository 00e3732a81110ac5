//! How well the data determine the figures: standard errors, correlations, and figures that cannot be told apart.

use crate::error::Error;
use crate::fit::least::{slopes, step};
use crate::fit::model::{Model, Stop, Trial};
use crate::fit::result::{By, Fit, Found, MOST_GLOBAL_CORRELATION, NO_EFFECT, RowUse, Warning};
use crate::fit::rounded::rounded;
use crate::fit::search::FitSearch;
use nalgebra::{DMatrix, DVector};

/// The second time, derivatives are taken over one standard error, limited to these shares of the figure.
const STEPS: (f64, f64) = (0.005, 0.25);
/// A figure is at an end of its range if it is nearer than this share of its expected size.
const NEAR: f64 = 1e-3;
/// If the standard error is larger than this share of a figure, the figure is rounded as if it were this share.
const MOST_ROUNDED: f64 = 0.1;
/// A figure of unknown uncertainty is rounded to this share.
const UNTOLD: f64 = 0.001;
/// A parameter belongs to a poorly determined direction if its component is at least this share of the greatest.
const PART_OF: f64 = 0.3;
/// See [`held`].
const OUTSIDE: f64 = 2.0;
/// The step of a derivative from an end of a range, as a share of the expected size: near zero a figure may have no effect.
const FROM_END: f64 = 0.25;
/// Squared singular values below this share of the greatest count as zero.
const SINGULAR: f64 = 1e-10;

/// What is known about the uncertainty of the figures.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    errors: Vec<Option<f64>>,
    globals: Vec<f64>,
    at_bound: Vec<bool>,
    no_effect: Vec<bool>,
    /// Groups of parameters of which the data determine only a combination.
    together: Vec<Vec<usize>>,
    /// Pairs of parameters and their correlation.
    pub correlations: Vec<(usize, usize, f64)>,
}

impl Known {
    pub fn error(&self, n: usize) -> Option<f64> {
        self.errors[n]
    }
    pub fn global(&self, n: usize) -> f64 {
        self.globals[n]
    }
    pub fn is_at_bound(&self, n: usize) -> bool {
        self.at_bound[n]
    }

    /// The best trial with each figure rounded to a tenth of the power of ten of its standard error.
    pub fn rounded(&self, model: &Model<'_>, search: &FitSearch<'_, '_>) -> Trial {
        let one = |n: usize| {
            let (parameter, value) = (&model.parameters[n], &search.best()[n]);
            match (self.errors[n], parameter.scale.number(value)) {
                (Some(error), Some(number)) if error > 0.0 => {
                    let worth = error.min(MOST_ROUNDED * number.max(parameter.unit() * NEAR));
                    rounded(parameter.scale, number, 10f64.powf(worth.log10().floor() - 1.0))
                }
                (None, Some(number)) if parameter.is_continuous() && number > 0.0 => {
                    rounded(parameter.scale, number, 10f64.powf((UNTOLD * number).log10().floor()))
                }
                _ => value.clone(),
            }
        };
        (0..model.parameters.len()).map(one).collect()
    }
}

/// The result for one parameter.
pub(crate) fn found(search: &FitSearch<'_, '_>, n: usize, value: &str, known: Option<&Known>) -> Found {
    let parameter = search.model.parameters[n].clone();
    let rows = search.model.fitted().max(1) as f64;
    let percent = |cost: f64| 100.0 * (cost / rows).sqrt();
    Found {
        number: parameter.scale.number(value),
        value: value.to_string(),
        uncertainty: known.and_then(|known| known.error(n)),
        global_correlation: known.map_or(0.0, |known| known.global(n)),
        at_bound: known.is_some_and(|known| known.is_at_bound(n)),
        next: search.next[n].as_ref().map(|(value, cost)| (value.clone(), percent(*cost))),
        parameter,
    }
}

/// The uncertainty of the best trial of a search; `None` if interrupted.
pub(crate) fn uncertainty(model: &Model<'_>, search: &FitSearch<'_, '_>, by: By) -> Result<Option<Known>, Error> {
    match go(model, search, by) {
        Ok(known) => Ok(Some(known)),
        Err(Stop::Interrupted) => Ok(None),
        Err(Stop::Error(error)) => Err(error),
    }
}

fn go(model: &Model<'_>, search: &FitSearch<'_, '_>, by: By) -> Result<Known, Stop> {
    let best = search.best();
    let number = |n: usize| model.parameters[n].scale.number(&best[n]).unwrap_or(0.0);
    let continuous: Vec<usize> = (0..best.len()).filter(|&n| model.parameters[n].is_continuous()).collect();
    let near = |n: usize, end: f64| (number(n) - end).abs() <= NEAR * model.parameters[n].unit();
    let at_bound: Vec<bool> = (0..best.len())
        .map(|n| {
            continuous.contains(&n) && [model.parameters[n].least, model.parameters[n].most].iter().any(|&e| near(n, e))
        })
        .collect();
    let held = held(model, search, by, &continuous, &at_bound)?;
    let free: Vec<usize> = continuous.into_iter().filter(|n| !held.contains(n)).collect();
    let steps: Vec<f64> = free.iter().map(|&n| step_from(model, n, best, at_bound[n])).collect();
    let first = at(model, search, by, &free, &steps)?;
    let again: Vec<f64> = free
        .iter()
        .zip(&steps)
        .map(|(&n, &step)| {
            if at_bound[n] {
                return step;
            }
            let size = number(n).max(model.parameters[n].unit() * NEAR);
            first.errors[n].map_or(step, |error| error.clamp(STEPS.0 * size, STEPS.1 * size))
        })
        .collect();
    let mut known = at(model, search, by, &free, &again)?;
    known.at_bound = at_bound;
    Ok(known)
}

/// The parameters at an end of their range that the rows hold there: they would be best by more than [`OUTSIDE`] standard
/// errors outside. Another one at an end could as well be inside, and how far is part of the uncertainty of all others.
fn held(
    model: &Model<'_>,
    search: &FitSearch<'_, '_>,
    by: By,
    continuous: &[usize],
    at_bound: &[bool],
) -> Result<Vec<usize>, Stop> {
    let ends: Vec<usize> = continuous.iter().copied().filter(|&n| at_bound[n]).collect();
    if ends.is_empty() {
        return Ok(ends);
    }
    let steps: Vec<f64> = continuous.iter().map(|&n| step_from(model, n, search.best(), at_bound[n])).collect();
    let Some(slopes) = slopes(model, by, search.best(), continuous, &steps)? else { return Ok(ends) };
    let residuals = DVector::from_column_slice(search.residuals());
    let left = model.fitted().saturating_sub(model.parameters.len()).max(1) as f64;
    let variance = residuals.norm_squared() / left;
    let norms: Vec<f64> = slopes.column_iter().map(|column| column.norm()).collect();
    let follows: Vec<usize> = (0..continuous.len()).filter(|&place| norms[place] > 0.0).collect();
    let scaled =
        DMatrix::from_fn(slopes.nrows(), follows.len(), |row, n| slopes[(row, follows[n])] / norms[follows[n]]);
    let inverse = (scaled.transpose() * &scaled).pseudo_inverse(SINGULAR);
    let is_held = |n: usize| {
        let Some(place) = follows.iter().position(|&place| continuous[place] == n) else { return true };
        let inflation = inverse.as_ref().map_or(1.0, |inverse| inverse[(place, place)].max(1.0));
        let error = (variance * inflation).sqrt();
        // At an optimum inside, the residuals are at right angles to the column.
        residuals.dot(&scaled.column(place)).abs() * inflation > OUTSIDE * error
    };
    Ok(ends.into_iter().filter(|&n| is_held(n)).collect())
}

/// The step of a derivative with respect to parameter `n` at `trial`, which is at an end of its range or is not.
fn step_from(model: &Model<'_>, n: usize, trial: &Trial, at_end: bool) -> f64 {
    if at_end { FROM_END * model.parameters[n].unit() } else { step(model, n, trial) }
}

/// The uncertainty with derivatives over `steps`.
fn at(model: &Model<'_>, search: &FitSearch<'_, '_>, by: By, free: &[usize], steps: &[f64]) -> Result<Known, Stop> {
    let count = model.parameters.len();
    let mut known = Known {
        errors: vec![None; count],
        globals: vec![0.0; count],
        at_bound: vec![false; count],
        no_effect: vec![false; count],
        together: Vec::new(),
        correlations: Vec::new(),
    };
    let Some(slopes) = slopes(model, by, search.best(), free, steps)? else { return Ok(known) };
    let tenth = |place: usize| {
        let (n, parameter) = (free[place], &model.parameters[free[place]]);
        let number = parameter.scale.number(&search.best()[n]).unwrap_or(0.0);
        0.1 * if number > parameter.unit() * NEAR { number } else { parameter.unit() }
    };
    let follows = |place: usize| slopes.column(place).amax() * tenth(place) > NO_EFFECT;
    let (told, mute): (Vec<usize>, Vec<usize>) = (0..free.len()).partition(|&place| follows(place));
    mute.into_iter().for_each(|place| known.no_effect[free[place]] = true);
    if !told.is_empty() {
        let squares: f64 = search.residuals().iter().map(|r| r * r).sum();
        let left = model.fitted().saturating_sub(count);
        let own = slopes.select_columns(&told);
        known.tell(&told.iter().map(|&place| free[place]).collect::<Vec<_>>(), &own, squares / left.max(1) as f64);
        if left == 0 {
            known.errors.fill(None);
        }
    }
    Ok(known)
}

impl Known {
    /// Fills in the results for the parameters `told` from the derivatives and the variance of a residual.
    fn tell(&mut self, told: &[usize], slopes: &DMatrix<f64>, variance: f64) {
        let norms: Vec<f64> = slopes.column_iter().map(|column| column.norm()).collect();
        let scaled = DMatrix::from_fn(slopes.nrows(), told.len(), |row, n| slopes[(row, n)] / norms[n]);
        let eigen = (scaled.transpose() * &scaled).symmetric_eigen();
        let greatest = eigen.eigenvalues.max();
        let lost = eigen.eigenvalues.iter().any(|&value| value <= SINGULAR * greatest);
        let inverse = DVector::from_iterator(
            told.len(),
            eigen.eigenvalues.iter().map(|&value| 1.0 / value.max(SINGULAR * greatest)),
        );
        let inverse = &eigen.eigenvectors * DMatrix::from_diagonal(&inverse) * eigen.eigenvectors.transpose();
        for (place, &n) in told.iter().enumerate() {
            // The columns have length one, so each diagonal element of the inverse is a variance inflation factor.
            let inflation = inverse[(place, place)].max(1.0);
            self.globals[n] = (1.0 - 1.0 / inflation).sqrt();
            let undetermined = lost && self.globals[n] > MOST_GLOBAL_CORRELATION;
            self.errors[n] = (!undetermined).then(|| (variance * inflation).sqrt() / norms[place]);
        }
        for a in 0..told.len() {
            for b in a + 1..told.len() {
                let size = (inverse[(a, a)] * inverse[(b, b)]).sqrt();
                self.correlations.push((told[a], told[b], inverse[(a, b)] / size));
            }
        }
        self.group(told, &eigen.eigenvalues, &eigen.eigenvectors);
    }

    /// Groups the parameters that the data cannot separate: for each poorly determined direction, those that belong to it.
    fn group(&mut self, told: &[usize], values: &DVector<f64>, vectors: &DMatrix<f64>) {
        let mut order: Vec<usize> = (0..told.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let confused = |n: &usize| self.globals[*n] > MOST_GLOBAL_CORRELATION;
        let mut left: Vec<usize> = told.iter().copied().filter(confused).collect();
        for direction in order {
            let vector = vectors.column(direction);
            let part = |place: &usize| vector[*place].abs() >= PART_OF * vector.amax();
            let group: Vec<usize> = (0..told.len()).filter(part).map(|place| told[place]).collect();
            if group.len() > 1 && group.iter().any(|n| left.contains(n)) {
                left.retain(|n| !group.contains(n));
                self.together.push(group);
            }
            if left.is_empty() {
                break;
            }
        }
    }
}

/// The warnings that follow from the uncertainty.
pub(crate) fn warnings(fit: &Fit, known: Option<&Known>) -> Vec<Warning> {
    let Some(known) = known else { return Vec::new() };
    let path = |n: usize| fit.found[n].parameter.path.clone();
    let all = 0..fit.found.len();
    let bound = all.clone().filter(|&n| known.at_bound[n]).map(|n| Warning::AtBound(path(n)));
    let mute = all.filter(|&n| known.no_effect[n]).map(|n| Warning::NoEffect(path(n)));
    let together = known.together.iter().map(|group| Warning::Together(group.iter().map(|&n| path(n)).collect()));
    let unknown = fit.found.len();
    let exact = (fit.count(RowUse::Fitted) <= unknown).then_some(Warning::NothingLeft);
    exact.into_iter().chain(bound).chain(mute).chain(together).collect()
}
