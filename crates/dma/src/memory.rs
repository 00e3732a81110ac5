//! The memory regions that a channel uses.

use sim::Resources;
use sim::parts::{KindError, Region, target_bar};
use system::kinds::CardParams;
use system::kinds::card::Descriptors;
use system::{Scenario, Window};

/// Bytes of a descriptor ring, after which it wraps around.
const RING_BYTES: u64 = 64 << 10;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct ChannelMemory {
    /// Where payload goes to or comes from: host memory, or the BAR of another card.
    pub payload: Region,
    /// Where the card writes the status of commands.
    pub status: Window,
    /// The descriptor ring, where the card fetches descriptors.
    pub ring: Option<Window>,
}

impl ChannelMemory {
    /// The memory of flow `number`, whose initiator is a card with `params`.
    ///
    /// # Errors
    /// The flow has no target memory, or its host has no memory left.
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
