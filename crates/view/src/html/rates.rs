//! Figures over an axis: simulated values as lines, limits dashed, published values as rings.

use crate::html::axis::Linear;
use crate::html::mark::{Key, Size, apart, colour, legend, n, picture, spread, text_width};
use crate::html::plate::Plate;
use crate::html::series::{Chart, Dot, Series};
use maud::{Markup, html};

/// Positions in a chart.
struct Frame<'a> {
    chart: &'a Chart,
    up: Linear,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

const LABEL: f64 = 12.0;
/// Distance from the ends of the axis to its first and last value.
const INSET: f64 = 14.0;

/// The widest name of a series that is written beside its line; wider ones are in the legend.
const WIDEST_NAME: f64 = 190.0;

/// The chart with its legend and its table.
pub(crate) fn rates(id: &str, chart: &Chart) -> Markup {
    html! {
        figure {
            figcaption { h3 { (chart.title()) } @if !chart.common.is_empty() { p class="at" { (chart.common) } } }
            @if chart.is_drawn() {
                (pictures(id, chart))
                (legend(&keys(chart, true)))
            }
            (table(chart))
        }
    }
}

/// The description for screen readers.
fn about(chart: &Chart) -> String {
    let (series, unit) = (chart.series.len(), chart.unit.word());
    format!(
        "{series} series of {unit} values; lines or dots are {}, pale bands the limit, rings published. The table behind it has all values.",
        chart.line
    )
}

/// The axis that starts near the least value, where all values are close together.
fn close(chart: &Chart) -> Option<Linear> {
    Linear::between(chart.least(), chart.most(), 5.0).filter(|axis| axis.least > 0.0)
}

/// The chart from zero and, where its values are close together, a second one that starts near the lowest value.
fn pictures(id: &str, chart: &Chart) -> Markup {
    let (title, about) = (chart.title(), about(chart));
    let whole = Linear::to(chart.most(), 5.0);
    let plain = || picture(id, &title, &about, |size| draw(chart, whole, size));
    let Some(close) = close(chart) else { return plain() };
    let box_id = format!("{id}-zoom");
    html! {
        input class="zoom" type="checkbox" id=(box_id);
        label for=(box_id) { "Zoom: " (close.print(close.least)) " to " (close.print(close.most)) " " (chart.unit.suffix()) }
        div class="plain" { (plain()) }
        div class="zoomed" { (picture(&box_id, &format!("{title}, zoomed"), &about, |size| draw(chart, close, size))) }
    }
}

/// The same pictures for files of their own.
pub(crate) fn plates(chart: &Chart) -> Vec<Plate<'_>> {
    let plate = |end: &str, up: Linear, note: Option<String>| Plate {
        word: [&chart.title(), end].join(" ").trim().to_string(),
        title: chart.title(),
        about: about(chart),
        text: [Some(chart.common.clone()).filter(|common| !common.is_empty()), note].into_iter().flatten().collect(),
        legend: keys(chart, !is_labelled(chart, Size::Wide)),
        draw: Box::new(move |size| draw(chart, up, size)),
    };
    if !chart.is_drawn() {
        return Vec::new();
    }
    let zoomed = close(chart).map(|up| {
        let note = format!("The axis begins at {} {}.", up.print(up.least), chart.unit.suffix());
        plate("zoom", up, Some(note))
    });
    [plate("", Linear::to(chart.most(), 5.0), None)].into_iter().chain(zoomed).collect()
}

/// True where the name of each series is at the end of its line.
fn is_labelled(chart: &Chart, size: Size) -> bool {
    size.is_wide() && chart.series.len() > 1 && widest_name(chart) <= WIDEST_NAME
}

fn widest_name(chart: &Chart) -> f64 {
    chart.series.iter().map(|series| text_width(&series.name, LABEL)).fold(0.0, f64::max)
}

fn draw(chart: &Chart, up: Linear, size: Size) -> (Markup, f64) {
    let labelled = is_labelled(chart, size);
    // The label of the last value is centred on it and must not be cut off.
    let last = chart.across.values.last().map_or(0.0, |value| text_width(value, LABEL) / 2.0 - INSET + 4.0);
    let labels = if labelled { widest_name(chart) * 1.1 + 20.0 } else { last.max(14.0) };
    let height = if size.is_wide() { 320.0 } else { 260.0 };
    let frame = Frame { chart, up, left: 52.0, right: size.width() - labels, top: 26.0, bottom: height - 44.0 };
    let inside = html! {
        (frame.axes())
        @for (number, series) in chart.series.iter().enumerate() { (frame.line(number, series)) }
        @if labelled { (frame.labels()) }
    };
    (inside, height)
}

impl Frame<'_> {
    fn x(&self, at: usize) -> f64 {
        self.left + INSET + self.chart.across.places[at] * (self.right - self.left - 2.0 * INSET)
    }

    fn y(&self, value: f64) -> f64 {
        self.bottom - (value - self.up.least) / (self.up.most - self.up.least) * (self.bottom - self.top)
    }

    fn axes(&self) -> Markup {
        let middle = (self.left + self.right) / 2.0;
        html! {
            g class="grid" {
                @for tick in self.up.ticks() {
                    line x1=(n(self.left)) x2=(n(self.right)) y1=(n(self.y(tick))) y2=(n(self.y(tick))) {}
                    text class="end" x=(n(self.left - 8.0)) y=(n(self.y(tick) + 4.0)) { (self.up.print(tick)) }
                }
                text x="4" y="14" class="unit" { (if self.chart.unit.suffix().is_empty() { "ratio" } else { self.chart.unit.suffix() }) }
                @for (at, show) in self.named() {
                    line class="tick" x1=(n(self.x(at))) x2=(n(self.x(at))) y1=(n(self.bottom)) y2=(n(self.bottom + 5.0)) {}
                    @if show { text class="middle" x=(n(self.x(at))) y=(n(self.bottom + 19.0)) { (self.chart.across.values[at]) } }
                }
                text class="middle unit" x=(n(middle)) y=(n(self.bottom + 38.0)) { (axis_title(&self.chart.axis)) }
            }
        }
    }

    /// The values of the axis, and whether each has room for its label.
    fn named(&self) -> Vec<(usize, bool)> {
        let mut free = f64::NEG_INFINITY;
        let each = |at: usize| {
            let half = text_width(&self.chart.across.values[at], LABEL) / 2.0;
            let show = self.x(at) - half > free;
            if show {
                free = self.x(at) + half + 6.0;
            }
            (at, show)
        };
        (0..self.chart.across.values.len()).map(each).collect()
    }

    fn line(&self, number: usize, series: &Series) -> Markup {
        let through = |value: &dyn Fn(&Dot) -> Option<f64>| {
            let points = series.dots.iter().filter_map(|dot| Some((dot.at, value(dot)?)));
            points.map(|(at, value)| format!("{},{}", n(self.x(at)), n(self.y(value)))).collect::<Vec<_>>().join(" ")
        };
        html! {
            g class=(colour(number)) {
                @if self.chart.across.numbers {
                    polyline class="limit" points=(through(&|dot| dot.limit)) {}
                    polyline class="fair" points=(through(&|dot| dot.fair)) {}
                    polyline class="simulated" points=(through(&|dot| dot.simulated)) {}
                }
                @for dot in &series.dots {
                    @if let Some(limit) = dot.limit.filter(|_| !self.chart.across.numbers) {
                        line class="limit" x1=(n(self.x(dot.at) - 14.0)) x2=(n(self.x(dot.at) + 14.0)) y1=(n(self.y(limit))) y2=(n(self.y(limit))) {}
                    }
                    @if let Some(fair) = dot.fair.filter(|_| !self.chart.across.numbers) {
                        line class="fair" x1=(n(self.x(dot.at) - 14.0)) x2=(n(self.x(dot.at) + 14.0)) y1=(n(self.y(fair))) y2=(n(self.y(fair))) {}
                    }
                    @if let Some(simulated) = dot.simulated {
                        circle class="dot" cx=(n(self.x(dot.at))) cy=(n(self.y(simulated))) r=(if self.chart.across.numbers { "2.5" } else { "4" }) {}
                    }
                    @if let Some((low, high)) = dot.published.filter(|_| !dot.stated.is_inequality()) {
                        @if high > low {
                            line class="range" x1=(n(self.x(dot.at))) x2=(n(self.x(dot.at))) y1=(n(self.y(low))) y2=(n(self.y(high))) {}
                        }
                        circle class="published" cx=(n(self.x(dot.at))) cy=(n(self.y((low + high) / 2.0))) r=(if self.chart.across.numbers { "5.5" } else { "7" }) {}
                    }
                }
            }
        }
    }

    fn labels(&self) -> Markup {
        let last = |series: &Series| series.dots.iter().rev().find_map(|dot| dot.simulated).map(|value| self.y(value));
        let ends: Vec<f64> = self.chart.series.iter().map(|series| last(series).unwrap_or(self.bottom)).collect();
        let mut places = ends.clone();
        spread(&mut places, 15.0, self.top, self.bottom);
        html! {
            @for (number, series) in self.chart.series.iter().enumerate() {
                g class=(colour(number)) {
                    @let from = series.dots.last().map_or(self.right, |dot| self.x(dot.at));
                    path class="lead" d=(format!("M{} {}L{} {}", n(from + 7.0), n(ends[number]), n(self.right), n(places[number]))) {}
                    text class="name" x=(n(self.right + 5.0)) y=(n(places[number] + 4.0)) { (series.name) }
                }
            }
        }
    }
}

/// The title of an axis that the tool knows, with its unit.
pub(crate) fn axis_title(axis: &str) -> String {
    match axis {
        "size" => "size of a command, bytes".to_string(),
        "payload" => "payload of a TLP, bytes".to_string(),
        "lanes" => "lanes of the link".to_string(),
        "flows" | "devices" => format!("{axis} at once"),
        other => other.to_string(),
    }
}

/// The keys; with `series`, those of the series too, where there are several.
fn keys(chart: &Chart, series: bool) -> Vec<Key> {
    let dots = || chart.series.iter().flat_map(|series| &series.dots);
    // On the page, the names beside the lines are there where the picture is wide.
    let class = if is_labelled(chart, Size::Wide) { "narrow-only " } else { "" };
    let named = chart.series.iter().enumerate().filter(|_| series && chart.series.len() > 1);
    let named = named.map(|(number, series)| {
        let class = format!("{class}{}", colour(number));
        Key { class, ..Key::stroke("simulated", &series.name) }
    });
    let line = html! { @if chart.across.numbers { line class="simulated key" x1="1" x2="25" y1="5" y2="5" {} } circle class="dot key" cx="13" cy="5" r="2.5" {} };
    let ring = html! { circle class="published key" cx="13" cy="5" r="4.2" {} };
    let own = [
        Some(Key { class: String::new(), mark: line, name: chart.line.to_string() }),
        dots().any(|dot| dot.limit.is_some()).then(|| Key::stroke("limit key", "limit")),
        has_fair(chart).then(|| Key::stroke("fair key", "fair")),
        dots().any(|dot| dot.published.is_some()).then(|| Key {
            class: String::new(),
            mark: ring,
            name: "published".to_string(),
        }),
    ];
    named.chain(own.into_iter().flatten()).collect()
}

/// True where a figure is of several flows.
fn has_fair(chart: &Chart) -> bool {
    chart.series.iter().flat_map(|series| &series.dots).any(|dot| dot.fair.is_some())
}

/// The error against the published value.
fn distance(dot: &Dot) -> String {
    match dot.error_percent {
        None => "–".to_string(),
        Some(0.0) if dot.stated.is_inequality() => "holds".to_string(),
        Some(error) => apart(error),
    }
}

fn table(chart: &Chart) -> Markup {
    let unit = chart.unit;
    let print = |value: Option<f64>| value.map_or_else(|| "–".to_string(), |value| unit.print(value));
    let published = |dot: &Dot| match dot.published {
        Some((low, _)) if dot.stated.is_inequality() => dot.stated.of(&unit.print(low)),
        Some((low, high)) if high > low => format!("{} to {}", unit.print(low), unit.print(high)),
        other => print(other.map(|(low, _)| low)),
    };
    let several = chart.series.len() > 1;
    html! {
        details open[chart.across.values.len() == 1] {
            summary { "Values" }
            div class="scroll" {
                table {
                    thead { tr {
                        @if several { th { "series" } }
                        @if !chart.axis.is_empty() { th class="number" { (chart.axis) } }
                        th class="number" { "simulated, " (unit.word()) } @if has_fair(chart) { th class="number" { "fair" } } th class="number" { "limit" } th class="number" { "published" } th class="number" { "apart" }
                    } }
                    tbody {
                        @for series in &chart.series { @for dot in &series.dots { tr {
                            @if several { td { (series.name) } }
                            @if !chart.axis.is_empty() { td class="number" { (chart.across.values[dot.at]) } }
                            @if let Some(problem) = &dot.problem { td { (problem) } } @else { td class="number" { (print(dot.simulated)) } }
                            @if has_fair(chart) { td class="number" { (print(dot.fair)) } }
                            td class="number" { (print(dot.limit)) }
                            td class="number" { (published(dot)) }
                            td class="number" { (distance(dot)) }
                        } } }
                    }
                }
            }
        }
    }
}
