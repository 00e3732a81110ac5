//! A scenario with steps of some things made.

use crate::confirmed::{Step, Thing};
use pcie::PayloadSize;
use system::graph::Direction;
use system::{Change, FieldType, Origin, PartId, Scenario};

/// `scenario` with all `steps` made, and the directions that are faster; `None` if a value cannot be set.
pub(crate) fn with_steps(scenario: &Scenario, steps: &[Step]) -> Option<(Scenario, Vec<Direction>)> {
    let (mut changed, mut faster) = (scenario.clone(), Vec::new());
    let (system, flows) = (&mut changed.system, &mut changed.flows);
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
            Thing::Depth(depth) => {
                let to = u64::parse(&step.to)?;
                flows.iter_mut().filter(|flow| flow.work.depth == *depth).for_each(|flow| flow.work.depth = to);
            }
            Thing::Cores(cores) => {
                let to = Some(u64::parse(&step.to)?);
                flows.iter_mut().filter(|flow| flow.work.cores == Some(*cores)).for_each(|flow| flow.work.cores = to);
            }
            Thing::Tags(part) => amend(Change::Tags(*part, u64::parse(&step.to)?))?,
        }
    }
    Some((changed, faster))
}
