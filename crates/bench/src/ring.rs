//! An io_uring of one drive: blocks are asked for, and their ends taken in batches. The only file with `unsafe`: the kernel writes
//! into [`Ring::pages`] while a read is in flight. So a place has one read at a time, and the pages are freed only when none is
//! in flight: a ring that is dropped waits for what it has asked for.

#![allow(unsafe_code)]

use crate::error::Error;
use io_uring::{IoUring, opcode, types};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Memory that O_DIRECT takes: whole pages.
#[derive(Clone)]
#[repr(C, align(4096))]
struct Page([u8; PAGE]);

const PAGE: usize = 4096;

/// See the module.
pub(crate) struct Ring {
    ring: IoUring,
    /// By place: the memory of a block.
    pages: Vec<Page>,
    pages_of_block: usize,
    block: u32,
    /// By place: true while a read of it is in flight; and how many are.
    busy: Vec<bool>,
    in_flight: usize,
    /// True where the kernel keeps the memory mapped (registered buffers).
    registered: bool,
    /// System calls so far.
    pub calls: u64,
}

/// The end of a block: its place, and its bytes or the kernel's error.
pub(crate) type Ended = (u32, Result<u64, io::Error>);

impl Ring {
    /// A ring for `depth` blocks of `block` bytes of `file`.
    ///
    /// # Errors
    /// The kernel gives none.
    pub fn new(file: &File, depth: u32, block: u32) -> Result<Ring, Error> {
        let ring = |source| Error::Ring { source };
        // One thread alone submits, so that the kernel need not lock the ring.
        let built = IoUring::builder().setup_single_issuer().build(depth.max(1));
        // Kernels before 6.0 do not know that.
        let built = built.or_else(|_| IoUring::new(depth.max(1))).map_err(ring)?;
        let pages_of_block = (block as usize).div_ceil(PAGE);
        let mut pages = vec![Page([0; PAGE]); pages_of_block * depth as usize];
        built.submitter().register_files(&[file.as_raw_fd()]).map_err(ring)?;
        let buffers: Vec<libc::iovec> = pages
            .chunks_mut(pages_of_block)
            .map(|pages| libc::iovec { iov_base: pages.as_mut_ptr().cast(), iov_len: block as usize })
            .collect();
        // SAFETY: each of these is memory of `pages`, which is not moved, and not freed while a read is in flight.
        let registered = unsafe { built.submitter().register_buffers(&buffers) }.is_ok();
        let busy = vec![false; depth as usize];
        Ok(Ring { ring: built, pages, pages_of_block, block, busy, in_flight: 0, registered, calls: 0 })
    }

    /// True where buffers are registered: a limit of locked memory may forbid it.
    pub fn is_registered(&self) -> bool {
        self.registered
    }

    /// Adds a read of the block at `at`, into the memory of `place`. Nothing, where a read of that place is in flight.
    pub fn read(&mut self, place: u32, at: u64) {
        let Some(busy) = self.busy.get_mut(place as usize).filter(|busy| !**busy) else { return };
        let memory = self.pages[place as usize * self.pages_of_block..].as_mut_ptr().cast::<u8>();
        let file = types::Fixed(0);
        let entry = match self.registered {
            true => opcode::ReadFixed::new(file, memory, self.block, place as u16).offset(at).build(),
            false => opcode::Read::new(file, memory, self.block).offset(at).build(),
        };
        // SAFETY: the memory is that of a block of `pages`, which no other read has while this one is in flight, and which is
        // freed only when none is.
        if unsafe { self.ring.submission().push(&entry.user_data(u64::from(place))) }.is_ok() {
            *busy = true;
            self.in_flight += 1;
        }
    }

    /// Submits what was added, without waiting.
    ///
    /// # Errors
    /// The kernel's.
    pub fn submit(&mut self) -> io::Result<()> {
        self.calls += 1;
        unless_interrupted(self.ring.submit())
    }

    /// Submits what was added, and waits for one end at least.
    ///
    /// # Errors
    /// The kernel's.
    pub fn wait(&mut self) -> io::Result<()> {
        self.calls += 1;
        unless_interrupted(self.ring.submit_and_wait(1))
    }

    /// Submits what was added, and waits for one end, not longer than `most`.
    ///
    /// # Errors
    /// The kernel's.
    pub fn wait_at_most(&mut self, most: Duration) -> io::Result<()> {
        self.calls += 1;
        let until = types::Timespec::from(most);
        let args = types::SubmitArgs::new().timespec(&until);
        unless_interrupted(self.ring.submitter().submit_with_args(1, &args))
    }

    /// Takes all ends that are there.
    pub fn ended(&mut self, ends: &mut Vec<Ended>) {
        for end in self.ring.completion() {
            let place = end.user_data() as u32;
            if let Some(busy) = self.busy.get_mut(place as usize).filter(|busy| **busy) {
                *busy = false;
                self.in_flight -= 1;
            }
            let read = u64::try_from(end.result()).map_err(|_| io::Error::from_raw_os_error(-end.result()));
            ends.push((place, read));
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        let mut ends = Vec::new();
        while self.in_flight > 0 {
            if self.wait().is_err() {
                // The kernel may still write there: the memory is never given back.
                std::mem::forget(std::mem::take(&mut self.pages));
                return;
            }
            self.ended(&mut ends);
        }
    }
}

/// A wait that a signal or its own end of time has ended is none that failed.
fn unless_interrupted(result: io::Result<usize>) -> io::Result<()> {
    match result {
        Err(error) if !matches!(error.raw_os_error(), Some(libc::ETIME | libc::EINTR)) => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    fn has_a_place_one_read_at_a_time_and_does_a_dropped_ring_wait_for_all() {
        let file = File::open("/proc/self/exe").unwrap();
        let Ok(mut ring) = Ring::new(&file, 8, 4096) else { return };
        (0..8).for_each(|place| ring.read(place, 0));
        (0..9).for_each(|place| ring.read(place, 0));
        assert_eq!(ring.in_flight, 8, "neither a busy place nor one that there is not is asked for");
        ring.submit().unwrap();
        drop(ring);
        let mut ring = Ring::new(&file, 1, 4096).unwrap();
        ring.read(0, 0);
        ring.wait().unwrap();
        let mut ends = Vec::new();
        ring.ended(&mut ends);
        assert!(matches!(ends[..], [(0, Ok(4096))]) && ring.in_flight == 0);
        assert_eq!(&ring.pages[0].0[..4], b"\x7fELF", "the block is in its memory");
    }
}
