//! How much of a machine was judged, and the reason for everything that was not: without this, "no findings" would also be the
//! result where nothing was examined.
//!
//! A link is judged if both its ends report their current and maximum rate; a device is judged if it has a limit.

use crate::address::Address;
use crate::function::{Function, Reach};
use crate::link::{Link, Unreal, Why};
use crate::model::{PARTLY, hidden, twins};
use crate::view::View;
use pcie::config::PortType;

/// A device, link or port that was not judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// A device by its first function, the lower port of a link, or an empty port.
    pub at: Address,
    /// The reason.
    pub why: String,
}

/// What was judged, and what was not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    /// The number of links of which both ends are known.
    pub links: usize,
    /// The number of devices with a limit.
    pub devices: usize,
    /// Everything else, by address.
    pub left_out: Vec<LeftOut>,
}

const NO_PORT: &str = "the port above it was not seen";
const UNSEEN: &str = "its link is up, and what is at its other end is not in this text";
const EMPTY: &str = "nothing is below it";
const INTEGRATED: &str = "inside the root complex, without a link";
const CONVENTIONAL: &str = "on a bus of conventional PCI";
const CHIPSET: &str = "a chipset";
const SHORT_OF: &str = "below a port that has no figure";

impl Judged {
    /// What was judged of a machine.
    pub fn of(view: &View<'_>) -> Judged {
        let devices = view.model.devices.iter().filter(|device| !device.is_virtual).count();
        let mut left_out: Vec<LeftOut> = unjudged_devices(view);
        left_out.extend(unjudged_links(view));
        left_out.extend(chipset(view));
        left_out.sort_by_key(|left| left.at);
        // A link and its device have one reason. That of a chipset is kept in addition: its address is that of its LPC controller.
        left_out.dedup_by(|link, device| link.at == device.at && !link.why.starts_with(CHIPSET));
        Judged { links: view.real_links().count(), devices, left_out }
    }

    /// What was not judged, grouped by reason, in the order of the first address of each reason.
    pub fn by_reason(&self) -> Vec<(&str, Vec<Address>)> {
        let mut groups: Vec<(&str, Vec<Address>)> = Vec::new();
        for left in &self.left_out {
            match groups.iter_mut().find(|(why, _)| *why == left.why) {
                Some((_, all)) => all.push(left.at),
                None => groups.push((&left.why, vec![left.at])),
            }
        }
        groups
    }
}

fn unjudged_devices(view: &View<'_>) -> Vec<LeftOut> {
    // Functions inside the root complex are listed individually.
    let first = |function: &&&Function| {
        let twin = twins_of(view, function.address).next().map(|twin| twin.address);
        twin == Some(function.address) || view.tree.parent(function.address).is_none()
    };
    let all = view.machine.functions.values();
    let devices = all.filter(|function| !function.header.is_bridge() && !is_port(function) && !function.is_virtual);
    let devices: Vec<&Function> = devices.collect();
    let devices = devices.iter().filter(first);
    devices.filter_map(|function| Some(LeftOut { at: function.address, why: device(view, function)? })).collect()
}

/// All functions of a device that are neither bridges nor ports nor virtual.
fn twins_of<'m>(view: &View<'m>, at: Address) -> impl Iterator<Item = &'m Function> {
    let zero = pcie::Bdf::new(at.bdf.bus(), at.bdf.device(), 0).unwrap_or(at.bdf);
    let all = twins(view.machine, Address { bdf: zero, ..at });
    all.filter(|function| !function.header.is_bridge() && !is_port(function) && !function.is_virtual)
}

/// True for a root or downstream port. A host bridge may be one (DMI, ESI).
fn is_port(function: &Function) -> bool {
    function.port_type().is_some_and(PortType::is_downstream)
}

/// Why a device was not judged; `None` for one that was.
fn device(view: &View<'_>, function: &Function) -> Option<String> {
    if let Some(device) = view.model.devices.iter().find(|device| same_device(device.address, function.address)) {
        let own = view.tree.link_above(device.address).and_then(|link| link.unreal);
        return device.is_virtual.then(|| match own {
            Some(unreal @ (Unreal::Inside | Unreal::Emulated)) => format!("its link is {unreal}"),
            _ if device.tunnel.is_some() => {
                "behind Thunderbolt or USB4: what a tunnel gives shows in no register".to_string()
            }
            _ => "every link above it is no wire".to_string(),
        });
    }
    if function.reach == Reach::Nothing {
        return Some("it does not answer".to_string());
    }
    let left = |at: Address| view.model.left_out.iter().find(|(left, _)| *left == at).map(|(_, why)| why.clone());
    if let Some(why) = left(function.address) {
        return Some(why);
    }
    match (view.tree.link_above(function.address), view.tree.parent(function.address)) {
        (Some(link), _) => below_link(view, function, link),
        (None, Some(bridge)) => Some(below_bridge(view, bridge)),
        (None, None) => Some(at_root(view, function)),
    }
}

fn same_device(one: Address, other: Address) -> bool {
    let place = |at: Address| (at.domain, at.bdf.bus(), at.bdf.device());
    place(one) == place(other)
}

fn below_link(view: &View<'_>, function: &Function, link: &Link) -> Option<String> {
    if link.upper.is_none() {
        return Some(NO_PORT.to_string());
    }
    if link.lower.is_some_and(|lower| view.model.device(lower).is_some()) {
        // A further function of a known device. After eight functions (ARI), device numbers count on.
        return None;
    }
    let unseen = link.now.is_none() && link.lower == Some(function.address);
    Some(if unseen { hidden(view.machine).to_string() } else { SHORT_OF.to_string() })
}

fn below_bridge(view: &View<'_>, bridge: Address) -> String {
    let above = std::iter::once(bridge).chain(view.tree.ancestors(bridge)).filter_map(|at| view.function(at));
    let conventional = |function: &Function| {
        let kind = function.port_type();
        let told = function.reach != Reach::HeaderOnly && !function.capabilities.0.is_empty();
        kind == Some(PortType::ExpressToPci) || kind.is_none() && told
    };
    let is_conventional = above.take(1).any(conventional);
    if is_conventional { CONVENTIONAL.to_string() } else { hidden(view.machine).to_string() }
}

fn at_root(view: &View<'_>, function: &Function) -> String {
    let is_endpoint = function.port_type().is_some_and(|kind| kind.is_upstream());
    if is_endpoint {
        return NO_PORT.to_string();
    }
    if function.port_type().is_none() && is_bridge_with_link(function) {
        return "the bus below it is not in this text".to_string();
    }
    // Host bridges, LPC controllers and similar functions of the system.
    const SYSTEM_BRIDGES: u16 = 0x06;
    // A list has names only: what they have is not told.
    if function.reach == Reach::Named || !view.machine.has_registers() {
        return hidden(view.machine).to_string();
    }
    let of_system = function.header.class.is_some_and(|class| class >> 8 == SYSTEM_BRIDGES);
    let shown = of_system
        || function.port_type().is_some()
        || function.reach == Reach::Whole
        || function.reach == Reach::Conventional;
    // If a text shows no registers of a function, the function may have none, or the text was printed with fewer options. The
    // kernel has link files for each function that has a link.
    let is_told = |other: &Function| other.os.link.max_width.is_some() || !other.capabilities.0.is_empty();
    let told = function.reach != Reach::HeaderOnly && view.machine.functions.values().any(is_told)
        || view.machine.functions.values().any(|other| other.os.link.max_width.is_some());
    if shown || told { INTEGRATED.to_string() } else { hidden(view.machine).to_string() }
}

/// True for a bridge of whose link a text holds the registers alone.
fn is_bridge_with_link(function: &Function) -> bool {
    function.express().is_some_and(|express| express.lnk_cap.width().is_some()) && function.header.buses.is_none()
}

/// Links that were not judged: to a bridge, with ends that disagree, or below an empty port.
fn unjudged_links(view: &View<'_>) -> Vec<LeftOut> {
    let all = view.tree.links().iter().filter_map(|link| {
        let bridge = |at: Address| view.function(at).is_some_and(|function| function.header.is_bridge());
        let (at, why) = match (link.lower, link.why) {
            // The host bridge's own link leads to the chipset.
            (None, _) if link.unreal.is_some() => return None,
            (None, _) => {
                let port = view.function(link.upper?)?;
                let is_up = port.express().and_then(|express| express.lnk_sta.active()) == Some(true)
                    || !view.tree.children(port.address).is_empty();
                (port.address, if is_up { UNSEEN } else { EMPTY }.to_string())
            }
            (Some(lower), Why::Contradicts) => (lower, "the two ends of its link say different things".to_string()),
            (Some(lower), Why::Virtual) if bridge(lower) => (lower, format!("its link is {}", link.unreal?)),
            (Some(lower), Why::Down) if bridge(lower) => (lower, "its link is down".to_string()),
            (Some(lower), Why::Unknown | Why::OneEnd) if link.upper.is_none() => (lower, NO_PORT.to_string()),
            (Some(lower), Why::Unknown) if bridge(lower) || link.now.is_some() => {
                let partly = link.now.is_some_and(|now| now.speed.is_none() || now.width.is_none());
                (lower, if partly { PARTLY } else { hidden(view.machine) }.to_string())
            }
            _ => return None,
        };
        Some(LeftOut { at, why })
    });
    all.collect()
}

/// A chipset whose link is not known, with the devices below it.
fn chipset(view: &View<'_>) -> Option<LeftOut> {
    let at = view.model.unknown_chipset?;
    let below = view.model.below_unknown_chipset();
    let names: Vec<String> = below.iter().map(|device| view.device_name(device)).collect();
    let (verb, may) = if below.len() == 1 { ("shares", "may get less") } else { ("share", "may get less together") };
    let why = format!(
        "{CHIPSET} whose link to the processor is not known: {} {verb} it with all that the chipset holds, and {may}",
        names.join(", ")
    );
    (!below.is_empty()).then_some(LeftOut { at, why })
}
