//! Adds the links of a description: every pair of ports that index notation stands for.

use crate::description::instance::Ports;
use crate::error::{Error, Problem};
use crate::graph::{Less, Link, LinkId, PortId};
use crate::settle::{Draft, LinkDraft};
use crate::source::Text;
use crate::suggest::{one_of, suggest};
use crate::written::index::{EndSpec, assignments};
use crate::written::link::LinkSpec;
use crate::written::spec::{PartSpec, Spec, in_range};
use std::collections::HashMap;

/// A graph with all parts and the links added so far.
pub(crate) struct Joiner<'a> {
    pub spec: &'a Spec,
    /// Index of each spec by name.
    pub specs: HashMap<&'a str, usize>,
    /// The ports of the first element of each spec, by the number of the spec.
    pub groups: HashMap<usize, Vec<Ports>>,
    /// Ports by their names.
    pub named: HashMap<String, PortId>,
    pub draft: &'a mut Draft,
}

impl Joiner<'_> {
    /// Adds all links that a line stands for.
    pub fn join(&mut self, link: &LinkSpec) -> Result<(), Error> {
        for end in &link.ends {
            self.check(end)?;
        }
        let [a, b] = &link.ends;
        let all = assignments(&link.text, &[a, b], |end, of_port| match of_port {
            false => self.part(end).and_then(|(part, _)| part.count),
            true => self.ports(end),
        })?;
        for letters in all {
            let (one, other) = (self.port(a, &letters)?, self.port(b, &letters)?);
            self.pair(link, one, other)?;
        }
        Ok(())
    }

    fn part(&self, end: &EndSpec) -> Option<(&PartSpec, usize)> {
        let number = *self.specs.get(end.part.as_str())?;
        Some((&self.spec.parts[number], number))
    }

    fn groups(&self, end: &EndSpec) -> Option<&[Ports]> {
        let (_, number) = self.part(end)?;
        self.groups.get(&number).map(Vec::as_slice)
    }

    fn ports(&self, end: &EndSpec) -> Option<u64> {
        self.groups(end)?.iter().find(|p| Some(&p.base) == end.port.as_ref())?.count
    }

    /// Checks the names of part and port, and that arrays are indexed and single ones are not.
    fn check(&self, end: &EndSpec) -> Result<(), Error> {
        let dangling = |what: String, help: String| Err(Error::new(&end.text.place, Problem::Dangling(what), help));
        let Some((part, _)) = self.part(end) else {
            let names = self.spec.parts.iter().map(|p| p.name.text.as_str());
            return dangling(format!("there is no part `{}`", end.part), suggest(&end.part, names));
        };
        let Some(groups) = self.groups(end) else { return Ok(()) };
        let port = end.port.as_deref().unwrap_or("");
        let Some(group) = groups.iter().find(|p| p.base == port) else {
            let names: Vec<&str> = groups.iter().map(|p| p.base.as_str()).collect();
            let help = if names.len() == 1 { one_of(&names) } else { suggest(port, names) };
            return dangling(format!("`{}` has no port `{port}`", end.part), help);
        };
        let array = |name: &str, index: bool, count: Option<u64>| match (index, count) {
            (true, None) => Some((format!("`{name}` is one, no array"), format!("write `{name}` without an index"))),
            (false, Some(n)) => {
                Some((format!("`{name}` is an array of {n}"), format!("write `{name}[0]` or `{name}[i]`")))
            }
            _ => None,
        };
        let wrong = array(&end.part, end.part_index.is_some(), part.count)
            .or_else(|| array(&group.base, end.port_index.is_some(), group.count));
        wrong.map_or(Ok(()), |(what, help)| dangling(what, help))
    }

    fn port(&self, end: &EndSpec, letters: &[(String, u64)]) -> Result<PortId, Error> {
        let part = self.part(end).and_then(|(part, _)| part.count);
        let name = indexed(&end.text, &end.part, end.part_index.as_ref().map(|i| i.value(letters)), part)?;
        let base = format!("{name}.{}", end.port.as_deref().unwrap_or(""));
        let full = indexed(&end.text, &base, end.port_index.as_ref().map(|i| i.value(letters)), self.ports(end))?;
        self.named.get(&full).copied().ok_or_else(|| {
            let problem = Problem::Dangling(format!("there is no port `{full}`"));
            Error::new(&end.text.place, problem, "parts of one array may differ in their ports: link them one by one")
        })
    }

    fn pair(&mut self, link: &LinkSpec, a: PortId, b: PortId) -> Result<(), Error> {
        let system = &mut self.draft.system;
        let name = |port: PortId| system.port(port).name.clone();
        for (port, at) in [(a, 0), (b, 1)] {
            if let Some(taken) = system.port(port).link {
                let taken = system.link(taken);
                let other = if taken.upper == port { taken.lower } else { taken.upper };
                let problem = Problem::PortTwice { port: name(port), other: name(other) };
                let free: Vec<String> = system
                    .part(system.port(port).part)
                    .ports
                    .iter()
                    .map(|&p| system.port(p))
                    .filter(|p| p.link.is_none() && p.role == system.port(port).role)
                    .map(|p| format!("`{}`", p.name))
                    .collect();
                let help = match free.as_slice() {
                    [] => "a port takes one link: use a switch, or a part with more ports".to_string(),
                    free => format!("a port takes one link; free: {}", free.join(", ")),
                };
                return Err(Error::new(&link.ends[at].text.place, problem, help));
            }
        }
        let (upper, lower) = match (system.port(a).role.faces_down(), system.port(b).role.faces_down()) {
            (true, false) => (a, b),
            (false, true) => (b, a),
            (down, _) => {
                let why = if down { "both face away from the host" } else { "both face the host" };
                let problem = Problem::Ends(name(a), name(b), why);
                let help = "join a root port or a switch's downstream port to a switch's `up` or to a card";
                return Err(Error::new(&link.text.place, problem, help));
            }
        };
        let id = LinkId(system.links.len());
        let (propagation, sris) = (link.propagation, link.sris);
        let speed = system.port(upper).able;
        system.graph.links.push(Link { upper, lower, speed, why: Less::default(), propagation, sris });
        system.graph.ports[upper.0].link = Some(id);
        system.graph.ports[lower.0].link = Some(id);
        let mut draft = LinkDraft::new(&link.text.place);
        if let Some((lanes, text)) = &link.lanes {
            (draft.lanes, draft.lanes_place) = (Some(*lanes), text.place.clone());
        }
        if let Some((generation, text)) = &link.generation {
            (draft.generation, draft.generation_place) = (Some(*generation), text.place.clone());
        }
        self.draft.links.push(draft);
        Ok(())
    }
}

/// `name[3]`, where the index is inside the array.
fn indexed(end: &Text, name: &str, index: Option<Option<u64>>, count: Option<u64>) -> Result<String, Error> {
    match index {
        None => Ok(name.to_string()),
        Some(Some(index)) => {
            in_range(&Text { text: name.into(), place: end.place.clone() }, index, count)?;
            Ok(format!("{name}[{index}]"))
        }
        Some(None) => {
            let problem = Problem::Index { name: end.text.clone(), why: "the index comes out negative".into() };
            Err(Error::new(&end.place, problem, "indices count from 0"))
        }
    }
}
