//! Which ports a link joins.

use crate::address::Address;
use crate::bridges::Bridges;
use crate::function::Function;
use crate::link::view::LinkSearch;
use crate::link::{Link, LinkRate, Why, unreal, why};
use crate::machine::{Machine, Source};
use pcie::config::PortType;

/// The side of a link that a port is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Its link leads away from the root.
    Upper,
    /// Its link leads towards the root.
    Lower,
    /// It has no link.
    None,
}

/// All links of the machine in the order of their upper ports, then those whose upper port was not seen.
pub fn find(machine: &Machine, tree: &Bridges) -> Vec<Link> {
    let view = LinkSearch { machine, tree, emulated: machine.is_emulated() };
    let uppers = machine.functions.values().filter(|f| view.side(f) == Side::Upper);
    let mut links: Vec<Link> = uppers.map(|upper| view.below(upper)).collect();
    let mut devices = Vec::new();
    for function in machine.functions.values() {
        let joined = tree.parent(function.address).and_then(|above| machine.function(above));
        let joined = joined.is_some_and(|above| view.side(above) == Side::Upper && is_next(above, function));
        let device = (function.address.domain, function.address.bdf.bits() >> 3);
        if !joined && view.side(function) == Side::Lower && !devices.contains(&device) {
            devices.push(device);
            links.push(view.join(None, Some(function)));
        }
    }
    links
}

impl LinkSearch<'_> {
    fn below(&self, upper: &Function) -> Link {
        let children = self.tree.children(upper.address).iter().filter_map(|child| self.machine.function(*child));
        let lower = children.filter(|child| is_next(upper, child)).min_by_key(|child| child.address);
        self.join(Some(upper), lower)
    }

    fn join(&self, upper: Option<&Function>, lower: Option<&Function>) -> Link {
        let upper_max = upper.and_then(Function::link_max);
        let lower_max = lower.and_then(Function::link_max);
        let mut link = Link {
            upper: upper.map(|function| function.address),
            lower: lower.map(|function| function.address),
            now: now(upper, lower),
            upper_max,
            lower_max,
            possible: upper_max.zip(lower_max).map(|(upper, lower)| upper.min(lower)),
            target: upper.and_then(|upper| upper.express()?.lnk_ctl2.target()),
            may_idle: false,
            unreal: unreal::of(self, upper, lower),
            why: Why::Unknown,
        };
        link.may_idle = why::may_idle(self, &link, lower);
        link.why = why::of(self, &link, upper, lower);
        link
    }

    /// The side of a port, by its type. If that is not readable (an unprivileged user), by the place in the tree: a bridge on
    /// the root bus is a root port, a bridge below a downstream-facing port is the upstream port of a switch, a bridge below
    /// that is a downstream port.
    fn side(&self, function: &Function) -> Side {
        match function.port_type() {
            Some(kind) if kind.is_downstream() => return Side::Upper,
            Some(kind) if kind.is_upstream() => return Side::Lower,
            Some(PortType::PciToExpress) => return Side::Upper,
            Some(_) => return Side::None,
            None => {}
        }
        // A text may hold the registers of a link without the type of its port. A bridge's link may then lead either way.
        let told = function.link_max().or_else(|| function.link_now().filter(|now| now.width != Some(0)));
        let only_registers = told.is_some() && function.os.link.max_width.is_none();
        let is_text = matches!(self.machine.source, Source::Text | Source::Hex);
        if (only_registers || is_text && told.is_some()) && !function.header.is_bridge() && !is_bridge(function) {
            return Side::Lower;
        }
        if function.os.link.max_width.is_none() {
            return Side::None;
        }
        let bridges = std::iter::once(function.address).chain(self.tree.ancestors(function.address));
        let depth = bridges.take_while(|address| is_express_bridge(self.machine, *address)).count();
        match (function.header.is_bridge(), depth % 2) {
            (true, 1) => Side::Upper,
            (true, _) => Side::Lower,
            (false, _) if self.tree.parent(function.address).is_some() => Side::Lower,
            (false, _) => Side::None,
        }
    }
}

/// The current rate: by the lower port, if it reports a width above 0, else by the upper port. The other port
/// fills in what is missing.
fn now(upper: Option<&Function>, lower: Option<&Function>) -> Option<LinkRate> {
    let [lower, upper] = [lower, upper].map(|end| end.and_then(Function::link_now).unwrap_or_default());
    let lower_is_up = lower.width.is_some_and(|width| width > 0);
    let (first, second) = if lower_is_up { (lower, upper) } else { (upper, lower) };
    LinkRate { speed: first.speed.or(second.speed), width: first.width.or(second.width) }.known()
}

/// False for a function below a port that is on another bus than the port's own: a switch between them was not printed. Virtual
/// functions may have buses of their own.
fn is_next(upper: &Function, lower: &Function) -> bool {
    let own = upper.header.buses.map(|buses| buses.secondary);
    lower.is_virtual || lower.path.is_some() || own.is_none_or(|bus| bus == lower.address.bdf.bus())
}

/// True for a PCI bridge by its class alone.
fn is_bridge(function: &Function) -> bool {
    function.header.class == Some(0x0604) || function.names.class.as_deref() == Some("PCI bridge")
}

fn is_express_bridge(machine: &Machine, address: Address) -> bool {
    machine.function(address).is_some_and(|f| f.header.is_bridge() && f.os.link.max_width.is_some())
}
