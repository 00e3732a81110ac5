//! The steps that are tried for a thing: 5 %, or its next legal value.

use crate::confirmed::{Step, Thing};
use pcie::PayloadSize;
use system::field::Sizes;
use system::kinds::card::TagBits;
use system::{Field, FieldType, Nature, Node, PartId, Scale, System};

/// The size of a step where the value is continuous.
const LITTLE: f64 = 1.05;

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
            let values = field.steps(&from, sizes(part));
            let said = |step: Step| match field.scale {
                Scale::Time => Step { said: "5 % less".into(), ..step },
                Scale::Rate | Scale::Frequency => Step { said: "5 % more".into(), ..step },
                _ => step,
            };
            values.into_iter().map(|next| said(step(from.clone(), next.to, next.ratio))).collect()
        }
        Thing::Port { port, field } => {
            let (port, part) = (system.port(*port), system.part(system.port(*port).part));
            let own = port.own.iter().find(|own| own.field == *field);
            let known = part.fields().find(|known| known.name == *field);
            let (Some(own), Some(known)) = (own, known) else { return Vec::new() };
            let values = known.steps(&own.value, sizes(part)).into_iter();
            values.map(|next| step(own.value.clone(), next.to, next.ratio)).collect()
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
pub(crate) fn may_harm(system: &System, step: &Step) -> bool {
    let of = |part: PartId, name: &str| system.part(part).fields().any(|field| field.name == name && field.may_harm());
    match &step.thing {
        Thing::Mps | Thing::Mrrs(_) => true,
        Thing::Figure { parts, field } => parts.first().is_some_and(|&part| of(part, field)),
        Thing::Port { port, field } => of(system.port(*port).part, field),
        Thing::Ways(_) | Thing::Tags(_) | Thing::Depth(_) | Thing::Cores(_) => false,
    }
}

/// True if a field of `part` may be tried: no mechanism of the standard, nothing that is settled into other figures
/// ([`Thing::Mps`], [`Thing::Tags`]), and nothing that selects another build of compiled gateware.
pub(crate) fn is_tried(field: &Field, part: &Node) -> bool {
    let is_other_build = field.is_of_build && part.kind.is_compiled();
    field.nature != Nature::Mechanism && !field.is_settled && !is_other_build
}

/// The next number of tags that the standard defines.
fn more_tags(tags: u64) -> Option<u64> {
    [TagBits::Five, TagBits::Eight, TagBits::Ten, TagBits::Fourteen].map(TagBits::tags).into_iter().find(|&n| n > tags)
}

/// What one TLP and one request take at `part`.
fn sizes(part: &Node) -> Sizes {
    let payload = part.mps.bytes();
    Sizes { payload, request: if part.kind.engine().is_some() { part.request_bytes() } else { payload } }
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
