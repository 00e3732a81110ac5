//! The result of a fit as tables.

use crate::answer::percent;
use crate::output::{Side, Table, folded};
use crate::screen::Screen;
use ask::fit::{origin, written};
use lab::fit::{By, Fit, Found, RowUse};
use system::Origin;

/// Correlations below this are not shown.
const TOLD_FROM: f64 = 0.5;

/// Figures, correlations, errors, warnings, and lines to copy into a description.
pub fn text(system: &str, file: &str, fit: &Fit, detail: bool, screen: &Screen) -> String {
    let by = match fit.by {
        By::Simulation => format!("by simulation, {} points", fit.simulated),
        By::Limit => "by the closed form".to_string(),
    };
    let (tried, reached) = fit.starts;
    let by = format!("{by}; {reached} of {tried} starts agree");
    let head = format!("{system}  fitted on {} rows of {file}, {by}", fit.count(RowUse::Fitted));
    if let Some(why) = &fit.not_converged {
        let said = folded(&format!("not converged: {why}"), 1, screen);
        let said = said.replacen("not converged:", &screen.bad("not converged:"), 1);
        return format!("{}\n{said}\n{}\n{}", screen.strong(&head), ended(fit, screen), errors(fit, screen));
    }
    let blocks = [
        format!("{}\n{}", screen.strong(&head), figures(fit, screen)),
        correlations(fit),
        errors(fit, screen),
        if detail { rows(fit, screen) } else { String::new() },
        warnings(fit, screen),
        lines(fit),
    ];
    blocks.into_iter().filter(|block| !block.is_empty()).collect::<Vec<_>>().join("\n")
}

/// The fitted figures as CSV, one line for each; none if the search has not converged.
pub fn rows_as_csv(fit: &Fit) -> String {
    let shown = if fit.not_converged.is_some() { &[] } else { &fit.found[..] };
    let row = |found: &Found| {
        [
            found.parameter.path.clone(),
            found.value.clone(),
            found.uncertainty.map_or_else(String::new, |error| found.parameter.scale.write(error)),
            view::csv::number(found.uncertainty.map(|_| found.global_correlation)),
            found.parameter.described.0.clone(),
        ]
    };
    view::csv::text(&["figure", "found", "standard_error", "global_correlation", "was"], shown.iter().map(row))
}

fn figures(fit: &Fit, screen: &Screen) -> String {
    let columns = [
        ("figure", Side::Left),
        ("found", Side::Right),
        ("+- 1 standard error", Side::Right),
        ("global correlation", Side::Right),
        ("was", Side::Left),
    ];
    let mut table = Table::new(screen, &columns);
    for found in &fit.found {
        let (value, origin) = &found.parameter.described;
        let global = if found.parameter.is_continuous() && found.uncertainty.is_some() {
            format!("{:.2}", found.global_correlation)
        } else {
            String::new()
        };
        let was = format!("{value} ({})", short(origin));
        let spread = if fit.complete { spread(found) } else { "interrupted".to_string() };
        table.row([found.parameter.path.clone(), found.value.clone(), spread, global, was]);
    }
    table.to_string()
}

/// Where a search ended that has not converged: no result, but of use for another start.
fn ended(fit: &Fit, screen: &Screen) -> String {
    let mut table = Table::new(screen, &[("no result", Side::Left), ("the search ended at", Side::Right)]);
    for found in &fit.found {
        table.row([found.parameter.path.clone(), found.value.clone()]);
    }
    table.to_string()
}

fn short(origin: &Origin) -> String {
    match origin {
        Origin::Given { .. } | Origin::Override(_) | Origin::Default => origin.to_string(),
        other => other.word().to_string(),
    }
}

/// The uncertainty as in `4.1 ns (0.5 %)`; for counts and words, the error with the next best value.
fn spread(found: &Found) -> String {
    match (found.uncertainty, found.number, &found.next) {
        _ if found.at_bound => "at the end of its range".to_string(),
        (Some(error), Some(number), _) if number > 0.0 => {
            format!("{} ({:.1} %)", written(found.parameter.scale, error), 100.0 * error / number)
        }
        (Some(error), ..) => written(found.parameter.scale, error),
        (None, _, Some((value, error))) => format!("next best {value}, error {error:.2} %"),
        (None, ..) if !found.parameter.is_continuous() => "every other value far worse".to_string(),
        (None, ..) => "not told by the data".to_string(),
    }
}

fn correlations(fit: &Fit) -> String {
    let path = |n: usize| &fit.found[n].parameter.path;
    let told = fit.correlations.iter().filter(|(_, _, r)| r.abs() >= TOLD_FROM);
    told.map(|&(a, b, r)| format!(" {} and {} are correlated: {r:+.2}\n", path(a), path(b))).collect()
}

fn errors(fit: &Fit, screen: &Screen) -> String {
    let columns = [("error", Side::Left), ("rows", Side::Right), ("mean", Side::Right), ("greatest", Side::Right)];
    let mut table = Table::new(screen, &columns);
    for (part, name) in [
        (RowUse::Fitted, "fitted on"),
        (RowUse::HeldOut, "held out: predicted"),
        (RowUse::Beside, "ranges and inequalities: compared"),
    ] {
        if let Some((mean, worst)) = fit.error(part) {
            table.row([name.into(), fit.count(part).to_string(), format!("{mean:.2} %"), format!("{worst:.2} %")]);
        }
    }
    table.to_string()
}

fn rows(fit: &Fit, screen: &Screen) -> String {
    let columns = [
        ("row", Side::Left),
        ("measured", Side::Right),
        ("found", Side::Right),
        ("error", Side::Right),
        ("", Side::Left),
    ];
    let mut table = Table::new(screen, &columns);
    for found in &fit.rows {
        let row = &found.row;
        let value = row.value.single().map_or_else(|| row.value.to_string(), |value| row.unit.print(value));
        table.row([
            format!("{} {} {}", row.experiment, row.at.to_string().replace(';', " "), row.metric.word()),
            format!("{value} {}", row.unit.suffix()).trim_end().to_string(),
            row.unit.print(found.found),
            percent(found.error_percent),
            if found.part == RowUse::HeldOut { "held out".to_string() } else { String::new() },
        ]);
    }
    table.to_string()
}

fn warnings(fit: &Fit, screen: &Screen) -> String {
    let one = |w: &lab::fit::Warning| {
        let text = folded(&format!("warning: {w}"), 1, screen);
        text.replacen("warning:", &screen.bad("warning:"), 1)
    };
    fit.warnings.iter().map(one).collect()
}

/// Lines to copy into a description or a catalogue.
fn lines(fit: &Fit) -> String {
    let line = |found: &Found| {
        let origin = origin(found, &fit.provenance);
        let fields = found.parameter.path.split('+').map(|path| path.rsplit('.').next().unwrap_or(path).trim());
        let lines = fields.map(|field| format!("   {field}: {{ value: {}, fitted: \"{origin}\" }}\n", found.value));
        lines.collect::<String>()
    };
    let certain = fit.found.iter().filter(|found| fit.complete && !fit.is_doubtful(&found.parameter.path));
    let lines: String = certain.map(line).collect();
    if lines.is_empty() { lines } else { format!(" to write down:\n{lines}") }
}
