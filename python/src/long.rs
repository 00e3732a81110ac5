//! Questions that may take long: they simulate.

use crate::answer::Answer;
use crate::errors::raised;
use crate::system::{Axes, System, value_of};
use crate::table::Kind;
use crate::work::{self, Control};
use ask::axes::chosen;
use cosim::Cosim;
use lab::calibrate::bench::Bench;
use lab::cause::{Effort, SearchOptions, Whose};
use lab::fit::By;
use lab::plan::Plan;
use lab::survey::{self, Dimension, Journal, Survey, ValueChoice};
use lab::sweep::{self, RunOptions};
use lab::{Machines, Reference, Unit, reference};
use pyo3::prelude::*;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::Ordering;
use trace::{Summary, Writer};
use view::survey::Form;

/// What `progress` is: a callable of the points done and in all.
pub type Progress = Option<Py<PyAny>>;

/// Asks with the options of a run.
pub fn with_options<T>(control: &Control, threads: Option<usize>, ask: impl FnOnce(&RunOptions<'_>) -> T) -> T {
    let (step, cosim) = (|| control.step(), Cosim::default());
    let options = RunOptions { threads, interrupted: &control.interrupted, step: &step, kinds: &[&cosim, &dma::Cards] };
    ask(&options)
}

pub fn by(limit: bool) -> By {
    if limit { By::Limit } else { By::Simulation }
}

#[pymethods]
impl System {
    /// Simulates the points.
    #[pyo3(signature = (experiment, axes, proof, threads, progress))]
    fn run(
        &self,
        py: Python<'_>,
        experiment: Option<&str>,
        axes: Axes,
        proof: bool,
        threads: Option<usize>,
        progress: Progress,
    ) -> PyResult<Answer> {
        let Simulated { text, html, pictures, complete } = work::run(py, progress.as_ref(), |control| {
            with_options(control, threads, |options| self.simulated(experiment, &axes, proof, options, control))
        })?;
        Ok(Answer::new(Kind::RUN.told_in(self.unit), value_of(&text)?).ended(complete).drawn(html, pictures))
    }
    /// Finds the best settings of an experiment.
    #[pyo3(signature = (experiment, axes, threads, progress))]
    fn tune(
        &self,
        py: Python<'_>,
        experiment: &str,
        axes: Axes,
        threads: Option<usize>,
        progress: Progress,
    ) -> PyResult<Answer> {
        let (text, complete) = work::run(py, progress.as_ref(), |control| {
            let machine = &self.machine;
            let experiment = machine.description().experiment(experiment)?;
            let points = ask::tune::points(machine, experiment, &axes)?;
            let references = reference::bundled()?;
            let tune = |options: &RunOptions<'_>| lab::tune::tune(machine, experiment, &points, &references, options);
            let found = with_options(control, threads, tune)?;
            Ok((view::json::tuned(machine.name(), &experiment.name, &points, &found), found.complete))
        })?;
        Ok(Answer::new(Kind::TUNE, value_of(&text)?).ended(complete))
    }
    /// Fits figures to measurements.
    #[pyo3(signature = (on, params, rows, hold_out, start, choose, by_limit, threads, progress))]
    #[allow(clippy::too_many_arguments)] // The options of the command.
    fn fit(
        &self,
        py: Python<'_>,
        on: &str,
        params: Vec<String>,
        rows: Vec<String>,
        hold_out: Vec<String>,
        start: Vec<String>,
        choose: Vec<String>,
        by_limit: bool,
        threads: Option<usize>,
        progress: Progress,
    ) -> PyResult<Answer> {
        let (text, complete) = work::run(py, progress.as_ref(), |control| {
            let (params, rows, hold_out, start, choose) = (&params, &rows, &hold_out, &start, &choose);
            let asked =
                ask::fit::Asked { params, on, rows, hold_out, start, choose, by: by(by_limit), told_in: self.unit }
                    .ask()?;
            let fit = with_options(control, threads, |options| lab::fit::fit(&self.machine, &asked, options))?;
            Ok((view::json::fit(self.machine.name(), on, &fit), fit.complete))
        })?;
        Ok(Answer::new(Kind::FIT, value_of(&text)?).ended(complete))
    }
    /// Runs all points of a sweep. With `out`, finished points are kept beside that file.
    #[pyo3(signature = (experiment, over, sample, seed, by_limit, out, resume, threads, progress))]
    #[allow(clippy::too_many_arguments)] // The options of the command.
    fn sweep(
        &self,
        py: Python<'_>,
        experiment: Option<&str>,
        over: Vec<String>,
        sample: Option<usize>,
        seed: u32,
        by_limit: bool,
        out: Option<&str>,
        resume: bool,
        threads: Option<usize>,
        progress: Progress,
    ) -> PyResult<Answer> {
        let choice = sample.map_or(ValueChoice::Full, |count| ValueChoice::Sampled { count, seed });
        let form = out.map(form).transpose().map_err(raised)?;
        let (value, names, complete): (Value, Vec<String>, bool) = work::run(py, progress.as_ref(), |control| {
            let dimensions = over.iter().map(|text| Dimension::parse(text)).collect::<Result<Vec<_>, _>>()?;
            let experiments = chosen(&self.machine, experiment)?;
            let survey = Survey::new(&self.machine, &experiments, &dimensions, choice, by(by_limit))?;
            let mut journal = match out.map(|out| format!("{out}.part")) {
                None => Journal::in_memory(),
                Some(path) if resume => Journal::resume(Path::new(&path), &survey.fingerprint())?,
                Some(path) => Journal::create(Path::new(&path), &survey.fingerprint())?,
            };
            control.total.store(survey.points.len() - journal.len(), Ordering::Relaxed);
            let references = reference::bundled()?;
            let complete = with_options(control, threads, |options| survey.run(&mut journal, &references, options))?;
            let (columns, records) = (survey::columns(&dimensions), journal.records());
            let value = view::survey::value(&columns, &records);
            if let (Some(out), Some(form), true) = (out, form, complete) {
                write(out, &form.write(&columns, &records)?)?;
                journal.remove();
            }
            Ok((value, dimensions.into_iter().map(|dimension| dimension.name).collect(), complete))
        })?;
        Ok(Answer::of_rows(Kind::sweep(names), value).ended(complete))
    }
}

#[pymethods]
impl System {
    /// A long stream to or from drives, with a rate for each part of it.
    #[pyo3(signature = (experiment, axes, bytes, each, threads, progress))]
    #[allow(clippy::too_many_arguments)] // The options of the command.
    fn stream(
        &self,
        py: Python<'_>,
        experiment: &str,
        axes: Axes,
        bytes: &str,
        each: &str,
        threads: Option<usize>,
        progress: Progress,
    ) -> PyResult<Answer> {
        let (values, complete) = work::run(py, progress.as_ref(), |control| {
            let lengths = (ask::stream::length("bytes", bytes)?, ask::stream::length("each", each)?);
            let jobs = ask::stream::jobs(&self.machine, experiment, &axes)?;
            with_options(control, threads, |options| ask::stream::values(&jobs, lengths, options))
        })?;
        Ok(Answer::new(Kind::STREAM.told_in(self.unit), Value::Array(values)).ended(complete))
    }
    /// Simulates the only point and writes its trace.
    #[pyo3(signature = (path, experiment, axes, links, progress))]
    fn trace(
        &self,
        py: Python<'_>,
        path: &str,
        experiment: Option<&str>,
        axes: Axes,
        links: Option<&str>,
        progress: Progress,
    ) -> PyResult<(u64, u64, u64)> {
        work::run(py, progress.as_ref(), |control| {
            let format = ask::trace::format(Path::new(path))?;
            let experiments = chosen(&self.machine, experiment)?;
            let (jobs, _) = ask::run::jobs(&self.machine, &experiments, &reference::bundled()?, &axes)?;
            let job = ask::trace::only(jobs)?;
            let (chosen, about) = (ask::trace::chosen(links, &job)?, ask::trace::about(&job));
            let beside = Beside::new(path);
            let unwritable = |error: std::io::Error| beside.unwritable(&error);
            let file = std::fs::File::create(&beside.name).map_err(unwritable)?;
            let mut writer = Writer::new(std::io::BufWriter::new(file), format, chosen, &about);
            let run =
                |options: &RunOptions<'_>| sweep::run_traced(job, options.kinds, options.interrupted, &mut writer);
            with_options(control, None, run)?;
            let Summary { tlps, dllps, bytes } = writer.finish().map_err(unwritable)?;
            beside.keep()?;
            Ok((tlps, dllps, bytes))
        })
    }
}

/// The figures of a host from measurements, or with `on` empty what to measure.
#[pyfunction]
#[pyo3(signature = (on, machine, bench, by_limit, threads, progress))]
pub fn calibrate(
    py: Python<'_>,
    on: Option<&str>,
    machine: (Option<String>, Vec<String>),
    bench: (String, String, String),
    by_limit: bool,
    threads: Option<usize>,
    progress: Progress,
) -> PyResult<Answer> {
    let (system, sets) = machine;
    let Some(on) = on else { return Ok(Answer::new(Kind::NEEDS, value_of(&view::json::needs())?)) };
    let (text, complete) = work::run(py, progress.as_ref(), |control| {
        let rows = reference::open(Path::new(on))?;
        let (host, card, slot) = bench;
        let bench = Bench { host, card, slot };
        let machine = ask::calibrate::machine(system.as_deref(), &sets, &bench, &rows)?;
        let part = ask::calibrate::host(&machine)?;
        let calibrate =
            |options: &RunOptions<'_>| lab::calibrate::calibrate(&machine, &part, &rows, on, by(by_limit), options);
        let found = with_options(control, threads, calibrate)?;
        let result = found.complete && found.is_result();
        let yaml = result.then(|| ask::calibrate::part(&found, system.is_none().then_some(&bench)));
        Ok((view::json::calibration(machine.name(), on, &found, yaml.as_deref()), found.complete))
    })?;
    Ok(Answer::new(Kind::CALIBRATE, value_of(&text)?).ended(complete))
}

/// Which drives carry a workload, on the usual machine, a described one, or in the free slots of a real one.
#[pyfunction]
#[pyo3(signature = (workload, machine, sets, threads, progress))]
pub fn advise(
    py: Python<'_>,
    workload: &str,
    machine: Option<&str>,
    sets: Vec<String>,
    threads: Option<usize>,
    progress: Progress,
) -> PyResult<Answer> {
    let (text, complete) = work::run(py, progress.as_ref(), |control| {
        let ask = ask::advise::ask(workload, machine, &sets)?;
        let found = with_options(control, threads, |options: &RunOptions<'_>| ::advise::advise(&ask, options))?;
        Ok((view::json::pretty(&ask::advise::value(&found)), found.complete))
    })?;
    Ok(Answer::new(Kind::ADVISE, value_of(&text)?).ended(complete))
}

/// Why rates are what they are. `from_` is the results, the rates in words, the table, and the machine with its overrides.
#[pyfunction]
#[pyo3(signature = (from_, machine, noise, threads, progress))]
pub fn explain(
    py: Python<'_>,
    from_: (Vec<String>, Vec<String>, Option<String>),
    machine: (Option<String>, Vec<String>),
    noise: Option<f64>,
    threads: Option<usize>,
    progress: Progress,
) -> PyResult<Answer> {
    let ((results, measured, on), (machine, set)) = (from_, machine);
    let (value, complete) = work::run(py, progress.as_ref(), |control| {
        let (on, machine) = (on.as_deref(), machine.as_deref());
        let asked = ask::explain::Asked { results: &results, measured: &measured, on, machine, set: &set, noise };
        let prepared = asked.prepare()?;
        let options = lab::explain::ExplainOptions { threads, interrupted: &control.interrupted };
        let found = lab::explain::explain(&prepared.evidence, &options)?;
        Ok((ask::explain::value(&prepared, &found), found.complete))
    })?;
    Ok(Answer::new(Kind::EXPLAIN, value).ended(complete))
}

/// A file that is written beside its path and renamed, so that no reader sees half of it. What is not kept is removed.
struct Beside<'a> {
    path: &'a str,
    name: String,
}

impl Beside<'_> {
    fn new(path: &str) -> Beside<'_> {
        Beside { path, name: format!("{path}.{}.tmp", std::process::id()) }
    }
    fn keep(&self) -> Result<(), ask::Error> {
        std::fs::rename(&self.name, self.path).map_err(|error| self.unwritable(&error))
    }
    fn unwritable(&self, error: &std::io::Error) -> ask::Error {
        let what = format!("{} cannot be written: {error}", self.path);
        ask::Complaint::new(what, "a folder that exists and may be written").into()
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.name);
    }
}

/// The form that the ending of a file selects.
pub fn form(out: &str) -> Result<&'static Form, ask::Error> {
    let found = Path::new(out).extension().and_then(|ending| Form::of(ending.to_str()?)).filter(|form| form.is_there());
    let right = || format!("a file that ends in {}", Form::endings(false));
    Ok(found.ok_or_else(|| ask::Complaint::new(format!("{out} has no ending that says what to write"), right()))?)
}

/// Writes a file beside the path, and renames it, so that no reader sees half of it.
pub fn write(path: &str, bytes: &[u8]) -> Result<(), ask::Error> {
    let beside = Beside::new(path);
    std::fs::write(&beside.name, bytes).map_err(|error| beside.unwritable(&error))?;
    beside.keep()
}

/// What a run gives.
struct Simulated {
    /// The points as JSON.
    text: String,
    /// The report.
    html: String,
    /// Names and texts of its pictures.
    pictures: Vec<(String, String)>,
    /// Whether all points are there.
    complete: bool,
}

impl System {
    /// Simulates the points.
    fn simulated(
        &self,
        experiment: Option<&str>,
        axes: &Axes,
        proof: bool,
        options: &RunOptions<'_>,
        control: &Control,
    ) -> Result<Simulated, ask::Error> {
        let machine = &self.machine;
        let references = reference::told_in(reference::bundled()?, self.unit);
        let experiments = chosen(machine, experiment)?;
        let (jobs, theories) = ask::run::jobs(machine, &experiments, &references, axes)?;
        control.total.store(jobs.len(), Ordering::Relaxed);
        let sweep = sweep::run(jobs, options)?;
        let search = SearchOptions {
            threads: options.threads,
            interrupted: options.interrupted,
            kinds: options.kinds,
            whose: Whose::Each,
            effort: if proof { Effort::AsTheRun } else { Effort::Nothing },
        };
        let done = ask::run::causes(sweep.done, machine, &references, &search)?;
        let points = done.iter().map(|measured| Ok((measured, ask::run::figures(measured, machine, &references)?)));
        let points = points.collect::<Result<Vec<_>, ask::Error>>()?;
        let figures = points.iter().flat_map(|(_, figures)| figures);
        let first = figures.map(|figure| figure.unit).find(|unit| unit.is_rate());
        let unit = self.unit.or(first).unwrap_or(Unit::MibPerS);
        let named = experiment.map_or_else(String::new, |name| format!(" {name}"));
        let report = view::html::Report {
            machine,
            system: &machine.description().system()?,
            experiments: &experiments,
            points: &points,
            unit,
            command: &format!("lanescope run {}{named}", machine.name()),
        };
        let changed = ask::run::changed(&self.sets);
        let complete = sweep.complete && !options.interrupted.load(Ordering::Relaxed);
        let drawn = view::html::of_run(&report).into_iter().map(|drawing| (drawing.name, drawing.svg)).collect();
        let text = view::json::points(&points, &theories, &changed);
        Ok(Simulated { text, html: view::html::html(&report), pictures: drawn, complete })
    }
}

/// Compares the rows of references with the simulation: of the files given, or of the bundled ones.
#[pyfunction]
#[pyo3(signature = (files, threads, progress))]
pub fn validate(py: Python<'_>, files: Vec<String>, threads: Option<usize>, progress: Progress) -> PyResult<Answer> {
    let (text, complete) = work::run(py, progress.as_ref(), |control| {
        let references: Vec<Reference> = match files.as_slice() {
            [] => reference::usual()?,
            files => files.iter().map(|file| reference::load(Path::new(file))).collect::<Result<_, _>>()?,
        };
        let machines = Machines::of(&references)?;
        let plan = Plan::new(&references, &machines)?;
        control.total.store(plan.points(), Ordering::Relaxed);
        let found = with_options(control, threads, |options| plan.run_watched(options, &|_| ()))?;
        Ok((view::json::comparisons(&found.comparisons), found.complete))
    })?;
    Ok(Answer::new(Kind::VALIDATE, value_of(&text)?).ended(complete))
}
