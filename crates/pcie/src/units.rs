//! Units: time in femtoseconds, sizes in bytes, rates in bytes per second. `MiB/s` and `MB/s` are two ways to print one
//! number.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

/// A time or a duration in femtoseconds. The range, 2^64 fs, is a little over five hours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// The start of every simulation, and the empty duration.
    pub const ZERO: Time = Time(0);
    /// A time that never comes.
    pub const NEVER: Time = Time(u64::MAX);

    /// Half of the range, about two and a half hours. Products are limited to this, so that two of them can be added.
    pub const FAR: Time = Time(u64::MAX / 2);

    /// `fs` femtoseconds.
    pub const fn from_fs(fs: u64) -> Time {
        Time(fs)
    }
    /// `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Time {
        Time(ps * 1_000)
    }
    /// `ns` nanoseconds.
    pub const fn from_ns(ns: u64) -> Time {
        Time(ns * 1_000_000)
    }
    /// `us` microseconds.
    pub const fn from_us(us: u64) -> Time {
        Time(us * 1_000_000_000)
    }
    /// The time nearest to `seconds`; `None` where that is negative, not a number or out of range.
    pub fn from_secs_f64(seconds: f64) -> Option<Time> {
        let fs = (seconds * 1e15).round();
        (fs >= 0.0 && fs < u64::MAX as f64).then_some(Time(fs as u64))
    }
    /// In femtoseconds.
    pub const fn as_fs(self) -> u64 {
        self.0
    }
    /// In nanoseconds.
    pub fn as_ns(self) -> f64 {
        self.0 as f64 * 1e-6
    }
    /// In seconds.
    pub fn as_secs(self) -> f64 {
        self.0 as f64 * 1e-15
    }
    /// `self - other`, or zero where `other` is later.
    pub const fn saturating_sub(self, other: Time) -> Time {
        Time(self.0.saturating_sub(other.0))
    }
    /// `self + other`, or [`Time::NEVER`] on overflow.
    pub const fn saturating_add(self, other: Time) -> Time {
        Time(self.0.saturating_add(other.0))
    }
}

impl Add for Time {
    type Output = Time;
    fn add(self, other: Time) -> Time {
        Time(self.0 + other.0)
    }
}
impl AddAssign for Time {
    fn add_assign(&mut self, other: Time) {
        self.0 += other.0;
    }
}
impl Sub for Time {
    type Output = Time;
    fn sub(self, other: Time) -> Time {
        Time(self.0 - other.0)
    }
}
impl Mul<u64> for Time {
    type Output = Time;
    fn mul(self, n: u64) -> Time {
        Time(self.0.saturating_mul(n).min(Time::FAR.0))
    }
}
impl Div<u64> for Time {
    type Output = Time;
    fn div(self, n: u64) -> Time {
        Time(self.0 / n)
    }
}
impl Sum for Time {
    fn sum<I: Iterator<Item = Time>>(times: I) -> Time {
        times.fold(Time::ZERO, Add::add)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, unit) = match self.0 {
            0 => return f.pad("0 ns"),
            fs if fs < 1_000_000 => (fs as f64 * 1e-3, "ps"),
            fs if fs < 1_000_000_000 => (fs as f64 * 1e-6, "ns"),
            fs if fs < 1_000_000_000_000 => (fs as f64 * 1e-9, "us"),
            fs if fs < 1_000_000_000_000_000 => (fs as f64 * 1e-12, "ms"),
            fs => (fs as f64 * 1e-15, "s"),
        };
        f.pad(&format!("{} {unit}", short(value)))
    }
}

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const KIB: u64 = 1 << 10;
        const MIB: u64 = 1 << 20;
        const GIB: u64 = 1 << 30;
        const GB: u64 = 1_000_000_000;
        f.pad(&match self.0 {
            n if n >= GIB && n.is_multiple_of(GIB) => format!("{} GiB", n / GIB),
            n if n >= GB && n.is_multiple_of(GB) => format!("{} GB", n / GB),
            n if n >= MIB && n.is_multiple_of(MIB) => format!("{} MiB", n / MIB),
            n if n >= KIB && n.is_multiple_of(KIB) => format!("{} KiB", n / KIB),
            n => format!("{n} B"),
        })
    }
}

/// A rate in bytes per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Rate(pub f64);

impl Rate {
    /// `bytes` divided by `time`; zero where `time` is zero.
    pub fn of(bytes: u64, time: Time) -> Rate {
        if time == Time::ZERO { Rate(0.0) } else { Rate(bytes as f64 / time.as_secs()) }
    }
    /// In 10^6 bytes per second.
    pub fn as_mb_per_s(self) -> f64 {
        self.0 * 1e-6
    }
    /// In 2^20 bytes per second.
    pub fn as_mib_per_s(self) -> f64 {
        self.0 / (1 << 20) as f64
    }
}

/// Three significant digits, without trailing zeros after the decimal point.
fn short(value: f64) -> String {
    let digits = if value >= 100.0 { 1 } else { 3 };
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_prints_in_its_own_unit() {
        let printed = [Time::ZERO, Time::from_ps(255), Time::from_ns(706), Time::from_us(30)].map(|t| t.to_string());
        assert_eq!(printed, ["0 ns", "255 ps", "706 ns", "30 us"]);
        assert_eq!(Time::from_fs(1_440_000_000).to_string(), "1.44 us");
    }

    #[test]
    fn one_rate_has_two_prints() {
        let rate = Rate::of(1 << 20, Time::from_us(1000));
        assert!((rate.as_mib_per_s() - 1000.0).abs() < 1e-9);
        assert!((rate.as_mb_per_s() - 1048.576).abs() < 1e-9);
    }
}
