//! Max_Payload_Size: lower than all functions up to the root port support, held down by one old device, or different
//! at the two ends of a link.

use crate::address::Address;
use crate::finding::{Cost, Finding, Severity};
use crate::function::Function;
use crate::link::{Link, Unreal};
use crate::model::Device;
use crate::rates::{Mend, Way};
use crate::view::View;
use pcie::{PayloadSize, Rate};
use std::cmp::Ordering;
use std::collections::BTreeMap;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let mut below: BTreeMap<Address, Vec<(&Device, PayloadSize, PayloadSize)>> = BTreeMap::new();
    // What a port above that was not seen can do is not known.
    for device in view.model.devices.iter().filter(|device| !view.is_emulated(device) && view.is_rooted(device)) {
        if let (Some(root), Some((set, possible))) = (device.root(), low(view, device)) {
            below.entry(root).or_default().push((device, set, possible));
        }
    }
    let mut all: Vec<Finding> = below.iter().map(|(&root, devices)| one(view, root, devices)).collect();
    all.extend(mismatches(view));
    all
}

/// The Max_Payload_Size of a device, and the higher one that firmware would settle: the most that all up to its root port
/// support. `None` if there is no higher one, if one of the functions does not say what it supports, or if they have
/// different settings.
fn low(view: &View<'_>, device: &Device) -> Option<(PayloadSize, PayloadSize)> {
    let set = view.function(device.address)?.mps()?;
    let way = view.way(device);
    let settled = view.model.settled.part(device.part).mps;
    let agree = way.iter().all(|function| function.mps() == Some(set) && function.mps_supported().is_some());
    (settled > set && agree).then_some((set, settled))
}

fn one(view: &View<'_>, root: Address, held: &[(&Device, PayloadSize, PayloadSize)]) -> Finding {
    let devices: Vec<&Device> = held.iter().map(|&(device, ..)| device).collect();
    let set = held.iter().map(|&(_, set, _)| set).min().unwrap_or(PayloadSize::MIN);
    let possible = held.iter().map(|&(.., possible)| possible).max().unwrap_or(set);
    let old = oldest(view, root, set, &devices);
    let fast = view.any_fast(&devices);
    let severity = if fast { Severity::Warning } else { Severity::Note };
    let names: Vec<String> = devices.iter().map(|device| view.device_name(device)).collect();
    let what = match &old {
        Some(old) => format!(
            "{} can do no payloads above {set} bytes and holds {} below {} to that",
            view.name(old.address),
            names.join(", "),
            view.name(root)
        ),
        None => format!(
            "{} below {} use payloads of {set} bytes; all on the way can do {possible}",
            names.join(", "),
            view.name(root)
        ),
    };
    let kind = if old.is_some() { "mps-held" } else { "mps" };
    let at: Vec<Address> = devices.iter().map(|d| d.address).chain([root]).collect();
    let mut finding = Finding::new(kind, severity, at, what).costs(cost(view, held, &devices));
    for &(device, set, _) in held {
        let able = view.function(device.address).and_then(Function::mps_supported).unwrap_or(set);
        finding = finding.shown(device.address, "DevCtl", format!("MaxPayload {set}, DevCap MaxPayload {able}"));
    }
    if let Some(old) = old {
        return finding
            .shown(old.address, "DevCap", format!("MaxPayload {set}"))
            .mended_by("Move that device below another root port; what is left can have more.")
            .mended_by(
                "Without traffic from card to card: the kernel parameter pci=pcie_bus_perf sets each way by itself.",
            );
    }
    finding.mended_by("The kernel parameter pci=pcie_bus_safe settles the most that a whole tree can do.")
}

/// The function below `root` that supports no more than `set`, and is not of a device in `held`.
fn oldest<'m>(view: &View<'m>, root: Address, set: PayloadSize, held: &[&Device]) -> Option<&'m Function> {
    let below = view.model.below(root).filter(|device| !held.iter().any(|h| h.address == device.address));
    let functions = below.flat_map(|device| view.functions(device)).collect::<Vec<_>>();
    functions.into_iter().find(|function| function.mps_supported() == Some(set))
}

fn cost(view: &View<'_>, held: &[(&Device, PayloadSize, PayloadSize)], devices: &[&Device]) -> Option<Cost> {
    let mends: Vec<Mend> = held.iter().map(|&(device, _, possible)| Mend::Mps(device.address, possible)).collect();
    let sum = |mends: &[Mend]| view.rates.sum(devices, Way::ToMemory, mends);
    let (now, mended): (Rate, Rate) = (sum(&[]), sum(&mends));
    let of = match devices {
        [one] => view.device_name(one),
        several => format!("{} devices", several.len()),
    };
    Some(Cost { of, way: Way::ToMemory, now, mended })
}

/// Links where one end may send larger payloads than the other end accepts.
fn mismatches(view: &View<'_>) -> Vec<Finding> {
    // Links inside chips and emulated links do not count.
    let wired = view.tree.links().iter().filter(|link| matches!(link.unreal, None | Some(Unreal::Tunnel)));
    let all = wired.filter_map(|link| {
        let (upper, below) = (view.function(link.upper?)?, view.function(link.lower?)?);
        let (above, own) = (upper.mps()?, below.mps()?);
        match own.cmp(&above) {
            Ordering::Equal => None,
            Ordering::Greater => Some(too_long_up(view, (upper, above), (below, own))),
            Ordering::Less => too_long_down(view, link, (upper, above), (below, own)),
        }
    });
    all.collect()
}

/// An end of a link and its Max_Payload_Size.
type End<'m> = (&'m Function, PayloadSize);

/// The lower end may send larger payloads than the upper end accepts.
fn too_long_up(view: &View<'_>, (upper, takes): End<'_>, (below, sends): End<'_>) -> Finding {
    let (up, down) = (view.name(upper.address), view.name(below.address));
    let what =
        format!("{down} may send payloads of {sends} bytes, and {up} above it takes {takes}: a larger one is an error");
    Finding::new("mps-mismatch", Severity::Error, vec![below.address, upper.address], what)
        .shown(below.address, "DevCtl", format!("MaxPayload {sends}"))
        .shown(upper.address, "DevCtl", format!("MaxPayload {takes}"))
        .mended_by(format!("setpci -s {down} CAP_EXP+8.w={:04x}:00e0", u16::from(takes.encoding()) << 5))
        .mended_by("The kernel parameter pci=pcie_bus_safe settles one size for each tree.")
}

/// The upper end may send completions with larger payloads than the lower end accepts. This is no fault if no read request
/// from below is larger than that: `pci=pcie_bus_perf` sets it so.
fn too_long_down(view: &View<'_>, link: &Link, (upper, sends): End<'_>, (below, takes): End<'_>) -> Option<Finding> {
    let readers = view.across(link);
    let asked = readers.iter().flat_map(|device| view.functions(device)).filter_map(Function::mrrs).max()?;
    if asked <= takes {
        return None;
    }
    let (up, down) = (view.name(upper.address), view.name(below.address));
    let what = format!(
        "{up} may answer reads with payloads of {sends} bytes, and {down} below it takes {takes}: a larger one is an error, \
         and its transfers from memory fail"
    );
    Some(
        Finding::new("mps-mismatch", Severity::Error, vec![below.address, upper.address], what)
            .shown(below.address, "DevCtl", format!("MaxPayload {takes}, MaxReadReq {asked}"))
            .shown(upper.address, "DevCtl", format!("MaxPayload {sends}"))
            .mended_by(format!("setpci -s {up} CAP_EXP+8.w={:04x}:00e0", u16::from(takes.encoding()) << 5))
            .mended_by("The kernel parameter pci=pcie_bus_safe settles one size for each tree."),
    )
}
