//! A link that runs on fewer lanes than both its ends have.

use crate::finding::{Cost, Finding, Severity};
use crate::link::{Link, LinkRate};
use crate::rates::{Mend, Way};
use crate::view::View;
use pcie::Rate;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let narrow = |link: &Link| {
        let (now, possible) = (link.now?.width?, view.settled(link)?.width?);
        (0 < now && now < possible).then_some((now, possible))
    };
    view.real_links().filter_map(|(link, _)| Some(one(view, link, narrow(link)?))).collect()
}

fn one(view: &View<'_>, link: &Link, (now, possible): (u32, u32)) -> Finding {
    let devices = view.across(link);
    let at: Vec<_> = link.lower.into_iter().chain(link.upper).collect();
    let name = link.lower.map_or(String::new(), |lower| view.name(lower));
    // Without a slot, the device is soldered to the board, and the board has no more lanes by design.
    let slot = link.upper.and_then(|upper| view.function(upper)?.express()?.flags.slot());
    let (severity, why, remedy) = match (slot, view.any_fast(&devices)) {
        (Some(false), _) => (
            Severity::Note,
            ": the device is soldered to the board, which most likely wires no more",
            "By design, unless the board's manual says otherwise.",
        ),
        (_, fast) => (
            if fast { Severity::Error } else { Severity::Warning },
            "",
            "Power off and reseat the card, look for dirt on its contacts, try another slot or riser; look in the board's \
             manual whether a slot beside it takes these lanes, and in the firmware for bifurcation.",
        ),
    };
    let what = format!("{name} runs on x{now} of the x{possible} that both ends of its link have{why}");
    // Lanes that are not on the board are no cost.
    let cost = cost(view, link).filter(|_| slot != Some(false));
    let mut finding = Finding::new("width", severity, at, what).costs(cost).mended_by(remedy);
    for (end, able) in [(link.upper, link.upper_max), (link.lower, link.lower_max)] {
        if let (Some(end), Some(able)) = (end, able.and_then(|rate| rate.width)) {
            let is = view.function(end).and_then(|f| f.link_now()?.width).unwrap_or(now);
            finding = finding.shown(end, "LnkSta", format!("Width x{is}, LnkCap Width x{able}"));
        }
    }
    finding
}

/// The loss of all devices below a link, against the possible width at the current speed.
fn cost(view: &View<'_>, link: &Link) -> Option<Cost> {
    let settled = view.settled(link)?;
    let speed = link.now?.speed;
    if !link.may_idle {
        return link_cost(view, link, LinkRate { width: settled.width, speed });
    }
    // Under load it may be as fast as its ends: so the lanes are priced.
    let now = link_cost(view, link, LinkRate { width: link.now?.width, speed: settled.speed })?.mended;
    Some(Cost { now, ..link_cost(view, link, settled)? })
}

/// The loss of all devices below a link, against the rate `mended`.
pub(super) fn link_cost(view: &View<'_>, link: &Link, mended: LinkRate) -> Option<Cost> {
    let lower = link.lower?;
    let devices: Vec<_> = view.across(link).into_iter().filter(|device| !device.is_virtual).collect();
    let mend = [Mend::Link(lower, mended.modelled()?)];
    let sum = |mends: &[Mend]| view.rates.sum(&devices, Way::ToMemory, mends);
    let (now, mended): (Rate, Rate) = (sum(&[]), sum(&mend));
    let of = match devices.as_slice() {
        [] => return None,
        [one] => view.device_name(one),
        several => format!("{} devices below {}", several.len(), view.name(lower)),
    };
    Some(Cost { of, way: Way::ToMemory, now, mended })
}
