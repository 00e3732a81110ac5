//! `lanescope systems`.

use crate::exit::{End, Failure};
use crate::output::{Side, Table};
use crate::screen::Screen;
use system::{Description, Experiment};

/// Prints the machines that come with the program, and their experiments.
///
/// # Errors
/// None but for a mistake in a bundled description.
pub fn run(screen: &Screen) -> Result<End, Failure> {
    let texts = system::bundled::NAMES.iter().map(|name| machine(&Description::bundled(name)?, screen));
    screen.tell(&texts.collect::<Result<Vec<_>, Failure>>()?.join("\n"))?;
    Ok(End::Done)
}

fn machine(description: &Description, screen: &Screen) -> Result<String, Failure> {
    let mut table = Table::new(screen, &[("experiment", Side::Left), ("axes", Side::Left), ("what", Side::Left)]);
    for experiment in description.experiments() {
        table.row([experiment.name.clone(), axes(experiment), first_sentence(&experiment.about)]);
    }
    Ok(format!("{}: {}\n{table}", screen.strong(description.name()), description.title()))
}

/// What `about:` begins with: the rest is in the description.
fn first_sentence(about: &str) -> String {
    about.split_inclusive(". ").next().unwrap_or_default().trim().trim_end_matches('.').to_string()
}

fn axes(experiment: &Experiment) -> String {
    experiment.axes.iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>().join(", ")
}
