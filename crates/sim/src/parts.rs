//! What sits at the ends of the fabric: hosts with their memory, and the parts that crates above bring, DMA cards among
//! them. How a TLP gets from one to another is none of theirs, and what runs on a host's CPUs is in `software`.
//!
//! # Parts
//!
//! All are parts on one trait, [`Part`]: endpoints and root complexes, those of this crate and those of crates above. The
//! contract:
//!
//! | what | holds |
//! |---|---|
//! | order | What comes in by one port comes in the order of the link. What is handed to a queue of a port ([`Part::queues`]) leaves in the order in which it was handed over within its class (posted, non-posted, completion); between classes the ordering rules and the credits of the link decide. Queues take turns, TLP by TLP. |
//! | reentrancy | None: a part is called by the event loop alone, never from within a call to its [`PartContext`]. What it sends arrives nowhere before the call has returned. |
//! | credits | The part frees what it received, by [`PartContext::release`], or sends it on ([`PartContext::forward`]), which frees it when it has left. What it sends is freed by whoever receives it. |
//! | software | A root complex is built after all endpoints, and runs their software ([`Resources::software`](crate::Resources::software)); the host of this crate does. |
//! | clock | The simulation's. [`PartContext::now`] stands still during a call; a part that has a clock of its own counts it in wake-ups, and may tell of the time to come ([`PartContext::deliver_ahead`]), not of what is past. |
//! | memory | A part reads and writes what it was given of a host ([`Resources`](crate::Resources)), and the BARs of other parts. |
//! | interrupts | A write of the 4 bytes of a message ([`Message`](crate::Message)) to its address; it wakes the thread that [`Signal::Message`](crate::Signal) names. |
//! | requests | A read asks for 1 to 4096 bytes. What answers it is cut by [`completions`]; an answer to a register access carries its bytes. |
//! | payload | As long as its header says, and at most the Max_Payload_Size settled of the part, whole double words or not; a longer one ends the run ([`SimError::Part`](crate::SimError)). |

mod context;
mod exit;
pub(crate) mod host;
mod memory;
mod part;
mod provider;
mod seated;
mod traffic;

use crate::engine::region::{byte_at, bytes_at};
use pcie::Bytes;
use system::kinds::host::PAGE_BYTES;
use system::{PartId, Scenario, System, Window};

pub use crate::engine::by_flow::ByFlow;
pub use crate::engine::fifo::Fifo;
pub use crate::engine::refusal::KindError;
pub use crate::engine::region::Region;
pub use crate::engine::tlp::{Held, Purpose};
pub use context::PartContext;
pub(crate) use context::Seat;
pub use exit::{Decided, Exit};
pub use part::Part;
pub use provider::{Built, Provider, Registration, register};
pub(crate) use provider::{needed_provider, provider};
pub(crate) use seated::Seated;
pub use traffic::{Arrived, Hold, Label, Leaving, Payload, Sent, completions};

/// Where the payload of flow `number` goes at the endpoint that is its target: the largest BAR, in whole pages. `None` where it
/// has none.
pub fn target_bar(scenario: &Scenario, number: usize) -> Option<Window> {
    let flow = scenario.flows.get(number)?;
    bar(&scenario.system, flow.initiator, flow.target)
}

/// The largest BAR of a card, as it is reached from `from`, in whole pages.
pub(crate) fn bar(system: &System, from: PartId, card: PartId) -> Option<Window> {
    let largest = system.largest_bar_from(from, card)?;
    let bytes = largest.bytes / PAGE_BYTES.0 * PAGE_BYTES.0;
    (bytes > 0).then_some(Window { bytes, ..largest })
}

/// Real bytes of a flow end here at the latest: what a flow whose parts work on bytes moves where it is to go on.
pub const MOST_REAL_BYTES: Bytes = Bytes(8 << 20);

/// The byte at `offset` of what `flow` carries.
pub fn pattern(flow: u32, offset: u64) -> u8 {
    byte_at(flow, offset)
}

/// `bytes` bytes of what `flow` carries, from `offset` on.
pub fn patterns(flow: u32, offset: u64, bytes: u64) -> Box<[u8]> {
    bytes_at(flow, offset, bytes)
}

/// The first flow of the chain that ends in flow `number`: whose bytes it carries.
pub fn origin(scenario: &Scenario, number: usize) -> usize {
    crate::engine::region::origin(scenario, number)
}
