//! An NVMe SSD: queues in host memory, doorbells, commands that it fetches, data, completion entries and interrupts
//! (NVM Express Base Specification 2.0, NVM Command Set Specification 1.0, PCIe Transport Specification 1.0).
//!
//! Not here: metadata, and admin commands beside those of the bring-up.

mod admin;
mod bring_up;
mod command;
mod controller;
mod data;
mod entry;
mod face;
mod front;
mod pages;
mod params;
mod provider;
mod queue;

pub use params::NvmeParams;

use sim::parts::Registration;
use system::kind::Declared;

/// The line that a program registers.
pub const NVME_SSD: Registration = Registration { kind: &NvmeParams::DECLARATION, provider: &provider::Drives };
