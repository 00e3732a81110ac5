//! Classes of flows: the same operation over equal links between equal parts. One flow of each class is solved.

use crate::place::Way;
use pcie::tlp::FOUR_GIB;
use std::collections::HashMap;
use system::graph::{Direction, Node};
use system::pattern::Order;
use system::{Drive, Flow, System};

/// Flows that are equal when each is alone.
#[derive(Clone, Debug)]
pub struct Classes {
    /// Of each flow: its class.
    pub of: Vec<usize>,
    /// Of each class: its first flow.
    pub first: Vec<usize>,
}

impl Classes {
    /// The classes of `flows`, whose paths are `ways`. A flow that forwards the data of another flow,
    /// or is mixed with one, is a class of its own.
    pub fn new(system: &System, flows: &[Flow], ways: &[Way]) -> Classes {
        let likes = Likes::new(system);
        let mut fed: Vec<bool> = flows.iter().map(|flow| flow.fed_by.is_some() || flow.mixed_with.is_some()).collect();
        for from in flows.iter().filter_map(|flow| flow.fed_by) {
            fed.get_mut(from).into_iter().for_each(|fed| *fed = true);
        }
        let mut known: HashMap<Vec<u64>, usize> = HashMap::with_capacity(flows.len());
        let mut classes = Classes { of: Vec::with_capacity(flows.len()), first: Vec::new() };
        for (number, (flow, way)) in flows.iter().zip(ways).enumerate() {
            let key = likes.key(system, flow, way, if fed[number] { number as u64 + 1 } else { 0 });
            let class = *known.entry(key).or_insert(classes.first.len());
            if class == classes.first.len() {
                classes.first.push(number);
            }
            classes.of.push(class);
        }
        classes
    }
}

/// Numbers for equal parts and equal links.
struct Likes {
    parts: Vec<u64>,
    links: Vec<u64>,
}

impl Likes {
    fn new(system: &System) -> Likes {
        let mut examples: Vec<&Node> = Vec::new();
        let parts: Vec<u64> = system.parts.iter().map(|part| like(&mut examples, part)).collect();
        let mut known = HashMap::with_capacity(system.links.len());
        let links = system.links.iter().map(|link| {
            let end = |port| {
                let port = system.port(port);
                let own: Vec<(&str, &str)> = port.own.iter().map(|own| (own.field, own.value.as_str())).collect();
                (parts[port.part.0], port.able.width.lanes(), port.role.faces_down(), port.mps, own)
            };
            let key = (
                link.speed.generation,
                link.speed.width,
                link.propagation,
                link.sris,
                end(link.upper),
                end(link.lower),
            );
            let next = known.len() as u64;
            *known.entry(key).or_insert(next)
        });
        Likes { links: links.collect(), parts }
    }

    /// Everything that the rate of the flow alone depends on.
    fn key(&self, system: &System, flow: &Flow, way: &Way, number: u64) -> Vec<u64> {
        let mut key = Vec::with_capacity(8 + 2 * way.directions.len());
        let operation = system::registry::operations().iter().position(|&known| known == flow.operation);
        key.extend([number, operation.map_or(u64::MAX, |place| place as u64), flow.command.0, flow.volume.0]);
        key.push(u64::from(flow.drive == Drive::Software));
        let random = u64::from(flow.work.order == Order::Random);
        key.extend([flow.work.depth, flow.work.jobs, flow.work.cores.unwrap_or(0), random, flow.work.span.0]);
        key.extend([self.parts[way.initiator.0], self.parts[way.target.0]]);
        let link = |direction: &Direction| self.links[direction.link.0] << 1 | u64::from(direction.up);
        key.extend(way.directions.iter().map(link));
        key.push(u64::MAX);
        // The way of doorbells and status writes.
        let host = system.host_for(way.initiator, way.target);
        key.push(self.parts[host.0]);
        key.extend(system.path(way.card, host).iter().map(|on| self.links[on.link.0]));
        key
    }
}

/// The number of the first of `examples` that equals `part`; a new number where none does.
fn like<'a>(examples: &mut Vec<&'a Node>, part: &'a Node) -> u64 {
    let number = examples.iter().position(|example| alike(example, part)).unwrap_or(examples.len());
    if number == examples.len() {
        examples.push(part);
    }
    number as u64
}

fn alike(a: &Node, b: &Node) -> bool {
    let largest = |part: &Node| part.bars.iter().map(|bar| bar.window).max_by_key(|window| window.bytes);
    let high = |part: &Node| largest(part).is_some_and(|window| window.base >= FOUR_GIB);
    let settled = |part: &Node| (part.mps, part.mrrs, part.tags, high(part));
    settled(a) == settled(b) && a.habits == b.habits && a.kind == b.kind
}
