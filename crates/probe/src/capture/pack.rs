//! A tar in memory, without times and owners: the same machine gives the same bytes.

use crate::error::Problem;
use std::collections::BTreeSet;
use tar::{Builder, EntryType, Header};

/// A tar under construction.
pub struct Pack {
    builder: Builder<Vec<u8>>,
    seen: BTreeSet<String>,
    failed: Option<std::io::Error>,
}

impl Pack {
    /// An empty tar.
    pub fn new() -> Pack {
        Pack { builder: Builder::new(Vec::new()), seen: BTreeSet::new(), failed: None }
    }
    /// Adds a file, unless its path was added before.
    pub fn file(&mut self, path: &str, content: &[u8]) {
        if self.is_new(path) {
            let mut header = header(EntryType::Regular);
            header.set_size(content.len() as u64);
            let result = self.builder.append_data(&mut header, path, content);
            self.failed = self.failed.take().or(result.err());
        }
    }
    /// Adds a symbolic link, unless its path was added before.
    pub fn link(&mut self, path: &str, target: &str) {
        if self.is_new(path) {
            let result = self.builder.append_link(&mut header(EntryType::Symlink), path, target);
            self.failed = self.failed.take().or(result.err());
        }
    }
    /// The bytes of the tar.
    ///
    /// # Errors
    /// A path cannot be stored in a tar.
    pub fn finish(self) -> Result<Vec<u8>, Problem> {
        match self.failed {
            Some(error) => Err(Problem::Io(error)),
            None => Ok(self.builder.into_inner()?),
        }
    }

    fn is_new(&mut self, path: &str) -> bool {
        self.seen.insert(path.to_string())
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
