//! One experiment: its charts, and the proof at the point in focus.

use crate::html::budget::waterfall;
use crate::html::latency::{Curve, Timed, latencies};
use crate::html::mark::prose;
use crate::html::rates::rates;
use crate::html::series::{Chart, Charted, charts};
use crate::html::topology::topology;
use lab::Unit;
use lab::metric::Over;
use lab::report::PointFigure;
use lab::sweep::Measured;
use maud::{Markup, html};
use sim::FlowOutcome;
use system::Experiment;

/// Largest number of points whose latencies are drawn.
const CURVES: usize = 8;

/// An experiment with at least one point.
pub(crate) struct Section<'a> {
    pub experiment: &'a Experiment,
    pub points: Vec<&'a (&'a Measured, Vec<PointFigure>)>,
}

impl<'a> Section<'a> {
    /// The name, as in the description.
    pub fn name(&self) -> &str {
        &self.experiment.name
    }

    /// The id for links within the page.
    pub fn id(&self) -> String {
        let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        format!("e-{}", self.experiment.name.chars().map(letter).collect::<String>())
    }

    /// The point with the most flows; of several such points, the last.
    pub fn focus(&self) -> &'a (&'a Measured, Vec<PointFigure>) {
        let flows = |point: &&&'a (&'a Measured, Vec<PointFigure>)| point.0.outcome.flows.len();
        // A section has at least one point.
        self.points.iter().max_by_key(flows).copied().unwrap_or(self.points[0])
    }

    /// The slowest flow of the point in focus.
    pub fn slowest(&self) -> Option<(&'a str, &'a FlowOutcome)> {
        let (measured, _) = self.focus();
        let named = measured.job.scenario.flows.iter().map(|flow| flow.name.as_str()).zip(&measured.outcome.flows);
        named.min_by(|a, b| lab::sweep::rate(a.1).total_cmp(&lab::sweep::rate(b.1)))
    }

    pub fn markup(&self, unit: Unit) -> Markup {
        let (measured, _) = self.focus();
        let id = self.id();
        html! {
            section id=(id) {
                h2 { (self.name()) }
                @if !self.experiment.about.is_empty() { p class="about" { (prose(&self.experiment.about)) } }
                @for remark in self.remarks() { p { strong { "Remark: " } (remark) "." } }
                @for (number, chart) in self.charts().iter().enumerate() { (rates(&format!("{id}-c{number}"), chart)) }
                @if let Some((name, flow)) = self.slowest() {
                    h3 class="focus" { "At " (place(measured)) ", the slowest flow: " (name) }
                    @if let Some(burst) = measured.slowest_place(Over::All).and_then(|flow| measured.burst(flow)) {
                        p { "This rate " (burst) "." }
                    }
                    (topology(&format!("{id}-t"), unit, measured, measured.cause_of(Over::All)))
                    (waterfall(&format!("{id}-b"), &measured.job.scenario.system, name, flow, unit))
                }
                (latencies(&format!("{id}-l"), &self.curves(), self.points.len(), &Timed::TLPS))
            }
        }
    }

    /// The charts of its figures.
    pub fn charts(&self) -> Vec<Chart> {
        let axes: Vec<String> = self.experiment.axes.iter().map(|axis| axis.name.clone()).collect();
        let points: Vec<Charted<'_>> = self.points.iter().map(|point| Charted::simulated(point)).collect();
        charts(&points, &axes, "simulated")
    }

    /// Rates above their limits, which are errors of the program or of a kind.
    fn remarks(&self) -> Vec<String> {
        let of = |&(measured, _): &&(&Measured, Vec<PointFigure>)| {
            let at = place(measured);
            lab::above::above(measured).into_iter().map(move |above| format!("at {at}, {above}")).collect::<Vec<_>>()
        };
        self.points.iter().flat_map(of).collect()
    }

    /// Latency curves: of all points where they are few, otherwise of some spread over all points.
    pub fn curves(&self) -> Vec<Curve> {
        let count = self.points.len();
        let chosen = (0..count.min(CURVES)).map(|k| k * (count - 1) / (count.min(CURVES) - 1).max(1));
        let curve = |(measured, _): &(&Measured, Vec<PointFigure>)| {
            let flow = measured.slowest(Over::All)?;
            Some(Curve { name: place(measured), count: flow.latency.count, shares: flow.distribution.clone() })
        };
        chosen.filter_map(|at| curve(self.points[at])).collect()
    }
}

pub(crate) fn place(measured: &Measured) -> String {
    let text = measured.job.at.to_string().replace(';', " ");
    if text.is_empty() { "the only point".to_string() } else { text }
}
