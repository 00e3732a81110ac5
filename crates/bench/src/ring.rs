//! An io_uring of one drive: blocks are asked for and their ends taken, both in batches. The only file with `unsafe`: the kernel
//! gets pointers into [`Ring::pages`], which live as long as the ring, and no block of it is asked for twice at a time.

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
        // SAFETY: `pages` is neither moved nor freed before the ring is: it is a field of the same struct, declared after it.
        let registered = unsafe { built.submitter().register_buffers(&buffers) }.is_ok();
        Ok(Ring { ring: built, pages, pages_of_block, block, registered, calls: 0 })
    }

    /// True where buffers are registered: a limit of locked memory may forbid it.
    pub fn is_registered(&self) -> bool {
        self.registered
    }

    /// Adds a read of the block at `at`, into the memory of `place`. The place must not be in flight.
    pub fn read(&mut self, place: u32, at: u64) {
        let memory = self.pages[place as usize * self.pages_of_block..].as_mut_ptr().cast::<u8>();
        let file = types::Fixed(0);
        let entry = match self.registered {
            true => opcode::ReadFixed::new(file, memory, self.block, place as u16).offset(at).build(),
            false => opcode::Read::new(file, memory, self.block).offset(at).build(),
        };
        // SAFETY: the memory is that of a block of `pages`, which no other read has while this one is in flight. The queue has an
        // entry for each place.
        let _ = unsafe { self.ring.submission().push(&entry.user_data(u64::from(place))) };
    }

    /// Submits what was added, without waiting.
    ///
    /// # Errors
    /// The kernel's.
    pub fn submit(&mut self) -> io::Result<()> {
        self.calls += 1;
        match self.ring.submit() {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    /// Submits what was added, and waits for one end at least.
    ///
    /// # Errors
    /// The kernel's.
    pub fn wait(&mut self) -> io::Result<()> {
        self.calls += 1;
        match self.ring.submit_and_wait(1) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
            _ => Ok(()),
        }
    }

    /// Submits what was added, and waits for one end, not longer than `most`.
    ///
    /// # Errors
    /// The kernel's.
    pub fn wait_at_most(&mut self, most: Duration) -> io::Result<()> {
        self.calls += 1;
        let until = types::Timespec::from(most);
        let args = types::SubmitArgs::new().timespec(&until);
        match self.ring.submitter().submit_with_args(1, &args) {
            Err(error) if !matches!(error.raw_os_error(), Some(libc::ETIME | libc::EINTR)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Takes all ends that are there.
    pub fn ended(&mut self, ends: &mut Vec<Ended>) {
        ends.extend(self.ring.completion().map(|end| {
            let read = u64::try_from(end.result()).map_err(|_| io::Error::from_raw_os_error(-end.result()));
            (end.user_data() as u32, read)
        }));
    }
}
