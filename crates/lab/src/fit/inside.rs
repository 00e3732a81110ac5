//! A figure that a named choice of an axis sets: `axes.core.p.card.command_latency` is the `card.command_latency` of
//! `core: { p: ... }`.
//!
//! The path stands for the choice in every experiment that has it, so that one figure is fitted on the rows of all of
//! them. `experiments.dma-read.axes.core.p.card.command_latency` is that of one experiment.

use crate::at::At;
use crate::error::Error;
use crate::machine::DescribedMachine;
use crate::path::{self, NamedFigure};
use std::collections::BTreeSet;
use system::Experiment;
use system::suggest::suggest;

/// A figure inside a choice of an axis.
pub(crate) struct Inside {
    /// The paths for overrides, one for each experiment.
    pub paths: Vec<String>,
    /// The figure as the choice leaves it.
    pub figure: NamedFigure,
}

/// The figure that `path` names; `None` if the path has another form.
///
/// # Errors
/// An experiment, axis, choice or figure that does not exist, with those that do.
pub(crate) fn inside(machine: &DescribedMachine, path: &str) -> Result<Option<Inside>, Error> {
    let all = machine.description().experiments();
    let (experiments, rest): (Vec<&Experiment>, &str) = match path.strip_prefix("experiments.") {
        Some(rest) => {
            let Some((name, rest)) = rest.split_once(".axes.") else {
                let what = format!("`{path}` is no figure of a part");
                return Err(Error::asked(what, "of an experiment, only `experiments.NAME.axes.AXIS.CHOICE.PATH` is"));
            };
            (vec![machine.description().experiment(name)?], rest)
        }
        None => match path.strip_prefix("axes.") {
            Some(rest) => (all.iter().collect(), rest),
            None => return Ok(None),
        },
    };
    let (name, rest) = rest.split_once('.').unwrap_or((rest, ""));
    let axes = || experiments.iter().filter_map(|e| Some((*e, e.axes.iter().find(|axis| axis.name == name)?)));
    let form = "write `axes.AXIS.CHOICE.PATH`, as in `axes.core.p.card.command_latency`";
    if axes().all(|(_, axis)| !axis.is_choice()) {
        let known = experiments.iter().flat_map(|e| &e.axes).filter(|axis| axis.is_choice());
        let right = suggest(name, known.map(|axis| axis.name.as_str()));
        return Err(Error::asked(format!("`{name}` is no axis of named choices"), format!("{right} {form}")));
    }
    let named = |choice: &str| rest.strip_prefix(choice).and_then(|rest| rest.strip_prefix('.')).map(str::to_string);
    let found: Vec<(&Experiment, &str, String)> = axes()
        .filter_map(|(e, axis)| axis.choices().into_iter().find_map(|choice| Some((e, choice, named(choice)?))))
        .collect();
    let Some((experiment, choice, inner)) = found.first() else {
        let choices: BTreeSet<&str> = axes().flat_map(|(_, axis)| axis.choices()).collect();
        let asked = rest.split('.').next().unwrap_or(rest);
        let right = suggest(asked, choices.iter().copied());
        return Err(Error::asked(format!("`{asked}` is no choice of the axis `{name}`"), format!("{right} {form}")));
    };
    let at = At::new([(name.to_string(), (*choice).to_string())]);
    let figure = path::figure(&machine.job(experiment, at)?.scenario.system, inner)?;
    let paths = found.iter().map(|(e, choice, inner)| format!("experiments.{}.axes.{name}.{choice}.{inner}", e.name));
    Ok(Some(Inside { paths: paths.collect(), figure }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_of_an_axis_has_its_own_figures_in_every_experiment_that_has_it() {
        let machine = DescribedMachine::open("kfcr-5400", &[]).unwrap();
        let found = |path: &str| inside(&machine, path).map(|found| found.map(|f| (f.paths.len(), f.figure.value)));
        assert_eq!(found("axes.core.kf.card.read_requests").unwrap(), Some((4, "1".into())));
        assert_eq!(found("axes.version.half-latency.host.read_latency").unwrap(), Some((1, "295 ns".into())));
        assert_eq!(found("experiments.dma-read.axes.core.p.card.fifo").unwrap().map(|f| f.0), Some(1));
        assert!(found("host.read_latency").unwrap().is_none());
        let right = |path: &str| inside(&machine, path).err().unwrap().right();
        assert!(right("axes.cor.p.card.fifo").contains("core"));
        assert!(right("axes.core.zebra.card.fifo").contains("kf"));
        assert!(right("axes.core.p.card.fifos").contains("fifo"));
        assert!(right("experiments.dma-read.volume").contains("axes"));
    }
}
