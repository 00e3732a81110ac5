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
  lanescope inspect

Exit codes: 0 done, 1 a stated bound is broken or a machine has an error, 2 bad input, 130 interrupted with what was finished kept.";

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
    /// The rate that a machine, or a bare link, allows, and what stands in the way
    #[command(after_help = LIMIT_EXAMPLES)]
    Limit(Limit),
    /// Simulate experiments TLP by TLP, beside their limits and published figures
    #[command(after_help = RUN_EXAMPLES)]
    Run(Run),
    /// Find figures that nobody knows from measurements, with their uncertainty
    #[command(after_help = FIT_EXAMPLES)]
    Fit(Fit),
    /// The best MPS, MRRS, tags and queue sizes within what the devices allow, and how to set them
    #[command(after_help = TUNE_EXAMPLES)]
    Tune(Tune),
    /// Simulate over any fields and axes, in full or sampled, to CSV, JSON or Parquet
    #[command(after_help = SWEEP_EXAMPLES)]
    Sweep(Sweep),
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
    /// A real machine: its tree, what its links allow, and what is wrong with it
    #[command(after_help = INSPECT_EXAMPLES)]
    Inspect(Inspect),
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

const SCHEMA_EXAMPLES: &str = "\
Example:
  lanescope schema > description.schema.json
and as the first line of a description:
  # yaml-language-server: $schema=description.schema.json";

const LIMIT_EXAMPLES: &str = "\
Examples:
  lanescope limit --link gen4x8 --mps 256
  lanescope limit --link gen3x4 --mps 256 --mrrs 512 --latency 800ns
  lanescope limit rosta-rb8v7 host-write-many --axis devices=4
  lanescope limit kfcr-5400 dma-read --axis core=kf --axis lanes=8 --axis size=4096 --what-if

--what-if makes each thing one step better in turn: half of a time, double of a rate or a count, the next payload size or
generation, double the lanes. Of an experiment with several points, the mean over them is ranked.";

const RUN_EXAMPLES: &str = "\
Examples:
  lanescope run rosta-rb8v7                                    all experiments
  lanescope run rosta-rb8v7 p2p-write --axis payload=128,256   other payloads than described
  lanescope run kfcr-x38 dma-read --axis lanes=4 --axis core=kf --csv read.csv
  lanescope run kfcr-5400 dma-read --set host.read_latency=500ns --json
  lanescope run rosta-rb8v7 --report rosta.html
  lanescope run rosta-rb8v7 p2p-write --axis flows=4 --trace four.pcapng --trace-links 'card*'
  tshark -X lua_script:docs/lanescope.lua -r four.pcapng
  lanescope run rosta-rb8v7 p2p-write --set card.part=lanescope/virtex7-pcie-dma";

const VALIDATE_EXAMPLES: &str = "\
Examples:
  lanescope validate
  lanescope validate --gateware
  lanescope validate --reference my-measurements.csv --json";

const INSPECT_EXAMPLES: &str = "\
Examples:
  lanescope inspect                     this machine; as root it sees more
  lanescope inspect lspci-vvv.txt       what `lspci -vvv` or `lspci -xxxx` printed
  lanescope inspect mine.tar.zst --long --svg mine.svg
  lanescope inspect --json | jq '.links[] | select(.why == \"degraded\")'";

const FIT_EXAMPLES: &str = "\
Examples:
  lanescope fit mine.yaml --params host.read_latency,host.command_cost --on mine.csv
  lanescope fit kfcr-5400 --params host.read_latency,card.command_latency --on kfcr.csv --rows 'dma-read core=p'
  lanescope fit kfcr-5400 --params host.pio_gap --on kfcr.csv --rows pio-write --hold-out 'pio-write lanes=4'
  lanescope fit mine.yaml --params host.port_cap --start 'host.port_cap=3 GB/s' --on mine.csv --by limit

A pattern of rows is an experiment, axis=value pairs and a metric, each left out at will: `dma-read size=4096..`.
Counts and words (read_requests, start_alignment) are found too, by trying what lies beside them.
Of a continuous figure, the standard error is told; a figure of which the others could take over more than 0.95 of
its effect (the global correlation) is warned of. Ctrl-C ends with the best figures so far.";

const TUNE_EXAMPLES: &str = "\
Examples:
  lanescope tune gen4-workstation dma-read --axis lanes=8
  lanescope tune mine.yaml write --axis cards=2 --json

What is described is what the devices can do at most: Max_Payload_Size up to what every part on the way supports, tags up
to what the cards have and the host answers, counts that a driver chooses (read_requests, ring_ahead) up to what is
described. A payload that an experiment lists is left to Max_Payload_Size, unless --axis payload=... asks for one.
Of a latency the least is looked for, of everything else the most; of several points, the mean of their logarithms.";

const SWEEP_EXAMPLES: &str = "\
Examples:
  lanescope sweep gen4-workstation dma-read --over host.read_latency=200ns..800ns..200ns --over requests=1,8,64
  lanescope sweep mine.yaml read --over card.read_requests=1..64/7log --out read.csv
  lanescope sweep mine.yaml --over host.read_latency=200ns..2us --over card.fifo=4KiB..64KiB --sample 500 --out all.json
  lanescope sweep mine.yaml --over host.read_latency=200ns..2us/1000log --out all.csv --resume

A name with a point is a field, as in --set; one without is an axis of the experiment. Values are a list, or a range:
LOW..HIGH..STEP, LOW..HIGH/COUNT, LOW..HIGH/COUNTlog; for --sample, LOW..HIGH or LOW..HIGHlog.
With --out, every finished point is kept in FILE.part until all are there: after Ctrl-C, the same command with --resume
goes on, and writes the bytes that it would have written in one go.";

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
    /// What each part, setting and link one step better would gain, the best first
    #[arg(long, conflicts_with = "link")]
    pub what_if: bool,
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
    /// The signals of the first card with gateware, for a waveform viewer; one point at a time
    #[arg(long, value_name = "FILE.fst", value_hint = ValueHint::FilePath)]
    pub waves: Option<PathBuf>,
    /// Also write a CSV
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub csv: Option<PathBuf>,
    /// Also write a report: one HTML file with pictures, tables and sources, which needs no network
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub traced: Traced,
}

/// Traces.
#[derive(Debug, Args)]
pub struct Traced {
    /// Write all that passes at the one point that is selected: .pcapng for Wireshark, .perfetto for Perfetto
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace: Option<PathBuf>,
    /// Only links with such an end: parts, ports or directions, with * for any text
    #[arg(long, value_name = "PATTERN,...", requires = "trace")]
    pub trace_links: Option<String>,
}

/// `fit`.
#[derive(Debug, Args)]
pub struct Fit {
    #[command(flatten)]
    pub machine: Machine,
    /// The unknown figures, by their paths as in --set; joined by + where they share one number
    #[arg(long, value_name = "PATH,...", required = true, value_delimiter = ',')]
    pub params: Vec<String>,
    /// What was measured: a CSV in the columns of a reference, or one that comes with lanescope (kfcr.csv, rosta.csv)
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath)]
    pub on: String,
    /// Only these rows, in place of all rows of the machine
    #[arg(long, value_name = "PATTERN")]
    pub rows: Vec<String>,
    /// Rows that are predicted, not fitted on
    #[arg(long, value_name = "PATTERN")]
    pub hold_out: Vec<String>,
    /// Where the search starts, in place of where the figure is described
    #[arg(long, value_name = "PATH=VALUE")]
    pub start: Vec<String>,
    /// What answers for a row
    #[arg(long, value_enum, default_value_t = Engine::Sim)]
    pub by: Engine,
    /// Every row beside what was found for it
    #[arg(long)]
    pub detail: bool,
    #[command(flatten)]
    pub files: Files,
}

/// `tune`.
#[derive(Debug, Args)]
pub struct Tune {
    #[command(flatten)]
    pub machine: Machine,
    /// The experiment whose flows are to be fast
    pub experiment: String,
    /// Values of an axis, in place of those described
    #[arg(long = "axis", value_name = "NAME=VALUE,...")]
    pub axis: Vec<String>,
    #[command(flatten)]
    pub files: Files,
}

/// `sweep`.
#[derive(Debug, Args)]
pub struct Sweep {
    #[command(flatten)]
    pub machine: Machine,
    /// Which experiment; all of them where none is named
    pub experiment: Option<String>,
    /// What is swept, and over which values
    #[arg(long, value_name = "NAME=VALUES", required = true)]
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
    /// Where to: .csv, .json or .parquet; CSV on standard output where none is named
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
    /// Go on with what an interrupted sweep has kept
    #[arg(long, requires = "out")]
    pub resume: bool,
    /// How many points at a time; the results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

/// What answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// The simulation, TLP by TLP
    Sim,
    /// The closed form: faster
    Limit,
}

/// `validate`.
#[derive(Debug, Args)]
pub struct Validate {
    /// Rows of your own, in place of those that come with lanescope
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath)]
    pub reference: Vec<PathBuf>,
    /// Instead: the eight-card rig with our gateware in its cards, beside behavioural cards and published figures
    #[arg(long, conflicts_with = "reference")]
    pub gateware: bool,
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

/// `inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// What lspci printed (text or hex), a capture, or a saved sysfs tree; this machine where it is left out
    #[arg(value_hint = ValueHint::AnyPath)]
    pub file: Option<PathBuf>,
    /// The root of sysfs, in place of /sys
    #[arg(long, value_name = "DIR", conflicts_with = "file", value_hint = ValueHint::DirPath)]
    pub sysfs: Option<PathBuf>,
    /// Every function, every capability, every register
    #[arg(long)]
    pub long: bool,
    /// JSON on standard output instead of the tree; with =FILE into that file besides it
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub json: Option<Option<PathBuf>>,
    /// Also what every device could write to every other
    #[arg(long)]
    pub matrix: bool,
    /// Also a picture of the tree
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub svg: Option<PathBuf>,
}

const DIFF_EXAMPLES: &str = "\
Examples:
  lanescope diff before.tar.zst after.tar.zst
  lanescope diff lspci-before.txt lspci-after.txt --json";

/// `diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// What lspci printed, a capture, or a saved sysfs tree
    #[arg(value_hint = ValueHint::AnyPath)]
    pub before: PathBuf,
    /// The same of the same machine, later
    #[arg(value_hint = ValueHint::AnyPath)]
    pub after: PathBuf,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `capture`.
#[derive(Debug, Args)]
pub struct Capture {
    /// The file to write
    #[arg(value_name = "FILE.tar.zst", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The root of sysfs, in place of /sys
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub sysfs: Option<PathBuf>,
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

/// `man`.
#[derive(Debug, Args)]
pub struct Man {
    /// Write a page for each command into this folder, in place of the first page on standard output
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}
