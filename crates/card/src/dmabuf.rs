//! dma-bufs: the window of a card for other devices, and buffers of others for a channel. `struct lanescope_window` and
//! `struct lanescope_transfer` of `driver/include/uapi/linux/lanescope.h`. With `unsafe`, because the driver writes the first,
//! and returns a count for the second.

#![allow(unsafe_code)]

use crate::frames::Frames;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, Updater, ioctl, opcode};
use std::ffi::c_void;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

/// `O_CLOEXEC`, on every architecture that has the driver.
const CLOSE_ON_EXEC: u32 = 0o2_000_000;

/// A window that is exported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Window {
    flags: u32,
    fd: i32,
    bytes: u64,
}

/// A transfer from or to a dma-buf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Transfer {
    fd: i32,
    flags: u32,
    offset: u64,
    bytes: u64,
}

/// The window of a channel's card.
pub(crate) fn window(channel: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let mut window = Window { flags: CLOSE_ON_EXEC, ..Window::default() };
    // SAFETY: the command has the size of `Window`, whose layout is that of the header; plain numbers.
    unsafe { ioctl(channel, Updater::<{ opcode::read_write::<Window>(b'l', 0x44) }, Window>::new(&mut window)) }?;
    // SAFETY: the driver has just made this descriptor for this process, and nobody else knows of it.
    Ok(unsafe { OwnedFd::from_raw_fd(window.fd) })
}

/// A transfer in the direction of the channel; how many bytes were moved.
pub(crate) fn transfer(
    channel: BorrowedFd<'_>,
    with: BorrowedFd<'_>,
    offset: u64,
    bytes: u64,
    frames: Frames,
) -> io::Result<usize> {
    let transfer = Transfer { fd: with.as_fd().as_raw_fd(), flags: frames.bits(), offset, bytes };
    // SAFETY: see the implementation of the trait.
    Ok(unsafe { ioctl(channel, transfer) }?)
}

// SAFETY: the command has the size of `Transfer`, whose layout is that of the header; the driver reads it, and stores nothing.
unsafe impl Ioctl for Transfer {
    type Output = usize;
    const IS_MUTATING: bool = false;

    fn opcode(&self) -> Opcode {
        opcode::write::<Transfer>(b'l', 0x45)
    }

    fn as_ptr(&mut self) -> *mut c_void {
        std::ptr::from_mut(self).cast()
    }

    unsafe fn output_from_ptr(out: IoctlOutput, _: *mut c_void) -> rustix::io::Result<usize> {
        usize::try_from(out).map_err(|_| rustix::io::Errno::IO)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lent::testing::{HEADER, fields, own};

    #[test]
    fn are_the_structs_those_of_the_header() {
        assert_eq!(own(&format!("{:?}", Window::default())), fields("lanescope_window"));
        assert_eq!(own(&format!("{:?}", Transfer::default())), fields("lanescope_transfer"));
        assert_eq!((size_of::<Window>(), size_of::<Transfer>()), (16, 24));
        for command in ["_IOWR('l', 0x44,", "_IOW('l', 0x45,"] {
            assert!(HEADER.contains(command), "{command}");
        }
    }
}
