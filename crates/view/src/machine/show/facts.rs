//! The facts shown about one function.

use crate::machine::show::{Span, Tone};
use pcie::config::{NamedRegister, PortType};
use probe::function::{Function, Reach};
use probe::link::{Link, LinkRate, Why};
use probe::tree::Tree;

/// Largest number of names listed for functions that are alike.
pub(super) const MOST_NAMES: usize = 12;

/// The link above a device: its current state, the reason, and what is possible where it runs below that.
pub fn link(link: &Link) -> Vec<Span> {
    if link.why == Why::Down {
        return vec![Span::new(Tone::Faint, "no link")];
    }
    let now = link.now.map_or("link not observed".to_string(), |now| now.to_string());
    let tone = match link.why {
        Why::Full | Why::SlotLimited | Why::DeviceLimited => Tone::Good,
        Why::Degraded | Why::Target | Why::Contradicts => Tone::Bad,
        _ => Tone::Plain,
    };
    let mut spans = vec![Span::new(tone, now)];
    spans.extend(why(link).map(|why| Span::new(Tone::Faint, why)));
    spans
}

fn why(link: &Link) -> Option<String> {
    let possible = link.possible.map_or("?".to_string(), |rate| rate.to_string());
    // A width that the port does not report is omitted.
    let of = |end: Option<probe::link::LinkRate>| match end {
        Some(LinkRate { speed: Some(speed), width: None }) => speed.to_string(),
        end => end.map_or("?".to_string(), |rate| rate.to_string()),
    };
    Some(match link.why {
        Why::Full => "full".to_string(),
        Why::SlotLimited => format!("slot-limited: the device can {}", of(link.lower_max)),
        Why::DeviceLimited => format!("device-limited: the port can {}", of(link.upper_max)),
        Why::Target => {
            let target = link.target.map_or("?".to_string(), |target| target.to_string());
            format!("of {possible}: the port's Target Link Speed is {target}")
        }
        Why::MaybePower => format!("of {possible}: idle or asleep, read again under load"),
        Why::Wired => format!("of {possible}: no slot, most likely wired so"),
        Why::Degraded => format!("of {possible}: both ends can do more"),
        Why::Contradicts => format!("of {possible}: its two ends say different things"),
        Why::Virtual => link.unreal.map_or("internal or virtual".to_string(), |unreal| unreal.to_string()),
        Why::OneEnd if link.now == link.lower_max => "full, as far as the device goes".to_string(),
        Why::OneEnd => format!("of the device's {}: the port above was not seen", of(link.lower_max)),
        Why::Unknown => return None,
        Why::Down => "down".to_string(),
    })
}

/// All other facts in short form: settings, errors, place, software. `functions` are alike in everything but their
/// names.
pub fn facts(functions: &[&Function], tree: &Tree) -> Vec<Span> {
    let Some(&function) = functions.first() else { return Vec::new() };
    let mut spans = match function.reach {
        // Settings that it reported earlier are out of date.
        Reach::Nothing => vec![Span::new(Tone::Bad, "does not answer")],
        _ => settings(function, tree).into_iter().map(|fact| Span::new(Tone::Faint, fact)).collect(),
    };
    if function.reach != Reach::Nothing {
        spans.extend(acs(function).map(|fact| Span::new(Tone::Faint, fact)));
        spans.extend(aer(function).map(|fact| Span::new(if is_common(&fact) { Tone::Faint } else { Tone::Bad }, fact)));
    }
    spans.extend(software(functions).into_iter().map(|fact| Span::new(Tone::Faint, fact)));
    spans
}

fn settings(function: &Function, tree: &Tree) -> Vec<String> {
    let mut facts = Vec::new();
    match (function.mps(), function.mps_supported()) {
        (Some(mps), Some(most)) if mps != most => facts.push(format!("MPS {mps} of {most}")),
        (Some(mps), _) => facts.push(format!("MPS {mps}")),
        (None, Some(most)) => facts.push(format!("MPS ? of {most}")),
        (None, None) => {}
    }
    // A port makes few requests of its own, so its MRRS and tags limit nothing.
    let requests = !function.header.is_bridge() && !function.port_type().is_some_and(PortType::is_downstream);
    if requests {
        facts.extend(function.mrrs().map(|mrrs| format!("MRRS {mrrs}")));
        facts.extend(function.tag_bits().map(|bits| format!("{bits}-bit tags")));
    }
    let has_link = tree.link_above(function.address).is_some() || tree.link_below(function.address).is_some();
    facts.extend(function.aspm().filter(|_| has_link).map(|aspm| format!("ASPM {aspm}")));
    let flit = function.express().and_then(|express| express.lnk_sta2.flit());
    facts.extend(flit.filter(|flit| *flit).map(|_| "FLIT mode".to_string()));
    let state = function.capabilities.power().and_then(|power| power.ctl.state()).filter(|state| *state > 0);
    facts.extend(state.map(|state| format!("asleep (D{state})")));
    facts
}

/// The ACS state; `None` where the function has no ACS.
fn acs(function: &Function) -> Option<String> {
    let ctl = function.capabilities.acs()?.ctl;
    let redirects = [ctl.request_redirect()?, ctl.completion_redirect()?, ctl.egress_control()?];
    Some(if redirects[0] || redirects[1] {
        "card to card goes through the root (ACS)".to_string()
    } else if redirects[2] {
        "ACS egress control".to_string()
    } else {
        "ACS lets peers pass".to_string()
    })
}

/// True for advisory non-fatal errors. Software that probes for absent devices causes them; every start of a machine
/// leaves some.
fn is_common(errors: &str) -> bool {
    matches!(errors, "AER AdvNonFatalErr" | "AER AdvNonFatalErr, UnsupReq")
}

/// Errors that were counted, or whose status bits are set; `None` where there are none.
pub fn aer(function: &Function) -> Option<String> {
    let mut errors = Vec::new();
    if let Some(counters) = &function.os.aer {
        for (kind, counts) in
            [("", &counters.correctable), ("nonfatal ", &counters.nonfatal), ("fatal ", &counters.fatal)]
        {
            let counted = counts.iter().filter(|(name, count)| **count > 0 && !name.starts_with("TOTAL"));
            errors.extend(counted.map(|(name, count)| format!("{count} {kind}{name}")));
        }
    }
    if errors.is_empty() {
        let aer = function.capabilities.aer()?;
        errors.extend(set(&aer.correctable));
        errors.extend(set(&aer.uncorrectable));
    }
    (!errors.is_empty()).then(|| format!("AER {}", errors.join(", ")))
}

/// The labels of all flags that are set.
fn set<R: NamedRegister>(register: &R) -> Vec<String> {
    let bits = register.register();
    R::FIELDS.iter().filter(|field| bits.get(**field) == Some(1)).map(|field| field.label.to_string()).collect()
}

/// Place (node, slot) and software (driver, names) of functions.
pub(crate) fn software(functions: &[&Function]) -> Vec<String> {
    let Some(first) = functions.first().map(|function| &function.os) else { return Vec::new() };
    let all = || functions.iter().map(|function| &function.os);
    let mut facts = Vec::new();
    facts.extend(several("slot", all().filter_map(|os| os.slot.clone())));
    facts.extend(first.numa_node.map(|node| format!("node {node}")));
    let groups = several("IOMMU group", all().filter_map(|os| os.iommu.as_ref()).map(|iommu| iommu.group.to_string()));
    let kind = first.iommu.as_ref().and_then(|iommu| iommu.kind.clone());
    facts.extend(groups.map(|groups| kind.map_or(groups.clone(), |kind| format!("{groups} {kind}"))));
    facts.extend(first.driver.clone());
    facts.extend(several("", all().flat_map(|os| os.blocks.iter().map(|block| block.name.clone()))));
    facts.extend(several("", all().flat_map(|os| os.nets.iter().chain(&os.cards).cloned())));
    facts
}

/// A noun with names: `slot 1`, `slots 1, 2`; of many names, the first.
fn several(noun: &str, names: impl Iterator<Item = String>) -> Option<String> {
    let names: Vec<String> = names.collect();
    let plural = if names.len() > 1 && !noun.is_empty() { "s" } else { "" };
    let noun = if noun.is_empty() { String::new() } else { format!("{noun}{plural} ") };
    (!names.is_empty()).then(|| format!("{noun}{}", crate::layout::list(&names, MOST_NAMES)))
}

/// All facts of a function except those that are unique by nature: addresses, slots, groups, names.
pub(super) fn likeness(function: &Function, tree: &Tree) -> String {
    let os = &function.os;
    let settled: Vec<String> = settings(function, tree).into_iter().chain(acs(function)).chain(aer(function)).collect();
    let kind = os.iommu.as_ref().and_then(|iommu| iommu.kind.as_ref());
    let names = (os.slot.is_some(), os.blocks.len(), os.nets.len(), os.cards.len());
    format!("{:?} {settled:?} {:?} {kind:?} {:?} {names:?}", function.reach, os.numa_node, os.driver)
}
