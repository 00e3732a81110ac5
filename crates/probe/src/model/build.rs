//! Puts a system together, from the roots of the tree down.

use crate::address::Address;
use crate::chipset::Chipset;
use crate::function::{Function, Reach};
use crate::link::unreal::is_behind_its_own_switch;
use crate::link::{Link, LinkRate, Unreal, Why};
use crate::machine::Machine;
use crate::model::device::{Device, Uplink};
use crate::model::drives::{self, Drives};
use crate::model::parts::{NO_BOTTLENECK, assumed, host, is_switch, part, root_mps, short, switch, switch_at, twins};
use crate::os::BlockDevice;
use crate::role::Role;
use crate::thunderbolt::Tunnel;
use crate::tree::Tree;
use pcie::{LinkSpeed, PayloadSize};
use std::collections::BTreeMap;
use system::field::Count;
use system::kind::Kind;
use system::kinds::CardParams;
use system::kinds::card::TagBits;
use system::observed::{LinkSeen, Observed, PartSeen, PortSeen};
use system::settle::Settings;
use system::{LinkId, PartId};

/// What was found beside the system.
#[derive(Default)]
pub(super) struct Found {
    pub devices: Vec<Device>,
    /// Devices without a figure, and the reason.
    pub left_out: Vec<(Address, String)>,
    pub uplink: Option<Uplink>,
    /// The links, by the address of the port above and by that of the device below.
    pub links: BTreeMap<Address, LinkId>,
}

/// The system of a machine with these drives.
pub(super) fn built(machine: &Machine, tree: &Tree, drives: &Drives, chipset: Option<&Chipset>) -> (Observed, Found) {
    let host = PartSeen { mps: root_mps(machine), ..host() };
    let observed = Observed::new(&machine.name, machine.product.as_deref().unwrap_or(""), host);
    let found = Found::default();
    let mut build = Build { machine, tree, drives, observed, found, next_link: 0, bridges: BTreeMap::new() };
    for &root in tree.roots() {
        build.root(root, chipset);
    }
    for link in tree.links().iter().filter(|link| link.why == Why::OneEnd) {
        build.loose(link);
    }
    let loose = part("drive".into(), "drive".into(), Kind::new(CardParams::default()), Vec::new());
    let loose = drives.loose.iter().map(|name| drives::named(&loose, name, &[])).collect();
    build.hang(PartId(0), "host", pcie::Bdf::default(), loose);
    (build.observed, build.found)
}

struct Build<'m> {
    machine: &'m Machine,
    tree: &'m Tree,
    drives: &'m Drives,
    observed: Observed,
    found: Found,
    next_link: usize,
    /// Switches by their upstream ports, and ports that lead to one that was not printed.
    bridges: BTreeMap<Address, (PartId, Above)>,
}

/// What is above a link that is being added.
#[derive(Clone, Default)]
struct Above {
    ports: Vec<Address>,
    real: bool,
    /// True if the link itself is inside a chip.
    inside: bool,
    /// The lowest Max_Payload_Size of the ports.
    mps: Option<PayloadSize>,
}

impl Above {
    fn meet(&mut self, function: Option<&Function>) {
        self.mps = self.mps.into_iter().chain(function.and_then(Function::mps)).min();
    }
}

impl Build<'_> {
    fn root(&mut self, at: Address, chipset: Option<&Chipset>) {
        let Some(link) = self.tree.link_below(at).cloned() else { return };
        let below = chipset.filter(|chipset| chipset.holds(at));
        let upper = match below {
            Some(chipset) if link.lower.is_some() && speed_of(&link).is_some() => self.chipset_part(chipset),
            _ => PartId(0),
        };
        self.link(upper, Some(at), &link, &Above::default());
    }

    /// Adds a link whose port above was not printed: below the nearest bridge that was, or else below the host.
    fn loose(&mut self, link: &Link) {
        let Some(lower) = link.lower else { return };
        for at in self.tree.ancestors(lower) {
            if let Some(&(part, ref above)) = self.bridges.get(&at) {
                let above = above.clone();
                return self.link(part, None, link, &above);
            }
            // A port whose own link is up leads to a switch that was not printed.
            let own = self.tree.link_below(at).filter(|own| own.lower.is_none());
            let Some(own) = own.and_then(|own| Some((own, own.now.and_then(LinkRate::modelled)?))) else { continue };
            let part = self.unseen(at, own);
            let above = Above { ports: vec![at], real: true, ..Above::default() };
            self.bridges.insert(at, (part, above.clone()));
            return self.link(part, None, link, &above);
        }
        self.link(PartId(0), None, link, &Above::default());
    }

    /// A switch that was not printed, below a port that was.
    fn unseen(&mut self, at: Address, (own, speed): (&Link, LinkSpeed)) -> PartId {
        let upper = self.port(at, own.upper_max, speed);
        let name = format!("below {}", upper.name);
        let lower = PortSeen { name: name.clone(), mps: None, mps_supported: None, ..upper.clone() };
        let seen = switch(name, "not printed".into());
        let part = self.observed.below(PartId(0), upper, seen, lower, LinkSeen { speed, why: None });
        let id = self.count_link();
        self.found.links.insert(at, id);
        part
    }

    /// The part of the chipset, made for the first port below it.
    fn chipset_part(&mut self, chipset: &Chipset) -> PartId {
        if let Some(uplink) = &self.found.uplink {
            return uplink.part;
        }
        let port = |name: &str| PortSeen {
            name: name.into(),
            able: chipset.link,
            bdf: pcie::Bdf::default(),
            mps: None,
            mps_supported: None,
        };
        let lower = switch("chipset".into(), chipset.name.clone());
        let seen = LinkSeen { speed: chipset.link, why: None };
        let part = self.observed.below(PartId(0), port("processor"), lower, port("chipset"), seen);
        self.found.uplink = Some(Uplink { chipset: chipset.clone(), part, link: self.count_link() });
        part
    }

    fn count_link(&mut self) -> LinkId {
        self.next_link += 1;
        LinkId(self.next_link - 1)
    }

    /// Adds the link below port `at` of part `upper`, and everything below that link. A port that was not seen can do what
    /// the device can.
    fn link(&mut self, upper: PartId, at: Option<Address>, link: &Link, above: &Above) {
        let Some(lower) = link.lower else { return };
        let Some(function) = self.machine.function(lower) else { return };
        let Some(speed) = speed_of(link).filter(|_| function.reach != Reach::Nothing) else {
            self.leave_out(function, link);
            return;
        };
        let mut above = above.clone();
        above.ports.extend(at);
        above.real |= link.unreal.is_none();
        above.inside = link.unreal == Some(Unreal::Inside) && !is_behind_its_own_switch(function);
        above.meet(at.and_then(|at| self.machine.function(at)));
        let is_switch = is_switch(function, self.tree, self.machine);
        let names = if is_switch { Vec::new() } else { self.drives.of(function.address) };
        let card = self.card(function, &above);
        // Registers of emulated ends move nothing: another Max_Payload_Size gains nothing there.
        let is_emulated = link.unreal == Some(Unreal::Emulated);
        let card = if is_emulated { PartSeen { mps_supported: Some(card.mps), ..card } } else { card };
        let blocks: Vec<BlockDevice> =
            twins(self.machine, function.address).flat_map(|twin| twin.os.blocks.iter().cloned()).collect();
        let seen = match is_switch {
            true => switch_at(self.machine, function),
            false => drives::at_link(&card, &names, &blocks),
        };
        let lower_port = self.port(lower, link.lower_max, speed);
        let mut upper_port = match at {
            Some(at) => self.port(at, link.upper_max, speed),
            None => PortSeen { name: format!("above {}", lower_port.name), ..lower_port.clone() },
        };
        if is_emulated {
            upper_port.mps_supported = upper_port.mps;
        }
        // For a device, `card` takes the lowest value on its way.
        let lower_port = if is_switch { lower_port } else { PortSeen { mps: None, mps_supported: None, ..lower_port } };
        let why = (link.why != Why::Full).then(|| link.why.to_string());
        let part = self.observed.below(upper, upper_port, seen, lower_port, LinkSeen { speed, why });
        let id = self.count_link();
        self.found.links.extend(at.map(|at| (at, id)));
        self.found.links.insert(lower, id);
        if !is_switch {
            self.hang(part, &card.name, function.address.bdf, drives::below(&card, &names, &blocks));
            self.device(part, function, &above);
            return;
        }
        above.meet(Some(function));
        self.bridges.insert(function.address, (part, above.clone()));
        for &child in self.tree.children(lower) {
            if let Some(link) = self.tree.link_below(child) {
                self.link(part, Some(child), link, &above);
            }
        }
    }

    /// Adds drives below links that are no bottleneck.
    fn hang(&mut self, upper: PartId, name: &str, bdf: pcie::Bdf, drives: Vec<PartSeen>) {
        let port = |name: String| PortSeen { name, able: NO_BOTTLENECK, bdf, mps: None, mps_supported: None };
        for own in drives {
            let up = port(format!("{name}.{}", own.name));
            self.observed.below(upper, up, own, port(String::new()), LinkSeen { speed: NO_BOTTLENECK, why: None });
            self.count_link();
        }
    }

    fn port(&self, at: Address, able: Option<LinkRate>, now: LinkSpeed) -> PortSeen {
        let able = able.and_then(LinkRate::modelled).unwrap_or(now);
        let function = self.machine.function(at);
        let (mps, mps_supported) = (function.and_then(Function::mps), function.and_then(Function::mps_supported));
        PortSeen { name: short(self.machine, at), able, bdf: at.bdf, mps, mps_supported }
    }

    fn device(&mut self, part: PartId, function: &Function, above: &Above) {
        let tunnel = Tunnel::of(self.tree, function.address);
        let main = twins(self.machine, function.address).min_by_key(|twin| Role::of(twin)).unwrap_or(function);
        self.found.devices.push(Device {
            part,
            address: function.address,
            main: main.address,
            role: Role::of(main),
            ports: above.ports.iter().rev().copied().collect(),
            is_virtual: !above.real || above.inside || tunnel.is_some(),
            tunnel,
        });
    }

    fn leave_out(&mut self, function: &Function, link: &Link) {
        let at = function.address;
        let why = match link.now {
            _ if function.reach == Reach::Nothing => "it does not answer".to_string(),
            _ if link.why == Why::Down => "its link is down".to_string(),
            None => hidden(self.machine).to_string(),
            Some(rate) if rate.speed.is_none() || rate.width.is_none() => PARTLY.to_string(),
            Some(rate) => format!("a link of {rate} is not modelled"),
        };
        self.found.left_out.push((at, why));
    }

    fn card(&self, function: &Function, above: &Above) -> PartSeen {
        let bits = match function.tag_bits() {
            Some(5) => TagBits::Five,
            Some(10) => TagBits::Ten,
            Some(14) => TagBits::Fourteen,
            _ => TagBits::Eight,
        };
        let params = CardParams { tag_bits: bits, read_requests: Count(bits.tags()), ..CardParams::default() };
        let mut figures = vec![assumed("read_requests", &bits.tags().to_string(), "as many as it has tags")];
        if function.mps().is_none() {
            figures.push(assumed("Max_Payload_Size", "128 B", "not observed: the least that there is"));
        }
        if function.mrrs().is_none() {
            figures.push(assumed("Max_Read_Request_Size", "512 B", "not observed: the value after reset"));
        }
        PartSeen {
            // Larger payloads are errors: see the finding `mps-mismatch`.
            mps: function.mps().map_or(PayloadSize::MIN, |own| above.mps.map_or(own, |above| own.min(above))),
            mps_supported: function.mps_supported().or(function.mps()),
            mrrs: function.mrrs().unwrap_or(Settings::default().mrrs),
            tags: bits.tags(),
            ..part(short(self.machine, function.address), function.title(), Kind::new(params), figures)
        }
    }
}

/// Why a link has no figure of which one is known.
pub(crate) const PARTLY: &str = "its link says only one of speed and width";

/// Why the speed and width of a link could not be read, and what would show them.
pub(crate) fn hidden(machine: &Machine) -> &'static str {
    use crate::machine::Source;
    match machine.source {
        Source::Live => "its link was not to be read: run as root",
        Source::Capture => "its link is not in this capture: one made as root has it",
        Source::Text | Source::Hex => "its link is not in this text: `sudo lspci -vvv` prints it",
    }
}

/// The rate of a link in the model; `None` if it is not known. A link whose own figures have no meaning is no bottleneck.
fn speed_of(link: &Link) -> Option<LinkSpeed> {
    match link.why {
        Why::Virtual => Some(NO_BOTTLENECK),
        // What it does not say of itself is at most what both ends can.
        Why::Unknown => link.now?.min(link.possible.unwrap_or_default()).modelled(),
        _ => link.now.and_then(LinkRate::modelled),
    }
}
