//! The files of a tar, in memory.

use crate::error::Problem;
use crate::sysfs::files::{Files, resolve};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use tar::EntryType;

/// The most bytes that are read of a file.
const MOST_BYTES: u64 = 64 << 10;
/// The most entries of a tar.
const MOST_ENTRIES: usize = 1 << 20;
/// The most links that are followed; a longer chain is a loop.
const MOST_LINKS: usize = 16;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    File(Vec<u8>),
    Link(String),
}

/// The entries of a tar. The root is the folder that holds `bus/pci/devices`, wherever it is in the tar.
pub struct Archive {
    entries: BTreeMap<String, Entry>,
    folders: BTreeMap<String, BTreeSet<String>>,
}

impl Archive {
    /// Reads all entries; those that are neither files nor symbolic links are skipped.
    ///
    /// # Errors
    /// The tar is damaged, or has too many entries.
    pub fn new(bytes: &[u8]) -> Result<Archive, Problem> {
        let damaged = |error: std::io::Error| Problem::Archive(error.to_string());
        let mut entries = BTreeMap::new();
        for entry in tar::Archive::new(bytes).entries().map_err(damaged)? {
            let mut entry = entry.map_err(damaged)?;
            if entries.len() >= MOST_ENTRIES {
                return Err(Problem::Archive(format!("more than {MOST_ENTRIES} entries")));
            }
            let Some(path) = entry.path().ok().and_then(|path| clean(&path.to_string_lossy())) else { continue };
            match entry.header().entry_type() {
                EntryType::Regular | EntryType::Continuous => {
                    let mut content = Vec::new();
                    entry.by_ref().take(MOST_BYTES).read_to_end(&mut content).map_err(damaged)?;
                    entries.insert(path, Entry::File(content));
                }
                EntryType::Symlink => {
                    let target = entry.link_name().ok().flatten();
                    entries.extend(target.map(|target| (path, Entry::Link(target.to_string_lossy().into_owned()))));
                }
                _ => {}
            }
        }
        Ok(Archive::rooted(entries))
    }

    fn rooted(entries: BTreeMap<String, Entry>) -> Archive {
        const MARK: &str = "bus/pci/devices/";
        let prefixes = entries.keys().filter_map(|path| path.find(MARK).map(|at| &path[..at]));
        let prefix = prefixes.min_by_key(|prefix| prefix.len()).unwrap_or("").to_string();
        let strip = |(path, entry): (String, Entry)| Some((path.strip_prefix(&prefix)?.to_string(), entry));
        let entries: BTreeMap<String, Entry> = entries.into_iter().filter_map(strip).collect();
        let mut folders: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for path in entries.keys() {
            let mut rest = path.as_str();
            while let Some((folder, name)) = rest.rsplit_once('/') {
                if !folders.entry(folder.to_string()).or_default().insert(name.to_string()) {
                    break;
                }
                rest = folder;
            }
        }
        Archive { entries, folders }
    }

    /// The path with its symbolic links followed; `None` for a loop, or for a link that leads above the root.
    fn real(&self, path: &str) -> Option<String> {
        let mut path = path.to_string();
        for _ in 0..MOST_LINKS {
            let Some((at, target)) = self.first_link(&path) else { return Some(path) };
            let rest = path[at..].to_string();
            path = resolve(&path[..at], target)? + &rest;
        }
        None
    }
    /// The shortest beginning of the path that is a link: its length and its target.
    fn first_link(&self, path: &str) -> Option<(usize, &str)> {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.filter_map(|end| match self.entries.get(&path[..end]) {
            Some(Entry::Link(target)) => Some((end, target.as_str())),
            _ => None,
        })
        .next()
    }
}

/// The path without `.` parts; `None` if it is empty or has `..` parts.
fn clean(path: &str) -> Option<String> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    (!parts.is_empty() && !parts.contains(&"..")).then(|| parts.join("/"))
}

impl Files for Archive {
    fn read(&self, path: &str) -> Option<Vec<u8>> {
        match self.entries.get(&self.real(path)?)? {
            Entry::File(content) => Some(content.clone()),
            Entry::Link(_) => None,
        }
    }
    fn list(&self, path: &str) -> Vec<String> {
        let names = self.real(path).and_then(|path| self.folders.get(&path));
        names.map_or_else(Vec::new, |names| names.iter().cloned().collect())
    }
    fn link(&self, path: &str) -> Option<String> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = self.real(folder)?;
        let whole = if folder.is_empty() { name.to_string() } else { format!("{folder}/{name}") };
        match self.entries.get(&whole)? {
            Entry::Link(target) => Some(target.clone()),
            Entry::File(_) => None,
        }
    }
    fn is_folder(&self, path: &str) -> bool {
        self.real(path).is_some_and(|path| self.folders.contains_key(&path))
    }
}
