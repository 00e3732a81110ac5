//! The commands, one file for each.

mod advise;
mod bench;
mod calibrate;
mod capture;
mod completions;
mod dask;
mod describe;
mod diff;
mod explain;
mod fit;
mod inspect;
mod kinds;
mod limit;
mod link;
mod man;
mod metrics;
mod parts;
mod run;
mod schema;
mod show;
mod stream;
mod sweep;
mod symbols;
mod systems;
mod tune;
mod validate;
mod what_if;

pub use completions::VARIABLE as COMPLETE_VARIABLE;

use crate::args::Command;
use crate::exit::{Complaint, End, Failure};
use crate::screen::Screen;

/// Runs the requested command.
///
/// # Errors
/// Bad input, or a closed output.
pub fn run(command: &Command, screen: &Screen) -> Result<End, Failure> {
    let real = matches!(command, Command::Inspect(_) | Command::Diff(_));
    if let Some(unit) = screen.unit.filter(|unit| real && *unit != lab::Unit::MbPerS) {
        let what = format!("rates of a real machine are told in MB/s, not in {}", unit.word());
        return Err(Complaint::new(what, "leave --unit out").into());
    }
    match command {
        Command::Kinds(asked) => kinds::run(asked, screen),
        Command::Inspect(asked) => inspect::run(asked, screen),
        Command::Bench(asked) => bench::run(asked, screen),
        Command::Explain(asked) => explain::run(asked, screen),
        Command::Describe(asked) => describe::run(asked, screen),
        Command::Diff(asked) => diff::run(asked, screen),
        Command::Capture(asked) => capture::run(asked, screen),
        Command::Completions(asked) => completions::run(asked, screen),
        Command::Man(asked) => man::run(asked, screen),
        Command::Schema => schema::run(screen),
        Command::Show(asked) => show::run(asked, screen),
        Command::Limit(asked) => limit::run(asked, screen),
        Command::Run(asked) => run::run(asked, screen),
        Command::Fit(asked) => fit::run(asked, screen),
        Command::Calibrate(asked) => calibrate::run(asked, screen),
        Command::Tune(asked) => tune::run(asked, screen),
        Command::Advise(asked) => advise::run(asked, screen),
        Command::Stream(asked) => stream::run(asked, screen),
        Command::Sweep(asked) => sweep::run(asked, screen),
        Command::Validate(asked) => validate::run(asked, screen),
        Command::Systems(asked) => systems::run(asked, screen),
        Command::Metrics(asked) => metrics::run(asked, screen),
        Command::Symbols(asked) => symbols::run(asked, screen),
        Command::Parts(asked) => parts::run(asked, screen),
    }
}
