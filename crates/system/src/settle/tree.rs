//! Checks that the graph is a tree below a host.

use crate::error::{Error, Problem};
use crate::graph::{PartId, System};
use crate::settle::PartDraft;

/// Refuses a graph that is not one tree, or several trees with one host each. Hosts are the first parts.
pub(crate) fn check(system: &System, parts: &[PartDraft]) -> Result<(), Error> {
    let hosts: Vec<usize> = (0..system.parts.len()).filter(|&p| system.parts[p].kind.is_root()).collect();
    if hosts.is_empty() {
        let help = "add one: `host: { part: generic/gen3-host }`";
        let problem = Problem::Hosts("no part is a host".into());
        return Err(parts.first().map_or_else(
            || Error::nowhere(problem.clone(), help),
            |first| Error::new(&first.place, problem.clone(), help),
        ));
    }
    let is_joined = |&part: &usize| system.parts[part].ports.iter().any(|&port| system.port(port).link.is_some());
    if let Some(&idle) = hosts.iter().filter(|_| hosts.len() > 1).find(|host| !is_joined(host)) {
        let problem = Problem::Hosts(format!(
            "`{}` is one of {} hosts, and nothing hangs below it",
            system.parts[idle].name,
            hosts.len()
        ));
        return Err(Error::new(&parts[idle].place, problem, "join a part to it under `links:`, or take it out"));
    }
    let clock = |&part: &usize| system.parts[part].kind.host().map(|host| host.clock_slow);
    if let Some(&other) = hosts.iter().find(|host| clock(host) != clock(&0)) {
        let problem = Problem::Hosts(format!(
            "`{}` and `{}` have clocks of their own",
            system.parts[0].name, system.parts[other].name
        ));
        return Err(Error::new(&parts[other].place, problem, "write the same `clock_slow` for all hosts"));
    }
    for (number, draft) in parts.iter().enumerate() {
        reach(system, PartId(number), draft)?;
    }
    Ok(())
}

/// Follows each upstream-facing port of a part up to a host.
fn reach(system: &System, part: PartId, draft: &PartDraft) -> Result<(), Error> {
    let firsts: Vec<PartId> = system.all_above(part).map(|(_, upper)| upper).collect();
    if firsts.is_empty() {
        return end(system, part, part, draft);
    }
    for first in firsts {
        let mut way = vec![part, first];
        let mut at = first;
        if first != part {
            while let Some((_, above)) = system.above(at) {
                if way.contains(&above) {
                    return Err(looped(system, &way, above, draft));
                }
                way.push(above);
                at = above;
            }
            end(system, part, at, draft)?;
        } else {
            return Err(looped(system, &way[..1], part, draft));
        }
    }
    Ok(())
}

fn looped(system: &System, way: &[PartId], again: PartId, draft: &PartDraft) -> Error {
    let start = way.iter().position(|&p| p == again).unwrap_or(0);
    let names: Vec<&str> = way[start..].iter().chain([&again]).map(|&p| system.part(p).name.as_str()).collect();
    let problem = Problem::Loop(names.join(" -> "));
    Error::new(&draft.place, problem, "each part hangs below one other, and in the end the host")
}

/// Checks that the path up from `part` ends at a host.
fn end(system: &System, part: PartId, at: PartId, draft: &PartDraft) -> Result<(), Error> {
    let end = system.part(at);
    if end.kind.is_root() {
        return Ok(());
    }
    let problem = Problem::NotJoined(system.part(part).name.clone());
    let port = end.ports.iter().map(|&p| system.port(p)).find(|p| !p.role.faces_down());
    let help = format!("add a link under `links:`, as in `host.pcie - {}`", port.map_or(&end.name, |p| &p.name));
    Err(Error::new(&draft.place, problem, help))
}
