//! Commands that ask more of a described machine than one answer: `fit`, `calibrate`, `tune`, `sweep`.

use super::shared::{Csv, Engine, Files, MachineArgs};
use crate::complete;
use clap::{Args, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use std::path::PathBuf;

pub(super) const FIT_EXAMPLES: &str = "\
Examples:
  lanescope fit mine.yaml --params host.read_latency,host.command_cost --on mine.csv
  lanescope fit kfcr-5400 --params host.read_latency,card.command_latency --on kfcr.csv --rows 'dma-read core=p'
  lanescope fit kfcr-5400 --params host.pio_gap --on kfcr.csv --rows pio-write --hold-out 'pio-write lanes=4'
  lanescope fit kfcr-5400 --params host.command_cost --on kfcr.csv --rows 'dma-read core=kf size=512,4096' --hold-out rest
  lanescope fit mine.yaml --params host.a.port_cap --start 'host.a.port_cap=3 GB/s' --on mine.csv --by limit
  lanescope fit mine.yaml --params card.read_requests,host.read_latency --choose card.read_requests=32,64 --on mine.csv

A pattern of rows is an experiment, axis=value pairs and a metric, each left out at will: `dma-read size=4096..`.
A figure is named by its path as in --set: of a part, of one port (host.a.port_cap), or of a choice of an axis
(axes.core.p.card.command_latency). Counts and words (read_requests, start_alignment) are found too, by trying all that
they may be, or those that --choose lists. What misses the rows by more than 4 % in the mean is no fit, and a search that
has not converged has no result: it says so and why, nothing is printed to write down, and the exit code is 1.
Of a continuous figure, the standard error is told; a figure of which the others could take over more than 0.95 of
its effect (the global correlation) is warned of. Ctrl-C ends with the best figures so far.";

pub(super) const STREAM_EXAMPLES: &str = "\
Examples:
  lanescope stream bit-nvme-zcu106 sequential --axis gen=3 --axis drives=1 --axis op=write
  lanescope stream mine.yaml record --bytes 4000GB --json

The state of a drive (its cache, garbage collection) turns after so many bytes written, which its kind declares. From one turn
to the next, a sample as long as the experiment's `volume` is simulated TLP by TLP, and named; a part with a turn in it has the
mean of both. --json and --csv give the rate of every part.";

pub(super) const TUNE_EXAMPLES: &str = "\
Examples:
  lanescope tune gen4-workstation dma-read --axis lanes=8
  lanescope tune mine.yaml write --axis cards=2 --json

What is described is what the devices can do at most: Max_Payload_Size up to what every part on the way supports, tags up
to what the cards have and the host answers, counts that a driver chooses (read_requests, ring_ahead) up to what is
described. A payload that an experiment lists is left to Max_Payload_Size, unless --axis payload=... asks for one.
Of a latency the least is looked for, of everything else the most; of several points, the mean of their logarithms.";

pub(super) const SWEEP_EXAMPLES: &str = "\
Examples:
  lanescope sweep gen4-workstation dma-read --over host.read_latency=200ns..800ns..200ns --over requests=1,8,64
  lanescope sweep mine.yaml read --over requests=1..64/7log --out read.csv
  lanescope sweep mine.yaml --over host.read_latency=200ns..2us --over card.fifo=4KiB..64KiB --sample 500 --out all.json
  lanescope sweep mine.yaml --over host.read_latency=200ns..2us/1000log --out all.csv --resume

A name with a point is a field, as in --set; one without is an axis of the experiment. Values are a list, or a range:
LOW..HIGH..STEP, LOW..HIGH/COUNT, LOW..HIGH/COUNTlog; for --sample, LOW..HIGH or LOW..HIGHlog. A field that an axis of the
experiment sets is swept by that axis; two settings of one field are refused.
With --out, every finished point is kept in FILE.part until all are there: after Ctrl-C, the same command with --resume
goes on, and writes the bytes that it would have written in one go.";

pub(super) const CALIBRATE_EXAMPLES: &str = "\
Examples:
  lanescope calibrate
  lanescope calibrate --on mine.csv --slot 'gen3 x8' --card generic/gen3-card --set settings.mrrs=512
  lanescope calibrate --on mine.csv --host generic/gen4-host --slot 'gen4 x8' --card generic/gen4-card --out mine.yaml
  lanescope calibrate mine.yaml --on mine.csv

Without --on, it says which measurements it needs, and which figure of the host each of them determines. The figures of the
card are taken as they are described: set what you know of it (--set card.rx_latency=80ns). The column `system` of the rows
names any machine, the same in all of them. Of each figure the standard error is told. What the measurements do not
determine keeps its default, and the reason is told. What is not met within 4 % in the mean is no calibration: exit code 1.";

/// `calibrate`.
#[derive(Debug, Args)]
pub struct Calibrate {
    /// A machine with experiments of your own, in place of the host, link and card that the options name
    #[arg(value_hint = ValueHint::FilePath, add = ArgValueCompleter::new(complete::systems))]
    pub system: Option<String>,
    /// What was measured: a CSV in the columns of a reference
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath)]
    pub on: Option<String>,
    /// The entry of the catalogue that the host begins with, for what is not found
    #[arg(long, value_name = "PART", default_value = "generic/gen3-host", add = ArgValueCompleter::new(complete::parts))]
    pub host: String,
    /// The entry of the catalogue of the card that measured
    #[arg(long, value_name = "PART", default_value = "generic/gen3-card", add = ArgValueCompleter::new(complete::parts))]
    pub card: String,
    /// What the slot can
    #[arg(long, value_name = "GEN LANES", default_value = "gen3 x8")]
    pub slot: String,
    /// Override a field of the description
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// What answers for a row
    #[arg(long, value_enum, default_value_t = Engine::Sim)]
    pub by: Engine,
    /// The machine with the host that was found, as a description
    #[arg(long, value_name = "FILE.yaml", value_hint = ValueHint::FilePath, conflicts_with = "system", requires = "on")]
    pub out: Option<PathBuf>,
    /// Every row beside what was found for it
    #[arg(long)]
    pub detail: bool,
    #[command(flatten)]
    pub files: Files,
}

/// `fit`.
#[derive(Debug, Args)]
pub struct Fit {
    #[command(flatten)]
    pub machine: MachineArgs,
    /// The unknown figures, by their paths as in --set; joined by + where they share one number
    #[arg(long, value_name = "PATH,...", required = true, value_delimiter = ',')]
    pub params: Vec<String>,
    /// What was measured: a CSV in the columns of a reference, or one that comes with lanescope (kfcr.csv, rosta.csv)
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath)]
    pub on: String,
    /// Only these rows, in place of all rows of the machine
    #[arg(long, value_name = "PATTERN")]
    pub rows: Vec<String>,
    /// Rows that are predicted, not fitted on; `rest` for all that --rows leaves
    #[arg(long, value_name = "PATTERN|rest")]
    pub hold_out: Vec<String>,
    /// Where the search starts, in place of where the figure is described
    #[arg(long, value_name = "PATH=VALUE")]
    pub start: Vec<String>,
    /// The values that a figure is chosen from, in place of all that are legal
    #[arg(long, value_name = "PATH=VALUE,VALUE,...")]
    pub choose: Vec<String>,
    /// What answers for a row
    #[arg(long, value_enum, default_value_t = Engine::Sim)]
    pub by: Engine,
    /// Every row beside what was found for it
    #[arg(long)]
    pub detail: bool,
    #[command(flatten)]
    pub files: Files,
    #[command(flatten)]
    pub table: Csv,
}

/// `tune`.
#[derive(Debug, Args)]
pub struct Tune {
    #[command(flatten)]
    pub machine: MachineArgs,
    /// The experiment whose flows are to be fast
    #[arg(add = ArgValueCompleter::new(complete::experiments))]
    pub experiment: String,
    /// Values of an axis, in place of those described
    #[arg(long = "axis", value_name = "NAME=VALUE,...", add = ArgValueCompleter::new(complete::axes))]
    pub axis: Vec<String>,
    #[command(flatten)]
    pub files: Files,
    #[command(flatten)]
    pub table: Csv,
}

/// `stream`.
#[derive(Debug, Args)]
pub struct Stream {
    #[command(flatten)]
    pub machine: MachineArgs,
    /// The experiment whose flows are those of drives
    #[arg(add = ArgValueCompleter::new(complete::experiments))]
    pub experiment: String,
    /// Values of an axis, in place of those described
    #[arg(long = "axis", value_name = "NAME=VALUE,...", add = ArgValueCompleter::new(complete::axes))]
    pub axis: Vec<String>,
    /// What each drive moves
    #[arg(long, value_name = "BYTES", default_value = "1000 GB")]
    pub bytes: String,
    /// A rate for each so many bytes of it
    #[arg(long, value_name = "BYTES", default_value = "1 GB")]
    pub each: String,
    #[command(flatten)]
    pub files: Files,
    #[command(flatten)]
    pub table: Csv,
}

/// `sweep`.
#[derive(Debug, Args)]
pub struct Sweep {
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Which experiment; all of them where none is named
    #[arg(add = ArgValueCompleter::new(complete::experiments))]
    pub experiment: Option<String>,
    /// What is swept, and over which values
    #[arg(long, value_name = "NAME=VALUES", required = true, add = ArgValueCompleter::new(complete::axes))]
    pub over: Vec<String>,
    /// So many samples in place of every combination
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub sample: Option<u32>,
    /// Another seed, other samples
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "sample")]
    pub seed: u32,
    /// What answers at a point
    #[arg(long, value_enum, default_value_t = Engine::Sim)]
    pub by: Engine,
    /// Where to, by the ending of the file; CSV on standard output where none is named, or -
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help = out_help())]
    pub out: Option<PathBuf>,
    /// Go on with what an interrupted sweep has kept
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// How many points at a time; the results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// On the workers of a Dask scheduler, by the Python package; LANESCOPE_PYTHON names another Python than python3
    #[arg(long, value_name = "ADDRESS", conflicts_with = "threads")]
    pub dask: Option<String>,
}

/// What is said of `--out`.
fn out_help() -> String {
    format!("Where to: {}; CSV on standard output where none is named, or -", view::survey::Form::endings(true))
}
