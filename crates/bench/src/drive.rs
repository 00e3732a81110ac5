//! A drive that is read, or written: how it is opened, and what it says of itself.

use crate::error::Error;
use card::{Channel, Direction};
use rustix::fs::{self, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;

/// What a drive is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveKind {
    /// A block device.
    Block,
    /// A regular file.
    File,
    /// A channel of a card, and where its data goes: a stream, which has no end and no places.
    Channel(Direction),
}

/// A drive, open for reading past the page cache.
#[derive(Debug)]
pub struct Drive {
    /// As it was given.
    pub path: String,
    /// Its name without folders, as in `nvme0n1`.
    pub name: String,
    /// What it is.
    pub kind: DriveKind,
    /// Bytes; 0 of a channel.
    pub bytes: u64,
    /// Bytes of a logical block: reads are multiples of it. 1 of a channel.
    pub logical: u64,
    /// Major and minor number of the device, or of the one that a file lies on.
    pub device: (u32, u32),
    pub(crate) file: File,
    /// Where it may be written from on; `None` where it is read only.
    pub(crate) writes_from: Option<u64>,
}

/// Bytes of the least block where the kernel does not say it: those of a page.
const USUAL_LOGICAL: u64 = 512;
/// Sectors of sysfs.
const SECTOR: u64 = 512;

impl Drive {
    /// Opens a block device or a file for reading, with O_DIRECT.
    ///
    /// # Errors
    /// There is no such path, it is something else, it may not be read, or its file system has no O_DIRECT.
    pub fn open(path: &str) -> Result<Drive, Error> {
        let open = |errno: Errno, help| Error::Open { path: path.into(), source: errno.into(), help };
        let stat = fs::stat(path).map_err(|errno| open(errno, "name a block device, as in /dev/nvme0n1, or a file"))?;
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::BlockDevice => DriveKind::Block,
            FileType::RegularFile => DriveKind::File,
            FileType::Directory => return Err(Error::Kind { path: path.into(), what: "a folder" }),
            FileType::CharacterDevice => return Err(Error::Kind { path: path.into(), what: "a character device" }),
            _ => return Err(Error::Kind { path: path.into(), what: "no block device and no file" }),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECT | OFlags::CLOEXEC;
        let handle = fs::open(path, flags, Mode::empty()).map_err(|errno| {
            let help = match errno {
                Errno::ACCESS => "its readers are root and the group `disk`: run as one of them",
                Errno::PERM => "a container or a policy of this system keeps it from being read, even by root",
                Errno::INVAL => "its file system has no O_DIRECT (tmpfs has none): take a file on another one",
                _ => "see whether it is there, and whole",
            };
            open(errno, help)
        })?;
        let mut file = File::from(handle);
        let raw = if kind == DriveKind::Block { stat.st_rdev } else { stat.st_dev };
        let device = (fs::major(raw), fs::minor(raw));
        let end = file.seek(SeekFrom::End(0));
        let bytes = end.map_err(|source| Error::Open { path: path.into(), source, help: "it has no length" })?;
        let name = Path::new(path).file_name().map_or_else(|| path.into(), |name| name.to_string_lossy().into_owned());
        let logical = logical_block(device).unwrap_or(USUAL_LOGICAL).max(SECTOR);
        Ok(Drive { path: path.into(), name, kind, bytes, logical, device, file, writes_from: None })
    }

    /// The channels of a card, or the one channel at the path.
    ///
    /// # Errors
    /// See [`card::channels`].
    pub fn channels(path: &str) -> Result<Vec<Drive>, Error> {
        Ok(card::channels(path)?.into_iter().map(Drive::of_channel).collect())
    }

    fn of_channel(channel: Channel) -> Drive {
        let (path, device, kind) = (channel.path.clone(), channel.device, DriveKind::Channel(channel.direction));
        // As in `lanescope0/c2h1`: the file's name alone says nothing of the card.
        let name = path.rsplitn(3, '/').take(2).collect::<Vec<_>>();
        let name = name.into_iter().rev().collect::<Vec<_>>().join("/");
        Drive { path, name, kind, bytes: 0, logical: 1, device, file: channel.into_file(), writes_from: None }
    }

    /// Where the data of a channel goes; `None` of what is no channel.
    pub fn direction(&self) -> Option<Direction> {
        if let DriveKind::Channel(direction) = self.kind { Some(direction) } else { None }
    }

    /// True of both directions of one number of a card.
    pub fn is_opposite(&self, other: &Drive) -> bool {
        let number = |drive: &Drive| {
            let (folder, name) = drive.path.rsplit_once('/').unwrap_or(("", &drive.path));
            (folder.to_string(), name.trim_start_matches(['c', 'h', '2']).to_string())
        };
        self.direction() != other.direction()
            && [self, other].iter().all(|drive| drive.direction().is_some())
            && number(self) == number(other)
    }

    /// Percent of its blocks that are read, of a load that says so much for disks: a channel has one direction.
    pub(crate) fn reads(&self, load: u8) -> u8 {
        self.direction().map_or(load, |direction| if direction == Direction::ToHost { 100 } else { 0 })
    }

    /// True where it may be written.
    pub fn is_claimed(&self) -> bool {
        self.writes_from.is_some()
    }

    /// The same, through the page cache, which takes reads of any length.
    pub(crate) fn file_for_looking(&self) -> std::io::Result<File> {
        File::open(&self.path)
    }

    /// Checks that blocks of `block` bytes can be read from it.
    ///
    /// # Errors
    /// The block is no multiple of its logical block, or it is shorter than one.
    pub fn check(&self, block: u64) -> Result<(), Error> {
        if self.direction().is_some() && block > 0 {
            return Ok(());
        }
        if block == 0 || !block.is_multiple_of(self.logical) {
            return Err(Error::Block { path: self.path.clone(), block, logical: self.logical });
        }
        if self.bytes.saturating_sub(self.writes_from.unwrap_or(0)) < block {
            return Err(Error::Short { path: self.path.clone(), bytes: self.bytes, block });
        }
        Ok(())
    }
}

impl Drive {
    /// Its temperature in degrees Celsius, where the kernel has it (`hwmon`): the first sensor of an NVMe controller, or of a disk
    /// with the module `drivetemp`.
    pub fn celsius(&self) -> Option<f64> {
        let device = format!("/sys/dev/block/{}:{}/device", self.device.0, self.device.1);
        [device.clone(), format!("{device}/hwmon"), format!("{device}/device/hwmon")].iter().find_map(|folder| {
            let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
            let mut sensors = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("hwmon"));
            sensors.find_map(|entry| {
                let text = std::fs::read_to_string(entry.path().join("temp1_input")).ok()?;
                Some(text.trim().parse::<f64>().ok()? / 1000.0)
            })
        })
    }
}

/// The logical block of a device, or of the disk that it is a partition of.
fn logical_block((major, minor): (u32, u32)) -> Option<u64> {
    let of = |folder: &str| {
        let path = format!("/sys/dev/block/{major}:{minor}/{folder}queue/logical_block_size");
        std::fs::read_to_string(path).ok()?.trim().parse().ok()
    };
    of("").or_else(|| of("../"))
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// A file in the place of a channel.
    pub(crate) fn stand_in(path: &str, direction: Direction, device: (u32, u32), file: File) -> Drive {
        let (kind, path) = (DriveKind::Channel(direction), path.to_string());
        Drive { name: path.clone(), path, kind, bytes: 0, logical: 1, device, file, writes_from: None }
    }
}
