//! The symbols of all directions of a run, packet by packet: to compare them with what the simulation counts.

use crate::names::directions;
use crate::order::Order;
use crate::requests::{Requests, place};
use crate::symbols::Lanes;
use phy::coding::packet::Unsendable;
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
    ///
    /// # Errors
    /// The first record whose bytes are no TLP; nothing behind it is sent.
    pub fn take(
        &mut self,
        records: Vec<Record>,
        end: bool,
        mut told: impl FnMut(&Record, u64),
    ) -> Result<(), Unsendable> {
        let Links { order, requests, lanes } = self;
        let mut failed = Ok(());
        order.push(records);
        order.ripe(end, |record| {
            if failed.is_err() {
                return;
            }
            let at = match record {
                Record::Tlp(sent) => {
                    let identity = requests.identify(sent);
                    let sent = lanes.get_mut(place(sent.on)).map(|lanes| lanes.tlp(sent, &identity)).transpose();
                    sent.unwrap_or_else(|why| {
                        failed = Err(why);
                        None
                    })
                }
                Record::Dllp { on, .. } => lanes.get_mut(place(*on)).and_then(|lanes| lanes.dllp(record)),
                _ => None,
            };
            if let Some(at) = at {
                told(record, at);
            }
        });
        while order.spent().is_some() {}
        failed
    }
}
