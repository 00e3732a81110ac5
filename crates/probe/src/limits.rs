//! The limits of a machine: of each device alone, of sets of devices at once, and of peer-to-peer traffic.

use crate::address::Address;
use crate::findings::acs::redirects;
use crate::model::Device;
use crate::rates::{Limited, Way};
use crate::role::Role;
use crate::view::View;
use pcie::Rate;

/// The limit of one device alone.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceLimit {
    /// Its main function.
    pub at: Address,
    /// Its role.
    pub role: Role,
    /// From the device to memory.
    pub to_memory: Limited,
    /// From memory to the device.
    pub from_memory: Limited,
}

impl DeviceLimit {
    /// The limit in one direction.
    pub fn way(&self, way: Way) -> &Limited {
        match way {
            Way::ToMemory => &self.to_memory,
            Way::FromMemory => &self.from_memory,
        }
    }
}

/// The limit of devices that all move data to memory at once.
#[derive(Clone, Debug, PartialEq)]
pub struct SetLimit {
    /// The name of the set: `all SSDs`, `all behind the chipset`.
    pub name: String,
    /// Each device with its share.
    pub shares: Vec<(Address, Limited)>,
    /// The sum of the shares.
    pub sum: Rate,
    /// The sum of what the devices get one at a time.
    pub alone: Rate,
    /// The number of these devices that share a chipset link of unknown rate, which may leave them less; 0 if not more than one.
    pub behind_unknown: usize,
    /// True where the port above one of them was not seen: they may share what is above.
    pub is_unseen: bool,
}

/// The limit from one device to another.
#[derive(Clone, Debug, PartialEq)]
pub struct PeerLimit {
    /// The device that writes.
    pub from: Address,
    /// The device that is written to.
    pub to: Address,
    /// The number of switches on the way.
    pub switches: usize,
    /// True if the traffic passes the root complex because no switch joins the devices.
    pub through_root: bool,
    /// True if the traffic passes the root complex because of ACS at a port of their switch.
    pub redirected: bool,
    /// The NUMA nodes of both devices, if they are known and differ. The traffic then goes from socket to socket, at a
    /// cost that no register shows.
    pub nodes: Option<(u32, u32)>,
    /// The rate, and the link that sets it.
    pub limited: Limited,
}

/// All limits of a machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// Devices, in the order of their addresses.
    pub devices: Vec<DeviceLimit>,
    /// Sets of more than one device.
    pub sets: Vec<SetLimit>,
    /// Between accelerators, and between network cards and accelerators.
    pub peers: Vec<PeerLimit>,
}

impl Limits {
    /// The limits of a machine.
    pub fn of(view: &View<'_>) -> Limits {
        let devices = view.model.devices.iter().filter_map(|device| device_limit(view, device)).collect();
        Limits {
            devices,
            sets: sets(view),
            peers: peers(view, |from, to| from.computes() || to.computes(), MOST_PAIRS),
        }
    }
}

/// The most pairs that are listed by default.
pub(crate) const MOST_PAIRS: usize = 64;

/// The limit of a device alone; `None` if no figure can be given for it.
pub fn device_limit(view: &View<'_>, device: &Device) -> Option<DeviceLimit> {
    Some(DeviceLimit {
        at: device.main,
        role: device.role,
        to_memory: view.rates.alone(device, Way::ToMemory, &[])?,
        from_memory: view.rates.alone(device, Way::FromMemory, &[])?,
    })
}

fn sets(view: &View<'_>) -> Vec<SetLimit> {
    let by_role = [
        (Role::Ssd, "all SSDs"),
        (Role::Gpu, "all GPUs"),
        (Role::Accelerator, "all accelerators"),
        (Role::Nic, "all NICs"),
    ];
    let mut named: Vec<(String, Vec<&Device>)> =
        by_role.iter().map(|&(role, name)| (name.to_string(), view.of_role(role))).collect();
    let chipset = view.model.below_chipset().into_iter().filter(|d| !d.is_virtual).collect();
    named.push(("all behind the chipset".to_string(), chipset));
    for (link, lower) in view.real_links() {
        let below: Vec<&Device> = view.across(link).into_iter().filter(|device| !device.is_virtual).collect();
        if below.len() > 1 && link.upper.is_some() {
            named.push((format!("all behind {}", view.name(lower)), below));
        }
    }
    named.into_iter().filter_map(|(name, devices)| set(view, name, &devices)).collect()
}

/// The limit of devices at once; `None` for fewer than two.
fn set(view: &View<'_>, name: String, devices: &[&Device]) -> Option<SetLimit> {
    if devices.len() < 2 {
        return None;
    }
    let limits = view.rates.together(devices, Way::ToMemory, &[]);
    let alone = devices.iter().filter_map(|device| view.rates.alone(device, Way::ToMemory, &[]));
    let sum = |rates: &mut dyn Iterator<Item = f64>| Rate(rates.sum());
    let alone = sum(&mut alone.map(|limited| limited.rate.0));
    let total = sum(&mut limits.iter().map(|limited| limited.rate.0));
    let shares = devices.iter().map(|device| device.main).zip(limits).collect();
    let is_unseen = devices.iter().any(|device| !view.is_rooted(device));
    Some(SetLimit { name, shares, sum: total, alone, behind_unknown: behind_unknown(view, devices), is_unseen })
}

/// The number of the given devices that share a chipset link of unknown rate. A single one shares it with no other: 0.
pub(crate) fn behind_unknown(view: &View<'_>, devices: &[&Device]) -> usize {
    let below = view.model.below_unknown_chipset();
    let count = devices.iter().filter(|device| below.iter().any(|other| other.address == device.address)).count();
    if count > 1 { count } else { 0 }
}

/// The limits between peers whose roles are `wanted`, without drives; at most `most` pairs.
fn peers(view: &View<'_>, wanted: fn(Role, Role) -> bool, most: usize) -> Vec<PeerLimit> {
    let all: Vec<&Device> = view.model.devices.iter().filter(|d| d.role.is_peer() && !d.is_virtual).collect();
    let pairs = all.iter().flat_map(|&from| all.iter().map(move |&to| (from, to)));
    let fits = |(from, to): &(&Device, &Device)| {
        from.address != to.address && wanted(from.role, to.role) && from.role != Role::Ssd && to.role != Role::Ssd
    };
    pairs.filter(fits).take(most).filter_map(|(from, to)| peer(view, from, to)).collect()
}

/// The limits from every peer to every other one.
pub fn matrix(view: &View<'_>) -> Vec<PeerLimit> {
    let all: Vec<&Device> = view.model.devices.iter().filter(|d| d.role.is_peer() && !d.is_virtual).collect();
    let pairs = all.iter().flat_map(|&from| all.iter().map(move |&to| (from, to)));
    pairs.filter(|(from, to)| from.address != to.address).filter_map(|(from, to)| peer(view, from, to)).collect()
}

/// The limit from one device to another.
pub fn peer(view: &View<'_>, from: &Device, to: &Device) -> Option<PeerLimit> {
    let shared: Vec<Address> = from.ports.iter().copied().filter(|port| to.ports.contains(port)).collect();
    // The downstream ports of a common switch are not shared, but their parent, its upstream port, is common to both.
    let own = |device: &Device| device.ports.iter().copied().filter(|port| !shared.contains(port)).collect::<Vec<_>>();
    let (up, down) = (own(from), own(to));
    let switches_of = |ports: &[Address]| ports.iter().filter_map(|&port| view.tree.parent(port)).collect::<Vec<_>>();
    let mut switches = switches_of(&up);
    switches.extend(switches_of(&down));
    switches.sort_unstable();
    switches.dedup();
    let through_root = shared.is_empty();
    let redirected = !through_root && up.last().into_iter().chain(down.last()).any(|&port| redirects(view, port));
    let node = |device: &Device| view.function(device.main)?.os.numa_node;
    let nodes = node(from).zip(node(to)).filter(|(from, to)| from != to);
    let straight = view.rates.peer(from, to)?;
    let limited = if redirected { around(view, from, to, straight)? } else { straight };
    Some(PeerLimit { from: from.main, to: to.main, switches: switches.len(), through_root, redirected, nodes, limited })
}

/// The limit through the root complex: the lowest of the way up, the way down, and `straight`.
fn around(view: &View<'_>, from: &Device, to: &Device, straight: Limited) -> Option<Limited> {
    let up = view.rates.alone(from, Way::ToMemory, &[])?;
    let down = view.rates.alone(to, Way::FromMemory, &[])?;
    let slower = if up.rate.0 <= down.rate.0 { up } else { down };
    Some(if slower.rate.0 < straight.rate.0 { slower } else { straight })
}
