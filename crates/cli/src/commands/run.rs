//! `lanescope run SYSTEM [EXPERIMENT]`.

use crate::args::Run;
use crate::exit::{End, Failure};
use crate::screen::Screen;
use crate::{answer, axes, file, interrupt, points_table, progress, theory};
use lab::report::{self, Figure};
use lab::sweep::{self, Job, Manner, Measured};
use lab::theory::Theory;
use lab::{Machine, Reference, reference};
use system::Experiment;

/// Up to so many points of an experiment are told one by one.
const FEW: usize = 2;

/// All that a run answers with.
struct Answers<'a> {
    points: Vec<(&'a Measured, Vec<Figure>)>,
    theories: Vec<Theory>,
}

/// Runs the experiments asked for and prints their points.
///
/// # Errors
/// A description, an override or an axis that is wrong; a file that cannot be written.
pub fn run(asked: &Run, screen: &Screen) -> Result<End, Failure> {
    let json = asked.files.json.as_ref();
    for path in asked.csv.iter().chain(json.and_then(Option::as_ref)) {
        file::check(path)?;
    }
    let machine = Machine::open(&asked.machine.system, &asked.machine.set)?;
    let references = reference::bundled()?;
    let experiments = axes::chosen(&machine, asked.points.experiment.as_deref())?;
    let (jobs, theories) = jobs(&machine, &experiments, &references, asked)?;
    let interrupted = interrupt::flag();
    let progress = progress::Progress::new(screen, jobs.len());
    let step = || progress.step();
    let manner = Manner { threads: asked.files.threads.map(usize::from), interrupted: &interrupted, step: &step };
    let sweep = sweep::run(jobs, &manner)?;
    drop(progress);
    let points = sweep.done.iter().map(|m| Ok((m, figures(m, &machine, &references)?)));
    let answers = Answers { points: points.collect::<Result<_, Failure>>()?, theories };
    tell(&answers, &experiments, asked, screen)?;
    if sweep.complete {
        return Ok(End::Done);
    }
    screen.complain("interrupted: only the points that were finished are there\n");
    Ok(End::Interrupted)
}

/// All points to simulate, and all figures of formulas.
fn jobs(
    machine: &Machine,
    experiments: &[&Experiment],
    references: &[Reference],
    asked: &Run,
) -> Result<(Vec<Job>, Vec<Theory>), Failure> {
    let (mut jobs, mut theories) = (Vec::new(), Vec::new());
    let axes = axes::parse(&asked.points.axis)?;
    for experiment in experiments {
        let points = machine.points(experiment, &axes)?;
        if experiment.formula.is_some() {
            theories.extend(lab::theory::figures(machine.name(), experiment, &points, references)?);
        } else {
            for at in points {
                jobs.push(machine.job(experiment, at)?);
            }
        }
    }
    Ok((jobs, theories))
}

fn figures(measured: &Measured, machine: &Machine, references: &[Reference]) -> Result<Vec<Figure>, Failure> {
    let experiment = machine.description().experiment(&measured.job.experiment)?;
    let measures = machine.measures(experiment, references)?;
    let rows = report::published(references, machine, experiment, &measured.job)?;
    Ok(report::figures(measured, &measures, &rows))
}

/// Files first, so that a reader who goes away does not keep them from being written.
fn tell(answers: &Answers<'_>, experiments: &[&Experiment], asked: &Run, screen: &Screen) -> Result<(), Failure> {
    if let Some(path) = &asked.csv {
        file::write(path, &lab::lines::points(&answers.points))?;
    }
    let json = || lab::json::points(&answers.points, &answers.theories);
    match &asked.files.json {
        Some(None) => return screen.print(&json()),
        Some(Some(path)) => file::write(path, &json())?,
        None => {}
    }
    screen.print(&text(answers, experiments, asked.detail, screen))
}

fn text(answers: &Answers<'_>, experiments: &[&Experiment], detail: bool, screen: &Screen) -> String {
    let mut blocks: Vec<String> = Vec::new();
    for experiment in experiments {
        let points: Vec<_> = answers.points.iter().filter(|(m, _)| m.job.experiment == experiment.name).collect();
        let theories: Vec<_> = answers.theories.iter().filter(|t| t.experiment == experiment.name).collect();
        if detail || points.len() <= FEW {
            blocks.extend(points.iter().map(|(measured, figures)| answer::block(measured, figures, screen)));
        } else {
            blocks.push(points_table::text(&points, screen));
        }
        if !theories.is_empty() {
            blocks.push(theory::text(&theories, screen));
        }
    }
    blocks.join("\n")
}
