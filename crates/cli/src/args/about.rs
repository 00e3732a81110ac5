//! Commands about lanescope itself: `systems`, `parts`, `kinds`, `metrics`, `completions`, `man`, `schema`.

use super::shared::Forms;
use crate::complete;
use clap::{Args, ValueHint};
use clap_complete::engine::ArgValueCompleter;
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
    #[arg(add = ArgValueCompleter::new(complete::kinds))]
    pub kind: Option<String>,
    #[command(flatten)]
    pub forms: Forms,
}

/// `metrics`.
#[derive(Debug, Args)]
pub struct Metrics {
    #[command(flatten)]
    pub forms: Forms,
}

/// `systems`.
#[derive(Debug, Args)]
pub struct Systems {
    #[command(flatten)]
    pub forms: Forms,
}

/// `parts`.
#[derive(Debug, Args)]
pub struct Parts {
    /// Every figure of this part, as in rosta/rc-47
    #[arg(add = ArgValueCompleter::new(complete::parts))]
    pub name: Option<String>,
    #[command(flatten)]
    pub forms: Forms,
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
    /// Write a page for each command into this folder, which is made where it is not there, in place of the first page on standard output
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}
