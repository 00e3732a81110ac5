//! Parts and links.

use super::lines::{Lines, assumed, quoted};
use super::source::Source;
use crate::function::Function;
use crate::link::Why;
use crate::model::Device;
use crate::rates::window;
use pcie::tlp::FOUR_GIB;
use pcie::{LinkSpeed, PayloadSize};
use system::catalogue;
use system::field::FieldType;
use system::{LinkId, PartId, PortId, System};

/// Parts, each with the address and the name of what it was.
pub(super) fn parts(source: &Source<'_>, out: &mut Lines) {
    let system = &source.report.model.system;
    out.line(0, "parts:");
    for (number, part) in system.parts.iter().enumerate() {
        let id = PartId(number);
        if part.ports.is_empty() && !part.kind.is_root() {
            continue;
        }
        out.line(1, &format!("{}:", source.names.part(id)));
        out.line(2, &format!("kind: {}", part.kind.word()));
        out.line(2, &format!("about: {}", quoted(&about(source, id))));
        let place = if part.kind.is_root() { "slots" } else { "ports" };
        let port = |&port: &PortId| format!("{}: {}", source.names.port(port), word(able(system, port)));
        let mut ports: Vec<String> = part.ports.iter().map(port).collect();
        if let ([up], true) = (part.ports.as_slice(), part.kind.is_switch()) {
            // Nothing is below it: its other ports have no link.
            ports.push(format!("down: {}", word(able(system, *up))));
        }
        out.line(2, &format!("{place}: {{ {} }}", ports.join(", ")));
        out.line(2, &format!("mps: {} B", most(source, id)));
        figures(source, id, out);
        by_hand(source, id, out);
        if device(source, id)
            .is_some_and(|device| source.view.function(device.address).is_some_and(|f| f.mps().is_none()))
        {
            out.comment("no Device Control was read: Max_Payload_Size and tags are assumed, the least and the usual");
        }
        own_ports(source, id, out);
    }
}

fn about(source: &Source<'_>, id: PartId) -> String {
    let part = source.report.model.system.part(id);
    let device = device(source, id);
    let name = device.map_or(part.model.clone(), |device| {
        let main = source.view.function(device.main).map_or(String::new(), Function::title);
        format!("{} {main}", source.view.name(device.main))
    });
    match part.kind.is_root() {
        true => "processor, memory and root ports; all sockets are one".to_string(),
        false if device.is_none() && part.name != name => format!("{} {name}", part.name),
        false => name,
    }
}

/// Figures of a kind that registers say, and those that they do not say, with what parts of the catalogue have.
fn figures(source: &Source<'_>, id: PartId, out: &mut Lines) {
    let part = source.report.model.system.part(id);
    let value = |field: &str| part.value(field).unwrap_or_default();
    let mut guess = |field: &str, why: &str| {
        let known = catalogue::range(part.kind.word(), field);
        let known = known.map_or(String::new(), |(least, most)| format!("; {least} to {most} in the catalogue"));
        out.line(2, &format!("{field}: {}", assumed(&value(field), &format!("{why}{known}"))));
    };
    if part.kind.is_root() {
        guess("read_latency", "a root complex says nothing of it");
        guess("completion_bytes", "as long as Max_Payload_Size allows");
        let bits = source.report.model.system.parts.iter().filter_map(|part| part.kind.tag_bits());
        let bits = bits.max_by_key(|bits| bits.tags());
        if let Some(bits) = bits.filter(|bits| bits.tags() > part.habits.completer_tag_bits.tags()) {
            // Somebody enabled them, who had looked whether the root complex answers them.
            out.line(2, &format!("completer_tag_bits: {}", bits.print()));
        }
    } else if part.kind.is_switch() {
        guess("latency", "a switch says nothing of it");
    } else {
        guess("read_requests", "as many as it has tags; how many a device uses no register says");
        out.line(2, &format!("tag_bits: {}", value("tag_bits")));
        out.line(2, &format!("bars: {}", bars(source, id)));
    }
}

/// A BAR above 4 GiB, where the largest one of the device is there: writes to it have longer headers.
fn bars(source: &Source<'_>, id: PartId) -> &'static str {
    let far = device(source, id).and_then(|device| source.view.function(device.main)).and_then(window);
    if far.is_some_and(|base| base >= FOUR_GIB) { "1 MiB 64-bit" } else { "1 MiB" }
}

fn device<'s>(source: &'s Source<'_>, id: PartId) -> Option<&'s Device> {
    source.report.model.devices.iter().find(|device| device.part == id)
}

/// The Max_Payload_Size that a part supports, and at least what it was set to: a text may contradict itself.
fn most(source: &Source<'_>, id: PartId) -> PayloadSize {
    source.report.model.settled.part(id).habits.mps.max(source.report.model.system.part(id).mps)
}

/// True where the Max_Payload_Size of a part is not what firmware would have settled, and some port has it.
fn is_by_hand(source: &Source<'_>, id: PartId) -> bool {
    let (found, settled) = (&source.report.model.system, &source.report.model.settled);
    let all_own =
        found.part(id).ports.iter().all(|&port| settled.habits(port).mps.max(found.mps(port)) != most(source, id));
    found.part(id).mps != settled.part(id).mps && (found.part(id).kind.is_endpoint() || !all_own)
}

/// What was set otherwise than firmware would have, as `setpci` does it.
fn by_hand(source: &Source<'_>, id: PartId, out: &mut Lines) {
    let (found, settled) = (source.report.model.system.part(id), source.report.model.settled.part(id));
    let mut all = Vec::new();
    if source.whole || is_by_hand(source, id) {
        all.push(format!("mps: {} B", found.mps));
    }
    if found.kind.is_endpoint() && found.mrrs != settled.mrrs {
        all.push(format!("mrrs: {} B", found.mrrs));
    }
    if !all.is_empty() {
        out.line(2, &format!("setpci: {{ {} }}", all.join(", ")));
    }
}

/// Addresses of ports, and the Max_Payload_Size of those that have not that of the part.
fn own_ports(source: &Source<'_>, id: PartId, out: &mut Lines) {
    let (found, settled) = (&source.report.model.system, &source.report.model.settled);
    let most = most(source, id);
    // What is set by hand for a part is so for all its ports.
    let part_by_hand = source.whole || is_by_hand(source, id);
    let mut all = Vec::new();
    for &port in &found.part(id).ports {
        let set = found.mps(port);
        let able = settled.habits(port).mps.max(set);
        let mut own = Vec::new();
        own.extend(source.addresses.get(&port).map(|at| format!("address: {}", source.view.name(*at))));
        let sized = !found.part(id).kind.is_endpoint();
        if sized && able != most {
            own.push(format!("mps: {able} B"));
        }
        let otherwise = if part_by_hand { found.part(id).mps } else { settled.mps(port) };
        if sized && (source.whole || set != otherwise) {
            own.push(format!("setpci: {{ mps: {set} B }}"));
        }
        if !own.is_empty() {
            all.push(format!("{}: {{ {} }}", source.names.port(port), own.join(", ")));
        }
    }
    if !all.is_empty() {
        out.line(2, "at:");
        all.iter().for_each(|line| out.line(3, line));
    }
}

/// What a port can, and at least what its link does: a link without a meaning of its own is no bottleneck.
fn able(system: &System, port: PortId) -> LinkSpeed {
    let own = system.port(port).able;
    let now = system.port(port).link.map_or(own, |link| system.link(link).speed);
    LinkSpeed { generation: own.generation.max(now.generation), width: own.width.max(now.width) }
}

/// As in `gen4 x8`.
fn word(speed: LinkSpeed) -> String {
    speed.to_string().to_lowercase()
}

/// Links, with what keeps each from the most that its ends can.
pub(super) fn links(source: &Source<'_>, out: &mut Lines) {
    let system = &source.report.model.system;
    out.line(0, "links:");
    for number in 0..system.links.len() {
        let (id, link) = (LinkId(number), system.link(LinkId(number)));
        let ends = [able(system, link.upper), able(system, link.lower)];
        let generation = ends[0].generation.min(ends[1].generation);
        let width = ends[0].width.min(ends[1].width);
        let mut line = format!("join: {}", source.names.join(system, id));
        if link.speed.width != width {
            line += &format!(", lanes: {}", link.speed.width.lanes());
        }
        if link.speed.generation != generation {
            line += &format!(", gen: {}", link.speed.generation.number());
        }
        let is = |why: Why| link.why.observed.as_ref().is_some_and(|observed| *observed == why.to_string());
        let why = match &link.why.observed {
            None => String::new(),
            Some(_) if is(Why::Virtual) => " # without wires: assumed to be no bottleneck".into(),
            Some(_) if is(Why::Unknown) => " # as much as both ends can: not all was read".into(),
            Some(why) => format!(" # {why}"),
        };
        out.line(1, &format!("- {{ {line} }}{why}"));
    }
}
