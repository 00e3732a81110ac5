//! The command line.

use clap::{Args, Parser, Subcommand, ValueHint};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lanescope limit --link gen4x8 --mps 256 --latency 1us
  lanescope show rosta-rb8v7
  lanescope run rosta-rb8v7 p2p-write
  lanescope run kfcr-5400 dma-read --set host.read_latency=500ns
  lanescope validate

Exit codes: 0 done, 1 a stated bound is broken, 2 bad input, 130 interrupted with what was finished kept.";

/// Where the bandwidth of a PCI Express system goes.
#[derive(Debug, Parser)]
#[command(name = "lanescope", version, about, after_help = EXAMPLES, max_term_width = 110)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What can be asked.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The described machine with all that training and firmware settle, and why
    #[command(after_help = "Example:\n  lanescope show rosta-rb8v7 --figures --set card.mps=256")]
    Show(Show),
    /// The rate that a machine, or a bare link, allows: in closed form
    #[command(after_help = LIMIT_EXAMPLES)]
    Limit(Limit),
    /// Simulate experiments TLP by TLP, beside their limits and published figures
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
    /// Every published figure against the simulation
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(Validate),
    /// The machines that come with lanescope, and their experiments
    Systems,
    /// The known parts that a description can be made of
    Parts,
    /// The kinds of part and their fields
    #[command(after_help = "Example:\n  lanescope kinds dma-card")]
    Kinds(Kinds),
    /// Completions for a shell, on standard output
    #[command(
        after_help = "Example:\n  lanescope completions bash > ~/.local/share/bash-completion/completions/lanescope"
    )]
    Completions(Completions),
}

const LIMIT_EXAMPLES: &str = "\
Examples:
  lanescope limit --link gen4x8 --mps 256
  lanescope limit --link gen3x4 --mps 256 --mrrs 512 --latency 800ns
  lanescope limit rosta-rb8v7 host-write-many --axis devices=4";

const RUN_EXAMPLES: &str = "\
Examples:
  lanescope run rosta-rb8v7                                    all experiments
  lanescope run rosta-rb8v7 p2p-write --axis payload=128,256   other payloads than described
  lanescope run kfcr-x38 dma-read --axis lanes=4 --axis core=kf --csv read.csv
  lanescope run kfcr-5400 dma-read --set host.read_latency=500ns --json";

const VALIDATE_EXAMPLES: &str = "\
Examples:
  lanescope validate
  lanescope validate --reference my-measurements.csv --json";

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

/// `show`.
#[derive(Debug, Args)]
pub struct Show {
    #[command(flatten)]
    pub machine: Machine,
    /// Also every figure that somebody set, with where it comes from
    #[arg(long)]
    pub figures: bool,
    /// Also those that nobody set
    #[arg(long)]
    pub all: bool,
}

/// `limit`.
#[derive(Debug, Args)]
pub struct Limit {
    /// A machine that comes with lanescope, or a YAML file
    #[arg(required_unless_present = "link", conflicts_with = "link", value_hint = ValueHint::FilePath)]
    pub system: Option<String>,
    #[command(flatten)]
    pub points: Points,
    /// Override a field of the description
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// A bare link instead of a machine
    #[arg(long, value_name = "GENxWIDTH", help_heading = "A bare link")]
    pub link: Option<String>,
    /// Its Max_Payload_Size, in bytes
    #[arg(long, value_name = "BYTES", default_value = "256", requires = "link", help_heading = "A bare link")]
    pub mps: String,
    /// Its Max_Read_Request_Size, in bytes
    #[arg(long, value_name = "BYTES", default_value = "512", requires = "link", help_heading = "A bare link")]
    pub mrrs: String,
    /// From a read request to its data
    #[arg(long, value_name = "TIME", requires = "link", help_heading = "A bare link")]
    pub latency: Option<String>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `run`.
#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    pub machine: Machine,
    #[command(flatten)]
    pub points: Points,
    #[command(flatten)]
    pub files: Files,
    /// Where every point's time goes, in place of one line a point
    #[arg(long)]
    pub detail: bool,
    /// Also write a CSV
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub csv: Option<PathBuf>,
}

/// `validate`.
#[derive(Debug, Args)]
pub struct Validate {
    /// Rows of your own, in place of those that come with lanescope
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath)]
    pub reference: Vec<PathBuf>,
    #[command(flatten)]
    pub files: Files,
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
