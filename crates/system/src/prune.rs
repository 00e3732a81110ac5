//! A system reduced to some parts and their paths to the host, for questions that involve no other parts.

use crate::graph::{Bar, Graph, Link, LinkId, Node, PartId, Port, PortId, System};
use std::collections::{BTreeMap, BTreeSet};

/// A system with fewer parts, and the mapping to the original.
#[derive(Clone, Debug)]
pub struct Pruned {
    /// The host, the requested parts, and all parts between.
    pub system: System,
    parts: BTreeMap<PartId, PartId>,
    links: BTreeMap<LinkId, LinkId>,
}

impl Pruned {
    /// Keeps the hosts and the paths of `parts` to them. Limits of flows between these parts are those of the whole
    /// system, as long as no other flow runs.
    pub fn of(whole: &System, parts: &[PartId]) -> Pruned {
        let mut kept = BTreeSet::from([whole.host()]);
        for &part in parts {
            kept.insert(part);
            kept.extend(whole.ways_up(part).concat().into_iter().map(|(_, upper)| upper));
        }
        let links: BTreeSet<LinkId> =
            kept.iter().flat_map(|&part| whole.all_above(part)).map(|(link, _)| link).collect();
        let ports: BTreeSet<PortId> = links.iter().flat_map(|&l| [whole.link(l).upper, whole.link(l).lower]).collect();
        let parts: BTreeMap<PartId, PartId> = kept.into_iter().zip((0..).map(PartId)).collect();
        let links: BTreeMap<LinkId, LinkId> = links.into_iter().zip((0..).map(LinkId)).collect();
        let ports: BTreeMap<PortId, PortId> = ports.into_iter().zip((0..).map(PortId)).collect();
        let graph = Graph {
            name: whole.name.clone(),
            title: whole.title.clone(),
            parts: parts.keys().map(|&part| part_of(whole.part(part), &ports)).collect(),
            ports: ports.keys().map(|&port| port_of(whole.port(port), &parts, &links)).collect(),
            links: links.keys().map(|&link| link_of(whole.link(link), &ports)).collect(),
            clock_slow_ppm: whole.clock_slow_ppm,
        };
        Pruned { system: System::of(graph), parts, links }
    }
    /// The new number of a part; `None` where it was removed.
    pub fn part(&self, whole: PartId) -> Option<PartId> {
        self.parts.get(&whole).copied()
    }
    /// The new number of a link; `None` where it was removed.
    pub fn link(&self, whole: LinkId) -> Option<LinkId> {
        self.links.get(&whole).copied()
    }
    /// The original number of a link.
    pub fn whole_link(&self, link: LinkId) -> Option<LinkId> {
        self.links.iter().find(|&(_, &now)| now == link).map(|(&whole, _)| whole)
    }
}

fn part_of(part: &Node, ports: &BTreeMap<PortId, PortId>) -> Node {
    let before = |port: usize| part.ports.iter().take(port).filter(|port| ports.contains_key(port)).count();
    let is_kept = |bar: &&Bar| part.ports.get(bar.port).is_none_or(|port| ports.contains_key(port));
    let bars = part.bars.iter().filter(is_kept).map(|bar| Bar { port: before(bar.port), ..*bar }).collect();
    Node { ports: part.ports.iter().filter_map(|port| ports.get(port).copied()).collect(), bars, ..part.clone() }
}

fn port_of(port: &Port, parts: &BTreeMap<PartId, PartId>, links: &BTreeMap<LinkId, LinkId>) -> Port {
    let part = parts.get(&port.part).copied().unwrap_or(port.part);
    Port { part, link: port.link.and_then(|link| links.get(&link).copied()), ..port.clone() }
}

fn link_of(link: &Link, ports: &BTreeMap<PortId, PortId>) -> Link {
    let now = |port: PortId| ports.get(&port).copied().unwrap_or(port);
    Link { upper: now(link.upper), lower: now(link.lower), ..link.clone() }
}

#[cfg(test)]
mod tests {
    use super::Pruned;
    use crate::Description;

    #[test]
    fn a_pruned_system_has_the_same_ways_and_nothing_else() {
        let Ok(whole) = Description::bundled("rosta-rb8v7").and_then(|d| d.system()) else { return };
        let cards: Vec<_> = ["card[1]", "card[5]"].iter().filter_map(|name| whole.part_named(name)).collect();
        assert_eq!(cards.len(), 2);
        let pruned = Pruned::of(&whole, &cards);
        let now: Vec<_> = cards.iter().filter_map(|&card| pruned.part(card)).collect();
        let names = |system: &crate::System, from, to| {
            let way = system.path(from, to);
            way.into_iter().map(|direction| system.direction_name(direction)).collect::<Vec<_>>()
        };
        assert_eq!(names(&pruned.system, now[0], now[1]), names(&whole, cards[0], cards[1]));
        assert_eq!(names(&pruned.system, now[0], pruned.system.host()), names(&whole, cards[0], whole.host()));
        assert!(pruned.system.parts.len() < whole.parts.len());
        assert_eq!(pruned.system.part_named("card[0]"), None);
    }
}
