//! The report of a measurement: what each subset of drives gave beside what its path allows, how the rates went over the run, and
//! latencies.

use crate::html::axis::Linear;
use crate::html::latency::{Curve, Timed, latencies};
use crate::html::mark::{Size, colour, n, percent, picture, text_width};
use crate::html::page::document;
use lab::Unit;
use maud::{Markup, html};
use pcie::{Rate, Time};

/// The content of the report of a measurement.
pub struct BenchReport<'a> {
    /// What was measured.
    pub title: &'a str,
    /// What is to be known of it, a sentence each.
    pub notes: &'a [String],
    /// The loads, in the order of the page.
    pub loads: &'a [BenchLoad],
    /// The unit of rates.
    pub unit: Unit,
    /// The command that makes this report.
    pub command: &'a str,
}

/// The runs of one load.
pub struct BenchLoad {
    /// As in `reads, 128 KiB x 32, sequential`.
    pub name: String,
    /// The runs.
    pub runs: Vec<BenchRun>,
}

/// One run.
pub struct BenchRun {
    /// The subset.
    pub subset: String,
    /// What each drive gave.
    pub drives: Vec<BenchDrive>,
    /// What their path allows, and what sets it.
    pub limit: Option<(Rate, String)>,
    /// Shares of the blocks and the time that they took at most; and their number.
    pub latencies: Vec<(f64, Time)>,
    /// See [`BenchRun::latencies`].
    pub blocks: u64,
}

/// What one drive gave.
pub struct BenchDrive {
    /// Its place among the drives, which has a colour.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Its rate.
    pub rate: Rate,
    /// The rates of the parts of the run.
    pub parts: Vec<Rate>,
    /// CPU time of its thread over the time of the run.
    pub busy: f64,
}

impl BenchRun {
    fn rate(&self) -> Rate {
        Rate(self.drives.iter().map(|drive| drive.rate.0).sum())
    }
}

/// The report as one HTML file: no network, no script.
pub fn bench(report: &BenchReport<'_>) -> String {
    let body = html! {
        header {
            p class="kicker" { "lanescope bench" }
            h1 { (report.title) }
            p { "Each rate stands beside what the links on its path allow." }
        }
        main {
            @for (number, load) in report.loads.iter().enumerate() { (section(number, load, report.unit)) }
            @if !report.notes.is_empty() {
                section { h2 { "To be known" } ul { @for note in report.notes { li { (note) } } } }
            }
        }
    };
    document(report.title, &body, report.command).into_string().replace("-&gt;", "\u{2192}")
}

fn section(number: usize, load: &BenchLoad, unit: Unit) -> Markup {
    let id = format!("load{number}");
    let curve = |run: &BenchRun| Curve { name: run.subset.clone(), count: run.blocks, shares: run.latencies.clone() };
    // Where nothing moved there is no latency, not one of zero.
    let moved = |run: &&BenchRun| run.blocks > 0;
    let curves: Vec<Curve> = load.runs.iter().filter(moved).map(curve).collect();
    html! {
        section id=(id) {
            h2 { (load.name) }
            (bars(&id, load, unit))
            (courses(&id, load, unit))
            (latencies(&format!("{id}-l"), &curves, curves.len(), &Timed::BLOCKS))
        }
    }
}

fn names(load: &BenchLoad) -> Vec<(usize, &str)> {
    let mut names: Vec<(usize, &str)> = Vec::new();
    for drive in load.runs.iter().flat_map(|run| &run.drives) {
        if names.iter().all(|(known, _)| *known != drive.number) {
            names.push((drive.number, &drive.name));
        }
    }
    names
}

fn legend(load: &BenchLoad) -> Markup {
    html! {
        ul class="legend" {
            @for (number, name) in names(load) {
                li class=(colour(number)) { svg viewBox="0 0 26 10" aria-hidden="true" { rect class="dot" x="1" y="1" width="24" height="8" {} } (name) }
            }
            @if load.runs.iter().any(|run| run.limit.is_some()) {
                li { svg viewBox="0 0 26 10" aria-hidden="true" { line class="limit key" x1="13" x2="13" y1="0" y2="10" {} } "limit of the path" }
            }
        }
    }
}

/// A bar for each subset, divided by its drives, with a mark at its limit.
fn bars(id: &str, load: &BenchLoad, unit: Unit) -> Markup {
    let about = format!("{} bars, one for each subset of drives; the table has all values.", load.runs.len());
    html! {
        figure {
            figcaption { h3 { "Alone and together" } }
            (picture(&format!("{id}-b"), "Rates of the subsets", &about, |size| draw_bars(load, unit, size)))
            (legend(load))
            details {
                summary { "Values" }
                div class="scroll" { table {
                    thead { tr { th { "drives" } th class="number" { (unit.word()) } th class="number" { "limit" } th class="number" { "share" } th class="number" { "busiest thread" } th { "what sets the limit" } } }
                    tbody { @for run in &load.runs { tr {
                        td { (run.subset) }
                        td class="number" { (unit.print(unit.rate(run.rate()))) }
                        td class="number" { (run.limit.as_ref().map_or("\u{2013}".to_string(), |(limit, _)| unit.print(unit.rate(*limit)))) }
                        td class="number" { (run.limit.as_ref().map_or("\u{2013}".to_string(), |(limit, _)| percent(run.rate().0 / limit.0))) }
                        td class="number" { (percent(run.drives.iter().map(|drive| drive.busy).fold(0.0, f64::max))) }
                        td { (run.limit.as_ref().map_or("", |(_, by)| by.as_str())) }
                    } } }
                } }
            }
        }
    }
}

const ROW: f64 = 44.0;
const BAR: f64 = 18.0;
const LABEL: f64 = 12.0;

fn draw_bars(load: &BenchLoad, unit: Unit, size: Size) -> (Markup, f64) {
    let rate = |of: Rate| unit.rate(of);
    let most =
        load.runs.iter().flat_map(|run| [rate(run.rate()), run.limit.as_ref().map_or(0.0, |(limit, _)| rate(*limit))]);
    let across = Linear::to(most.fold(0.0, f64::max), if size.is_wide() { 6.0 } else { 4.0 });
    let (left, top) = (10.0, 8.0);
    let right = size.width() - 70.0;
    let bottom = top + ROW * load.runs.len() as f64;
    let x = |value: f64| left + value / across.most * (right - left);
    let inside = html! {
        g class="grid" {
            @for tick in across.ticks() {
                line x1=(n(x(tick))) x2=(n(x(tick))) y1=(n(top)) y2=(n(bottom)) {}
                text class="middle" x=(n(x(tick))) y=(n(bottom + 16.0)) { (across.print(tick)) }
            }
            text class="middle unit" x=(n((left + right) / 2.0)) y=(n(bottom + 34.0)) { (unit.word()) }
        }
        @for (row, run) in load.runs.iter().enumerate() {
            @let at = top + ROW * row as f64;
            @let sum = rate(run.rate());
            text x=(n(left)) y=(n(at + 13.0)) { (short(&run.subset, (right - left) / (LABEL * 0.56))) }
            @for (drive, from) in run.drives.iter().zip(starts(run)) {
                g class=(colour(drive.number)) {
                    rect class="dot" x=(n(x(rate(Rate(from))))) y=(n(at + 19.0)) width=(n((x(rate(drive.rate)) - x(0.0)).max(0.5))) height=(n(BAR)) {}
                }
            }
            @if let Some((limit, _)) = &run.limit {
                line class="limit key" x1=(n(x(rate(*limit)))) x2=(n(x(rate(*limit)))) y1=(n(at + 16.0)) y2=(n(at + 22.0 + BAR)) {}
            }
            text class="strong" x=(n((x(sum) + 6.0).min(size.width() - text_width(&unit.print(sum), LABEL) - 2.0))) y=(n(at + 32.0)) { (unit.print(sum)) }
        }
    };
    (inside, bottom + 44.0)
}

/// Where the bar of each drive begins.
fn starts(run: &BenchRun) -> Vec<f64> {
    let mut sum = 0.0;
    let next = |drive: &BenchDrive| {
        let from = sum;
        sum += drive.rate.0;
        from
    };
    run.drives.iter().map(next).collect()
}

fn short(text: &str, most: f64) -> String {
    let most = most.max(8.0) as usize;
    if text.chars().count() <= most {
        text.to_string()
    } else {
        text.chars().take(most - 1).chain(['\u{2026}']).collect()
    }
}

/// The rates over the run with the most drives.
fn courses(id: &str, load: &BenchLoad, unit: Unit) -> Markup {
    let Some(run) = load.runs.iter().max_by_key(|run| run.drives.len()) else { return html! {} };
    let parts = run.drives.iter().map(|drive| drive.parts.len()).max().unwrap_or(0);
    if parts < 2 {
        return html! {};
    }
    let about = format!("{} lines, one for each drive, of {parts} parts of the run.", run.drives.len());
    html! {
        figure {
            figcaption { h3 { "Over the run: " (run.subset) } p { "The run has ten parts of one length; one that is steady stays within a tenth of its mean." } }
            (picture(&format!("{id}-c"), "Rates over the run", &about, |size| draw_courses(run, parts, unit, size)))
            details {
                summary { "Values" }
                div class="scroll" { table {
                    thead { tr { th { "drive" } @for part in 1..=parts { th class="number" { (part) } } } }
                    tbody { @for drive in &run.drives { tr {
                        td { (drive.name) } @for part in &drive.parts { td class="number" { (unit.print(unit.rate(*part))) } }
                    } } }
                } }
            }
        }
    }
}

fn draw_courses(run: &BenchRun, parts: usize, unit: Unit, size: Size) -> (Markup, f64) {
    let height = if size.is_wide() { 240.0 } else { 220.0 };
    let (left, right, top, bottom) = (62.0, size.width() - 16.0, 24.0, height - 40.0);
    let all = run.drives.iter().flat_map(|drive| &drive.parts).map(|part| unit.rate(*part));
    let up = Linear::to(all.fold(0.0, f64::max), 5.0);
    let x = |part: usize| left + (part as f64 + 0.5) / parts as f64 * (right - left);
    let y = |rate: Rate| bottom - unit.rate(rate) / up.most * (bottom - top);
    let points = |drive: &BenchDrive| {
        let each = drive.parts.iter().enumerate().map(|(part, &rate)| format!("{},{}", n(x(part)), n(y(rate))));
        each.collect::<Vec<_>>().join(" ")
    };
    let inside = html! {
        g class="grid" {
            @for tick in up.ticks() {
                @let at = bottom - tick / up.most * (bottom - top);
                line x1=(n(left)) x2=(n(right)) y1=(n(at)) y2=(n(at)) {}
                text class="end" x=(n(left - 8.0)) y=(n(at + 4.0)) { (up.print(tick)) }
            }
            text x="4" y="14" class="unit" { (unit.word()) }
            @for part in 0..parts { text class="middle" x=(n(x(part))) y=(n(bottom + 17.0)) { (part + 1) } }
            text class="middle unit" x=(n((left + right) / 2.0)) y=(n(bottom + 35.0)) { "part of the run" }
        }
        @for drive in &run.drives {
            g class=(colour(drive.number)) {
                polyline class="simulated" points=(points(drive)) {}
                @for (part, &rate) in drive.parts.iter().enumerate() { circle class="dot" cx=(n(x(part))) cy=(n(y(rate))) r="2.5" {} }
            }
        }
    };
    (inside, height)
}
