//! Traces: what a simulation put on its links, as files that other tools open. See `docs/traces.md` for both formats.
//!
//! What it is not: it decides nothing about the run, and the run knows nothing of files. It takes the records of
//! [`sim::trace`], puts them into the order of time, and writes them while the run goes on, in bounded memory.
//!
//! | word | meaning |
//! |---|---|
//! | format | what is made of the records: pcapng for Wireshark, Perfetto's protobuf for its viewer |
//! | chosen links | those whose TLPs and DLLPs are written, both directions of each |
//! | wire tag | the tag that a request carries in the bytes of a trace: the first one of its requester that is free |

mod chosen;
mod credits;
mod format;
mod frame;
mod lane;
mod names;
mod order;
mod pcapng;
mod perfetto;
mod proto;
mod requests;
mod tracks;
mod writer;

pub use chosen::{Chosen, ChosenError};
pub use format::{Format, UnknownFormat};
pub use writer::{Summary, Writer};
