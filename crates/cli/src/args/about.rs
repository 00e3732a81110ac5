//! Commands about lanescope itself: `kinds`, `completions`, `man`, `schema`.

use clap::{Args, ValueHint};
use std::path::PathBuf;

pub(super) const SCHEMA_EXAMPLES: &str = "\
Example:
  lanescope schema > description.schema.json
and as the first line of a description:
  # yaml-language-server: $schema=description.schema.json";

/// `kinds`.
#[derive(Debug, Args)]
pub struct Kinds {
    /// Only this kind
    pub kind: Option<String>,
}

/// `completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// Which shell
    pub shell: clap_complete::Shell,
}

/// `man`.
#[derive(Debug, Args)]
pub struct Man {
    /// Write a page for each command into this folder, in place of the first page on standard output
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}
