//! `bench` and `explain`.

use super::shared::{Csv, Files};
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
  sudo lanescope bench disk /dev/nvme1n1 --reads 70 --pattern random --destroy-data /dev/nvme1n1

Drives are read, past the page cache (O_DIRECT). They are written only with --reads below 100 and
--destroy-data for each of them; all that is on them is lost then. What is mounted, has partitions
or holders, is swap, is open elsewhere, or holds the signature of a file system, a volume or an
array is refused; of files, those that `bench file` has made are taken. Each runs alone, then
those that share a bridge in pairs and as a group, then all at once; --subsets names others. A run
begins to count after --warm-up. It is steady if its ten parts stay within a tenth of their mean
and do not rise or fall by more than a tenth. `busy` is the CPU time of the thread that reads a
drive: where that is near 100 %, the generator is the limit and not the drive. Where drives have
poll queues, threads look for ends there (--poll=never: interrupts), and are busy all the time.";

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
    Disk(Box<BenchDisk>),
    /// Channels of cards with lanescope's DMA engine: alone, both ways and together, beside what their path allows
    #[command(after_help = CARD_EXAMPLES)]
    Card(Box<BenchCard>),
    /// Make a file that `bench disk` may write to
    #[command(after_help = FILE_EXAMPLES)]
    File(BenchFile),
}

const FILE_EXAMPLES: &str = "\
Example:
  lanescope bench file big.file 8GiB
  lanescope bench disk big.file --reads 0 --destroy-data big.file";

/// `bench file`.
#[derive(Debug, Args)]
pub struct BenchFile {
    /// A path where nothing is yet
    #[arg(value_name = "PATH", value_hint = ValueHint::FilePath)]
    pub path: PathBuf,
    /// Its size, as in 8GiB
    #[arg(value_name = "SIZE")]
    pub size: String,
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
    /// Percent of the blocks that are read; the others are written
    #[arg(long, value_name = "PERCENT", default_value_t = 100, value_parser = clap::value_parser!(u8).range(0..=100))]
    pub reads: u8,
    /// A drive whose data may be lost; once for each, and for all of them where anything is written
    #[arg(long = "destroy-data", value_name = "DEVICE", value_hint = ValueHint::FilePath)]
    pub destroy: Vec<String>,
    /// Ask each drive for so much, evenly in time; latencies then count from when a block was due
    #[arg(long, value_name = "RATE")]
    pub rate: Option<String>,
    /// Whether a thread looks for the ends of its blocks at the device (poll queues): auto, where all drives have them and
    /// there are more cores than drives; always; never
    #[arg(long, value_name = "WHEN", default_value = "auto", num_args = 0..=1, require_equals = true, default_missing_value = "always")]
    pub poll: String,
    /// Drives that run at once, by their names; once for each subset
    #[arg(long = "subsets", value_name = "DRIVE,...")]
    pub subsets: Vec<String>,
    /// How long each run counts
    #[arg(long, value_name = "TIME", default_value = "4s")]
    pub time: String,
    /// How long each run goes on before that
    #[arg(long = "warm-up", value_name = "TIME", default_value = "1s")]
    pub warm_up: String,
    #[command(flatten)]
    pub forms: BenchForms,
}

const CARD_EXAMPLES: &str = "\
Examples:
  lanescope bench card /dev/lanescope0
  lanescope bench card /dev/lanescope0 /dev/lanescope1 --size 1MiB --depth 4 --json=result.json
  lanescope bench card /dev/lanescope0 --subsets lanescope0/c2h0,lanescope0/h2c0 --size 512,4KiB,64KiB,1MiB --depth 1,16
  lanescope bench card /dev/lanescope0 --rings
  lanescope bench card /dev/lanescope0 --calls --depth 1 --poll 0us,50us
  lanescope bench card /dev/lanescope0 /dev/lanescope1 --in-turn --depth 1,2
  lanescope bench card /dev/lanescope0 /dev/lanescope1 --peers=give --size 64KiB --depth 4

A card is the folder of its channels, with the module lanescope loaded. Each channel has a thread
with a queue of its own (libaio) that keeps --depth transfers of --size in flight: reads from the card,
or writes to it, each write a frame. Each channel runs alone, then both directions of each number,
then all of a card, then all at once; --subsets names others. A channel whose design takes or
sends nothing by itself, as of one direction of a loopback, moves nothing alone, and a note says
so. `busy` is the CPU time of the busiest thread: near 100 % the generator is the limit and not
the card.

With --calls, transfers are made by `read` and `write`, by --depth threads at each channel; --poll
has a call look for its end so long before it sleeps until an interrupt (0us: none), and is put
back after each run. With --in-turn, each thread has both directions of a number: it reads and then
writes, over and over (write,read: the other way around, as a loopback wants it). All threads of
all cards start at a barrier; the limit beside their rate counts that a thread has one direction of
the path at a time.

With --peers, each card writes frames to the window of each other one, beside the limit of the path
between both. --peers is for designs that send and take by themselves; =give is for a loopback in
the sending card, to which this program gives the frames; =give,take takes them from the last
channel of the other card besides, and compares their bytes. Pairs that the kernel does not let
are named, and have no figure.";

/// `bench card`.
#[derive(Debug, Args)]
pub struct BenchCard {
    /// Cards, as in /dev/lanescope0, or channels of them
    #[arg(required = true, value_name = "PATH", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<String>,
    /// Lengths of a transfer
    #[arg(long, value_name = "BYTES,...", default_value = "4KiB,64KiB,1MiB")]
    pub size: String,
    /// Transfers in flight at each channel
    #[arg(long, value_name = "N,...", default_value = "8")]
    pub depth: String,
    /// Drive the channels in ring mode: without system calls, by polling; the driver has to allow it
    #[arg(long)]
    pub rings: bool,
    /// Make transfers by `read` and `write`: --depth threads at each channel, each with a call at a time
    #[arg(long)]
    pub calls: bool,
    /// Threads that each have both directions of a number, one after the other: read,write or write,read
    #[arg(long = "in-turn", value_name = "ORDER", num_args = 0..=1, require_equals = true, default_missing_value = "read,write")]
    pub in_turn: Option<String>,
    /// How long a call looks for its end before it sleeps, each for a run; without this, as the channel is set
    #[arg(long, value_name = "TIME,...")]
    pub poll: Option<String>,
    /// Each card to the window of each other one; what this program does with the frames: design (nothing), give, or give,take
    #[arg(long, value_name = "HOST", num_args = 0..=1, require_equals = true, default_missing_value = "design")]
    pub peers: Option<String>,
    /// Channels that run at once, by their names; once for each subset
    #[arg(long = "subsets", value_name = "CHANNEL,...")]
    pub subsets: Vec<String>,
    /// How long each run counts
    #[arg(long, value_name = "TIME", default_value = "2s")]
    pub time: String,
    /// How long each run goes on before that
    #[arg(long = "warm-up", value_name = "TIME", default_value = "500ms")]
    pub warm_up: String,
    #[command(flatten)]
    pub forms: BenchForms,
}

/// The forms of a result.
#[derive(Debug, Args)]
pub struct BenchForms {
    /// JSON on standard output instead of the table; with =FILE into that file besides it. docs/json.md has every field
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub json: Option<Option<PathBuf>>,
    /// Also write a report: one HTML file with pictures and tables, which needs no network
    #[arg(long, value_name = "FILE.html", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    #[command(flatten)]
    pub table: Csv,
}

pub(super) const EXPLAIN_EXAMPLES: &str = "\
Examples:
  lanescope explain result.json                        what `bench disk --json=result.json` wrote
  lanescope explain before.json after.json             a card was moved, or a setting changed, in between
  lanescope explain --on ahci                          published rates of a described machine
  lanescope explain --machine box.tar.zst --measured 'disk=sda rate=180MB/s' --measured 'disk=sda,sdb rate=190MB/s'
  lanescope explain --machine mine.yaml --measured 'from=gpu0 to=gpu1 rate=13GB/s' --measured 'from=gpu0 to=gpu2 rate=6.5GB/s'

Each hypothesis is the machine as its registers show it, with at most three things that they do not show, each with a figure:
what a drive gives, a cap of a slot, a lane, a bridge or a chipset, memory, the IOMMU, the link between sockets, a core. The limit
predicts all rates with it; the figures are those that come nearest. They are ranked by the squares of the differences over the
noise, with a penalty for each figure, for the number of things to choose from, and for what is rare. Where the first two are not
told apart, the answer says undecided, with a measurement that would tell.

A rate in words names the disks, or both ends, and the rate: 'disk=sda,sdb rate=290MiB/s', 'from=gpu0 to=host rate=6.5GB/s'. It
may add op=write, block=4KiB, depth=64, order=random, jobs=1 (one thread for all), busy=97%, node=1.

Exit codes: 0 found or undecided, 1 where no hypothesis is near the rates, 2 bad input.";

/// `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// Results of `lanescope bench disk ... --json=FILE`, of one machine
    #[arg(value_name = "RESULT.json", value_hint = ValueHint::FilePath)]
    pub results: Vec<String>,
    /// A rate in words; once for each
    #[arg(long, value_name = "WORDS")]
    pub measured: Vec<String>,
    /// Rates of a table of measurements, or of one that comes with lanescope
    #[arg(long, value_name = "FILE.csv", value_hint = ValueHint::FilePath)]
    pub on: Option<String>,
    /// The machine: a description, a capture, or what lspci printed; where it is left out, what the results carry, what the
    /// table names, or this machine
    #[arg(long, value_name = "MACHINE", value_hint = ValueHint::FilePath)]
    pub machine: Option<String>,
    /// Override a field of a described machine
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// How far a rate may be off, as a standard deviation: 3 for results and tables, 5 for rates in words
    #[arg(long, value_name = "PERCENT", value_parser = noise)]
    pub noise: Option<f64>,
    #[command(flatten)]
    pub files: Files,
    #[command(flatten)]
    pub table: Csv,
}

fn noise(text: &str) -> Result<f64, String> {
    let number = text.trim_end_matches('%').parse::<f64>().ok();
    number.filter(|n| (0.1..=50.0).contains(n)).ok_or_else(|| "a percentage from 0.1 to 50".to_string())
}
