//! The figures of an experiment as series over its first axis.

use crate::html::axis::Across;
use lab::metric::Stated;
use lab::report::PointFigure;
use lab::sweep::Measured;
use lab::{At, Unit};

/// One figure of one point.
#[derive(Clone, Debug)]
pub(crate) struct Dot {
    /// Index of the value on the axis.
    pub at: usize,
    /// The simulated value; `None` where there is none, and `problem` says why.
    pub simulated: Option<f64>,
    pub problem: Option<String>,
    pub limit: Option<f64>,
    /// Of several flows: what arbiters give them when all run, a prediction.
    pub fair: Option<f64>,
    /// Lowest and highest published value; both are the same for a single value.
    pub published: Option<(f64, f64)>,
    pub error_percent: Option<f64>,
    /// True value or bound: what the publication states.
    pub stated: Stated,
}

/// Points that differ only along the axis.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    /// What distinguishes it from the others, for example `core=kf lanes=8`. Empty where there is one series.
    pub name: String,
    pub dots: Vec<Dot>,
}

/// All points of an experiment for one metric.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    /// Name of the metric, for example `throughput_per_flow`.
    pub metric: String,
    pub unit: Unit,
    /// What its lines are: `simulated`, or `limit` where nothing was simulated.
    pub line: &'static str,
    /// Name of the axis; empty where there is none.
    pub axis: String,
    pub across: Across,
    /// The `axis=value` pairs that all points have.
    pub common: String,
    pub series: Vec<Series>,
}

/// A point of an experiment, with a dot for each of its metrics.
pub(crate) struct Charted<'a> {
    pub at: &'a At,
    /// Name of the metric, its unit, and its values. The place on the axis is set by [`charts`].
    pub dots: Vec<(String, Unit, Dot)>,
}

impl<'a> Charted<'a> {
    /// A simulated point with its figures.
    pub fn simulated((measured, figures): &'a (&'a Measured, Vec<PointFigure>)) -> Charted<'a> {
        let dots = figures.iter().map(|figure| (figure.name(), figure.unit, Dot::of(figure)));
        Charted { at: &measured.job.at, dots: dots.collect() }
    }
}

impl Dot {
    fn of(figure: &PointFigure) -> Dot {
        let span = figure.published.map(|(span, _)| (span.low, span.high.unwrap_or(span.low)));
        Dot {
            at: 0,
            simulated: figure.simulated.as_ref().ok().copied(),
            problem: figure.simulated.as_ref().err().map(ToString::to_string),
            limit: figure.beside.limit,
            fair: figure.beside.fair,
            published: span,
            error_percent: figure.published.and_then(|(_, error)| error),
            stated: figure.metric.stated,
        }
    }
}

/// The charts of one experiment: one for each metric of its points. `axes` are the experiment's axes in order; `line` is
/// what a dot's first value is.
pub(crate) fn charts(points: &[Charted<'_>], axes: &[String], line: &'static str) -> Vec<Chart> {
    let values = |axis: &str| {
        let mut values: Vec<&str> = Vec::new();
        for value in points.iter().filter_map(|point| point.at.get(axis)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    };
    // The horizontal axis is the varying axis with the most values.
    let varying: Vec<&String> = axes.iter().filter(|axis| values(axis).len() > 1).collect();
    let axis = varying.iter().rev().max_by_key(|axis| values(axis).len()).map_or("", |axis| axis.as_str());
    let mut across: Vec<String> = values(axis).into_iter().map(str::to_string).collect();
    if across.iter().all(|value| value.parse::<f64>().is_ok()) {
        let number = |value: &String| value.parse::<f64>().unwrap_or(0.0);
        across.sort_by(|a, b| number(a).total_cmp(&number(b)));
    }
    // A point without the axis has a place of its own beside the others.
    let place = |at: &At| at.get(axis).map_or_else(|| pairs(at, |_| true), str::to_string);
    for point in points.iter().filter(|_| !axis.is_empty()) {
        let place = place(point.at);
        if !across.contains(&place) {
            across.push(place);
        }
    }
    let constant = |name: &str| values(name).len() == 1;
    let mut charts: Vec<Chart> = Vec::new();
    for point in points {
        for (metric, unit, dot) in &point.dots {
            let found = charts.iter().position(|chart| chart.metric == *metric && chart.unit == *unit);
            let chart = found.unwrap_or_else(|| {
                charts.push(Chart {
                    metric: metric.clone(),
                    unit: *unit,
                    line,
                    axis: axis.to_string(),
                    across: Across::of(if across.is_empty() { vec![String::new()] } else { across.clone() }),
                    common: pairs(point.at, |name| constant(name) && points.iter().all(|p| p.at.get(name).is_some())),
                    series: Vec::new(),
                });
                charts.len() - 1
            });
            let name = pairs(point.at, |name| name != axis && !constant(name));
            let place = place(point.at);
            let at = across.iter().position(|known| *known == place).unwrap_or(0);
            charts[chart].add(name, Dot { at, ..dot.clone() });
        }
    }
    charts
}

fn pairs(at: &At, wanted: impl Fn(&str) -> bool) -> String {
    let chosen = at.pairs().filter(|(axis, _)| wanted(axis));
    chosen.map(|(axis, value)| format!("{axis}={value}")).collect::<Vec<_>>().join(" ")
}

impl Chart {
    fn add(&mut self, name: String, dot: Dot) {
        let place = self.series.iter().position(|series| series.name == name).unwrap_or_else(|| {
            self.series.push(Series { name, dots: Vec::new() });
            self.series.len() - 1
        });
        let dots = &mut self.series[place].dots;
        dots.push(dot);
        dots.sort_by_key(|dot| dot.at);
    }

    /// True where there is something to draw: more than one place on the axis.
    pub fn is_drawn(&self) -> bool {
        self.across.values.len() > 1
    }

    /// The highest value of all series.
    pub fn most(&self) -> f64 {
        let dots = self.series.iter().flat_map(|series| &series.dots);
        let values = dots.flat_map(|dot| [dot.simulated, dot.limit, dot.fair, dot.published.map(|(_, high)| high)]);
        values.flatten().fold(0.0, f64::max)
    }

    /// The lowest value of all series.
    pub fn least(&self) -> f64 {
        let dots = self.series.iter().flat_map(|series| &series.dots);
        let values = dots.flat_map(|dot| [dot.simulated, dot.limit, dot.fair, dot.published.map(|(low, _)| low)]);
        values.flatten().fold(f64::INFINITY, f64::min)
    }

    /// The title of the chart.
    pub fn title(&self) -> String {
        let what = self.metric.replace('_', " ");
        if self.axis.is_empty() { what } else { format!("{what} against {}", self.axis) }
    }
}
