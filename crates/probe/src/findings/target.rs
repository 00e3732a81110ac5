//! A link limited by Target Link Speed: software, firmware or a hot swap set it lower than both ends support.

use super::speed::retrain;
use super::width::link_cost;
use crate::finding::{Finding, Severity};
use crate::link::{Link, LinkRate};
use crate::view::View;
use pcie::config::Speed;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    view.real_links().filter_map(|(link, _)| Some(one(view, link, held(view, link)?))).collect()
}

/// The target and the possible speed, if the target is lower and the link runs no faster than the target.
fn held(view: &View<'_>, link: &Link) -> Option<(Speed, Speed)> {
    let (target, possible) = (link.target?, view.settled(link)?.speed?);
    (target < possible && link.now?.speed? <= target).then_some((target, possible))
}

fn one(view: &View<'_>, link: &Link, (target, possible): (Speed, Speed)) -> Finding {
    let devices = view.across(link);
    let severity = if view.any_fast(&devices) { Severity::Error } else { Severity::Warning };
    let at: Vec<_> = link.upper.into_iter().chain(link.lower).collect();
    let upper = link.upper.unwrap_or_default();
    let port = view.name(upper);
    let lower = link.lower.map_or(String::new(), |lower| view.name(lower));
    let what = format!("{port} holds its link to {lower} at {target}; both ends can do {possible}");
    let mended = LinkRate { speed: Some(possible), width: link.now.and_then(|rate| rate.width) };
    let mut finding = Finding::new("target-speed", severity, at, what).costs(link_cost(view, link, mended)).shown(
        upper,
        "LnkCtl2",
        format!("Target Link Speed {target}"),
    );
    for (end, able) in [(link.upper, link.upper_max), (link.lower, link.lower_max)] {
        if let (Some(end), Some(able)) = (end, able.and_then(|rate| rate.speed)) {
            finding = finding.shown(end, "LnkCap", format!("Speed {able}"));
        }
    }
    finding
        .mended_by(format!("setpci -s {port} CAP_EXP+30.w={:04x}:000f, then train again", possible.code()))
        .mended_by(retrain(&port))
        .mended_by("If it comes back: the firmware's setting of the slot's speed, or the kernel's quirk after a failed training.")
}
