//! What lies between the root ports of a host and its memory: I/O hub, and link between the sockets.

use crate::link::cap::PortCap;
use pcie::Time;
use system::Passing;
use system::kinds::HostParams;

/// What payload passes between a root port and memory.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    socket: u64,
    hub: bool,
    /// True where memory is at the other socket.
    pub far: bool,
    /// From the port to its socket and back.
    pub near_round: Time,
    /// From the port to memory and back.
    pub round: Time,
    to_memory: Time,
    params: HostParams,
}

impl Way {
    /// The way from a root port with the settings `params`.
    pub fn new(params: &HostParams) -> Way {
        Way {
            socket: params.socket,
            hub: params.hub,
            far: params.is_far(),
            near_round: params.hub_way() * 2,
            round: params.memory_way() * 2,
            to_memory: params.memory_way(),
            params: params.clone(),
        }
    }
}

/// The links inside a host, as servers of payload.
#[derive(Clone, Debug)]
pub(crate) struct Inside {
    memory_socket: u64,
    /// Between the sockets: away from socket 0, and towards it.
    sockets: [PortCap; 2],
    /// Between hub and CPU: towards the CPU, and away from it.
    hub: [PortCap; 2],
    /// True where one of them has a rate.
    pub is_limited: bool,
}

impl Inside {
    /// The links of a host with `params`.
    pub fn new(params: &HostParams) -> Inside {
        let server =
            |rate: Option<pcie::Rate>| PortCap { passing: rate.map(|rate| Passing::of_rate(rate.0)), free: Time::ZERO };
        let [sockets, hub] = [params.socket_rate.0, params.hub_rate.0].map(|rate| [server(rate), server(rate)]);
        let is_limited = params.socket_rate.0.is_some() || params.hub_rate.0.is_some();
        Inside { memory_socket: params.memory_socket, sockets, hub, is_limited }
    }

    /// When a write of `bytes` that a root port passes at `now` is at memory.
    pub fn inwards(&mut self, way: &Way, now: Time, bytes: u32) -> Time {
        self.pass((way.hub, way.socket), (false, self.memory_socket), now, bytes) + way.to_memory
    }

    /// When data of `bytes` that could leave by a root port at `now` may leave, where the links have a rate.
    pub fn outwards(&mut self, way: &Way, now: Time, bytes: u32) -> Time {
        self.pass((false, self.memory_socket), (way.hub, way.socket), now, bytes)
    }

    /// When payload of `bytes` that arrived at a root port at `now` is at another.
    pub fn across(&mut self, from: &Way, to: &Way, now: Time, bytes: u32) -> Time {
        self.pass((from.hub, from.socket), (to.hub, to.socket), now, bytes) + from.params.peer_way(&to.params)
    }

    /// Passes the links between two places, each behind the hub or not, and at a socket.
    fn pass(&mut self, from: (bool, u64), to: (bool, u64), now: Time, bytes: u32) -> Time {
        if !self.is_limited || bytes == 0 {
            return now;
        }
        let in_hub = if from.0 { self.hub[0].pass(now, bytes) } else { now };
        let at_socket =
            if from.1 == to.1 { in_hub } else { self.sockets[usize::from(from.1 > to.1)].pass(in_hub, bytes) };
        if to.0 { self.hub[1].pass(at_socket, bytes) } else { at_socket }
    }
}
