//! The request for a fit: which figures, on which rows.

use crate::error::Error;
use crate::fit::parameter::Parameter;
use crate::fit::result::{By, RowUse};
use crate::machine::DescribedMachine;
use crate::metric::Quality;
use crate::reference::{Reference, Row};
use crate::selection::{RowPattern, Selection};
use system::Scale;

/// The request for a fit.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The paths of the unknown figures.
    pub parameters: Vec<String>,
    /// Start values of some of them; the others start at their described values.
    pub starts: Vec<(String, String)>,
    /// The values that some of them are chosen from; the others take any legal value.
    pub choices: Vec<(String, Vec<String>)>,
    /// The measurements.
    pub on: Reference,
    /// The name of the file as the caller gave it, for the provenance.
    pub file: String,
    /// The rows to use. Rows of other machines are never used.
    pub rows: Selection,
    /// Rows to predict instead of fitting on them.
    pub hold_out: Vec<RowPattern>,
    /// True if all rows that `rows` does not select are predicted, too.
    pub hold_out_rest: bool,
    /// What computes the rows.
    pub by: By,
}

impl Ask {
    /// The rows of this machine, each with its use.
    pub(crate) fn rows(&self, machine: &DescribedMachine) -> Result<Vec<(Row, RowUse)>, Error> {
        let simulated = |row: &&Row| !matches!(row.metric.quality, Quality::Formula(_));
        let own: Vec<&Row> =
            self.on.rows.iter().filter(|row| machine.is_called(&row.system)).filter(simulated).collect();
        if own.is_empty() {
            let what = format!("{} has no measured row of `{}`", self.file, machine.name());
            let right = "rows whose column `system` names the machine: its file, with or without folder and ending, or its \
                         title; figures of a machine that comes with lanescope are none of a changed copy";
            return Err(Error::asked(what, right));
        }
        for pattern in self.rows.one_of.iter().chain(&self.rows.but).chain(&self.hold_out) {
            if !own.iter().any(|row| pattern.takes(row)) {
                let what = format!("no row of `{}` in {} is `{pattern}`", machine.name(), self.file);
                let right = format!("an experiment, `axis=value` pairs and a metric, as in `{}`", example(&own));
                return Err(Error::asked(what, right));
            }
        }
        if self.hold_out_rest && own.iter().all(|row| self.rows.takes(row)) {
            let what = "nothing is left to be held out: every row is fitted on";
            return Err(Error::asked(
                what,
                "name the rows to fit on, as in `--rows 'dma-read size=4096' --hold-out rest`",
            ));
        }
        let part = |row: &Row| match () {
            () if self.hold_out_rest && !self.rows.takes(row) => RowUse::HeldOut,
            () if self.hold_out.iter().any(|pattern| pattern.takes(row)) => RowUse::HeldOut,
            () if row.metric.stated.is_inequality() || row.value.single().is_none() => RowUse::Beside,
            () => RowUse::Fitted,
        };
        let held = |row: &Row| self.hold_out_rest || self.hold_out.iter().any(|pattern| pattern.takes(row));
        let chosen = own.into_iter().filter(|r| self.rows.takes(r) || held(r));
        Ok(chosen.map(|row| (row.clone(), part(row))).collect())
    }

    pub(crate) fn parameters(&self, machine: &DescribedMachine) -> Result<Vec<Parameter>, Error> {
        self.named("--start", self.starts.iter().map(|(path, _)| path))?;
        self.named("--choose", self.choices.iter().map(|(path, _)| path))?;
        if self.parameters.is_empty() {
            return Err(Error::asked("no parameter is named", "write `--params host.read_latency,host.command_cost`"));
        }
        let mut known: Vec<Parameter> = Vec::new();
        for path in &self.parameters {
            if known.iter().any(|parameter| parameter.path == *path) {
                return Err(Error::asked(format!("`{path}` is named twice"), "name each parameter once"));
            }
            let start = self.starts.iter().find(|(name, _)| name == path).map(|(_, value)| value.as_str());
            let choices = self.choices.iter().find(|(name, _)| name == path);
            let parameter = Parameter::new(machine, path, start)?;
            known.push(match choices {
                Some((_, values)) => parameter.choosing(machine, values)?,
                None => parameter,
            });
        }
        Ok(known)
    }

    /// Refuses an option that names a path twice, or one that is no parameter.
    fn named<'s>(&self, option: &str, paths: impl Iterator<Item = &'s String>) -> Result<(), Error> {
        let mut seen: Vec<&String> = Vec::new();
        for path in paths {
            if seen.contains(&path) {
                let right = format!("one `{option}` for each parameter");
                return Err(Error::asked(format!("`{path}` has two of `{option}`"), right));
            }
            if !self.parameters.contains(path) {
                let right = format!("the parameters are {}", self.parameters.join(", "));
                return Err(Error::asked(format!("`{option}` names `{path}`, which is no parameter"), right));
            }
            seen.push(path);
        }
        Ok(())
    }

    /// Refuses a parameter that something else sets: `--set`, another parameter, or an axis of a row.
    pub(crate) fn free(
        &self,
        machine: &DescribedMachine,
        known: &[Parameter],
        rows: &[(Row, RowUse)],
    ) -> Result<(), Error> {
        let first = known.iter().flat_map(|parameter| parameter.sets(&parameter.start));
        let machine = machine.asked("--params", first)?;
        for (row, _) in rows {
            let experiment = machine.experiment_of_row(row)?;
            for at in machine.points_of_row(row)? {
                machine.agree(experiment, &at)?;
            }
        }
        Ok(())
    }

    /// Refuses more unknown figures than rows.
    pub(crate) fn enough(&self, parameters: &[Parameter], rows: &[(Row, RowUse)]) -> Result<(), Error> {
        let fitted = rows.iter().filter(|(_, part)| *part == RowUse::Fitted).count();
        let words = |p: &&Parameter| matches!(p.scale, Scale::Words(_) | Scale::Switch);
        let unknown = parameters.len() - parameters.iter().filter(words).count();
        if fitted >= unknown.max(1) {
            return Ok(());
        }
        let what = format!("{fitted} rows cannot tell {unknown} figures");
        Err(Error::asked(what, "measure more rows, or fit fewer figures"))
    }

    /// The provenance, as in `kfcr.csv system=kfcr-5400 dma-read core=p lanes=4 size=512,1024 throughput; 2 rows`.
    /// `validate` reads this form. It names the system, the experiment, every axis and the metric of the rows, so that
    /// `validate` marks these rows and no others.
    pub(crate) fn provenance(&self, rows: &[&Row]) -> String {
        // If this form cannot hold a system's name, the selection is written as it was asked for, without the systems.
        let held = |row: &&Row| !row.system.contains([' ', ';', ':', ',', '=']);
        let text = if rows.iter().all(held) {
            Selection { one_of: RowPattern::of(rows), but: Vec::new() }.to_string()
        } else {
            let mut selection = self.rows.clone();
            selection.but.extend(self.hold_out.iter().cloned());
            selection.to_string()
        };
        let space = if text.is_empty() { "" } else { " " };
        let file = self.file.rsplit(['/', '\\']).next().unwrap_or(&self.file);
        format!("{file}{space}{text}; {} rows", rows.len())
    }
}

fn example(rows: &[&Row]) -> String {
    let row = rows.first();
    row.map_or_else(String::new, |row| {
        let pairs = row.at.pairs().take(1).map(|(axis, value)| format!("{axis}={value}"));
        std::iter::once(row.experiment.clone()).chain(pairs).collect::<Vec<_>>().join(" ")
    })
}
