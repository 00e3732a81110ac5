//! The steps that are tried for a thing: 5 %, or its next legal value.

use crate::cause::thing::{is_left_alone, more_tags};
use crate::confirmed::{Step, Thing};
use pcie::{Bytes, PayloadSize};
use system::{Field, FieldType, Node, PartId, Scale, System};

/// The size of a step where the value is continuous.
const LITTLE: f64 = 1.05;

/// Words that can only make a flow faster: field and word.
const BETTER: [(&str, &str); 6] = [
    ("forwarding", "cut-through"),
    ("update_fc", "each"),
    ("start_alignment", "standard"),
    ("overlap", "yes"),
    ("descriptors_in_turn", "no"),
    ("memory_above_4g", "no"),
];

/// Counts for which a smaller value is better.
const FEWER: [&str; 9] = [
    "idle_cycles",
    "doorbell_bytes",
    "status_bytes",
    "descriptor_bytes",
    "latency_cycles",
    "tx_latency_cycles",
    "rx_latency_cycles",
    "command_latency_cycles",
    "target_read_latency_cycles",
];

/// Sizes that must be powers of two.
const DOUBLED: [&str; 5] =
    ["completion_bytes", "target_completion_bytes", "pio_read_bytes", "page_bytes", "core_width"];

/// The steps of `thing`, the smallest first; none if it has no better value.
pub(crate) fn steps(system: &System, thing: &Thing) -> Vec<Step> {
    let step =
        |from: String, to: String, ratio: Option<f64>| Step { thing: thing.clone(), from, said: to.clone(), to, ratio };
    match thing {
        Thing::Ways(ways) => {
            let from = ways.first().map_or_else(String::new, |way| system.link(way.link).speed.to_string());
            vec![step(from, "5 % faster".into(), Some(LITTLE))]
        }
        Thing::Figure { parts, field } => {
            let Some(part) = parts.first().map(|&part| system.part(part)) else { return Vec::new() };
            let Some(field) = part.fields().find(|known| known.name == *field) else { return Vec::new() };
            let Some(from) = part.value(field.name) else { return Vec::new() };
            let values = of_field(field, &from, part);
            let said = |step: Step| match field.scale {
                Scale::Time => Step { said: "5 % less".into(), ..step },
                Scale::Rate | Scale::Frequency => Step { said: "5 % more".into(), ..step },
                _ => step,
            };
            values.into_iter().map(|(to, ratio)| said(step(from.clone(), to, ratio))).collect()
        }
        Thing::Port { port, field } => {
            let (port, part) = (system.port(*port), system.part(system.port(*port).part));
            let own = port.own.iter().find(|own| own.field == *field);
            let known = part.fields().find(|known| known.name == *field);
            let (Some(own), Some(known)) = (own, known) else { return Vec::new() };
            let values = of_field(known, &own.value, part).into_iter();
            values.map(|(to, ratio)| step(own.value.clone(), to, ratio)).collect()
        }
        Thing::Mps => {
            let Some(from) = system.parts.iter().map(|part| part.mps).min() else { return Vec::new() };
            let next = PayloadSize::new(from.bytes() * 2);
            next.map(|next| step(from.print(), next.print(), Some(2.0))).into_iter().collect()
        }
        Thing::Mrrs(part) => {
            let from = system.part(*part).mrrs;
            let next = PayloadSize::new(from.bytes() * 2);
            next.map(|next| step(from.print(), next.print(), Some(2.0))).into_iter().collect()
        }
        Thing::Depth(depth) => {
            let to = (*depth as f64 * LITTLE).ceil().max(*depth as f64 + 1.0);
            vec![step(depth.to_string(), format!("{to}"), Some(to / *depth as f64))]
        }
        Thing::Cores(cores) => {
            let to = cores + 1;
            vec![step(cores.to_string(), to.to_string(), Some(to as f64 / *cores as f64))]
        }
        Thing::Tags(part) => {
            let from = system.part(*part).tags;
            let next = more_tags(from);
            next.map(|n| step(from.to_string(), n.to_string(), Some(n as f64 / from as f64))).into_iter().collect()
        }
    }
}

/// True for larger TLPs and pages: with small buffers or few credits they can slow a flow down or stop it.
pub(crate) fn may_harm(step: &Step) -> bool {
    match &step.thing {
        Thing::Mps | Thing::Mrrs(_) => true,
        Thing::Figure { field, .. } | Thing::Port { field, .. } => {
            DOUBLED.contains(field) || ["payload", "read_request"].contains(field)
        }
        Thing::Ways(_) | Thing::Tags(_) | Thing::Depth(_) | Thing::Cores(_) => false,
    }
}

/// True if a field of `part` may be tried.
pub(crate) fn is_tried(field: &Field, part: &Node) -> bool {
    let compiled = part.kind.get("gateware").is_some_and(|word| word != "none");
    !is_left_alone(field, compiled)
}

/// Better values of a field, each with the size of the step.
fn of_field(field: &Field, from: &str, part: &Node) -> Vec<(String, Option<f64>)> {
    let Some(number) = field.scale.number(from) else {
        let better = BETTER.iter().find(|(name, to)| *name == field.name && *to != from);
        return better.map(|(_, to)| ((*to).to_string(), None)).into_iter().collect();
    };
    let numbers = match field.scale {
        Scale::Time => vec![number / LITTLE],
        Scale::Rate | Scale::Frequency => vec![number * LITTLE],
        Scale::Size => PayloadSize::new(number as u64 * 2).map(|size| size.bytes() as f64).into_iter().collect(),
        Scale::Bytes | Scale::Whole(_) => counts(field.name, number, part),
        Scale::Ppm | Scale::Switch | Scale::Words(_) => Vec::new(),
    };
    let step = |to: f64| {
        let ratio = if to > number { to / number.max(1.0) } else { number / to.max(1e-9) };
        (field.scale.write(to), Some(ratio.min(1e3)))
    };
    let all = numbers.into_iter().filter(|&to| to >= 0.0 && to != number).map(step);
    all.filter(|(to, _)| to != from && readable(field, to)).collect()
}

/// The next values of a count. For a buffer, one of them adds room for one TLP (or request), because less may have no
/// effect.
fn counts(name: &str, number: f64, part: &Node) -> Vec<f64> {
    let more = (number * LITTLE).ceil().max(number + 1.0);
    let mps = part.mps.bytes() as f64;
    match name {
        "tlps_per_ack" => vec![number - 1.0, more].into_iter().filter(|&n| n >= 1.0).collect(),
        "rcb" => Vec::new(),
        "payload" => vec![(number + (number * (LITTLE - 1.0) / 4.0).ceil() * 4.0).min(mps)],
        name if FEWER.contains(&name) => vec![(number / LITTLE).floor()].into_iter().filter(|&n| n < number).collect(),
        name if DOUBLED.contains(&name) => vec![number * 2.0],
        "posted_data" | "completion_data" => vec![more, number + (mps / 16.0).ceil()],
        "fifo" => vec![more, number + mps],
        "replay_buffer" => vec![more, number + mps + REPLAY_MORE],
        "completion_buffer" => {
            vec![more, number + if part.kind.engine().is_some() { part.request_bytes() as f64 } else { mps }]
        }
        _ => vec![more],
    }
}

/// Header, sequence number and LCRC of a TLP in a replay buffer, in bytes.
const REPLAY_MORE: f64 = 24.0;

fn readable(field: &Field, to: &str) -> bool {
    field.scale.number(to).is_some() && !(matches!(field.scale, Scale::Bytes) && Bytes::parse(to).is_none())
}

/// The parts whose figures are tried for a flow between `ends`: all parts that any flow passes.
pub(crate) fn used_parts(system: &System, ends: impl Iterator<Item = (PartId, PartId)>) -> Vec<PartId> {
    let mut used = vec![false; system.parts.len()];
    used.iter_mut().take(1).for_each(|host| *host = true);
    for (from, to) in ends {
        for part in [from, to] {
            used[part.0] = true;
        }
        for on in system.path(from, to) {
            let (a, b) = system.ends(on);
            used[system.port(a).part.0] = true;
            used[system.port(b).part.0] = true;
        }
    }
    (0..used.len()).filter(|&part| used[part]).map(PartId).collect()
}
