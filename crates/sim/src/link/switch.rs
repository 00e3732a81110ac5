//! A switch: routing, and the time at which a TLP may leave.

use crate::engine::tlp::Tlp;
use crate::link::cap::cap_time;
use pcie::tlp::Header;
use pcie::{Bdf, Class, Time};
use std::ops::RangeInclusive;
use system::Passing;
use system::Window;
use system::graph::Port;

/// The addresses and buses below a port.
#[derive(Clone, Debug)]
pub(crate) struct Behind {
    /// The direction that leads there.
    pub direction: u32,
    pub windows: Vec<Window>,
    pub ids: RangeInclusive<Bdf>,
}

impl Behind {
    pub fn of(direction: u32, port: &Port) -> Behind {
        Behind { direction, windows: port.windows.clone(), ids: port.ids() }
    }

    /// True where `tlp` belongs there: by address for requests, by ID for completions.
    pub fn claims(&self, tlp: &Tlp) -> bool {
        match tlp.kind.class() {
            Class::Completion => self.has_id(tlp.requester),
            _ => self.has_address(tlp.address),
        }
    }

    /// The same for a TLP with that header.
    pub fn leads(&self, header: &Header) -> bool {
        match *header {
            Header::Completion { requester, .. } => self.has_id(requester),
            Header::Request { address, .. } => self.has_address(address),
        }
    }

    fn has_id(&self, id: Bdf) -> bool {
        self.ids.contains(&id)
    }

    fn has_address(&self, address: u64) -> bool {
        self.windows.iter().any(|window| window.holds(address))
    }
}

/// An ingress port.
#[derive(Clone, Debug)]
pub(crate) struct Ingress {
    /// The direction that arrives at this port.
    pub direction: u32,
    /// From the first symbol in to the first symbol out, by class of the TLP.
    pub latency: [Time; Class::ALL.len()],
    /// Payload rate that the port can pass, bytes per second.
    pub cap: Option<Passing>,
    pub cap_free: Time,
}

/// A switch.
#[derive(Clone, Debug)]
pub(crate) struct Switch {
    pub stores: bool,
    pub below: Vec<Behind>,
    /// The direction towards the host.
    pub up: u32,
    /// The ingress ports. An egress port has one source for each, in this order.
    pub ingress: Vec<Ingress>,
    /// Contains the windows of all downstream ports. Requests outside it go up.
    pub within: Window,
}

/// The smallest window that contains all of `windows`.
pub(crate) fn hull<'a>(windows: impl Iterator<Item = &'a Window> + Clone) -> Window {
    let base = windows.clone().map(|window| window.base).min().unwrap_or(0);
    let last = |window: &Window| (window.base - base).saturating_add(window.bytes);
    Window { base, bytes: windows.map(last).max().unwrap_or(0) }
}

impl Switch {
    /// The direction that `tlp` leaves by, and its source there, which is its ingress port. Requests are routed by
    /// address, completions by ID; up where no downstream port claims them.
    pub fn route(&self, tlp: &Tlp) -> (u32, u32) {
        let source = self.ingress.iter().position(|port| port.direction == tlp.came_by).unwrap_or(0) as u32;
        if tlp.kind.class() != Class::Completion && !self.within.holds(tlp.address) {
            return (self.up, source);
        }
        (self.below.iter().find(|port| port.claims(tlp)).map_or(self.up, |port| port.direction), source)
    }

    /// When `tlp`, whose symbols arrive from `first` to `last`, may start on an egress link that needs `egress` for it.
    pub fn may_leave(&mut self, ingress: u32, tlp: &Tlp, first: Time, last: Time, egress: Time) -> Time {
        let Some(port) = self.ingress.get_mut(ingress as usize) else { return last };
        let latency = port.latency[tlp.kind.class().index()];
        let cut = (first + latency).max(last.saturating_sub(egress));
        let ready = if self.stores { last + latency } else { cut };
        let Some(cap) = port.cap else { return ready };
        let ready = ready.max(port.cap_free);
        port.cap_free = ready + cap_time(tlp.payload, cap);
        ready
    }
}
