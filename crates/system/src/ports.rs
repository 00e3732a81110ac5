//! The effective settings of a port: its own where it has them, otherwise those of its part.

use crate::clock::clock_of;
use crate::field::Params;
use crate::graph::{Link, PartId, PortId, System};
use crate::kinds::PortParams;
use crate::kinds::kind::Kind;
use pcie::{PayloadSize, timing};
use std::borrow::Cow;

/// The time of payload in a port: the longer one of that of a rate and that of a datapath.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passing {
    rate: Option<f64>,
    core: Option<Core>,
}

/// A datapath of a width, with a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Core {
    width: u64,
    clock: u64,
    idle: u64,
}

impl Passing {
    /// A rate alone, bytes per second.
    pub fn of_rate(rate: f64) -> Passing {
        Passing { rate: Some(rate), core: None }
    }

    /// How long a TLP with `payload` bytes takes, femtoseconds. Without any, it takes no time.
    pub fn fs(&self, payload: u64) -> f64 {
        let by_rate = self.rate.map_or(0.0, |rate| payload as f64 * 1e15 / rate);
        let by_core = self
            .core
            .filter(|_| payload > 0)
            .map_or(0.0, |core| (payload.div_ceil(core.width) + core.idle) as f64 * 1e15 / core.clock as f64);
        by_rate.max(by_core)
    }
}

impl System {
    /// The settings of a port.
    pub fn habits(&self, port: PortId) -> Cow<'_, PortParams> {
        let port = self.port(port);
        let mut habits = Cow::Borrowed(&self.part(port.part).habits);
        for own in &port.own {
            // What is written there was tried before.
            if PortParams::FIELDS.iter().any(|field| field.name == own.field) {
                let _ = habits.to_mut().set(own.field, &own.value);
            }
        }
        habits
    }

    /// Symbol times from one SKP ordered set to the next of the transmitter at a port on `link`; `None` where the model omits
    /// them.
    pub fn skp_interval(&self, port: PortId, link: &Link) -> Option<u64> {
        let habits = self.habits(port);
        let usual = timing::skp(link.speed.generation.encoding(), link.sris).interval_symbols;
        habits.skp.then(|| habits.skp_interval.0.map_or(usual, |given| given.0))
    }

    /// The kind of a port's part, with the settings that hold at that port.
    pub fn kind_at(&self, port: PortId) -> Cow<'_, Kind> {
        let port = self.port(port);
        let mut kind = Cow::Borrowed(&self.part(port.part).kind);
        for own in &port.own {
            if kind.fields().iter().any(|field| field.name == own.field) {
                let _ = kind.to_mut().set(own.field, &own.value);
            }
        }
        kind
    }

    /// The settled Max_Payload_Size of a port.
    pub fn mps(&self, port: PortId) -> PayloadSize {
        let port = self.port(port);
        port.mps.unwrap_or(self.part(port.part).mps)
    }

    /// For a part and its ports: the least Max_Payload_Size supported, and the least set.
    pub fn least_mps(&self, part: PartId) -> (PayloadSize, PayloadSize) {
        let part = self.part(part);
        let of = |&port: &PortId| (self.habits(port).mps, self.mps(port));
        let ports = part.ports.iter().map(of);
        ports.reduce(|a, b| (a.0.min(b.0), a.1.min(b.1))).unwrap_or((part.habits.mps, part.mps))
    }

    /// The port of a part by which TLPs to another part leave.
    pub fn port_towards(&self, from: PartId, to: PartId) -> Option<PortId> {
        self.path(from, to).first().map(|&first| self.ends(first).0)
    }

    /// Max_Payload_Size of the port by which TLPs to another part leave.
    pub fn mps_towards(&self, from: PartId, to: PartId) -> PayloadSize {
        self.port_towards(from, to).map_or(self.part(from).mps, |port| self.mps(port))
    }

    /// What the payload of a TLP takes in a root port or downstream port, in each direction; `None` where nothing limits it.
    pub fn passing(&self, port: PortId) -> Option<Passing> {
        let rate = self.port_cap(port);
        let kind = self.kind_at(port);
        let core = kind.host().and_then(|host| {
            let width = host.core_width.0?;
            Some(Core {
                width: width.0.max(1),
                clock: clock_of(self.port(port).able, width).0.max(1),
                idle: host.idle_cycles,
            })
        });
        (rate.is_some() || core.is_some()).then_some(Passing { rate, core })
    }

    /// The payload rate that a root port or downstream port can pass in each direction, bytes per second: the least of
    /// `port_cap`, and of `lane_cap` times its lanes.
    pub fn port_cap(&self, port: PortId) -> Option<f64> {
        let kind = self.kind_at(port);
        let (whole, lane) = match (kind.host(), kind.switch()) {
            (Some(host), _) => (host.port_cap, host.lane_cap),
            (None, Some(switch)) => (switch.port_cap, switch.lane_cap),
            (None, None) => return None,
        };
        let port = Some(self.port(port)).filter(|port| port.role.faces_down())?;
        let lanes = port.able.width.lanes() as f64;
        whole.0.map(|rate| rate.0).into_iter().chain(lane.0.map(|rate| rate.0 * lanes)).reduce(f64::min)
    }
}
