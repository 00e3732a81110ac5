//! Writes what a simulation put on its links to files for other tools. `docs/traces.md` describes the formats of packets,
//! `docs/symbols.md` that of symbols.
//!
//! Not here: any influence on the run, which knows nothing of files. This crate takes the records of [`sim::trace`],
//! sorts them by time, and writes them during the run, in bounded memory.
//!
//! | word | meaning |
//! |---|---|
//! | format | pcapng for Wireshark, Perfetto's protobuf for its viewer, or the symbols of one direction |
//! | chosen links | the links whose TLPs and DLLPs are written, in both directions |
//! | wire tag | the tag of a request in a trace: the lowest free one of its requester |

mod chosen;
mod credits;
mod encode;
mod format;
mod frame;
mod lane;
mod links;
mod names;
mod order;
mod pcapng;
mod perfetto;
mod proto;
mod requests;
mod symbols;
mod tracks;
mod writer;

pub use chosen::{Chosen, ChosenError};
pub use format::{Format, UnknownFormat};
pub use links::Links;
pub use symbols::Lanes;
pub use writer::{Summary, Writer};
