//! The points of an experiment as a table, one line for each figure.

use crate::answer::{self, common, head};
use crate::output::{Side, Table, folded};
use crate::screen::Screen;
use lab::metric::Over;
use lab::report::PointFigure;
use lab::sweep::Measured;
use lab::{At, Unit};
use sim::Starved;

/// A point with its figures.
type Point<'a> = (&'a Measured, Vec<PointFigure>);

/// The note that is printed once below a table with bottlenecks.
const PROVEN: &str = "each bottleneck is one that a change proved: 5 % of it, or its next legal value, moves the figure by \
     more than 1 %; --detail says by how much";

/// The note where some are not proved.
const STATED: &str = "a bottleneck that is not proved is the one that the limit names";

/// What all lines have in common; it is shown above the table.
struct Shared {
    at: At,
    /// The unit of all figures, where they have the same.
    unit: Option<Unit>,
    /// True where a point has more than one figure.
    several: bool,
    /// True where a figure is of several flows.
    has_fair: bool,
}

/// The heading and the table.
pub fn text(points: &[&Point<'_>], screen: &Screen) -> String {
    let Some((first, _)) = points.first() else { return String::new() };
    let shared = shared(points);
    let title = head(&first.job.system, &first.job.experiment, &shared.at);
    let simulated = format!("simulated {}", shared.unit.map_or("", Unit::suffix));
    let mut columns = vec![("at", Side::Left)];
    if shared.several {
        columns.push(("metric", Side::Left));
    }
    columns.push((simulated.trim_end(), Side::Right));
    columns.extend(shared.has_fair.then_some(("fair", Side::Right)));
    columns.extend([("limit", Side::Right), ("published", Side::Right)]);
    columns.extend([("99 % latency", Side::Right), ("bottleneck", Side::Left)]);
    let mut table = Table::new(screen, &columns);
    for (measured, figures) in points {
        for (number, figure) in figures.iter().enumerate() {
            table.row(row(measured, figure, &shared, number == 0, screen));
        }
    }
    let of = |proved: bool| {
        let mut causes = points.iter().filter_map(|(measured, _)| measured.cause_of(Over::All));
        causes.any(|cause| cause.is_proved() == proved)
    };
    let notes = [(of(true), PROVEN), (of(false), STATED)].into_iter().filter(|(is_there, _)| *is_there);
    let note: String = notes.map(|(_, note)| screen.faint(&folded(note, 1, screen))).collect();
    let bursts = points.iter().filter_map(|(measured, _)| Some((measured, measured.slowest_place(Over::All)?)));
    let burst = bursts.filter_map(|(measured, flow)| measured.burst(flow)).min_by_key(|burst| burst.lasts);
    let burst = burst.map_or_else(String::new, |burst| {
        screen.faint(&folded(&format!("bursts: the first of these rates to end {burst}"), 1, screen))
    });
    let faults: String = points.iter().map(|(measured, _)| answer::remarks(measured, screen)).collect();
    format!("{}\n{table}{faults}{burst}{note}", screen.strong(&title))
}

fn shared(points: &[&Point<'_>]) -> Shared {
    let mut units = points.iter().flat_map(|(_, figures)| figures).map(|figure| figure.unit);
    let unit = units.next().filter(|first| units.all(|unit| unit == *first));
    let at = if points.len() > 1 { common(points.iter().map(|(m, _)| &m.job.at)) } else { At::default() };
    let all = || points.iter().flat_map(|(_, figures)| figures);
    let has_fair = all().any(|figure| figure.beside.fair.is_some());
    Shared { at, unit, several: points.iter().any(|(_, figures)| figures.len() > 1), has_fair }
}

/// One line of the table. The point, its latency and its bottleneck are shown in its first line. Where a point has a
/// figure for each operation, latency and bottleneck are shown for each of them.
fn row(measured: &Measured, figure: &PointFigure, shared: &Shared, first: bool, screen: &Screen) -> Vec<String> {
    let unit = figure.unit;
    let suffix = if shared.unit.is_none() { unit.suffix() } else { "" };
    let published = figure
        .published
        .map_or_else(|| "-".to_string(), |(value, error)| answer::published(value, figure.metric.stated, error, unit));
    let own = first || figure.over != Over::All;
    let worst = measured.slowest(figure.over).filter(|_| own);
    let mut texts = vec![if first { answer::own(&measured.job.at, &shared.at) } else { String::new() }];
    if shared.several {
        texts.push(figure.name());
    }
    let print = |value: Option<f64>| value.map_or_else(|| "-".to_string(), |value| unit.print(value));
    texts.push(match &figure.simulated {
        Ok(value) => format!("{} {suffix}", unit.print(*value)).trim_end().to_string(),
        Err(_) => "no common window".to_string(),
    });
    texts.extend(shared.has_fair.then(|| print(figure.beside.fair)));
    texts.extend([
        print(figure.beside.limit),
        published,
        worst.filter(|f| f.latency.count > 0).map_or_else(String::new, |f| f.latency.p99.to_string()),
        match &figure.simulated {
            Ok(_) => {
                let cause = measured.cause_of(figure.over).filter(|_| own);
                cause.map_or_else(String::new, |cause| answer::caused(cause, screen))
            }
            Err(Starved { flow, why }) => format!("{flow} starves ({why})"),
        },
    ]);
    texts
}
