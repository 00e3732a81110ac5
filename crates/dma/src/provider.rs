//! The provider of DMA cards and of their software.

use crate::card::Card;
use crate::memory::ChannelMemory;
use crate::software::Threads;
use sim::parts::{Built, KindError, Provider};
use sim::{Options, Resources};
use std::collections::BTreeMap;
use system::{Drive, PartId, Scenario};

/// Builds DMA cards without gateware.
#[derive(Clone, Copy, Debug)]
pub struct Cards;

/// The providers of this crate, for [`sim::Options::kinds`].
pub const KINDS: &[&dyn Provider] = &[&Cards];

/// Run options with the providers of this crate.
pub fn options() -> Options<'static> {
    Options { kinds: KINDS, ..Options::default() }
}

impl Provider for Cards {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.card().is_some_and(|card| !card.is_compiled())
    }

    fn build(&self, scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        let none = || KindError { what: "this is no DMA card".into(), help: "take it out".into() };
        let params = &scenario.system.engine(id).ok_or_else(none)?;
        let mut card = Card::new(scenario, id, params);
        let mut software: BTreeMap<PartId, Threads> = BTreeMap::new();
        for (number, flow) in scenario.flows.iter().enumerate() {
            if flow.initiator != id || flow.operation.is_pio() {
                continue;
            }
            let memory = ChannelMemory::of(scenario, number, params, resources)?;
            card.add(scenario, number, &memory)?;
            if flow.drive == Drive::Software {
                let host = scenario.system.host_for(flow.initiator, flow.target);
                software.entry(host).or_default().add(scenario, number, params, memory.status)?;
            }
        }
        let software = software.into_iter().map(|(host, threads)| threads.on(host)).collect();
        Ok(Built { part: Box::new(card), software })
    }
}
