//! From a [`Machine`] to a [`System`] whose settled part is what was observed.
//!
//! Every device below a root port becomes a card, every switch a switch. All sockets are one host, since no register shows the
//! connection between them. A chipset that no port shows (see [`Chipset`]) becomes a switch above its root ports. Figures that
//! registers do not hold are assumed, and marked so: latencies of root complex and switches, infinite credits, as many reads in
//! flight as there are tags, completions as long as Max_Payload_Size allows. So limits are those of the links, with the values
//! that registers settle.

mod build;
mod device;
mod drives;
mod parts;

pub(crate) use build::{PARTLY, hidden};
pub use device::{Device, Uplink};
pub use drives::Drives;
pub(crate) use parts::{NO_BOTTLENECK, is_switch};
pub use parts::{short, twins};

use crate::address::Address;
use crate::chipset::Chipset;
use crate::machine::Machine;
use crate::tree::Tree;
use std::collections::BTreeMap;
use system::{LinkId, System};

/// A machine as a system.
#[derive(Clone, Debug)]
pub struct Model {
    /// The system as observed.
    pub system: System,
    /// The same parts and links as training and firmware would have settled them. Findings compare with it.
    pub settled: System,
    /// Devices, in the order of their addresses.
    pub devices: Vec<Device>,
    /// Devices without a figure, and the reason.
    pub left_out: Vec<(Address, String)>,
    /// The chipset, if it has devices and its link is known.
    pub uplink: Option<Uplink>,
    /// The LPC controller of a chipset whose link is not known.
    pub unknown_chipset: Option<Address>,
    /// The links, by the address of the port above and by that of the device below.
    links: BTreeMap<Address, LinkId>,
}

impl Model {
    /// The system of a machine.
    pub fn of(machine: &Machine, tree: &Tree) -> Model {
        Model::with_drives(machine, tree, &Drives::default())
    }
    /// The system of a machine with these drives, each a card of its name.
    pub fn with_drives(machine: &Machine, tree: &Tree, drives: &Drives) -> Model {
        let chipset = Chipset::of(machine);
        let (observed, found) = build::built(machine, tree, drives, chipset.as_ref());
        let build::Found { mut devices, left_out, uplink, links } = found;
        devices.sort_by_key(|device| device.address);
        // Nothing here is set by hand, so that nothing can be refused.
        let settled = observed.settled().unwrap_or_else(|_| observed.clone().system());
        let unknown_chipset = chipset.is_none().then(|| Chipset::unknown(machine)).flatten();
        Model { system: observed.system(), settled, devices, left_out, uplink, unknown_chipset, links }
    }
    /// The link below a port, or above a device.
    pub fn link(&self, at: Address) -> Option<LinkId> {
        self.links.get(&at).copied()
    }
    /// An address by which [`Model::link`] finds a link: of the port above it, or of the device below.
    pub fn address_of(&self, link: LinkId) -> Option<Address> {
        self.links.iter().find(|(_, id)| **id == link).map(|(at, _)| *at)
    }
    /// The device at an address, or with its main function there.
    pub fn device(&self, at: Address) -> Option<&Device> {
        self.devices.iter().find(|device| device.address == at || device.main == at)
    }
    /// The devices below a port.
    pub fn below(&self, port: Address) -> impl Iterator<Item = &Device> {
        self.devices.iter().filter(move |device| device.ports.contains(&port))
    }
    /// The devices below the chipset.
    pub fn below_chipset(&self) -> Vec<&Device> {
        let Some(uplink) = &self.uplink else { return Vec::new() };
        self.devices.iter().filter(|d| d.root().is_some_and(|root| uplink.chipset.holds(root))).collect()
    }
    /// The devices below a chipset whose link is not known.
    pub fn below_unknown_chipset(&self) -> Vec<&Device> {
        let is_below = |device: &&Device| !device.is_virtual && device.root().is_some_and(crate::chipset::is_port);
        self.devices.iter().filter(|_| self.unknown_chipset.is_some()).filter(is_below).collect()
    }
}
