//! `lanescope limit SYSTEM [EXPERIMENT] --what-if`.

use crate::args::Limit;
use crate::exit::{End, Failure};
use crate::output::{Side, Table};
use crate::screen::Screen;
use crate::{answer, csv};
use ask::axes;
use ask::what_if::Answer;
use lab::what_if::Gain;
use lab::{DescribedMachine, Unit};
use system::Experiment;

/// Largest number of changes that are printed. The JSON has all of them.
const MOST: usize = 15;

/// Ranks the changes that would make the flows of each experiment faster.
///
/// # Errors
/// A description, override or axis that is wrong.
pub fn run(machine: &DescribedMachine, asked: &Limit, unit: Unit, screen: &Screen) -> Result<End, Failure> {
    let axes = axes::parse(&asked.points.axis)?;
    let answers = ask::what_if::of(machine, asked.points.experiment.as_deref(), &axes)?;
    let json = || answers.iter().map(|answer| ask::what_if::value(machine, answer)).collect();
    let people = || answers.iter().map(|answer| text(machine, answer, unit, screen)).collect::<Vec<_>>().join("\n");
    csv::answer(&asked.forms, json, || rows(machine, &answers, unit), people, screen)?;
    Ok(End::Done)
}

/// The changes as CSV, one line each, the best first.
fn rows(machine: &DescribedMachine, answers: &[Answer<'_>], unit: Unit) -> String {
    let gains =
        answers.iter().flat_map(|(experiment, _, found)| found.gains.iter().map(move |gain| (experiment, gain)));
    let row = |(experiment, gain): (&&Experiment, &Gain)| {
        let [what, place, from, to, _, _, bottleneck] = row(gain, unit);
        let figures = [gain.gained, gain.then].map(|rate| (rate * factor(unit)).to_string());
        let [gained, then] = figures;
        let (system, experiment) = (machine.name().to_string(), experiment.name.clone());
        [system, experiment, what, place, from, to, unit.word().to_string(), gained, then, bottleneck]
    };
    const COLUMNS: [&str; 10] =
        ["system", "experiment", "what", "where", "from", "to", "unit", "gained", "then", "then_held_by"];
    view::csv::text(&COLUMNS, gains.map(row))
}

fn text(machine: &DescribedMachine, (experiment, points, found): &Answer<'_>, unit: Unit, screen: &Screen) -> String {
    let common = answer::common(points);
    let mut text = screen.strong(&answer::head(machine.name(), &experiment.name, &common)) + "\n";
    let over = if points.len() > 1 { format!(", mean over {} points", points.len()) } else { String::new() };
    text += &format!("  {:<12}{} {}, sum of the flows{over}\n", "limit", rate(found.now, unit), unit.word());
    text += &format!("  {:<12}{}\n\n", "bottleneck", found.bottleneck.told(&|rate| unit.told(rate)));
    if found.gains.is_empty() {
        return text + &format!(" none of {} changes, one step each, makes it faster\n", found.tried);
    }
    let gained = format!("{} gained", unit.word());
    let columns = [
        ("one step better", Side::Left),
        ("", Side::Left),
        ("from", Side::Right),
        ("to", Side::Left),
        (&gained, Side::Right),
        ("then", Side::Right),
        ("then held by", Side::Left),
    ];
    let mut table = Table::new(screen, &columns);
    for gain in found.gains.iter().take(MOST) {
        table.row(row(gain, unit));
    }
    text += &table.to_string();
    let more = found.gains.len().saturating_sub(MOST);
    let rest = found.tried - found.gains.len();
    if more > 0 {
        text += &format!(" and {more} that gain less (--json has all)\n");
    }
    text + &screen.faint(&format!(" of {} changes tried, {rest} gain nothing or were the worse way\n", found.tried))
}

fn row(gain: &Gain, unit: Unit) -> [String; 7] {
    let change = &gain.change;
    [
        change.what.clone(),
        change.sort.word().to_string(),
        change.from.clone(),
        change.to.clone(),
        format!("+{}", rate(gain.gained, unit)),
        rate(gain.then, unit),
        gain.bottleneck.told(&|rate| unit.told(rate)),
    ]
}

fn rate(mb_per_s: f64, unit: Unit) -> String {
    unit.print(mb_per_s * factor(unit))
}

/// Factor from MB/s to a unit of rates.
fn factor(unit: Unit) -> f64 {
    Unit::MbPerS.to(unit).unwrap_or(1.0)
}
