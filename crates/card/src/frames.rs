//! Flags for the frames of a file's calls, and notes of what its reads came to: `LANESCOPE_FRAME_*` and `struct lanescope_notes`
//! of `driver/include/uapi/linux/lanescope.h`. With `unsafe`, because the driver writes memory that a struct names.

#![allow(unsafe_code)]

use rustix::ioctl::{Getter, Ioctl, IoctlOutput, NoArg, Opcode, Setter, ioctl, opcode};
use std::ffi::c_void;
use std::io;
use std::ops::BitOr;
use std::os::fd::{AsFd, BorrowedFd};

/// Flags for the frames of calls. Which of them a channel takes depends on its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Frames(u32);

impl Frames {
    /// A write is a frame, and the end of a frame ends a read.
    pub const NONE: Frames = Frames(0);
    /// A write does not end its frame, which goes on with the next one.
    pub const MORE: Frames = Frames(1);
    /// A read goes on over the ends of frames until it has all that it asked for.
    pub const FILL: Frames = Frames(2);
    /// Nothing any more: a read that ends with a frame takes nothing of the next one, with it and without.
    pub const KEEP: Frames = Frames(4);
    /// What each read came to is noted.
    pub const REPORT: Frames = Frames(8);

    /// The number that the driver knows them by.
    pub fn bits(self) -> u32 {
        self.0
    }
}

impl BitOr for Frames {
    type Output = Frames;

    fn bitor(self, other: Frames) -> Frames {
        Frames(self.0 | other.0)
    }
}

/// What a read came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// What it returned.
    pub bytes: u32,
    /// Frames that ended in it.
    pub frames: u32,
    /// Its last byte is the last of a frame; else the frame goes on in the next read.
    pub frame_end: bool,
}

/// A note, as the driver stores it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Stored {
    bytes: u32,
    frames: u32,
    flags: u32,
    reserved: u32,
}

/// Where notes are to be stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct Wanted {
    notes: u64,
    count: u32,
    lost: u32,
    flags: u32,
    reserved: u32,
}

/// As many as the driver keeps.
const MOST: usize = 1024;
/// `LANESCOPE_NOTE_END`.
const END: u32 = 1;

/// Sets the flags of a file.
pub(crate) fn set(channel: BorrowedFd<'_>, frames: Frames) -> io::Result<()> {
    // SAFETY: the command has the size of a `u32`, which the driver reads.
    unsafe { ioctl(channel, Setter::<{ opcode::write::<u32>(b'l', 0x50) }, u32>::new(frames.0)) }?;
    Ok(())
}

/// The flags of a file.
pub(crate) fn of(channel: BorrowedFd<'_>) -> io::Result<Frames> {
    // SAFETY: the command has the size of a `u32`, which the driver writes.
    Ok(Frames(unsafe { ioctl(channel, Getter::<{ opcode::read::<u32>(b'l', 0x51) }, u32>::new()) }?))
}

/// Ends what calls of this open file have under way, whatever they have moved: each returns its bytes, or `ECANCELED`. What the card
/// has of a frame is dropped. (A signal ends no call of which something has moved.)
///
/// # Errors
/// `ENOTTY`: it is no channel.
pub fn cancel(channel: impl AsFd) -> io::Result<()> {
    // SAFETY: the command has no argument.
    Ok(unsafe { ioctl(channel, NoArg::<{ opcode::none(b'l', 0x54) }>::new()) }?)
}

/// Takes the notes of a file, and how many before them were lost.
pub(crate) fn notes(channel: BorrowedFd<'_>) -> io::Result<(Vec<Note>, u32)> {
    let mut stored = vec![Stored::default(); MOST];
    let wanted = Wanted { notes: stored.as_mut_ptr() as u64, count: MOST as u32, ..Wanted::default() };
    // SAFETY: the driver stores at most `count` notes, whose layout is that of the header, and which `stored` has room for.
    let (count, lost) = unsafe { ioctl(channel, wanted) }?;
    let told = stored.iter().take(count);
    let note = |note: &Stored| Note { bytes: note.bytes, frames: note.frames, frame_end: note.flags & END != 0 };
    Ok((told.map(note).collect(), lost))
}

// SAFETY: the command has the size of `Wanted`, whose layout is that of the header; the driver reads and writes it.
unsafe impl Ioctl for Wanted {
    type Output = (usize, u32);
    const IS_MUTATING: bool = true;

    fn opcode(&self) -> Opcode {
        opcode::read_write::<Wanted>(b'l', 0x52)
    }

    fn as_ptr(&mut self) -> *mut c_void {
        std::ptr::from_mut(self).cast()
    }

    unsafe fn output_from_ptr(out: IoctlOutput, wanted: *mut c_void) -> rustix::io::Result<(usize, u32)> {
        // SAFETY: it is what `as_ptr` gave.
        let lost = unsafe { (*wanted.cast::<Wanted>()).lost };
        Ok((usize::try_from(out).map_err(|_| rustix::io::Errno::IO)?, lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lent::testing::{HEADER, fields, own};

    #[test]
    fn are_the_structs_those_of_the_header() {
        assert_eq!(own(&format!("{:?}", Stored::default())), fields("lanescope_note"));
        assert_eq!(own(&format!("{:?}", Wanted::default())), fields("lanescope_notes"));
        assert_eq!((size_of::<Stored>(), size_of::<Wanted>()), (16, 24));
        for command in ["_IOW('l', 0x50, __u32)", "_IOR('l', 0x51, __u32)", "_IOWR('l', 0x52, struct lanescope_notes)"]
        {
            assert!(HEADER.contains(command), "{command}");
        }
        assert!(HEADER.contains(&format!("{MOST} at most")));
    }

    #[test]
    fn has_each_flag_of_the_header_a_name_here() {
        let own = [("MORE", Frames::MORE), ("FILL", Frames::FILL), ("KEEP", Frames::KEEP), ("REPORT", Frames::REPORT)];
        let named: Vec<&str> =
            HEADER.lines().filter_map(|line| line.strip_prefix("#define LANESCOPE_FRAME_")).collect();
        assert_eq!(named.len(), own.len(), "{named:?}");
        for (line, (name, flag)) in named.iter().zip(own) {
            assert_eq!(*line, format!("{name}\t_BITUL({})", flag.bits().trailing_zeros()));
        }
        assert!(HEADER.contains(&format!("#define LANESCOPE_NOTE_END\t_BITUL({})", END.trailing_zeros())));
        assert_eq!((Frames::FILL | Frames::REPORT).bits(), 10);
    }
}
