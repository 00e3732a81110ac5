//! The symbols of all directions of a run, packet by packet: to compare them with what the simulation counts.

use crate::names::directions;
use crate::order::Order;
use crate::requests::{Requests, place};
use crate::symbols::Lanes;
use sim::trace::Record;
use system::Scenario;
use system::graph::Direction;

/// The transmitters of all directions of a run.
pub struct Links {
    order: Order,
    requests: Requests,
    lanes: Vec<Lanes>,
}

impl Links {
    /// The links of `scenario`.
    pub fn new(scenario: &Scenario) -> Links {
        let system = &scenario.system;
        Links {
            order: Order::default(),
            requests: Requests::new(system),
            lanes: directions(system).map(|on| Lanes::new(system, on)).collect(),
        }
    }

    /// The transmitter of a direction.
    pub fn lanes(&mut self, on: Direction) -> Option<&mut Lanes> {
        self.lanes.get_mut(place(on))
    }

    /// Sends the packets of these records, all that are left at the `end`. `told` gets each packet's record and the place of
    /// its first symbol.
    pub fn take(&mut self, records: Vec<Record>, end: bool, mut told: impl FnMut(&Record, u64)) {
        let Links { order, requests, lanes } = self;
        order.push(records);
        order.ripe(end, |record| {
            let at = match record {
                Record::Tlp(sent) => {
                    let identity = requests.identify(sent);
                    lanes.get_mut(place(sent.on)).and_then(|lanes| lanes.tlp(sent, &identity).ok())
                }
                Record::Dllp { on, .. } => lanes.get_mut(place(*on)).and_then(|lanes| lanes.dllp(record)),
                _ => None,
            };
            if let Some(at) = at {
                told(record, at);
            }
        });
        while order.spent().is_some() {}
    }
}
