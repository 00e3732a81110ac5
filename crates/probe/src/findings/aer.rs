//! Errors of links and functions: the AER status registers and the kernel's counters, of both ends of a link together.
//!
//! A few receiver errors may come from training: they are a note. Unsupported requests come from probing and are not reported.
//! Bad TLPs and DLLPs are replayed and cost throughput; a replay timer may expire once when a link wakes. A link fails if
//! replays roll over, if there are many of the other errors, or if there are timeouts together with bad TLPs or DLLPs. The
//! receiver reports a bad TLP or DLLP; its transmitter, at the other end, reports the timeout.

use crate::address::Address;
use crate::finding::{Finding, Severity};
use crate::findings::gone;
use crate::function::Function;
use crate::link::Link;
use crate::nic;
use crate::role::Role;
use crate::view::View;
use pcie::config::{Correctable, Uncorrectable};
use std::collections::BTreeMap;

/// An error that is reported.
struct Seen {
    name: &'static str,
    status: bool,
    counted: u64,
    severity: Severity,
}

/// From this count on, bad TLPs, bad DLLPs or timeouts are an error.
const MANY: u64 = 100;

/// From this count on, receiver errors are a warning.
const MANY_RECEIVER: u64 = 1000;

/// Functions of one device, at one end of a link, that saw the same errors.
struct End<'m> {
    functions: Vec<&'m Function>,
    seen: Vec<Seen>,
}

/// A link, or a device without a link, with the errors seen there.
struct Site<'v, 'm> {
    view: &'v View<'m>,
    link: Option<&'m Link>,
    ends: Vec<End<'m>>,
}

pub(super) fn find(view: &View<'_>) -> Vec<Finding> {
    let mut sites: BTreeMap<(Option<Address>, Option<Address>), Site<'_, '_>> = BTreeMap::new();
    for function in view.machine.functions.values() {
        let link = link_of(view, function);
        let mut seen = seen(function);
        // A function inside the root complex has no link, so it has no link errors.
        seen.retain(|seen| link.is_some() || !LINK.contains(&seen.name));
        // The link of a device that is gone or without power is down: the finding `silent` covers its errors.
        let gone = link.is_some_and(|link| gone::took_its_link(view, link));
        seen.retain(|seen| !gone || !WHEN_GONE.contains(&seen.name) || seen.severity == Severity::Error);
        if seen.is_empty() {
            continue;
        }
        let key = link.map_or((None, Some(device(function))), |link| (link.upper, link.lower));
        let site = sites.entry(key).or_insert_with(|| Site { view, link, ends: Vec::new() });
        match site.ends.iter_mut().find(|end| end.is_twin(function, &seen)) {
            Some(end) => end.functions.push(function),
            None => site.ends.push(End { functions: vec![function], seen }),
        }
    }
    sites.values().map(Site::finding).collect()
}

/// The link that the registers of a function describe: the one below a root or downstream port, above any other function.
fn link_of<'m>(view: &View<'m>, function: &Function) -> Option<&'m Link> {
    view.tree.link_below(function.address).or_else(|| view.tree.link_above(function.address))
}

/// Function 0 of the device that a function belongs to.
fn device(function: &Function) -> Address {
    let bdf = function.address.bdf;
    Address { bdf: pcie::Bdf::new(bdf.bus(), bdf.device(), 0).unwrap_or(bdf), ..function.address }
}

fn seen(function: &Function) -> Vec<Seen> {
    correctable(function).into_iter().chain(uncorrectable(function)).collect()
}

fn names(seen: &[Seen]) -> Vec<&'static str> {
    seen.iter().map(|seen| seen.name).collect()
}

impl End<'_> {
    /// True for another function of the same device that saw the same errors.
    fn is_twin(&self, function: &Function, seen: &[Seen]) -> bool {
        self.functions.iter().any(|known| device(known) == device(function)) && names(&self.seen) == names(seen)
    }
    fn shown(&self, mut finding: Finding) -> Finding {
        let Some(first) = self.functions.first() else { return finding };
        let uncorrectable = |seen: &&Seen| UNCORRECTABLE.iter().any(|(name, ..)| *name == seen.name);
        let (fatal, mended): (Vec<&Seen>, Vec<&Seen>) = self.seen.iter().partition(uncorrectable);
        for (register, files, errors) in
            [("CESta", "aer_dev_correctable", mended), ("UESta", "aer_dev_nonfatal, aer_dev_fatal", fatal)]
        {
            let list = |words: Vec<String>| (!words.is_empty()).then(|| words.join(" "));
            let set = errors.iter().filter(|e| e.status).map(|e| format!("{}+", e.name)).collect();
            let counted = errors.iter().filter(|e| e.counted > 0).map(|e| format!("{} {}", e.name, e.counted));
            for (source, words) in [(register, list(set)), (files, list(counted.collect()))] {
                if let Some(words) = words {
                    finding = finding.shown(first.address, source, words);
                }
            }
        }
        finding
    }
}

/// Errors that a port reports when the device at the other end disappears.
const WHEN_GONE: [&str; 2] = ["RxErr", "Timeout"];

/// Correctable errors of a link.
const LINK: [&str; 5] = ["RxErr", "BadTLP", "BadDLLP", "Rollover", "Timeout"];

impl Site<'_, '_> {
    fn all(&self) -> impl Iterator<Item = &Seen> {
        self.ends.iter().flat_map(|end| &end.seen)
    }
    /// The errors seen at either end, each once, in the order of the registers.
    fn names(&self) -> Vec<&'static str> {
        let order = LINK.into_iter().chain(UNCORRECTABLE.iter().map(|(name, ..)| *name));
        order.filter(|name| self.all().any(|seen| seen.name == *name)).collect()
    }
    fn finding(&self) -> Finding {
        let (view, severity, names) = (self.view, self.severity(), self.names());
        let of_link = names.iter().any(|name| LINK.contains(name)) && self.link.is_some();
        let says = if severity == Severity::Error && of_link { "fails" } else { "has seen errors" };
        let what = format!("{} {says}: {}", self.name(of_link), names.join(", "));
        let at = self.ends.iter().flat_map(|end| end.functions.iter().map(|function| function.address)).collect();
        let mut finding = Finding::new("aer", severity, at, what);
        finding = self.ends.iter().fold(finding, |finding, end| end.shown(finding));
        let sleeps = self.link.filter(|_| of_link).and_then(|link| asleep(view, link));
        finding = sleeps.iter().fold(finding, |finding, (at, states)| finding.shown(*at, "LnkCtl", states));
        if severity == Severity::Note {
            finding = finding.mended_by(if names == ["RxErr"] {
                "One may come with training; read the counters again under load."
            } else {
                "It was so once or more often since these bits were cleared: `lanescope diff` of two captures tells whether it goes on."
            });
        } else if of_link {
            finding = finding.mended_by(
                "Each is sent again: what it costs goes with how often. Read the counters twice, a minute of load apart: one \
                 that grows is cable, riser, slot, dirt or a failing chip; one that stands is the past.",
            );
        } else {
            finding = finding.mended_by(if names == ["CmpltTO"] {
                "A request that it sent was not answered in time: what was asked slept, was in reset, or was slow. The \
                 kernel's log says when, and not which request it was; firmware of the device, its driver, then the device."
            } else {
                "The kernel's log says which request it was; firmware of the device, its driver, then the device."
            });
        }
        if let Some(lower) = sleeps.and(self.link).and_then(|link| link.lower) {
            finding = finding.mended_by(format!(
                "A link that wakes badly shows the same: try without L1, echo 0 > /sys/bus/pci/devices/{lower}/link/l1_aspm; \
                 if the counters stand still then, it was that."
            ));
        }
        match (severity, self.link.and_then(|link| link.upper)) {
            (Severity::Note, _) | (_, None) => finding,
            (_, Some(_)) if !of_link => finding,
            (_, Some(upper)) => finding.mended_by(format!(
                "If it grows: the link below {} a generation slower is often faster than its replays.",
                view.name(upper)
            )),
        }
    }
    /// The link by its two ends, or by one device if only one end is known. The device itself if the errors are not of the
    /// link.
    fn name(&self, of_link: bool) -> String {
        let ends = self.link.filter(|_| of_link).and_then(|link| link.upper.zip(link.lower));
        let first = self.ends.first().and_then(|end| end.functions.first()).map(|function| function.address);
        match (ends, first) {
            (Some((upper, lower)), _) => {
                format!("the link between {} and {}", self.view.name(upper), self.view.name(lower))
            }
            (None, Some(at)) if of_link => format!("the link of {}", self.view.name(at)),
            (None, at) => at.map_or(String::new(), |at| self.view.name(at)),
        }
    }
    /// The severity of the worst error. Timeouts together with bad TLPs or DLLPs are an error. If no device is concerned that
    /// moves data in bulk, it is at most a warning, unless receiver errors, bad TLPs and timeouts were all counted.
    fn severity(&self) -> Severity {
        let worst = self.all().map(|seen| seen.severity).min().unwrap_or(Severity::Note);
        let has = |name: &str| self.all().any(|seen| seen.name == name);
        let counted = |name: &str| self.all().any(|seen| seen.name == name && seen.counted > 0);
        if ["RxErr", "BadTLP", "Timeout"].into_iter().all(counted) {
            return Severity::Error;
        }
        let fails = has("Timeout") && (has("BadTLP") || has("BadDLLP"));
        let severity = if fails { Severity::Error } else { worst };
        match self.is_fast() {
            true => severity,
            // Bits that nothing counts say that it happened once, as when a link wakes.
            false if self.sleeps() && self.all().all(|seen| seen.counted == 0 && LINK.contains(&seen.name)) => {
                Severity::Note
            }
            false => severity.max(Severity::Warning),
        }
    }
    fn sleeps(&self) -> bool {
        self.link.is_some_and(|link| asleep(self.view, link).is_some())
    }
    fn is_fast(&self) -> bool {
        let functions = || self.ends.iter().flat_map(|end| &end.functions).copied();
        let below = || self.link.map(|link| self.view.across(link)).unwrap_or_default();
        let wires: Vec<&Function> = below().into_iter().flat_map(|device| self.view.functions(device)).collect();
        if !wires.is_empty() && wires.iter().all(|function| is_slow_wire(function)) {
            return false;
        }
        functions().any(|function| Role::of(function).is_fast()) || self.view.any_fast(&below())
    }
}

/// True for a network card whose wire brings a twentieth of what one lane of the first generation carries: replays cost nothing.
fn is_slow_wire(function: &Function) -> bool {
    nic::ports_of(function).is_some_and(|ports| ports.gbit_per_s <= nic::FAST_ETHERNET)
}

/// The errors that a port reported when the device below it disappeared, as in `RxErr+ Timeout+`.
pub(super) fn when_gone(port: &Function) -> Option<String> {
    let seen = correctable(port).into_iter().filter(|seen| seen.status && WHEN_GONE.contains(&seen.name));
    let words: Vec<String> = seen.map(|seen| format!("{}+", seen.name)).collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// An end of a link and its ASPM states, if L1 is enabled at all ends that were observed.
fn asleep(view: &View<'_>, link: &Link) -> Option<(Address, String)> {
    let ends: Vec<&Function> =
        [link.lower, link.upper].into_iter().flatten().filter_map(|at| view.function(at)).collect();
    let states: Vec<_> = ends.iter().filter_map(|end| end.aspm()).collect();
    let first = ends.iter().find(|end| end.aspm().is_some())?;
    states.iter().all(|state| state.l1).then(|| (first.address, format!("ASPM {} Enabled", states[0])))
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

/// A status bit: its name, how it is read, its severity.
type Bit = (&'static str, fn(Uncorrectable) -> Option<bool>, Severity);

/// Uncorrectable errors of the link or of a receiver. Errors of requests that software makes are left out.
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
