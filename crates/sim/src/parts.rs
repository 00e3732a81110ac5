//! What sits at the ends of the fabric: hosts with their memory, DMA cards with their channels, and parts that crates above
//! bring. How a TLP gets from one to another is none of theirs, and what runs on a host's CPUs is in `software`.
//!
//! # Parts of crates above
//!
//! The contract:
//!
//! | what | holds |
//! |---|---|
//! | order | What comes in by one port comes in the order of the link. What is handed to a port leaves in the order in which it was handed over within its class (posted, non-posted, completion); between classes the ordering rules and the credits of the link decide. |
//! | reentrancy | None: a part is called by the event loop alone, never from within a call to its [`Face`]. What it sends arrives nowhere before the call has returned. |
//! | credits | The part frees what it received, by [`Face::release`], once. What it sends is freed by whoever receives it. |
//! | clock | The simulation's. [`Face::now`] stands still during a call; a part that has a clock of its own counts it in wake-ups, and may tell of the time to come ([`Face::deliver`]), not of what is past. |
//! | payload | As long as its header says, and at most the Max_Payload_Size settled of the part, whole double words or not; a longer one ends the run ([`SimError::Part`](crate::SimError)). |

pub(crate) mod card;
pub(crate) mod compare;
mod face;
pub(crate) mod host;
pub(crate) mod memory;
pub(crate) mod node;
pub(crate) mod part;
mod provider;

use crate::engine::region::{self, byte_at};
use crate::software::buffers;
use system::Scenario;

pub use crate::software::buffers::Buffers;
pub use face::{Arrived, Face, Hold, Label, Leaving, Part, Payload, Sent, Use};
pub(crate) use face::{Seat, Seated};
pub use provider::{KindError, Provider, Registration, register};
pub(crate) use provider::{needed_provider, provider};

/// The byte at `offset` of what `flow` carries.
pub fn pattern(flow: u32, offset: u64) -> u8 {
    byte_at(flow, offset)
}

/// The first flow of the chain that ends in flow `number`: whose bytes it carries.
pub fn origin(scenario: &Scenario, number: usize) -> usize {
    region::origin(scenario, number)
}

/// Where flow `number` lies in the memory of the host.
pub fn buffers(scenario: &Scenario, number: usize) -> Option<Buffers> {
    let (system, flow) = (&scenario.system, scenario.flows.get(number)?);
    let host = system.part(system.host_for(flow.initiator, flow.target)).kind.host()?;
    Some(buffers::buffers(host, number))
}
