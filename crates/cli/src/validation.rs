//! The result of a comparison as tables.

pub mod figures;
pub mod misses;

use crate::answer::{self, percent};
use crate::output::{Side, Table, folded};
use crate::screen::Screen;
use crate::validation::figures::{Figures, published};
use lab::bound::Verdict;
use lab::difference::LISTED_PERCENT;
use lab::formula::{GEN3_DIFFERENCE, leaves_encoding_out};
use lab::validate::{Behind, Comparison, Table as Rows, Validation};
use lab::{At, Unit, reference};

/// The tables, then the number of fitted figures that they depend on, then whether all bounds hold.
pub fn text(found: &Validation, figures: Figures, screen: &Screen) -> String {
    let tables: Vec<String> = found.tables.iter().map(|table| rows(found, table, figures, screen)).collect();
    let behind: Vec<String> = found.behind.iter().map(|behind| fitted(behind, screen)).collect();
    let machines: String = found.machines.iter().map(|(name, of)| verdict(&screen.strong(name), of, screen)).collect();
    let machines = if machines.is_empty() { machines } else { machines + "\n" };
    let (misses, differences) = (misses::tables(found, screen), differences(found, figures, screen));
    let summary = summary(found, screen);
    format!("{}\n{machines}{}\n{misses}\n{differences}\n{summary}", tables.join("\n"), behind.join("\n"))
}

/// The rows whose limit differs from the simulation or from the published value, each with the reason.
pub fn differences(found: &Validation, figures: Figures, screen: &Screen) -> String {
    let figures = figures.word();
    let columns = [
        ("row", Side::Left),
        (figures, Side::Right),
        ("simulated", Side::Right),
        ("limit or fair", Side::Right),
        ("why", Side::Left),
    ];
    let mut table = Table::new(screen, &columns);
    let differ = found.comparisons.iter().filter_map(|c| Some((c, c.difference.as_ref()?)));
    let (mut all, mut of_the_model) = (0, 0);
    for (Comparison { row, simulated, .. }, difference) in differ {
        (all, of_the_model) = (all + 1, of_the_model + usize::from(difference.is_of_the_model()));
        let print = |value: &Option<f64>| value.map_or_else(String::new, |value| row.unit.print(value));
        let told = |value: String, percent: f64| format!("{value} {percent:+.1} %");
        table.row([
            format!("{} {} {}", row.system, row.experiment, row.at),
            told(published(row), difference.from_published),
            told(print(simulated), difference.from_simulation),
            format!("{} {}", print(&Some(difference.predicted)), row.unit.suffix()).trim_end().to_string(),
            view::difference::reason(difference),
        ]);
    }
    let title = format!("limit more than {LISTED_PERCENT} % from the simulation or from the {figures} value");
    let title = screen.strong(&title);
    let sentence = format!(
        "{all} rows. Beside each value is how far the limit is above it; of flows among others, what is fair. In {of_the_model} the simulation differs from the \
         {figures} value as the limit does."
    );
    match all {
        0 => format!("{title}: no row\n"),
        _ => format!("{title}\n{table}{}", folded(&sentence, 1, screen)),
    }
}

/// All rows as CSV: the columns of a reference, with the results beside them.
pub fn rows_as_csv(found: &Validation) -> String {
    const FOUND: [&str; 6] = ["simulated", "limit", "reference_formula", "error_percent", "fitted_on", "fair"];
    let row = |c: &Comparison| {
        let row = &c.row;
        let found = [c.simulated, c.limit, c.reference_formula, Some(c.error_percent)].map(view::csv::number);
        let published = [
            row.system.clone(),
            row.experiment.clone(),
            row.at.to_string(),
            row.metric.word(),
            row.value.to_string(),
            row.unit.word().to_string(),
            row.source.clone(),
            row.note.clone(),
        ];
        published
            .into_iter()
            .chain(found)
            .chain([if c.fitted { "yes" } else { "no" }.to_string(), view::csv::number(c.fair)])
            .collect::<Vec<_>>()
    };
    view::csv::text(&[&reference::COLUMNS[..], &FOUND].concat(), found.comparisons.iter().map(row))
}

/// What all rows of a table have in common; it is shown above the table.
struct Shared {
    at: At,
    metric: Option<String>,
    unit: Option<Unit>,
    /// True where a row is of several flows.
    has_fair: bool,
}

fn rows(found: &Validation, table: &Rows, figures: Figures, screen: &Screen) -> String {
    let chosen: Vec<&Comparison> = table.rows.iter().filter_map(|&row| found.comparisons.get(row)).collect();
    let formula = chosen.iter().any(|c| c.reference_formula.is_some());
    let shared = shared(&chosen);
    let unit = shared.unit.map_or("", Unit::suffix);
    let published = format!("{} {unit}", figures.word());
    let said = if formula { "formula `rosta`" } else { "simulated" };
    let limit = if formula { "by the standard" } else { "limit" };
    let columns = [
        ("at", Side::Left),
        ("metric", Side::Left),
        (published.trim_end(), Side::Right),
        (said, Side::Right),
        ("error", Side::Right),
        ("fair", Side::Right),
        (limit, Side::Right),
        ("", Side::Left),
    ];
    let is_there = |name: &str| match name {
        "metric" => shared.metric.is_none(),
        "fair" => shared.has_fair,
        _ => true,
    };
    let columns: Vec<(&str, Side)> = columns.into_iter().filter(|(name, _)| is_there(name)).collect();
    let mut drawn = Table::new(screen, &columns);
    for comparison in &chosen {
        drawn.row(row(comparison, &shared));
    }
    let metric = shared.metric.as_deref().unwrap_or_default();
    let title = format!("{}  {metric}", answer::head(&table.name, "", &shared.at).trim_end());
    let mut text = format!("{}\n{drawn}", screen.strong(title.trim_end()));
    if chosen.iter().any(|c| c.reference_formula.is_some() && leaves_encoding_out(&c.row.at)) {
        text += &folded(GEN3_DIFFERENCE, 1, screen);
    }
    text + &verdicts(table, screen)
}

fn shared(chosen: &[&Comparison]) -> Shared {
    let mut units = chosen.iter().map(|c| c.row.unit);
    let mut metrics = chosen.iter().map(|c| c.row.metric.word());
    Shared {
        at: if chosen.len() > 1 { answer::common(chosen.iter().map(|c| &c.row.at)) } else { At::default() },
        unit: units.next().filter(|first| units.all(|unit| unit == *first)),
        metric: metrics.next().filter(|first| metrics.all(|metric| metric == *first)),
        has_fair: chosen.iter().any(|c| c.fair.is_some()),
    }
}

fn row(comparison: &Comparison, shared: &Shared) -> Vec<String> {
    let row = &comparison.row;
    let print = |value: Option<f64>| value.map_or_else(|| "-".to_string(), |value| row.unit.print(value));
    let value = published(row);
    let suffix = if shared.unit.is_none() { row.unit.suffix() } else { "" };
    let error = match (row.metric.stated.is_inequality(), comparison.error_percent == 0.0) {
        (true, true) => "holds".to_string(),
        _ => percent(comparison.error_percent),
    };
    let metric = shared.metric.is_none().then(|| row.metric.word());
    let figures = [
        Some(format!("{value} {suffix}").trim_end().to_string()),
        Some(print(comparison.simulated.or(comparison.reference_formula))),
        Some(error),
        shared.has_fair.then(|| print(comparison.fair)),
        Some(print(comparison.limit)),
        Some(if comparison.fitted { "fitted on".to_string() } else { String::new() }),
    ];
    std::iter::once(answer::own(&row.at, &shared.at)).chain(metric).chain(figures.into_iter().flatten()).collect()
}

fn verdicts(table: &Rows, screen: &Screen) -> String {
    let mut text = format!(" mean error {:.2} %, greatest {:.2} %\n", table.mean_percent, table.worst_percent);
    text.extend(table.verdicts.iter().map(|of| verdict("", of, screen)));
    text
}

fn verdict(of: &str, verdict: &Verdict, screen: &Screen) -> String {
    let line = format!("{of} {}: {:.2} % of {} % allowed", verdict.of, verdict.found, verdict.bound);
    format!("{line}: {}\n", word(verdict.holds(), screen))
}

fn fitted(behind: &Behind, screen: &Screen) -> String {
    let mut text = screen.strong(&format!("{}: {} fitted figures behind it", behind.reference, behind.count())) + "\n";
    let columns = [("part", Side::Left), ("figure", Side::Left), ("value", Side::Right), ("fitted on", Side::Left)];
    let mut table = Table::new(screen, &columns);
    for f in &behind.fitted {
        let free = if f.counts() { "" } else { " (a choice that the standard permits: not counted)" };
        table.row([f.model.clone(), f.field.clone(), f.value.clone(), format!("{}{free}", f.on)]);
    }
    if !behind.fitted.is_empty() {
        text += &table.to_string();
    }
    if let Some(most) = behind.allowed() {
        text += &format!(" {} of {most} allowed: {}\n", behind.count(), word(behind.holds(), screen));
    }
    text
}

fn word(holds: bool, screen: &Screen) -> String {
    if holds { screen.good("holds") } else { screen.bad("BROKEN") }
}

fn summary(found: &Validation, screen: &Screen) -> String {
    let (held, all) = found.bounds();
    let counted = format!("{} rows in {} tables", found.comparisons.len(), found.tables.len());
    if all == 0 {
        return folded(&format!("{counted}, and no bound is stated for them{}", greatest(found)), 0, screen);
    }
    let word =
        if found.holds() { screen.good("every stated bound holds") } else { screen.bad("a stated bound is broken") };
    format!("{counted}, {held} of {all} bounds hold: {word}\n")
}

/// The greatest error of rows without a bound, and how to state one.
fn greatest(found: &Validation) -> String {
    let Some(Comparison { row, error_percent, .. }) = found.worst() else { return String::new() };
    let place = format!("{} {} {}", row.system, row.experiment, row.at);
    format!(": the greatest error is {} ({}); `--bound PERCENT` states one", percent(*error_percent), place.trim_end())
}
