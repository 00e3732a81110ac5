//! The PCI Express standard as data and arithmetic: generations and encodings, link widths, sizes of TLPs and
//! DLLPs on the wire, their byte codecs, flow-control credits, the timers of the data link layer, addresses
//! and identifiers.
//!
//! What it is not: it knows no parts, no policy, no time of day and no I/O, and it depends on no other crate of
//! this project. Both [`limit`] and [`sim`] take their sizes from here and share nothing else, so that their
//! agreement is a test.
//!
//! Scope: 8b/10b (Gen1, Gen2) and 128b/130b (Gen3 to Gen5) links outside FLIT mode. Sources are named by the
//! title of the chapter or table of the *PCI Express Base Specification* (revision 5.0 unless said otherwise).
//!
//! [`limit`]: https://docs.rs/lanescope-limit
//! [`sim`]: https://docs.rs/lanescope-sim

pub mod bdf;
pub mod config;
pub mod credit;
pub mod device_control;
pub mod dllp;
pub mod framing;
pub mod generation;
pub mod link;
pub mod payload;
#[cfg(feature = "planted")]
pub mod planted;
pub mod timing;
pub mod tlp;
pub mod units;

/// True in a build with errors that tests plant (feature `planted`). No program is one.
pub const HAS_PLANTED: bool = cfg!(feature = "planted");

pub use bdf::Bdf;
pub use credit::{Class, Credits};
pub use framing::{Framing, Shape};
pub use generation::{Encoding, Generation};
pub use link::{LinkSpeed, Width};
pub use payload::PayloadSize;
pub use units::{Bytes, Rate, Time};
