//! `symbols`.

use clap::{Args, Subcommand, ValueHint};
use std::path::PathBuf;

pub(super) const SYMBOLS_EXAMPLES: &str = "\
Examples:
  lanescope symbols make out.symbols --link gen3x4 --packets 200 --seed 1 --skew 20 --reversed
  lanescope symbols read out.symbols | head
  lanescope symbols read out.symbols --text 40
  lanescope run rosta-rb8v7 p2p-write --axis flows=1 --trace one.symbols --symbols 'card[0].pcie -> *'

docs/symbols.md describes the files.";

/// Symbol times of a file of random packets: about 1 GiB at x32.
const MOST_TIMES: u64 = 1 << 22;

/// `symbols`.
#[derive(Debug, Args)]
pub struct Symbols {
    /// What to do
    #[command(subcommand)]
    pub what: SymbolsWhat,
}

/// Make or read.
#[derive(Debug, Subcommand)]
pub enum SymbolsWhat {
    /// A file of random packets as symbols, and FILE.packets with the packets
    Make(SymbolsMake),
    /// The packets and ordered sets of a file, a JSON object a line, and what is wrong in it
    Read(SymbolsRead),
}

/// `symbols make`.
#[derive(Debug, Args)]
pub struct SymbolsMake {
    /// The file
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Generation and width
    #[arg(long, value_name = "GENxWIDTH")]
    pub link: String,
    /// How many packets at most
    #[arg(long, default_value_t = 200)]
    pub packets: usize,
    /// Symbol times after which no packet begins
    #[arg(long, value_name = "SYMBOLS", default_value_t = MOST_TIMES, value_parser = clap::value_parser!(u64).range(0..=MOST_TIMES))]
    pub times: u64,
    /// Symbol times between SKP ordered sets; the least that the standard allows where it is not given
    #[arg(long, value_name = "SYMBOLS")]
    pub skp_interval: Option<u64>,
    /// Another seed gives other packets
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Payload bytes of the longest TLP
    #[arg(long, value_name = "BYTES", default_value_t = 256, value_parser = clap::value_parser!(u64).range(0..=4096))]
    pub payload: u64,
    /// Some TLPs are nullified
    #[arg(long)]
    pub nullified: bool,
    /// Lanes arrive up to so many symbol times apart
    #[arg(long, value_name = "SYMBOLS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=20))]
    pub skew: u64,
    /// Lane 0 arrives last
    #[arg(long)]
    pub reversed: bool,
    /// Some lanes arrive inverted
    #[arg(long)]
    pub inverted: bool,
    /// What a word of the file holds: code or byte (Gen1, Gen2)
    #[arg(long)]
    pub form: Option<String>,
}

/// `symbols read`.
#[derive(Debug, Args)]
pub struct SymbolsRead {
    /// The file
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Instead of packets, so many symbol times for a person, with a column for each lane
    #[arg(long, value_name = "SYMBOLS")]
    pub text: Option<u64>,
    /// The first of these symbol times; without it, where data begins after training
    #[arg(long, value_name = "SYMBOL", requires = "text")]
    pub from: Option<u64>,
}
