//! Descriptors that the card fetches from a ring in host memory, in batches and in advance.

use sim::parts::{Decided, Exit};
use sim::parts::{Held, Label, PartContext, Purpose, Region};
use std::collections::VecDeque;
use system::Wait;
use system::kinds::CardParams;

/// The ring of one channel.
#[derive(Clone, Debug)]
pub struct Ring {
    pub flow: u32,
    /// The port and queue by which the channel's TLPs leave.
    pub exit: Exit,
    pub region: Region,
    /// Counts of descriptors: put into the ring by software, requested by the card, arrived, consumed.
    posted: u64,
    asked: u64,
    here: u64,
    used: u64,
    /// Descriptors of each batch that was requested and has not arrived, oldest first.
    coming: VecDeque<u64>,
    /// Batches requested so far.
    fetches: u16,
    /// Batches that have arrived and are not yet known to the engine.
    arriving: VecDeque<u64>,
}

impl Ring {
    pub fn new(flow: u32, exit: Exit, region: Region) -> Ring {
        Ring {
            flow,
            exit,
            region,
            posted: 0,
            asked: 0,
            here: 0,
            used: 0,
            coming: VecDeque::new(),
            fetches: 0,
            arriving: VecDeque::new(),
        }
    }

    /// Software has added `descriptors` to the ring.
    pub fn post(&mut self, descriptors: u64) {
        self.posted += descriptors;
    }

    /// True where a descriptor is available for the next page.
    pub fn has_one(&self) -> bool {
        self.here > self.used
    }

    /// A page starts and consumes a descriptor.
    pub fn take_one(&mut self) {
        self.used += 1;
    }

    /// Requests batches, as far in advance as the card's `ring_ahead` says.
    pub fn fetch(&mut self, context: &mut PartContext<'_>, params: &CardParams) {
        let params = &params;
        let size = params.descriptor_bytes.0;
        let most = (params.read_request.bytes() / size).max(1).min(params.ring_batch.0);
        while self.asked < self.posted && self.asked - self.used < params.ring_ahead.0 {
            let offset = self.asked * size;
            let to_page = (4096 - self.region.address(offset) % 4096).div_ceil(size);
            let ahead = params.ring_ahead.0 - (self.asked - self.used);
            let batch = most.min(self.posted - self.asked).min(to_page).min(ahead);
            let ready = context.now() + params.tx_latency;
            let label = Label { flow: self.flow, purpose: Purpose::Descriptors, offset };
            let held = Held::new(Wait::Descriptors, ready);
            let of = Decided { label, born: context.now(), ready, held, tell: false, last: false };
            context.send(self.exit.read(of, self.region.address(offset), batch * size, self.fetches));
            self.asked += batch;
            self.coming.push_back(batch);
            self.fetches = self.fetches.wrapping_add(1);
        }
    }

    /// The oldest requested batch has arrived.
    pub fn arrived(&mut self) {
        self.arriving.extend(self.coming.pop_front());
    }

    /// The oldest arrived batch is known to the engine.
    pub fn known(&mut self) {
        self.here += self.arriving.pop_front().unwrap_or(0);
    }
}
