//! The effective settings of a port: its own where it has them, otherwise those of its part.

use crate::field::Params;
use crate::graph::{PartId, PortId, System};
use crate::kinds::PortParams;
use crate::kinds::kind::Kind;
use pcie::PayloadSize;
use std::borrow::Cow;

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
