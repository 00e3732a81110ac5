//! Findings: something wrong or worth knowing on a machine, with evidence, cost and advice.

use crate::address::Address;
use crate::rates::Way;
use pcie::Rate;
use std::fmt;

/// The severity of a finding, most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Something is broken or misconfigured, with no legitimate reason.
    Error,
    /// Something has a cost, and may be intended.
    Warning,
    /// Worth knowing; nothing to correct.
    Note,
    /// The input does not show it: the user has to check.
    Question,
}

impl Severity {
    /// The word that is printed.
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

/// What shows a finding: a register, file or counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// The function.
    pub at: Address,
    /// The register, file or counter, as tools name it: `LnkSta`.
    pub source: String,
    /// Its value.
    pub value: String,
}

/// A loss below this share of a rate is no cost: it is within the accuracy of `limit`.
const FELT: f64 = 0.005;

/// The cost of a finding: the limit of a rate as it is, and with the finding corrected.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The device or devices that the rate is for, as in `SSD 03:00.0`.
    pub of: String,
    /// The direction of the data.
    pub way: Way,
    /// The limit as it is.
    pub now: Rate,
    /// The limit with only this finding corrected.
    pub mended: Rate,
}

impl Cost {
    /// The rate that is lost.
    pub fn lost(&self) -> Rate {
        Rate((self.mended.0 - self.now.0).max(0.0))
    }
    /// True if the loss exceeds the accuracy of the figures.
    pub fn is_felt(&self) -> bool {
        self.share() > FELT
    }
    /// The loss as a share of the corrected limit, 0 to 1.
    pub fn share(&self) -> f64 {
        if self.mended.0 > 0.0 { self.lost().0 / self.mended.0 } else { 0.0 }
    }
}

/// Something wrong or worth knowing.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The kind, as documented: `width`, `target-speed`.
    pub kind: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The functions that it is about, the most significant first.
    pub at: Vec<Address>,
    /// The description, in one sentence.
    pub what: String,
    /// The evidence.
    pub evidence: Vec<Evidence>,
    /// The cost, if it can be computed.
    pub cost: Option<Cost>,
    /// Advice: sentences, commands, settings.
    pub remedy: Vec<String>,
}

impl Finding {
    /// A finding without evidence, cost and advice so far.
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
