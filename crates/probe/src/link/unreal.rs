//! Links that are not physical: their registers exist because the standard requires them; their figures have no meaning.

use crate::function::Function;
use crate::link::view::LinkSearch;
use crate::link::{LinkRate, Unreal};
use pcie::config::{CapabilityId, PortType, Speed};

/// Host bridge: the class of a root complex's own function.
const HOST_BRIDGE: u16 = 0x0600;
/// Vendors of emulated functions: Red Hat (QEMU's own, virtio), VMware, VirtualBox, Parallels.
const PLAYED: [u16; 5] = [0x1b36, 0x1af4, 0x15ad, 0x80ee, 0x1ab8];
const INTEL: u16 = 0x8086;
const AMD: u16 = 0x1022;
/// AMD's graphics, inside its processors and on cards.
const ATI: u16 = 0x1002;
/// Hygon: processors derived from AMD's.
const HYGON: u16 = 0x1d94;
/// The id of the vendor-specific capability by which Intel marks the parts of a Thunderbolt controller.
const THUNDERBOLT: u32 = 0x1234;
/// The rate that the registers of a tunnel show, whatever the cable carries. Linux ignores this rate for the same reason
/// (`drivers/pci/pci.c`, `pcie_bandwidth_available`; `drivers/thunderbolt` makes the tunnels).
const TUNNEL: (Speed, u32) = (Speed::GT2_5, 4);

/// The kind of a link that is not physical; `None` for a physical link.
pub fn of(view: &LinkSearch<'_>, upper: Option<&Function>, lower: Option<&Function>) -> Option<Unreal> {
    let ends = || [upper, lower].into_iter().flatten();
    if view.emulated || ends().any(|end| PLAYED.iter().any(|&vendor| end.is_of(vendor))) {
        return Some(Unreal::Emulated);
    }
    if ends().any(|end| end.header.class == Some(HOST_BRIDGE)) {
        return Some(Unreal::Inside);
    }
    if lower.is_some_and(is_behind_its_own_switch) {
        return Some(Unreal::Inside);
    }
    if upper.is_none() && lower.is_some_and(|lower| !lower.header.is_bridge() && is_internal_alone(view, lower)) {
        return Some(Unreal::Inside);
    }
    let (upper, lower) = (upper?, lower?);
    thunderbolt(upper, lower).or_else(|| {
        let inside = has_no_lanes(upper, lower) || is_named_internal(upper) || is_shaped_internal(view, upper);
        inside.then_some(Unreal::Inside)
    })
}

/// The lanes that links inside AMD's processors report.
const LANES: Option<u32> = Some(16);

/// True if the device answers although the port above it reports a width of 0.
fn has_no_lanes(upper: &Function, lower: &Function) -> bool {
    use crate::function::Reach;
    lower.reach != Reach::Nothing && upper.link_now().is_some_and(|now| now.width == Some(0))
}

/// True for AMD's ports to functions inside its processors, as the PCI ID database names them.
fn is_named_internal(upper: &Function) -> bool {
    let name = upper.names.device.as_deref().unwrap_or("");
    name.contains("Internal") && name.contains("GPP Bridge")
}

/// True for the same ports if no database has their id: a root port without a slot, at its maximum on 16 lanes, above functions
/// that AMD puts into processors and on no card.
fn is_shaped_internal(view: &LinkSearch<'_>, upper: &Function) -> bool {
    let maker = [AMD, HYGON].into_iter().find(|&id| upper.is_of(id));
    let soldered = upper.express().and_then(|express| express.flags.slot()) == Some(false);
    let full = upper.link_now().is_some_and(|now| now.width == LANES && Some(now) == upper.link_max());
    let (Some(maker), true, true) = (maker, soldered, full) else { return false };
    let below = view.tree.children(upper.address).iter().filter_map(|&child| view.machine.function(child));
    let below: Vec<&Function> = below.collect();
    let inside = |function: &&Function| !function.header.is_bridge() && function.is_of(maker);
    below.iter().any(inside) && below.iter().all(|function| inside(function) || function.is_of(ATI))
}

/// True for the graphics and the sound of an Intel Arc card: they are below a switch on the card, and whatever the card's link does,
/// their own read 2.5 GT/s x1 (pull request 344 of nvtop, by its author's card and the probes of linux-hardware.org).
pub fn is_behind_its_own_switch(lower: &Function) -> bool {
    const DISPLAY: u16 = 0x03;
    const MULTIMEDIA: u16 = 0x04;
    let lowest = LinkRate { speed: Some(Speed::GT2_5), width: Some(1) };
    let class = lower.header.class.map(|class| class >> 8);
    lower.is_of(INTEL) && lower.link_max() == Some(lowest) && (class == Some(DISPLAY) || class == Some(MULTIMEDIA))
}

/// Both kinds by the function alone, where the port above it was not printed: no card of AMD has a function on 16 lanes, and the
/// host interface of a Thunderbolt controller has its rate from the standard.
fn is_internal_alone(view: &LinkSearch<'_>, lower: &Function) -> bool {
    let most = lower.link_max();
    let full = lower.link_now().is_some_and(|now| now.width == LANES && Some(now) == most);
    // Graphics inside a processor are a device together with functions of the processor.
    let of_processor = || {
        let place = |at: crate::address::Address| (at.domain, at.bdf.bus(), at.bdf.device());
        let twin = |other: &&Function| place(other.address) == place(lower.address);
        lower.is_of(ATI) && view.machine.functions.values().filter(twin).any(|other| other.is_of(AMD))
    };
    full && (lower.is_of(AMD) || of_processor()) || is_router(lower) && most.is_some_and(is_tunnel_rate)
}

/// The kind of a link of a Thunderbolt controller: a tunnel, or inside the controller. The link that feeds a controller, and
/// the links from a controller to the devices of an enclosure, are physical.
fn thunderbolt(upper: &Function, lower: &Function) -> Option<Unreal> {
    let reads_tunnel = |end: &Function| end.link_max().is_some_and(is_tunnel_rate);
    if is_router(upper) && upper.port_type() == Some(PortType::RootPort) {
        return Some(Unreal::Tunnel);
    }
    if lower.header.is_bridge() {
        let from_router = is_router(upper) && (is_router(lower) || reads_tunnel(upper) && reads_tunnel(lower));
        // A root port inside a processor may be recognizable only by its rate.
        let from_processor = is_router(lower) && reads_tunnel(upper);
        return (from_router || from_processor).then_some(Unreal::Tunnel);
    }
    (is_router(upper) && is_router(lower) && reads_tunnel(lower)).then_some(Unreal::Inside)
}

fn is_tunnel_rate(rate: LinkRate) -> bool {
    (rate.speed, rate.width) == (Some(TUNNEL.0), Some(TUNNEL.1))
}

/// True for a function of a Thunderbolt or USB4 router, by Intel's mark or by its name.
pub fn is_router(function: &Function) -> bool {
    let name = function.names.device.as_deref().unwrap_or("");
    is_marked(function) || name.contains("Thunderbolt") || name.contains("USB4")
}

fn is_marked(function: &Function) -> bool {
    const VENDOR_SPECIFIC: Option<CapabilityId> = Some(CapabilityId::Extended(0x0b));
    function.capabilities.0.iter().filter(|capability| capability.id == VENDOR_SPECIFIC).any(|capability| {
        let told = capability.text.contains(&format!("ID={THUNDERBOLT:04x}"));
        let header = capability.bytes.get(4..8).and_then(|b| b.try_into().ok()).map(u32::from_le_bytes);
        let read = header.is_some_and(|header| header & 0xffff == THUNDERBOLT);
        (told || read) && (function.header.vendor.is_none() || function.is_of(INTEL))
    })
}
