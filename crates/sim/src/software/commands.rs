//! Software that drives a DMA engine: a thread for each flow.

use crate::engine::answer::{RequestOf, request};
use crate::engine::tlp::{Held, Purpose};
use crate::link::fabric::Fabric;
use pcie::{Bdf, Time};
use system::Wait;
use system::kinds::HostParams;

/// Programs commands one after another; see `docs/model.md`, A host.
#[derive(Clone, Debug)]
pub(crate) struct CommandLoop {
    pub flow: u32,
    /// The root port's direction down, and the thread's source there.
    pub direction: u32,
    pub source: u32,
    pub requester: Bdf,
    pub doorbell_address: u64,
    pub commands_left: u64,
    /// Descriptors that software writes for each command; zero where the card fetches or needs none.
    pub descriptors: u64,
    /// Bytes of a descriptor, where the engine begins with each that is written: they are doorbells themselves.
    pub each: Option<u64>,
}

impl CommandLoop {
    /// The thread is free at `now`: it prepares the next command and rings. `bus_free` is when the threads before it
    /// have written their descriptors.
    pub fn ring(&mut self, fabric: &mut Fabric, params: &HostParams, now: Time, bus_free: &mut Time) {
        let mut at = now + params.command_cost;
        let cost = params.descriptor_cost * self.descriptors;
        if cost > Time::ZERO {
            if params.descriptors_in_turn {
                at = at.max(*bus_free);
            }
            *bus_free = (*bus_free).max(at + cost);
        }
        match self.each {
            Some(bytes) => {
                for descriptor in 1..=self.descriptors {
                    self.doorbell(fabric, at + params.descriptor_cost * descriptor, bytes);
                }
            }
            None => self.doorbell(fabric, at + cost, params.doorbell_bytes.0),
        }
        self.commands_left -= 1;
    }

    /// A doorbell of `bytes` leaves at `at`.
    fn doorbell(&self, fabric: &mut Fabric, at: Time, bytes: u64) {
        let of = RequestOf {
            purpose: Purpose::Doorbell,
            flow: self.flow,
            offset: 0,
            requester: self.requester,
            tag: 0,
            born: at,
            ready: at,
            held: Held { by: Wait::Software, until: at, then: Wait::Software },
            notify: false,
        };
        let doorbell = request(of, self.doorbell_address, bytes, 0);
        fabric.enqueue(self.direction, self.source, doorbell);
    }

    /// The end of a command is seen at `now`.
    pub fn noticed(&mut self, fabric: &mut Fabric, params: &HostParams, now: Time, bus_free: &mut Time) {
        let done = now + params.call_cost;
        if self.commands_left == 0 {
            fabric.flows.ended(self.flow, done);
        } else {
            self.ring(fabric, params, done, bus_free);
        }
    }
}
