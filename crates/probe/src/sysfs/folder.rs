//! The files of a folder: the live sysfs, or an unpacked capture.

use crate::sysfs::files::Files;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The most bytes that are read of a file; configuration space has 4096.
const MOST_BYTES: u64 = 64 << 10;
/// The most entries that are listed of a folder.
const MOST_ENTRIES: usize = 1 << 16;

/// A folder of the file system.
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// A tree with this root.
    pub fn new(root: &Path) -> Folder {
        Folder { root: root.to_path_buf() }
    }
}

impl Files for Folder {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        let path = self.root.join(path);
        if !fs::metadata(&path).is_ok_and(|found| found.is_file()) {
            return None;
        }
        let mut bytes = Vec::new();
        // Bytes before an error count: for an unprivileged user, the configuration space ends early.
        let ended = File::open(&path).ok()?.take(MOST_BYTES).read_to_end(&mut bytes);
        (ended.is_ok() || !bytes.is_empty()).then_some(bytes)
    }
    fn list(&self, path: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.root.join(path)) else { return Vec::new() };
        let names = entries.take(MOST_ENTRIES).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        names
    }
    fn link(&self, path: &str) -> Option<String> {
        fs::read_link(self.root.join(path)).ok()?.into_os_string().into_string().ok()
    }
    fn is_folder(&self, path: &str) -> bool {
        self.root.join(path).is_dir()
    }
}
