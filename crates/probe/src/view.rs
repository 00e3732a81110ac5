//! A machine from all sides: what was observed, its tree, its model, and the rates that it allows.

use crate::address::Address;
use crate::function::Function;
use crate::link::{Link, Why};
use crate::machine::Machine;
use crate::model::{Device, Model, is_switch, short, twins};
use crate::rates::Rates;
use crate::role::Role;
use crate::tree::Tree;

/// What limits and findings look at.
pub struct View<'m> {
    /// What was observed.
    pub machine: &'m Machine,
    /// Who is behind whom.
    pub tree: &'m Tree,
    /// As a system.
    pub model: &'m Model,
    /// What it allows.
    pub rates: Rates<'m>,
}

/// Vendors of emulated devices: Red Hat (QEMU's ports and devices), Red Hat (virtio), Bochs.
const EMULATED: [u16; 3] = [0x1b36, 0x1af4, 0x1234];

impl<'m> View<'m> {
    /// All of it, nothing asked yet.
    pub fn new(machine: &'m Machine, tree: &'m Tree, model: &'m Model) -> View<'m> {
        View { machine, tree, model, rates: Rates::new(machine, model) }
    }
    /// How an address reads: without its domain where all are 0.
    pub fn name(&self, at: Address) -> String {
        short(self.machine, at)
    }
    /// `GPU 04:00.0`.
    pub fn device_name(&self, device: &Device) -> String {
        format!("{} {}", device.role, self.name(device.main))
    }
    /// A function; `None` where it was not seen.
    pub fn function(&self, at: Address) -> Option<&'m Function> {
        self.machine.function(at)
    }
    /// Links with something below them whose figures mean what they say.
    pub fn real_links(&self) -> impl Iterator<Item = (&'m Link, Address)> {
        let real = |link: &&Link| !matches!(link.why, Why::Virtual | Why::Down | Why::Unknown | Why::Contradicts);
        self.tree.links().iter().filter(real).filter_map(|link| Some((link, link.lower?)))
    }
    /// The devices that all their traffic brings over a link.
    pub fn across(&self, link: &Link) -> Vec<&'m Device> {
        let below = |device: &&Device| {
            let above = link.upper.is_some_and(|upper| device.ports.contains(&upper));
            above || link.lower == Some(device.address)
        };
        self.model.devices.iter().filter(below).collect()
    }
    /// The functions of a device.
    pub fn functions(&self, device: &Device) -> impl Iterator<Item = &'m Function> {
        twins(self.machine, device.address)
    }
    /// True where what moves data in bulk is among `devices`.
    pub fn any_fast(&self, devices: &[&Device]) -> bool {
        devices.iter().any(|device| device.role.is_fast())
    }
    /// True of a device that a program plays: its registers are what that program writes there.
    pub fn is_emulated(&self, device: &Device) -> bool {
        let vendor = |at: Address| self.function(at).and_then(|function| function.header.vendor);
        let named = |at: Address| {
            let name = self.function(at).and_then(|function| function.names.device.as_deref());
            name.is_some_and(|name| name.contains("QEMU") || name.starts_with("Red Hat"))
        };
        let ports = device.ports.iter().copied().chain([device.address]);
        device.is_virtual || ports.into_iter().any(|at| vendor(at).is_some_and(|v| EMULATED.contains(&v)) || named(at))
    }
    /// All functions on a device's way, itself first, its root port last: with the upstream ports of switches.
    pub fn way(&self, device: &Device) -> Vec<&'m Function> {
        let mut way: Vec<&Function> = self.function(device.address).into_iter().collect();
        for &port in &device.ports {
            way.extend(self.function(port));
            let above = self.tree.parent(port).and_then(|at| self.function(at));
            way.extend(above.filter(|function| self.is_switch(function)));
        }
        way
    }
    /// True of the upstream port of a switch, also where a plain user does not see that it is one.
    pub fn is_switch(&self, function: &Function) -> bool {
        is_switch(function, self.tree, self.machine)
    }
    /// Devices of a role that have a link.
    pub fn of_role(&self, role: Role) -> Vec<&'m Device> {
        self.model.devices.iter().filter(|d| d.role == role && !d.is_virtual).collect()
    }
}
