//! A frame grabber: an endpoint that writes the pixels of a sensor into the memory of its host, frame after frame.
//!
//! What it is not: software. The grabber drives itself (`drive: card`), as one does whose buffers were queued beforehand.

mod part;

use part::{Grabber, Stream};
use pcie::{Bytes, Rate, Time};
use sim::Resources;
use sim::parts::{Built, KindError, Provider, Registration};
use system::field::{Holds, Params};
use system::kind::{Declaration, Declared, Kind, Row, Shared, TreePosition, Wrong};
use system::kinds::CardParams;
use system::{Demand, Drive, Operation, PartId, Scenario};

/// What frames wait for, in the limit and in the loss budget: a cause that only this kind knows.
const SENSOR: &str = "the sensor";

system::params! {
    /// A sensor and the endpoint that writes its pixels to the host: a command of a flow is a frame.
    ///
    /// The pixels of a frame come at `pixel_rate`, and `blanking` passes before those of the next. A TLP of MPS leaves when
    /// its last pixel is there. What the link has not taken waits in `buffer`; a full buffer stops the sensor's clock.
    pub struct GrabberParams {
        /// Payload that the sensor gives while a frame lasts.
        pixel_rate: Rate = Rate(400e6),
        /// From the last pixel of a frame to the first of the next.
        blanking: Time = Time::from_us(10),
        /// Room for pixels between the sensor and the link.
        buffer: Bytes = Bytes(16384); holds(Holds::Payload),
    }
}

impl Declared for GrabberParams {
    const DECLARATION: Declaration = Declaration {
        word: "frame-grabber",
        about: "a sensor whose frames go to the host",
        place: TreePosition::Endpoint,
        operations: &[Operation::DmaWrite],
        fields: GrabberParams::FIELDS,
        catalogue: &[("example", include_str!("catalogue.yaml"))],
        machines: &[],
        causes: &[SENSOR],
        default: || Kind::new(GrabberParams::default()),
    };

    fn check(&self) -> Option<Wrong> {
        (self.buffer.0 < 4).then(|| Wrong {
            field: "buffer",
            value: self.buffer.to_string(),
            help: "it holds a TLP: write 4 B or more".into(),
        })
    }

    fn engine(&self) -> Option<CardParams> {
        Some(CardParams { fifo: self.buffer, ..CardParams::default() })
    }

    fn rows(&self, demand: &Demand) -> Vec<Row> {
        let frame = demand.command;
        let seconds = frame.0 as f64 / self.pixel_rate.0 + self.blanking.as_secs();
        vec![Row::new(SENSOR, Rate(frame.0 as f64 / seconds), Shared::Part(0))]
    }
}

/// Who builds frame grabbers.
#[derive(Debug)]
struct Grabbers;

impl Provider for Grabbers {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.of::<GrabberParams>().is_some()
    }

    fn build(&self, scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        let refuse = |what: &str, help: &str| Err(KindError { what: what.into(), help: help.into() });
        let part = scenario.system.part(id);
        let Some(params) = part.kind.of::<GrabberParams>() else { return refuse("this is no grabber", "take it out") };
        if scenario.flows.iter().any(|flow| flow.target == id) {
            return refuse("nobody writes to a grabber, or reads from it", "let it write to a host");
        }
        let mut own = scenario.flows.iter().enumerate().filter(|(_, flow)| flow.initiator == id);
        let stream = match (own.next(), own.next()) {
            (None, _) => None,
            (Some(_), Some(_)) => return refuse("a sensor has one flow", "write one flow that begins here"),
            (Some((_, flow)), None) if flow.drive == Drive::Software => {
                return refuse("a grabber drives itself", "write `drive: card`");
            }
            (Some((number, flow)), None) => {
                // Of several ports, the one that leads to the host of the flow.
                let way = scenario.system.path(id, flow.target);
                let by = way.first().map(|&on| scenario.system.ends(on).0);
                Some(Stream {
                    flow: number as u32,
                    port: part.ports.iter().position(|&port| Some(port) == by).unwrap_or(0),
                    requester: scenario.system.bdf_towards(id, flow.target),
                    frame: flow.command.0.max(1),
                    volume: flow.whole_volume().0,
                    memory: resources.payload(scenario, number)?,
                })
            }
        };
        Ok(Built::alone(Grabber::new(params, stream, part.mps.bytes())))
    }
}

/// The line that a program registers.
pub const FRAME_GRABBER: Registration = Registration { kind: &GrabberParams::DECLARATION, provider: &Grabbers };
