//! `bench`.

use super::shared::Csv;
use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

pub(super) const BENCH_EXAMPLES: &str = "\
Examples:
  sudo lanescope bench disk /dev/nvme0n1
  sudo lanescope bench disk /dev/sda /dev/sdb /dev/sdc --json=result.json
  lanescope bench disk big.file --block 4KiB,128KiB --depth 1,4,16,64 --pattern random";

const DISK_EXAMPLES: &str = "\
Examples:
  sudo lanescope bench disk /dev/nvme0n1
  sudo lanescope bench disk /dev/sda /dev/sdb /dev/sdc --json=result.json
  sudo lanescope bench disk /dev/nvme*n1 --subsets nvme0n1,nvme1n1 --time 10s
  lanescope bench disk big.file --block 4KiB,128KiB --depth 1,4,16,64 --pattern random
  sudo lanescope bench disk /dev/nvme0n1 --block 4KiB --depth 256 --pattern random --rate 400MB/s

Drives are read, past the page cache (O_DIRECT), and never written. Each runs alone, then those that share a bridge in pairs and
as a group, then all at once; --subsets names others. A run begins to count after --warm-up. It is steady if its ten parts stay
within a tenth of their mean and do not rise or fall by more than a tenth. `busy` is the CPU time of the thread that reads a
drive: where that is near 100 %, the generator is the limit and not the drive.";

/// `bench`.
#[derive(Debug, Args)]
pub struct Bench {
    /// What is measured.
    #[command(subcommand)]
    pub what: BenchWhat,
}

/// What `bench` measures.
#[derive(Debug, Subcommand)]
pub enum BenchWhat {
    /// Disks: alone and together, beside what their path allows
    #[command(after_help = DISK_EXAMPLES)]
    Disk(BenchDisk),
}

/// `bench disk`.
#[derive(Debug, Args)]
pub struct BenchDisk {
    /// Block devices, or files that stand for them
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub paths: Vec<String>,
    /// Lengths of a block
    #[arg(long, value_name = "BYTES,...", default_value = "128KiB")]
    pub block: String,
    /// Blocks in flight at each drive
    #[arg(long, value_name = "N,...", default_value = "32")]
    pub depth: String,
    /// sequential, random, or both
    #[arg(long, value_name = "ORDER,...", default_value = "sequential")]
    pub pattern: String,
    /// Ask each drive for so much, evenly in time; latencies then count from when a block was due
    #[arg(long, value_name = "RATE")]
    pub rate: Option<String>,
    /// Drives that run at once, by their names; once for each subset
    #[arg(long = "subsets", value_name = "DRIVE,...")]
    pub subsets: Vec<String>,
    /// How long each run counts
    #[arg(long, value_name = "TIME", default_value = "4s")]
    pub time: String,
    /// How long each run goes on before that
    #[arg(long = "warm-up", value_name = "TIME", default_value = "1s")]
    pub warm_up: String,
    /// JSON on standard output instead of the table; with =FILE into that file besides it
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub json: Option<Option<PathBuf>>,
    #[command(flatten)]
    pub table: Csv,
}
