//! `lanescope fit SYSTEM --params a,b,c --on FILE.csv`.

use crate::args::Fit as Asked;
use crate::exit::{Complaint, End, Failure};
use crate::screen::Screen;
use crate::{csv, fitted, interrupt, progress};
use cosim::Cosim;
use lab::fit::{Ask, By};
use lab::sweep::RunOptions;
use lab::{DescribedMachine, RowPattern, Selection, reference};
use std::path::Path;

/// The word of `--hold-out` for all rows that `--rows` leaves.
const REST: &str = "rest";

/// Fits figures to measurements and prints them with their uncertainty. The exit code is 1 if the search has
/// not converged, or if the fitted figures do not match the rows.
///
/// # Errors
/// A description, parameter, row or pattern that is wrong; a file that cannot be read or written.
pub fn run(asked: &Asked, screen: &Screen) -> Result<End, Failure> {
    csv::check_all(&asked.files, &asked.table)?;
    let machine = DescribedMachine::open(&asked.machine.system, &asked.machine.set)?.told_in(screen.unit);
    let ask = ask(asked, screen)?;
    let interrupted = interrupt::flag();
    let progress = progress::Progress::counting(screen);
    let step = || progress.step();
    let options = RunOptions {
        threads: asked.files.threads.map(usize::from),
        interrupted: &interrupted,
        step: &step,
        kinds: &[&Cosim::default(), &dma::Cards],
    };
    let fit = lab::fit::fit(&machine, &ask, &options)?;
    drop(progress);
    let json = || view::json::fit(machine.name(), &ask.file, &fit);
    csv::tell(
        (&asked.files, &asked.table),
        json,
        || fitted::rows_as_csv(&fit),
        || fitted::text(machine.name(), &ask.file, &fit, asked.detail, screen),
        screen,
    )?;
    if fit.complete {
        return Ok(if fit.is_result() { End::Done } else { End::BoundBroken });
    }
    screen.complain("interrupted: these are the best figures so far, without their uncertainty\n");
    Ok(End::Interrupted)
}

fn ask(asked: &Asked, screen: &Screen) -> Result<Ask, Failure> {
    let mut on = reference::open(Path::new(&asked.on))?;
    on.told_in(screen.unit);
    let starts = asked.start.iter().map(|text| {
        pair(text).ok_or_else(|| {
            Complaint::new(format!("`--start {text}` says nothing"), "as in `--start host.read_latency=500ns`")
        })
    });
    let (rest, hold_out): (Vec<String>, Vec<String>) =
        asked.hold_out.iter().cloned().partition(|text| text.trim() == REST);
    Ok(Ask {
        parameters: asked.params.iter().map(|path| path.trim().to_string()).collect(),
        starts: starts.collect::<Result<_, _>>()?,
        choices: asked.choose.iter().map(choice).collect::<Result<_, _>>()?,
        on,
        file: asked.on.clone(),
        rows: Selection { one_of: patterns(&asked.rows, "--rows")?, but: Vec::new() },
        hold_out: patterns(&hold_out, "--hold-out")?,
        hold_out_rest: !rest.is_empty(),
        by: if asked.by == crate::args::Engine::Limit { By::Limit } else { By::Simulation },
    })
}

/// `PATH=VALUE`, both without blanks around them; `None` if one is missing.
fn pair(text: &str) -> Option<(String, String)> {
    let (path, value) = text.split_once('=')?;
    let [path, value] = [path, value].map(|half| half.trim().to_string());
    (!path.is_empty() && !value.is_empty()).then_some((path, value))
}

/// `PATH=VALUE,VALUE`.
fn choice(text: &String) -> Result<(String, Vec<String>), Complaint> {
    let wrong =
        || Complaint::new(format!("`--choose {text}` says nothing"), "as in `--choose card.read_requests=32,64`");
    let (path, values) = pair(text).ok_or_else(wrong)?;
    Ok((path, values.split(',').map(|value| value.trim().to_string()).filter(|value| !value.is_empty()).collect()))
}

fn patterns(texts: &[String], option: &str) -> Result<Vec<RowPattern>, Failure> {
    let one = |text: &String| {
        RowPattern::parse(text).map_err(|word| {
            let right = "an experiment, `axis=value` pairs and a metric, as in `dma-read size=4096..`";
            Complaint::new(format!("`{word}` in `{option} {text}` says nothing"), right).into()
        })
    };
    texts.iter().map(one).collect()
}
