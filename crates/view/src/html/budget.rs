//! The loss budget as a waterfall chart: from the signalled rate to the flow's payload.

use crate::html::mark::{Size, n, percent, picture};
use lab::Unit;
use maud::{Markup, html};
use pcie::Rate;
use sim::FlowOutcome;
use system::{Share, System};

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
    let steps = steps(flow);
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

/// Losses in the order of the budget, then waits, then the payload.
fn steps(flow: &FlowOutcome) -> Vec<Step> {
    let mut before = 1.0;
    let mut steps: Vec<Step> = Vec::new();
    let losses = flow.budget.shares().filter(|&(share, _)| share != Share::Payload);
    for (share, part) in losses {
        let class = match share {
            Share::Idle(_) => "wait",
            Share::OtherFlows => "others",
            _ => "loss",
        };
        steps.push(Step { name: share.to_string(), share: part, before, class });
        before -= part;
    }
    steps.push(Step { name: "payload".to_string(), share: flow.budget.of(Share::Payload), before, class: "payload" });
    steps
}

/// Width of a letter of a label, at most on the average of a word, in units of the picture.
const LETTER: f64 = 7.2;
/// Least width of the labels beside the bars, and their distance from the bars.
const LABELS: f64 = 190.0;
const GAP: f64 = 10.0;
/// The largest share of the picture that labels beside the bars take. Longer ones stand above their bars.
const MOST: f64 = 0.45;

fn draw(steps: &[Step], size: Size) -> (Markup, f64) {
    let longest = steps.iter().map(|step| step.name.chars().count()).max().unwrap_or(0) as f64;
    let labels = (longest * LETTER + GAP).max(LABELS);
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
                (if step.class == "payload" { percent(step.share) } else { format!("−{}", percent(step.share)) })
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
            let begin = if label.contains("class=\"end\"") { x - LETTER * length as f64 } else { x };
            assert!(begin >= 0.0, "{length} letters begin at {begin}: {label}");
        }
    }
}
