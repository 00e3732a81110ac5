//! Least squares over the continuous parameters of a trial.

use crate::fit::model::{Model, Stop, Trial};
use crate::fit::result::By;
use levenberg_marquardt::{LeastSquaresProblem, LevenbergMarquardt};
use nalgebra::storage::Owned;
use nalgebra::{DMatrix, DVector, Dyn};
use std::cell::RefCell;

/// A derivative is taken over this share of a parameter in each direction. This is much larger than the steps that
/// whole TLPs make in a simulation, and small enough for a linear approximation.
pub(crate) const STEP: f64 = 0.02;
/// The least step of a derivative, as a share of the parameter's expected size.
const LEAST_STEP: f64 = 0.005;
/// The search ends when a step would improve the error, or move the figures, by less than this share.
const ENOUGH: f64 = 1e-4;
/// The search ends after this many runs of all rows, times the number of parameters plus one.
const PATIENCE: usize = 12;
/// The penalty for a parameter outside its range, per its expected size.
const OUTSIDE: f64 = 10.0;

/// The best trial so far, and its residuals.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    pub trial: Trial,
    pub residuals: Vec<f64>,
}

impl Best {
    /// The sum of squares.
    pub fn cost(&self) -> f64 {
        self.residuals.iter().map(|r| r * r).sum()
    }
}

/// Derivatives of every residual with respect to each of the parameters `free` at a trial, over `steps` in both
/// directions (one direction at an end of a range). `None` if the machine does not accept one of the trials.
pub(crate) fn slopes(
    model: &Model<'_>,
    by: By,
    trial: &Trial,
    free: &[usize],
    steps: &[f64],
) -> Result<Option<DMatrix<f64>>, Stop> {
    let mut trials = Vec::new();
    let mut widths = Vec::new();
    for (&n, &step) in free.iter().zip(steps) {
        let parameter = &model.parameters[n];
        let at = parameter.scale.number(&trial[n]).unwrap_or(0.0);
        let [low, high] = [at - step, at + step].map(|number| parameter.clamp(number));
        widths.push(high - low);
        for number in [low, high] {
            let mut moved = trial.clone();
            moved[n] = parameter.scale.write(number);
            trials.push(moved);
        }
    }
    let Some(all) = model.residuals(&trials, by)?.into_iter().collect::<Option<Vec<Vec<f64>>>>() else {
        return Ok(None);
    };
    let slope = |row: usize, n: usize| (all[2 * n + 1][row] - all[2 * n][row]) / widths[n];
    Ok(Some(DMatrix::from_fn(model.fitted(), free.len(), slope)))
}

/// The step of a derivative with respect to a parameter at a trial.
pub(crate) fn step(model: &Model<'_>, n: usize, trial: &Trial) -> f64 {
    let parameter = &model.parameters[n];
    let at = parameter.scale.number(&trial[n]).unwrap_or(0.0);
    (at * STEP).max(parameter.unit() * LEAST_STEP)
}

/// The problem in the form of the crate: parameters in their units, and one additional residual for each that may be
/// outside its range.
struct Problem<'m, 'a> {
    model: &'m Model<'a>,
    by: By,
    free: Vec<usize>,
    base: Trial,
    x: DVector<f64>,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    best: Option<Best>,
    stop: Option<Stop>,
}

impl Problem<'_, '_> {
    /// The trial at the present `x`, limited to the range.
    fn trial(&self) -> Trial {
        let mut trial = self.base.clone();
        for (&n, &x) in self.free.iter().zip(self.x.iter()) {
            let parameter = &self.model.parameters[n];
            trial[n] = parameter.scale.write(parameter.clamp(x * parameter.unit()));
        }
        trial
    }
    /// How far each parameter lies outside its range, in its units.
    fn outside(&self) -> Vec<f64> {
        let out = |(&n, &x): (&usize, &f64)| {
            let parameter = &self.model.parameters[n];
            (x * parameter.unit() - parameter.clamp(x * parameter.unit())) / parameter.unit()
        };
        self.free.iter().zip(self.x.iter()).map(out).collect()
    }
    fn halt<T>(&self, result: Result<Option<T>, Stop>) -> Option<T> {
        result.unwrap_or_else(|stop| {
            self.state.borrow_mut().stop = Some(stop);
            None
        })
    }
    fn keep(&self, trial: Trial, residuals: &[f64]) {
        let new = Best { trial, residuals: residuals.to_vec() };
        let mut state = self.state.borrow_mut();
        if state.best.as_ref().is_none_or(|best| new.cost() < best.cost()) {
            state.best = Some(new);
        }
    }
}

impl LeastSquaresProblem<f64, Dyn, Dyn> for Problem<'_, '_> {
    type ResidualStorage = Owned<f64, Dyn>;
    type JacobianStorage = Owned<f64, Dyn, Dyn>;
    type ParameterStorage = Owned<f64, Dyn>;

    fn set_params(&mut self, x: &DVector<f64>) {
        self.x = x.clone();
    }
    fn params(&self) -> DVector<f64> {
        self.x.clone()
    }
    fn residuals(&self) -> Option<DVector<f64>> {
        let trial = self.trial();
        let answer = self.model.residuals(std::slice::from_ref(&trial), self.by).map(|mut all| all.pop().flatten());
        let residuals = self.halt(answer)?;
        self.keep(trial, &residuals);
        let outside = self.outside().into_iter().map(|out| OUTSIDE * out);
        Some(DVector::from_iterator(residuals.len() + self.free.len(), residuals.iter().copied().chain(outside)))
    }
    fn jacobian(&self) -> Option<DMatrix<f64>> {
        let trial = self.trial();
        let steps: Vec<f64> = self.free.iter().map(|&n| step(self.model, n, &trial)).collect();
        let slopes = self.halt(slopes(self.model, self.by, &trial, &self.free, &steps))?;
        let rows = slopes.nrows();
        let outside = self.outside();
        Some(DMatrix::from_fn(rows + self.free.len(), self.free.len(), |row, n| match row.checked_sub(rows) {
            // Outside its range a figure stays at the end of the range: no row depends on it.
            None if outside[n] != 0.0 => 0.0,
            None => slopes[(row, n)] * self.model.parameters[self.free[n]].unit(),
            Some(out) if out == n && outside[n] != 0.0 => OUTSIDE,
            Some(_) => 0.0,
        }))
    }
}

/// Minimises the sum of squares from `trial`; `None` if the machine does not accept `trial` itself. `kept` receives
/// each better trial as it is found.
pub(crate) fn least(model: &Model<'_>, by: By, trial: &Trial, kept: &mut Option<Best>) -> Result<Option<Best>, Stop> {
    let free: Vec<usize> = (0..trial.len()).filter(|&n| model.parameters[n].is_continuous()).collect();
    let unit = |n: usize| model.parameters[n].unit();
    let number = |n: usize| model.parameters[n].scale.number(&trial[n]).unwrap_or(0.0);
    let x = DVector::from_iterator(free.len(), free.iter().map(|&n| number(n) / unit(n)));
    let problem = Problem { model, by, free, base: trial.clone(), x, state: RefCell::default() };
    let state = if problem.free.is_empty() {
        let _ = problem.residuals();
        problem.state.into_inner()
    } else {
        let method = LevenbergMarquardt::new().with_ftol(ENOUGH).with_xtol(ENOUGH).with_patience(PATIENCE);
        method.minimize(problem).0.state.into_inner()
    };
    if let Some(best) = &state.best
        && kept.as_ref().is_none_or(|kept| best.cost() < kept.cost())
    {
        *kept = Some(best.clone());
    }
    match state.stop {
        Some(stop) => Err(stop),
        None => Ok(state.best),
    }
}
