//! What a comparison came to, as tables.

use crate::answer::{WIDTH, percent};
use crate::output::{Side, Table, folded};
use crate::screen::Screen;
use lab::formula::GEN3_DIFFERENCE;
use lab::validate::{Behind, Comparison, Table as Rows, Validation};

/// Tables, then how many fitted figures stand behind them, then whether all bounds hold.
pub fn text(found: &Validation, screen: &Screen) -> String {
    let tables: Vec<String> = found.tables.iter().map(|table| rows(found, table, screen)).collect();
    let behind: Vec<String> = found.behind.iter().map(|behind| fitted(behind, screen)).collect();
    format!("{}\n{}\n{}", tables.join("\n"), behind.join("\n"), summary(found, screen))
}

fn rows(found: &Validation, table: &Rows, screen: &Screen) -> String {
    let chosen: Vec<&Comparison> = table.rows.iter().filter_map(|&row| found.comparisons.get(row)).collect();
    let formula = chosen.iter().any(|c| c.reference_formula.is_some());
    let said = if formula { "formula `rosta`" } else { "simulated" };
    let limit = if formula { "by the standard" } else { "limit" };
    let columns = [
        ("at", Side::Left),
        ("metric", Side::Left),
        ("published", Side::Right),
        (said, Side::Right),
        ("error", Side::Right),
        (limit, Side::Right),
    ];
    let mut drawn = Table::new(screen, &columns);
    for comparison in &chosen {
        drawn.row(row(comparison));
    }
    let mut text = format!("{}\n{drawn}", screen.strong(&table.name));
    if chosen.iter().any(|c| c.reference_formula.is_some() && c.row.at.number("gen").is_some_and(|gen| gen >= 3.0)) {
        text += &folded(GEN3_DIFFERENCE, 2, WIDTH);
    }
    text + &verdicts(table, screen)
}

fn row(comparison: &Comparison) -> [String; 6] {
    let row = &comparison.row;
    let print = |value: Option<f64>| value.map_or_else(|| "-".to_string(), |value| row.unit.print(value));
    let value = row.value.single().map_or_else(|| row.value.to_string(), |value| row.unit.print(value));
    let error = match (row.metric.below, comparison.error_percent == 0.0) {
        (true, true) => "holds".to_string(),
        _ => percent(comparison.error_percent),
    };
    [
        row.at.to_string().replace(';', " "),
        row.metric.word(),
        format!("{value} {}", row.unit.suffix()).trim_end().to_string(),
        print(comparison.simulated.or(comparison.reference_formula)),
        error,
        print(comparison.limit),
    ]
}

fn verdicts(table: &Rows, screen: &Screen) -> String {
    let mut text = format!("  mean error {:.2} %, greatest {:.2} %\n", table.mean_percent, table.worst_percent);
    for verdict in &table.verdicts {
        let line = format!("  {}: {:.2} % of {} % allowed", verdict.of, verdict.found, verdict.bound);
        let word = if verdict.holds() { screen.good("holds") } else { screen.bad("BROKEN") };
        text += &format!("{line}: {word}\n");
    }
    text
}

fn fitted(behind: &Behind, screen: &Screen) -> String {
    let allowed = behind.allowed().map_or_else(String::new, |n| format!(" of {n} allowed"));
    let head = format!("{}: {} fitted figures behind it{allowed}", behind.reference, behind.fitted.len());
    let mut text = screen.strong(&head) + "\n";
    if behind.fitted.is_empty() {
        return text;
    }
    let mut table = Table::new(screen, &[("part", Side::Left), ("figure", Side::Left), ("value", Side::Right), ("fitted on", Side::Left)]);
    for f in &behind.fitted {
        table.row([f.model.clone(), f.field.clone(), f.value.clone(), f.on.clone()]);
    }
    text += &table.to_string();
    text
}

fn summary(found: &Validation, screen: &Screen) -> String {
    let bounds = found.tables.iter().flat_map(|table| &table.verdicts);
    let (held, all) = bounds.fold((0, 0), |(held, all), v| (held + usize::from(v.holds()), all + 1));
    let word = if found.holds() { screen.good("every stated bound holds") } else { screen.bad("a stated bound is broken") };
    format!("{} rows in {} tables, {held} of {all} bounds hold: {word}\n", found.comparisons.len(), found.tables.len())
}
