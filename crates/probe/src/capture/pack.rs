//! A tar in memory, without times and owners: the same machine gives the same bytes.
//!
//! Its entries are a tree that every tar unpacks: no path is a file and a folder, no entry lies below a link, and links are
//! relative.

use crate::error::Problem;
use std::collections::BTreeMap;
use tar::{Builder, EntryType, Header};

/// A tar under construction.
pub struct Pack {
    builder: Builder<Vec<u8>>,
    /// True for a file or link, false for a folder above one.
    seen: BTreeMap<String, bool>,
    failed: Option<Problem>,
}

impl Pack {
    /// An empty tar.
    pub fn new() -> Pack {
        Pack { builder: Builder::new(Vec::new()), seen: BTreeMap::new(), failed: None }
    }
    /// Adds a file, unless its path was added before.
    pub fn file(&mut self, path: &str, content: &[u8]) {
        if self.is_new(path) {
            let mut header = header(EntryType::Regular);
            header.set_size(content.len() as u64);
            let result = self.builder.append_data(&mut header, path, content);
            self.failed = self.failed.take().or(result.err().map(Problem::Io));
        }
    }
    /// Adds a symbolic link, unless its path was added before. `target` is a path from the root, as `path` is; the link
    /// leads there from its folder.
    pub fn link(&mut self, path: &str, target: &str) {
        if self.is_new(path) {
            let up = "../".repeat(path.matches('/').count());
            let result = self.builder.append_link(&mut header(EntryType::Symlink), path, format!("{up}{target}"));
            self.failed = self.failed.take().or(result.err().map(Problem::Io));
        }
    }
    /// The bytes of the tar.
    ///
    /// # Errors
    /// A path cannot be stored in a tar, or is a file and a folder.
    pub fn finish(self) -> Result<Vec<u8>, Problem> {
        match self.failed {
            Some(problem) => Err(problem),
            None => Ok(self.builder.into_inner()?),
        }
    }
    /// True if an entry has this path, or lies below it.
    pub fn has(&self, path: &str) -> bool {
        self.seen.contains_key(path)
    }

    /// Enters a path and the folders above it; false if it was there before. A path that is a file and a folder is an error
    /// of the whole.
    fn is_new(&mut self, path: &str) -> bool {
        let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        let all: Vec<(&str, bool)> = folders.map(|folder| (folder, false)).chain([(path, true)]).collect();
        let twice = all.iter().find(|(path, leaf)| self.seen.get(*path).is_some_and(|known| known != leaf));
        if let Some((path, _)) = twice {
            self.failed.get_or_insert_with(|| Problem::Collision((*path).to_string()));
            return false;
        }
        all.into_iter().fold(true, |_, (path, leaf)| self.seen.insert(path.to_string(), leaf).is_none())
    }
}

fn header(kind: EntryType) -> Header {
    let mut header = Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(if kind == EntryType::Symlink { 0o777 } else { 0o644 });
    header.set_size(0);
    header.set_mtime(0);
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_path_that_is_a_file_and_a_folder_refused_in_either_order() {
        for paths in [["a/class", "a/class/net"], ["a/class/net", "a/class"]] {
            let mut pack = Pack::new();
            paths.iter().for_each(|path| pack.file(path, b""));
            let problem = pack.finish().map(|bytes| bytes.len()).map_err(|problem| problem.to_string());
            assert_eq!(problem, Err("`a/class` would be a file and a folder of the capture".to_string()));
        }
        let mut pack = Pack::new();
        pack.link("block/sda", "devices/sda");
        pack.file("block/sda/size", b"1");
        assert!(pack.finish().is_err(), "an entry below a link would be written where the link leads");
    }

    #[test]
    fn is_the_first_of_two_entries_with_one_path_kept() -> Result<(), Problem> {
        let mut pack = Pack::new();
        pack.file("a/b", b"first");
        pack.file("a/b", b"second");
        let bytes = pack.finish()?;
        assert!(
            bytes.windows(5).any(|window| window == b"first") && !bytes.windows(6).any(|window| window == b"second")
        );
        Ok(())
    }
}
