//! A channel in ring mode: this process drives it, without system calls.

use crate::channel::{Channel, Direction};
use crate::error::Error;
use crate::info::Cause;
use crate::lent::{self, Ring};
use crate::mapping::{HAS_BARRIERS, Mapping, after_record, before_doorbell};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::time::Duration;

/// Bits of a descriptor's second word, and the longest descriptor.
const FIRST: u64 = 1 << 32;
const LAST: u64 = 1 << 33;
const INTERRUPT: u64 = 1 << 34;
const LONGEST: usize = 8 << 20;

/// Memory of a queue: see [`Queue::memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory(usize);

/// Why a transfer cannot be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// There is room when more is done.
    #[error("the ring is full")]
    Full,
    /// There never is.
    #[error("the transfer has more pieces than the ring has room for")]
    TooLong,
    /// It is empty, or not in the memory.
    #[error("the transfer is empty, or goes beyond its memory")]
    Outside,
}

/// A descriptor that is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// That of its transfer.
    pub name: u64,
    /// Moved by it.
    pub bytes: usize,
    /// Why it failed.
    pub cause: Option<Cause>,
    /// A frame from the card ends here.
    pub frame_end: bool,
    /// It is the last of its transfer.
    pub last: bool,
}

/// What is kept of a descriptor until it is done.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    name: u64,
    bytes: usize,
    last: bool,
}

/// Memory, and the bus address of each page.
#[derive(Debug)]
struct Pinned {
    mapping: Mapping,
    addresses: Vec<u64>,
    id: u32,
}

/// Of the last record: what was not reported yet.
#[derive(Clone, Copy, Debug, Default)]
struct Record {
    owed: u32,
    state: u32,
    bytes: usize,
}

/// A channel in ring mode. It is the driver's again when this is dropped.
///
/// An error of the bus is a [`Cause`]; then, and when the driver takes the channel back (its errors are those of
/// [`Queue::poll`]), drop it and open another.
#[derive(Debug)]
pub struct Queue {
    file: File,
    direction: Direction,
    page: usize,
    ring: Ring,
    mapping: Mapping,
    memories: Vec<Option<Pinned>>,
    slots: Vec<Slot>,
    put: u32,
    submitted: u32,
    done: u32,
    records: u32,
    record: Record,
}

impl Queue {
    /// Takes the channel at a path. The card writes a record after every so many descriptors, or after so many cycles,
    /// whichever comes first.
    ///
    /// # Errors
    /// Those of [`Channel::open`]; and the driver refuses: without an IOMMU that bounds the process where its parameter
    /// `unsafe_rings` is not set, without `CAP_SYS_RAWIO` where it is, and while the channel, or for a process that is bounded
    /// any channel of the card, is in use by others.
    pub fn open(path: &str, every: u8, cycles: u16) -> Result<Queue, Error> {
        let channel = Channel::open_both(path)?;
        let direction = channel.direction;
        let file = channel.into_file();
        let refused = |source: io::Error| Error::Lend { path: path.into(), help: help(&source), source };
        if !HAS_BARRIERS {
            return Err(refused(io::ErrorKind::Unsupported.into()));
        }
        let ring = lent::take(&file, every.into(), cycles.into()).map_err(refused)?;
        let mapping = Mapping::of(&file, ring.bytes as usize).map_err(refused)?;
        let slots = vec![Slot::default(); ring.entries as usize];
        let (memories, record, page) = (Vec::new(), Record::default(), rustix::param::page_size());
        let (put, submitted, done, records) = (0, 0, 0, 0);
        Ok(Queue { file, direction, page, ring, mapping, memories, slots, put, submitted, done, records, record })
    }

    /// An IOMMU bounds what this process reaches by the card to the memory of its queues; the card is its own, whole.
    pub fn is_bounded(&self) -> bool {
        self.ring.mode == lent::BOUNDED
    }

    /// Where its data goes.
    pub fn direction(&self) -> Direction {
        self.direction
    }

    /// Memory that the card reaches, zeros, as long as the queue is there: so many bytes, rounded up to pages.
    ///
    /// # Errors
    /// There is no such memory, or the card does not reach it.
    pub fn memory(&mut self, bytes: usize) -> io::Result<Memory> {
        let bytes = bytes.max(1).checked_next_multiple_of(self.page).ok_or(io::ErrorKind::OutOfMemory)?;
        let mapping = Mapping::anonymous(bytes)?;
        let (addresses, id) = lent::pin(&self.file, mapping.address(), bytes, self.page)?;
        self.memories.push(Some(Pinned { mapping, addresses, id }));
        Ok(Memory(self.memories.len() - 1))
    }

    /// Unpins memory, which the card reaches no more, and forgets it: what is put of it afterwards is [`Refused::Outside`].
    /// Nothing of it may be under way: a queue that an IOMMU bounds would find it gone ([`Cause::UnsupportedRequest`]).
    ///
    /// # Errors
    /// `EBUSY`: no IOMMU bounds the queue, and a descriptor that was submitted is not done; those of [`Queue::poll`].
    pub fn remove(&mut self, memory: Memory) -> io::Result<()> {
        let place = self.memories.get_mut(memory.0).ok_or(io::ErrorKind::NotFound)?;
        let pinned = place.as_ref().ok_or(io::ErrorKind::NotFound)?;
        lent::unpin(&self.file, pinned.id)?;
        *place = None;
        Ok(())
    }

    fn pinned(&self, memory: Memory, offset: usize, bytes: usize) -> Result<&Pinned, Refused> {
        let pinned = self.memories.get(memory.0).and_then(Option::as_ref).ok_or(Refused::Outside)?;
        let room = pinned.mapping.bytes().checked_sub(offset).ok_or(Refused::Outside)?;
        if bytes <= room { Ok(pinned) } else { Err(Refused::Outside) }
    }

    /// Copies into memory.
    ///
    /// # Errors
    /// [`Refused::Outside`].
    pub fn write(&mut self, memory: Memory, offset: usize, from: &[u8]) -> Result<(), Refused> {
        self.pinned(memory, offset, from.len())?.mapping.write(offset, from);
        Ok(())
    }

    /// Copies out of memory.
    ///
    /// # Errors
    /// [`Refused::Outside`].
    pub fn read(&self, memory: Memory, offset: usize, into: &mut [u8]) -> Result<(), Refused> {
        self.pinned(memory, offset, into.len())?.mapping.read(offset, into);
        Ok(())
    }

    /// Puts a transfer, which [`Queue::submit`] gives to the card: a frame to the card, or room for what comes from it. `name`
    /// comes back with each of its descriptors; how many there are is returned. A read in several pieces goes on with the next
    /// frame where one ends early. With `wakes`, [`Queue::wait`] ends by it.
    ///
    /// # Errors
    /// Nothing was put: see [`Refused`].
    pub fn put(&mut self, memory: Memory, offset: usize, bytes: usize, name: u64, wakes: bool) -> Result<u32, Refused> {
        let pinned = self.pinned(memory, offset, bytes)?;
        let pieces = pieces(&pinned.addresses, self.page, offset, bytes);
        if pieces.is_empty() {
            return Err(Refused::Outside);
        }
        if pieces.len() > self.ring.entries as usize - 1 {
            return Err(Refused::TooLong);
        }
        let count = pieces.len() as u32;
        if count > self.room() {
            return Err(Refused::Full);
        }
        for (number, (address, bytes)) in pieces.into_iter().enumerate() {
            let last = number + 1 == count as usize;
            let index = (self.put % self.ring.entries) as usize;
            let asks = wakes && (last || self.direction == Direction::ToHost);
            let flag = |set: bool, bit: u64| if set { bit } else { 0 };
            let control = bytes as u64 | flag(number == 0, FIRST) | flag(last, LAST) | flag(asks, INTERRUPT);
            self.mapping.store(16 * index, address);
            self.mapping.store(16 * index + 8, control);
            self.slots[index] = Slot { name, bytes, last };
            self.put = self.put.wrapping_add(1);
        }
        Ok(count)
    }

    /// Descriptors that may be put now.
    pub fn room(&self) -> u32 {
        self.ring.entries - 1 - self.put.wrapping_sub(self.done)
    }

    /// Gives the card all that was put, with one store.
    pub fn submit(&mut self) {
        if self.put != self.submitted {
            self.submitted = self.put;
            before_doorbell();
            self.mapping.store(self.ring.doorbell as usize, (self.put % self.ring.entries).into());
        }
    }

    /// Whether the next record is there; else the driver may have taken the channel back.
    fn has_record(&self) -> io::Result<bool> {
        let round = (self.records / self.ring.entries).is_multiple_of(2);
        if (self.mapping.load(self.record_at()) & 1 == 1) == round {
            return Ok(true);
        }
        match self.mapping.load(self.ring.state as usize) {
            0 => Ok(false),
            errno => Err(io::Error::from_raw_os_error(errno.cast_signed())),
        }
    }

    fn record_at(&self) -> usize {
        (self.ring.records + 16 * (self.records % self.ring.entries)) as usize
    }

    /// The next descriptor that is done, in their order.
    ///
    /// # Errors
    /// The driver has taken the channel back: after a reset, or because the card has gone.
    pub fn poll(&mut self) -> io::Result<Option<Done>> {
        if self.record.owed == 0 {
            if !self.has_record()? {
                return Ok(None);
            }
            after_record();
            let at = self.record_at();
            let state = self.mapping.load(at);
            self.record = Record { owed: state >> 16, state, bytes: self.mapping.load(at + 4) as usize };
            self.records = self.records.wrapping_add(1);
            if self.record.owed == 0 {
                return Ok(None);
            }
        }
        let slot = self.slots[(self.done % self.ring.entries) as usize];
        // All but the last that a record tells of have ended as they should.
        let told = self.record.owed == 1;
        let Record { state, bytes, .. } = self.record;
        self.record.owed -= 1;
        self.done = self.done.wrapping_add(1);
        Ok(Some(Done {
            name: slot.name,
            bytes: if told { bytes.min(slot.bytes) } else { slot.bytes },
            cause: if told { Cause::of(state >> 8 & 15) } else { None },
            frame_end: told && self.direction == Direction::ToHost && state & 4 != 0,
            last: slot.last,
        }))
    }

    /// Sleeps until something is done, by a system call: what was put with `wakes` ends it; for other descriptors the driver
    /// looks once a second.
    ///
    /// # Errors
    /// A signal; or those of [`Queue::poll`].
    pub fn wait(&self) -> io::Result<()> {
        self.wait_until(None).map(|_| ())
    }

    /// The same for so long at most: whether something is done.
    ///
    /// # Errors
    /// Those of [`Queue::wait`].
    pub fn wait_for(&self, most: Duration) -> io::Result<bool> {
        self.wait_until(Some(most))
    }

    fn wait_until(&self, most: Option<Duration>) -> io::Result<bool> {
        if self.record.owed > 0 || self.has_record()? {
            return Ok(true);
        }
        lent::wait(&self.file, self.records, most)
    }

    /// Lets `poll()` say `POLLIN` for the queue's file when more is done than [`Queue::poll`] has told; to be called before
    /// each. Whether that is so already.
    ///
    /// # Errors
    /// Those of [`Queue::poll`].
    pub fn arm(&mut self) -> io::Result<bool> {
        self.mapping.store_word(self.ring.state as usize + 4, self.records);
        Ok(self.record.owed > 0 || self.has_record()?)
    }
}

/// Its file, for `poll()`: see [`Queue::arm`].
impl AsFd for Queue {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// What lies together for the card: bus addresses and lengths.
fn pieces(addresses: &[u64], page: usize, mut offset: usize, mut bytes: usize) -> Vec<(u64, usize)> {
    let mut pieces: Vec<(u64, usize)> = Vec::new();
    while bytes > 0 {
        let take = bytes.min(page - offset % page);
        let address = addresses[offset / page] + (offset % page) as u64;
        match pieces.last_mut() {
            Some((start, length)) if *start + *length as u64 == address && *length + take <= LONGEST => *length += take,
            _ => pieces.push((address, take)),
        }
        offset += take;
        bytes -= take;
    }
    pieces
}

fn help(source: &io::Error) -> &'static str {
    match source.raw_os_error() {
        Some(errno) if errno == Errno::OPNOTSUPP.raw_os_error() => {
            "ring mode wants an IOMMU that bounds it, or the module's parameter unsafe_rings (docs/driver.md says what that gives \
             away)"
        }
        Some(errno) if errno == Errno::PERM.raw_os_error() => {
            "ring mode that nothing bounds wants the capability CAP_SYS_RAWIO"
        }
        Some(errno) if errno == Errno::BUSY.raw_os_error() => "somebody uses the channel, or has the card",
        _ => "see the kernel's log (`dmesg`)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn do_neighbours_become_one_piece_and_others_none() {
        let addresses = [0x10000, 0x11000, 0x20000, 0x21000, 0x9000];
        let of = |offset, bytes| pieces(&addresses, 4096, offset, bytes);
        assert_eq!(of(0, 4096), [(0x10000, 4096)]);
        assert_eq!(of(4095, 2), [(0x10fff, 2)]);
        assert_eq!(of(100, 20000 - 100), [(0x10064, 8092), (0x20000, 8192), (0x9000, 3616)]);
        assert_eq!(of(8191, 2), [(0x11fff, 1), (0x20000, 1)]);
        assert_eq!(of(5, 0), []);
    }

    #[test]
    fn is_no_piece_longer_than_a_descriptor() {
        let addresses: Vec<u64> = (0..5000).map(|page| page * 4096).collect();
        let lengths: Vec<usize> = pieces(&addresses, 4096, 0, 5000 * 4096).iter().map(|piece| piece.1).collect();
        assert_eq!(lengths, [LONGEST, LONGEST, 5000 * 4096 - 2 * LONGEST]);
    }
}
