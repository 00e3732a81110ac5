//! Units of reference rows, and the printing of figures in them.

use pcie::{Rate, Time};

/// What a row's value is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// 10^6 bytes a second.
    MbPerS,
    /// 2^20 bytes a second.
    MibPerS,
    /// Nanoseconds.
    Ns,
    /// A ratio.
    One,
}

impl Unit {
    /// All of them.
    pub const ALL: [Unit; 4] = [Unit::MbPerS, Unit::MibPerS, Unit::Ns, Unit::One];

    /// As in a CSV.
    pub fn word(self) -> &'static str {
        match self {
            Unit::MbPerS => "MB/s",
            Unit::MibPerS => "MiB/s",
            Unit::Ns => "ns",
            Unit::One => "1",
        }
    }
    /// By its word.
    pub fn from_word(word: &str) -> Option<Unit> {
        Unit::ALL.into_iter().find(|unit| unit.word() == word)
    }
    /// True where a rate may be counted in it.
    pub fn is_rate(self) -> bool {
        matches!(self, Unit::MbPerS | Unit::MibPerS)
    }
    /// A rate in this unit: MiB/s unless it is MB/s.
    pub fn rate(self, rate: Rate) -> f64 {
        if self == Unit::MbPerS { rate.as_mb_per_s() } else { rate.as_mib_per_s() }
    }
    /// A figure for people: whole rates from 1000 on, one digit below, three of a ratio.
    pub fn print(self, value: f64) -> String {
        match self {
            Unit::One => format!("{value:.3}"),
            Unit::Ns => format!("{value:.0}"),
            _ if value.abs() >= 999.95 => format!("{value:.0}"),
            _ => format!("{value:.1}"),
        }
    }
    /// Behind a figure: empty for a ratio.
    pub fn suffix(self) -> &'static str {
        if self == Unit::One { "" } else { self.word() }
    }
}

/// A time in nanoseconds, as the float that is nearest to it.
pub fn ns(time: Time) -> f64 {
    time.as_fs() as f64 / 1e6
}
