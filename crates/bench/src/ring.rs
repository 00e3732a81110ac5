//! An io_uring of one drive: blocks are asked for, and their ends taken in batches. With `unsafe`: the kernel writes
//! into [`Ring::pages`] while a read is in flight. So a place has one read at a time, and the pages are freed only when none is
//! in flight: a ring that is dropped waits for what it has asked for.

#![allow(unsafe_code)]

use crate::blocks::{Blocks, Ended};
use crate::error::Error;
use crate::page::{self, Page};
use io_uring::{CompletionQueue, IoUring, SubmissionQueue, Submitter, opcode, types};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// What the kernel gives for a [`Ring`] of so many blocks.
///
/// Ends are taken by the thread itself when it waits for them, which interrupts nothing (`DEFER_TASKRUN`, since Linux 6.1); else
/// at its next system call (`COOP_TASKRUN`, since 5.19).
///
/// # Errors
/// The kernel gives none.
pub(crate) fn queues(depth: u32, polls: bool) -> Result<IoUring, Error> {
    let build = |single: bool, cooperates: bool| {
        let mut builder = IoUring::builder();
        if single {
            builder.setup_single_issuer().setup_defer_taskrun();
        }
        if cooperates {
            builder.setup_coop_taskrun();
        }
        if polls {
            builder.setup_iopoll();
        }
        builder.build(depth.max(1))
    };
    let built = build(true, false).or_else(|_| build(false, true)).or_else(|_| build(false, false));
    built.map_err(|source| Error::Ring { source })
}

/// See the module. The last thing that it does is to take the file back from the kernel. The kernel may keep it open for a
/// moment all the same, and a claim of the drive with it: whoever claims it next waits for that.
pub(crate) struct Ring<'a> {
    submitter: Submitter<'a>,
    submissions: SubmissionQueue<'a>,
    completions: CompletionQueue<'a>,
    /// True where ends are looked for at the device, and none comes by an interrupt.
    polls: bool,
    /// By place: the memory of a block.
    pages: Vec<Page>,
    pages_of_block: usize,
    block: u32,
    /// By place: true while it is in flight; and how many are.
    busy: Vec<bool>,
    in_flight: usize,
    /// True where the kernel keeps the memory mapped (registered buffers).
    registered: bool,
    /// System calls so far.
    calls: u64,
}

impl<'a> Ring<'a> {
    /// A ring for `depth` blocks of `block` bytes of `file`, on what [`queues`] gave for as many.
    ///
    /// # Errors
    /// The kernel gives none.
    pub fn new(queues: &'a mut IoUring, file: &File, depth: u32, block: u32) -> Result<Ring<'a>, Error> {
        let polls = queues.params().is_setup_iopoll();
        let (mut submitter, submissions, completions) = queues.split();
        submitter.register_files(&[file.as_raw_fd()]).map_err(|source| Error::Ring { source })?;
        let (mut pages, pages_of_block) = page::places(depth, block.into());
        let buffers: Vec<libc::iovec> = pages
            .chunks_mut(pages_of_block)
            .map(|pages| libc::iovec { iov_base: pages.as_mut_ptr().cast(), iov_len: block as usize })
            .collect();
        // SAFETY: each of these is memory of `pages`, which is not moved, and not freed while a read is in flight.
        let registered = unsafe { submitter.register_buffers(&buffers) }.is_ok();
        // So that a call need not look it up; kernels before 5.18 have none of it.
        let _ = submitter.register_ring_fd();
        let busy = vec![false; depth as usize];
        let (in_flight, calls) = (0, 0);
        Ok(Ring {
            submitter,
            submissions,
            completions,
            polls,
            pages,
            pages_of_block,
            block,
            busy,
            in_flight,
            registered,
            calls,
        })
    }

    /// Where ends are looked for, a wait knows no time: one look, or a sleep where there is nothing to look for.
    fn look(&mut self, most: Duration) -> io::Result<()> {
        if self.in_flight > 0 {
            return self.submit();
        }
        std::thread::sleep(most);
        Ok(())
    }
}

impl Blocks for Ring<'_> {
    fn is_registered(&self) -> Option<bool> {
        Some(self.registered)
    }

    fn calls(&self) -> u64 {
        self.calls
    }

    fn fill(&mut self, seed: u64) {
        page::fill(&mut self.pages, seed);
    }

    fn ask(&mut self, place: u32, at: u64, reads: bool) {
        let Some(busy) = self.busy.get_mut(place as usize).filter(|busy| !**busy) else { return };
        let memory = self.pages[place as usize * self.pages_of_block..].as_mut_ptr().cast::<u8>();
        let file = types::Fixed(0);
        let entry = match (reads, self.registered) {
            (true, true) => opcode::ReadFixed::new(file, memory, self.block, place as u16).offset(at).build(),
            (true, false) => opcode::Read::new(file, memory, self.block).offset(at).build(),
            (false, true) => opcode::WriteFixed::new(file, memory, self.block, place as u16).offset(at).build(),
            (false, false) => opcode::Write::new(file, memory, self.block).offset(at).build(),
        };
        // SAFETY: the memory is that of a block of `pages`, which nothing else has while this one is in flight, and which is
        // freed only when none is.
        if unsafe { self.submissions.push(&entry.user_data(u64::from(place))) }.is_ok() {
            *busy = true;
            self.in_flight += 1;
        }
    }

    fn submit(&mut self) -> io::Result<()> {
        self.calls += 1;
        self.submissions.sync();
        let done = unless_interrupted(self.submitter.submit());
        self.submissions.sync();
        done
    }

    fn wait(&mut self) -> io::Result<()> {
        self.calls += 1;
        self.submissions.sync();
        let done = unless_interrupted(self.submitter.submit_and_wait(1));
        self.submissions.sync();
        done
    }

    fn wait_at_most(&mut self, most: Duration) -> io::Result<()> {
        if self.polls {
            return self.look(most);
        }
        self.calls += 1;
        self.submissions.sync();
        let until = types::Timespec::from(most);
        let args = types::SubmitArgs::new().timespec(&until);
        let done = unless_interrupted(self.submitter.submit_with_args(1, &args));
        self.submissions.sync();
        done
    }

    fn ended(&mut self, ends: &mut Vec<Ended>) {
        self.completions.sync();
        for end in &mut self.completions {
            let place = end.user_data() as u32;
            if let Some(busy) = self.busy.get_mut(place as usize).filter(|busy| **busy) {
                *busy = false;
                self.in_flight -= 1;
            }
            let read = u64::try_from(end.result()).map_err(|_| io::Error::from_raw_os_error(-end.result()));
            ends.push((place, read));
        }
        self.completions.sync();
    }

    /// A drive ends all that it was asked for.
    fn abandon(&mut self) -> bool {
        true
    }
}

impl Drop for Ring<'_> {
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
        // All that can be done where the kernel refuses is to leave it to the kernel.
        let _ = self.submitter.unregister_files();
        let _ = self.submitter.unregister_buffers();
        let _ = self.submitter.unregister_ring_fd();
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
        let Ok(mut eight) = queues(8, false) else {
            let test = "has_a_place_one_read_at_a_time_and_does_a_dropped_ring_wait_for_all";
            return testing::skip(test, "the kernel gives no io_uring");
        };
        let mut ring = Ring::new(&mut eight, &file, 8, 4096).unwrap();
        (0..8).for_each(|place| ring.ask(place, 0, true));
        (0..9).for_each(|place| ring.ask(place, 0, true));
        assert_eq!(ring.in_flight, 8, "neither a busy place nor one that there is not is asked for");
        ring.submit().unwrap();
        drop(ring);
        let mut one = queues(1, false).unwrap();
        let mut ring = Ring::new(&mut one, &file, 1, 4096).unwrap();
        ring.ask(0, 0, true);
        ring.wait().unwrap();
        let mut ends = Vec::new();
        ring.ended(&mut ends);
        assert!(matches!(ends[..], [(0, Ok(4096))]) && ring.in_flight == 0);
        assert_eq!(&ring.pages[0].0[..4], b"\x7fELF", "the block is in its memory");
    }
}
