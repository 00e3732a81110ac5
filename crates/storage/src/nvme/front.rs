//! What software brings to a drive: stores to its registers, doorbells, and the entries of commands.

use super::admin::Done;
use super::command::{Event, Fetched};
use super::controller::Controller;
use super::entry::Submission;
use super::params::{CONTROLLER_MEMORY, DOORBELL_BYTES, DOORBELLS, NvmeParams, SUBMISSION_BYTES};
use super::queue::QueuePair;
use pcie::Time;
use sim::parts::{PartContext, Purpose};

impl Controller {
    /// Asks for entries that software has announced.
    pub(super) fn fetch(&mut self, context: &mut PartContext<'_>, queue: usize) {
        let most = self.params.fetch_entries.0.min(self.mover.most_read() / SUBMISSION_BYTES).max(1);
        if self.queues[queue].pair.in_drive {
            return self.stored(context, queue);
        }
        let state = &mut self.queues[queue];
        let ring = state.pair.submissions();
        while state.fetching < self.params.fetches.0 {
            let entries = state.reader.next(&ring, most);
            if entries == 0 {
                return;
            }
            let asked = (ring.at(state.reader.ask(entries)), entries * SUBMISSION_BYTES);
            self.mover.fetch(context, state.pair.flows.reads, asked, Fetched::Entries(queue as u32));
            state.fetching += 1;
        }
    }

    /// Takes the entries that software has stored to the drive.
    fn stored(&mut self, context: &mut PartContext<'_>, queue: usize) {
        let now = context.now() + self.params.rx_latency;
        while let Some(entry) = self.queues[queue].take() {
            let entry = Submission::decode(entry);
            self.waits(context, queue as u32, entry, now);
        }
        self.take(context);
    }

    /// An entry, which has arrived at `now`, waits for its turn.
    fn waits(&mut self, context: &mut PartContext<'_>, queue: u32, entry: Option<Submission>, now: Time) {
        match entry {
            Some(entry) if (1..=self.params.namespaces.0).contains(&u64::from(entry.namespace)) => {
                let at = NvmeParams::of_namespace(entry.namespace, entry.at);
                self.waiting.push_back((queue, Submission { at, ..entry }, now));
            }
            Some(entry) => {
                context.refuse(|| format!("it got a command for namespace {}, which it has not", entry.namespace));
            }
            None => context.refuse(|| "it got an entry that is no read and no write".to_string()),
        }
    }

    /// Asks for the next admin command.
    pub(super) fn next_admin(&mut self, context: &mut PartContext<'_>) {
        let (Some(admin), Some(first)) = (&mut self.admin, self.queues.first()) else { return };
        if let Some(at) = admin.next() {
            self.mover.fetch(context, first.pair.flows.reads, (at, SUBMISSION_BYTES), Fetched::Admin);
        }
    }

    /// An admin command has arrived.
    pub(super) fn admin_entry(&mut self, context: &mut PartContext<'_>, entry: &[u8]) {
        let pairs: Vec<QueuePair> = self.queues.iter().map(|state| state.pair).collect();
        let (Some(admin), Some(first)) = (&mut self.admin, pairs.first()) else { return };
        match admin.execute(entry, &self.params, &pairs) {
            Ok(Done::Data(address, data)) => {
                self.mover.tell_all(context, first.flows.reads, address, &data);
            }
            Ok(Done::Created(place, pair)) => self.queues[place].begin(pair),
            Ok(Done::Nothing) => {}
            Err(what) => return context.refuse(|| what),
        }
        let identifier = entry.get(2..4).and_then(|two| two.try_into().ok()).map_or(0, u16::from_le_bytes);
        let ends = context.now() + self.params.command_latency + self.params.completion_latency;
        self.at(context, ends, Event::Admin(identifier));
    }

    /// An admin command has ended: tells software.
    pub(super) fn admin_ended(&mut self, context: &mut PartContext<'_>, identifier: u16) {
        let (Some(admin), Some(first)) = (&mut self.admin, self.queues.first()) else { return };
        let (flow, message) = (first.pair.flows.reads, first.pair.message);
        self.mover.tell(context, flow, Purpose::Status, admin.complete(identifier));
        if let Some(message) = message {
            let data = Box::new(message.data.to_le_bytes());
            self.mover.tell(context, flow, Purpose::Interrupt, (message.address, data));
        }
        self.next_admin(context);
    }

    /// Software has stored to a register, to a doorbell or to the memory of the drive.
    pub(super) fn written(&mut self, context: &mut PartContext<'_>, address: u64, data: &[u8]) {
        let offset = address.wrapping_sub(self.registers);
        if offset >= CONTROLLER_MEMORY && self.queues.iter_mut().any(|state| state.put(address, data)) {
            return;
        }
        if let (Some(admin), true) = (&mut self.admin, offset < DOORBELLS) {
            if admin.store(offset, data) {
                self.at(context, context.now() + self.params.ready_latency, Event::Ready);
            }
            return;
        }
        let number = data.try_into().ok().map(u32::from_le_bytes);
        if let (Some(admin), Some(tail), true) = (&mut self.admin, number, offset < DOORBELLS + 2 * DOORBELL_BYTES) {
            if offset == DOORBELLS {
                admin.rung(tail);
                self.next_admin(context);
            }
            return;
        }
        let Some((queue, of_completions)) = QueuePair::rung(self.registers, address) else { return };
        let (Some(tail), true) = (number, queue < self.queues.len()) else {
            return context.refuse(|| format!("its doorbell at {address:#x} got no number of {DOORBELL_BYTES} bytes"));
        };
        if self.admin.as_ref().is_some_and(|admin| !admin.has_created(queue)) {
            return context
                .refuse(|| format!("software rings the doorbell of queue {}, which it has not created", queue + 1));
        }
        if !of_completions {
            self.queues[queue].rung(tail);
            self.fetch(context, queue);
        }
    }

    /// Entries of a queue have arrived; with `last`, all of the read.
    pub(super) fn entries(&mut self, context: &mut PartContext<'_>, queue: u32, data: &[u8], last: bool) {
        let now = context.now() + self.params.rx_latency;
        let state = &mut self.queues[queue as usize];
        let whole = state.reader.arrive_in(&state.pair.submissions(), data);
        state.fetching -= u64::from(last);
        for entry in whole.chunks_exact(SUBMISSION_BYTES as usize) {
            self.waits(context, queue, Submission::decode(entry), now);
        }
        self.take(context);
        if last {
            self.fetch(context, queue as usize);
        }
    }
}
