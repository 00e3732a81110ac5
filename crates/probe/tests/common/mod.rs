//! Machines for tests: dumps of real machines from an external folder, and small ones made here.

#![allow(dead_code, reason = "each test file uses what it needs")]

pub mod config;
pub mod tree;

use std::path::PathBuf;

/// The dumps in the folder that `LANESCOPE_DUMPS` names, with their names. Empty if it names none: the test then counts as skipped.
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

/// A file in `tests/machines`.
pub fn machine(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/machines").join(name)
}

/// An empty folder for one test.
pub fn fresh(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Pseudo-random numbers that are the same every time (xorshift).
pub struct Numbers(pub u64);

impl Numbers {
    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    /// The next number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}
