//! What hangs below the links of a model.

use crate::address::Address;
use crate::chipset::Chipset;
use crate::role::Role;
use crate::thunderbolt::Tunnel;
use system::{LinkId, PartId};

/// One device below a link.
#[derive(Clone, Debug)]
pub struct Device {
    /// Its part in the system.
    pub part: PartId,
    /// The address of its function 0, or of the lowest function seen.
    pub address: Address,
    /// The function that determines its role.
    pub main: Address,
    /// Its role.
    pub role: Role,
    /// The downstream-facing ports above it, nearest first.
    pub ports: Vec<Address>,
    /// True if no figure can be given: its own link is inside a chip, no link above it is physical, or a tunnel is on its way.
    pub is_virtual: bool,
    /// The tunnel on its way, if there is one.
    pub tunnel: Option<Tunnel>,
}

impl Device {
    /// The root port above it.
    pub fn root(&self) -> Option<Address> {
        self.ports.last().copied()
    }
}

/// A chipset in the system, with its link.
#[derive(Clone, Debug)]
pub struct Uplink {
    /// The chipset.
    pub chipset: Chipset,
    /// Its part in the system.
    pub part: PartId,
    /// Its link to the processor.
    pub link: LinkId,
}
