//! Additional starts of the search, for a sum of squares with several local minima.

use crate::fit::model::{Model, Stop, Trial};
use crate::fit::result::By;

/// The number of trials per parameter, spread over the ranges, that the closed form computes. They are a scrambled
/// Sobol sequence, always the same.
const SAMPLES: u32 = 32;
/// The largest number of these trials for any number of parameters.
const MOST_SAMPLES: u32 = 128;
/// The largest number of starts that are chosen from them.
const MOST: usize = 7;
/// Two starts lead to the same minimum if their continuous figures all lie within this factor of each other and their
/// counts and words are equal.
const APART: f64 = 2.0;

/// The best samples that are not near to each other, the best first.
pub(crate) fn starts(model: &Model<'_>) -> Result<Vec<Trial>, Stop> {
    let trials: Vec<Trial> =
        (0..MOST_SAMPLES.min(SAMPLES * model.parameters.len() as u32)).map(|number| sample(model, number)).collect();
    let all = model.residuals(&trials, By::Limit)?;
    let cost = |residuals: Vec<f64>| residuals.iter().map(|r| r * r).sum::<f64>();
    let mut legal: Vec<(f64, Trial)> =
        trials.into_iter().zip(all).filter_map(|(trial, residuals)| Some((cost(residuals?), trial))).collect();
    legal.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut chosen: Vec<Trial> = Vec::new();
    for (_, trial) in legal {
        if chosen.len() < MOST && !chosen.iter().any(|known| is_near(model, known, &trial)) {
            chosen.push(trial);
        }
    }
    Ok(chosen)
}

/// One sample of the ranges: counts and words from their grids, continuous parameters in equal ratios over the range of
/// a scan.
fn sample(model: &Model<'_>, number: u32) -> Trial {
    let of = |(place, parameter): (usize, &crate::fit::Parameter)| {
        let share = f64::from(sobol_burley::sample(number, place as u32, 0));
        let values = parameter.scan();
        match (parameter.is_continuous(), values.as_slice()) {
            (true, [first, .., last]) => {
                let [low, high] = [first, last].map(|text| parameter.scale.number(text).unwrap_or(1.0));
                parameter.scale.write(low * (high / low).powf(share))
            }
            _ => {
                let grid = parameter.grid();
                let at = (share * grid.len() as f64) as usize;
                grid.get(at).or(grid.last()).unwrap_or(&parameter.start).clone()
            }
        }
    };
    model.parameters.iter().enumerate().map(of).collect()
}

/// True if two trials are expected to lead to the same minimum.
pub(crate) fn is_near(model: &Model<'_>, a: &Trial, b: &Trial) -> bool {
    model.parameters.iter().zip(a.iter().zip(b)).all(|(parameter, (a, b))| {
        let numbers = [a, b].map(|text| parameter.scale.number(text));
        match numbers {
            [Some(a), Some(b)] if parameter.is_continuous() => a.max(b) <= APART * a.min(b),
            _ => a == b,
        }
    })
}
