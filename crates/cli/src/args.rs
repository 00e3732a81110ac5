//! The command line.

mod about;
mod advised;
mod described;
mod explored;
mod measured;
mod real;
mod shared;
mod symbols;

pub use about::{Completions, Kinds, Man, Metrics, Parts, Systems};
pub use advised::Advise;
pub use described::{Limit, Run, Show, Traced, Validate};
pub use explored::{Calibrate, Fit, Stream, Sweep, Tune};
pub use measured::{Bench, BenchCard, BenchDisk, BenchFile, BenchForms, BenchWhat, Explain};
pub use real::{Capture, Describe, Diff, Inspect};
pub use shared::{Csv, Engine, Files, Forms};
pub use symbols::{Symbols, SymbolsMake, SymbolsRead, SymbolsWhat};

use crate::complete;
use about::SCHEMA_EXAMPLES;
use advised::ADVISE_EXAMPLES;
use clap::{Parser, Subcommand};
use clap_complete::engine::ArgValueCompleter;
use described::{LIMIT_EXAMPLES, RUN_EXAMPLES, VALIDATE_EXAMPLES};
use explored::{CALIBRATE_EXAMPLES, FIT_EXAMPLES, STREAM_EXAMPLES, SWEEP_EXAMPLES, TUNE_EXAMPLES};
use measured::{BENCH_EXAMPLES, EXPLAIN_EXAMPLES};
use real::{DESCRIBE_EXAMPLES, DIFF_EXAMPLES, INSPECT_EXAMPLES};
use symbols::SYMBOLS_EXAMPLES;

const EXAMPLES: &str = "\
Examples:
  lanescope limit --link gen4x8 --mps 256 --latency 1us
  lanescope show rosta-rb8v7
  lanescope run rosta-rb8v7 p2p-write
  lanescope run kfcr-5400 dma-read --set host.read_latency=500ns
  lanescope validate
  lanescope inspect

Exit codes: 0 done, 1 a stated bound is broken or a machine has an error, 2 bad input, 130 interrupted with what was finished kept.";

/// Where the bandwidth of a PCI Express system goes.
#[derive(Debug, Parser)]
#[command(name = "lanescope", version, about, after_help = EXAMPLES)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// All rates in this unit: MB/s, MiB/s, GB/s, GiB/s or Gbit/s
    #[arg(long, global = true, value_name = "UNIT", value_parser = rate_unit, add = ArgValueCompleter::new(complete::units))]
    pub unit: Option<lab::Unit>,
}

fn rate_unit(word: &str) -> Result<lab::Unit, String> {
    let rates = || lab::Unit::ALL.into_iter().filter(|unit| unit.is_rate()).map(lab::Unit::word);
    let found = lab::Unit::from_word(word).filter(|unit| unit.is_rate());
    found.ok_or_else(|| format!("one of {}", rates().collect::<Vec<_>>().join(", ")))
}

/// What can be asked.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The described machine with all that training and firmware settle, and why
    #[command(
        after_help = "Examples:\n  lanescope show rosta-rb8v7 --figures --set card.mps=256\n  lanescope show rosta-rb8v7 --csv - | grep assumed"
    )]
    Show(Show),
    /// The rate that a machine, or a bare link, allows, and what stands in the way
    #[command(after_help = LIMIT_EXAMPLES)]
    Limit(Limit),
    /// Simulate experiments TLP by TLP, beside their limits and published figures
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
    /// A stream of 1000 GB to or from drives, with a rate for each gigabyte of it
    #[command(after_help = STREAM_EXAMPLES)]
    Stream(Stream),
    /// Which drives carry a workload, cheapest first, with headroom and load times; on a given machine, in which slot
    #[command(after_help = ADVISE_EXAMPLES)]
    Advise(Advise),
    /// Find figures that nobody knows from measurements, with their uncertainty
    #[command(after_help = FIT_EXAMPLES)]
    Fit(Fit),
    /// From a few measurements of a machine to a description of its host, with the error of each figure
    #[command(after_help = CALIBRATE_EXAMPLES)]
    Calibrate(Calibrate),
    /// The best MPS, MRRS, tags and queue sizes within what the devices allow, and how to set them
    #[command(after_help = TUNE_EXAMPLES)]
    Tune(Tune),
    /// Simulate over any fields and axes, in full or sampled, into a table
    #[command(after_help = SWEEP_EXAMPLES)]
    Sweep(Sweep),
    /// Every published figure against the simulation
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(Validate),
    /// The machines that come with lanescope, and their experiments
    #[command(after_help = "Example:\n  lanescope systems --json | jq -r '.[].system'")]
    Systems(Systems),
    /// The known parts that a description can be made of; of one, every figure and where it comes from
    #[command(after_help = "Examples:\n  lanescope parts\n  lanescope parts rosta/rc-47\n  lanescope parts --csv -")]
    Parts(Parts),
    /// The kinds of part and their fields
    #[command(after_help = "Example:\n  lanescope kinds dma-card\n  lanescope kinds --json")]
    Kinds(Kinds),
    /// What an experiment or a table of measurements may measure, and in which units
    #[command(after_help = "Example:\n  lanescope metrics --json | jq -r '.[].metric'")]
    Metrics(Metrics),
    /// Files of symbols: what every lane of a link carries, made of random packets, and read
    #[command(after_help = SYMBOLS_EXAMPLES)]
    Symbols(Symbols),
    /// A real machine: its tree, what its links allow, and what is wrong with it
    #[command(after_help = INSPECT_EXAMPLES)]
    Inspect(Inspect),
    /// A real machine as a description, to change and to run: its parts, links and settings as found
    #[command(after_help = DESCRIBE_EXAMPLES)]
    Describe(Describe),
    /// Measure what drives of this machine give, alone and together, beside what their path allows
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(Bench),
    /// Why measured rates are what they are: which causes fit, with their figures, and what would tell those apart that do
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(Explain),
    /// Two views of one machine: what changed, and what it means in MB/s
    #[command(after_help = DIFF_EXAMPLES)]
    Diff(Diff),
    /// Save this machine so that somebody else can inspect it: no serial numbers, no addresses
    #[command(after_help = "Example:\n  sudo lanescope capture mine.tar.zst")]
    Capture(Capture),
    /// Completions for a shell, on standard output
    #[command(
        after_help = "Example:\n  lanescope completions bash > ~/.local/share/bash-completion/completions/lanescope"
    )]
    Completions(Completions),
    /// Manual pages, one for each command
    #[command(after_help = "Example:\n  lanescope man --dir ~/.local/share/man/man1")]
    Man(Man),
    /// The JSON Schema of a description, for editors that complete and check
    #[command(after_help = SCHEMA_EXAMPLES)]
    Schema,
}
