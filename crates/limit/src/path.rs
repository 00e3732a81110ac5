//! The path of a TLP through the tree: a [`Hop`] for each direction that it crosses, with everything that can delay it.

use crate::tlps::Tlp;
use crate::wire::Wire;
use pcie::timing::{ack_latency_symbols, update_fc_latency_symbols};
use pcie::{Class, Credits};
use system::graph::{Direction, PartId, PortId};
use system::kinds::port::UpdateFcHabit;
use system::kinds::switch::Forwarding;
use system::{Passing, System};

/// The forwarding of a switch (or root complex) between two hops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// From the first symbol in to the first symbol out.
    pub latency_fs: f64,
    /// True where a TLP may leave before all of it has arrived.
    pub cut_through: bool,
    /// Requests are divided at multiples of so many bytes; [`u64::MAX`] where they leave as they came.
    pub most: u64,
}

/// One direction on a TLP's path.
#[derive(Clone, Debug)]
pub struct Hop {
    /// The direction that carries the TLP.
    pub wire: Wire,
    /// The other direction of the link, which carries the DLLPs for the TLP.
    pub back: Wire,
    /// The credits that the receiver advertises for the class of the TLP.
    pub credits: Credits,
    /// True where the receiver returns freed credits at once.
    pub update_each: bool,
    /// From the first freed credit to its UpdateFC.
    pub update_timer_fs: f64,
    /// TLPs received for each ACK.
    pub tlps_per_ack: u64,
    /// From the first TLP received to its ACK, at most.
    pub ack_timer_fs: f64,
    /// Size of the transmitter's replay buffer in bytes of header, payload, sequence number and LCRC; `None` where it
    /// is not limited.
    pub replay: Option<u64>,
    /// What payload takes in the port before the link.
    pub cap_before: Option<Passing>,
    /// What it takes in the port after the link, where that holds it.
    pub cap_behind: Option<Passing>,
    /// True where the far end is a root port.
    pub at_host: bool,
    /// Forwarding at the far end; `None` at the end of the path.
    pub crossing: Option<Crossing>,
    /// Number of credit pools that the transmitter's own receiver advertises as finite, and so advertises again
    /// periodically.
    pub refreshed_pools: u64,
}

impl Hop {
    /// The hop of `direction` for TLPs of `class`; with `ends`, the last one of the path.
    fn new(system: &System, direction: Direction, class: Class, ends: bool) -> Hop {
        let reverse = Direction { up: !direction.up, ..direction };
        let (wire, back) = (Wire::new(system, direction), Wire::new(system, reverse));
        let (from, to) = system.ends(direction);
        let (tx, rx) = (system.habits(from), system.habits(to));
        let symbol_fs = wire.time(wire.lanes() as f64);
        let mps = system.mps(to).bytes();
        let finite = |&c: &Class| !tx.credits(c).is_infinite();
        let at_host = system.part(wire.to).kind.is_root();
        Hop {
            credits: rx.credits(class),
            update_each: rx.update_fc == UpdateFcHabit::Each,
            update_timer_fs: update_fc_latency_symbols(wire.speed, mps) as f64 * symbol_fs,
            tlps_per_ack: rx.tlps_per_ack.0,
            ack_timer_fs: ack_latency_symbols(wire.speed, mps) as f64 * symbol_fs,
            replay: tx.replay_buffer.0.map(|b| b.0),
            cap_before: system.passing(from),
            // Inwards, a root port holds writes to memory; what goes on to another root port or to the CPU, it does not.
            cap_behind: system.passing(to).filter(|_| !at_host || ends && class == Class::Posted),
            at_host,
            crossing: if ends { None } else { crossing(system, to, class) },
            refreshed_pools: if tx.dllps { Class::ALL.iter().filter(|c| finite(c)).count() as u64 } else { 0 },
            wire,
            back,
        }
    }

    /// The time of `bytes` on the link.
    pub fn time(&self, bytes: u64) -> f64 {
        self.wire.time(bytes as f64)
    }

    /// From the arrival of a single TLP to its ACK.
    pub fn ack_after_fs(&self) -> f64 {
        if self.tlps_per_ack == 1 { 0.0 } else { self.ack_timer_fs }
    }

    /// True where the receiver acknowledges a single TLP as soon as it has arrived.
    pub fn acks_at_once(&self) -> bool {
        self.back.dllp_bytes > 0 && self.tlps_per_ack == 1
    }

    /// True where the receiver returns the credits of a single TLP as soon as they are freed.
    pub fn updates_at_once(&self) -> bool {
        self.back.dllp_bytes > 0 && self.update_each && !self.credits.is_infinite()
    }

    /// The time of a payload in the port before the link, and in the port after it; 0 where nothing limits it.
    pub fn caps_fs(&self, payload: u64) -> (f64, f64) {
        let of = |passing: Option<Passing>| passing.map_or(0.0, |passing| passing.fs(payload));
        (of(self.cap_before), of(self.cap_behind))
    }

    /// The time of a TLP on the link.
    pub fn tlp_time(&self, tlp: &Tlp) -> f64 {
        self.time(self.wire.framing.tlp_bytes(tlp.shape))
    }
}

/// The forwarding of the part at the far end of a hop, which ends at `ingress`. A root complex stores TLPs between its ports before it forwards
/// them.
fn crossing(system: &System, ingress: PortId, class: Class) -> Option<Crossing> {
    let kind = &system.part(system.port(ingress).part).kind;
    let own = system.switch_latency(ingress, class).unwrap_or_default();
    let (latency, cut_through, most) = match (kind.host(), kind.switch()) {
        (_, Some(switch)) => (own, switch.forwarding == Forwarding::CutThrough, None),
        (Some(host), None) => (host.p2p_latency, false, host.p2p_bytes.0),
        (None, None) => return None,
    };
    Some(Crossing { latency_fs: latency.as_fs() as f64, cut_through, most: most.map_or(u64::MAX, |most| most.0) })
}

/// The hops of TLPs of `class` from one part to another.
pub fn hops(system: &System, from: PartId, to: PartId, class: Class) -> Vec<Hop> {
    let directions = system.path(from, to);
    let last = directions.len().saturating_sub(1);
    let mut hops: Vec<Hop> =
        directions.iter().enumerate().map(|(i, &d)| Hop::new(system, d, class, i == last)).collect();
    for (hop, pair) in hops.iter_mut().zip(directions.windows(2)) {
        if let Some(crossing) = &mut hop.crossing {
            crossing.latency_fs += crate::inside::peer_way_fs(system, system.ends(pair[0]).1, system.ends(pair[1]).0);
        }
    }
    hops
}

impl Crossing {
    /// The time at which a TLP may start on the next link, where it takes `wire_fs`. It arrives from `first` to `last`.
    pub fn ready(&self, first: f64, last: f64, wire_fs: f64) -> f64 {
        let cut = (first + self.latency_fs).max(last - wire_fs);
        if self.cut_through { cut } else { last + self.latency_fs }
    }
}

/// From the start of a TLP on its first link to its last symbol at the end of the path, without other traffic.
pub fn flight_fs(hops: &[Hop], tlp: &Tlp) -> f64 {
    let (mut start, mut last) = (0.0, 0.0);
    for (i, hop) in hops.iter().enumerate() {
        let first = start + hop.wire.propagation_fs;
        last = first + hop.tlp_time(tlp);
        if let (Some(crossing), Some(next)) = (hop.crossing, hops.get(i + 1)) {
            start = crossing.ready(first, last, next.tlp_time(tlp));
        }
    }
    last
}
