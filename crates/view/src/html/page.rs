//! The page of a report.

use crate::html::figures::figures;
use crate::html::mark::prose;
use crate::html::overview::overview;
use crate::html::section::Section;
use lab::DescribedMachine;
use lab::report::PointFigure;
use lab::sweep::Measured;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use system::{Experiment, System};

const STYLE: &str = concat!(include_str!("palette.css"), include_str!("picture.css"), include_str!("page.css"));

/// The content of a report.
pub struct Report<'a> {
    /// The machine.
    pub machine: &'a DescribedMachine,
    /// The machine, settled as described.
    pub system: &'a System,
    /// Experiments in the order of the page. Those without points are omitted.
    pub experiments: &'a [&'a Experiment],
    /// The points that were run, with their figures.
    pub points: &'a [(&'a Measured, Vec<PointFigure>)],
    /// The unit of rates outside the charts.
    pub unit: lab::Unit,
    /// The command that makes this report.
    pub command: &'a str,
}

/// The report as one HTML file: no network, no script.
pub fn html(report: &Report<'_>) -> String {
    let sections = sections(report);
    // A browser may break an arrow of two characters at the end of a line, so one character replaces it.
    page(report, &sections).into_string().replace("-&gt;", "→")
}

/// The experiments that have points.
pub(crate) fn sections<'a>(report: &Report<'a>) -> Vec<Section<'a>> {
    report.experiments.iter().filter_map(|experiment| section(report, experiment)).collect()
}

/// The points of an experiment; `None` where it has none.
fn section<'a>(report: &Report<'a>, experiment: &'a Experiment) -> Option<Section<'a>> {
    let own = report.points.iter().filter(|(measured, _)| measured.job.experiment == experiment.name);
    let points: Vec<&'a (&'a Measured, Vec<PointFigure>)> = own.collect();
    (!points.is_empty()).then_some(Section { experiment, points })
}

/// A whole page with its title, its body and the command that made it.
pub(crate) fn document(title: &str, body: &Markup, command: &str) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                // The policy makes the browser refuse all network requests of the page.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:";
                meta name="color-scheme" content="light dark";
                title { (title) " · lanescope" }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                (body)
                footer { p { "Made by lanescope " (env!("CARGO_PKG_VERSION")) " with " code { (command) } } }
            }
        }
    }
}

fn page(report: &Report<'_>, sections: &[Section<'_>]) -> Markup {
    let name = report.machine.name();
    let body = html! {
                header {
                    p class="kicker" { "lanescope report" }
                    h1 { (prose(&report.system.title)) }
                    p { (name) ": " (count(report.system.parts.len(), "part")) ", " (count(report.system.links.len(), "link")) ". Every figure stands beside its limit and the name of what limits it." }
                    @if !report.machine.description().about().is_empty() { p class="about" { (prose(report.machine.description().about())) } }
                    nav { a href="#overview" { "In short" } @for section in sections { a href=(format!("#{}", section.id())) { (section.name()) } } a href="#figures" { "Parameters" } }
                }
                main {
                    (overview(sections))
                    @for section in sections { (section.markup(report.unit)) }
                    (figures(report.system))
                }
    };
    document(name, &body, report.command)
}

/// A number with a noun, in the singular or the plural.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
