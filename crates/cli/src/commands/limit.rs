//! `lanescope limit SYSTEM [EXPERIMENT]` and `lanescope limit --link`.

use crate::args::Limit;
use crate::exit::{End, Failure};
use crate::output::{Side, Table};
use crate::screen::Screen;
use crate::{answer, csv, pictures};
use ask::axes;
use ask::limit::Answer;
use lab::{DescribedMachine, Unit, reference, unit};
use limit::Limits;
use pcie::Rate;
use system::System;
use system::graph::Direction;

/// Largest number of points that are printed with their budgets.
const FEW: usize = 2;

/// Prints the limits of a machine's experiments, or of a single link.
///
/// # Errors
/// A description, override, axis or link that is wrong.
pub fn run(asked: &Limit, screen: &Screen) -> Result<End, Failure> {
    match (&asked.link, &asked.system) {
        (Some(link), _) => super::link::run(link, asked, screen),
        (None, system) => machine(system.as_deref().unwrap_or_default(), asked, screen),
    }
}

fn machine(system: &str, asked: &Limit, screen: &Screen) -> Result<End, Failure> {
    csv::check(&asked.forms.table)?;
    if let Some(folder) = &asked.svg {
        pictures::check(folder)?;
    }
    let machine = DescribedMachine::open(system, &asked.set)?;
    let unit = match screen.unit {
        Some(unit) => unit,
        None => reference::unit_of_machine(machine.name(), &reference::bundled()?),
    };
    if asked.what_if {
        return super::what_if::run(&machine, asked, unit, screen);
    }
    let axes = axes::parse(&asked.points.axis)?;
    let mut texts = Vec::new();
    let mut all: Vec<Answer> = Vec::new();
    let mut drawings = Vec::new();
    for (experiment, answers) in ask::limit::of(&machine, asked.points.experiment.as_deref(), &axes)? {
        if answers.len() <= FEW {
            texts.extend(answers.iter().map(|answer| block(answer, unit, screen)));
        } else {
            texts.push(table(&answers, unit, screen));
        }
        if asked.svg.is_some() {
            drawings.extend(view::html::of_limits(experiment, &answers, unit));
        }
        all.extend(answers);
    }
    if let Some(folder) = &asked.svg {
        pictures::check_some(drawings.is_empty())?;
        pictures::write(folder, &drawings)?;
    }
    let json = || all.iter().map(ask::limit::value).collect();
    csv::answer(&asked.forms, json, || rows(&all, unit), || texts.join("\n"), screen)?;
    Ok(End::Done)
}

/// The limits as CSV, one line for each flow.
fn rows(all: &[Answer], unit: Unit) -> String {
    const COLUMNS: [&str; 11] = [
        "system",
        "experiment",
        "at",
        "flow",
        "unit",
        "limit",
        "fair",
        "queue_grows_at",
        "application",
        "latency_ns",
        "bottleneck",
    ];
    let flows = all.iter().flat_map(|(job, limits)| {
        let of = limits.alone.iter().zip(&limits.together).enumerate();
        let system = &job.scenario.system;
        let of = of.map(|(number, of)| (of, growing(limits, number).map(|at| system.direction_name(at))));
        job.scenario.flows.iter().zip(of).map(move |(flow, (of, grows))| (job, flow, of, grows))
    });
    view::csv::text(
        &COLUMNS,
        flows.map(|(job, flow, (alone, together), grows)| {
            let steady = |rate: Rate| if grows.is_none() { unit.rate(rate).to_string() } else { String::new() };
            [
                job.system.clone(),
                job.experiment.clone(),
                job.at.to_string(),
                flow.name.clone(),
                unit.word().to_string(),
                unit.rate(alone.most).to_string(),
                steady(together.stream),
                grows.clone().unwrap_or_default(),
                steady(together.app),
                unit::ns(together.latency).to_string(),
                together.bottleneck.told(&|rate| unit.told(rate)),
            ]
        }),
    )
}

/// All flows of a point, with their budgets.
fn block((job, limits): &Answer, unit: Unit, screen: &Screen) -> String {
    let mut text = format!("{}\n", screen.strong(&answer::head(&job.system, &job.experiment, &job.at)));
    let flows = job.scenario.flows.iter().zip(limits.alone.iter().zip(&limits.together));
    for (number, (flow, (alone, together))) in flows.enumerate() {
        let at = growing(limits, number);
        let fair = if at.is_none() { unit.told(together.stream) } else { NOT_STEADY.to_string() };
        let differs = job.scenario.flows.len() > 1 || alone.is_prediction();
        let beside = if differs { format!("   fair {}", screen.strong(&fair)) } else { String::new() };
        let most = unit.told(alone.most);
        let most = if differs { most } else { screen.strong(&most) };
        let latency = format!("{} latency, nothing in the way", together.latency);
        text += &format!("  {}\n  {:<12}{most}{beside}   {latency}\n", flow.name, "limit");
        text += &match at {
            Some(at) => grows(&job.scenario.system, at),
            None => answer::limit_block(&job.scenario.system, together, unit, screen),
        };
    }
    if job.scenario.flows.len() > 1 {
        let bound = screen.strong(&unit.told(limits.bound()));
        text += &format!("  all flows\n  {:<12}{bound}   the most that all come to, however they divide it\n", "limit");
    }
    text
}

/// In place of a rate that does not settle.
const NOT_STEADY: &str = "no steady rate";

/// The direction at whose start a queue grows that the limit of a flow beside the others depends on.
fn growing(limits: &Limits, flow: usize) -> Option<Direction> {
    limits.growing.get(flow).copied().flatten()
}

/// The lines for a flow beside others that has no steady rate.
fn grows(system: &System, at: Direction) -> String {
    format!(
        "  {:<12}the queue in front of {} grows as long as the flows run: writes without finite credits fill it, and\n  {:<12}what waits for answers waits behind them. Posted credits of the ports before it bound the queue.\n",
        "",
        system.direction_name(at),
        ""
    )
}

/// A table with one line for each flow. The point is shown in the first line of its flows.
fn table(answers: &[Answer], unit: Unit, screen: &Screen) -> String {
    let Some((first, _)) = answers.first() else { return String::new() };
    let alone = format!("limit {}", unit.word());
    let columns = [
        ("at", Side::Left),
        ("flow", Side::Left),
        (&alone, Side::Right),
        ("fair", Side::Right),
        ("limit of all", Side::Right),
        ("application", Side::Right),
        ("latency", Side::Right),
        ("bottleneck", Side::Left),
    ];
    let common = answer::common(answers.iter().map(|(job, _)| &job.at));
    let mut table = Table::new(screen, &columns);
    for (job, limits) in answers {
        let mut at = answer::own(&job.at, &common);
        let flows = job.scenario.flows.iter().zip(limits.alone.iter().zip(&limits.together));
        let mut bound = unit.print(unit.rate(limits.bound()));
        for (number, (flow, (alone, together))) in flows.enumerate() {
            let steady = |rate: Rate| match growing(limits, number) {
                None => unit.print(unit.rate(rate)),
                Some(_) => "not steady".to_string(),
            };
            table.row([
                std::mem::take(&mut at),
                flow.name.clone(),
                unit.print(unit.rate(alone.most)),
                steady(together.stream),
                std::mem::take(&mut bound),
                steady(together.app),
                together.latency.to_string(),
                together.bottleneck.told(&|rate| unit.told(rate)),
            ]);
        }
    }
    format!("{}\n{table}", screen.strong(&answer::head(&first.system, &first.experiment, &common)))
}
