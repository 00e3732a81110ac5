//! The engine as a PCI device of a QEMU guest: a process in which the Verilated gateware runs, and which QEMU reaches by the
//! socket of its `x-pci-proxy-dev`. A driver in the guest's kernel meets the registers, descriptor rings, records and MSI-X
//! messages of the gateware itself.
//!
//! Register accesses of the guest become TLPs into the engine ([`engine`]), its reads and writes act on the guest's memory
//! ([`memory`]), which QEMU shares, and its MSI-X messages become writes over QEMU's test socket ([`messages`]), because an
//! event descriptor does not reach a guest under software emulation. Where the guest has an IOMMU, it is asked about both
//! ([`iommu`]). Configuration space ([`config`]) is what the vendor's
//! block would show. What one card writes into a BAR of the other goes from process to process ([`peer`]).
//!
//! Not here: time. A guest under software emulation has none that means anything; rates come from the simulation.
//!
//! | word | meaning |
//! |---|---|
//! | proxy | QEMU's device, which passes on what the guest does |
//! | fault | an error that the device makes on demand, so that a driver's handling of it can be tested |

#[cfg(gateware)]
mod completion;
pub mod config;
pub mod counters;
#[cfg(gateware)]
pub mod engine;
pub mod iommu;
pub mod late;
#[cfg(gateware)]
mod load;
pub mod memory;
pub mod messages;
#[cfg(gateware)]
pub mod model;
pub mod peer;
pub mod proxy;

/// Why no card is compiled in; empty where one is.
pub const MISSING: &str = include_str!(concat!(env!("OUT_DIR"), "/missing.txt"));
