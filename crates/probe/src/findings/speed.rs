//! A link slower than both its ends support, without a known reason.

use super::width::link_cost;
use crate::finding::{Finding, Severity};
use crate::link::{Link, LinkRate, Why};
use crate::view::View;
use pcie::config::Speed;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    view.real_links().filter_map(|(link, _)| Some(one(view, link, slow(view, link)?))).collect()
}

/// The current and the possible speed, if the current one is lower and neither Target Link Speed nor power management
/// is known to be the reason.
fn slow(view: &View<'_>, link: &Link) -> Option<(Speed, Speed)> {
    let (now, possible) = (link.now?.speed?, view.settled(link)?.speed?);
    let held = link.target.is_some_and(|target| target < possible && target <= now);
    (now < possible && !held && link.why != Why::MaybePower && !link.may_idle).then_some((now, possible))
}

fn one(view: &View<'_>, link: &Link, (now, possible): (Speed, Speed)) -> Finding {
    let devices = view.across(link);
    let severity = if view.any_fast(&devices) { Severity::Error } else { Severity::Warning };
    let at: Vec<_> = link.lower.into_iter().chain(link.upper).collect();
    let name = link.lower.map_or(String::new(), |lower| view.name(lower));
    let what = format!("{name} runs at {now}; both ends of its link can do {possible}");
    let mended = LinkRate { speed: Some(possible), width: link.now.and_then(|rate| rate.width) };
    let mut finding = Finding::new("speed", severity, at, what).costs(link_cost(view, link, mended));
    for (end, able) in [(link.upper, link.upper_max), (link.lower, link.lower_max)] {
        if let (Some(end), Some(able)) = (end, able.and_then(|rate| rate.speed)) {
            finding = finding.shown(end, "LnkSta", format!("Speed {now}, LnkCap Speed {able}"));
        }
    }
    if let Some(target) = link.target {
        finding = finding.shown(link.upper.unwrap_or_default(), "LnkCtl2", format!("Target Link Speed {target}"));
    }
    let retrain = link.upper.map(|upper| retrain(&view.name(upper)));
    let finding = finding.mended_by(
        "Signal quality most often: reseat the card, take out risers and adapters, look at the AER counters of both ends.",
    );
    retrain.into_iter().fold(finding, |finding, text| finding.mended_by(text))
}

/// The command that retrains a link.
pub(super) fn retrain(port: &str) -> String {
    format!("Train again: setpci -s {port} CAP_EXP+10.w=0020:0020")
}
