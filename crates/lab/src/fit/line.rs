//! A bracketed search along lines: it needs no derivatives, so that kinks and plateaus do not stop it.
//!
//! The lines are those of the single figures, and the principal axes of the least-squares problem, along which figures
//! that take each other's place move together. Figures move by factors. All points of all lines are computed at once,
//! so that many threads take part; then the best line is searched again between the neighbours of its best point.

use crate::fit::least::{Best, slopes, step};
use crate::fit::model::{Model, Stop, Trial};
use crate::fit::result::By;
use nalgebra::DMatrix;

/// The points of a line, as logarithms of the factor of the figure that moves most: for the closed form,
const FAR: [f64; 4] = [0.01, 0.05, 0.25, 1.0];
/// and for the simulation, whose steps of whole TLPs are larger and which is slower.
const NEAR: [f64; 3] = [0.003, 0.01, 0.05];
/// The points between two neighbours, in each round of a closer look.
const BETWEEN: usize = 4;
/// The number of rounds of a closer look.
const CLOSER: usize = 3;
/// Two lines are one if the cosine between them is above this.
const PARALLEL: f64 = 0.95;

/// The best trial on the lines through `best`, or `best` itself.
pub(crate) fn better(model: &Model<'_>, by: By, best: &Best) -> Result<Best, Stop> {
    let free: Vec<usize> = (0..best.trial.len()).filter(|&n| model.parameters[n].is_continuous()).collect();
    let lines = directions(model, by, best, &free)?;
    let offsets: Vec<f64> = match by {
        By::Limit => both(&FAR),
        By::Simulation => both(&NEAR),
    };
    let points: Vec<(usize, f64)> =
        (0..lines.len()).flat_map(|line| offsets.iter().map(move |&at| (line, at))).collect();
    let trials: Vec<Trial> =
        points.iter().map(|&(line, at)| moved(model, &best.trial, &free, &lines[line], at)).collect();
    let mut found = best.clone();
    let mut at = None;
    for (&(line, offset), candidate) in points.iter().zip(computed(model, by, trials)?) {
        if let Some(candidate) = candidate.filter(|candidate| candidate.cost() < found.cost()) {
            found = candidate;
            at = Some((line, offset));
        }
    }
    let Some((line, mut centre)) = at else { return Ok(found) };
    let mut places: Vec<f64> = offsets.iter().copied().chain([0.0]).collect();
    places.sort_by(f64::total_cmp);
    let beside = |low: bool| {
        let mut others = places.iter().copied().filter(|&p| if low { p < centre } else { p > centre });
        if low { others.next_back() } else { others.next() }
    };
    let (mut low, mut high) = (beside(true).unwrap_or(2.0 * centre), beside(false).unwrap_or(2.0 * centre));
    for _ in 0..CLOSER {
        let width = (high - low) / (BETWEEN + 1) as f64;
        let inner: Vec<f64> = (1..=BETWEEN).map(|n| low + width * n as f64).collect();
        let trials = inner.iter().map(|&at| moved(model, &best.trial, &free, &lines[line], at)).collect();
        for (&offset, candidate) in inner.iter().zip(computed(model, by, trials)?) {
            if let Some(candidate) = candidate.filter(|candidate| candidate.cost() < found.cost()) {
                found = candidate;
                centre = offset;
            }
        }
        (low, high) = (centre - width, centre + width);
    }
    Ok(found)
}

fn both(offsets: &[f64]) -> Vec<f64> {
    offsets.iter().flat_map(|&at| [at, -at]).collect()
}

fn computed(model: &Model<'_>, by: By, trials: Vec<Trial>) -> Result<Vec<Option<Best>>, Stop> {
    let all = model.residuals(&trials, by)?;
    let one = |(trial, residuals): (Trial, Option<Vec<f64>>)| Some(Best { trial, residuals: residuals? });
    Ok(trials.into_iter().zip(all).map(one).collect())
}

/// The trial at an offset along a line. A figure of zero moves by shares of its expected size.
fn moved(model: &Model<'_>, trial: &Trial, free: &[usize], line: &[f64], at: f64) -> Trial {
    let mut trial = trial.clone();
    for (&n, &share) in free.iter().zip(line) {
        let parameter = &model.parameters[n];
        let number = parameter.scale.number(&trial[n]).unwrap_or(0.0);
        let there = if number > 0.0 { number * (at * share).exp() } else { parameter.unit() * at * share };
        trial[n] = parameter.scale.write(parameter.clamp(there));
    }
    trial
}

/// The lines: one for each figure, and the principal axes that are not parallel to one of these.
fn directions(model: &Model<'_>, by: By, best: &Best, free: &[usize]) -> Result<Vec<Vec<f64>>, Stop> {
    let unit = |n: usize| (0..free.len()).map(|m| if m == n { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let mut lines: Vec<Vec<f64>> = (0..free.len()).map(unit).collect();
    if free.len() < 2 {
        return Ok(lines);
    }
    let steps: Vec<f64> = free.iter().map(|&n| step(model, n, &best.trial)).collect();
    let Some(slopes) = slopes(model, by, &best.trial, free, &steps)? else { return Ok(lines) };
    let size = |n: usize| {
        let parameter = &model.parameters[free[n]];
        parameter.scale.number(&best.trial[free[n]]).filter(|&number| number > 0.0).unwrap_or(parameter.unit())
    };
    let scaled = DMatrix::from_fn(slopes.nrows(), free.len(), |row, n| slopes[(row, n)] * size(n));
    let axes = (scaled.transpose() * &scaled).symmetric_eigen().eigenvectors;
    for axis in axes.column_iter() {
        let most = axis.amax();
        if axis.iter().all(|share| share.is_finite()) && most > 0.0 && most < PARALLEL {
            lines.push(axis.iter().map(|share| share / most).collect());
        }
    }
    Ok(lines)
}
