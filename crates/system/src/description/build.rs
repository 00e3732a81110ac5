//! Builds the graph of a description: parts from their specs, links from index notation. The result can be settled.

use crate::description::at::port_name;
use crate::description::instance::Instance;
use crate::description::join::Joiner;
use crate::description::port_line::What;
use crate::error::{Error, Problem};
use crate::graph::{Graph, Node, PartId, Port, PortId, System};
use crate::settle::Draft;
use crate::written::spec::{MOST_PARTS, PartSpec, Spec};
use pcie::{Bdf, PayloadSize};
use std::collections::{HashMap, HashSet};

/// The largest number of ports: four for each part.
const MOST_PORTS: u64 = 4 * MOST_PARTS;

/// Builds the graph of a description.
pub(crate) fn build(spec: &Spec) -> Result<Draft, Error> {
    let instances = instances(spec)?;
    let last = |name: &str| spec.settings.iter().rev().find(|s| s.name.text == name);
    let mut draft = Draft {
        system: System::of(Graph { name: spec.name.clone(), title: spec.title.clone(), ..Graph::default() }),
        parts: Vec::new(),
        links: Vec::new(),
        settings: spec.resolve_settings(),
        mps_place: last("mps").map(|s| s.value.place.clone()),
        mrrs_origin: last("mrrs").map(|s| s.origin.clone()),
    };
    let mut first = HashMap::new();
    let mut placed = Vec::new();
    for (instance, number) in instances {
        first.entry(number).or_insert(placed.len());
        placed.push(instance.ports.clone());
        add(&mut draft, instance);
    }
    if let Some(host) = draft.system.parts.first().and_then(|p| p.kind.host()) {
        draft.system.graph.clock_slow_ppm = host.clock_slow.0;
    }
    let groups = first.into_iter().map(|(number, at)| (number, std::mem::take(&mut placed[at]))).collect();
    let named = draft.system.ports.iter().enumerate().map(|(n, port)| (port.name.clone(), PortId(n))).collect();
    let specs = spec.parts.iter().enumerate().map(|(n, part)| (part.name.text.as_str(), n)).collect();
    let mut joiner = Joiner { spec, specs, groups, named, draft: &mut draft };
    spec.links.iter().try_for_each(|link| joiner.join(link))?;
    Ok(draft)
}

/// All parts, the host first, each with the index of its spec.
fn instances(spec: &Spec) -> Result<Vec<(Instance, usize)>, Error> {
    let total: u64 = spec.parts.iter().map(|p| p.count.unwrap_or(1)).sum();
    if total > MOST_PARTS {
        let problem = Problem::TooMuch(format!("{total} parts"));
        return Err(Error::new(&spec.whole.place, problem, format!("{MOST_PARTS} are allowed")));
    }
    if spec.parts.is_empty() {
        let problem = Problem::Missing { what: "the description".into(), key: "parts" };
        return Err(Error::new(&spec.whole.place, problem, "write `parts: { host: { part: generic/gen3-host } }`"));
    }
    let mut all = Vec::new();
    for (number, part) in spec.parts.iter().enumerate() {
        of_spec(part, number, &mut all)?;
    }
    let ports: u64 = all.iter().flat_map(|(i, _)| &i.ports).map(|p| p.count.unwrap_or(1)).sum();
    if ports > MOST_PORTS {
        let problem = Problem::TooMuch(format!("{ports} ports"));
        return Err(Error::new(&spec.whole.place, problem, format!("{MOST_PORTS} are allowed")));
    }
    all.sort_by_key(|(instance, _)| !instance.kind.is_root());
    Ok(all)
}

/// All elements of an array. They are resolved once, except elements with settings of their own.
fn of_spec(part: &PartSpec, number: usize, all: &mut Vec<(Instance, usize)>) -> Result<(), Error> {
    let own: HashSet<u64> = part.settings.iter().filter_map(|setting| setting.index).collect();
    let mut common: Option<Instance> = None;
    for index in 0..part.count.unwrap_or(1) {
        let instance = match &common {
            Some(common) if !own.contains(&index) => Instance { name: part.name_of(index), ..common.clone() },
            _ => Instance::resolve(part, index)?,
        };
        if common.is_none() && !own.contains(&index) {
            common = Some(instance.clone());
        }
        all.push((instance, number));
    }
    Ok(())
}

fn add(draft: &mut Draft, mut instance: Instance) {
    let id = PartId(draft.system.parts.len());
    let (mut ports, mut by_hand) = (Vec::new(), Vec::new());
    for group in &instance.ports {
        for index in 0..group.count.unwrap_or(1) {
            let (own, mps) = instance.own_of(group, index);
            if let Some((What::Mps(size), place)) = mps.map(|own| (&own.what, own.place())) {
                by_hand.push((PortId(draft.system.ports.len()), *size, place.clone()));
            }
            let name = format!("{}.{}", instance.name, port_name(group, index));
            ports.push(PortId(draft.system.ports.len()));
            draft.system.graph.ports.push(Port {
                name,
                part: id,
                role: group.role,
                able: group.able,
                bdf: Bdf::default(),
                link: None,
                windows: Vec::new(),
                buses: (0, 0),
                own,
                mps: None,
                address: instance.address_of(group, index),
            });
        }
    }
    instance.draft.port_mps = by_hand;
    draft.parts.push(instance.draft);
    draft.system.graph.parts.push(Node {
        name: instance.name,
        model: instance.model,
        kind: instance.kind,
        habits: instance.habits,
        ports,
        bars: Vec::new(),
        mps: PayloadSize::MIN,
        mrrs: PayloadSize::MIN,
        tags: 0,
        figures: instance.figures,
    });
}
