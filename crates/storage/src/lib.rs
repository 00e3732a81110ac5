//! Drives, their controllers, and the software that drives them, as parts of a simulation.
//!
//! A drive is an endpoint with queues. Software puts commands into them and keeps a number in flight ([`system::Work`]);
//! the drive moves the data of a command by DMA, so that a read of the drive writes host memory and a write of the drive
//! reads it; and a command has ended when software has seen its completion. Each kind declares what links and software
//! carry for a command besides its data ([`system::kinds::queues::Queues`]), from which `limit` makes its rows.
//!
//! What this crate is not: a model of any drive's firmware. What is behind a controller is what its data sheet says of
//! it: places that read and program so many bytes at a time (`flash`), not the mapping of blocks to them.
//!
//! Words: a *block* is what a command of a flow moves, the `command` of an experiment; a drive whose largest transfer is
//! smaller gets several commands for it. A *job* is a thread of software that submits commands, with a queue of its own.

mod ahead;
mod block;
pub mod faults;
pub mod flash;
pub mod nvme;
pub mod nvme_host;
pub mod operations;
pub mod sata;
pub mod usb;

pub use operations::{DISK_READ, DISK_WRITE};

use sim::parts::Registration;
use system::registry::RegistryError;

/// The kinds of this crate, with their providers.
pub const KINDS: &[Registration] = &[nvme::NVME_SSD, nvme_host::NVME_HOST, sata::SATA_CONTROLLER, usb::USB2_BULK];

/// Registers the kinds of this crate alone. A program that has more registers them together ([`sim::parts::register`]).
///
/// # Errors
/// Those of [`sim::parts::register`].
pub fn register() -> Result<(), RegistryError> {
    sim::parts::register(KINDS)
}
