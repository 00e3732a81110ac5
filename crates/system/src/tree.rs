//! A system as text: the tree with all settled values, and all figures with their origins.

use crate::figure::{Figure, Origin};
use crate::graph::{Less, Node, PartId, Port, PortId, System, Window};
use pcie::Bytes;
use pcie::tlp::HEADER_4DW_BYTES;
use std::fmt::Write;

/// A figure that several parts have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The parts: `card[0..7]` or `host`; for the own value of a port, as in `board[0..1].down[2]`.
    pub parts: String,
    /// Catalogue entry or kind of the first part.
    pub model: String,
    /// Field, value and origin.
    pub figure: Figure,
}

/// All figures of a system with their origins, where equal figures of an array are one row. Without `defaults`, figures
/// that were not set are omitted.
pub fn figures(system: &System, defaults: bool) -> Vec<Row> {
    // Of a port, its name within its part.
    type Common<'a> = (Vec<&'a Node>, &'a str, &'a Figure);
    let mut rows: Vec<Common<'_>> = Vec::new();
    for part in &system.parts {
        let whole = part.figures.iter().map(|figure| ("", figure));
        let ports = part.ports.iter().map(|&port| system.port(port));
        let own = ports.flat_map(|port| port.own.iter().map(move |figure| (within(part, port), figure)));
        for (port, figure) in whole.chain(own).filter(|(_, f)| defaults || f.origin != Origin::Default) {
            let same = |row: &&mut Common<'_>| {
                (row.1, row.2) == (port, figure)
                    && row.0.first().is_some_and(|p| base(&p.name) == base(&part.name) && p.model == part.model)
            };
            match rows.iter_mut().find(same) {
                Some((parts, ..)) => parts.push(part),
                None => rows.push((vec![part], port, figure)),
            }
        }
    }
    let row = |(parts, port, figure): Common<'_>| Row {
        parts: {
            let parts = span(&parts.iter().map(|p| p.name.as_str()).collect::<Vec<_>>());
            if port.is_empty() { parts } else { format!("{parts}.{port}") }
        },
        model: parts.first().map(|p| p.model.clone()).unwrap_or_default(),
        figure: figure.clone(),
    };
    rows.into_iter().map(row).collect()
}

/// The tree: links with speed, width and reason; parts with ID, MPS, MRRS, tags, windows and BARs; then the reasons for
/// MPS, MRRS and tags.
pub fn show(system: &System) -> String {
    told(system, usize::MAX)
}

/// The same, with only the first of many neighbours that differ in names and addresses only.
pub fn brief(system: &System) -> String {
    told(system, MOST_ALIKE)
}

/// Up to this many equal neighbours are shown.
const MOST_ALIKE: usize = 16;

fn told(system: &System, most: usize) -> String {
    let mut text = format!("{}: {}\n\n", system.name, system.title);
    for host in system.roots() {
        let memory = header(system.header_bytes(host));
        let part = system.part(host);
        let _ = writeln!(
            text,
            "{}  {}  MPS {}  memory from {}: {memory}",
            part.name,
            part.model,
            part.mps,
            hex(system.memory_address(host))
        );
        ports(system, host, "", most, &mut text);
    }
    let whys = whys(system);
    if !whys.is_empty() {
        text.push_str("\nsettled\n");
        let width = whys.iter().map(|(what, _)| what.chars().count()).max().unwrap_or(0);
        for (what, why) in whys {
            let _ = writeln!(text, "  {what:width$}  {why}");
        }
    }
    text
}

/// All downstream-facing ports of a part, with everything below them.
fn ports(system: &System, part: PartId, indent: &str, most: usize, text: &mut String) {
    let down = facing_down(system, part);
    let (mut first, mut end) = (0, 0);
    for (number, &id) in down.iter().enumerate() {
        if number >= end {
            let same =
                down[number..].iter().take_while(|&&other| most < down.len() && alike(system, id, other)).count();
            (first, end) = (number, number + same.max(1));
        }
        if end - first > most.saturating_add(1) && number - first >= most {
            if number + 1 == end {
                let branch = if end == down.len() { "└─" } else { "├─" };
                let _ = writeln!(text, "{indent}{branch} and {} more that are alike: --all", end - first - most);
            }
            continue;
        }
        let last = number + 1 == down.len();
        let (branch, deeper) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        let port = system.port(id);
        let _ = write!(text, "{indent}{branch}{}", short(system, port));
        let indent = format!("{indent}{deeper}");
        match port.link.map(|link| system.link(link)) {
            None => {
                let _ = writeln!(text, "  {}, free", port.able);
            }
            Some(link) => {
                let why = if link.why == Less::default() { String::new() } else { format!(" ({})", link.why) };
                let sris = if link.sris { ", SRIS" } else { "" };
                let _ = writeln!(text, "  {}{why}{sris}{}", link.speed, windows(port));
                let lower = system.port(link.lower).part;
                let _ = writeln!(text, "{indent}{}", one(system, link.lower));
                ports(system, lower, &indent, most, text);
            }
        }
    }
}

/// The downstream-facing ports of a part.
fn facing_down(system: &System, part: PartId) -> Vec<PortId> {
    system.part(part).ports.iter().copied().filter(|&p| system.port(p).role.faces_down()).collect()
}

/// True where two ports, their links and everything below them differ in names and addresses only.
fn alike(system: &System, one: PortId, other: PortId) -> bool {
    if one == other {
        return true;
    }
    let (one, other) = (system.port(one), system.port(other));
    let link = |port: &Port| port.link.map(|link| system.link(link));
    let own = |port: &Port| port.own.iter().map(|own| (own.field, own.value.clone())).collect::<Vec<_>>();
    if (one.able, one.mps) != (other.able, other.mps) || own(one) != own(other) {
        return false;
    }
    match (link(one), link(other)) {
        (None, None) => true,
        (Some(one), Some(other)) => {
            let (a, b) = (system.port(one.lower).part, system.port(other.lower).part);
            (one.speed, one.sris) == (other.speed, other.sris) && alike_parts(system, a, b)
        }
        _ => false,
    }
}

fn alike_parts(system: &System, one: PartId, other: PartId) -> bool {
    let (a, b) = (system.part(one), system.part(other));
    let bars = |part: &Node| part.bars.iter().map(|bar| (bar.window.bytes, bar.is_64bit)).collect::<Vec<_>>();
    let (below_a, below_b) = (facing_down(system, one), facing_down(system, other));
    (&a.model, a.mps, a.mrrs, a.tags, bars(a)) == (&b.model, b.mps, b.mrrs, b.tags, bars(b))
        && below_a.len() == below_b.len()
        && below_a.iter().zip(&below_b).all(|(&a, &b)| alike(system, a, b))
}

/// `down[1] 04:01.0`, followed by the port's own values.
fn short(system: &System, port: &Port) -> String {
    let own: String = port.own.iter().map(|own| format!("  {} {}", own.field, own.value)).collect();
    format!("{} {}{own}", within(system.part(port.part), port), port.bdf)
}

/// `down[1]` of `board[0].down[1]`.
fn within<'a>(part: &Node, port: &'a Port) -> &'a str {
    port.name.strip_prefix(part.name.as_str()).and_then(|n| n.strip_prefix('.')).unwrap_or(&port.name)
}

/// Buses and windows of a bridge.
fn windows(port: &Port) -> String {
    let (first, last) = port.buses;
    let buses = if first == last { format!("bus {first:02x}") } else { format!("buses {first:02x}-{last:02x}") };
    let open = port.windows.iter().zip(["", " prefetchable"]).filter(|(w, _)| w.bytes > 0);
    let open: String = open.map(|(w, kind)| format!("  {}{kind}", range(w))).collect();
    format!("  {buses}{open}")
}

/// One line for a part below a link. `by` is the port at the lower end.
fn one(system: &System, by: PortId) -> String {
    let id = system.port(by).part;
    let part = system.part(id);
    let mut line = format!("{}  {}  {}  MPS {}", part.name, part.model, system.port(by).bdf, part.mps);
    if part.kind.is_endpoint() {
        let _ = write!(line, "  MRRS {}  {} tags", part.mrrs, part.tags);
    }
    for bar in part.bars.iter().filter(|bar| part.ports.get(bar.port) == Some(&by)) {
        let width = if bar.is_64bit { "64-bit" } else { "32-bit" };
        let _ = write!(line, "  BAR {} {width} at {}", Bytes(bar.window.bytes), hex(bar.window.base));
    }
    if !part.bars.is_empty() {
        let _ = write!(line, ": {}", header(system.header_bytes(id)));
    }
    line
}

fn header(bytes: u64) -> &'static str {
    if bytes == HEADER_4DW_BYTES { "4 DW headers" } else { "3 DW headers" }
}

fn hex(address: u64) -> String {
    format!("{address:#x}")
}

fn range(window: &Window) -> String {
    format!("{:#x}-{:#x}", window.base, window.base + (window.bytes - 1))
}

/// The reasons for settled values of the parts, each reason once.
fn whys(system: &System) -> Vec<(String, String)> {
    let mut all: Vec<(String, String, Vec<&str>)> = Vec::new();
    for part in &system.parts {
        for figure in &part.figures {
            let Origin::Settled(why) = &figure.origin else { continue };
            let what = format!("{} {}", figure.field, figure.value);
            match all.iter_mut().find(|(w, y, _)| *w == what && y == why) {
                Some((_, _, parts)) => parts.push(&part.name),
                None => all.push((what, why.clone(), vec![&part.name])),
            }
        }
    }
    all.into_iter().map(|(what, why, parts)| (what, format!("{}: {why}", span(&parts)))).collect()
}

/// `card` of `card[3]`.
fn base(name: &str) -> &str {
    name.split('[').next().unwrap_or(name)
}

/// `host, card[0..7]`: consecutive elements of an array are combined.
fn span(names: &[&str]) -> String {
    let index = |name: &str| name.split_once('[').and_then(|(_, i)| i.strip_suffix(']')?.parse::<u64>().ok());
    let mut runs: Vec<(&str, Option<(u64, u64)>)> = Vec::new();
    for name in names {
        let (base, index) = (base(name), index(name));
        match (runs.last_mut(), index) {
            (Some((b, Some((_, last)))), Some(i)) if *b == base && *last + 1 == i => *last = i,
            _ => runs.push((base, index.map(|i| (i, i)))),
        }
    }
    let print = |(base, range): &(&str, Option<(u64, u64)>)| match range {
        None => base.to_string(),
        Some((a, b)) if a == b => format!("{base}[{a}]"),
        Some((a, b)) => format!("{base}[{a}..{b}]"),
    };
    runs.iter().map(print).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_drawn_together() {
        assert_eq!(span(&["host", "card[0]", "card[1]", "card[3]"]), "host, card[0..1], card[3]");
    }
}
