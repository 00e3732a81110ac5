//! A calibration: from a few measurements of a machine to the figures of its host, each with its error.
//!
//! What it is not: another search. It asks [`fit`](crate::fit) for all figures of [`FIGURES`] that the measurements
//! depend on, and leaves out those that the fit warns of, until no warning is left. A figure that is left out keeps its
//! default, with the reason.

pub mod bench;
pub mod figure;

use crate::error::Error;
use crate::fit::{Ask, By, Fit, Found, RowUse, Warning, fit};
use crate::machine::DescribedMachine;
use crate::metric;
use crate::path;
use crate::reference::{Reference, Row};
use crate::selection::Selection;
use crate::sweep::RunOptions;
use figure::{FIGURES, HostFigure, SearchRange};
use std::sync::atomic::Ordering;
use system::Scale;

/// A row depends on a figure if it changes by this share over the range of the figure. That is less than most
/// measurements repeat to.
pub const SENSITIVE: f64 = 0.01;
/// A figure with a standard error of more than this share is not determined.
pub const MOST_ERROR: f64 = 0.25;

/// Why a figure keeps its default.
#[derive(Clone, Debug, PartialEq)]
pub enum Kept {
    /// No row depends on it.
    NoRow,
    /// No row depends on it near its default, for example because something else decides there.
    NoEffect,
    /// The rows are met best at an end of its range.
    AtEnd,
    /// The rows cannot tell it from another figure.
    Together(String),
    /// Another value meets the rows as well.
    AsGood(String),
    /// Its error is as large as itself.
    Uncertain {
        /// The standard error, in per cent.
        percent: f64,
    },
    /// There are no more rows than figures.
    FewRows,
}

impl Kept {
    /// The reason in words.
    pub fn words(&self) -> String {
        match self {
            Kept::NoRow => "no row depends on it".into(),
            Kept::NoEffect => "no row depends on it at this machine: something else decides".into(),
            Kept::AtEnd => "the rows are met best without it".into(),
            Kept::Together(other) => format!("the rows cannot tell it from {other}"),
            Kept::AsGood(other) => format!("{other} meets the rows as well"),
            Kept::Uncertain { percent } => format!("its standard error would be {percent:.0} %"),
            Kept::FewRows => "there are no more rows than figures".into(),
        }
    }
}

/// A figure that was not determined.
#[derive(Clone, Debug, PartialEq)]
pub struct Undetermined {
    /// The figure.
    pub figure: HostFigure,
    /// The value that it keeps.
    pub value: String,
    /// Why.
    pub why: Kept,
}

/// The result of a calibration.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// The last fit: its figures are those that were determined. `None` if no figure was.
    pub fit: Option<Fit>,
    /// The figures that keep their defaults.
    pub kept: Vec<Undetermined>,
    /// The part that was calibrated.
    pub part: String,
    /// False if interrupted: no figure is a result then.
    pub complete: bool,
}

impl Calibration {
    /// True if the figures are a result.
    pub fn is_result(&self) -> bool {
        self.fit.as_ref().is_some_and(Fit::is_result)
    }
    /// The figures that were found, each with its entry of [`FIGURES`].
    pub fn found(&self) -> impl Iterator<Item = (&'static HostFigure, &Found)> {
        let found = self.fit.iter().filter(|fit| fit.is_result()).flat_map(|fit| &fit.found);
        found.filter_map(|found| Some((of_path(&found.parameter.path)?, found)))
    }
}

/// Finds the figures of the host `part` of a machine from `on`.
///
/// # Errors
/// Those of [`fit`]; no row of the machine.
pub fn calibrate(
    machine: &DescribedMachine,
    part: &str,
    on: &Reference,
    file: &str,
    by: By,
    options: &RunOptions<'_>,
) -> Result<Calibration, Error> {
    let mut work = Work { machine, part, on, file, options, kept: Vec::new() };
    let mut figures: Vec<&'static HostFigure> = Vec::new();
    for figure in &FIGURES {
        match work.is_sensitive(figure)? {
            true => figures.push(figure),
            false => work.keep(figure, Kept::NoRow)?,
        }
    }
    let rows = work.ask(&[], by)?.rows(machine)?.iter().filter(|(_, part)| *part == RowUse::Fitted).count();
    while figures.len() >= rows.max(2) {
        if let Some(last) = figures.pop() {
            work.keep(last, Kept::FewRows)?;
        }
    }
    // The closed form finds most of what the rows do not determine, so that few figures are left to the simulation.
    let mut fitted = work.determined(&mut figures, By::Limit)?;
    if by == By::Simulation && !options.interrupted.load(Ordering::Relaxed) {
        fitted = work.determined(&mut figures, by)?;
    }
    let complete = !options.interrupted.load(Ordering::Relaxed) && fitted.as_ref().is_none_or(|fit| fit.complete);
    Ok(Calibration { fit: fitted, kept: work.kept, part: part.to_string(), complete })
}

fn of_path(path: &str) -> Option<&'static HostFigure> {
    FIGURES.iter().find(|figure| path.rsplit('.').next() == Some(figure.field))
}

/// The figure that is to be left out next, and why: the last of those that a warning names.
fn doubtful(fit: &Fit, figures: &[&'static HostFigure]) -> Option<(usize, Kept)> {
    let named = |warning: &Warning, n: usize| {
        let path = &fit.found[n].parameter.path;
        !matches!(warning, Warning::Far { .. }) && warning.names(path)
    };
    let is_known = |n: usize| is_known(&fit.found[n]);
    let of_warning = |warning: &Warning| {
        // Figures that are confused are determined nevertheless if the rows are exact enough.
        let confused = matches!(warning, Warning::Together(_));
        let last = (0..figures.len()).rev().find(|&n| named(warning, n) && !(confused && is_known(n)))?;
        let why = match warning {
            Warning::NoEffect(_) => Kept::NoEffect,
            Warning::AtBound(_) => Kept::AtEnd,
            Warning::AsGood { value, .. } => Kept::AsGood(value.clone()),
            Warning::Together(paths) => {
                let other = paths.iter().find(|path| **path != fit.found[last].parameter.path);
                Kept::Together(other.and_then(|path| of_path(path)).map_or("others", |figure| figure.field).to_string())
            }
            Warning::NothingLeft | Warning::Far { .. } => return None,
        };
        Some((last, why))
    };
    let uncertain = || {
        (0..figures.len()).rev().find_map(|n| {
            let (error, number) = (fit.found[n].uncertainty?, fit.found[n].number?);
            (error > MOST_ERROR * number).then(|| (n, Kept::Uncertain { percent: 100.0 * error / number.max(1.0) }))
        })
    };
    fit.warnings.iter().find_map(of_warning).or_else(uncertain)
}

/// The fit without warnings of figures that are confused, but determined.
fn without_known(mut fit: Fit) -> Fit {
    let found = &fit.found;
    let known = |path: &String| found.iter().any(|found| found.parameter.path == *path && is_known(found));
    fit.warnings.retain(|warning| !matches!(warning, Warning::Together(paths) if paths.iter().all(known)));
    fit
}

/// True if the standard error of a figure is small.
fn is_known(found: &Found) -> bool {
    found.uncertainty.zip(found.number).is_some_and(|(error, number)| error <= MOST_ERROR * number)
}

struct Work<'a> {
    machine: &'a DescribedMachine,
    part: &'a str,
    on: &'a Reference,
    file: &'a str,
    options: &'a RunOptions<'a>,
    kept: Vec<Undetermined>,
}

impl Work<'_> {
    fn path(&self, figure: &HostFigure) -> String {
        format!("{}.{}", self.part, figure.field)
    }

    fn default(&self, figure: &HostFigure) -> Result<String, Error> {
        Ok(path::figure(&self.machine.description().system()?, &self.path(figure))?.value)
    }

    fn keep(&mut self, figure: &'static HostFigure, why: Kept) -> Result<(), Error> {
        let value = self.default(figure)?;
        self.kept.push(Undetermined { figure: *figure, value, why });
        Ok(())
    }

    fn ask(&self, figures: &[&'static HostFigure], by: By) -> Result<Ask, Error> {
        let choices = figures.iter().filter_map(|figure| Some((self.path(figure), bench::choices(figure.field)?)));
        Ok(Ask {
            parameters: figures.iter().map(|figure| self.path(figure)).collect(),
            starts: Vec::new(),
            choices: choices.collect(),
            on: self.on.clone(),
            file: self.file.to_string(),
            rows: Selection::default(),
            hold_out: Vec::new(),
            hold_out_rest: false,
            by,
        })
    }

    /// Fits `figures`, and leaves out those that the rows do not determine until no warning names one. `None` if none is
    /// left.
    fn determined(&mut self, figures: &mut Vec<&'static HostFigure>, by: By) -> Result<Option<Fit>, Error> {
        while !figures.is_empty() {
            let fit = fit(self.machine, &self.ask(figures, by)?, self.options)?;
            let dropped = if fit.complete { doubtful(&fit, figures) } else { None };
            let Some((place, why)) = dropped else { return Ok(Some(without_known(fit))) };
            self.keep(figures.remove(place), why)?;
        }
        Ok(None)
    }

    /// True if a row changes over the range of the figure, by the closed form.
    fn is_sensitive(&self, figure: &HostFigure) -> Result<bool, Error> {
        let path = self.path(figure);
        let values = match figure.search {
            SearchRange::Among(values) => values.iter().map(|value| (*value).to_string()).collect(),
            SearchRange::Any => {
                let parameter = crate::fit::Parameter::new(self.machine, &path, None)?;
                let mut values = parameter.scan();
                values.push(Scale::Time.write(0.0));
                values
            }
        };
        let ask = self.ask(&[], By::Limit)?;
        for (row, _) in ask.rows(self.machine)? {
            if self.options.interrupted.load(Ordering::Relaxed) {
                return Ok(false);
            }
            let found: Vec<f64> =
                values.iter().filter_map(|value| self.limit(&row, &format!("{path}={value}"))).collect();
            let (least, most) = (found.iter().copied().reduce(f64::min), found.iter().copied().reduce(f64::max));
            if least.zip(most).is_some_and(|(least, most)| most > (1.0 + SENSITIVE) * least) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The value of a row with a figure at another value, by the closed form; `None` if the machine does not accept it.
    fn limit(&self, row: &Row, set: &str) -> Option<f64> {
        let machine = self.machine.with([set]).ok()?;
        let at = machine.points_of_row(row).ok()?.into_iter().next()?;
        let job = machine.job_of_row(row, at).ok()?;
        metric::bounded(row.metric.quality, row.unit, &job.scenario, &limit::limit(&job.scenario))
    }
}
