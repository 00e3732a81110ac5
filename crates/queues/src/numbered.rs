//! A queue whose completions carry numbers: the first one 1, the next one 2, and so on. Software knows from the number that one is
//! new; commands end in the order in which they were given.

use crate::wiring::{DOORBELL_BYTES, Pair};
use crate::{Ended, Face, Moderation, Mover, Reader, Tell, Transfer};
use pcie::Time;
use pcie::tlp::{Header, RCB_ENDPOINT_BYTES};
use sim::parts::{Arrived, Leaving, PartContext, Payload, Purpose, completions};
use sim::{Ask, HostMemory, Seen};
use std::collections::VecDeque;

/// Such a queue, as software sees it. `entry` gives the bytes of each entry of a command.
#[derive(Debug)]
pub struct NumberedFace<E> {
    pair: Pair,
    /// Entries of a command.
    each: u64,
    entry: E,
    /// Entries posted, completions seen, and the commands in between.
    posted: u64,
    seen: u64,
    in_flight: VecDeque<u64>,
}

impl<E: Fn(Transfer, u64) -> Vec<u8>> NumberedFace<E> {
    /// Commands of `each` entries and completions. `entry` is called for each of them with the number within its command.
    pub fn new(pair: Pair, each: u64, entry: E) -> NumberedFace<E> {
        NumberedFace { pair, each: each.max(1), entry, posted: 0, seen: 0, in_flight: VecDeque::new() }
    }
}

impl<E: Fn(Transfer, u64) -> Vec<u8>> Face for NumberedFace<E> {
    fn give(&mut self, identifier: u64, transfer: Transfer, memory: &mut HostMemory, plan: &mut VecDeque<Ask>) {
        for number in 0..self.each {
            memory.write(self.pair.ring.at(self.posted), &(self.entry)(transfer, number));
            self.posted += 1;
        }
        self.in_flight.push_back(identifier);
        let data = Box::new((self.posted % self.pair.ring.entries()).to_le_bytes());
        plan.push_back(Ask::Store { address: self.pair.doorbell, data });
    }

    fn ended(&mut self, _: &Seen, memory: &HostMemory, _: &mut VecDeque<Ask>) -> Option<Ended> {
        while memory.word(self.pair.completions.at(self.seen)) == self.seen + 1 {
            self.seen += 1;
            if self.seen.is_multiple_of(self.each) {
                return self.in_flight.pop_front().map(|identifier| Ended { identifier, failed: false });
            }
        }
        None
    }

    fn tell(&mut self, _: &mut VecDeque<Ask>) {}

    fn woken(&mut self) {}
}

/// The last bits of the number of an entry, in a command of the mover: so many entries of a queue are not complete at most.
const NUMBERS: u64 = 1 << 20;

/// Such a queue, as the device has it.
#[derive(Debug)]
pub struct Numbered {
    flow: u32,
    pair: Pair,
    moderation: Moderation,
    reader: Reader,
    /// Entries fetched with one read, and those that it has or has asked for at most.
    fetched: u64,
    cached: u64,
    ended: u64,
}

impl Numbered {
    /// The queue of a job of `flow`. It fetches `fetched` entries with one read, and has `cached` at most that are not used.
    pub fn new(flow: u32, pair: Pair, (fetched, cached): (u64, u64), moderation: Moderation) -> Numbered {
        Numbered { flow, pair, moderation, reader: Reader::default(), fetched, cached, ended: 0 }
    }

    /// Completions that have been written.
    pub fn ended(&self) -> u64 {
        self.ended
    }

    /// The [command](crate::Span::command) of entry `number` of the queue at `at` among the queues of a device.
    pub fn command(at: usize, number: u64) -> u32 {
        (at as u64 * NUMBERS + number % NUMBERS) as u32
    }

    /// The place of the queue of a command.
    pub fn at(command: u32) -> usize {
        (u64::from(command) / NUMBERS) as usize
    }

    /// How many entries without completions are before that of a command of this queue.
    pub fn before(&self, command: u32) -> usize {
        ((u64::from(command) + NUMBERS - self.ended % NUMBERS) % NUMBERS) as usize
    }

    /// Asks for entries, as many as the device keeps; `used` of all have been used.
    pub fn fetch<T: Copy>(&mut self, context: &mut PartContext<'_>, mover: &mut Mover<T>, used: u64, for_: T) {
        loop {
            let count = self.reader.next(&self.pair.ring, self.fetched);
            if count == 0 || self.reader.asked() + count - used > self.cached.max(self.fetched) {
                return;
            }
            let what = (self.pair.ring.at(self.reader.ask(count)), count * self.pair.ring.entry_bytes());
            mover.fetch(context, self.flow, what, for_);
        }
    }

    /// Bytes of entries have arrived. Calls `each` with the entries that are whole now.
    pub fn arrive(&mut self, data: &[u8], each: impl FnMut(&[u8])) {
        let whole = self.reader.arrive_in(&self.pair.ring, data);
        whole.chunks_exact(self.pair.ring.entry_bytes().max(1) as usize).for_each(each);
    }

    /// Writes the next completion, and the interrupt where it is due. Where it is due later, the part calls
    /// [`look`](Numbered::look) at the time that this returns.
    pub fn end<T: Copy>(&mut self, context: &mut PartContext<'_>, mover: &Mover<T>) -> Option<Time> {
        let mut entry = vec![0; self.pair.completions.entry_bytes() as usize];
        let address = self.pair.completions.at(self.ended);
        self.ended += 1;
        entry[..DOORBELL_BYTES as usize].copy_from_slice(&self.ended.to_le_bytes());
        mover.tell(context, self.flow, Purpose::Status, (address, entry.into()));
        self.pair.message?;
        match self.moderation.ended(context.now()) {
            Tell::Now => self.interrupt(context, mover),
            Tell::By(due) => return Some(due),
            Tell::Later => {}
        }
        None
    }

    /// Writes the interrupt, if completions wait for it.
    pub fn look<T: Copy>(&mut self, context: &mut PartContext<'_>, mover: &Mover<T>) {
        if self.moderation.is_due(context.now()) {
            self.interrupt(context, mover);
        }
    }

    fn interrupt<T: Copy>(&mut self, context: &mut PartContext<'_>, mover: &Mover<T>) {
        self.moderation.told();
        if let Some(message) = self.pair.message {
            let data = Box::new(message.data.to_le_bytes());
            mover.tell(context, self.flow, Purpose::Interrupt, (message.address, data));
        }
    }

    /// The place of the queue whose doorbell a store rings. Answers loads of registers with zeros.
    pub fn requested<'q>(
        context: &mut PartContext<'_>,
        arrived: &Arrived,
        mut queues: impl Iterator<Item = &'q mut Numbered>,
    ) -> Option<usize> {
        match (arrived.header, &arrived.data) {
            (Header::Request { write: true, address, .. }, Payload::Bytes(tail)) => {
                let tail = tail.get(..8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes);
                queues.position(|queue| {
                    let rings = queue.pair.doorbell == address;
                    if rings {
                        queue.reader.rung(&queue.pair.ring, tail);
                    }
                    rings
                })
            }
            (Header::Request { write: false, bytes, .. }, _) => {
                for answer in completions(arrived, RCB_ENDPOINT_BYTES, bytes, context.now()) {
                    let data = Payload::Bytes(vec![0; answer.data.bytes() as usize].into());
                    context.send(Leaving { data, ..answer });
                }
                None
            }
            (Header::Request { .. }, _) => {
                context.refuse(|| "it got a store without its bytes".to_string());
                None
            }
            (Header::Completion { .. }, _) => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::Ring;
    use system::Window;

    /// Commands of two entries in rings of five.
    #[test]
    fn does_a_command_end_with_the_completion_of_its_last_entry() {
        let ring = |base| Ring::new(Window { base, bytes: 80 }, 5, 16);
        let pair = Pair { ring: ring(0x1000), completions: ring(0x2000), doorbell: 0x3000, message: None };
        let entry = |transfer: Transfer, number| vec![transfer.at as u8, number as u8];
        let (mut face, mut memory, mut plan) =
            (NumberedFace::new(pair, 2, entry), HostMemory::default(), VecDeque::new());
        for identifier in 0..2 {
            let transfer = Transfer { reads: true, at: 7 + identifier, bytes: 64, address: 0 };
            face.give(identifier, transfer, &mut memory, &mut plan);
        }
        let entries: Vec<Vec<u8>> = (0..4).map(|place| memory.bytes(pair.ring.at(place), 2).to_vec()).collect();
        assert_eq!(entries, [[7, 0], [7, 1], [8, 0], [8, 1]]);
        let told: Vec<u64> = plan
            .iter()
            .map(|ask| match ask {
                Ask::Store { address: 0x3000, data } => u64::from_le_bytes(data[..].try_into().unwrap()),
                _ => u64::MAX,
            })
            .collect();
        assert_eq!(told, [2, 4]);
        let mut seen = Vec::new();
        for number in 1..=4u64 {
            memory.write(pair.completions.at(number - 1), &number.to_le_bytes());
            seen.push(face.ended(&Seen::Done, &memory, &mut plan).map(|ended| ended.identifier));
        }
        assert_eq!(seen, [None, Some(0), None, Some(1)]);
        // The ring comes round: the fifth completion is in its last place, the sixth in its first one, where 1 stands.
        face.give(0, Transfer { reads: true, at: 9, bytes: 64, address: 0 }, &mut memory, &mut plan);
        memory.write(pair.completions.at(4), &5u64.to_le_bytes());
        assert_eq!(face.ended(&Seen::Done, &memory, &mut plan), None);
        memory.write(pair.completions.at(5), &6u64.to_le_bytes());
        assert_eq!(face.ended(&Seen::Done, &memory, &mut plan), Some(Ended { identifier: 0, failed: false }));
    }
}
