//! A file of finished points, one line each. Its first line identifies the survey.

use crate::error::Error;
use crate::survey::record::Record;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The first line.
#[derive(Serialize, Deserialize)]
struct Head {
    survey: String,
}

/// The line of a finished point.
#[derive(Serialize, Deserialize)]
struct Line {
    point: usize,
    records: Vec<Record>,
}

/// The finished points, in a file or in memory.
#[derive(Debug, Default)]
pub struct Journal {
    file: Option<(File, PathBuf)>,
    done: BTreeMap<usize, Vec<Record>>,
}

impl Journal {
    /// A journal in memory only.
    pub fn in_memory() -> Journal {
        Journal::default()
    }

    /// Creates a journal file next to the output file of the survey.
    ///
    /// # Errors
    /// A file that exists already: finished points are not discarded without a request.
    pub fn create(path: &Path, fingerprint: &str) -> Result<Journal, Error> {
        let file = File::create_new(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                let what = format!("{} holds the points of an interrupted sweep", path.display());
                Error::asked(what, "go on with --resume, or remove that file")
            }
            _ => unwritable(path, &error),
        })?;
        let mut journal = Journal { file: Some((file, path.to_path_buf())), done: BTreeMap::new() };
        // Without its first line it would be taken for that of another sweep.
        journal.line(&Head { survey: fingerprint.to_string() }).inspect_err(|_| drop(std::fs::remove_file(path)))?;
        Ok(journal)
    }

    /// Opens an existing journal with its points; creates a new one if there is none.
    ///
    /// # Errors
    /// A journal of another survey, or of a machine that has been changed since.
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
        // A line that was incomplete when the program ended does not count.
        let whole = lines.filter_map(|line| serde_json::from_slice::<Line>(&line).ok());
        let done: BTreeMap<usize, Vec<Record>> = whole.map(|line| (line.point, line.records)).collect();
        // Write the file again, so that no incomplete line stays in the middle. Until it is complete, the points are kept
        // where they are.
        let beside = path.with_extension(format!("{}.again", std::process::id()));
        Journal::again(&beside, fingerprint, done)
            .and_then(|mut journal| {
                std::fs::rename(&beside, path).map_err(|error| unwritable(path, &error))?;
                journal.file = journal.file.map(|(file, _)| (file, path.to_path_buf()));
                Ok(journal)
            })
            .inspect_err(|_| drop(std::fs::remove_file(&beside)))
    }

    fn again(path: &Path, fingerprint: &str, done: BTreeMap<usize, Vec<Record>>) -> Result<Journal, Error> {
        let mut journal = Journal::create(path, fingerprint)?;
        for (point, records) in done {
            journal.keep(point, records)?;
        }
        Ok(journal)
    }

    /// True if a point is finished.
    pub fn has(&self, point: usize) -> bool {
        self.done.contains_key(&point)
    }
    /// The number of finished points.
    pub fn len(&self) -> usize {
        self.done.len()
    }
    /// True if no point is finished.
    pub fn is_empty(&self) -> bool {
        self.done.is_empty()
    }
    /// Adds a finished point.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn keep(&mut self, point: usize, records: Vec<Record>) -> Result<(), Error> {
        let line = Line { point, records };
        self.line(&line)?;
        self.done.insert(point, line.records);
        Ok(())
    }
    /// The finished points as text, a line each, in the order of the points.
    pub fn lines(&self) -> String {
        let of = |(&point, records): (&usize, &Vec<Record>)| {
            serde_json::to_string(&Line { point, records: records.clone() }).unwrap_or_default() + "\n"
        };
        self.done.iter().map(of).collect()
    }
    /// Adds the points of `lines` that are not there yet.
    ///
    /// # Errors
    /// A line that is none of [`Journal::lines`]; a file that cannot be written.
    pub fn add(&mut self, lines: &str) -> Result<(), Error> {
        for line in lines.lines() {
            let read = serde_json::from_str::<Line>(line);
            let Line { point, records } = read
                .map_err(|error| Error::asked(format!("no line of a finished point: {error}"), "lines as they came"))?;
            if !self.has(point) {
                self.keep(point, records)?;
            }
        }
        Ok(())
    }
    /// All records, in the order of the points.
    pub fn records(&self) -> Vec<&Record> {
        self.done.values().flatten().collect()
    }
    /// Removes the file. Call this after its contents have been written elsewhere.
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
    let right = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "a disk with more space; --resume goes on",
        ErrorKind::FileTooLarge => "a higher limit of the size of files (`ulimit -f`); --resume goes on",
        _ => "a folder that exists and may be written",
    };
    Error::asked(format!("{} cannot be written: {error}", path.display()), right)
}
