//! A channel of a card in ring mode: blocks are put into its ring and looked for in memory, without system calls.

use crate::blocks::{Blocks, Ended};
use crate::drive::Drive;
use crate::error::Error;
use crate::pattern::{Pattern, Places};
use card::{Done, Memory, Queue, Refused};
use std::collections::VecDeque;
use std::io;
use std::time::Duration;

/// A record for each descriptor, at once: the thread sees an end when it is there.
const EVERY: u8 = 1;
const CYCLES: u16 = 0;

/// A block in flight: bytes that have come, and why it failed.
#[derive(Default)]
struct Flight {
    got: u64,
    failed: Option<io::Error>,
}

/// See the module.
pub(crate) struct Lent {
    queue: Queue,
    block: usize,
    /// By place: its memory, and what is in flight.
    memories: Vec<Memory>,
    flights: Vec<Option<Flight>>,
    /// Places for whose descriptors there is no room yet, in their order.
    waiting: VecDeque<u32>,
    /// Blocks that can never be put.
    refused: Vec<Ended>,
    abandoned: bool,
}

impl Lent {
    /// Takes the channel, and memory for `depth` blocks of `block` bytes.
    ///
    /// # Errors
    /// The driver refuses.
    pub fn new(drive: &Drive, depth: u32, block: u64) -> Result<Lent, Error> {
        let mut queue = Queue::open(&drive.path, EVERY, CYCLES)?;
        let block = block as usize;
        let of_place = |_| queue.memory(block).map_err(|source| transfer(drive, block, source));
        let memories = (0..depth).map(of_place).collect::<Result<Vec<Memory>, Error>>()?;
        let flights = (0..depth).map(|_| None).collect();
        let (waiting, refused, abandoned) = (VecDeque::new(), Vec::new(), false);
        Ok(Lent { queue, block, memories, flights, waiting, refused, abandoned })
    }

    fn in_flight(&self) -> bool {
        self.flights.iter().any(Option::is_some)
    }

    /// Puts what waits, as much as there is room for.
    fn put(&mut self) {
        while let Some(&place) = self.waiting.front() {
            match self.queue.put(self.memories[place as usize], 0, self.block, place.into(), false) {
                Err(Refused::Full) => return,
                Err(why) => {
                    self.flights[place as usize] = None;
                    self.refused.push((place, Err(io::Error::other(why))));
                }
                Ok(_) => {}
            }
            self.waiting.pop_front();
        }
    }

    /// Takes a descriptor into account; the end of its block, where it is the last of that.
    fn account(&mut self, done: Done) -> Option<Ended> {
        let place = done.name as u32;
        let flight = self.flights.get_mut(place as usize)?;
        let of = flight.as_mut()?;
        of.got += done.bytes as u64;
        if let (None, Some(cause)) = (&of.failed, done.cause) {
            of.failed = Some(io::Error::other(format!("the engine says {cause:?}")));
        }
        let Flight { got, failed } = flight.take_if(|_| done.last)?;
        Some((place, failed.map_or(Ok(got), Err)))
    }
}

fn transfer(drive: &Drive, block: usize, source: io::Error) -> Error {
    Error::Transfer { path: drive.path.clone(), block: block as u64, source }
}

impl Blocks for Lent {
    fn is_registered(&self) -> Option<bool> {
        Some(true)
    }

    fn calls(&self) -> u64 {
        0
    }

    fn fill(&mut self, seed: u64) {
        let mut random = Places::new(Pattern::Random, 1, (0, u64::MAX), seed);
        let words = |_| random.next().to_le_bytes();
        let bytes: Vec<u8> = (0..self.block.div_ceil(8)).flat_map(words).take(self.block).collect();
        for &memory in &self.memories {
            // Each has as many bytes at least.
            let _ = self.queue.write(memory, 0, &bytes);
        }
    }

    fn ask(&mut self, place: u32, _: u64, _: bool) {
        let Some(flight) = self.flights.get_mut(place as usize).filter(|flight| flight.is_none()) else { return };
        *flight = Some(Flight::default());
        self.waiting.push_back(place);
        self.put();
    }

    fn submit(&mut self) -> io::Result<()> {
        self.put();
        self.queue.submit();
        Ok(())
    }

    fn wait(&mut self) -> io::Result<()> {
        self.submit()
    }

    /// One look is all: the thread looks again. A sleep where there is nothing to look for.
    fn wait_at_most(&mut self, most: Duration) -> io::Result<()> {
        self.submit()?;
        if !self.in_flight() && self.refused.is_empty() {
            std::thread::sleep(most);
        }
        Ok(())
    }

    fn ended(&mut self, ends: &mut Vec<Ended>) {
        ends.append(&mut self.refused);
        if self.abandoned {
            self.waiting.clear();
            let given_up = |(place, flight): (usize, &mut Option<Flight>)| flight.take().map(|_| (place as u32, Ok(0)));
            ends.extend(self.flights.iter_mut().enumerate().filter_map(given_up));
            return;
        }
        loop {
            match self.queue.poll() {
                Ok(Some(done)) => ends.extend(self.account(done)),
                Ok(None) => return,
                Err(error) => {
                    let first = self.flights.iter_mut().position(|flight| flight.take().is_some());
                    ends.extend(first.map(|place| (place as u32, Err(error))));
                    return;
                }
            }
        }
    }

    /// The driver stops the channel when the queue is dropped; until then nothing of it counts any more.
    fn abandon(&mut self) -> bool {
        self.abandoned = true;
        true
    }
}
