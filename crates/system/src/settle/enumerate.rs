//! Enumeration: assigns buses depth first, as firmware does.

use crate::error::{Error, Problem};
use crate::graph::{PartId, PortId, PortRole, System};
use crate::settle::{PartDraft, Segments};
use pcie::Bdf;

/// Assigns an ID to every port, and buses to every bridge. Root ports are devices 1, 2, ... of bus 0, or each is device
/// 1 of bus 0 in its own Segment Group. Each host has one or several Segment Groups of its own. (In a real machine,
/// each host would count its Segment Groups from 0.)
pub(crate) fn enumerate(system: &mut System, parts: &[PartDraft], segments: Segments) -> Result<(), Error> {
    let mut walk = Walk { system, parts, segment: 0, next: 1 };
    let hosts: Vec<PartId> = walk.system.roots().collect();
    let mut groups = 0;
    for host in hosts {
        for (number, port) in walk.system.part(host).ports.clone().into_iter().enumerate() {
            let (first, device) = match segments {
                Segments::One => (number == 0, number as u64 + 1),
                Segments::RootPort => (true, 1),
            };
            if first {
                (walk.segment, walk.next) = (walk.segment_group(port, groups)?, 1);
                groups += 1;
            }
            walk.bridge(port, 0, device)?;
        }
    }
    Ok(())
}

struct Walk<'a> {
    system: &'a mut System,
    parts: &'a [PartDraft],
    segment: u16,
    next: u64,
}

impl Walk<'_> {
    /// Assigns the ID and the secondary bus of a root port or downstream port, then everything below it.
    fn bridge(&mut self, port: PortId, bus: u8, device: u64) -> Result<(), Error> {
        self.name(port, bus, device)?;
        let secondary = self.bus(port)?;
        let below = self.system.port(port).link.map(|link| self.system.link(link).lower);
        if let Some(lower) = below {
            self.below(lower, secondary)?;
        }
        self.system.graph.ports[port.0].buses = (secondary, (self.next - 1) as u8);
        Ok(())
    }

    fn below(&mut self, port: PortId, bus: u8) -> Result<(), Error> {
        self.name(port, bus, 0)?;
        if self.system.port(port).role != PortRole::Upstream {
            self.system.graph.ports[port.0].buses = (bus, bus);
            return Ok(());
        }
        let secondary = self.bus(port)?;
        let part = self.system.port(port).part;
        let down: Vec<PortId> = self.system.part(part).ports.iter().copied().filter(|&p| p != port).collect();
        for (device, port) in down.into_iter().enumerate() {
            self.bridge(port, secondary, device as u64)?;
        }
        self.system.graph.ports[port.0].buses = (secondary, (self.next - 1) as u8);
        Ok(())
    }

    fn segment_group(&self, port: PortId, number: usize) -> Result<u16, Error> {
        u16::try_from(number).map_err(|_| self.out(port, "65536 Segment Groups are not enough"))
    }

    fn bus(&mut self, port: PortId) -> Result<u8, Error> {
        let bus = u8::try_from(self.next).map_err(|_| self.out(port, "256 buses are not enough"))?;
        self.next += 1;
        Ok(bus)
    }

    fn name(&mut self, port: PortId, bus: u8, device: u64) -> Result<(), Error> {
        let bdf = u8::try_from(device).ok().and_then(|device| Bdf::new(bus, device, 0));
        let bdf = bdf.map(|bdf| bdf.in_segment(self.segment));
        self.system.graph.ports[port.0].bdf = bdf.ok_or_else(|| self.out(port, "a bus has 32 devices"))?;
        Ok(())
    }

    fn out(&self, port: PortId, what: &str) -> Error {
        let port = self.system.port(port);
        let problem = Problem::Buses(format!("no bus number is left for `{}`: {what}", port.name));
        Error::new(
            &self.parts[port.part.0].place,
            problem,
            "every port of a switch takes a bus: use fewer switches, or `settings.segments: root-port`",
        )
    }
}
