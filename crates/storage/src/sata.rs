//! Disks and SSDs with SATA, behind an AHCI controller or a SAS host bus adapter (Serial ATA AHCI Specification 1.3.1;
//! Serial ATA Revision 3; Serial Attached SCSI, SATA Tunneled Protocol).
//!
//! Each flow of the controller is one drive at its own port: the first flow in a scenario is that at the first port. Not
//! here: port multipliers, and commands without queueing.

mod array;
mod controller;
mod demand;
mod device;
mod face;
mod front;
mod lanes;
mod params;
mod port;
mod provider;
mod table;

pub use params::{Device, Protocol, SataParams};

use sim::parts::Registration;
use system::kind::Declared;

/// The line that a program registers.
pub const SATA_CONTROLLER: Registration =
    Registration { kind: &SataParams::DECLARATION, provider: &provider::Controllers };
