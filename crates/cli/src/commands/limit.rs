//! `lanescope limit SYSTEM [EXPERIMENT]` and `lanescope limit --link`.

use crate::args::Limit;
use crate::exit::{End, Failure};
use crate::output::{Side, Table};
use crate::screen::Screen;
use crate::{answer, axes, csv};
use lab::sweep::Job;
use lab::{DescribedMachine, Unit, reference, unit};
use limit::Limits;
use limit::crowded::Crowded;
use serde_json::{Value, json};
use system::System;

/// Largest number of points that are printed with their budgets.
const FEW: usize = 2;

/// A point and its limits.
type Answer = (Job, Limits);

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
    let machine = DescribedMachine::open(system, &asked.set)?;
    let unit = match screen.unit {
        Some(unit) => unit,
        None => unit::of_machine(machine.name(), &reference::bundled()?),
    };
    if asked.what_if {
        return super::what_if::run(&machine, asked, unit, screen);
    }
    let axes = axes::parse(&asked.points.axis)?;
    let mut texts = Vec::new();
    let mut all: Vec<Answer> = Vec::new();
    for experiment in axes::chosen(&machine, asked.points.experiment.as_deref())? {
        if experiment.formula.is_some() {
            continue;
        }
        let jobs = machine.points(experiment, &axes)?.into_iter().map(|at| machine.job(experiment, at));
        let answers: Vec<Answer> = jobs
            .map(|job| job.map(|job| (limit::limit(&job.scenario), job)).map(|(l, j)| (j, l)))
            .collect::<Result<_, _>>()?;
        if answers.len() <= FEW {
            texts.extend(answers.iter().map(|answer| block(answer, unit, screen)));
        } else {
            texts.push(table(&answers, unit, screen));
        }
        all.extend(answers);
    }
    let json = || all.iter().map(value).collect();
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
        "alone",
        "together",
        "coarse_at",
        "application",
        "latency_ns",
        "bottleneck",
    ];
    let flows = all.iter().flat_map(|(job, limits)| {
        let of = limits.alone.iter().zip(&limits.together).enumerate();
        let system = &job.scenario.system;
        let of = of.map(|(number, of)| (of, limits.coarse(number).map(|c| system.direction_name(c.direction))));
        job.scenario.flows.iter().zip(of).map(move |(flow, (of, coarse))| (job, flow, of, coarse.unwrap_or_default()))
    });
    view::csv::text(
        &COLUMNS,
        flows.map(|(job, flow, (alone, together), coarse)| {
            [
                job.system.clone(),
                job.experiment.clone(),
                job.at.to_string(),
                flow.name.clone(),
                unit.word().to_string(),
                unit.rate(alone.stream).to_string(),
                unit.rate(together.stream).to_string(),
                coarse,
                unit.rate(together.app).to_string(),
                unit::ns(together.latency).to_string(),
                together.bottleneck.to_string(),
            ]
        }),
    )
}

/// All flows of a point, with their budgets.
fn block((job, limits): &Answer, unit: Unit, screen: &Screen) -> String {
    let mut text = format!("{}\n", screen.strong(&answer::head(&job.system, &job.experiment, &job.at)));
    let flows = job.scenario.flows.iter().zip(limits.alone.iter().zip(&limits.together));
    for (number, (flow, (alone, together))) in flows.enumerate() {
        let several = job.scenario.flows.len() > 1;
        let beside = if several { format!("   alone {}", unit.told(alone.stream)) } else { String::new() };
        let rate = screen.strong(&unit.told(together.stream));
        let latency = format!("{} latency, nothing in the way", together.latency);
        text += &format!("  {}\n  {:<12}{rate}{beside}   {latency}\n", flow.name, "limit");
        if let Some(crowded) = limits.coarse(number) {
            text += &coarse(&job.scenario.system, crowded, unit);
        }
        text += &answer::limit_block(&job.scenario.system, together, unit, screen);
    }
    text
}

/// The line for a flow whose limit is coarse: the direction, and the total rate that its flows can have there.
fn coarse(system: &System, crowded: &Crowded, unit: Unit) -> String {
    let (on, count) = (system.direction_name(crowded.direction), crowded.flows.len());
    format!(
        "  {:<12}a bound, but not for all at once: {on} carries {} of {count} flows\n",
        "coarse",
        unit.told(crowded.most)
    )
}

/// A table with one line for each flow. The point is shown in the first line of its flows.
fn table(answers: &[Answer], unit: Unit, screen: &Screen) -> String {
    let Some((first, _)) = answers.first() else { return String::new() };
    let alone = format!("alone {}", unit.word());
    let columns = [
        ("at", Side::Left),
        ("flow", Side::Left),
        (&alone, Side::Right),
        ("together", Side::Right),
        ("application", Side::Right),
        ("latency", Side::Right),
        ("bottleneck", Side::Left),
    ];
    let common = answer::common(answers.iter().map(|(job, _)| &job.at));
    let mut table = Table::new(screen, &columns);
    for (job, limits) in answers {
        let mut at = answer::own(&job.at, &common);
        let flows = job.scenario.flows.iter().zip(limits.alone.iter().zip(&limits.together));
        for (number, (flow, (alone, together))) in flows.enumerate() {
            let coarse = if limits.coarse(number).is_some() { " coarse" } else { "" };
            table.row([
                std::mem::take(&mut at),
                flow.name.clone(),
                unit.print(unit.rate(alone.stream)),
                unit.print(unit.rate(together.stream)) + coarse,
                unit.print(unit.rate(together.app)),
                together.latency.to_string(),
                together.bottleneck.to_string(),
            ]);
        }
    }
    format!("{}\n{table}", screen.strong(&answer::head(&first.system, &first.experiment, &common)))
}

fn value((job, limits): &Answer) -> Value {
    let system = &job.scenario.system;
    let one = |limit: &limit::FlowLimit| view::json::limit_value(system.direction_name(limit.direction), limit);
    let flows = job.scenario.flows.iter().zip(limits.alone.iter().zip(&limits.together));
    let flows = flows.enumerate().map(|(number, (flow, (alone, together)))| {
        let mut together = one(together);
        together["coarse_at"] = view::json::coarse_at(system, limits, number);
        json!({ "name": flow.name, "alone": one(alone), "together": together })
    });
    json!({
        "system": job.system,
        "experiment": job.experiment,
        "at": job.at.to_string(),
        "flows": flows.collect::<Vec<_>>(),
        "sum_mb_per_s": limits.sum().as_mb_per_s(),
    })
}
