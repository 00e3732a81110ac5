//! What may hold a flow back, and a scenario with steps of some such things.

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
        /// Whose.
        parts: Vec<PartId>,
        /// Which.
        field: &'static str,
    },
    /// A field that a port has for itself.
    Port {
        /// Whose.
        port: PortId,
        /// Which.
        field: &'static str,
    },
    /// Max_Payload_Size, of all parts.
    Mps,
    /// Max_Read_Request_Size of a part, where that and not its own request bounds it.
    Mrrs(PartId),
    /// The tags that a part may use, where those and not its own requests bound it.
    Tags(PartId),
}

/// `scenario` with all `steps` made, and the directions that are faster; `None` where a value does not read.
pub(crate) fn with_steps(scenario: &Scenario, steps: &[Step]) -> Option<(Scenario, Vec<Direction>)> {
    let (mut changed, mut faster) = (scenario.clone(), Vec::new());
    let system = &mut changed.system;
    let mut amend = |change: Change| system.amend(change, Origin::Override("a search for the bottleneck".into())).ok();
    for step in steps {
        match &step.thing {
            Thing::Ways(ways) => faster.extend(ways.iter().copied()),
            Thing::Figure { parts: which, field } => {
                // What ports have for themselves stays.
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

/// The next number of tags that the standard has.
pub(crate) fn more_tags(tags: u64) -> Option<u64> {
    [TagBits::Five, TagBits::Eight, TagBits::Ten, TagBits::Fourteen].map(TagBits::tags).into_iter().find(|&n| n > tags)
}

/// Fields that a search leaves alone: mechanisms of the standard, what is settled into other figures ([`Thing::Mps`],
/// [`Thing::Tags`]), and what chooses another build of compiled gateware.
pub(crate) fn is_left_alone(field: &Field, compiled: bool) -> bool {
    const SETTLED: [&str; 7] =
        ["mps", "tag_bits", "completer_tag_bits", "clock_slow", "skp_interval", "gateware", "design"];
    const BUILD: [&str; 3] = ["core_width", "read_requests", "completion_buffer"];
    field.nature == system::Nature::Mechanism
        || SETTLED.contains(&field.name)
        || (compiled && BUILD.contains(&field.name))
}
