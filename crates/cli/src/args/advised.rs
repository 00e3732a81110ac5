//! `advise`.

use super::shared::{Csv, Files};
use crate::complete;
use clap::{Args, ValueHint};
use clap_complete::engine::ArgValueCompleter;

pub(super) const ADVISE_EXAMPLES: &str = "\
Examples:
  lanescope advise office
  lanescope advise mine.yaml --machine gen4-workstation
  lspci -vvv > mine.txt; lanescope advise mine.yaml --machine mine.txt --json

mine.yaml:
  title: Two uncompressed films and what is stored beside them
  streams:
    play: { rate: 900 MB/s, count: 2, block: 1 MiB, in_flight: 16, growth: 1.5 }
    index: { iops: 20000, pattern: random, block: 4 KiB, latency: 300 us }
    start: { load: 50 GB, within: 60 s }
    save: { operation: write, rate: 50 MB/s }

A stream needs a `rate`, `iops`, or a `load` with the time `within` which it must be there. `latency` bounds the mean of a
block. The candidates are asked in the order of their list, cheapest first: lanescope knows no prices, and a workload may
have a list of its own (`candidates: { two: { part: ssd/gen4-nvme, drives: 2 } }`). Exit code 1: none carries it.";

/// `advise`.
#[derive(Debug, Args)]
pub struct Advise {
    /// What must be carried: a YAML file, or one that comes with lanescope (office, game, film, films, capture, cameras,
    /// backup, database)
    #[arg(value_hint = ValueHint::FilePath, add = ArgValueCompleter::new(complete::workloads))]
    pub workload: String,
    /// A described machine, or the free slots of a real one (what `lspci -vvv` printed, or a capture)
    #[arg(long, value_name = "SYSTEM|CAPTURE", value_hint = ValueHint::FilePath, add = ArgValueCompleter::new(complete::systems))]
    pub machine: Option<String>,
    /// Override a field of the machine's description
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub files: Files,
    #[command(flatten)]
    pub table: Csv,
}
