//! The parts at the ends of the fabric: hosts with their memory, and the parts of other crates, such as DMA cards. The
//! path of a TLP from one part to another is in `link`; the software that runs on a host's CPUs is in `software`.
//!
//! # Parts
//!
//! Endpoints and root complexes, of this crate and of others, implement one trait, [`Part`]. The contract:
//!
//! | what | rule |
//! |---|---|
//! | order | TLPs arrive at a port in the order of the link. TLPs that a part puts into one queue of a port ([`Part::queues`]) leave in that order within their class (posted, non-posted, completion). Between classes, the ordering rules and the credits of the link decide. Queues take turns, TLP by TLP. |
//! | reentrancy | Only the event loop calls a part, and never from within a call to its [`PartContext`]. Nothing that a part sends arrives before the call has returned. |
//! | credits | A part must free the credits of every TLP that it receives, by [`PartContext::release`] or by [`PartContext::forward`], which frees them when the TLP has left. The receiver of a TLP frees the credits of what the part sends. |
//! | software | Root complexes are built after all endpoints, and run their software ([`Resources::software`](crate::Resources::software)), as the host of this crate does. |
//! | clock | There is one clock, that of the simulation. [`PartContext::now`] does not change during a call. A part with its own clock counts its cycles by wake-ups. It may announce deliveries in the future ([`PartContext::deliver`]), not in the past. |
//! | memory | A part may read and write the host memory that [`Resources`](crate::Resources) gave it, and the BARs of other parts. |
//! | interrupts | A part interrupts by writing the 4 bytes of a message ([`Message`](crate::Message)) to its address. That wakes the thread named by [`Signal::Message`](crate::Signal). |
//! | requests | A read request asks for 1 to 4096 bytes. [`completions`] divides the data into completions. The completion of a register access must carry its bytes. |
//! | payload | The payload has the length that the header states, which need not be a multiple of a double word, and is at most the Max_Payload_Size settled for the part. Anything else ends the run ([`SimError::Part`](crate::SimError)). |

mod context;
mod exit;
pub(crate) mod host;
mod memory;
mod part;
mod provider;
mod recent;
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
pub use recent::Recent;
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

/// Flows of parts that work on payload bytes, where a run extends them, stop after this many bytes.
pub const MOST_REAL_BYTES: Bytes = Bytes(8 << 20);

/// The payload byte of `flow` at `offset`.
pub fn pattern(flow: u32, offset: u64) -> u8 {
    byte_at(flow, offset)
}

/// `bytes` payload bytes of `flow` from `offset` on.
pub fn patterns(flow: u32, offset: u64, bytes: u64) -> Box<[u8]> {
    bytes_at(flow, offset, bytes)
}

/// The first flow of the chain that flow `number` belongs to. Its bytes are the payload of the whole chain.
pub fn origin(scenario: &Scenario, number: usize) -> usize {
    crate::engine::region::origin(scenario, number)
}
