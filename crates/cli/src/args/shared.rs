//! What several commands ask for alike.

use crate::complete;
use clap::{Args, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use std::path::PathBuf;

/// Which machine, and what to change of it.
#[derive(Debug, Args)]
pub struct MachineArgs {
    /// A machine that comes with lanescope (see `lanescope systems`), or a YAML file
    #[arg(value_hint = ValueHint::FilePath, add = ArgValueCompleter::new(complete::systems))]
    pub system: String,
    /// Override a field of the description
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
}

/// Which of an experiment's points.
#[derive(Debug, Args)]
pub struct Points {
    /// Which experiment; all of them where none is named
    #[arg(add = ArgValueCompleter::new(complete::experiments))]
    pub experiment: Option<String>,
    /// Values of an axis, in place of those described
    #[arg(long = "axis", value_name = "NAME=VALUE,...", add = ArgValueCompleter::new(complete::axes))]
    pub axis: Vec<String>,
}

/// What answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// The simulation, TLP by TLP
    Sim,
    /// The closed form: faster
    Limit,
}

/// Where results go, and on how many cores they are made.
#[derive(Debug, Args)]
pub struct Files {
    /// JSON on standard output instead of tables; with =FILE into that file besides them. docs/json.md has every field
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub json: Option<Option<PathBuf>>,
    /// How many points at a time; the results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// The forms of an answer that is a table.
#[derive(Clone, Debug, Args)]
pub struct Forms {
    /// As JSON; docs/json.md has every field
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    #[command(flatten)]
    pub table: Csv,
}

/// A table for programs.
#[derive(Clone, Debug, Args)]
pub struct Csv {
    /// Also as CSV into this file; - is standard output, in place of the table
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub csv: Option<PathBuf>,
}
