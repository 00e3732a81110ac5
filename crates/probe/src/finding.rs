//! One thing that is wrong with a machine, or worth knowing, with its evidence, what it costs, and what to do.

use crate::address::Address;
use crate::rates::Way;
use pcie::Rate;
use std::fmt;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something is broken or set wrong, and there is no innocent reason for it.
    Error,
    /// It costs something, and may be meant.
    Warning,
    /// Worth knowing, nothing to mend.
    Note,
    /// What was read cannot tell: somebody has to look.
    Question,
}

impl Severity {
    /// As printed.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
            Severity::Question => "question",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// What shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// At which function.
    pub at: Address,
    /// The register, file or counter, as tools name it: `LnkSta`.
    pub source: String,
    /// What it says.
    pub value: String,
}

/// Less than this share of a rate is no cost: what the limit promises.
const FELT: f64 = 0.005;

/// What it costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// Whose rate, as in `SSD 03:00.0`.
    pub of: String,
    /// Which way.
    pub way: Way,
    /// The limit as it is.
    pub now: Rate,
    /// The limit with this one thing mended.
    pub mended: Rate,
}

impl Cost {
    /// What is lost.
    pub fn lost(&self) -> Rate {
        Rate((self.mended.0 - self.now.0).max(0.0))
    }
    /// More than figures are good for.
    pub fn is_felt(&self) -> bool {
        self.share() > FELT
    }
    /// What is lost of what could be had, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.mended.0 > 0.0 { self.lost().0 / self.mended.0 } else { 0.0 }
    }
}

/// One thing wrong or worth knowing.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which kind: `width`, `target-speed`, as documented.
    pub kind: &'static str,
    /// How bad.
    pub severity: Severity,
    /// The functions that it is about, the most telling first.
    pub at: Vec<Address>,
    /// In a sentence.
    pub what: String,
    /// What shows it.
    pub evidence: Vec<Evidence>,
    /// What it costs, where that can be computed.
    pub cost: Option<Cost>,
    /// What to do: a sentence, a command, a setting.
    pub remedy: Vec<String>,
}

impl Finding {
    /// Without evidence, cost and remedy so far.
    pub(crate) fn new(kind: &'static str, severity: Severity, at: Vec<Address>, what: String) -> Finding {
        Finding { kind, severity, at, what, evidence: Vec::new(), cost: None, remedy: Vec::new() }
    }
    pub(crate) fn shown(mut self, at: Address, source: &str, value: impl fmt::Display) -> Finding {
        self.evidence.push(Evidence { at, source: source.to_string(), value: value.to_string() });
        self
    }
    pub(crate) fn costs(mut self, cost: Option<Cost>) -> Finding {
        self.cost = cost;
        self
    }
    pub(crate) fn mended_by(mut self, remedy: impl Into<String>) -> Finding {
        self.remedy.push(remedy.into());
        self
    }
}
