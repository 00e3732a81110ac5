//! Whether a drive may be written: what the kernel says of it, what lies on it, and whether somebody holds it.
//!
//! Nothing here goes by a name: a device is its numbers, and what it holds is what it has at the places of the known formats.

use crate::drive::{Drive, DriveKind};
use crate::error::Error;
use crate::signature::signature;
use rustix::fs::{self, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The first bytes of a file that was made to be written.
const MARK: &[u8] = b"lanescope bench file 1: what follows is overwritten by `lanescope bench disk`\n";
/// A file is written from here on only, so that its mark stays.
const FIRST: u64 = 1 << 20;

impl Drive {
    /// Opens it for writing too, where nothing is lost by that. All that is on it is lost then.
    ///
    /// # Errors
    /// See [`Error::Used`].
    pub fn claim(&mut self) -> Result<(), Error> {
        self.file = claim(self)?;
        self.writes_from = Some(if self.kind == DriveKind::File { FIRST } else { 0 });
        Ok(())
    }
}

/// Checks that nothing is lost by writing to a drive, and opens it for that. A block device stays held (O_EXCL) as long as the
/// file is open, so that nothing mounts it in the meantime.
///
/// # Errors
/// It is mounted, has partitions, is used by something else, holds something, or was not made for it.
fn claim(drive: &Drive) -> Result<File, Error> {
    claim_by(drive, Path::new("/"))
}

/// As [`claim`], with the root of `/sys` and `/proc`.
fn claim_by(drive: &Drive, root: &Path) -> Result<File, Error> {
    let used = |why: String, help| Error::Used { path: drive.path.clone(), why, help };
    let unreadable = |source| Error::Open { path: drive.path.clone(), source, help: "what it holds cannot be seen" };
    if drive.kind == DriveKind::Block {
        let known = Kernel { root, device: drive.device };
        if let Some(place) = known.mounted() {
            return Err(used(format!("it is mounted at {place}"), "unmount it, if nothing on it is wanted"));
        }
        if let Some(part) = known.partitions().first() {
            return Err(used(
                format!("it has partitions ({part})"),
                "nothing is written over partitions: `wipefs -a` removes the table",
            ));
        }
        if let Some(holder) = known.holders().first() {
            return Err(used(
                format!("{holder} is made of it"),
                "it is a part of a volume or an array: take it out of that first",
            ));
        }
        if known.is_swap() {
            return Err(used("it is swap in use".into(), "`swapoff` it first"));
        }
    } else {
        let mut head = vec![0; MARK.len()];
        let whole = drive.file_for_looking().map_err(unreadable)?;
        let has_mark = whole.read_exact_at(&mut head, 0).is_ok() && head == MARK;
        if !has_mark {
            return Err(used("it was not made to be written".into(), "make one: `lanescope bench file PATH SIZE`"));
        }
        if let Some(by) = backs(root, drive).map_err(unreadable)? {
            return Err(used(format!("it is the disk of {by}"), "detach that first"));
        }
        if is_swap_file(root, drive) {
            return Err(used("it is swap in use".into(), "`swapoff` it first"));
        }
    }
    let exclusive = if drive.kind == DriveKind::Block { OFlags::EXCL } else { OFlags::empty() };
    let flags = OFlags::RDWR | OFlags::DIRECT | OFlags::CLOEXEC | exclusive;
    let file = opened(&drive.path, flags).map_err(|errno| match errno {
        Errno::BUSY => used(
            "something holds it open for itself".into(),
            "see `lsblk` and `fuser`: a mount, an array, a volume, a guest",
        ),
        Errno::ACCESS | Errno::PERM => Error::Open {
            path: drive.path.clone(),
            source: errno.into(),
            help: "its writers are root and the group `disk`",
        },
        Errno::ROFS => used("it is read-only".into(), "`blockdev --setrw`, or another drive"),
        _ => Error::Open { path: drive.path.clone(), source: errno.into(), help: "it can be read and not written" },
    })?;
    // The same one as before: the name may lead to another by now.
    let stat = fs::fstat(&file).map_err(|errno| unreadable(errno.into()))?;
    let own = if FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice { stat.st_rdev } else { stat.st_dev };
    if (fs::major(own), fs::minor(own)) != drive.device {
        return Err(used("its name leads to another device than before".into(), "see what changes it"));
    }
    if let Some(who) = writer(root, drive, &file).map_err(unreadable)? {
        return Err(used(format!("{who} has it open for writing"), "end that first: `fuser -v` shows who has it open"));
    }
    // Now that nobody else can mount it or make something of it; by the file itself, since O_DIRECT takes whole blocks only.
    let same = File::open(format!("/proc/self/fd/{}", file.as_raw_fd())).map_err(unreadable)?;
    if let Some(what) = signature(&same, drive.bytes, drive.logical).map_err(unreadable)? {
        return Err(used(
            format!("it holds {what}"),
            "see `wipefs -n`; if nothing on it is wanted, `wipefs -a` removes the signatures",
        ));
    }
    Ok(file)
}

/// What the kernel says of a block device.
struct Kernel<'a> {
    root: &'a Path,
    device: (u32, u32),
}

impl Kernel<'_> {
    fn folder(&self) -> PathBuf {
        self.root.join(format!("sys/dev/block/{}:{}", self.device.0, self.device.1))
    }

    /// Where it is mounted: of a partition, see [`Kernel::partitions`].
    fn mounted(&self) -> Option<String> {
        let text = std::fs::read_to_string(self.root.join("proc/self/mountinfo")).ok()?;
        let own = format!("{}:{}", self.device.0, self.device.1);
        let line = text.lines().find(|line| line.split(' ').nth(2) == Some(&own))?;
        Some(line.split(' ').nth(4)?.to_string())
    }

    fn names(&self, folder: &str, is: impl Fn(&Path) -> bool) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder().join(folder)).into_iter().flatten().filter_map(Result::ok);
        let mut names: Vec<String> = entries
            .filter(|entry| is(&entry.path()))
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    fn partitions(&self) -> Vec<String> {
        self.names("", |path| path.join("partition").exists())
    }

    fn holders(&self) -> Vec<String> {
        self.names("holders", |_| true)
    }

    fn is_swap(&self) -> bool {
        swaps(self.root).iter().any(|path| {
            let stat =
                fs::stat(path).ok().filter(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice);
            stat.is_some_and(|stat| (fs::major(stat.st_rdev), fs::minor(stat.st_rdev)) == self.device)
        })
    }
}

/// How long a device is asked for again while somebody holds it: what has just ended, or only looks at it, lets go within it.
const PATIENCE: Duration = Duration::from_secs(1);
/// Between two of these.
const PAUSE: Duration = Duration::from_millis(20);

/// Opens a file; where something holds it, again and again for [`PATIENCE`].
fn opened(path: &str, flags: OFlags) -> Result<File, Errno> {
    let until = Instant::now() + PATIENCE;
    loop {
        match fs::open(path, flags, Mode::empty()) {
            Err(Errno::BUSY) if Instant::now() < until => std::thread::sleep(PAUSE),
            done => return done.map(File::from),
        }
    }
}

/// Another process that has the same drive open for writing, as `qemu (process 812)`; after [`PATIENCE`], since what has just
/// ended lets go within it. Only root sees those of other users.
fn writer(root: &Path, drive: &Drive, file: &File) -> std::io::Result<Option<String>> {
    let own = file.metadata()?;
    let is_same = |one: &std::fs::Metadata| match drive.kind {
        DriveKind::Block => one.file_type().is_block_device() && one.rdev() == own.rdev(),
        _ => (one.dev(), one.ino()) == (own.dev(), own.ino()),
    };
    let until = Instant::now() + PATIENCE;
    loop {
        let found = processes(root).find(|process| writes(process, &is_same));
        match found {
            Some(_) if Instant::now() < until => std::thread::sleep(PAUSE),
            found => return Ok(found.map(|process| named(&process))),
        }
    }
}

/// The folders of all other processes.
fn processes(root: &Path) -> impl Iterator<Item = PathBuf> {
    let all = std::fs::read_dir(root.join("proc")).into_iter().flatten().filter_map(Result::ok);
    let own = std::process::id();
    let number = |entry: &std::fs::DirEntry| entry.file_name().to_string_lossy().parse::<u32>().ok();
    all.filter(move |entry| number(entry).is_some_and(|number| number != own)).map(|entry| entry.path())
}

/// True where a process has a file open for writing.
fn writes(process: &Path, is_same: &dyn Fn(&std::fs::Metadata) -> bool) -> bool {
    let all = std::fs::read_dir(process.join("fd")).into_iter().flatten().filter_map(Result::ok);
    all.filter(|entry| std::fs::metadata(entry.path()).is_ok_and(|one| is_same(&one))).any(|entry| {
        let about = std::fs::read_to_string(process.join("fdinfo").join(entry.file_name())).unwrap_or_default();
        let flags = about.lines().find_map(|line| u32::from_str_radix(line.strip_prefix("flags:")?.trim(), 8).ok());
        // Where nothing is said of it, it may be written to.
        flags.is_none_or(|flags| flags & OFlags::ACCMODE.bits() != OFlags::RDONLY.bits())
    })
}

fn named(process: &Path) -> String {
    let name = std::fs::read_to_string(process.join("comm")).unwrap_or_default();
    let number = process.file_name().map_or_else(Default::default, |number| number.to_string_lossy());
    format!("{} (process {number})", name.trim())
}

/// The paths of swap in use.
fn swaps(root: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(root.join("proc/swaps")).unwrap_or_default();
    // The kernel writes a space in a name as \040.
    let path = |line: &str| Some(PathBuf::from(line.split_whitespace().next()?.replace("\\040", " ")));
    text.lines().skip(1).filter_map(path).collect()
}

fn is_swap_file(root: &Path, drive: &Drive) -> bool {
    let own = std::fs::metadata(&drive.path).map(|own| (own.dev(), own.ino())).ok();
    swaps(root)
        .iter()
        .any(|path| own.is_some() && std::fs::metadata(path).map(|one| (one.dev(), one.ino())).ok() == own)
}

/// The loop device whose disk a file is.
fn backs(root: &Path, drive: &Drive) -> std::io::Result<Option<String>> {
    let own = std::fs::metadata(&drive.path)?;
    for entry in std::fs::read_dir(root.join("sys/block")).into_iter().flatten().filter_map(Result::ok) {
        let Ok(path) = std::fs::read_to_string(entry.path().join("loop/backing_file")) else { continue };
        let is_same =
            std::fs::metadata(path.trim_end()).is_ok_and(|one| (one.dev(), one.ino()) == (own.dev(), own.ino()));
        if is_same {
            return Ok(Some(entry.file_name().to_string_lossy().into_owned()));
        }
    }
    Ok(None)
}

/// Makes a file of `bytes` that may be written: its mark, and then what no drive can make shorter.
///
/// # Errors
/// It is there already, or it cannot be written. Nothing is left of it then.
pub fn make(path: &Path, bytes: u64, step: &mut dyn FnMut(u64) -> bool) -> Result<bool, Error> {
    let wrong = |source| Error::Make { path: path.display().to_string(), source };
    if bytes < 2 * FIRST {
        let source = std::io::Error::new(std::io::ErrorKind::InvalidInput, "it has 2 MiB at least");
        return Err(wrong(source));
    }
    let mut file = File::options().write(true).create_new(true).open(path).map_err(wrong)?;
    let done = filled(&mut file, bytes, step);
    if !matches!(done, Ok(true)) {
        let _ = std::fs::remove_file(path);
    }
    done.map_err(wrong)
}

fn filled(file: &mut File, bytes: u64, step: &mut dyn FnMut(u64) -> bool) -> std::io::Result<bool> {
    use std::io::Write;
    let mut random = File::open("/dev/urandom")?;
    let mut block = vec![0; FIRST as usize];
    let mut at = 0;
    while at < bytes {
        let length = (bytes - at).min(FIRST) as usize;
        random.read_exact(&mut block[..length])?;
        if at == 0 {
            // No signature by chance where there are any: the first bytes are the mark, and then nothing.
            block.fill(0);
            block[..MARK.len()].copy_from_slice(MARK);
        }
        file.write_all(&block[..length])?;
        at += length as u64;
        if !step(at) {
            return Ok(false);
        }
    }
    file.sync_all()?;
    Ok(true)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    /// A tree as the kernel shows it: 8:0 has a partition, 8:16 is part of a volume, 8:32 is mounted, 8:48 is free.
    #[test]
    fn is_seen_what_the_kernel_says_of_a_device() {
        let root = std::env::temp_dir().join(format!("lanescope-claim-{}", std::process::id()));
        for folder in ["8:0/sda1", "8:0/holders", "8:0/queue", "8:16/holders/dm-0", "8:32/holders", "8:48/holders"] {
            std::fs::create_dir_all(root.join("sys/dev/block").join(folder)).unwrap();
        }
        std::fs::write(root.join("sys/dev/block/8:0/sda1/partition"), "1\n").unwrap();
        std::fs::create_dir_all(root.join("proc/self")).unwrap();
        let mounts =
            "23 28 0:21 / /sys rw - sysfs sysfs rw\n40 28 8:32 / /data rw,relatime shared:1 - ext4 /dev/sdc rw\n";
        std::fs::write(root.join("proc/self/mountinfo"), mounts).unwrap();
        let swaps = "Filename\tType\tSize\tUsed\tPriority\n/a\\040file  file 1024 0 -2\n/dev/null partition 1 0 -3\n";
        std::fs::write(root.join("proc/swaps"), swaps).unwrap();
        let of = |minor| Kernel { root: &root, device: (8, minor) };
        assert_eq!(of(0).partitions(), ["sda1"]);
        assert_eq!(of(16).holders(), ["dm-0"]);
        assert_eq!(of(32).mounted().as_deref(), Some("/data"));
        let free = of(48);
        assert!(
            free.partitions().is_empty() && free.holders().is_empty() && free.mounted().is_none() && !free.is_swap()
        );
        assert_eq!(super::swaps(&root), [PathBuf::from("/a file"), PathBuf::from("/dev/null")]);
        std::fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn is_a_process_seen_that_has_a_file_open_for_writing_and_none_that_reads_it() {
        let path = std::env::temp_dir().join(format!("lanescope-writer-{}", std::process::id()));
        let file = File::create(&path).unwrap();
        let own = file.metadata().unwrap();
        let is_same = |one: &std::fs::Metadata| (one.dev(), one.ino()) == (own.dev(), own.ino());
        let seen =
            || processes(Path::new("/")).filter(|process| writes(process, &is_same)).map(|one| named(&one)).next();
        assert_eq!(seen(), None, "this process itself does not count");
        let started = |reads: bool| {
            let mut command = std::process::Command::new("sleep");
            command.arg("60");
            let held = File::options().read(reads).write(!reads).open(&path).unwrap();
            let command = if reads { command.stdin(held) } else { command.stdout(held) };
            command.spawn().unwrap()
        };
        for (reads, right) in [(true, false), (false, true)] {
            let mut other = started(reads);
            let who = seen();
            other.kill().unwrap();
            other.wait().unwrap();
            let is_named = who.as_deref() == Some(format!("sleep (process {})", other.id()).as_str());
            assert_eq!(is_named, right, "reads {reads}: {who:?}");
        }
        std::fs::remove_file(path).unwrap();
    }
}
