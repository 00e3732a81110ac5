//! What devices with queues are made of, and the software that fills them: drives, network cards, copy engines.
//!
//! Software writes entries into a ring in memory, tells the device by a doorbell, and learns of ends from entries that the
//! device writes. Between both lie tags, buffers and interrupts. Each of these is here once; a kind puts them together and adds
//! what only it does. What links and software carry for a command is declared to `limit` apart from this
//! ([`system::kinds::queues::Queues`]).
//!
//! What this crate is not: a protocol. Which bytes an entry has, what a doorbell means and when a command ends say the kinds.
//!
//! | word | meaning |
//! |---|---|
//! | ring | entries of equal size in memory, used again and again; a *place* counts on without end |
//! | mover | the DMA engine of a device: tags, read requests, and a buffer for what leaves |
//! | block | what a command of a flow moves, the `command` of an experiment |
//! | job | a thread of software that keeps a number of blocks in the queue of its own |
//! | wiring | the rings, doorbells, messages and memory between the software of a device and its queues |
//! | numbered | a queue whose completions carry numbers, as software sees it and as the device has it |
//! | face | how the software of one job gives commands to a device and learns of their ends |
//! | moderation | completions that share an interrupt |
//! | agenda | what will happen in a device, in order of time |

pub mod agenda;
pub mod jobs;
pub mod moderation;
pub mod mover;
pub mod numbered;
pub mod ring;
pub mod wiring;

pub use agenda::Agenda;
pub use jobs::{Blocks, Ended, Face, Flows, Job, Jobs, Opening, Transfer, blocks_of};
pub use moderation::{Moderation, Tell};
pub use mover::{Arrival, Asked, Mover, Span};
pub use numbered::{Numbered, NumberedFace};
pub use ring::{Reader, Ring};
pub use wiring::{Pair, Wiring};
