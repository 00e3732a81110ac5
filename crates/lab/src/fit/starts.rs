//! Where else a search begins: what is near to the rows here and there may be far from them everywhere between.

use crate::fit::By;
use crate::fit::model::{Model, Stop, Trial};

/// So many trials for each parameter, all over the ranges, are asked of the closed form: a scrambled Sobol sequence, always
/// the same.
const SAMPLES: u32 = 64;
/// So many are enough of however many parameters.
const MOST_SAMPLES: u32 = 256;
/// So many of them are where a search begins.
const MOST: usize = 4;
/// Two starts whose continuous figures all lie within this factor of each other, with the same counts and words, lead
/// to the same valley.
const APART: f64 = 2.0;

/// The best samples that lie apart from each other, the best first.
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

/// A trial from everywhere: counts and words from their grids, the rest by ratios over its range.
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

/// True where two trials are in the same valley for all that one can tell beforehand.
pub(crate) fn is_near(model: &Model<'_>, a: &Trial, b: &Trial) -> bool {
    model.parameters.iter().zip(a.iter().zip(b)).all(|(parameter, (a, b))| {
        let numbers = [a, b].map(|text| parameter.scale.number(text));
        match numbers {
            [Some(a), Some(b)] if parameter.is_continuous() => a.max(b) <= APART * a.min(b),
            _ => a == b,
        }
    })
}
