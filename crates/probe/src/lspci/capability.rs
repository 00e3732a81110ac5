//! One capability as printed: its offset, its name, its registers.

use crate::lspci::block::Told;
use crate::lspci::tokens::Tokens;
use crate::lspci::{error_log, express, small};
use crate::remark::{Place, Remark};
use pcie::config::layout::Slot;
use pcie::config::{Body, Capability, CapabilityId};

/// The capability, and a remark on what in its registers was not understood.
pub fn read(told: &Told) -> (Capability, Option<Remark>) {
    let (offset, version, text) = place(&told.text);
    let id = id(text, version.is_some(), offset);
    let mut capability =
        Capability { id, offset, version, body: Body::Opaque, bytes: Vec::new(), text: text.to_string() };
    let Some(id) = id else { return (capability, None) };
    capability.body = Body::empty(id);
    let left = fill(&mut capability.body, id, text);
    let strange = (!left.is_empty())
        .then(|| Remark { place: Place::Line(told.line), what: format!("not understood in {id}: {}", left.join(" ")) });
    (capability, strange)
}

/// Splits `[100 v1] Advanced Error Reporting ...` into offset, version, and the rest.
fn place(text: &str) -> (u16, Option<u8>, &str) {
    let bracketed = text.strip_prefix('[').and_then(|text| text.split_once(']'));
    let Some((inside, rest)) = bracketed else { return (0, None, text) };
    let mut words = inside.split_whitespace();
    let offset = words.next().and_then(|word| u16::from_str_radix(word, 16).ok()).unwrap_or(0);
    let version = words.next().and_then(|word| word.strip_prefix('v')).and_then(|word| word.parse().ok());
    (offset, version, rest.trim())
}

/// The id of a capability by its printed name. Ids without a name are printed as numbers:
/// `Extended Capability ID 0x2b`, `#11 [0000]`.
fn id(text: &str, has_version: bool, offset: u16) -> Option<CapabilityId> {
    if let Some(number) = text.strip_prefix("Extended Capability ID 0x") {
        let number = number.split_whitespace().next()?;
        return u16::from_str_radix(number, 16).ok().map(CapabilityId::Extended);
    }
    if let Some(number) = text.strip_prefix('#') {
        let number = number.split_whitespace().next()?;
        return u8::from_str_radix(number, 16).ok().map(CapabilityId::Standard);
    }
    CapabilityId::named(text, has_version || offset >= 0x100)
}

/// Fills in what the text says. Gives the words that were not understood, for capabilities that are decoded completely.
fn fill<'a>(body: &mut Body, id: CapabilityId, text: &'a str) -> Vec<&'a str> {
    match body {
        Body::Dvsec(dvsec) => small::dvsec(dvsec, text),
        Body::Rebar(rebar) | Body::VfRebar(rebar) => {
            small::rebar(rebar, text);
            return Vec::new();
        }
        Body::Power(power) => {
            small::power(power, text);
            return Vec::new();
        }
        Body::Msi(msi) => {
            small::msi(msi, text);
            return Vec::new();
        }
        Body::Msix(msix) => {
            small::msix(msix, text);
            return Vec::new();
        }
        Body::Ltr(ltr) => {
            small::ltr(ltr, text);
            return Vec::new();
        }
        Body::Sriov(sriov) => small::sriov(sriov, text),
        Body::L1Substates(substates) => small::l1_substates(substates, text),
        _ => {}
    }
    let mut left = Vec::new();
    let (title, segments) = segments(body, text);
    if let Body::Express(held) = body {
        left.extend(express::title(&mut held.flags, &title));
    }
    let mut known: Vec<&str> = Vec::new();
    for (name, words) in segments {
        // A register that comes again is another function's: a text has lost a head.
        if known.contains(&name) {
            left.extend([name, "again"]);
            continue;
        }
        known.push(name);
        let mut slots = body.slots();
        let Some(slot) = slots.iter_mut().find(|slot| slot.name == name) else { continue };
        let mut tokens = Tokens::of(words);
        register(id, slot, &mut tokens);
        left.extend(tokens.left());
    }
    if let Body::Aer(aer) = body {
        aer.header_log = error_log::header_log(text);
    }
    left
}

/// The words before the first register, and the words of each register with its name.
type Segments<'a> = (Vec<&'a str>, Vec<(&'static str, Vec<&'a str>)>);

fn segments<'a>(body: &mut Body, text: &'a str) -> Segments<'a> {
    let names: Vec<&'static str> = body.slots().iter().map(|slot| slot.name).collect();
    let (mut title, mut segments) = (Vec::new(), Vec::<(&'static str, Vec<&'a str>)>::new());
    for word in text.split_whitespace() {
        let label = word.strip_suffix(':').and_then(|label| names.iter().find(|name| **name == label));
        match (label, segments.last_mut()) {
            (Some(name), _) => segments.push((name, Vec::new())),
            (None, Some((_, words))) => words.push(word.trim_end_matches([',', ';'])),
            (None, None) => title.push(word.trim_end_matches([',', ';'])),
        }
    }
    (title, segments)
}

fn register(id: CapabilityId, slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    match id {
        CapabilityId::Standard(0x10) => express::register(slot, tokens),
        CapabilityId::Extended(0x01 | 0x1d) => error_log::register(slot, tokens),
        _ => small::register(slot, tokens),
    }
    tokens.take_flags(slot);
}
