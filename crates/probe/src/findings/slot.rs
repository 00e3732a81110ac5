//! A device that can do more than its slot: by design, reported once.

use super::width::link_cost;
use crate::address::Address;
use crate::finding::{Finding, Severity};
use crate::link::Link;
use crate::model::Device;
use crate::rates::Way;
use crate::view::View;

/// True for a link that runs at the most that both ends support, if the lower end alone supports more speed or more lanes.
fn is_limited(link: &Link) -> bool {
    let (Some(now), Some(upper), Some(lower)) = (link.now, link.upper_max, link.lower_max) else { return false };
    let more = lower.speed > upper.speed || lower.width > upper.width;
    more && Some(now) == link.possible && upper.speed.is_some() && upper.width.is_some()
}

/// The name of a device or a switch, as in `SSD 03:00.0`, `the switch 01:00.0`.
fn name(view: &View<'_>, at: Address) -> String {
    view.model.device(at).map_or_else(|| format!("the switch {}", view.name(at)), |device| view.device_name(device))
}

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let limited = view.real_links().filter(|(link, _)| is_limited(link));
    let all = limited.filter_map(|(link, lower)| {
        let devices = view.across(link);
        if !view.any_fast(&devices) || devices.iter().any(|device| view.is_emulated(device)) {
            return None;
        }
        let (own, slot) = (link.lower_max?, link.upper_max?);
        let cost = link_cost(view, link, own);
        let served = |device: &&Device| {
            let now = view.rates.alone(device, Way::ToMemory, &[]);
            now.is_some_and(|now| super::nic::is_enough(view, device, now.rate.0))
        };
        // No finding if a faster slot would not change the rate: another limit applies, or the ports of a
        // network card are no faster.
        if cost.as_ref().is_some_and(|cost| !cost.is_felt()) || devices.iter().all(served) {
            return None;
        }
        let port = view.function(link.upper?)?;
        let soldered = port.express().and_then(|express| express.flags.slot()) == Some(false);
        let above = if soldered { "the port above it" } else { "its slot" };
        let what = format!("{} could do {own}; {above} does {slot}", name(view, lower));
        Some(
            Finding::new("slot-limited", Severity::Note, vec![lower], what)
                .costs(cost)
                .shown(lower, "LnkCap", own)
                .shown(link.upper?, "LnkCap", slot)
                .mended_by("By design: a faster slot, where the board has one."),
        )
    });
    all.collect()
}
