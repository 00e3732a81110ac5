//! Compiled gateware as a part of a described system.
//!
//! A card with `gateware: pcie_dma` has two parts: the vendor's hard block, which is behavioural ([`block`]: buffers,
//! latency, and the stream at its user interface), and our engine, compiled by Verilator from `gateware/rtl`
//! (`model`), which starts at that stream and includes the shim. At the engine's user side is a small design
//! ([`design`]): sources, sinks, FIFOs between streams, and commands. Software ([`driver`]) programs the engine by its
//! registers and its descriptor rings in simulated host memory.
//!
//! An NVMe host with `gateware: nvme_host` is the other part with compiled gateware: `nvme_host`.
//!
//! TLPs pass between link and block as header and payload bytes, encoded and decoded by `pcie`. Payload bytes are real
//! and are compared at the end.
//!
//! Not here: a second model of an endpoint. The SystemVerilog defines what the engine does; this crate runs its clock.
//! The event loop is that of [`sim`].
//!
//! | word | meaning |
//! |---|---|
//! | block | the vendor's hard block between link and stream |
//! | engine | the gateware from the stream on |
//! | design | what uses the engine in the FPGA |
//! | build | the engine elaborated with one set of parameters ([`builds`]) |
//! | clock | one period of the engine's clock; clocks in which nothing can happen are skipped |

mod bars;
pub mod block;
/// The builds of the engine that are compiled in.
pub mod builds;
mod card;
pub mod counterpart;
pub mod design;
pub mod driver;
mod host_pins;
mod kinds;
mod ledger;
#[cfg(gateware)]
mod model;
#[cfg(not(gateware))]
#[path = "missing.rs"]
mod model;
mod nvme_host;
mod pingpong;
pub mod pins;
mod refusal;
pub mod registers;
mod wiring;

pub use counterpart::counterpart;
pub use kinds::{Cosim, INSTALL, is_there};
