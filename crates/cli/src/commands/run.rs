//! `lanescope run SYSTEM [EXPERIMENT]`.

use crate::args::Run;
use crate::exit::{Complaint, End, Failure};
use crate::output::folded;
use crate::screen::Screen;
use crate::{answer, csv, file, interrupt, pictures, points_table, progress, shell, theory, tracing};
use ask::axes;
use cosim::Cosim;
use lab::cause::{Effort, SearchOptions, Whose};
use lab::report::PointFigure;
use lab::sweep::{self, Job, Measured, RunOptions, Sweep};
use lab::theory::Theory;
use lab::{DescribedMachine, reference};
use sim::parts::Provider;
use std::sync::atomic::{AtomicBool, Ordering};
use system::Experiment;
use system::kinds::CardParams;
use view::html;

/// Largest number of points of an experiment that are printed individually.
const FEW: usize = 2;

/// The results of a run.
struct Answers<'a> {
    points: Vec<(&'a Measured, Vec<PointFigure>)>,
    theories: Vec<Theory>,
}

/// Runs the requested experiments and prints their points.
///
/// # Errors
/// A description, override or axis that is wrong; a file that cannot be written.
pub fn run(asked: &Run, screen: &Screen) -> Result<End, Failure> {
    csv::check_all(&asked.files, &asked.table)?;
    if let Some(path) = &asked.report {
        file::check_report(path)?;
    }
    if let Some(folder) = &asked.svg {
        pictures::check(folder)?;
    }
    tracing::check(&asked.traced)?;
    let machine = DescribedMachine::open(&asked.machine.system, &asked.machine.set)?.told_in(screen.unit);
    let references = reference::told_in(reference::bundled()?, screen.unit);
    let experiments = axes::chosen(&machine, asked.points.experiment.as_deref())?;
    let axes = axes::parse(&asked.points.axis)?;
    let (jobs, theories) = ask::run::jobs(&machine, &experiments, &references, &axes)?;
    pictures::check_some(asked.svg.is_some() && jobs.is_empty())?;
    let interrupted = interrupt::flag();
    let cosim = cards(asked, &jobs)?;
    let kinds: &[&dyn Provider] = &[&cosim, &dma::Cards];
    let sweep = match &asked.traced.trace {
        Some(path) => tracing::run(path, &asked.traced, jobs, kinds, &interrupted, screen)?,
        None => simulate(jobs, asked, kinds, &interrupted, screen)?,
    };
    let complete = sweep.complete;
    let whose = if asked.detail || asked.files.json.is_some() { Whose::Each } else { Whose::Slowest };
    let effort = if asked.no_proof { Effort::Nothing } else { Effort::AsTheRun };
    let threads = asked.files.threads.map(usize::from);
    let search = SearchOptions { threads, interrupted: &interrupted, kinds, whose, effort };
    let done = ask::run::causes(sweep.done, &machine, &references, &search)?;
    let points = done.iter().map(|m| Ok((m, ask::run::figures(m, &machine, &references)?)));
    let answers = Answers { points: points.collect::<Result<_, Failure>>()?, theories };
    draw(asked, &machine, &experiments, &answers, screen)?;
    tell(&answers, &experiments, asked, screen)?;
    if complete && !interrupted.load(Ordering::Relaxed) {
        return Ok(End::Done);
    }
    screen.complain("interrupted: only the points that were finished are there\n");
    Ok(End::Interrupted)
}

fn simulate(
    jobs: Vec<Job>,
    asked: &Run,
    kinds: &[&dyn Provider],
    interrupted: &AtomicBool,
    screen: &Screen,
) -> Result<Sweep, Failure> {
    let bytes = jobs.iter().fold(0u64, |sum, job| sum.saturating_add(job.bytes()));
    let progress = progress::Progress::of_work(screen, jobs.len(), bytes);
    let step = || progress.step();
    let options = RunOptions { threads: asked.files.threads.map(usize::from), interrupted, step: &step, kinds };
    Ok(sweep::run_watched(jobs, &options, &|work| progress.work(work))?)
}

/// Prepares the cards with gateware. With `--waves`, the signals of one card are written to a file.
fn cards(asked: &Run, jobs: &[Job]) -> Result<Cosim, Failure> {
    let Some(path) = &asked.waves else { return Ok(Cosim::default()) };
    file::check(path)?;
    let [job] = jobs else {
        let what = format!("--waves records one point, and {} are asked for", jobs.len());
        return Err(Complaint::new(what, "name an experiment, and one value for each axis with --axis").into());
    };
    let compiled = |part: &system::Node| part.kind.card().is_some_and(CardParams::is_compiled);
    if !job.scenario.system.parts.iter().any(compiled) {
        let right = "a card with gateware, as in --set card.part=lanescope/virtex7-pcie-dma";
        return Err(Complaint::new("--waves: no card of this machine has gateware", right).into());
    }
    Cosim::with_waves(path.clone()).map_err(|error| Complaint::new(error.what, error.help).into())
}

fn tell(answers: &Answers<'_>, experiments: &[&Experiment], asked: &Run, screen: &Screen) -> Result<(), Failure> {
    let csv = || view::points::points(&answers.points, &ask::run::changed(&asked.machine.set));
    let json = || view::json::points(&answers.points, &answers.theories, &ask::run::changed(&asked.machine.set));
    let people = || text(answers, experiments, asked.detail, screen) + &note(answers, asked, screen);
    csv::tell((&asked.files, &asked.table), json, csv, people, screen)
}

/// The note for published figures beside figures of a changed machine.
fn note(answers: &Answers<'_>, asked: &Run, screen: &Screen) -> String {
    let published = answers.points.iter().flat_map(|(_, figures)| figures).any(|figure| figure.published.is_some());
    let sets: Vec<String> = ask::run::changed(&asked.machine.set).iter().map(|set| format!("--set {set}")).collect();
    if sets.is_empty() || !published {
        return String::new();
    }
    let text = format!("note: published figures are of the machine as described; here {} changed it", sets.join(", "));
    screen.faint(&folded(&text, 1, screen))
}

/// Writes the HTML report, and its pictures as files.
fn draw(
    asked: &Run,
    machine: &DescribedMachine,
    experiments: &[&Experiment],
    answers: &Answers<'_>,
    screen: &Screen,
) -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let report = html::Report {
        machine,
        system: &machine.description().system()?,
        experiments,
        points: &answers.points,
        unit: answer::page_unit(answers.points.iter().flat_map(|(_, figures)| figures), screen),
        command: &format!("lanescope {}", shell::line(&arguments)),
    };
    if let Some(path) = &asked.report {
        file::write(path, html::html(&report))?;
    }
    asked.svg.as_ref().map_or(Ok(()), |folder| pictures::write(folder, &html::of_run(&report)))
}

fn text(answers: &Answers<'_>, experiments: &[&Experiment], detail: bool, screen: &Screen) -> String {
    let mut blocks: Vec<String> = Vec::new();
    for experiment in experiments {
        let points: Vec<_> = answers.points.iter().filter(|(m, _)| m.job.experiment == experiment.name).collect();
        let theories: Vec<_> = answers.theories.iter().filter(|t| t.experiment == experiment.name).collect();
        if detail || points.len() <= FEW {
            blocks.extend(points.iter().map(|(measured, figures)| {
                let several = detail && measured.outcome.flows.len() > 1;
                let flows = if several { answer::flows(measured, figures, screen) } else { String::new() };
                answer::block(measured, figures, screen) + &flows
            }));
        } else {
            blocks.push(points_table::text(&points, screen));
        }
        if !theories.is_empty() {
            blocks.push(theory::text(&theories, screen));
        }
    }
    blocks.join("\n")
}
