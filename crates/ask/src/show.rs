//! The settled tree of a machine and its figures: `lanescope show`.

use serde_json::{Value, json};
use system::tree::Row;
use system::{Link, Node, Port, System};

/// The tree and the figures as JSON.
pub fn value(system: &System, experiments: &[&str], defaults: bool) -> Value {
    let figure = |row: Row| {
        let figure = row.figure;
        json!({
            "parts": row.parts,
            "model": row.model,
            "figure": figure.field,
            "value": figure.value,
            "origin": figure.origin.word(),
            "origin_in_full": figure.origin.to_string(),
        })
    };
    json!({
        "system": system.name,
        "title": system.title,
        "parts": system.parts.iter().map(|part| part_value(system, part)).collect::<Vec<_>>(),
        "links": system.links.iter().map(|link| link_value(system, link)).collect::<Vec<_>>(),
        "experiments": experiments,
        "figures": system::tree::figures(system, defaults).into_iter().map(figure).collect::<Vec<_>>(),
    })
}

fn part_value(system: &System, part: &Node) -> Value {
    let mps = |port: &Port| port.mps.unwrap_or(part.mps).bytes();
    let port = |port: &Port| json!({ "name": port.name, "bdf": port.bdf.to_string(), "able": port.able.to_string(), "mps_bytes": mps(port), "joined": port.link.is_some() });
    json!({
        "name": part.name,
        "model": part.model,
        "kind": part.kind.word(),
        "mps_bytes": part.mps.bytes(),
        "mrrs_bytes": part.mrrs.bytes(),
        "tags": part.tags,
        "ports": part.ports.iter().map(|&id| port(system.port(id))).collect::<Vec<_>>(),
    })
}

fn link_value(system: &System, link: &Link) -> Value {
    json!({
        "upper": system.port(link.upper).name,
        "lower": system.port(link.lower).name,
        "speed": link.speed.to_string(),
        "generation": link.speed.generation.to_string(),
        "lanes": link.speed.width.lanes(),
        "why": link.why.to_string(),
        "propagation_ns": link.propagation.as_ns(),
        "sris": link.sris,
    })
}
