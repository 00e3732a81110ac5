//! A part together with its place in the fabric.

use crate::link::fabric::Fabric;
use crate::parts::context::{PartContext, Seat};
use crate::parts::part::Part;
use crate::parts::traffic::{Arrived, Hold, Label, Payload, header};

/// A part together with its place in the fabric.
pub(crate) struct Seated {
    pub seat: Seat,
    pub part: Box<dyn Part>,
}

impl Seated {
    /// Calls `what` with the part and its context.
    pub fn with(&mut self, fabric: &mut Fabric, what: impl FnOnce(&mut dyn Part, &mut PartContext<'_>)) {
        what(&mut *self.part, &mut PartContext::new(fabric, &self.seat));
    }

    /// Gives the TLP at `place` to the part.
    pub fn receive(&mut self, fabric: &mut Fabric, place: u32) {
        let tlp = &mut fabric.tlps[place];
        let by = |port: &Option<(u32, u32, u32)>| port.is_some_and(|(direction, ..)| direction ^ 1 == tlp.came_by);
        let arrived = Arrived {
            port: self.seat.ports.iter().position(by).unwrap_or(0),
            header: header(tlp),
            data: tlp.data.take().map_or(Payload::Length(tlp.payload), Payload::Bytes),
            label: Label { flow: tlp.flow, purpose: tlp.purpose, offset: tlp.offset },
            born: tlp.born,
            held: tlp.held,
            hold: Hold { came_by: tlp.came_by, class: tlp.kind.class(), payload: tlp.payload, shape: tlp.shape },
        };
        fabric.tlps.remove(place);
        self.with(fabric, |part, context| part.receive(context, arrived));
    }
}
