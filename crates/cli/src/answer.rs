//! Text output for one point: its figures, with the proof beside them.

use crate::output::{Side, Table, folded};
use crate::screen::Screen;
use lab::cause::Confirmed;
use lab::metric::{Over, Stated};
use lab::report::PointFigure;
use lab::sweep::Measured;
use lab::{At, Span, Unit};
use limit::FlowLimit;
use sim::{FlowOutcome, Latency};
use system::graph::Direction;
use system::{Budget, Share, System};

/// Width in columns of the labels at the left of a block.
const LABEL: usize = 14;

/// Figures, bottleneck, budget and latencies of a point.
pub fn block(measured: &Measured, figures: &[PointFigure], screen: &Screen) -> String {
    let job = &measured.job;
    let mut text = format!("{}\n", screen.strong(&head(&job.system, &job.experiment, &job.at)));
    let name_metrics = figures.len() > 1;
    for figure in figures {
        text += &figure_line(figure, name_metrics, screen);
    }
    if let Some(flow) = measured.slowest(Over::All) {
        let unit = page_unit(figures, screen);
        let cause = measured.cause_of(Over::All);
        if let Some(burst) = measured.slowest_place(Over::All).and_then(|flow| measured.burst(flow)) {
            text += &labelled("burst", &format!("this rate {burst}"), screen);
        }
        text += &proof(&job.scenario.system, flow, cause, &measured.outcome.flows, unit, screen);
    }
    text + &remarks(measured, screen)
}

/// What went wrong with commands, and rates above their limits.
pub fn remarks(measured: &Measured, screen: &Screen) -> String {
    let faults = measured.faults().into_iter().map(|what| labelled("fault", &what, screen));
    let above = lab::above::above(measured).into_iter().map(|above| labelled("remark", &above.to_string(), screen));
    faults.chain(above).collect()
}

/// The unit of all rates on a page: the requested unit, or the unit of the first figure that is a rate.
pub fn page_unit<'a>(figures: impl IntoIterator<Item = &'a PointFigure>, screen: &Screen) -> Unit {
    let first = || figures.into_iter().map(|figure| figure.unit).find(|unit| unit.is_rate());
    screen.unit.or_else(first).unwrap_or(Unit::MibPerS)
}

/// A table with one row for each flow: its rate, of several what is fair, its limit, and its bottleneck.
pub fn flows(measured: &Measured, figures: &[PointFigure], screen: &Screen) -> String {
    let unit = page_unit(figures, screen);
    let columns = [
        ("  flow", Side::Left),
        ("operation", Side::Left),
        (unit.suffix(), Side::Right),
        ("fair", Side::Right),
        ("limit", Side::Right),
        ("application", Side::Right),
        ("99 % latency", Side::Right),
        ("bottleneck", Side::Left),
    ];
    let limits = &measured.limits;
    let several = measured.job.scenario.flows.len() > 1;
    let columns: Vec<(&str, Side)> = columns.into_iter().filter(|(name, _)| several || *name != "fair").collect();
    let mut table = Table::new(screen, &columns);
    let flows = measured.job.scenario.flows.iter().zip(&measured.outcome.flows).zip(&limits.alone);
    for (place, ((flow, found), limit)) in flows.enumerate() {
        let grows = limits.growing.get(place).copied().flatten().is_some();
        let fair = limits.together.get(place).filter(|_| !grows).map(|fair| fair.stream);
        let latency = if found.latency.count > 0 { found.latency.p99.to_string() } else { String::new() };
        let row = [
            Some(format!("  {}", flow.name)),
            Some(flow.operation.word().to_string()),
            Some(told(found.stream, unit)),
            several.then(|| told(fair, unit)),
            Some(told(limit.most, unit)),
            Some(told(found.app, unit)),
            Some(latency),
            Some(measured.cause(place).map_or_else(|| "-".to_string(), |cause| with_proof(cause, screen))),
        ];
        table.row(row.into_iter().flatten());
    }
    table.to_string()
}

/// A rate as text; `-` for `None`.
fn told(rate: impl Into<Option<pcie::Rate>>, unit: Unit) -> String {
    rate.into().map_or_else(|| "-".to_string(), |rate| unit.print(unit.rate(rate)))
}

/// The `axis=value` pairs that all given points have.
pub fn common<'a>(places: impl IntoIterator<Item = &'a At>) -> At {
    let places: Vec<&At> = places.into_iter().collect();
    let Some(first) = places.first() else { return At::default() };
    let same = |axis: &str, value: &str| places.iter().all(|at| at.get(axis) == Some(value));
    let pairs = first.pairs().filter(|&(axis, value)| same(axis, value));
    At::new(pairs.map(|(axis, value)| (axis.to_string(), value.to_string())))
}

/// The pairs of a point as text, without those that all points have.
pub fn own(at: &At, common: &At) -> String {
    let own = at.pairs().filter(|(axis, _)| common.get(axis).is_none());
    own.map(|(axis, value)| format!("{axis}={value}")).collect::<Vec<_>>().join(" ")
}

/// The head line of a point: `system  experiment  axis=value axis=value`.
pub fn head(system: &str, experiment: &str, at: &At) -> String {
    let pairs: Vec<String> = at.pairs().map(|(axis, value)| format!("{axis}={value}")).collect();
    [system, experiment, &pairs.join(" ")].into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("  ")
}

fn figure_line(figure: &PointFigure, name_metric: bool, screen: &Screen) -> String {
    let unit = figure.unit;
    let simulated = match &figure.simulated {
        Ok(value) => format!("{:>6} {:<5}", unit.print(*value), unit.suffix()),
        Err(starved) => starved.to_string(),
    };
    let print = |value: f64| format!("{:>6}", unit.print(value));
    let limit = figure.beside.limit.map_or_else(|| format!("{:>6}", "-"), print);
    let fair = figure.beside.fair.map_or_else(String::new, |fair| format!("   fair {}", print(fair)));
    let mut line = format!("  {:<12}{}{fair}   limit {limit}", "simulated", screen.strong(&simulated));
    if let Some((value, error)) = figure.published {
        line += &format!("   published {}", published(value, figure.metric.stated, error, unit));
    }
    if name_metric {
        line += &screen.faint(&format!("   {}", figure.name()));
    }
    line.trim_end().to_string() + "\n"
}

/// A published value with the error: `1520 (-0.1 %)`, `below 1000 (holds)`. Without a simulated value there is no
/// error.
pub fn published(value: Span, stated: Stated, error: Option<f64>, unit: Unit) -> String {
    let figure = stated.of(&value.single().map_or_else(|| value.to_string(), |number| unit.print(number)));
    match (error, stated.is_inequality()) {
        (None, _) => figure,
        (Some(0.0), true) => format!("{figure} (holds)"),
        (Some(error), true) => format!("{figure} ({error:+.1} %)"),
        (Some(error), false) => format!("{figure} ({})", percent(error)),
    }
}

/// A signed percentage; zero has no sign.
pub fn percent(error: f64) -> String {
    let rounded = (error * 10.0).round() / 10.0;
    if rounded == 0.0 { "0.0 %".to_string() } else { format!("{rounded:+.1} %") }
}

fn proof(
    system: &System,
    flow: &FlowOutcome,
    cause: Option<&Confirmed>,
    flows: &[FlowOutcome],
    unit: Unit,
    screen: &Screen,
) -> String {
    let of = if flows.len() > 1 { "  (of the slowest flow)" } else { "" };
    let mut text = cause.map_or_else(String::new, |cause| cause_lines(cause, of, screen));
    text += &budget_lines(system, flow.direction, &flow.budget, unit, screen);
    text + &latency_line(&flow.latency, screen) + &cores_line(flows, screen)
}

/// The bottleneck of a flow, and the change that proved it.
fn cause_lines(cause: &Confirmed, of: &str, screen: &Screen) -> String {
    let proof = cause.proof();
    let confirmed = if proof.is_empty() { String::new() } else { screen.faint(&labelled("confirmed", &proof, screen)) };
    labelled("bottleneck", &(caused(cause, screen) + of), screen) + &confirmed
}

/// What limits a flow. Its figures are as described, unless a unit was requested for all rates.
pub fn caused(cause: &Confirmed, screen: &Screen) -> String {
    screen.unit.map_or_else(|| cause.plain(), |unit| cause.plain_in(unit))
}

/// As [`caused`], with the change that proved it.
fn with_proof(cause: &Confirmed, screen: &Screen) -> String {
    match cause.proof() {
        proof if proof.is_empty() => caused(cause, screen),
        proof => format!("{} ({proof})", caused(cause, screen)),
    }
}

/// The loss budget of a direction as a sum of its classes.
fn budget_lines(system: &System, direction: Direction, budget: &Budget, unit: Unit, screen: &Screen) -> String {
    let link = system.link(direction.link);
    let encoding = link.speed.generation.encoding().to_string();
    let name = |share: Share| if share == Share::Encoding { encoding.clone() } else { share.to_string() };
    let parts: Vec<String> = budget
        .shares()
        .filter(|&(_, part)| part >= 0.0005)
        .map(|(share, part)| format!("{:.1} % {}", part * 100.0, name(share)))
        .collect();
    let whole = format!(
        "{} on {} = {}",
        unit.told(link.speed.signalled()),
        system.direction_name(direction),
        parts.join(" + ")
    );
    screen.faint(&labelled("budget", &whole, screen))
}

fn latency_line(latency: &Latency, screen: &Screen) -> String {
    if latency.count == 0 {
        return String::new();
    }
    let figures =
        format!("median {}, 99 % {}, 99.9 % {}, of {}", latency.median, latency.p99, latency.p999, latency.count);
    screen.faint(&labelled("latency", &figures, screen))
}

/// The CPU load of the software of drives, of all flows together.
fn cores_line(flows: &[FlowOutcome], screen: &Screen) -> String {
    let each: Vec<f64> = flows.iter().filter_map(|flow| flow.cores).collect();
    let cores: f64 = each.iter().sum();
    if each.is_empty() {
        String::new()
    } else {
        screen.faint(&labelled("software", &format!("{cores:.2} cores busy"), screen))
    }
}

/// A folded text with a label at its left.
fn labelled(label: &str, text: &str, screen: &Screen) -> String {
    let lines = folded(text, LABEL, screen);
    format!("  {label:<12}{}", lines.trim_start())
}

/// The bottleneck and the loss budget of a limit.
pub fn limit_block(system: &System, limit: &FlowLimit, unit: Unit, screen: &Screen) -> String {
    labelled("bottleneck", &limit.bottleneck.told(&|rate| unit.told(rate)), screen)
        + &budget_lines(system, limit.direction, &limit.budget, unit, screen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_figure_stands_beside_its_error() {
        let span = |text| Span::parse(text).unwrap();
        assert_eq!(published(span("1520"), Stated::Is, Some(-0.07), Unit::MibPerS), "1520 (-0.1 %)");
        assert_eq!(published(span("1520"), Stated::Is, Some(-0.04), Unit::MibPerS), "1520 (0.0 %)");
        assert_eq!(published(span("1000"), Stated::Below, Some(0.0), Unit::MibPerS), "below 1000 (holds)");
        assert_eq!(published(span("290"), Stated::Above, None, Unit::MibPerS), "above 290.0");
        assert_eq!(published(span("1.5..2"), Stated::Is, Some(0.0), Unit::One), "1.5..2 (0.0 %)");
    }
}
