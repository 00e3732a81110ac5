//! Compiled gateware as a part of a described system.
//!
//! A card with `gateware: pcie_dma` is two parts: the vendor's hard block, behavioural ([`block`]: buffers, latency, the
//! stream at its user side), and our engine, compiled by Verilator from `gateware/rtl` ([`model`]), which begins at that
//! stream, shim included. Around the engine's user side stands a small design ([`design`]): sources, sinks, FIFOs between
//! streams, and commands. Software ([`driver`]) programs the engine through its registers and its descriptor rings in
//! simulated host memory.
//!
//! TLPs cross between link and block as header and payload bytes, encoded and decoded by `pcie`. Real bytes travel from
//! end to end and are compared there.
//!
//! What it is not: another model of an endpoint. What the engine does is what the SystemVerilog does; this crate
//! clocks it, and the event loop is [`sim`]'s.
//!
//! | word | meaning |
//! |---|---|
//! | block | the vendor's hard block between link and stream |
//! | engine | the gateware behind the stream |
//! | design | what uses the engine inside the FPGA |
//! | build | the engine elaborated with one set of parameters ([`builds`]) |
//! | clock | one period of the engine's clock; clocks in which nothing can happen are skipped |

pub mod block;
/// The builds of the engine that are compiled in.
pub mod builds;
mod card;
pub mod counterpart;
pub mod design;
pub mod driver;
mod kinds;
mod ledger;
#[cfg(gateware)]
mod model;
#[cfg(not(gateware))]
#[path = "missing.rs"]
mod model;
mod pingpong;
pub mod pins;
pub mod registers;
mod wiring;

pub use counterpart::counterpart;
pub use kinds::{Cosim, INSTALL, is_there};
