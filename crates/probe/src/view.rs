//! All views of a machine: what was observed, its tree, its model, and the rates that it allows.

use crate::address::Address;
use crate::function::Function;
use crate::link::{Link, LinkRate, Why};
use crate::machine::Machine;
use crate::model::{Device, Model, is_switch, short, twins};
use crate::rates::Rates;
use crate::role::Role;
use crate::tree::Tree;
use pcie::config::PortType;

/// The input of limits and findings.
pub struct View<'m> {
    /// What was observed.
    pub machine: &'m Machine,
    /// Its tree of bridges and links.
    pub tree: &'m Tree,
    /// The machine as a system.
    pub model: &'m Model,
    /// The rates that it allows.
    pub rates: Rates<'m>,
}

/// Vendors of emulated devices: Red Hat (QEMU's ports and devices), Red Hat (virtio), Bochs.
const EMULATED: [u16; 3] = [0x1b36, 0x1af4, 0x1234];

impl<'m> View<'m> {
    /// A view in which no rates have been computed yet.
    pub fn new(machine: &'m Machine, tree: &'m Tree, model: &'m Model) -> View<'m> {
        View { machine, tree, model, rates: Rates::new(machine, model) }
    }
    /// The text of an address, without the domain if all domains are 0.
    pub fn name(&self, at: Address) -> String {
        short(self.machine, at)
    }
    /// The name of a device, as in `GPU 04:00.0`.
    pub fn device_name(&self, device: &Device) -> String {
        format!("{} {}", device.role, self.name(device.main))
    }
    /// The function at an address; `None` if it was not seen.
    pub fn function(&self, at: Address) -> Option<&'m Function> {
        self.machine.function(at)
    }
    /// Physical links with something below them and with known rates, and their lower ends.
    pub fn real_links(&self) -> impl Iterator<Item = (&'m Link, Address)> {
        let real = |link: &&Link| {
            !matches!(link.why, Why::Virtual | Why::Down | Why::Unknown | Why::Contradicts | Why::OneEnd)
        };
        self.tree.links().iter().filter(real).filter_map(|link| Some((link, link.lower?)))
    }
    /// The speed and width to which training would settle a link. For a link that was read only in part, or that the model
    /// does not have, the least that its ends report.
    pub fn settled(&self, link: &Link) -> Option<LinkRate> {
        let whole = [link.upper_max, link.lower_max].iter().all(|end| end.and_then(LinkRate::modelled).is_some());
        let known = link.lower.filter(|_| whole).and_then(|lower| self.model.link(lower));
        known.map(|link| LinkRate::from(self.model.settled.link(link).speed)).or(link.possible)
    }
    /// The devices whose traffic crosses a link: those below it.
    pub fn across(&self, link: &Link) -> Vec<&'m Device> {
        let below = |device: &&Device| {
            let above = link.upper.is_some_and(|upper| device.ports.contains(&upper));
            above || link.lower == Some(device.address)
        };
        self.model.devices.iter().filter(below).collect()
    }
    /// False for a device of which not all ports up to the root complex were seen.
    pub fn is_rooted(&self, device: &Device) -> bool {
        let kind = device.root().and_then(|root| self.function(root)).map(Function::port_type);
        kind.is_some_and(|kind| kind != Some(PortType::DownstreamPort))
    }
    /// The functions of a device.
    pub fn functions(&self, device: &Device) -> impl Iterator<Item = &'m Function> {
        twins(self.machine, device.address)
    }
    /// True if one of `devices` moves data in bulk: by its class, or because it has several lanes, whatever its class.
    pub fn any_fast(&self, devices: &[&Device]) -> bool {
        devices.iter().any(|device| device.role.is_fast() || self.has_lanes(device))
    }
    fn has_lanes(&self, device: &Device) -> bool {
        let own = self.function(device.address).and_then(Function::link_max);
        own.and_then(|own| own.width).is_some_and(|width| width > 1)
    }
    /// True for a device emulated by software, whose registers hold what that software wrote, and for one without a figure.
    pub fn is_emulated(&self, device: &Device) -> bool {
        let vendor = |at: Address| self.function(at).and_then(|function| function.header.vendor);
        let named = |at: Address| {
            let name = self.function(at).and_then(|function| function.names.device.as_deref());
            name.is_some_and(|name| name.contains("QEMU") || name.starts_with("Red Hat"))
        };
        let ports = device.ports.iter().copied().chain([device.address]);
        device.is_virtual || ports.into_iter().any(|at| vendor(at).is_some_and(|v| EMULATED.contains(&v)) || named(at))
    }
    /// All functions from a device up to its root port, the device first, including the upstream ports of switches.
    pub fn way(&self, device: &Device) -> Vec<&'m Function> {
        let mut way: Vec<&Function> = self.function(device.address).into_iter().collect();
        for &port in &device.ports {
            way.extend(self.function(port));
            let above = self.tree.parent(port).and_then(|at| self.function(at));
            way.extend(above.filter(|function| self.is_switch(function)));
        }
        way
    }
    /// True for the upstream port of a switch, even if its type could not be read.
    pub fn is_switch(&self, function: &Function) -> bool {
        is_switch(function, self.tree, self.machine)
    }
    /// The devices of a role that have figures.
    pub fn of_role(&self, role: Role) -> Vec<&'m Device> {
        self.model.devices.iter().filter(|d| d.role == role && !d.is_virtual).collect()
    }
}
