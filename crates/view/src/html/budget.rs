//! The loss budget as a waterfall chart: from the signalled rate to the flow's payload.

use crate::html::mark::{Key, Size, n, percent, picture, text_width};
use crate::html::plate::Plate;
use lab::Unit;
use maud::{Markup, html};
use pcie::Rate;
use sim::FlowOutcome;
use system::graph::Direction;
use system::{Budget, Share, System};

/// One loss, or the payload that remains.
struct Step {
    name: String,
    share: f64,
    /// The share that remains before this step.
    before: f64,
    class: &'static str,
}

/// The waterfall chart of one flow's direction, with its table.
pub(crate) fn waterfall(id: &str, system: &System, name: &str, flow: &FlowOutcome, unit: Unit) -> Markup {
    let whole = system.links[flow.direction.link.0].speed.signalled();
    let steps = steps(&flow.budget);
    let title = format!("Where the time of {} goes", system.direction_name(flow.direction));
    let about = format!(
        "From {} of signalling down to the payload of {name}. The table behind it has all values.",
        unit.told(whole)
    );
    html! {
        figure {
            figcaption {
                h3 { (title) }
                p { "Every instant of this direction while all flows were active, in exactly one class: " (unit.told(whole)) " of signalling, of which " strong { (percent(flow.budget.of(Share::Payload))) } " is payload of " (name) "." }
            }
            (picture(id, &title, &about, |size| draw(&steps, size)))
            details {
                summary { "Values" }
                div class="scroll" { table {
                    thead { tr { th { "class" } th class="number" { "share" } th class="number" { (unit.word()) } } }
                    tbody { @for step in &steps { tr {
                        td { (step.name) } td class="number" { (percent(step.share)) } td class="number" { (unit.print(unit.rate(Rate(whole.0 * step.share)))) }
                    } } }
                } }
            }
        }
    }
}

/// A loss as a percentage; one that rounds to zero has no sign.
fn lost(share: f64) -> String {
    let text = percent(share);
    if text == percent(0.0) { text } else { format!("−{text}") }
}

/// What a budget is of.
pub(crate) struct Budgeted<'a> {
    pub system: &'a System,
    pub direction: Direction,
    pub budget: &'a Budget,
    /// The flow whose payload it is.
    pub flow: &'a str,
    /// The time that is divided: `while all flows were active`.
    pub when: &'a str,
}

/// The same picture for a file of its own.
pub(crate) fn plate(of: &Budgeted<'_>, unit: Unit) -> Plate<'static> {
    let whole = unit.told(of.system.links[of.direction.link.0].speed.signalled());
    let steps = steps(of.budget);
    let payload = percent(of.budget.of(Share::Payload));
    let key = |class: &'static str, name: &str| {
        steps.iter().any(|step| step.class == class).then(|| Key::filled(class, name))
    };
    let legend = [
        key("loss", "lost on the link"),
        key("wait", "idle, waiting"),
        key("others", "other flows"),
        key("payload", "payload"),
    ];
    Plate {
        word: "budget".to_string(),
        title: format!("Where the time of {} goes", of.system.direction_name(of.direction)),
        about: format!("From {whole} of signalling down to the payload of {}.", of.flow),
        text: vec![format!(
            "Every instant of this direction {}, in exactly one class: {whole} of signalling, of which {payload} is payload of {}.",
            of.when, of.flow
        )],
        legend: legend.into_iter().flatten().collect(),
        draw: Box::new(move |size| draw(&steps, size)),
    }
}

/// Losses in the order of the budget, then waits, then the payload.
fn steps(budget: &Budget) -> Vec<Step> {
    let mut before = 1.0;
    let mut steps: Vec<Step> = Vec::new();
    let losses = budget.shares().filter(|&(share, _)| share != Share::Payload);
    for (share, part) in losses {
        let class = match share {
            Share::Idle(_) => "wait",
            Share::OtherFlows => "others",
            _ => "loss",
        };
        steps.push(Step { name: share.to_string(), share: part, before, class });
        before -= part;
    }
    steps.push(Step { name: "payload".to_string(), share: budget.of(Share::Payload), before, class: "payload" });
    steps
}

/// Least width of the labels beside the bars, and their distance from the bars.
const LABELS: f64 = 190.0;
const GAP: f64 = 14.0;
/// The largest share of the picture that labels beside the bars take. Longer ones stand above their bars.
const MOST: f64 = 0.45;

fn draw(steps: &[Step], size: Size) -> (Markup, f64) {
    let names = steps.iter().map(|step| text_width(&step.name, 12.0)).fold(0.0, f64::max);
    let labels = (names + GAP + 4.0).max(LABELS);
    let beside = size.is_wide() && labels <= MOST * size.width();
    let (row, left) = if beside { (26.0, labels) } else { (38.0, 8.0) };
    let right = size.width() - if size.is_wide() { 84.0 } else { 64.0 };
    let bar = if beside { 5.0 } else { 18.0 };
    let x = |share: f64| left + share * (right - left);
    let height = 10.0 + row * steps.len() as f64 + 26.0;
    let y = |k: usize| 10.0 + row * k as f64;
    let bottom = y(steps.len());
    let inside = html! {
        g class="grid" {
            @for tenth in [0, 25, 50, 75, 100] {
                @let at = x(tenth as f64 / 100.0);
                line x1=(n(at)) x2=(n(at)) y1="6" y2=(n(bottom)) {}
                text class=(if tenth == 0 && !beside { "start" } else { "middle" }) x=(n(at)) y=(n(bottom + 18.0)) { (tenth) " %" }
            }
        }
        @for (k, step) in steps.iter().enumerate() {
            @let from = if step.class == "payload" { 0.0 } else { step.before - step.share };
            @if beside {
                text class="end" x=(n(left - GAP)) y=(n(y(k) + 17.0)) { (step.name) }
            } @else {
                text x=(n(left)) y=(n(y(k) + 13.0)) { (step.name) }
            }
            rect class=(step.class) x=(n(x(from))) y=(n(y(k) + bar)) width=(n((step.share * (right - left)).max(1.0))) height="16" {}
            @if k + 1 < steps.len() {
                line class="step" x1=(n(x(from))) x2=(n(x(from))) y1=(n(y(k) + bar + 16.0)) y2=(n(y(k + 1) + bar)) {}
            }
            text class=(if step.class == "payload" { "value strong" } else { "value" }) x=(n(right + 8.0)) y=(n(y(k) + bar + 12.0)) {
                (if step.class == "payload" { percent(step.share) } else { lost(step.share) })
            }
        }
    };
    (inside, height)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_every_label_begin_inside_of_the_picture() {
        for length in [7, 27, 33, 60, 90] {
            let step = Step { name: "w".repeat(length), share: 0.5, before: 1.0, class: "wait" };
            let (drawn, _) = draw(&[step], Size::Wide);
            let text = drawn.into_string();
            let label = text.split("<text ").find(|label| label.contains("www")).map_or("", |label| label);
            let x: f64 = label.split("x=\"").nth(1).and_then(|x| x.split('"').next()?.parse().ok()).unwrap_or(-1.0);
            let begin = if label.contains("class=\"end\"") { x - text_width(&"w".repeat(length), 12.0) } else { x };
            assert!(begin >= 0.0, "{length} letters begin at {begin}: {label}");
        }
    }
}
