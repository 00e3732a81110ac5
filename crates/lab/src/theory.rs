//! Experiments that are a publication's formula: nothing is simulated, and the formula is compared with the standard.

use crate::at::At;
use crate::error::Error;
use crate::formula::{self, Answer, Quantity};
use crate::machine::DescribedMachine;
use crate::metric::Quality;
use crate::reference::Reference;
use crate::span::Span;
use crate::unit::Unit;
use system::Experiment;

/// One figure of a formula.
#[derive(Clone, Debug, PartialEq)]
pub struct Theory {
    /// The name of the machine.
    pub system: String,
    /// The name of the experiment.
    pub experiment: String,
    /// The point.
    pub at: At,
    /// The quantity.
    pub quantity: Quantity,
    /// The values by the formula and by the standard.
    pub answer: Answer,
    /// The published value, and the error of the formula against it in per cent.
    pub published: Option<(Span, f64)>,
}

impl Theory {
    /// The unit of its values.
    pub fn unit(&self) -> Unit {
        Unit::from_word(self.quantity.unit()).unwrap_or(Unit::One)
    }
}

/// All figures of a formula experiment at some points, each once.
///
/// # Errors
/// A value that the formula does not accept.
pub fn figures(
    machine: &DescribedMachine,
    experiment: &Experiment,
    points: &[At],
    references: &[Reference],
) -> Result<Vec<Theory>, Error> {
    let mut all: Vec<Theory> = Vec::new();
    let measures = experiment.measures.iter().filter_map(|word| Quantity::from_word(word));
    let default = [Quantity::InformationRate, Quantity::PayloadRate, Quantity::Fraction];
    let named: Vec<Quantity> = measures.collect();
    let quantities = if named.is_empty() {
        default.into_iter().filter(|q| q.experiment() == experiment.name).collect()
    } else {
        named
    };
    for point in points {
        for &quantity in &quantities {
            let own = point.pairs().filter(|(axis, _)| quantity.axes().contains(axis));
            let at = At::new(own.map(|(axis, value)| (axis.to_string(), value.to_string())));
            if quantity.axes().iter().any(|axis| at.get(axis).is_none())
                || all.iter().any(|theory| theory.quantity == quantity && theory.at == at)
            {
                continue;
            }
            let answer = formula::rosta(quantity, &at).map_err(|(what, right)| Error::asked(what, right))?;
            let (system, experiment) = (machine.name().to_string(), experiment.name.clone());
            let published = published(references, machine, &experiment, quantity, &at, answer.formula);
            all.push(Theory { system, experiment, at, quantity, answer, published });
        }
    }
    Ok(all)
}

fn published(
    references: &[Reference],
    machine: &DescribedMachine,
    experiment: &str,
    quantity: Quantity,
    at: &At,
    formula: f64,
) -> Option<(Span, f64)> {
    let mut rows = references.iter().flat_map(|reference| &reference.rows);
    let row = rows.find(|row| {
        machine.is_called(&row.system)
            && row.experiment == experiment
            && row.metric.quality == Quality::Formula(quantity)
            && row.at.covers(at)
    })?;
    Some((row.value, row.metric.error_percent(formula, row.value)))
}
