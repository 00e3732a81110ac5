//! The points of an experiment, a line each.

use crate::answer::{self, head};
use crate::output::{Side, Table};
use crate::screen::Screen;
use lab::At;
use lab::lines::slowest;
use lab::report::Figure;
use lab::sweep::Measured;

/// A heading and a table.
pub fn text(points: &[&(&Measured, Vec<Figure>)], screen: &Screen) -> String {
    let Some((first, figures)) = points.first() else { return String::new() };
    let common = common(points);
    let several = points.iter().any(|(_, figures)| figures.len() > 1);
    let unit = figures.first().map_or("", |f| f.unit.suffix());
    let title = head(&first.job.system, &first.job.experiment, &common);
    let mut columns = vec![("at", Side::Left)];
    if several {
        columns.push(("metric", Side::Left));
    }
    let (simulated, limit) = (format!("simulated {unit}"), "limit");
    columns.extend([(simulated.trim_end(), Side::Right), (limit, Side::Right), ("published", Side::Right)]);
    columns.extend([("99 % latency", Side::Right), ("bottleneck", Side::Left)]);
    let mut table = Table::new(screen, &columns);
    for (measured, figures) in points {
        for figure in figures {
            table.row(row(measured, figure, &common, several));
        }
    }
    format!("{}\n{table}", screen.strong(&title))
}

/// The axes that have one value in all points.
fn common(points: &[&(&Measured, Vec<Figure>)]) -> At {
    let Some((first, _)) = points.first() else { return At::default() };
    let same = |axis: &str, value: &str| points.iter().all(|(m, _)| m.job.at.get(axis) == Some(value));
    let pairs = first.job.at.pairs().filter(|&(axis, value)| same(axis, value));
    At::new(pairs.map(|(axis, value)| (axis.to_string(), value.to_string())))
}

fn row(measured: &Measured, figure: &Figure, common: &At, several: bool) -> Vec<String> {
    let own = measured.job.at.pairs().filter(|(axis, _)| common.get(axis).is_none());
    let at: Vec<String> = own.map(|(axis, value)| format!("{axis}={value}")).collect();
    let unit = figure.unit;
    let published = figure
        .published
        .map_or_else(|| "-".to_string(), |(value, error)| answer::published(value, figure.metric.below, error, unit));
    let worst = slowest(measured);
    let mut texts = vec![at.join(" ")];
    if several {
        texts.push(figure.metric.quality.word().to_string());
    }
    texts.extend([
        unit.print(figure.simulated),
        figure.limit.map_or_else(|| "-".to_string(), |limit| unit.print(limit)),
        published,
        worst.filter(|f| f.latency.count > 0).map_or_else(|| "-".to_string(), |f| f.latency.p99.to_string()),
        worst.map_or_else(|| "-".to_string(), |f| f.bottleneck.to_string()),
    ]);
    texts
}
