//! Units of reference rows, and how figures are printed in them.

use pcie::{Rate, Time};

/// The unit of a row's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// 10^6 bytes a second.
    MbPerS,
    /// 2^20 bytes a second.
    MibPerS,
    /// 10^9 bytes a second.
    GbPerS,
    /// 2^30 bytes a second.
    GibPerS,
    /// 10^9 bits a second.
    GbitPerS,
    /// Commands a second.
    Iops,
    /// Nanoseconds.
    Ns,
    /// Microseconds.
    Us,
    /// A ratio.
    One,
}

impl Unit {
    /// All units.
    pub const ALL: [Unit; 9] = [
        Unit::MbPerS,
        Unit::MibPerS,
        Unit::GbPerS,
        Unit::GibPerS,
        Unit::GbitPerS,
        Unit::Iops,
        Unit::Ns,
        Unit::Us,
        Unit::One,
    ];

    /// The word of the unit, as in a CSV.
    pub fn word(self) -> &'static str {
        match self {
            Unit::MbPerS => "MB/s",
            Unit::MibPerS => "MiB/s",
            Unit::GbPerS => "GB/s",
            Unit::GibPerS => "GiB/s",
            Unit::GbitPerS => "Gbit/s",
            Unit::Iops => "IOPS",
            Unit::Ns => "ns",
            Unit::Us => "us",
            Unit::One => "1",
        }
    }
    /// The unit with that word.
    pub fn from_word(word: &str) -> Option<Unit> {
        Unit::ALL.into_iter().find(|unit| unit.word() == word)
    }
    /// The value of one unit: bytes a second, nanoseconds, or 1.
    pub fn worth(self) -> f64 {
        match self {
            Unit::MbPerS => 1e6,
            Unit::MibPerS => (1u64 << 20) as f64,
            Unit::GbPerS => 1e9,
            Unit::GibPerS => (1u64 << 30) as f64,
            Unit::GbitPerS => 1e9 / 8.0,
            Unit::Us => 1e3,
            Unit::Iops | Unit::Ns | Unit::One => 1.0,
        }
    }
    /// True if it is a unit of byte rates.
    pub fn is_rate(self) -> bool {
        !self.is_time() && !matches!(self, Unit::One | Unit::Iops)
    }
    /// True if it is a unit of time.
    pub fn is_time(self) -> bool {
        matches!(self, Unit::Ns | Unit::Us)
    }
    /// A rate in this unit. For IOPS in bytes a second: the caller divides by the command's length. For other units
    /// that are not rates, in MiB/s.
    pub fn rate(self, rate: Rate) -> f64 {
        match self {
            // These two use their own division, so that results stay identical bit by bit.
            Unit::MbPerS => rate.as_mb_per_s(),
            Unit::Iops => rate.0,
            unit if unit.is_rate() && unit != Unit::MibPerS => rate.0 / unit.worth(),
            _ => rate.as_mib_per_s(),
        }
    }
    /// A time in this unit; in nanoseconds if it is not a unit of time.
    pub fn time(self, time: Time) -> f64 {
        if self == Unit::Us { ns(time) / 1e3 } else { ns(time) }
    }
    /// The factor that converts a value from this unit to `other`; `None` if they measure different quantities.
    pub fn to(self, other: Unit) -> Option<f64> {
        let alike = self.is_rate() && other.is_rate() || self.is_time() && other.is_time();
        (alike || self == other).then(|| if self == other { 1.0 } else { self.worth() / other.worth() })
    }
    /// A figure as text, without its unit. Rates have about four digits, and always their whole integer part; ratios
    /// have three decimals.
    pub fn print(self, value: f64) -> String {
        match self {
            Unit::One => format!("{value:.3}"),
            Unit::GbPerS | Unit::GibPerS if value.abs() < 99.9995 => format!("{value:.3}"),
            Unit::Ns | Unit::Iops => format!("{value:.0}"),
            Unit::Us => format!("{value:.3}"),
            Unit::GbitPerS if value.abs() < 99.995 => format!("{value:.2}"),
            _ if value.abs() >= 999.95 => format!("{value:.0}"),
            _ => format!("{value:.1}"),
        }
    }
    /// A rate as text with its unit, as in `1503 MiB/s`.
    pub fn told(self, rate: Rate) -> String {
        format!("{} {}", self.print(self.rate(rate)), self.word())
    }
    /// The text after a figure; empty for a ratio.
    pub fn suffix(self) -> &'static str {
        if self == Unit::One { "" } else { self.word() }
    }
}

/// A time in nanoseconds, rounded to the nearest float.
pub fn ns(time: Time) -> f64 {
    time.as_fs() as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_rate_the_same_in_every_unit() {
        let rate = Rate(1.25e9);
        let all = [(Unit::MbPerS, "1250"), (Unit::MibPerS, "1192"), (Unit::GbPerS, "1.250"), (Unit::GibPerS, "1.164")];
        for (unit, printed) in all.into_iter().chain([(Unit::GbitPerS, "10.00")]) {
            assert_eq!(unit.print(unit.rate(rate)), printed);
            let back = unit.rate(rate) * unit.to(Unit::MbPerS).unwrap();
            assert!((back - 1250.0).abs() < 1e-9, "{unit:?}: {back}");
        }
        assert_eq!(Unit::GbPerS.to(Unit::Ns), None);
        assert_eq!(Unit::Us.to(Unit::Ns), Some(1000.0));
        assert_eq!((Unit::Us.time(Time::from_us(3)), Unit::Ns.time(Time::from_us(3))), (3.0, 3000.0));
    }
}
