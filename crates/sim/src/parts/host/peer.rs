//! What goes from one root port to another: requests of cards to each other, and their completions.
//!
//! A root complex forwards a request as it came, or divided at multiples of `p2p_bytes`, or not at all. Completions go
//! back as the card gives them. Where their request was divided, each of its parts has completions of its own, and the
//! root complex gives them the Byte Count of the whole request.

use crate::engine::answer::cuts;
use crate::parts::PartContext;
use crate::parts::traffic::{Arrived, Hold, Label, Leaving, Payload, Sent};
use pcie::tlp::Header;
use pcie::{Bdf, Time};
use system::kinds::HostParams;

/// The requests that were divided: those that have not left, and reads that are not complete.
#[derive(Debug, Default)]
pub(crate) struct Peers {
    /// The flow, the offset of the last part, and the credits, which are freed when that has left.
    held: Vec<(u32, u64, Hold)>,
    /// Of reads whose data has not come: the requester, its tag, and the offset in the flow at which the request ends.
    reads: Vec<(Bdf, u16, u64)>,
}

/// The way of a TLP to another root port: the port, its queue, and the earliest time.
pub(super) type Way = (usize, u32, Time);

impl Peers {
    /// Sends a TLP that arrived at a root port on to another.
    pub fn pass_on(&mut self, context: &mut PartContext<'_>, params: &HostParams, mut arrived: Arrived, way: Way) {
        let most = params.p2p_bytes.0.map_or(u64::MAX, |most| most.0.max(4));
        match &mut arrived.header {
            Header::Request { .. } if !params.p2p => {
                return context.refuse(|| {
                    "it got a request for a part below another of its root ports, and its `p2p` is `no`".to_string()
                });
            }
            Header::Request { address, bytes, .. } if *address % most + *bytes > most => {
                return self.divide(context, arrived, way, most);
            }
            Header::Request { .. } => {}
            Header::Completion { requester, tag, remaining, bytes, .. } => {
                let of = |(own, number, _): &(Bdf, u16, u64)| (own, number) == (requester, tag);
                if let Some(place) = self.reads.iter().position(of) {
                    *remaining = self.reads[place].2.saturating_sub(arrived.label.offset);
                    if *remaining <= *bytes {
                        self.reads.swap_remove(place);
                    }
                }
            }
        }
        let (to, queue, ready) = way;
        context.forward(arrived, to, queue, ready);
    }

    /// Sends the parts of a request on.
    fn divide(&mut self, context: &mut PartContext<'_>, arrived: Arrived, way: Way, most: u64) {
        let Header::Request { write, address, bytes, requester, tag } = arrived.header else { return };
        let ((port, queue, ready), whole) = (way, arrived.label);
        let Arrived { data, born, held, hold, .. } = arrived;
        let mut hold = Some(hold);
        for (at, part) in cuts(address, bytes, most, most) {
            let label = Label { offset: whole.offset + (at - address), ..whole };
            let header = Header::Request { write, address: at, bytes: part, requester, tag };
            let is_last = at + part == address + bytes;
            let data = match &data {
                Payload::Bytes(all) if write => {
                    let from = (at - address) as usize;
                    Payload::Bytes(all.get(from..from + part as usize).unwrap_or_default().into())
                }
                _ => Payload::Length(if write { part as u32 } else { 0 }),
            };
            let (tell, last) = (is_last, is_last);
            context.send(Leaving { port, queue, header, data, label, born, ready, held, tell, last });
            if is_last && let Some(hold) = hold.take() {
                self.held.push((label.flow, label.offset, hold));
            }
        }
        if !write {
            self.reads.push((requester, tag, whole.offset + bytes));
        }
    }

    /// A TLP has left by a root port: the credits of the request whose last part it is are free.
    pub fn passed_on(&mut self, context: &mut PartContext<'_>, sent: Sent) {
        let of = |(flow, offset, _): &(u32, u64, Hold)| (*flow, *offset) == (sent.flow, sent.offset);
        if let Some(place) = self.held.iter().position(of) {
            let (.., hold) = self.held.swap_remove(place);
            context.release(hold, sent.end);
        }
    }
}
