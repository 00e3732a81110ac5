//! A card with lanescope's DMA engine, from a program, through the Linux driver (`driver/`).
//!
//! Each channel of a card is a file, `/dev/lanescopeN/c2hK` (card to host) or `/dev/lanescopeN/h2cK` (host to card). [`Channel`]
//! opens one, [`channels`] all of a card. A channel is read or written as a file is ([`std::io::Read`], [`std::io::Write`]): a
//! call is a transfer, a write is a frame, and the end of a frame ends a read. [`Channel::info`] says what the driver and the
//! engine are, and what the channel has counted.
//!
//! ```no_run
//! use std::io::{Read, Write};
//! let mut to_card = card::Channel::open("/dev/lanescope0/h2c0")?;
//! let mut from_card = card::Channel::open("/dev/lanescope0/c2h0")?;
//! let mut frame = [0; 4096];
//! std::thread::scope(|scope| {
//!     scope.spawn(move || to_card.write_all(&[7; 4096]));
//!     from_card.read_exact(&mut frame)
//! })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Channel::set_frames`] changes that for one open file: a write that does not end its frame, a read that goes on over the ends of
//! frames or leaves the next one alone, and notes of where frames ended.
//!
//! A [`Queue`] is a channel in ring mode: this process puts transfers, submits them with one store to the card, and polls for what
//! is done, without system calls. The driver refuses it unless it was told to allow it (`docs/driver.md`).
//!
//! A dma-buf of somebody else is read and written by [`Channel::transfer`]: memory, or the window of another card, which
//! [`Channel::window`] exports.
//!
//! What this crate is not: it maps no registers but a channel's doorbell; it measures nothing, which is
//! `bench`'s; and the engine that is simulated (`cosim`) has a driver of its own.
//!
//! | word | meaning |
//! |---|---|
//! | card | a folder of channels, `/dev/lanescopeN` |
//! | channel | one stream of data in one direction |
//! | queue | a channel that the driver has lent to this process |
//! | window | BAR 2 of a card, to which other devices write: a FIFO, whose bytes count in the order of their arrival |
//! | cause | why the last transfer that failed did so, as the engine says it |

mod channel;
mod dmabuf;
mod error;
mod frames;
mod info;
mod lent;
mod mapping;
mod queue;

pub use channel::{Channel, Direction, channels};
pub use error::Error;
pub use frames::{Frames, Note, cancel};
pub use info::{Abilities, Cause, Info};
pub use queue::{Done, Memory, Queue, Refused};
