//! The memory of a host that a channel works in.

use sim::Resources;
use sim::parts::{KindError, Region, target_bar};
use system::kinds::CardParams;
use system::kinds::card::Descriptors;
use system::{Scenario, Window};

/// Descriptors have so much room, and begin again at its start.
const RING_BYTES: u64 = 64 << 10;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct ChannelMemory {
    /// Where payload goes to or comes from: host memory, or the BAR of another card.
    pub payload: Region,
    /// Where the card tells the end of commands.
    pub status: Window,
    /// Descriptors that the card fetches, where it does.
    pub ring: Option<Window>,
}

impl ChannelMemory {
    /// That of flow `number`, whose initiator is a card with `params`.
    ///
    /// # Errors
    /// The flow has nowhere to go, or its host has no memory left.
    pub fn of(
        scenario: &Scenario,
        number: usize,
        params: &CardParams,
        resources: &mut Resources,
    ) -> Result<ChannelMemory, KindError> {
        let (system, flow) = (&scenario.system, &scenario.flows[number]);
        let host = system.host_for(flow.initiator, flow.target);
        // Of a flow to memory, the status stands in the first page of what the application goes through.
        let (payload, own) = if system.part(flow.target).kind.is_root() {
            let own = resources.payload(scenario, number)?;
            (own, own)
        } else {
            let bar = target_bar(scenario, number).ok_or_else(|| KindError {
                what: format!("{}: its target has no BAR", flow.name),
                help: "give it one in `bars`".into(),
            })?;
            (bar, resources.memory(host, params.status_bytes.0)?)
        };
        let ring = match params.descriptors {
            Descriptors::Ring => Some(resources.memory(host, RING_BYTES)?),
            _ => None,
        };
        Ok(ChannelMemory { payload: Region::new(payload), status: own, ring })
    }
}
