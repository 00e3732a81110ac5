//! Commands about a real machine: `inspect`, `diff`, `capture`.

use super::shared::Csv;
use clap::{Args, ValueHint};
use probe::together::Together;
use std::path::PathBuf;

pub(super) const INSPECT_EXAMPLES: &str = "\
Examples:
  lanescope inspect                     this machine; as root it sees more
  lanescope inspect lspci-vvv.txt       what `lspci -vvv` or `lspci -xxxx` printed
  ssh box sudo lspci -vvv | lanescope inspect -
  lanescope inspect mine.tar.zst --long --svg mine.svg
  lanescope inspect --together ssds --together behind=00:1d.0 --together 81:00.0,84:00.0
  lanescope inspect --json | jq '.links[] | select(.why == \"degraded\")'";

pub(super) const DESCRIBE_EXAMPLES: &str = "\
Examples:
  lanescope describe --out mine.yaml           this machine; as root it sees more
  lanescope describe lspci-vvv.txt dmesg.txt --out mine.yaml
  ssh box sudo lspci -vvv | lanescope describe - | tee box.yaml
  lanescope show mine.yaml                     what it settles to
  lanescope limit mine.yaml                    what each link allows, of each device, and of all at once
  lanescope run mine.yaml write --set gpu_01_00_0.setpci.mps=256";

pub(super) const DIFF_EXAMPLES: &str = "\
Examples:
  lanescope diff before.tar.zst after.tar.zst
  lanescope diff lspci-before.txt lspci-after.txt --json
  lanescope diff mine.yaml lspci-vvv.txt       what was built otherwise than described";

/// `inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// What lspci printed (text or hex, plain or as .zst, .gz or .xz), a capture, or a saved sysfs tree; `-` is standard
    /// input. Where it is left out, what is piped in, else this machine
    #[arg(value_hint = ValueHint::AnyPath)]
    pub file: Option<PathBuf>,
    /// The root of sysfs, in place of /sys
    #[arg(long, value_name = "DIR", conflicts_with = "file", value_hint = ValueHint::DirPath)]
    pub sysfs: Option<PathBuf>,
    /// Every function, device and finding by itself, and every list whole: nothing that is alike is told once
    #[arg(long)]
    pub all: bool,
    /// The same, with every capability and every register
    #[arg(long)]
    pub long: bool,
    /// JSON on standard output instead of the tree; with =FILE into that file besides it. docs/json.md has every field
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, value_hint = ValueHint::FilePath)]
    pub json: Option<Option<PathBuf>>,
    /// The limits also as CSV into this file; - is standard output, in place of the tree
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub csv: Option<PathBuf>,
    /// Also what these devices get at once, each with its share: ssds, gpus, accelerators, nics, storage, behind=PORT,
    /// behind=chipset, or addresses
    #[arg(long, value_name = "DEVICES")]
    pub together: Vec<Together>,
    /// Also what every device could write to every other
    #[arg(long)]
    pub matrix: bool,
    /// Also a picture of the tree
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub svg: Option<PathBuf>,
}

/// `describe`.
#[derive(Debug, Args)]
pub struct Describe {
    /// What lspci printed (text or hex, plain or as .zst, .gz or .xz), a capture, or a saved sysfs tree; `-` is standard
    /// input. Several are texts of one machine, each of which adds what it knows: lspci, the kernel's log, nvidia-smi -q.
    /// Where they are left out, what is piped in, else this machine
    #[arg(value_name = "TEXT", value_hint = ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,
    /// The root of sysfs, in place of /sys
    #[arg(long, value_name = "DIR", conflicts_with = "files", value_hint = ValueHint::DirPath)]
    pub sysfs: Option<PathBuf>,
    /// The description into this file, in place of standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: Option<PathBuf>,
}

/// `diff`.
#[derive(Debug, Args)]
pub struct Diff {
    /// What lspci printed, a capture, or a saved sysfs tree; `-` is standard input. Or a description (.yaml), which the other is
    /// compared with
    #[arg(value_hint = ValueHint::AnyPath)]
    pub before: PathBuf,
    /// The same of the same machine, later
    #[arg(value_hint = ValueHint::AnyPath)]
    pub after: PathBuf,
    /// As JSON; docs/json.md has every field
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
    #[command(flatten)]
    pub table: Csv,
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
