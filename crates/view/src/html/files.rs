//! The pictures of a report as files, each with a name that says what it shows.

use crate::html::budget::{self, Budgeted};
use crate::html::latency::{self, Timed};
use crate::html::mark::Size;
use crate::html::page::{Report, sections};
use crate::html::plate::Plate;
use crate::html::rates;
use crate::html::section::{Section, place};
use crate::html::series::{Charted, Dot, charts};
use crate::html::topology;
use lab::metric::{Over, Stated};
use lab::sweep::Job;
use lab::{At, Unit};
use limit::Limits;
use pcie::Rate;
use system::Experiment;

/// A picture as a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The name of its file, as in `rosta-rb8v7-p2p-write-links.svg`: system, experiment, what is shown.
    pub name: String,
    /// The file, an SVG with its own background, in light and dark.
    pub svg: String,
}

/// The pictures of the report of a run, in its order. Experiments without points have none.
pub fn of_run(report: &Report<'_>) -> Vec<Drawing> {
    let mut drawings = Drawings::default();
    for section in sections(report) {
        let head = format!("{}, {}", report.machine.name(), section.name());
        let charts = section.charts();
        charts
            .iter()
            .flat_map(rates::plates)
            .for_each(|plate| drawings.add(report.machine.name(), section.name(), &head, &plate));
        let at = format!("{head}, {}", place(section.focus().0));
        of_focus(&section, report.unit)
            .iter()
            .for_each(|plate| drawings.add(report.machine.name(), section.name(), &at, plate));
        let curves = latency::plate(section.curves(), section.points.len(), &Timed::TLPS);
        curves.iter().for_each(|plate| drawings.add(report.machine.name(), section.name(), &head, plate));
    }
    drawings.0
}

/// The links and the budget at the point in focus.
fn of_focus<'a>(section: &Section<'a>, unit: Unit) -> Vec<Plate<'a>> {
    let (measured, _) = section.focus();
    let Some((name, flow)) = section.slowest() else { return Vec::new() };
    let budgeted = Budgeted {
        system: &measured.job.scenario.system,
        direction: flow.direction,
        budget: &flow.budget,
        flow: name,
        when: "while all flows were active",
    };
    vec![topology::plate(measured, measured.cause_of(Over::All)), budget::plate(&budgeted, unit)]
}

/// The pictures of the limits of one experiment's points: the limit against its axis, and the budget at the point with the
/// most flows. Where flows are beside others, the slowest one is drawn; points without a steady rate are left out.
pub fn of_limits(experiment: &Experiment, points: &[(Job, Limits)], unit: Unit) -> Vec<Drawing> {
    let mut drawings = Drawings::default();
    let Some((first, _)) = points.first() else { return drawings.0 };
    let axes: Vec<String> = experiment.axes.iter().map(|axis| axis.name.clone()).collect();
    let what =
        if points.iter().all(|(job, _)| job.scenario.flows.len() == 1) { "limit" } else { "limit of the slowest flow" };
    let dotted: Vec<Charted<'_>> = points.iter().map(|point| charted(point, what, unit)).collect();
    let head = format!("{}, {}", first.system, first.experiment);
    let charts = charts(&dotted, &axes, "limit");
    charts
        .iter()
        .flat_map(rates::plates)
        .for_each(|plate| drawings.add(&first.system, &first.experiment, &head, &plate));
    let focus =
        points.iter().filter(|(_, limits)| slowest(limits).is_some()).max_by_key(|(job, _)| job.scenario.flows.len());
    if let Some(((job, limits), flow)) = focus.and_then(|point| Some((point, slowest(&point.1)?))) {
        let at = format!("{head}, {}", said(&job.at));
        let budgeted = Budgeted {
            system: &job.scenario.system,
            direction: limits.together[flow].direction,
            budget: &limits.together[flow].budget,
            flow: &job.scenario.flows[flow].name,
            when: "at the limit",
        };
        drawings.add(&job.system, &job.experiment, &at, &budget::plate(&budgeted, unit));
    }
    drawings.0
}

/// A point with the limit of its slowest flow.
fn charted<'a>((job, limits): &'a (Job, Limits), what: &str, unit: Unit) -> Charted<'a> {
    let rate: Option<Rate> = slowest(limits).map(|flow| limits.together[flow].stream);
    let dot = Dot {
        at: 0,
        simulated: rate.map(|rate| unit.rate(rate)),
        problem: None,
        limit: None,
        fair: None,
        published: None,
        error_percent: None,
        stated: Stated::Is,
    };
    Charted { at: &job.at, dots: vec![(what.to_string(), unit, dot)] }
}

/// The place of the slowest flow, where all have a steady rate.
fn slowest(limits: &Limits) -> Option<usize> {
    if limits.growing.iter().any(Option::is_some) {
        return None;
    }
    let flows = limits.together.iter().enumerate();
    flows.min_by(|a, b| a.1.stream.0.total_cmp(&b.1.stream.0)).map(|(place, _)| place)
}

fn said(at: &At) -> String {
    at.to_string().replace(';', " ")
}

/// Files with names of their own.
#[derive(Default)]
struct Drawings(Vec<Drawing>);

impl Drawings {
    fn add(&mut self, system: &str, experiment: &str, of: &str, plate: &Plate<'_>) {
        let name = file_name(&[system, experiment, &plate.word]);
        let taken = |name: &str| self.0.iter().any(|drawing| drawing.name.eq_ignore_ascii_case(&format!("{name}.svg")));
        let free = std::iter::once(name.clone())
            .chain((2..).map(|number| format!("{name}-{number}")))
            .find(|name| !taken(name));
        let name = free.unwrap_or(name);
        for (size, end) in [(Size::Wide, ""), (Size::Narrow, "-narrow")] {
            let id = format!("{name}{end}");
            self.0.push(Drawing { svg: plate.file(of.trim_end_matches([',', ' ']), &id, size), name: id + ".svg" });
        }
    }
}

/// Words as the name of a file: letters, digits and points; anything else is one hyphen. The words are never as long as
/// a file system's longest name.
fn file_name(words: &[&str]) -> String {
    let last = |word: &str| word.rsplit(['/', '\\']).next().unwrap_or_default().trim_end_matches(".yaml").to_string();
    let joined = words.iter().map(|word| last(word)).collect::<Vec<_>>().join("-");
    let plain: String = joined.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect();
    let pieces: Vec<&str> = plain.split('-').filter(|piece| !piece.is_empty()).collect();
    pieces.join("-").trim_start_matches(['.', '-']).chars().take(180).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_name_say_what_it_is_and_stay_in_its_folder() {
        assert_eq!(file_name(&["rosta-rb8v7", "p2p-write", "links"]), "rosta-rb8v7-p2p-write-links");
        assert_eq!(
            file_name(&["../../my rig.yaml", "a/b", "throughput per flow against flows"]),
            "my-rig-b-throughput-per-flow-against-flows"
        );
        assert_eq!(file_name(&["..", "<é>", "links"]), "links");
        assert!(file_name(&["x", &"y".repeat(400), "links"]).len() <= 180);
    }
}
