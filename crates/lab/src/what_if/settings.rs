//! Changes that firmware or an administrator makes, and changes that need several parts: MPS, MRRS, tags.

use crate::at::At;
use crate::error::Error;
use crate::machine::DescribedMachine;
use crate::path::base;
use crate::what_if::change::{Improvement, Sort};
use pcie::PayloadSize;
use system::settle::Settings;
use system::{Experiment, FieldType, Params, Scale, System};

/// All changes of settings, and of MPS and tags including the parts that must support them.
pub(crate) fn changes(
    machine: &DescribedMachine,
    experiment: &Experiment,
    at: &At,
    system: &System,
) -> Result<Vec<Improvement>, Error> {
    let settings = machine.description().settings()?;
    let mut all: Vec<Improvement> = Vec::new();
    let payload = payload(system, experiment, at);
    all.extend(mps(system, &settings, experiment, at).filter(|_| payload.is_none()));
    all.extend(payload);
    all.extend(Settings::FIELDS.iter().flat_map(|field| of_field(&settings, field)));
    all.extend(experiment.axes.iter().flat_map(|axis| listed(experiment, axis, at)));
    all.extend(tags(system));
    Ok(all)
}

fn of_field(settings: &Settings, field: &system::Field) -> Vec<Improvement> {
    let Some(from) = settings.get(field.name) else { return Vec::new() };
    let change = |to: String| Improvement {
        what: format!("settings.{}", field.name),
        sort: Sort::Setting,
        from: from.clone(),
        sets: vec![format!("settings.{}={to}", field.name)],
        to,
        axis: None,
    };
    field.improved(&from).into_iter().map(change).collect()
}

/// The next Max_Payload_Size for all parts, including those that do not support it yet. `None` if only one part limits
/// a policy that follows the parts: that part's own `mps` gives the same change.
fn mps(system: &System, settings: &Settings, experiment: &Experiment, at: &At) -> Option<Improvement> {
    let parts = || (0..system.parts.len()).map(system::PartId);
    let now = parts().map(|part| system.least_mps(part).1).min()?;
    let next = PayloadSize::new(now.bytes() * 2)?;
    let mut less: Vec<&str> =
        parts().filter(|&part| system.least_mps(part).0 < next).map(|part| base(&system.part(part).name)).collect();
    less.dedup();
    let mut sets: Vec<String> = less.iter().map(|part| format!("{part}.mps={}", next.print())).collect();
    sets.push(format!("settings.mps={}", next.print()));
    let axis = experiment.axes.iter().find(|axis| axis.is_payload() && at.get(&axis.name).is_some());
    if less.len() == 1 && settings.mps.0.is_none() && axis.is_none() {
        return None;
    }
    Some(Improvement {
        what: if less.is_empty() {
            "Max_Payload_Size".into()
        } else {
            format!("Max_Payload_Size, in {} as well", less.join(" and "))
        },
        sort: if less.is_empty() { Sort::Setting } else { Sort::Part },
        from: now.print(),
        to: next.print(),
        sets,
        axis: axis.map(|axis| (axis.name.clone(), next.bytes().to_string())),
    })
}

/// Twice the payload that a point of the experiment asks for, where all parts support it: where one does not, it is a change of parts
/// ([`mps`]).
fn payload(system: &System, experiment: &Experiment, at: &At) -> Option<Improvement> {
    let axis = experiment.axes.iter().find(|axis| axis.is_payload())?;
    let from = at.get(&axis.name)?;
    let next = at.number(&axis.name)? * 2.0;
    let supported = (0..system.parts.len()).map(|part| system.least_mps(system::PartId(part)).0.bytes()).min()?;
    let to = next.to_string();
    (next <= supported as f64).then(|| Improvement {
        what: "Max_Payload_Size".into(),
        sort: Sort::Setting,
        from: from.to_string(),
        to: to.clone(),
        sets: Vec::new(),
        axis: Some((axis.name.clone(), to)),
    })
}

/// Every other value that a description lists for an axis whose values are sets of figures.
fn listed(experiment: &Experiment, axis: &system::Axis, at: &At) -> Vec<Improvement> {
    let Some(from) = at.get(&axis.name).filter(|_| axis.is_choice()) else { return Vec::new() };
    let change = |to: &String| Improvement {
        what: format!("axis {}", axis.name),
        sort: sort_of(&axis.decides(to, &experiment.name)),
        from: from.to_string(),
        to: to.clone(),
        sets: Vec::new(),
        axis: Some((axis.name.clone(), to.clone())),
    };
    axis.values.iter().filter(|value| *value != from).map(change).collect()
}

/// The most expensive sort of change among some paths.
fn sort_of(paths: &[String]) -> Sort {
    let of = |path: &String| match path.split('.').next() {
        Some("settings") => Sort::Setting,
        Some("links") => Sort::Link,
        _ => Sort::Part,
    };
    paths.iter().map(of).max().unwrap_or(Sort::Setting)
}

/// The next width of the tag field at every card and at the host that answers.
fn tags(system: &System) -> Vec<Improvement> {
    let cards = || system.parts.iter().filter(|part| part.value("tag_bits").is_some());
    let mut names: Vec<&str> = cards().map(|part| base(&part.name)).collect();
    names.dedup();
    let mut hosts: Vec<&str> = system.roots().map(|host| base(&system.part(host).name)).collect();
    hosts.dedup();
    let Some(card) = cards().next() else { return Vec::new() };
    let Scale::Words(widths) = system::kinds::card::TagBits::SCALE else { return Vec::new() };
    let from = card.value("tag_bits").unwrap_or_default();
    let next = widths.iter().skip_while(|width| **width != from).nth(1);
    let change = |to: &&str| Improvement {
        what: "tags".into(),
        sort: Sort::Part,
        from: format!("{} ({from} bit)", card.tags),
        to: format!("{to} bit"),
        sets: names
            .iter()
            .map(|name| format!("{name}.tag_bits={to}"))
            .chain(hosts.iter().map(|host| format!("{host}.completer_tag_bits={to}")))
            .collect(),
        axis: None,
    };
    next.map(change).into_iter().collect()
}
