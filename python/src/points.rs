//! The points of a sweep that other processes run. One process keeps what is finished, in the same file beside the output as
//! a sweep on one machine, and writes the same output; the others run the points whose numbers they are given.

use crate::answer::Answer;
use crate::errors::{guarded, raised};
use crate::long::{Progress, by, form, with_options, write};
use crate::system::System;
use crate::table::Kind;
use crate::work;
use ask::axes::chosen;
use lab::reference;
use lab::survey::{self, Dimension, Journal, Survey, ValueChoice};
use pyo3::prelude::*;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// What is swept.
#[derive(Clone)]
struct Asked {
    experiment: Option<String>,
    dimensions: Vec<Dimension>,
    choice: ValueChoice,
    by_limit: bool,
}

impl Asked {
    fn survey<'a>(&'a self, system: &'a System) -> Result<Survey<'a>, ask::Error> {
        let experiments = chosen(&system.machine, self.experiment.as_deref())?;
        Ok(Survey::new(&system.machine, &experiments, &self.dimensions, self.choice, by(self.by_limit))?)
    }
}

/// See the module.
#[pyclass(frozen, module = "lanescope._native")]
pub struct Points {
    system: Py<System>,
    asked: Asked,
    out: Option<String>,
    count: usize,
    journal: Mutex<Journal>,
}

#[pymethods]
impl Points {
    /// The points of a sweep. Where there is an output file, what is finished is kept beside it.
    #[new]
    #[pyo3(signature = (system, experiment, over, sample, seed, by_limit, out, resume))]
    #[allow(clippy::too_many_arguments)] // The options of the command.
    fn new(
        py: Python<'_>,
        system: Py<System>,
        experiment: Option<String>,
        over: Vec<String>,
        sample: Option<usize>,
        seed: u32,
        by_limit: bool,
        out: Option<String>,
        resume: bool,
    ) -> PyResult<Points> {
        let choice = sample.map_or(ValueChoice::Full, |count| ValueChoice::Sampled { count, seed });
        let machine = system.get();
        let (asked, count, journal) = py.detach(|| {
            guarded(|| {
                out.as_deref().map(form).transpose()?;
                let dimensions = over.iter().map(|text| Dimension::parse(text)).collect::<Result<Vec<_>, _>>()?;
                let asked = Asked { experiment, dimensions, choice, by_limit };
                let survey = asked.survey(machine)?;
                let journal = match out.as_ref().map(|out| format!("{out}.part")) {
                    None => Journal::in_memory(),
                    Some(path) if resume => Journal::resume(Path::new(&path), &survey.fingerprint())?,
                    Some(path) => Journal::create(Path::new(&path), &survey.fingerprint())?,
                };
                let count = survey.points.len();
                drop(survey);
                Ok((asked, count, journal))
            })
        })?;
        Ok(Points { system, asked, out, count, journal: Mutex::new(journal) })
    }
    /// The number of points.
    fn __len__(&self) -> usize {
        self.count
    }
    /// The numbers of the points that are not finished.
    fn open(&self) -> Vec<usize> {
        let journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        (0..self.count).filter(|&number| !journal.has(number)).collect()
    }
    /// Runs points and returns them as text, a line each.
    #[pyo3(signature = (numbers, threads))]
    fn run(&self, py: Python<'_>, numbers: Vec<usize>, threads: Option<usize>) -> PyResult<String> {
        let system = self.system.get();
        let none: Progress = None;
        work::run(py, none.as_ref(), |control| {
            let (survey, mut journal) = (self.asked.survey(system)?, Journal::in_memory());
            let references = reference::bundled()?;
            let run = |options: &lab::sweep::RunOptions<'_>| {
                survey.run_of(numbers.into_iter(), &mut journal, &references, options, &|_| ())
            };
            with_options(control, threads, run)?;
            Ok(journal.lines())
        })
    }
    /// Keeps what `run` has returned, in this or another process. A point that is there already stays as it is.
    fn keep(&self, py: Python<'_>, lines: &str) -> PyResult<()> {
        let keep = || Ok(self.journal.lock().unwrap_or_else(PoisonError::into_inner).add(lines)?);
        py.detach(|| guarded(keep))
    }
    /// The answer, with the points that are finished. Where all are, the output is written.
    fn answer(&self, py: Python<'_>) -> PyResult<Answer> {
        let made = || -> Result<Answer, ask::Error> {
            let mut journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
            let columns = survey::columns(&self.asked.dimensions);
            let complete = journal.len() == self.count;
            let records = journal.records();
            let value = view::survey::value(&columns, &records);
            if let (Some(out), true) = (&self.out, complete) {
                write(out, &form(out)?.write(&columns, &records)?)?;
                journal.remove();
            }
            let names = self.asked.dimensions.iter().map(|dimension| dimension.name.clone()).collect();
            Ok(Answer::of_rows(Kind::sweep(names), value).ended(complete))
        };
        py.detach(|| made().map_err(raised))
    }
}
