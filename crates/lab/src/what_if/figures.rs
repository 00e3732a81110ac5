//! Every figure of every part, one step better.

use crate::path::base;
use crate::what_if::change::{Improvement, Sort};
use system::{Field, Nature, Node, System};

/// All steps of all figures. Parts of one array are changed together if they have the same value.
pub(crate) fn changes(system: &System) -> Vec<Improvement> {
    let mut all: Vec<Improvement> = Vec::new();
    for part in &system.parts {
        for field in part.fields().filter(|field| field.nature != Nature::Mechanism) {
            let same = |other: &&Node| base(&other.name) == base(&part.name);
            let alike = system.parts.iter().filter(same).all(|other| other.value(field.name) == part.value(field.name));
            let name = if alike { base(&part.name) } else { &part.name };
            for change in steps(name, part, field) {
                if !all.contains(&change) {
                    all.push(change);
                }
            }
        }
    }
    all
}

fn steps(name: &str, part: &Node, field: &Field) -> Vec<Improvement> {
    let Some(from) = part.value(field.name) else { return Vec::new() };
    let what = format!("{name}.{}", field.name);
    // A driver can choose values up to what the part has. A larger value needs another part.
    let more = |to: &str| match (field.scale.number(to), field.scale.number(&from)) {
        (Some(to), Some(from)) => to > from,
        _ => false,
    };
    let change = |to: String| Improvement {
        what: what.clone(),
        sort: if field.nature == Nature::Chosen && !more(&to) { Sort::Setting } else { Sort::Part },
        from: from.clone(),
        sets: vec![format!("{what}={to}")],
        to,
        axis: None,
    };
    field.improved(&from).into_iter().map(change).collect()
}
