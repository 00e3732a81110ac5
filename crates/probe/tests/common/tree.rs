//! A sysfs tree, written into a folder.

use super::config::Config;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder that looks like `/sys`.
pub struct Sysfs {
    /// Its root.
    pub root: PathBuf,
}

impl Sysfs {
    /// An empty tree.
    pub fn new(root: &Path) -> Sysfs {
        fs::create_dir_all(root.join("bus/pci/devices")).unwrap();
        Sysfs { root: root.to_path_buf() }
    }
    /// Adds a function at a path of addresses below `devices/pci0000:00`, outermost first, with the first `seen` bytes of its
    /// configuration space; gives its folder.
    pub fn function(&self, path: &[&str], config: &Config, seen: usize) -> String {
        let name = path.last().unwrap();
        let folder = format!("devices/pci0000:00/{}", path.join("/"));
        self.file(&format!("{folder}/config"), &config.bytes[..seen]);
        let id = |at: usize| format!("0x{:02x}{:02x}\n", config.bytes[at + 1], config.bytes[at]);
        self.file(&format!("{folder}/vendor"), id(0).as_bytes());
        self.file(&format!("{folder}/device"), id(2).as_bytes());
        let class = format!("0x{:02x}{:02x}{:02x}\n", config.bytes[11], config.bytes[10], config.bytes[9]);
        self.file(&format!("{folder}/class"), class.as_bytes());
        self.link(&format!("bus/pci/devices/{name}"), &format!("../../../{folder}"));
        folder
    }
    /// Adds a file, and the folders above it.
    pub fn file(&self, path: &str, content: &[u8]) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    /// Adds a symbolic link, and the folders above it.
    pub fn link(&self, path: &str, target: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(target, path).unwrap();
    }
}
