//! Commands that answer about a described machine: `show`, `limit`, `run`, `validate`.

use super::shared::{Csv, Files, Forms, MachineArgs, Points};
use crate::complete;
use clap::{Args, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use std::path::PathBuf;

pub(super) const LIMIT_EXAMPLES: &str = "\
Examples:
  lanescope limit --link gen4x8 --mps 256
  lanescope limit --link gen3x4 --mps 256 --mrrs 512 --latency 800ns
  lanescope limit rosta-rb8v7 host-write-many --axis devices=4
  lanescope limit kfcr-5400 dma-read --axis core=kf --axis lanes=8 --axis size=4096 --what-if

--what-if makes each thing one step better in turn: half of a time, double of a rate or a count, the next payload size or
generation, double the lanes. Of an experiment with several points, the mean over them is ranked.";

pub(super) const RUN_EXAMPLES: &str = "\
Examples:
  lanescope run rosta-rb8v7                                    all experiments
  lanescope run rosta-rb8v7 p2p-write --axis payload=128,256   other payloads than described
  lanescope run kfcr-x38 dma-read --axis lanes=4 --axis core=kf --csv read.csv
  lanescope run kfcr-5400 dma-read --set host.read_latency=500ns --json
  lanescope run rosta-rb8v7 --report rosta.html
  lanescope run rosta-rb8v7 p2p-write --svg pictures           each picture of the report as a file
  lanescope run rosta-rb8v7 p2p-write --axis flows=4 --trace four.pcapng --trace-links 'card*'
  lanescope run rosta-rb8v7 p2p-write --axis flows=1 --trace one.symbols --symbols 'card[0].pcie -> *'
  tshark -X lua_script:docs/lanescope.lua -r four.pcapng
  lanescope run rosta-rb8v7 p2p-write --set card.part=lanescope/virtex7-pcie-dma

Cards with gateware need the engine compiled in: `make engine` in lanescope's source gets Verilator and builds anew.";

pub(super) const VALIDATE_EXAMPLES: &str = "\
Examples:
  lanescope validate
  lanescope validate --set rosta
  lanescope validate --set kfcr-x38 --csv -
  lanescope validate --differences
  lanescope validate --set pciebench --misses
  lanescope validate --gateware
  lanescope validate --reference my-measurements.csv --bound 5

A machine of your own rows is looked for beside their file first. Bounds are stated for the rows that come with lanescope; for yours
--bound states one. Without it the greatest error is printed, and the exit code is 0 whatever it is.

A set is a file of published figures that comes with lanescope (kfcr, rosta), or its rows of one machine (kfcr-x38).

--gateware needs the engine compiled in: `make engine` in lanescope's source gets Verilator and builds anew.";

/// `show`.
#[derive(Debug, Args)]
pub struct Show {
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Also every figure that somebody set, with where it comes from
    #[arg(long)]
    pub figures: bool,
    /// Also those that nobody set, and every part: not the first of many that are alike
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub forms: Forms,
}

/// `limit`.
#[derive(Debug, Args)]
pub struct Limit {
    /// A machine that comes with lanescope, or a YAML file
    #[arg(required_unless_present = "link", conflicts_with = "link", value_hint = ValueHint::FilePath,
        add = ArgValueCompleter::new(complete::systems))]
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
    /// Also write the limits against their axis and the loss budget as SVG files into this folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath, conflicts_with_all = ["link", "what_if"])]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub forms: Forms,
}

/// `run`.
#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub points: Points,
    #[command(flatten)]
    pub files: Files,
    /// Where every point's time goes, and a row for each of its flows, in place of one line a point
    #[arg(long)]
    pub detail: bool,
    /// Name the bottleneck that the limit names, marked as not proved, in place of one that a change proved: half the time
    #[arg(long)]
    pub no_proof: bool,
    /// The signals of the first card with gateware, for a waveform viewer; one point at a time
    #[arg(long, value_name = "FILE.fst", value_hint = ValueHint::FilePath)]
    pub waves: Option<PathBuf>,
    #[command(flatten)]
    pub table: Csv,
    /// Also write a report: one HTML file with pictures, tables and sources, which needs no network
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    /// Also write each picture of the report as an SVG file of its own into this folder
    #[arg(long, value_name = "FOLDER", value_hint = ValueHint::DirPath)]
    pub svg: Option<PathBuf>,
    #[command(flatten)]
    pub traced: Traced,
}

/// Traces.
#[derive(Debug, Args)]
pub struct Traced {
    /// Write all that passes at the one point that is selected: .pcapng for Wireshark, .perfetto for Perfetto, .symbols with --symbols
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace: Option<PathBuf>,
    /// Only links with such an end: parts, ports or directions, with * for any text
    #[arg(long, value_name = "PATTERN,...", requires = "trace")]
    pub trace_links: Option<String>,
    /// The symbols of every lane of one direction of a link, as in 'card[0].pcie -> *', in a FILE that ends in .symbols
    #[arg(long, value_name = "DIRECTION", requires = "trace", conflicts_with = "trace_links")]
    pub symbols: Option<String>,
}

/// `validate`.
#[derive(Debug, Args)]
pub struct Validate {
    /// Rows of your own, in place of those that come with lanescope
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath)]
    pub reference: Vec<PathBuf>,
    /// Only these sets of the rows that come with lanescope: a file, or the rows of one machine in it
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', conflicts_with = "reference", add = ArgValueCompleter::new(complete::sets))]
    pub set: Vec<String>,
    /// A bound for the error of each row, in per cent: exit code 1 where a row breaks it
    #[arg(long, value_name = "PERCENT", value_parser = percent, conflicts_with = "gateware")]
    pub bound: Option<f64>,
    /// Instead: the eight-card rig with our gateware in its cards, beside behavioural cards and published figures
    #[arg(long, conflicts_with_all = ["reference", "set"])]
    pub gateware: bool,
    /// Only the rows whose limit differs from the simulation or from the published value, each with the reason
    #[arg(long, conflicts_with_all = ["gateware", "json", "csv"])]
    pub differences: bool,
    /// Only the rows that the simulation misses by more than 10 %, the worst first
    #[arg(long, conflicts_with_all = ["gateware", "json", "csv", "differences"])]
    pub misses: bool,
    #[command(flatten)]
    pub files: Files,
    #[command(flatten)]
    pub table: Csv,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').trim_end().parse::<f64>().ok();
    number.filter(|n| n.is_finite() && *n >= 0.0).ok_or_else(|| "a percentage of 0 or more, as in 5".to_string())
}
