//! The overview: the results, one line for each experiment.

use crate::html::mark::apart;
use crate::html::section::Section;
use lab::metric::Over;
use lab::report::PointFigure;
use maud::{Markup, html};

/// The table at the top of the page.
pub(crate) fn overview(sections: &[Section<'_>]) -> Markup {
    html! {
        section id="overview" {
            h2 { "In short" }
            div class="scroll" { table class="overview" {
                thead { tr { th { "experiment" } th { "points" } th { "at" } th class="number" { "simulated" } th class="number" { "fair" } th class="number" { "limit" } th class="number" { "published" } th { "bottleneck" } } }
                tbody { @for section in sections { (line(section)) } }
            } }
        }
    }
}

fn line(section: &Section<'_>) -> Markup {
    let (measured, figures) = section.focus();
    let figure = figures.first();
    let print = |value: fn(&PointFigure) -> Option<f64>| {
        figure.and_then(|f| Some(f.unit.print(value(f)?))).unwrap_or_else(|| "–".to_string())
    };
    html! {
        tr {
            td { a href=(format!("#{}", section.id())) { (section.name()) } }
            td class="number" { (section.points.len()) }
            td { (measured.job.at.to_string().replace(';', " ")) }
            @if let Some(Err(starved)) = figure.map(|f| &f.simulated) {
                td { (starved) }
            } @else {
                td class="number" { strong { (print(|f| f.simulated.as_ref().ok().copied())) } " " (figure.map_or("", |f| f.unit.suffix())) }
            }
            td class="number" { (print(|f| f.beside.fair)) }
            td class="number" { (print(|f| f.beside.limit)) }
            td class="number" { (figure.map_or_else(|| "–".to_string(), published)) }
            td { (measured.cause_of(Over::All).map_or_else(String::new, ToString::to_string)) }
        }
    }
}

fn published(figure: &PointFigure) -> String {
    match figure.published {
        None => "–".to_string(),
        Some((span, error)) => {
            let said = figure.metric.stated.of(&span.to_string());
            match error {
                None => said,
                Some(0.0) if figure.metric.stated.is_inequality() => format!("{said} (holds)"),
                Some(error) => format!("{said} ({})", apart(error)),
            }
        }
    }
}
