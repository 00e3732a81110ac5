//! Errors that a link made: AER's status registers, and what the kernel counted.
//!
//! A single receiver error comes with training, and unsupported requests with probing: neither is spoken of. Bad TLPs
//! and DLLPs are sent again, and cost what they cost, and a replay timer runs out once when a link wakes; replays that
//! roll over, many of the others, or timeouts beside bad ones are a link that fails.

use super::{Finding, Severity};
use crate::address::Address;
use crate::function::Function;
use crate::model::{Device, twins};
use crate::view::View;
use pcie::config::{Correctable, Uncorrectable};

/// An error that is spoken of.
struct Seen {
    name: &'static str,
    status: bool,
    counted: u64,
    severity: Severity,
}

/// So many bad TLPs, bad DLLPs or timeouts are a fault and not an accident.
const MANY: u64 = 100;

/// So many receiver errors are worth a word.
const MANY_RECEIVER: u64 = 1000;

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let mut done: Vec<Address> = Vec::new();
    let mut all = Vec::new();
    for function in view.machine.functions.values() {
        if !done.contains(&function.address) {
            let twins = alike(view, function);
            done.extend(twins.iter().map(|twin| twin.address));
            all.extend(one(view, function, &twins));
        }
    }
    all
}

fn seen(function: &Function) -> Vec<Seen> {
    correctable(function).into_iter().chain(uncorrectable(function)).collect()
}

/// The functions of an endpoint that saw the same errors: they share one link.
fn alike<'m>(view: &View<'m>, function: &'m Function) -> Vec<&'m Function> {
    if function.header.is_bridge() {
        return vec![function];
    }
    let names = |function: &Function| seen(function).iter().map(|seen| seen.name).collect::<Vec<_>>();
    let own = names(function);
    twins(view.machine, function.address).filter(|twin| names(twin) == own).collect()
}

fn one(view: &View<'_>, function: &Function, twins: &[&Function]) -> Option<Finding> {
    let seen = seen(function);
    let severity = severity(view, function, &seen)?;
    let names: Vec<&str> = seen.iter().map(|seen| seen.name).collect();
    let at = function.address;
    let what = match severity {
        Severity::Error => format!("{} fails on its link: {}", view.name(at), names.join(", ")),
        _ => format!("{} has seen errors: {}", view.name(at), names.join(", ")),
    };
    let mut finding = Finding::new("aer", severity, twins.iter().map(|twin| twin.address).collect(), what);
    for error in &seen {
        if error.status {
            let register = if UNCORRECTABLE.iter().any(|(name, ..)| *name == error.name) { "UESta" } else { "CESta" };
            finding = finding.shown(at, register, format!("{}+", error.name));
        }
        if error.counted > 0 {
            finding = finding.shown(at, "aer_dev_*", format!("{} {}", error.name, error.counted));
        }
    }
    let port = view.tree.parent(at).filter(|_| !function.header.is_bridge()).unwrap_or(at);
    let is_link = seen.iter().any(|error| LINK.contains(&error.name));
    Some(match (severity, is_link) {
        (Severity::Note, _) => finding.mended_by("One may come with training; read the counters again under load."),
        (_, true) => finding
            .mended_by(
                "Each is sent again: what it costs goes with how often. Read the counters twice, a minute of load apart: one \
                 that grows is cable, riser, slot, dirt or a failing chip; one that stands is the past.",
            )
            .mended_by(format!(
                "If it grows: the link below {} a generation slower is often faster than its replays.",
                view.name(port)
            )),
        _ => finding.mended_by("The kernel's log says which request it was; firmware of the device, its driver, then the device."),
    })
}

/// Errors that a link makes, and sends again.
const LINK: [&str; 5] = ["RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout"];

/// The worst of what was seen; timeouts together with what was bad are a link that fails. Where nothing that moves
/// data in bulk is concerned, no error.
fn severity(view: &View<'_>, function: &Function, seen: &[Seen]) -> Option<Severity> {
    let worst = seen.iter().map(|seen| seen.severity).min()?;
    let has = |name: &str| seen.iter().any(|seen| seen.name == name);
    let fails = has("Timeout") && (has("BadTLP") || has("BadDLLP"));
    let severity = if fails { Severity::Error } else { worst };
    let at = function.address;
    let concerned = |device: &Device| device.address == at || device.main == at || device.ports.contains(&at);
    let fast = view.model.devices.iter().any(|device| device.role.is_fast() && concerned(device));
    Some(if fast { severity } else { severity.max(Severity::Warning) })
}

fn correctable(function: &Function) -> Vec<Seen> {
    let status = function.capabilities.aer().map_or(Correctable::default(), |aer| aer.correctable);
    let counted = |name: &str| function.os.aer.as_ref().map_or(0, |counters| counters.correctable(name));
    let all = [
        ("RxErr", status.receiver(), Severity::Note),
        ("BadTLP", status.bad_tlp(), Severity::Warning),
        ("BadDLLP", status.bad_dllp(), Severity::Warning),
        ("Rollover", status.rollover(), Severity::Error),
        ("Timeout", status.timeout(), Severity::Warning),
    ];
    let seen =
        all.map(|(name, bit, severity)| Seen { name, status: bit == Some(true), counted: counted(name), severity });
    let worse = |seen: Seen| match (seen.name, seen.counted) {
        ("RxErr", MANY_RECEIVER..) => Seen { severity: Severity::Warning, ..seen },
        ("BadTLP" | "BadDLLP" | "Timeout", MANY..) => Seen { severity: Severity::Error, ..seen },
        _ => seen,
    };
    seen.into_iter().filter(|seen| seen.status || seen.counted > 0).map(worse).collect()
}

/// A bit of the status: its name, the bit, how bad it is.
type Bit = (&'static str, fn(Uncorrectable) -> Option<bool>, Severity);

/// Uncorrectable errors of the link or of a receiver; those of requests that software makes are left out.
const UNCORRECTABLE: [Bit; 9] = [
    ("DLP", Uncorrectable::dlp, Severity::Error),
    ("FCP", Uncorrectable::flow_control, Severity::Error),
    ("RxOF", Uncorrectable::overflow, Severity::Error),
    ("MalfTLP", Uncorrectable::malformed, Severity::Error),
    ("ECRC", Uncorrectable::ecrc, Severity::Error),
    ("UncorrIntErr", Uncorrectable::internal, Severity::Error),
    ("TLP", Uncorrectable::poisoned, Severity::Warning),
    ("CmpltTO", Uncorrectable::completion_timeout, Severity::Warning),
    ("UnxCmplt", Uncorrectable::unexpected_completion, Severity::Warning),
];

fn uncorrectable(function: &Function) -> Vec<Seen> {
    let status = function.capabilities.aer().map_or(Uncorrectable::default(), |aer| aer.uncorrectable);
    let counted = |name: &str| {
        let counters = function.os.aer.as_ref();
        counters.map_or(0, |c| c.fatal.get(name).unwrap_or(&0) + c.nonfatal.get(name).unwrap_or(&0))
    };
    let seen = UNCORRECTABLE.iter().map(|&(name, bit, severity)| Seen {
        name,
        status: bit(status) == Some(true),
        counted: counted(name),
        severity,
    });
    seen.filter(|seen| seen.status || seen.counted > 0).collect()
}
