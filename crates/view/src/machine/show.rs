//! The tree as lines for a terminal.

mod alike;
mod facts;
mod long;
mod rows;

pub use alike::Alike;
pub use facts::{aer, facts, link};
pub use long::{capability, registers};
pub use rows::{Row, rows};

pub(crate) use facts::software;
pub(crate) use rows::{kind, speaks};

use probe::function::Reach;
use probe::machine::{Machine, Source};

/// How a piece of text is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// As it is.
    Plain,
    /// What to look at first.
    Strong,
    /// What stands beside it.
    Faint,
    /// Below what it could be, or counted errors.
    Bad,
    /// At its best.
    Good,
}

/// A piece of text with its tone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The text.
    pub text: String,
    /// How it is meant.
    pub tone: Tone,
}

impl Span {
    /// A text in a tone.
    pub fn new(tone: Tone, text: impl Into<String>) -> Span {
        Span { text: text.into(), tone }
    }
}

/// What the machine is, and from what it was read.
pub fn heading(machine: &Machine) -> String {
    let source = match machine.source {
        Source::Live => "sysfs",
        Source::Capture => "a saved sysfs tree",
        Source::Text => "lspci text",
        Source::Hex => "a hex dump",
    };
    let mut parts = vec![count(machine.functions.len()), format!("read from {source}")];
    parts.extend(machine.product.clone());
    parts.extend(machine.kernel.as_ref().map(|kernel| format!("Linux {kernel}")));
    parts.extend(machine.aspm_policy.as_ref().map(|policy| format!("ASPM policy {policy}")));
    format!("{}  {}", machine.name, parts.join(", "))
}

/// `1 function`, `2 functions`.
pub fn count(functions: usize) -> String {
    format!("{functions} function{}", if functions == 1 { "" } else { "s" })
}

/// What was hidden from whoever read the machine, and how to see it; `None` where nothing was.
pub fn hidden(machine: &Machine) -> Option<String> {
    let reached = |reach| machine.functions.values().filter(|function| function.reach == reach).count();
    let (headers, conventional) = (reached(Reach::HeaderOnly), reached(Reach::Conventional));
    if headers > 0 {
        let again = match machine.source {
            Source::Live => "run as root to see them",
            Source::Capture => "a capture made as root has them",
            Source::Text | Source::Hex => "`sudo lspci -vvv` or `sudo lspci -xxxx` has them",
        };
        let what = "MPS, MRRS, tags, ASPM, ACS, AER status, Target Link Speed";
        return Some(format!("The capabilities of {} were hidden ({what}): {again}.", count(headers)));
    }
    (conventional > 0).then(|| {
        let what = "AER, ACS and the like";
        format!(
            "Of {} only 256 bytes were seen ({what} are behind them): `sudo lspci -xxxx` has them.",
            count(conventional)
        )
    })
}
