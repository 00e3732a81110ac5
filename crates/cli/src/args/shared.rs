//! What several commands ask for alike.

use clap::{Args, ValueHint};
use std::path::PathBuf;

/// Which machine, and what to change of it.
#[derive(Debug, Args)]
pub struct Machine {
    /// A machine that comes with lanescope (see `lanescope systems`), or a YAML file
    #[arg(value_hint = ValueHint::FilePath)]
    pub system: String,
    /// Override a field of the description
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
}

/// Which of an experiment's points.
#[derive(Debug, Args)]
pub struct Points {
    /// Which experiment; all of them where none is named
    pub experiment: Option<String>,
    /// Values of an axis, in place of those described
    #[arg(long = "axis", value_name = "NAME=VALUE,...")]
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
    /// JSON on standard output instead of tables; with =FILE into that file besides them
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub json: Option<Option<PathBuf>>,
    /// How many points at a time; the results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}
