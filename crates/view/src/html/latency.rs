//! Latency distributions: the share of TLPs (for reads: of requests) that took at most a given time.

use crate::html::axis::Linear;
use crate::html::mark::{Key, Size, colour, legend, n, picture, text_width};
use crate::html::plate::Plate;
use maud::{Markup, html};
use pcie::Time;

/// One curve of the chart.
pub(crate) struct Curve {
    pub name: String,
    pub count: u64,
    pub shares: Vec<(f64, Time)>,
}

/// Shares with a label on the axis, whose scale is the number of nines.
const NAMED: [(f64, &str); 6] =
    [(0.0, "0 %"), (0.5, "50 %"), (0.9, "90 %"), (0.99, "99 %"), (0.999, "99.9 %"), (0.9999, "99.99 %")];
/// Position of the largest value.
const TOP: f64 = 4.5;

/// Number of nines of a share: 0 at 0, 1 at 90 %, 2 at 99 %.
fn nines(share: f64) -> f64 {
    if share >= 1.0 { TOP } else { -(1.0 - share).log10() }
}

/// What is timed, and in which words.
pub(crate) struct Timed {
    /// The sentence above the picture.
    pub about: &'static str,
    /// What has a latency: `TLPs`.
    pub what: &'static str,
}

impl Timed {
    pub const TLPS: Timed = Timed {
        about: "Of the slowest flow at each point: from the decision to send a TLP to its delivery, of a read from request to last \
            completion.",
        what: "TLPs",
    };
    pub const BLOCKS: Timed = Timed {
        about: "Of all blocks of a run: from when a block is asked for (with a rate, from when it is due) to when the thread sees its end.",
        what: "blocks",
    };
}

/// The chart and its table, with `curves` of some of `points` points. Empty where no latency was measured.
pub(crate) fn latencies(id: &str, curves: &[Curve], points: usize, timed: &Timed) -> Markup {
    let curves: Vec<&Curve> = curves.iter().filter(|curve| !curve.shares.is_empty()).collect();
    if curves.is_empty() {
        return html! {};
    }
    let about = about(curves.len(), timed);
    html! {
        figure {
            figcaption { h3 { "Latency" } p { (timed.about) " " (STEPS) } }
            @if curves.len() < points { p class="at" { (drawn(curves.len(), points)) } }
            (picture(id, "Latency distributions", &about, |size| draw(&curves, size)))
            @if curves.len() > 1 { (legend(&keys(&curves))) }
            details {
                summary { "Values" }
                div class="scroll" { table {
                    thead { tr { th { "point" } th class="number" { "timed" } @for (share, name) in NAMED { th class="number" { (if share == 0.0 { "least" } else { name }) } } th class="number" { "greatest" } } }
                    tbody { @for curve in &curves { tr {
                        td { (curve.name) } td class="number" { (curve.count) }
                        @for (share, _) in NAMED { td class="number" { (at(curve, share)) } }
                        td class="number" { (at(curve, 1.0)) }
                    } } }
                } }
            }
        }
    }
}

/// The same picture for a file of its own; `None` where no latency was measured.
pub(crate) fn plate(curves: Vec<Curve>, points: usize, timed: &Timed) -> Option<Plate<'static>> {
    let curves: Vec<Curve> = curves.into_iter().filter(|curve| !curve.shares.is_empty()).collect();
    let all: Vec<&Curve> = curves.iter().collect();
    if all.is_empty() {
        return None;
    }
    let some = (all.len() < points).then(|| drawn(all.len(), points));
    Some(Plate {
        word: "latency".to_string(),
        title: "Latency".to_string(),
        about: about(all.len(), timed),
        text: [Some(format!("{} {STEPS}", timed.about)), some].into_iter().flatten().collect(),
        legend: if all.len() > 1 { keys(&all) } else { Vec::new() },
        draw: Box::new(move |size| draw(&curves.iter().collect::<Vec<_>>(), size)),
    })
}

const STEPS: &str = "Each step up is ten times rarer; the last dot is the greatest of all.";

fn about(curves: usize, timed: &Timed) -> String {
    format!("{curves} lines, one a point: the share of {} that took at most so long.", timed.what)
}

fn drawn(curves: usize, points: usize) -> String {
    format!(
        "Drawn: {curves} of {points} points, spread over all of them; the CSV has every point's median, 99 % and 99.9 %."
    )
}

fn keys(curves: &[&Curve]) -> Vec<Key> {
    let of = |(number, curve): (usize, &&Curve)| Key { class: colour(number), ..Key::stroke("simulated", &curve.name) };
    curves.iter().enumerate().map(of).collect()
}

fn at(curve: &Curve, share: f64) -> String {
    curve.shares.iter().find(|(known, _)| *known == share).map_or_else(String::new, |(_, time)| time.to_string())
}

fn draw(curves: &[&Curve], size: Size) -> (Markup, f64) {
    let height = if size.is_wide() { 280.0 } else { 240.0 };
    let (left, right, top, bottom) = (62.0, size.width() - 16.0, 12.0, height - 44.0);
    let times = || curves.iter().flat_map(|curve| &curve.shares).map(|(_, time)| time.as_ns());
    let (unit, scale) = if times().fold(0.0, f64::max) >= 10_000.0 { ("us", 1e-3) } else { ("ns", 1.0) };
    let across = Linear::to(times().fold(0.0, f64::max) * scale, if size.is_wide() { 6.0 } else { 4.0 });
    let x = |time: Time| left + time.as_ns() * scale / across.most * (right - left);
    let y = |share: f64| bottom - nines(share) / TOP * (bottom - top);
    let points = |curve: &Curve| {
        let each = curve.shares.iter().map(|&(share, time)| format!("{},{}", n(x(time)), n(y(share))));
        each.collect::<Vec<_>>().join(" ")
    };
    let inside = html! {
        g class="grid" {
            @for (share, name) in NAMED {
                line x1=(n(left)) x2=(n(right)) y1=(n(y(share))) y2=(n(y(share))) {}
                text class="end" x=(n(left - 8.0)) y=(n(y(share) + 4.0)) { (name) }
            }
            @for tick in across.ticks() {
                @let at = left + tick / across.most * (right - left);
                line class="tick" x1=(n(at)) x2=(n(at)) y1=(n(bottom)) y2=(n(bottom + 5.0)) {}
                text class="middle" x=(n(at.min(right - text_width(&across.print(tick), 12.0) / 4.0))) y=(n(bottom + 19.0)) { (across.print(tick)) }
            }
            text class="middle unit" x=(n((left + right) / 2.0)) y=(n(bottom + 38.0)) { "latency, " (unit) }
        }
        @for (number, curve) in curves.iter().enumerate() {
            g class=(colour(number)) {
                polyline class="simulated" points=(points(curve)) {}
                @for (share, time) in curve.shares.iter().filter(|(share, _)| NAMED.iter().any(|(named, _)| named == share) || *share >= 1.0) {
                    circle class="dot" cx=(n(x(*time))) cy=(n(y(*share))) r="2.5" {}
                }
            }
        }
    };
    (inside, height)
}
