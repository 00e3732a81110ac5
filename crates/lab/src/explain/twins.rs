//! Suspects that predict the same rates, of which one is fitted beside others.

use super::applied::At;
use super::fitting::{NOTHING, Rates};
use super::suspect::Suspect;

/// Predictions are compared at these shares of the figure at which a suspect comes nearest alone.
const SHARES: [f64; 3] = [1.0, 0.5, 0.25];

/// One suspect at the figure at which it comes nearest alone, and others that predict the same there and at lower ones.
pub(super) struct Twins {
    all: Vec<(At, Vec<At>)>,
}

impl Twins {
    /// Takes all but the first of those that predict the same out of `suspects`. `alone` are they where they come nearest.
    pub fn among(rates: &Rates<'_>, suspects: &mut Vec<Suspect>, alone: &[At]) -> Twins {
        let mut all: Vec<(At, Vec<At>)> = Vec::new();
        let mut known: Vec<Vec<Vec<f64>>> = Vec::new();
        for at in alone {
            let own: Vec<Vec<f64>> = SHARES.iter().map(|&share| rates.all(&[scaled(at, share)])).collect();
            let is_same = |other: &Vec<Vec<f64>>| {
                own.iter().flatten().zip(other.iter().flatten()).all(|(a, b)| (a / b - 1.0).abs() < ALIKE)
            };
            let same = known.iter().position(is_same).filter(|&place| {
                let (first, _): &(At, Vec<At>) = &all[place];
                first.figures.len() == at.figures.len() || first.figures.len() == 1
            });
            match same {
                Some(place) => all[place].1.push(at.clone()),
                None => {
                    all.push((at.clone(), Vec::new()));
                    known.push(own);
                }
            }
        }
        suspects.retain(|suspect| all.iter().any(|(first, _)| first.suspect == *suspect));
        Twins { all }
    }

    /// The set with each of its suspects in turn replaced by each of its twins, which stand to where they were alone as it does.
    pub fn of(&self, rates: &Rates<'_>, set: &[At]) -> Vec<Vec<At>> {
        let mut found = Vec::new();
        for (place, at) in set.iter().enumerate() {
            let Some((first, others)) = self.all.iter().find(|(first, _)| first.suspect == at.suspect) else {
                continue;
            };
            for other in others {
                let mut changed = set.to_vec();
                let place_of = |which: usize| which.min(first.figures.len() - 1).min(at.figures.len() - 1);
                let share = |which: usize| at.figures[place_of(which)] / first.figures[place_of(which)];
                let share = |which: usize| match first.suspect.is_rate() == other.suspect.is_rate() {
                    true => share(which),
                    false => 1.0 / share(which),
                };
                let figures = other.figures.iter().enumerate().map(|(which, figure)| figure * share(which)).collect();
                changed[place] = At { suspect: other.suspect.clone(), figures };
                rates.refine(&mut changed, place);
                found.push(changed);
            }
        }
        found
    }
}

/// Predictions that differ by less are the same.
const ALIKE: f64 = 3.0 * NOTHING;

fn scaled(at: &At, share: f64) -> At {
    let share = if at.suspect.is_rate() { share } else { 1.0 / share };
    At { suspect: at.suspect.clone(), figures: at.figures.iter().map(|figure| figure * share).collect() }
}
