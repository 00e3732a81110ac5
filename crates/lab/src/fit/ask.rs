//! What a fit is asked: which figures, on which rows.

use crate::error::Error;
use crate::fit::{By, Parameter, Part};
use crate::machine::Machine;
use crate::metric::Quality;
use crate::reference::{Reference, Row};
use crate::selection::{Pattern, Selection};
use system::Scale;

/// What a fit is asked.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Paths of the unknown figures.
    pub parameters: Vec<String>,
    /// Where some of them start, in place of where they are described.
    pub starts: Vec<(String, String)>,
    /// What was measured.
    pub on: Reference,
    /// As the file was named, for the provenance.
    pub file: String,
    /// Which of its rows; those of other machines are never among them.
    pub rows: Selection,
    /// Rows to predict, not to fit on.
    pub hold_out: Vec<Pattern>,
    /// What answers.
    pub by: By,
}

impl Ask {
    /// The rows of this machine with the part of each.
    pub(crate) fn rows(&self, machine: &Machine) -> Result<Vec<(Row, Part)>, Error> {
        let simulated = |row: &&Row| !matches!(row.metric.quality, Quality::Formula(_));
        let own: Vec<&Row> = self.on.rows.iter().filter(|row| row.system == machine.name()).filter(simulated).collect();
        if own.is_empty() {
            let what = format!("{} has no measured row of `{}`", self.file, machine.name());
            return Err(Error::asked(what, "rows whose column `system` names the machine as it is named here"));
        }
        for pattern in self.rows.one_of.iter().chain(&self.rows.but).chain(&self.hold_out) {
            if !own.iter().any(|row| pattern.takes(row)) {
                let what = format!("no row of `{}` in {} is `{pattern}`", machine.name(), self.file);
                let right = format!("an experiment, `axis=value` pairs and a metric, as in `{}`", example(&own));
                return Err(Error::asked(what, right));
            }
        }
        let part = |row: &Row| match () {
            () if self.hold_out.iter().any(|pattern| pattern.takes(row)) => Part::HeldOut,
            () if row.metric.below || row.value.single().is_none() => Part::Beside,
            () => Part::Fitted,
        };
        let chosen = own.into_iter().filter(|r| self.rows.takes(r) || self.hold_out.iter().any(|p| p.takes(r)));
        Ok(chosen.map(|row| (row.clone(), part(row))).collect())
    }

    pub(crate) fn parameters(&self, machine: &Machine) -> Result<Vec<Parameter>, Error> {
        for (path, _) in &self.starts {
            if !self.parameters.contains(path) {
                let right = format!("the parameters are {}", self.parameters.join(", "));
                return Err(Error::asked(format!("`{path}` has a start and is no parameter"), right));
            }
        }
        if self.parameters.is_empty() {
            return Err(Error::asked("no parameter is named", "write `--params host.read_latency,host.command_cost`"));
        }
        let mut known: Vec<Parameter> = Vec::new();
        for path in &self.parameters {
            if known.iter().any(|parameter| parameter.path == *path) {
                return Err(Error::asked(format!("`{path}` is named twice"), "name each parameter once"));
            }
            let start = self.starts.iter().find(|(name, _)| name == path).map(|(_, value)| value.as_str());
            known.push(Parameter::new(machine, path, start)?);
        }
        Ok(known)
    }

    /// Refuses more unknowns than rows.
    pub(crate) fn enough(&self, parameters: &[Parameter], rows: &[(Row, Part)]) -> Result<(), Error> {
        let fitted = rows.iter().filter(|(_, part)| *part == Part::Fitted).count();
        let words = |p: &&Parameter| matches!(p.scale, Scale::Words(_) | Scale::Switch);
        let unknown = parameters.len() - parameters.iter().filter(words).count();
        if fitted >= unknown.max(1) {
            return Ok(());
        }
        let what = format!("{fitted} rows cannot tell {unknown} figures");
        Err(Error::asked(what, "measure more rows, or fit fewer figures"))
    }

    /// As in `kfcr.csv dma-read core=p but size=512; 6 rows`: the form that `validate` reads back.
    pub(crate) fn provenance(&self, rows: usize) -> String {
        let mut selection = self.rows.clone();
        selection.but.extend(self.hold_out.iter().cloned());
        let text = selection.to_string();
        let space = if text.is_empty() { "" } else { " " };
        let file = self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file);
        format!("{file}{space}{text}; {rows} rows")
    }
}

fn example(rows: &[&Row]) -> String {
    let row = rows.first();
    row.map_or_else(String::new, |row| {
        let pairs = row.at.pairs().take(1).map(|(axis, value)| format!("{axis}={value}"));
        std::iter::once(row.experiment.clone()).chain(pairs).collect::<Vec<_>>().join(" ")
    })
}
