//! What lies between a root port and memory, or another root port: I/O hub, and link between the sockets.

use crate::place::Way;
use system::graph::{PartId, PortId};
use system::kinds::HostParams;
use system::{Flow, System};

/// A link inside a host, in one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// Between the sockets: towards socket 0 or away from it.
    Sockets {
        /// True towards socket 0.
        home: bool,
    },
    /// Between I/O hub and CPU.
    Hub {
        /// True towards the CPU.
        inwards: bool,
    },
}

impl Inside {
    /// The number of such links of a host.
    pub const COUNT: usize = 4;

    /// Its number among those of its host.
    pub fn number(self) -> usize {
        match self {
            Inside::Sockets { home } => usize::from(home),
            Inside::Hub { inwards } => 2 + usize::from(inwards),
        }
    }
}

/// The settings of a host at one of its ports; `None` at a port of another part.
fn at(system: &System, port: PortId) -> Option<HostParams> {
    system.kind_at(port).host().map(std::borrow::Cow::into_owned)
}

/// The settings of `root` at its port towards `part`.
pub fn towards(system: &System, root: PartId, part: PartId) -> Option<HostParams> {
    at(system, system.port_towards(root, part)?)
}

/// From one root port to another, beside `p2p_latency`; zero at a switch.
pub fn peer_way_fs(system: &System, from: PortId, to: PortId) -> f64 {
    match (at(system, from), at(system, to)) {
        (Some(from), Some(to)) => from.peer_way(&to).as_fs() as f64,
        _ => 0.0,
    }
}

/// The links inside a host that the payload of `flow` passes, each with its time for a byte.
pub fn links(system: &System, flow: &Flow, reads: bool) -> Vec<(Inside, f64)> {
    let root = system.host_for(flow.initiator, flow.target);
    if flow.operation.is_pio() {
        return Vec::new();
    }
    let way = Way::new(system, flow);
    let ports: Vec<HostParams> = match system.part(flow.target).kind.is_root() {
        true => towards(system, root, flow.initiator).into_iter().collect(),
        // The two root ports, in the order of the payload.
        false => {
            let ends = way.directions.iter().flat_map(|&on| [system.ends(on).0, system.ends(on).1]);
            ends.take(2 * system.path(flow.initiator, flow.target).len()).filter_map(|port| at(system, port)).collect()
        }
    };
    let places: Vec<(bool, u64)> = ports.iter().map(|port| (port.hub, port.socket)).collect();
    let Some(host) = ports.first() else { return Vec::new() };
    let memory = (false, host.memory_socket);
    let (from, to) = match (places.as_slice(), reads) {
        ([port], false) => (*port, memory),
        ([port], true) => (memory, *port),
        ([from, to], _) => (*from, *to),
        _ => return Vec::new(),
    };
    let fs = |rate: system::field::Cap<pcie::Rate>| rate.0.map(|rate| 1e15 / rate.0);
    let (hub, sockets) = (fs(host.hub_rate), fs(host.socket_rate));
    [
        (from.0, Inside::Hub { inwards: true }, hub),
        (from.1 != to.1, Inside::Sockets { home: from.1 > to.1 }, sockets),
        (to.0, Inside::Hub { inwards: false }, hub),
    ]
    .into_iter()
    .filter(|(passes, ..)| *passes)
    .filter_map(|(_, link, fs)| Some((link, fs?)))
    .collect()
}
