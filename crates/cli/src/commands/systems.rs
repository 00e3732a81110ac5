//! `lanescope systems`.

use crate::args::Systems;
use crate::csv;
use crate::exit::{End, Failure};
use crate::output::{Side, Table};
use crate::screen::Screen;
use serde_json::{Value, json};
use system::{Description, Experiment};

/// Prints the bundled machines and their experiments.
///
/// # Errors
/// An error in a bundled description; a file that cannot be written.
pub fn run(asked: &Systems, screen: &Screen) -> Result<End, Failure> {
    csv::check(&asked.forms.table)?;
    let names = system::bundled::names();
    let all = names.map(|name| Ok(Description::bundled(name)?)).collect::<Result<Vec<_>, Failure>>()?;
    let people = || all.iter().map(|description| machine(description, screen)).collect::<Vec<_>>().join("\n");
    csv::answer(&asked.forms, || all.iter().map(value).collect(), || rows(&all), people, screen)?;
    Ok(End::Done)
}

fn machine(description: &Description, screen: &Screen) -> String {
    let mut table = Table::new(screen, &[("experiment", Side::Left), ("axes", Side::Left), ("what", Side::Left)]);
    for experiment in description.experiments() {
        table.row([experiment.name.clone(), axes(experiment), first_sentence(&experiment.about)]);
    }
    format!("{}: {}\n{table}", screen.strong(description.name()), description.title())
}

/// The first sentence of `about:`. The rest is shown only in the description.
fn first_sentence(about: &str) -> String {
    about.split_inclusive(". ").next().unwrap_or_default().trim().trim_end_matches('.').to_string()
}

fn axes(experiment: &Experiment) -> String {
    experiment.axes.iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>().join(", ")
}

fn rows(all: &[Description]) -> String {
    let experiments =
        all.iter().flat_map(|description| description.experiments().iter().map(move |e| (description, e)));
    let row = |(description, e): (&Description, &Experiment)| {
        [description.name().to_string(), e.name.clone(), axes(e).replace(", ", ";"), e.about.clone()]
    };
    view::csv::text(&["system", "experiment", "axes", "about"], experiments.map(row))
}

fn value(description: &Description) -> Value {
    let experiment = |e: &Experiment| {
        let axes = e.axes.iter().map(|axis| json!({ "name": axis.name, "values": axis.values }));
        json!({
            "name": e.name,
            "about": e.about,
            "axes": axes.collect::<Vec<_>>(),
            "measures": e.measures,
            "points": e.points().len(),
        })
    };
    json!({
        "system": description.name(),
        "title": description.title(),
        "experiments": description.experiments().iter().map(experiment).collect::<Vec<_>>(),
    })
}
