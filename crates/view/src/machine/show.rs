//! The tree of a machine as lines for a terminal.

mod alike;
mod facts;
mod long;
mod port;
mod rows;
mod span;

pub use alike::Alike;
pub use facts::{aer, facts, link};
pub use long::{capability, registers};
pub use rows::{Row, rows};
pub use span::{Span, Tone};

pub(crate) use facts::software;
pub(crate) use port::kind;
pub(crate) use rows::speaks;

use probe::function::Reach;
use probe::machine::{Machine, Source};

/// The name of the machine and the source that it was read from.
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

/// A number of functions as text: `1 function`, `2 functions`.
pub fn count(functions: usize) -> String {
    format!("{functions} function{}", if functions == 1 { "" } else { "s" })
}

/// What could not be read, and how to read it; `None` where nothing is missing.
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
