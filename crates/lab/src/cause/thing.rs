//! The things that may limit a flow, and a scenario with steps of some of them.

use crate::cause::step::Step;
use pcie::PayloadSize;
use system::graph::Direction;
use system::kinds::card::TagBits;
use system::{Change, Field, FieldType, Origin, PartId, PortId, Scenario};

/// One thing that could be faster, larger or shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thing {
    /// The rate of one direction of a link, or of several that are alike.
    Ways(Vec<Direction>),
    /// A field of one part, or of several that are alike.
    Figure {
        /// The parts.
        parts: Vec<PartId>,
        /// The name of the field.
        field: &'static str,
    },
    /// A field that a port sets for itself.
    Port {
        /// The port.
        port: PortId,
        /// The name of the field.
        field: &'static str,
    },
    /// Max_Payload_Size of all parts.
    Mps,
    /// Max_Read_Request_Size of a part, if it limits the request size and the part's own request size does not.
    Mrrs(PartId),
    /// The tags that a part may use, if they limit its requests in flight and its own number of requests does not.
    Tags(PartId),
}

/// `scenario` with all `steps` made, and the directions that are faster; `None` if a value cannot be set.
pub(crate) fn with_steps(scenario: &Scenario, steps: &[Step]) -> Option<(Scenario, Vec<Direction>)> {
    let (mut changed, mut faster) = (scenario.clone(), Vec::new());
    let system = &mut changed.system;
    let mut amend = |change: Change| system.amend(change, Origin::Override("a search for the bottleneck".into())).ok();
    for step in steps {
        match &step.thing {
            Thing::Ways(ways) => faster.extend(ways.iter().copied()),
            Thing::Figure { parts: which, field } => {
                // Ports that set the field for themselves keep their values.
                let ports = which.iter().flat_map(|&part| &scenario.system.part(part).ports);
                let own = ports.flat_map(|&port| scenario.system.port(port).own.iter().map(move |own| (port, own)));
                for &part in which {
                    amend(Change::Field(part, field, step.to.clone()))?;
                }
                for (port, own) in own.filter(|(_, own)| own.field == *field) {
                    amend(Change::PortField(port, field, own.value.clone()))?;
                }
            }
            Thing::Port { port, field } => amend(Change::PortField(*port, field, step.to.clone()))?,
            Thing::Mps => {
                let mps = PayloadSize::parse(&step.to)?;
                for part in 0..scenario.system.parts.len() {
                    amend(Change::Mps(PartId(part), mps))?;
                }
            }
            Thing::Mrrs(part) => amend(Change::Mrrs(*part, PayloadSize::parse(&step.to)?))?,
            Thing::Tags(part) => amend(Change::Tags(*part, u64::parse(&step.to)?))?,
        }
    }
    Some((changed, faster))
}

/// The next number of tags that the standard defines.
pub(crate) fn more_tags(tags: u64) -> Option<u64> {
    [TagBits::Five, TagBits::Eight, TagBits::Ten, TagBits::Fourteen].map(TagBits::tags).into_iter().find(|&n| n > tags)
}

/// True for fields that the search does not change: mechanisms of the standard, values that are settled into other
/// figures ([`Thing::Mps`], [`Thing::Tags`]), and values that select another build of compiled gateware.
pub(crate) fn is_left_alone(field: &Field, compiled: bool) -> bool {
    const SETTLED: [&str; 7] =
        ["mps", "tag_bits", "completer_tag_bits", "clock_slow", "skp_interval", "gateware", "design"];
    const BUILD: [&str; 3] = ["core_width", "read_requests", "completion_buffer"];
    field.nature == system::Nature::Mechanism
        || SETTLED.contains(&field.name)
        || (compiled && BUILD.contains(&field.name))
}
