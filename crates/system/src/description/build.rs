//! Puts a description together: parts from their specs, links from index notation; then it can be settled.

use crate::description::instance::Instance;
use crate::description::join::Joiner;
use crate::description::spec::Spec;
use crate::error::{Error, Problem};
use crate::graph::{Part, PartId, Port, PortId, System};
use crate::kinds::Kind;
use crate::settle::Draft;
use pcie::{Bdf, PayloadSize};

/// More parts than this are refused.
const MOST_PARTS: u64 = 4096;
/// More ports than this are refused: buses run out long before.
const MOST_PORTS: u64 = 16384;

/// A description put together.
pub(crate) fn build(spec: &Spec) -> Result<Draft, Error> {
    let instances = instances(spec)?;
    let last = |name: &str| spec.settings.iter().rev().find(|s| s.name.text == name);
    let mut draft = Draft {
        system: System {
            name: spec.name.clone(),
            title: spec.title.clone(),
            parts: Vec::new(),
            ports: Vec::new(),
            links: Vec::new(),
            clock_slow_ppm: 0,
        },
        parts: Vec::new(),
        links: Vec::new(),
        settings: spec.resolve_settings(),
        mps_place: last("mps").map(|s| s.value.place.clone()),
        mrrs_origin: last("mrrs").map(|s| s.origin.clone()),
    };
    for (instance, _) in &instances {
        add(&mut draft, instance);
    }
    if let Some(Kind::Host(host)) = draft.system.parts.first().map(|p| &p.kind) {
        draft.system.clock_slow_ppm = host.clock_slow.0;
    }
    for link in &spec.links {
        Joiner { spec, instances: &instances, draft: &mut draft }.join(link)?;
    }
    Ok(draft)
}

/// All parts, the host first, each with the place of its spec.
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
        for index in 0..part.count.unwrap_or(1) {
            all.push((Instance::resolve(part, index)?, number));
        }
    }
    let ports: u64 = all.iter().flat_map(|(i, _)| &i.ports).map(|p| p.count.unwrap_or(1)).sum();
    if ports > MOST_PORTS {
        let problem = Problem::TooMuch(format!("{ports} ports"));
        return Err(Error::new(&spec.whole.place, problem, format!("{MOST_PORTS} are allowed")));
    }
    all.sort_by_key(|(instance, _)| !matches!(instance.kind, Kind::Host(_)));
    Ok(all)
}

fn add(draft: &mut Draft, instance: &Instance) {
    let id = PartId(draft.system.parts.len());
    let mut ports = Vec::new();
    for group in &instance.ports {
        for index in 0..group.count.unwrap_or(1) {
            let name = match group.count {
                Some(_) => format!("{}.{}[{index}]", instance.name, group.base),
                None => format!("{}.{}", instance.name, group.base),
            };
            ports.push(PortId(draft.system.ports.len()));
            draft.system.ports.push(Port {
                name,
                part: id,
                role: group.role,
                able: group.able,
                bdf: Bdf::default(),
                link: None,
                windows: Vec::new(),
                buses: (0, 0),
            });
        }
    }
    draft.parts.push(instance.draft.clone());
    draft.system.parts.push(Part {
        name: instance.name.clone(),
        model: instance.model.clone(),
        kind: instance.kind.clone(),
        habits: instance.habits.clone(),
        ports,
        bars: Vec::new(),
        mps: PayloadSize::MIN,
        mrrs: PayloadSize::MIN,
        tags: 0,
        figures: instance.figures.clone(),
    });
}
