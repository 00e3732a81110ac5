//! Is it a tree with the host at its root?

use crate::error::{Error, Problem};
use crate::graph::{PartId, System};
use crate::settle::PartDraft;

/// Refuses what is no tree under one host, which must be the first part.
pub(crate) fn check(system: &System, parts: &[PartDraft]) -> Result<(), Error> {
    let hosts: Vec<usize> = (0..system.parts.len()).filter(|&p| system.parts[p].kind.is_root()).collect();
    match hosts.as_slice() {
        [0] => {}
        [] => {
            let help = "add one: `host: { part: generic/gen3-host }`";
            let problem = Problem::Hosts("no part is a host".into());
            return Err(parts.first().map_or_else(
                || Error::nowhere(problem.clone(), help),
                |first| Error::new(&first.place, problem.clone(), help),
            ));
        }
        several => {
            let names =
                several.iter().map(|&p| format!("`{}`", system.parts[p].name)).collect::<Vec<_>>().join(" and ");
            let problem = Problem::Hosts(format!("several hosts: {names}"));
            let place = &parts[several[several.len().min(2) - 1]].place;
            return Err(Error::new(place, problem, "a system has one host, at the root of its tree"));
        }
    }
    for (number, draft) in parts.iter().enumerate() {
        reach(system, PartId(number), draft)?;
    }
    Ok(())
}

/// Climbs from a part to the host.
fn reach(system: &System, part: PartId, draft: &PartDraft) -> Result<(), Error> {
    let mut way = vec![part];
    let mut at = part;
    while let Some((_, above)) = system.above(at) {
        if let Some(start) = way.iter().position(|&p| p == above) {
            let names: Vec<&str> = way[start..].iter().chain([&above]).map(|&p| system.part(p).name.as_str()).collect();
            let problem = Problem::Loop(names.join(" -> "));
            return Err(Error::new(&draft.place, problem, "each part hangs below one other, and in the end the host"));
        }
        way.push(above);
        at = above;
    }
    if at == PartId(0) {
        return Ok(());
    }
    let problem = Problem::NotJoined(system.part(part).name.clone());
    let end = system.part(at);
    let port = end.ports.iter().map(|&p| system.port(p)).find(|p| !p.role.faces_down());
    let help = format!("add a link under `links:`, as in `host.pcie - {}`", port.map_or(&end.name, |p| &p.name));
    Err(Error::new(&draft.place, problem, help))
}
