//! A device whose port above was not seen, as in the text of one device or in a guest: what it has of what it could.

use crate::address::Address;
use crate::finding::{Cost, Finding, Severity};
use crate::link::{Link, LinkRate, Why};
use crate::model::Device;
use crate::rates::{Mend, Way};
use crate::saying::Saying;
use crate::view::View;
use pcie::config::Speed;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    view.tree.links().iter().filter(|link| link.why == Why::OneEnd).filter_map(|link| one(view, link)).collect()
}

/// What a link serves: a device, or all below a switch.
fn served<'m>(view: &View<'m>, lower: Address) -> Vec<&'m Device> {
    let below = view.tree.descendants(lower);
    view.model.devices.iter().filter(|device| device.address == lower || below.contains(&device.address)).collect()
}

fn one(view: &View<'_>, link: &Link) -> Option<Finding> {
    let (lower, now, own) = (link.lower?, link.now?, link.lower_max?);
    let devices: Vec<&Device> = served(view, lower).into_iter().filter(|device| !device.is_virtual).collect();
    let name = match (view.model.device(lower), devices.len()) {
        (Some(device), _) => view.device_name(device),
        (None, 0 | 1) => format!("the switch {}", view.name(lower)),
        (None, count) => format!("the switch {}, with {count} devices below it,", view.name(lower)),
    };
    let is_slow = now.speed < own.speed;
    if !is_slow && now.width >= own.width {
        return None;
    }
    let rate = |mends: &[Mend]| view.rates.sum(&devices, Way::ToMemory, mends);
    // Where the speed of the port above was told, no more is possible.
    let most = host(view, lower).map_or(own, |host| own.min(LinkRate { speed: Some(host), width: None }));
    let (now_rate, mended) = (rate(&[]), rate(&[Mend::Link(lower, most.modelled()?)]));
    // No question where something else holds it to the same rate.
    if !(Cost { of: name.clone(), way: Way::ToMemory, now: now_rate, mended }).is_felt() {
        return None;
    }
    let rates = format!(": {:.0} of {:.0} MB/s to memory", now_rate.as_mb_per_s(), mended.as_mb_per_s());
    let (what, doubt) = match (is_slow, now.width < own.width) {
        (false, _) => (lanes(now, own), format!("unless its slot has {}", few(now.width))),
        (true, false) => {
            let doubt = "unless its slot can no more, or power management has slowed it while it does nothing";
            (format!("{now} of its {own}"), doubt.to_string())
        }
        (true, true) => {
            let doubt = "unless its slot can no more; an idle device may lower its speed";
            (format!("{now} of its {own}"), doubt.to_string())
        }
    };
    let what = format!("{name} has {what}{rates}, {doubt}");
    let registers = view.function(lower)?.express().is_some();
    let (is, can) = if registers { ("LnkSta", "LnkCap") } else { ("link now", "link at most") };
    Some(
        Finding::new("one-end", Severity::Question, vec![lower], what)
            .shown(lower, is, now)
            .shown(lower, can, own)
            .mended_by(
                "The port above shows which: `sudo lspci -vv` of the whole machine; in a guest, on its host. Read it under load.",
            ),
    )
}

/// The speed of the port above at most, where `nvidia-smi` says it.
fn host(view: &View<'_>, at: Address) -> Option<Speed> {
    view.machine.told.iter().filter(|told| told.at == at).find_map(|told| match told.what {
        Saying::Gpu { host, .. } => host,
        _ => None,
    })
}

fn lanes(now: LinkRate, own: LinkRate) -> String {
    let width = |rate: LinkRate| rate.width.map_or("x?".to_string(), |width| format!("x{width}"));
    format!("{} of its {}", width(now), width(own))
}

fn few(width: Option<u32>) -> String {
    match width {
        Some(1) => "one lane".to_string(),
        width => format!("{} lanes", width.unwrap_or_default()),
    }
}
