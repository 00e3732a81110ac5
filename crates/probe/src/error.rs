//! Errors: why an input could not be read as a machine.

use crate::plain::plain;
use miette::Diagnostic;
use std::path::{Path, PathBuf};

/// A problem with an input.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The file or folder cannot be read or written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A compression format that is not supported.
    #[error("this is {0}, which is not read")]
    Compressed(&'static str),
    /// A tar that cannot be unpacked.
    #[error("the archive is damaged: {0}")]
    Archive(String),
    /// More bytes than any machine has.
    #[error("more than {0} MiB: no machine is that large")]
    TooLarge(usize),
    /// An empty input.
    #[error("there is nothing in it")]
    Empty,
    /// Text without a single function.
    #[error("no function of `lspci` output was found in it")]
    NoFunctions,
    /// A capture or a tar beside other files.
    #[error("this is no text: of several files, each is a text of one machine")]
    NoText,
    /// A folder that is not a sysfs tree.
    #[error("there is no bus/pci/devices in it")]
    NoSysfs,
    /// A tree of which no archive can be made.
    #[error("`{0}` would be a file and a folder of the capture")]
    Collision(String),
    /// A capture of a later format.
    #[error("the capture has format {0}, and {1} is the latest that is known here")]
    Format(String, u32),
}

/// A problem, and the file that has it.
#[derive(Debug, thiserror::Error)]
#[error("{}: {}", plain(&path.display().to_string()), plain(&problem.to_string()))]
pub struct Error {
    /// The file or folder.
    pub path: PathBuf,
    /// The problem.
    pub problem: Problem,
}

impl Error {
    /// An error about a file.
    pub fn new(path: &Path, problem: impl Into<Problem>) -> Error {
        Error { path: path.to_path_buf(), problem: problem.into() }
    }
}

impl Diagnostic for Error {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        let help = match &self.problem {
            Problem::Io(_) => return None,
            Problem::Compressed(_) => "unpack it first; zstd, gzip and xz are read as they are",
            Problem::Archive(_) => "a capture made by `lanescope capture`, or a tar of a sysfs tree",
            Problem::TooLarge(_) => "the output of `lspci -vvv`, `lspci -xxxx` or `lanescope capture` of one machine",
            Problem::Empty | Problem::NoFunctions => {
                "what `lspci -vvv`, `lspci -xxx` or `lspci -xxxx` prints (better with sudo), or a capture"
            }
            Problem::NoText => "a capture holds all that there is of a machine: give it alone",
            Problem::NoSysfs => "the root of a sysfs tree, as /sys is: the folder that holds `bus` and `devices`",
            Problem::Collision(_) => "a sysfs tree as the kernel makes it: there, a path is one of both",
            Problem::Format(..) => "a newer lanescope reads it",
        };
        Some(Box::new(help))
    }
}
