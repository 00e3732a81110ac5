//! A device that is listed but does not answer: gone, or in D3cold.

use crate::finding::{Finding, Severity};
use crate::findings::aer;
use crate::function::{Function, Reach};
use crate::link::Why;
use crate::model::twins;
use crate::view::View;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let silent = view.machine.functions.values().filter(|function| function.reach == Reach::Nothing);
    let all = silent.filter(|function| !sleeps(view, function)).filter_map(|function| {
        let at = function.address;
        let first = twins(view.machine, pcie_first(function)).find(|twin| twin.reach == Reach::Nothing)?;
        if first.address != at {
            return None;
        }
        let name = view.name(at);
        let mut finding = Finding::new(
            "silent",
            Severity::Warning,
            vec![at],
            format!("{name} does not answer: all of its registers read as ones"),
        )
        .shown(at, "config", "ff ff ff ff");
        if let Some(link) = view.tree.link_above(at).and_then(|link| view.function(link.upper?)) {
            let down = view.tree.link_below(link.address).is_some_and(|link| link.why == Why::Down);
            let now = link.link_now().filter(|_| !down).map_or("no link".to_string(), |now| now.to_string());
            finding = finding.shown(link.address, "LnkSta", now);
            let saw = aer::when_gone(link).filter(|_| down);
            finding = saw.into_iter().fold(finding, |finding, saw| finding.shown(link.address, "CESta", saw));
        }
        Some(
            finding
                .mended_by(
                    "In D3cold it may be asleep: echo on > /sys/bus/pci/devices/ADDRESS/power/control, and read again."
                        .replace("ADDRESS", &at.to_string()),
                )
                .mended_by(
                    "If it stays so, it is gone: the kernel's log says since when; power management of its link (ASPM) \
                            and its slot are the first suspects.",
                ),
        )
    });
    all.collect()
}

/// Function 0 of the same device.
fn pcie_first(function: &Function) -> crate::address::Address {
    let bdf = function.address.bdf;
    let first = pcie::Bdf::new(bdf.bus(), bdf.device(), 0).unwrap_or(bdf);
    crate::address::Address { bdf: first, ..function.address }
}

/// True if the kernel reports that the function, or the port above it, is asleep.
fn sleeps(view: &View<'_>, function: &Function) -> bool {
    let above = view.tree.parent(function.address).and_then(|port| view.function(port));
    [Some(function), above].into_iter().flatten().any(|function| {
        function.os.runtime_status.as_deref() == Some("suspended")
            || function.os.power_state.as_deref() == Some("D3cold")
    })
}
