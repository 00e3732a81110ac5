//! Machines for tests: dumps of real ones from a folder outside, and small ones made here.

#![allow(dead_code, reason = "each test file uses what it needs")]

pub mod config;
pub mod tree;

use std::path::PathBuf;

/// The dumps of the folder that `LANESCOPE_DUMPS` names, by name; none where it names none, which counts as skipped.
pub fn dumps(test: &str) -> Vec<(String, PathBuf)> {
    let Some(folder) = testing::folder(test, "LANESCOPE_DUMPS") else { return Vec::new() };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "txt"));
    paths.sort();
    assert!(!paths.is_empty(), "a folder of dumps without a dump");
    let name = |path: &PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
    paths.into_iter().map(|path| (name(&path), path)).collect()
}

/// The text of a file.
pub fn text(path: &PathBuf) -> String {
    String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned()
}

/// A file beside the tests.
pub fn machine(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/machines").join(name)
}

/// A folder of this test's own, empty.
pub fn fresh(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Numbers that look random and are the same every time (xorshift).
pub struct Numbers(pub u64);

impl Numbers {
    /// The next one.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    /// Below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}
