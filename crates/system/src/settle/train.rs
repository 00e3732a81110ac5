//! Link training: the highest speed and width that both ends and the wiring allow, and the reason for the limit.

use crate::error::{Error, Problem};
use crate::graph::{Less, LinkId, PortRole, System};
use crate::settle::LinkDraft;
use pcie::LinkSpeed;

/// Trains all links.
pub(crate) fn train(system: &mut System, drafts: &[LinkDraft]) -> Result<(), Error> {
    for (number, draft) in drafts.iter().enumerate() {
        let (speed, why) = one(system, LinkId(number), draft)?;
        let link = &mut system.graph.links[number];
        (link.speed, link.why) = (speed, why);
    }
    Ok(())
}

fn one(system: &System, id: LinkId, draft: &LinkDraft) -> Result<(LinkSpeed, Less), Error> {
    let (upper, lower) = (system.port(system.link(id).upper), system.port(system.link(id).lower));
    let widest = upper.able.width.max(lower.able.width);
    if let Some(lanes) = draft.lanes.filter(|&lanes| lanes > widest) {
        let problem = Problem::Width(format!("no port of this link has {} lanes", lanes.lanes()));
        let help = format!("`{}` is {}, `{}` is {}", upper.name, upper.able.width, lower.name, lower.able.width);
        return Err(Error::new(&draft.lanes_place, problem, help));
    }
    let fastest = upper.able.generation.max(lower.able.generation);
    if let Some(generation) = draft.generation.filter(|&generation| generation > fastest) {
        let problem = Problem::Width(format!("no port of this link reaches {generation}"));
        let help =
            format!("`{}` is {}, `{}` is {}", upper.name, upper.able.generation, lower.name, lower.able.generation);
        return Err(Error::new(&draft.generation_place, problem, help));
    }
    let best = LinkSpeed { generation: fastest, width: widest };
    let mut speed = upper.able.min(lower.able);
    let mut why = Less::default();
    if speed.width < best.width || draft.lanes.is_some_and(|lanes| lanes < speed.width) {
        let wired = draft.lanes.filter(|&lanes| lanes < speed.width);
        speed.width = wired.unwrap_or(speed.width);
        let cause = match wired {
            Some(lanes) => format!("the slot has {} lanes", lanes.lanes()),
            None if upper.able.width == speed.width && upper.role == PortRole::Root => {
                format!("the slot {} has {} lanes", upper.name, speed.width.lanes())
            }
            None => {
                let less = if upper.able.width == speed.width { upper } else { lower };
                format!("{} has {} lanes", less.name, speed.width.lanes())
            }
        };
        why.width = Some(plural(&format!("{} of {}: {cause}", speed.width, best.width)));
    }
    if speed.generation < best.generation || draft.generation.is_some_and(|g| g < speed.generation) {
        let held = draft.generation.filter(|&g| g < speed.generation);
        speed.generation = held.unwrap_or(speed.generation);
        let cause = match held {
            Some(_) => "the link is held to it".to_string(),
            None if upper.able.generation == speed.generation => upper.name.clone(),
            None => lower.name.clone(),
        };
        why.generation = Some(format!("{} of {}: {cause}", speed.generation, best.generation));
    }
    Ok((speed, why))
}

/// Corrects `1 lanes` to `1 lane`.
fn plural(text: &str) -> String {
    text.replace(" 1 lanes", " 1 lane")
}
