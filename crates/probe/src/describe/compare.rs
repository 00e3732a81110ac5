//! Whether a description settles to what was observed.

use super::names::Names;
use std::fmt;
use system::{LinkId, PartId, PortId, System};

/// A value that a description settles otherwise than it was observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Apart {
    /// The port, link or part.
    pub what: String,
    /// As observed.
    pub found: String,
    /// As settled.
    pub settled: String,
}

impl fmt::Display for Apart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} was found, and this settles to {}", self.what, self.found, self.settled)
    }
}

/// What differs between a machine as found and its description.
pub(super) fn apart(found: &System, names: &Names, settled: &System) -> Vec<Apart> {
    let mut all = Vec::new();
    let mut compare = |what: &str, found: String, settled: Option<String>| {
        if settled.as_ref() != Some(&found) {
            let settled = settled.unwrap_or_else(|| "nothing".into());
            all.push(Apart { what: what.to_string(), found, settled });
        }
    };
    for number in 0..found.links.len() {
        let link = found.link(LinkId(number));
        let [upper, lower] = [link.upper, link.lower].map(|port| names.whole(found, port));
        let ends = |id: &&system::Link| settled.port(id.upper).name == upper && settled.port(id.lower).name == lower;
        let there = settled.links.iter().find(ends);
        compare(&format!("{upper} - {lower}"), link.speed.to_string(), there.map(|link| link.speed.to_string()));
        for (port, name) in [(link.upper, upper), (link.lower, lower)] {
            let there = settled.ports.iter().position(|port| port.name == name).map(PortId);
            let there = there.map(|port| format!("MPS {}", settled.mps(port)));
            compare(&name, format!("MPS {}", found.mps(port)), there);
        }
    }
    for (number, part) in
        found.parts.iter().enumerate().filter(|(_, part)| part.kind.is_endpoint() && !part.ports.is_empty())
    {
        let name = names.part(PartId(number));
        let there = settled.part_named(name).map(|id| settled.part(id));
        let said = |part: &system::graph::Node| format!("MPS {}, MRRS {}, {} tags", part.mps, part.mrrs, part.tags);
        compare(name, said(part), there.map(said));
    }
    all
}
