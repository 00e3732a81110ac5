//! The driver of a bulk endpoint: keeps a number of transfers queued until all transfers of its flow have ended.

use super::entry::{Piece, TOKEN_AT, has_come};
use super::params::{Interface, TransferPieces};
use super::ring::Rings;
use pcie::Time;
use sim::{Ask, HostMemory, Seen, Thread};
use std::collections::VecDeque;
use system::Window;

/// Bytes of a doorbell.
const DOORBELL_BYTES: usize = 4;

/// The transfers of a flow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Transfers {
    /// How each is divided.
    pub pieces: TransferPieces,
    /// Memory for data, used repeatedly, and how far apart transfers lie there.
    pub memory: Window,
    pub stride: u64,
    /// Transfers that are queued, and all of the flow.
    pub depth: u64,
    pub all: u64,
}

/// What the driver does when its plan is done.
#[derive(Clone, Copy, Debug)]
enum Then {
    /// Looks for the next transfer that has ended.
    Look,
    /// Knows the time: a transfer ends, or one begins.
    Next(bool),
    /// Has spent the time of a transfer that begins.
    Give,
}

/// See the module. Transfers of an endpoint end in their order.
#[derive(Debug)]
pub(crate) struct UsbDriver {
    ring: Rings,
    transfers: Transfers,
    /// CPU time of a transfer before it is queued, and after its end.
    costs: (Time, Time),
    /// By place in the queue: when it was free.
    since: Vec<Time>,
    given: u64,
    ended: u64,
    tail: u32,
    plan: VecDeque<Ask>,
    then: Then,
}

impl UsbDriver {
    pub fn new(ring: Rings, transfers: Transfers, costs: (Time, Time)) -> UsbDriver {
        let since = vec![Time::ZERO; transfers.depth as usize];
        UsbDriver {
            ring,
            transfers,
            costs,
            since,
            given: 0,
            ended: 0,
            tail: 0,
            plan: VecDeque::with_capacity(8),
            then: Then::Look,
        }
    }

    fn spend(&mut self, time: Time) {
        if time > Time::ZERO {
            self.plan.push_back(Ask::Spend(time));
        }
    }

    /// Queues the next transfer. Its first piece is written last: the controller may look at any time.
    fn give(&mut self, memory: &mut HostMemory) {
        let Transfers { pieces, memory: buffer, stride, .. } = self.transfers;
        let base = buffer.base + self.given * stride % buffer.bytes.max(1);
        for number in (0..pieces.count()).rev() {
            let (offset, bytes) = pieces.piece(number);
            let piece = Piece { address: base + offset, bytes, last: number + 1 == pieces.count() };
            let place = self.tail.wrapping_add(number as u32);
            let entry = piece.encode(self.ring.interface, self.ring.pieces.phase(u64::from(place)));
            memory.write(self.ring.pieces.at(u64::from(place)), &entry);
        }
        self.tail = self.tail.wrapping_add(pieces.count() as u32);
        self.given += 1;
        if self.ring.interface == Interface::Xhci {
            self.plan.push_back(Ask::Store { address: self.ring.doorbell, data: Box::new([0; DOORBELL_BYTES]) });
        }
    }

    /// True where the oldest transfer has ended.
    fn has_ended(&self, memory: &HostMemory) -> bool {
        if self.ended == self.given {
            return false;
        }
        match self.ring.interface {
            Interface::Ehci => {
                let last = (self.ended + 1) * self.transfers.pieces.count() - 1;
                Piece::is_done(memory.word(self.ring.pieces.at(last) + TOKEN_AT))
            }
            Interface::Xhci => {
                let place = self.ended as u32;
                has_come(
                    memory.word(self.ring.events.at(u64::from(place)) + 8),
                    self.ring.events.phase(u64::from(place)),
                )
            }
        }
    }

    /// Fills the plan, which is empty.
    fn go_on(&mut self, seen: &Seen, memory: &mut HostMemory) {
        let Transfers { depth, all, .. } = self.transfers;
        if let (Then::Next(ends), &Seen::Now(now)) = (self.then, seen) {
            self.then = Then::Look;
            if ends {
                let latency = now - self.since[(self.ended % depth) as usize];
                self.plan.push_back(Ask::Timed { flow: self.ring.flow, latency });
                self.ended += 1;
                if self.ended == all {
                    return self.plan.push_back(Ask::End { flow: self.ring.flow, wrong: 0 });
                }
            }
            self.since[(self.given % depth) as usize] = now;
            self.spend(self.costs.0);
            self.then = Then::Give;
            if !self.plan.is_empty() {
                return;
            }
        }
        if let Then::Give = self.then {
            self.then = Then::Look;
            self.give(memory);
            if !self.plan.is_empty() {
                return;
            }
        }
        if self.given < depth {
            self.then = Then::Next(false);
            self.plan.push_back(Ask::Clock);
        } else if self.has_ended(memory) {
            self.then = Then::Next(true);
            self.spend(self.costs.1);
            self.plan.push_back(Ask::Clock);
        } else {
            self.plan.push_back(Ask::Sleep);
        }
    }
}

impl Thread for UsbDriver {
    fn next(&mut self, seen: Seen, memory: &mut HostMemory) -> Ask {
        if self.plan.is_empty() {
            if self.ended == self.transfers.all {
                return Ask::Leave;
            }
            self.go_on(&seen, memory);
        }
        self.plan.pop_front().unwrap_or(Ask::Leave)
    }
}
