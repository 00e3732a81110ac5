//! A device whose port above was not seen, as in the text of one device or in a guest: what it has of what it could.

use crate::finding::{Finding, Severity};
use crate::link::{LinkRate, Why};
use crate::model::Device;
use crate::rates::{Mend, Way};
use crate::told::Saying;
use crate::view::View;
use pcie::config::Speed;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    view.model.devices.iter().filter_map(|device| one(view, device)).collect()
}

fn one(view: &View<'_>, device: &Device) -> Option<Finding> {
    let link = view.tree.link_above(device.address).filter(|link| link.why == Why::OneEnd)?;
    let (now, own) = (link.now?, link.lower_max?);
    let is_slow = now.speed < own.speed;
    if !is_slow && now.width >= own.width {
        return None;
    }
    let rate = |mends: &[Mend]| Some(view.rates.alone(device, Way::ToMemory, mends)?.rate.as_mb_per_s());
    // Where the speed of the port above was told, no more is possible.
    let most = host(view, device).map_or(own, |host| own.min(LinkRate { speed: Some(host), width: None }));
    let rates = rate(&[]).zip(rate(&[Mend::Link(device.address, most.modelled()?)]));
    let rates = rates.map_or_else(String::new, |(now, most)| format!(": {now:.0} of {most:.0} MB/s to memory"));
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
    let what = format!("{} has {what}{rates}, {doubt}", view.device_name(device));
    let registers = view.function(device.address)?.express().is_some();
    let (is, can) = if registers { ("LnkSta", "LnkCap") } else { ("link now", "link at most") };
    Some(
        Finding::new("one-end", Severity::Question, vec![device.address], what)
            .shown(device.address, is, now)
            .shown(device.address, can, own)
            .mended_by(
                "The port above shows which: `sudo lspci -vv` of the whole machine; in a guest, on its host. Read it under load.",
            ),
    )
}

/// The speed of the port above at most, where `nvidia-smi` says it.
fn host(view: &View<'_>, device: &Device) -> Option<Speed> {
    view.machine.told.iter().filter(|told| told.at == device.address).find_map(|told| match told.what {
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
