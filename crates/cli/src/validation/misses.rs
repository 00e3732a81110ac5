//! What the simulation misses by more than ten per cent: counted for each table, and row by row.

use crate::answer::{self, percent};
use crate::output::{Side, Table, folded};
use crate::screen::Screen;
use crate::validation::figures::{Figures, published};
use lab::At;
use lab::validate::{Comparison, Table as Rows, Validation};

/// A row whose error is greater is listed.
const MISSED_PERCENT: f64 = 10.0;

fn title(screen: &Screen) -> String {
    screen.strong(&format!("missed by more than {MISSED_PERCENT} %"))
}

/// Of each table with such rows: how many, by how much, and where the worst is.
pub fn tables(found: &Validation, screen: &Screen) -> String {
    let columns = [
        ("table", Side::Left),
        ("missed", Side::Right),
        ("of", Side::Right),
        ("worst", Side::Right),
        ("at", Side::Left),
    ];
    let mut drawn = Table::new(screen, &columns);
    let mut all = 0;
    for table in &found.tables {
        let rows: Vec<&Comparison> = table.rows.iter().filter_map(|&row| found.comparisons.get(row)).collect();
        let missed = worst_first(rows.iter().copied());
        let Some(worst) = missed.first() else { continue };
        all += missed.len();
        let shared = answer::common(rows.iter().map(|c| &c.row.at));
        drawn.row([
            named(table, &rows, &shared),
            missed.len().to_string(),
            rows.len().to_string(),
            percent(worst.error_percent),
            answer::own(&worst.row.at, &shared),
        ]);
    }
    if all == 0 {
        return format!("{}: no row\n", title(screen));
    }
    let sentence = format!("{all} of {} rows; `--misses` lists each.", found.comparisons.len());
    format!("{}\n{drawn}{}", title(screen), folded(&sentence, 1, screen))
}

/// Each such row, the worst first.
pub fn rows(found: &Validation, figures: Figures, screen: &Screen) -> String {
    let figures = figures.word();
    let columns = [
        ("error", Side::Right),
        (figures, Side::Right),
        ("simulated", Side::Right),
        ("limit", Side::Right),
        ("row", Side::Left),
    ];
    let mut drawn = Table::new(screen, &columns);
    let missed = worst_first(&found.comparisons);
    for Comparison { row, simulated, reference_formula, limit, error_percent, .. } in &missed {
        let print = |value: Option<f64>| value.map_or_else(|| "-".to_string(), |value| row.unit.print(value));
        drawn.row([
            percent(*error_percent),
            format!("{} {}", published(row), row.unit.suffix()).trim_end().to_string(),
            print(simulated.or(*reference_formula)),
            print(*limit),
            format!("{} {} {} {}", row.system, row.experiment, row.metric.word(), row.at),
        ]);
    }
    let counted = format!("{} of {} rows", missed.len(), found.comparisons.len());
    if missed.is_empty() {
        return format!("{}: {counted}\n", title(screen));
    }
    format!("{}\n{drawn}{}", title(screen), folded(&counted, 1, screen))
}

fn worst_first<'a>(rows: impl IntoIterator<Item = &'a Comparison>) -> Vec<&'a Comparison> {
    let mut missed: Vec<&Comparison> = rows.into_iter().filter(|c| c.error_percent.abs() > MISSED_PERCENT).collect();
    missed.sort_by(|a, b| b.error_percent.abs().total_cmp(&a.error_percent.abs()));
    missed
}

/// The table's name, with what its rows have in common, and the metric where it is one.
fn named(table: &Rows, rows: &[&Comparison], shared: &At) -> String {
    let mut metrics = rows.iter().map(|c| c.row.metric.word());
    let metric = metrics.next().filter(|first| metrics.all(|metric| metric == *first)).unwrap_or_default();
    format!("{}  {metric}", answer::head(&table.name, "", shared).trim_end()).trim_end().to_string()
}
