//! The queue that the driver of a card has for libaio, by its system calls: transfers are asked for, go in their order, and their
//! ends are taken in batches. io_uring has none at a channel: its operations go one by one, with a copy (docs/driver.md). With
//! `unsafe`: the kernel writes into [`Queued::pages`] while a read is in flight. So a place has one transfer at a time, and the
//! pages are freed when the queue has gone, which cancels what is in flight, and waits for that.

#![allow(unsafe_code)]

use crate::blocks::{Blocks, Ended};
use crate::error::Error;
use crate::page::{self, Page};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::null_mut;
use std::time::Duration;

const READ: u16 = 0;
const WRITE: u16 = 1;

/// `struct iocb` of `linux/aio_abi.h`, where the least significant byte comes first.
#[derive(Clone, Default)]
#[repr(C)]
struct Call {
    place: u64,
    key: u32,
    flags_of_rw: i32,
    what: u16,
    priority: i16,
    file: u32,
    memory: u64,
    bytes: u64,
    at: i64,
    reserved: u64,
    flags: u32,
    eventfd: u32,
}

/// `struct io_event`, of the same.
#[derive(Clone, Default)]
#[repr(C)]
struct Event {
    place: u64,
    call: u64,
    result: i64,
    second: i64,
}

/// See the module.
pub(crate) struct Queued {
    context: libc::c_ulong,
    file: u32,
    /// By place: the memory of a transfer, its call, and whether it is in flight.
    pages: Vec<Page>,
    pages_of_block: usize,
    block: u64,
    all: Vec<Call>,
    busy: Vec<bool>,
    /// Places that were asked for, and not submitted.
    asked: Vec<u32>,
    /// What has ended, of which so many are new.
    events: Vec<Event>,
    new: usize,
    /// System calls so far.
    calls: u64,
}

impl Queued {
    /// A queue for `depth` transfers of `block` bytes of `file`.
    ///
    /// # Errors
    /// The kernel gives none.
    pub fn new(file: &File, depth: u32, block: u64) -> Result<Queued, Error> {
        let (depth, mut context) = (depth.max(1), 0);
        // SAFETY: the kernel stores the context's name there.
        done(unsafe { libc::syscall(libc::SYS_io_setup, libc::c_long::from(depth), &raw mut context) })
            .map_err(|source| Error::Asynchronous { source })?;
        let (pages, pages_of_block) = page::places(depth, block);
        let places = depth as usize;
        Ok(Queued {
            context,
            file: file.as_raw_fd() as u32,
            pages,
            pages_of_block,
            block,
            all: vec![Call::default(); places],
            busy: vec![false; places],
            asked: Vec::with_capacity(places),
            events: vec![Event::default(); places],
            new: 0,
            calls: 0,
        })
    }

    /// Waits until something has ended, for so long; without a time, as long as that takes.
    fn take(&mut self, most: Option<Duration>) -> io::Result<()> {
        let most = most.map(|most| libc::timespec {
            tv_sec: most.as_secs() as libc::time_t,
            tv_nsec: most.subsec_nanos() as libc::c_long,
        });
        let until = most.as_ref().map_or(null_mut(), |most| std::ptr::from_ref(most).cast_mut());
        let (room, events) = (self.events.len() as libc::c_long, self.events.as_mut_ptr());
        let least: libc::c_long = 1;
        self.calls += 1;
        // SAFETY: there is room for so many events.
        let found = unsafe { libc::syscall(libc::SYS_io_getevents, self.context, least, room, events, until) };
        self.new = match done(found) {
            Err(error) if error.raw_os_error() == Some(libc::EINTR) => 0,
            found => found?,
        };
        Ok(())
    }
}

impl Blocks for Queued {
    /// The driver pins it for each transfer.
    fn is_registered(&self) -> Option<bool> {
        None
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn fill(&mut self, seed: u64) {
        page::fill(&mut self.pages, seed);
    }

    fn ask(&mut self, place: u32, at: u64, reads: bool) {
        let index = place as usize;
        let Some(busy) = self.busy.get_mut(index).filter(|busy| !**busy) else { return };
        *busy = true;
        self.all[index] = Call {
            place: place.into(),
            what: if reads { READ } else { WRITE },
            file: self.file,
            memory: self.pages[index * self.pages_of_block..].as_mut_ptr() as u64,
            bytes: self.block,
            at: at as i64,
            ..Call::default()
        };
        self.asked.push(place);
    }

    fn submit(&mut self) -> io::Result<()> {
        while !self.asked.is_empty() {
            let all = &mut self.all;
            let mut calls: Vec<*mut Call> = self.asked.iter().map(|place| &raw mut all[*place as usize]).collect();
            let (count, pointers) = (calls.len() as libc::c_long, calls.as_mut_ptr());
            self.calls += 1;
            // SAFETY: the memory is that of a place, which nothing else has while this one is in flight, and which is freed
            // when the queue has gone. The kernel copies the calls.
            let taken = done(unsafe { libc::syscall(libc::SYS_io_submit, self.context, count, pointers) })?;
            self.asked.drain(..taken);
        }
        Ok(())
    }

    fn wait(&mut self) -> io::Result<()> {
        self.submit()?;
        self.take(None)
    }

    fn wait_at_most(&mut self, most: Duration) -> io::Result<()> {
        self.submit()?;
        self.take(Some(most))
    }

    fn ended(&mut self, ends: &mut Vec<Ended>) {
        for event in &self.events[..std::mem::take(&mut self.new)] {
            let place = event.place as u32;
            if let Some(busy) = self.busy.get_mut(place as usize) {
                *busy = false;
            }
            let bytes = u64::try_from(event.result);
            ends.push((place, bytes.map_err(|_| io::Error::from_raw_os_error(-event.result as i32))));
        }
    }

    fn abandon(&mut self) -> bool {
        let mut all = true;
        for (call, _) in self.all.iter_mut().zip(&self.busy).filter(|(_, busy)| **busy) {
            let mut event = Event::default();
            // SAFETY: the kernel looks for the call by its address, and stores no event: it comes as those of others.
            let told = unsafe { libc::syscall(libc::SYS_io_cancel, self.context, &raw mut *call, &raw mut event) };
            // One that has just ended is not there; one that is being ended is in progress.
            let gone = [Some(libc::EINPROGRESS), Some(libc::EINVAL)];
            all &= done(told).map_or_else(|error| gone.contains(&error.raw_os_error()), |_| true);
        }
        all
    }
}

impl Drop for Queued {
    fn drop(&mut self) {
        // SAFETY: the context is this queue's own. The kernel cancels what is in flight, and waits for that.
        if done(unsafe { libc::syscall(libc::SYS_io_destroy, self.context) }).is_err() {
            // The kernel may still write there: the memory is never given back.
            std::mem::forget(std::mem::take(&mut self.pages));
        }
    }
}

/// What a system call has come to.
fn done(result: libc::c_long) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    fn has_a_place_one_transfer_at_a_time_and_are_all_ended() {
        let file = File::open("/proc/self/exe").unwrap();
        let Ok(mut queued) = Queued::new(&file, 4, 4096) else {
            return testing::skip("has_a_place_one_transfer_at_a_time_and_are_all_ended", "the kernel gives no libaio");
        };
        (0..4).for_each(|place| queued.ask(place, 0, true));
        (0..5).for_each(|place| queued.ask(place, 0, true));
        assert_eq!(queued.asked.len(), 4, "neither a busy place nor one that there is not is asked for");
        let mut ends = Vec::new();
        while ends.len() < 4 {
            queued.wait_at_most(Duration::from_secs(1)).unwrap();
            queued.ended(&mut ends);
        }
        assert!(ends.iter().all(|(_, end)| matches!(end, Ok(4096))) && !queued.busy.contains(&true));
        assert_eq!(&queued.pages[3].0[..4], b"\x7fELF", "the block is in its memory");
        assert!(queued.abandon(), "there is nothing to give up");
    }
}
