//! Are all figures that published rows depend on, and that no document gives, counted as fitted figures?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_lab::sweep::Job;
use lanescope_lab::{Machines, Metric, Quality, Reference, Row, metric, provenance, reference};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use system::{Change, Origin, PartId, Scenario};

/// The share by which a figure is changed.
const MOVED: f64 = 0.05;
/// A row depends on the figure if it changes by more than this, in per cent.
const FOLLOWS_PERCENT: f64 = 0.2;
/// Runs are limited to this many commands, and each command in size. A short run also shows what a row depends on.
const COMMANDS: u64 = 12;
const COMMAND_BYTES: u64 = 64 << 10;
/// The size of a page, which no request crosses (Transaction Layer, Transaction Layer Protocol): not a figure of a
/// part.
const OF_THE_STANDARD: &str = "page_bytes";

fn references() -> &'static [Reference] {
    static ALL: OnceLock<Vec<Reference>> = OnceLock::new();
    ALL.get_or_init(|| reference::bundled().unwrap())
}

/// The first, middle and last row of each experiment and metric: few points that cover all mechanisms.
fn few_rows(reference: &Reference) -> Vec<&Row> {
    let simulated = reference.rows.iter().filter(|row| !matches!(row.metric.quality, Quality::Formula(_)));
    let key = |row: &Row| {
        (row.system.clone(), row.experiment.clone(), row.metric.word(), axis(row, "core"), axis(row, "lanes"))
    };
    let mut groups: Vec<Vec<&Row>> = Vec::new();
    for row in simulated {
        match groups.iter_mut().find(|group| key(group[0]) == key(row)) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let picked = groups.into_iter().flat_map(|group| {
        let places = BTreeSet::from([0, group.len() / 2, group.len() - 1]);
        places.into_iter().map(move |place| group[place]).collect::<Vec<_>>()
    });
    picked.collect()
}

fn axis(row: &Row, name: &str) -> Option<String> {
    row.at.get(name).map(str::to_string)
}

fn job(machines: &Machines, row: &Row) -> Job {
    let machine = machines.of_row(row).unwrap();
    let at = machine.points_of_row(row).unwrap().remove(0);
    let mut job = machine.job_of_row(row, at).unwrap();
    for flow in &mut job.scenario.flows {
        flow.command.0 = flow.command.0.min(COMMAND_BYTES);
        flow.volume.0 = flow.volume.0.min(flow.command.0 * COMMANDS) / flow.command.0 * flow.command.0;
    }
    job
}

fn figure(scenario: &Scenario, row: &Row) -> f64 {
    let outcome = sim::run(scenario, &dma::options()).unwrap();
    metric::simulated(row.metric.quality, row.unit, scenario, &outcome).unwrap()
}

/// Changed values of `value`; `None` if it is not a number, is zero, or cannot be changed by so little.
fn moved(value: &str) -> Option<Vec<String>> {
    let end = value.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(value.len());
    let number: f64 = value[..end].parse().ok()?;
    let unit = value[end..].trim();
    let (number, unit) = match unit {
        "KiB" => (number * 1024.0, "B"),
        "MiB" => (number * 1048576.0, "B"),
        "us" => (number * 1e6, "ps"),
        "ns" => (number * 1e3, "ps"),
        other => (number, other),
    };
    let by = number * (1.0 + MOVED);
    let whole = by.round();
    (whole != number && number != 0.0).then(|| vec![format!("{by} {unit}"), format!("{whole} {unit}")])
}

/// The scenario with one figure changed in all parts of a model; `None` if the figure does not accept the value.
fn with_moved(scenario: &Scenario, model: &str, field: &str, value: &str) -> Option<Scenario> {
    moved(value)?.iter().find_map(|text| {
        let mut scenario = scenario.clone();
        let mut taken = false;
        let parts = (0..scenario.system.parts.len()).map(PartId);
        for part in parts.filter(|&part| scenario.system.part(part).model == model).collect::<Vec<_>>() {
            let known = scenario.system.part(part).fields().find(|known| known.name == field);
            let change = known.map(|known| Change::Field(part, known.name, text.trim().to_string()));
            let moved = change.map(|change| scenario.system.amend(change, Origin::Override("a test".into())));
            taken |= matches!(moved, Some(Ok(())));
        }
        taken.then_some(scenario)
    })
}

/// The figures that no document gives: model, field, value, whether it is counted as fitted.
fn uncited(scenario: &Scenario) -> BTreeSet<(String, String, String, bool)> {
    let figures = scenario.system.parts.iter().flat_map(|part| part.figures.iter().map(|f| (part.model.clone(), f)));
    let uncited = figures.filter_map(|(model, figure)| match figure.origin {
        Origin::Fitted(_) => Some((model, figure, true)),
        Origin::Assumed(_) | Origin::Default => Some((model, figure, false)),
        _ => None,
    });
    uncited.map(|(model, f, fitted)| (model, f.field.to_string(), f.value.clone(), fitted)).collect()
}

fn offenders(reference: &Reference) -> Vec<String> {
    let _ = storage::register();
    let machines = Machines::of(references()).unwrap();
    few_rows(reference).into_par_iter().flat_map_iter(|row| of_row(row, &machines)).collect()
}

fn of_row(row: &Row, machines: &Machines) -> Vec<String> {
    let job = job(machines, row);
    let base = figure(&job.scenario, row);
    let mut found = Vec::new();
    for (model, field, value, fitted) in uncited(&job.scenario) {
        if fitted || field == OF_THE_STANDARD || provenance::PERMITTED_CHOICES.contains(&field.as_str()) {
            continue;
        }
        let Some(scenario) = with_moved(&job.scenario, &model, &field, &value) else { continue };
        let follows = 100.0 * (figure(&scenario, row) / base - 1.0).abs();
        if follows > FOLLOWS_PERCENT {
            let place = format!("{} {} {}", row.system, row.experiment, row.at);
            found.push(format!("{place}: {model} {field} {value} moves it by {follows:.2} %"));
        }
    }
    found
}

#[test]
fn does_every_uncited_figure_that_moves_a_row_of_the_2008_card_count_as_fitted() {
    assert_eq!(offenders(&references()[0]), Vec::<String>::new());
}

#[test]
fn does_every_uncited_figure_that_moves_a_row_of_the_eight_card_rig_count_as_fitted() {
    assert_eq!(offenders(&references()[1]), Vec::<String>::new());
}

#[test]
fn does_a_figure_that_is_moved_show_in_its_row() {
    let _ = storage::register();
    let machines = Machines::of(references()).unwrap();
    let word = Metric::from_word("throughput_link").unwrap();
    let row = references()[1].rows.iter().find(|row| row.metric == word).unwrap();
    let job = job(&machines, row);
    let moved = with_moved(&job.scenario, "rosta/virtex7-dma", "descriptor_wait", "255 ns").unwrap();
    assert!(figure(&moved, row) < 0.997 * figure(&job.scenario, row));
}
