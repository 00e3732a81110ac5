//! The file of a channel.

use crate::dmabuf;
use crate::error::Error;
use crate::frames::{self, Frames, Note};
use crate::info::{self, Info};
use rustix::fs::{FileType, fstat, major, minor};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// Where data goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From the card to the host: the channel is read.
    ToHost,
    /// From the host to the card: the channel is written.
    ToCard,
}

/// A channel of a card, open.
#[derive(Debug)]
pub struct Channel {
    /// Its path, as it was given.
    pub path: String,
    /// Where its data goes.
    pub direction: Direction,
    /// Its number in its direction.
    pub number: u32,
    /// Major and minor number of its device.
    pub device: (u32, u32),
    file: File,
}

impl Channel {
    /// Opens the channel at a path.
    ///
    /// # Errors
    /// There is no such path, it may not be opened, it is no channel, or its driver is older than this crate.
    pub fn open(path: &str) -> Result<Channel, Error> {
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // The name says only how to open it: what it is, the driver says.
        let written = name.starts_with("h2c");
        Channel::open_as(path, OpenOptions::new().read(!written).write(written))
    }

    /// Opens it to be read and written, as mappings want it.
    pub(crate) fn open_both(path: &str) -> Result<Channel, Error> {
        Channel::open_as(path, OpenOptions::new().read(true).write(true))
    }

    fn open_as(path: &str, how: &OpenOptions) -> Result<Channel, Error> {
        let kind = |why: &str| Error::Kind { path: path.into(), why: why.into() };
        let opened = how.open(path);
        let file = opened.map_err(|source| Error::Open { path: path.into(), help: help(&source), source })?;
        let stat = fstat(&file).map_err(|errno| Error::Kind { path: path.into(), why: errno.to_string() })?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::CharacterDevice {
            return Err(kind("it is no character device"));
        }
        let info = Info::of(&file).map_err(|error| match error.raw_os_error() {
            Some(errno) if errno == Errno::PROTO.raw_os_error() => Error::Before { path: path.into() },
            _ => kind("its driver is not lanescope's"),
        })?;
        let direction = if info.to_host == 1 { Direction::ToHost } else { Direction::ToCard };
        let device = (major(stat.st_rdev), minor(stat.st_rdev));
        Ok(Channel { path: path.into(), direction, number: info.channel, device, file })
    }

    /// What the driver says of it now.
    ///
    /// # Errors
    /// The card is gone.
    pub fn info(&self) -> io::Result<Info> {
        Info::of(&self.file)
    }

    /// When the card writes a record, which an interrupt follows: after so many descriptors, or so many cycles. It is the
    /// channel's, whoever has it open, until it is changed or the driver leaves the card; a [`crate::Queue`] has its own.
    ///
    /// # Errors
    /// `ERANGE`: not a descriptor; `ENOTTY`: the driver cannot; `ENODEV`: the card is gone; `EACCES`: the program may not write
    /// to the channel's file.
    pub fn moderate(&self, every: u8, cycles: u16) -> io::Result<()> {
        info::moderate(self.as_fd(), every.into(), cycles.into())
    }

    /// The window of its card as a dma-buf, for another device to write to. It wants a channel to the card.
    ///
    /// # Errors
    /// `EOPNOTSUPP`: the kernel has no P2PDMA; `EACCES`: the channel was not opened for writing; `ENXIO`: the card shows no
    /// window; `ENODEV`: it is gone.
    pub fn window(&self) -> io::Result<OwnedFd> {
        dmabuf::window(self.as_fd())
    }

    /// One transfer, in the direction of the channel, from or to a dma-buf: how many bytes were moved. To the window of
    /// another card, offset is 0, and the transfer is a frame of that card.
    ///
    /// # Errors
    /// `EOPNOTSUPP`: the card does not reach the buffer, as far as the kernel knows; `EINVAL`: it is no dma-buf, or too short,
    /// or a window that is to be read, or the card's own; `EBUSY`: something was read ahead; `ENODEV`, `EIO`: either card has
    /// gone, or was reset; and those of a read or a write.
    pub fn transfer(&self, dmabuf: impl AsFd, offset: u64, bytes: u64) -> io::Result<usize> {
        self.transfer_with(dmabuf, offset, bytes, Frames::NONE)
    }

    /// [`Channel::transfer`] with flags for its frame, which are not those of [`Channel::set_frames`]: [`Frames::MORE`],
    /// [`Frames::FILL`] or [`Frames::KEEP`].
    ///
    /// # Errors
    /// Those of [`Channel::transfer`]; `EINVAL`: a flag of the other direction, or a window that is to be filled.
    pub fn transfer_with(&self, dmabuf: impl AsFd, offset: u64, bytes: u64, frames: Frames) -> io::Result<usize> {
        dmabuf::transfer(self.as_fd(), dmabuf.as_fd(), offset, bytes, frames)
    }

    /// Sets flags for the frames of reads and writes from now on.
    ///
    /// # Errors
    /// `EINVAL`: one of them is for the other direction; `ENOTTY`: the driver has none.
    pub fn set_frames(&self, frames: Frames) -> io::Result<()> {
        frames::set(self.as_fd(), frames)
    }

    /// The flags that are set.
    ///
    /// # Errors
    /// `ENOTTY`: the driver has none.
    pub fn frames(&self) -> io::Result<Frames> {
        frames::of(self.as_fd())
    }

    /// Takes what reads came to since [`Frames::REPORT`] was set, oldest first, and how many before them were lost.
    ///
    /// # Errors
    /// `ENXIO`: the flag was never set.
    pub fn notes(&self) -> io::Result<(Vec<Note>, u32)> {
        frames::notes(self.as_fd())
    }

    /// Its file, for calls of other kinds, as io_uring's.
    pub fn into_file(self) -> File {
        self.file
    }
}

impl AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// A transfer from the card, which ends with its frame, unless [`Channel::set_frames`] says otherwise.
impl Read for Channel {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.file.read(into)
    }
}

/// A transfer to the card, which is a frame, unless [`Channel::set_frames`] says otherwise.
impl Write for Channel {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        self.file.write(from)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn help(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::NotFound => {
            "`ls -d /dev/lanescope*` lists the cards; there is none where the module lanescope is not loaded"
        }
        io::ErrorKind::PermissionDenied => {
            "run as root, or let your group open it by a rule of udev (docs/driver.md has one)"
        }
        _ => "see the kernel's log (`dmesg`)",
    }
}

/// The channels of a card, by number, card to host first; or the one at the path, where that is no folder.
///
/// # Errors
/// See [`Channel::open`]; or the folder has no channels.
pub fn channels(path: &str) -> Result<Vec<Channel>, Error> {
    if !Path::new(path).is_dir() {
        return Ok(vec![Channel::open(path)?]);
    }
    let entries =
        std::fs::read_dir(path).map_err(|source| Error::Open { path: path.into(), help: help(&source), source })?;
    let names = entries.filter_map(Result::ok).map(|entry| entry.file_name().to_string_lossy().into_owned());
    let names = names.filter(|name| ["c2h", "h2c"].iter().any(|way| name.starts_with(way)));
    let folder = path.trim_end_matches('/');
    let mut found = names.map(|name| Channel::open(&format!("{folder}/{name}"))).collect::<Result<Vec<_>, _>>()?;
    if found.is_empty() {
        return Err(Error::Kind { path: path.into(), why: "it has no files named c2hK or h2cK".into() });
    }
    found.sort_by_key(|channel| (channel.number, channel.direction));
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    #[test]
    fn is_what_is_no_channel_refused_with_what_would_be_right() {
        let told = |path: &str| channels(path).unwrap_err().to_string();
        assert_eq!(told("/dev/null"), "/dev/null is no channel of a card: its driver is not lanescope's");
        assert_eq!(told("/proc/self/exe"), "/proc/self/exe is no channel of a card: it is no character device");
        assert_eq!(
            told("/proc/self/fd/"),
            "/proc/self/fd/ is no channel of a card: it has no files named c2hK or h2cK"
        );
        assert_eq!(told("/dev/lanescope99"), "/dev/lanescope99 cannot be opened");
    }
}
