//! A loop device on a file of its own.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::{skip, tool};

pub const BYTES: usize = 32 << 20;

/// See the module. Detached and removed at the end.
pub struct Disk {
    pub device: String,
    backing: PathBuf,
}

impl Disk {
    /// An empty one; `None` with a message where this machine makes none.
    pub fn new(test: &str) -> Option<Disk> {
        Disk::with(test, |_| ())
    }

    /// One with what `write` puts into its file before it becomes a device.
    pub fn with(test: &str, write: impl FnOnce(&fs::File)) -> Option<Disk> {
        let losetup = tool(test, "losetup")?;
        let backing = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}.img", std::process::id()));
        let file = fs::File::create(&backing).unwrap();
        // No signature: bytes that differ from block to block.
        let bytes: Vec<u8> = (0..BYTES).map(|n| (n / 512 % 251) as u8).collect();
        file.write_all_at(&bytes, 0).unwrap();
        write(&file);
        file.sync_all().unwrap();
        let make = || Command::new(&losetup).args(["--partscan", "--find", "--show"]).arg(&backing).output().unwrap();
        // The device that is free may be taken by somebody else before it is made.
        let made = (0..10).map(|_| make()).find(|made| made.status.success()).unwrap_or_else(make);
        if !made.status.success() {
            let _ = fs::remove_file(&backing);
            skip(test, &format!("no loop device: {}", String::from_utf8_lossy(&made.stderr).trim_end()));
            return None;
        }
        Some(Disk { device: String::from_utf8(made.stdout).unwrap().trim_end().to_string(), backing })
    }

    /// Runs a tool of the system on it; false, with a message, where that is missing or fails.
    pub fn made_by(&self, test: &str, program: &str, arguments: &[&str]) -> bool {
        let Some(program) = tool(test, program) else { return false };
        let done = Command::new(program).args(arguments).arg(&self.device).output().unwrap();
        if !done.status.success() {
            skip(test, String::from_utf8_lossy(&done.stderr).trim_end());
        }
        done.status.success()
    }

    /// Holds it for this process alone.
    pub fn held(&self) -> std::io::Result<fs::File> {
        const EXCLUSIVE: i32 = 0o200;
        fs::File::options().read(true).custom_flags(EXCLUSIVE).open(&self.device)
    }

    /// A checksum of all that is on it.
    pub fn checksum(&self) -> u64 {
        sum(Path::new(&self.device))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["-d", &self.device]).output();
        let _ = fs::remove_file(&self.backing);
    }
}

/// A checksum of a file or a device.
pub fn sum(path: &Path) -> u64 {
    let mut hasher = DefaultHasher::new();
    fs::read(path).unwrap().hash(&mut hasher);
    hasher.finish()
}
