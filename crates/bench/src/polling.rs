//! Whether ends of blocks are looked for at the device (poll queues), and not told by interrupts.

use crate::drive::Drive;
use crate::error::Error;
use std::path::Path;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polling {
    /// Where all drives have poll queues, and each of those that run at once leaves a core for something else.
    Auto,
    /// In any case.
    Always,
    /// In none.
    Never,
}

impl Polling {
    /// What the word asks for: `auto`, `always`, `never`.
    pub fn from_word(word: &str) -> Option<Polling> {
        match word {
            "auto" => Some(Polling::Auto),
            "always" => Some(Polling::Always),
            "never" => Some(Polling::Never),
            _ => None,
        }
    }

    /// Whether these drives are polled, of which so many run at once.
    ///
    /// # Errors
    /// It is asked for, and a drive has no poll queues.
    pub fn of(self, drives: &[Drive], at_once: usize) -> Result<bool, Error> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.by(Path::new("/sys"), drives, at_once < cores)
    }

    fn by(self, sys: &Path, drives: &[Drive], has_cores: bool) -> Result<bool, Error> {
        let without = drives.iter().find(|drive| !has_poll_queues(sys, drive.device));
        match (self, without) {
            (Polling::Never, _) => Ok(false),
            (Polling::Always, Some(drive)) => Err(Error::Poll { path: drive.path.clone() }),
            (Polling::Always, None) => Ok(true),
            (Polling::Auto, without) => Ok(without.is_none() && has_cores && !drives.is_empty()),
        }
    }
}

/// What the kernel says of a device, or of the disk that it is a partition of. `sys` is `/sys`.
fn has_poll_queues(sys: &Path, (major, minor): (u32, u32)) -> bool {
    ["", "../"].iter().any(|folder| {
        let path = sys.join(format!("dev/block/{major}:{minor}/{folder}queue/io_poll"));
        std::fs::read_to_string(path).is_ok_and(|text| text.trim() == "1")
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::drive::DriveKind;
    use std::fs::{self, File};

    fn drive(minor: u32) -> Drive {
        Drive {
            path: format!("/dev/disk{minor}"),
            name: format!("disk{minor}"),
            kind: DriveKind::Block,
            bytes: 1 << 30,
            logical: 512,
            device: (259, minor),
            file: File::open("/dev/null").unwrap(),
            writes_from: None,
        }
    }

    /// Disk 0 has poll queues, and partition 1 lies on it; disk 2 has none.
    #[test]
    fn are_drives_polled_that_can_be_and_others_refused() {
        let sys = std::env::temp_dir().join(format!("lanescope-polling-{}", std::process::id()));
        for (folder, value) in [("disk0/queue", "1\n"), ("disk2/queue", "0\n")] {
            let folder = sys.join(folder);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("io_poll"), value).unwrap();
        }
        fs::create_dir_all(sys.join("disk0/part1")).unwrap();
        fs::create_dir_all(sys.join("dev/block")).unwrap();
        for (minor, at) in ["disk0", "disk0/part1", "disk2"].into_iter().enumerate() {
            std::os::unix::fs::symlink(sys.join(at), sys.join(format!("dev/block/259:{minor}"))).unwrap();
        }
        let able = [drive(0), drive(1)];
        let mixed = [drive(0), drive(2)];
        assert!(Polling::Auto.by(&sys, &able, true).unwrap() && Polling::Always.by(&sys, &able, false).unwrap());
        assert!(!Polling::Auto.by(&sys, &able, false).unwrap(), "not where threads would take turns at a core");
        assert!(!Polling::Never.by(&sys, &able, true).unwrap() && !Polling::Auto.by(&sys, &mixed, true).unwrap());
        let told = Polling::Always.by(&sys, &mixed, true).unwrap_err().to_string();
        assert_eq!(told, "/dev/disk2 has no poll queues");
        assert!(Polling::Always.by(Path::new("/nowhere"), &able, true).is_err());
        fs::remove_dir_all(&sys).unwrap();
    }
}
