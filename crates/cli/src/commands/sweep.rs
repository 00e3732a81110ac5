//! `lanescope sweep SYSTEM [EXPERIMENT] --over PATH=VALUES`.

use crate::args::{Engine, Sweep};
use crate::commands::dask;
use crate::exit::{Complaint, End, Failure};
use crate::screen::Screen;
use crate::{file, interrupt, progress};
use ask::axes;
use cosim::Cosim;
use lab::fit::By;
use lab::survey::{self, Dimension, Journal, Survey, ValueChoice};
use lab::sweep::RunOptions;
use lab::{DescribedMachine, reference};
use std::path::{Path, PathBuf};
use view::survey::{FORMS, Form};

/// Runs all points, saves each when it is finished, and finally writes all in their order.
///
/// # Errors
/// A description, dimension or axis that is wrong; a file that cannot be written, or that belongs to another sweep.
pub fn run(asked: &Sweep, screen: &Screen) -> Result<End, Failure> {
    if let Some(address) = &asked.dask {
        return dask::run(asked, address, screen);
    }
    let out = asked.out.as_deref().filter(|path| *path != Path::new("-"));
    let form = form(out)?;
    if let Some(path) = out {
        file::check(path)?;
    }
    let machine = DescribedMachine::open(&asked.machine.system, &asked.machine.set)?.told_in(screen.unit);
    let dimensions = asked.over.iter().map(|text| Dimension::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let choice = asked
        .sample
        .map_or(ValueChoice::Full, |count| ValueChoice::Sampled { count: count as usize, seed: asked.seed });
    let by = if asked.by == Engine::Limit { By::Limit } else { By::Simulation };
    let experiments = axes::chosen(&machine, asked.experiment.as_deref())?;
    let survey = Survey::new(&machine, &experiments, &dimensions, choice, by)?;
    let mut journal = journal(out, asked.resume, &survey, screen)?;
    let references = reference::bundled()?;
    let interrupted = interrupt::flag();
    let open = survey.points.len() - journal.len();
    let progress = progress::Progress::of_work(screen, open, open as u64 * survey::WHOLE_POINT);
    let step = || progress.step();
    let options = RunOptions {
        threads: asked.threads.map(usize::from),
        interrupted: &interrupted,
        step: &step,
        kinds: &[&Cosim::default(), &dma::Cards],
    };
    let complete = survey.run_watched(&mut journal, &references, &options, &|work| progress.work(work))?;
    drop(progress);
    if !complete {
        return partial(out, &survey, &journal, &dimensions, screen);
    }
    let problems = tell(out, form, &journal, &dimensions, screen)?;
    journal.remove();
    if problems > 0 {
        screen
            .complain(&format!("{problems} of {} points are not possible: see the column `problem`\n", journal.len()));
    }
    Ok(End::Done)
}

/// The output form that the extension of a file selects.
fn form(out: Option<&Path>) -> Result<&'static Form, Failure> {
    let Some(path) = out else { return Ok(&FORMS[0]) };
    match path.extension().and_then(|ending| Form::of(ending.to_str()?)) {
        Some(form) if form.is_there() => Ok(form),
        Some(Form { ending, feature, .. }) => {
            let build = feature.map_or_else(String::new, |name| format!(", or a build with `--features {name}`"));
            let right = format!("a file that ends in {}{build}", Form::endings(false));
            Err(Complaint::new(format!("this lanescope was built without what writes .{ending}"), right).into())
        }
        None => {
            let what = format!("{} has no ending that says what to write", path.display());
            Err(Complaint::new(what, format!("a file that ends in {}", Form::endings(true))).into())
        }
    }
}

/// The file that holds finished points until all points are finished.
fn beside(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_os_string();
    name.push(".part");
    name.into()
}

fn journal(out: Option<&Path>, resume: bool, survey: &Survey<'_>, screen: &Screen) -> Result<Journal, Failure> {
    let Some(out) = out else { return Ok(Journal::in_memory()) };
    let path = beside(out);
    // Points saved with one unit cannot be continued with another.
    let unit = screen.unit.map_or("", lab::Unit::word);
    let fingerprint = format!("{}{unit}", survey.fingerprint());
    Ok(if resume { Journal::resume(&path, &fingerprint)? } else { Journal::create(&path, &fingerprint)? })
}

/// Writes or prints all lines. Returns the number of points that are not possible.
fn tell(
    out: Option<&Path>,
    form: &Form,
    journal: &Journal,
    dimensions: &[Dimension],
    screen: &Screen,
) -> Result<usize, Failure> {
    let columns = survey::columns(dimensions);
    let records = journal.records();
    let problems = records.iter().filter(|record| record.last().is_some_and(|text| !text.is_empty())).count();
    if problems == records.len() {
        let first = records.first().and_then(|record| record.last()).cloned().unwrap_or_default();
        return Err(Complaint::new(format!("no point is possible: {first}"), "values that the machine takes").into());
    }
    match out {
        None => screen.print(&view::survey::csv(&columns, &records))?,
        Some(path) => file::write(path, form.write(&columns, &records)?)?,
    }
    if let Some(path) = out {
        screen.tell(&format!("{} lines of {} points in {}\n", records.len(), journal.len(), path.display()))?;
    }
    Ok(problems)
}

fn partial(
    out: Option<&Path>,
    survey: &Survey<'_>,
    journal: &Journal,
    dimensions: &[Dimension],
    screen: &Screen,
) -> Result<End, Failure> {
    let (done, all) = (journal.len(), survey.points.len());
    match out {
        None => {
            screen.print(&view::survey::csv(&survey::columns(dimensions), &journal.records()))?;
            screen.complain(&format!("interrupted: {done} of {all} points are there\n"));
        }
        Some(out) => {
            let kept = beside(out).display().to_string();
            screen.complain(&format!("interrupted: {done} of {all} points are kept in {kept}; --resume goes on\n"));
        }
    }
    Ok(End::Interrupted)
}
