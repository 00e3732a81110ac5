//! Memory that a card reaches, or a card's own: no reference to it ever exists, because it changes by itself. With `info.rs` and
//! `lent.rs` the only file with `unsafe`.

#![allow(unsafe_code)]

use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};
use std::fs::File;
use std::io;
use std::ptr::{NonNull, null_mut};

/// See the module. Whole pages, unmapped at its end.
#[derive(Debug)]
pub(crate) struct Mapping {
    at: NonNull<u8>,
    bytes: usize,
}

// SAFETY: it owns what it maps, and nothing in it belongs to a thread.
unsafe impl Send for Mapping {}

impl Mapping {
    /// A file from its beginning, shared with whoever else maps it.
    pub fn of(file: &File, bytes: usize) -> io::Result<Mapping> {
        // SAFETY: no address is asked for, so nothing that exists is replaced.
        let at = unsafe { mmap(null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, file, 0) }?;
        Mapping::new(at.cast(), bytes)
    }

    /// Memory of its own, zeros.
    pub fn anonymous(bytes: usize) -> io::Result<Mapping> {
        // SAFETY: as above.
        let at = unsafe { mmap_anonymous(null_mut(), bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE) }?;
        Mapping::new(at.cast(), bytes)
    }

    fn new(at: *mut u8, bytes: usize) -> io::Result<Mapping> {
        let at = NonNull::new(at).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Mapping { at, bytes })
    }

    /// Its length.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Where it is in this process.
    pub fn address(&self) -> u64 {
        self.at.as_ptr() as u64
    }

    /// The place of something so long, which has to be inside.
    fn place(&self, at: usize, bytes: usize) -> *mut u8 {
        assert!(at <= self.bytes && bytes <= self.bytes - at, "{bytes} bytes at {at} of {}", self.bytes);
        // SAFETY: inside of one mapping, as was just seen.
        unsafe { self.at.as_ptr().add(at) }
    }

    /// Loads 32 bits, little endian, at a multiple of 4.
    pub fn load(&self, at: usize) -> u32 {
        assert!(at.is_multiple_of(4));
        // SAFETY: inside, and aligned, because mappings begin at pages.
        u32::from_le(unsafe { self.place(at, 4).cast::<u32>().read_volatile() })
    }

    /// Stores 32 bits, as the processor has them, at a multiple of 4.
    pub fn store_word(&self, at: usize, value: u32) {
        assert!(at.is_multiple_of(4));
        // SAFETY: as above.
        unsafe { self.place(at, 4).cast::<u32>().write_volatile(value) }
    }

    /// Stores 64 bits, little endian, at a multiple of 8.
    pub fn store(&self, at: usize, value: u64) {
        assert!(at.is_multiple_of(8));
        // SAFETY: as above.
        unsafe { self.place(at, 8).cast::<u64>().write_volatile(value.to_le()) }
    }

    /// Copies into it.
    pub fn write(&self, at: usize, from: &[u8]) {
        // SAFETY: inside; and nobody has a reference to it, so the two do not overlap.
        unsafe { self.place(at, from.len()).copy_from_nonoverlapping(from.as_ptr(), from.len()) }
    }

    /// Copies out of it.
    pub fn read(&self, at: usize, into: &mut [u8]) {
        // SAFETY: as above.
        unsafe { self.place(at, into.len()).copy_to_nonoverlapping(into.as_mut_ptr(), into.len()) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: mapped by this, and no reference to it exists. It cannot fail with what was mapped.
        let _ = unsafe { munmap(self.at.as_ptr().cast(), self.bytes) };
    }
}

/// Orders stores to memory before a store to the card.
pub(crate) fn before_doorbell() {
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a barrier.
    unsafe {
        std::arch::asm!("dsb st", options(nostack, preserves_flags));
    }
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
}

/// Orders loads of what the card has written after the load that told of it.
pub(crate) fn after_record() {
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a barrier.
    unsafe {
        std::arch::asm!("dmb oshld", options(nostack, preserves_flags));
    }
    std::sync::atomic::compiler_fence(std::sync::atomic::Ordering::SeqCst);
}

/// Whether those are all that this processor needs.
pub(crate) const HAS_BARRIERS: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    #[test]
    fn does_memory_hold_what_was_put_there() {
        let memory = Mapping::anonymous(8192).unwrap();
        memory.store(4088, 0x0123_4567_89ab_cdef);
        memory.write(4096, &[1, 2, 3]);
        let mut bytes = [0; 4];
        memory.read(4095, &mut bytes);
        assert_eq!((memory.load(4088), bytes), (0x89ab_cdef, [0x01, 1, 2, 3]));
    }

    #[test]
    #[should_panic(expected = "4 bytes at 8189 of 8192")]
    fn is_what_is_outside_refused() {
        Mapping::anonymous(8192).unwrap().read(8189, &mut [0; 4]);
    }
}
