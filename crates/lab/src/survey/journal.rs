//! Finished points, kept on disk as they are made: a line each, behind a first line that says of which survey.

use crate::error::Error;
use crate::survey::Record;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    survey: String,
}

/// A finished point.
#[derive(Serialize, Deserialize)]
struct Line {
    point: usize,
    records: Vec<Record>,
}

/// What is finished.
#[derive(Debug, Default)]
pub struct Journal {
    file: Option<(File, PathBuf)>,
    done: BTreeMap<usize, Vec<Record>>,
}

impl Journal {
    /// One in memory only.
    pub fn in_memory() -> Journal {
        Journal::default()
    }

    /// A new one beside the file that the survey is for.
    ///
    /// # Errors
    /// One that is there already: finished points are not thrown away unasked.
    pub fn create(path: &Path, fingerprint: &str) -> Result<Journal, Error> {
        let file = File::create_new(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                let what = format!("{} holds the points of an interrupted sweep", path.display());
                Error::asked(what, "go on with --resume, or remove that file")
            }
            _ => unwritable(path, &error),
        })?;
        let mut journal = Journal { file: Some((file, path.to_path_buf())), done: BTreeMap::new() };
        journal.line(&Head { survey: fingerprint.to_string() })?;
        Ok(journal)
    }

    /// One that was begun, with what it holds; a new one where there is none.
    ///
    /// # Errors
    /// One of another survey, or of a machine that has been changed since.
    pub fn resume(path: &Path, fingerprint: &str) -> Result<Journal, Error> {
        if !path.exists() {
            return Journal::create(path, fingerprint);
        }
        let other = || {
            let what = format!("{} is of another sweep", path.display());
            Error::asked(what, "the same machine, the same options; or remove that file")
        };
        let file = File::open(path).map_err(|error| unwritable(path, &error))?;
        let mut lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
        let head: Head = lines.next().and_then(|line| serde_json::from_slice(&line).ok()).ok_or_else(other)?;
        if head.survey != fingerprint {
            return Err(other());
        }
        // A line that was being written when the program ended is no point.
        let whole = lines.filter_map(|line| serde_json::from_slice::<Line>(&line).ok());
        let done: BTreeMap<usize, Vec<Record>> = whole.map(|line| (line.point, line.records)).collect();
        // Written anew, so that half a line does not stay in the middle.
        std::fs::remove_file(path).map_err(|error| unwritable(path, &error))?;
        let mut journal = Journal::create(path, fingerprint)?;
        for (point, records) in done {
            journal.keep(point, records)?;
        }
        Ok(journal)
    }

    /// True where a point is finished.
    pub fn has(&self, point: usize) -> bool {
        self.done.contains_key(&point)
    }
    /// How many are.
    pub fn len(&self) -> usize {
        self.done.len()
    }
    /// True where none is.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }
    /// One more.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn keep(&mut self, point: usize, records: Vec<Record>) -> Result<(), Error> {
        let line = Line { point, records };
        self.line(&line)?;
        self.done.insert(point, line.records);
        Ok(())
    }
    /// All lines, in the order of the points.
    pub fn records(&self) -> Vec<&Record> {
        self.done.values().flatten().collect()
    }
    /// Removes the file: what it held is elsewhere.
    pub fn remove(&mut self) {
        if let Some((_, path)) = self.file.take() {
            let _ = std::fs::remove_file(path);
        }
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), Error> {
        let Some((file, path)) = &mut self.file else { return Ok(()) };
        let text = serde_json::to_string(value).unwrap_or_default() + "\n";
        file.write_all(text.as_bytes()).map_err(|error| unwritable(path, &error))
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::asked(format!("{} cannot be written: {error}", path.display()), "a folder that exists and may be written")
}
