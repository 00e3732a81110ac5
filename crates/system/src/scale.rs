//! The type of quantity of a field, and its units.

/// The type of quantity, not counting words that are accepted in its place (`infinite`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// A time, in femtoseconds.
    Time,
    /// A size in bytes.
    Bytes,
    /// A rate, in bytes per second.
    Rate,
    /// A frequency, in hertz.
    Frequency,
    /// Parts in a million.
    Ppm,
    /// A whole number of at least this value.
    Whole(u64),
    /// One of the six payload sizes in bytes, with or without the unit.
    Size,
    /// `yes` or `no`.
    Switch,
    /// One of these words.
    Words(&'static [&'static str]),
}

impl Scale {
    /// The units, one of which the text must have, each with its value (in seconds, bytes, bytes per second, hertz,
    /// parts per million); empty for quantities without a unit.
    pub const fn units(self) -> &'static [(&'static str, f64)] {
        const KIB: f64 = 1024.0;
        match self {
            Scale::Time => &[("fs", 1e-15), ("ps", 1e-12), ("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)],
            Scale::Bytes => &[
                ("B", 1.0),
                ("KiB", KIB),
                ("MiB", KIB * KIB),
                ("GiB", KIB * KIB * KIB),
                ("kB", 1e3),
                ("MB", 1e6),
                ("GB", 1e9),
            ],
            Scale::Rate => &[("MB/s", 1e6), ("GB/s", 1e9), ("MiB/s", KIB * KIB), ("GiB/s", KIB * KIB * KIB)],
            Scale::Frequency => &[("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9)],
            Scale::Ppm => &[("ppm", 1.0), ("%", 1e4)],
            Scale::Whole(_) | Scale::Size | Scale::Switch | Scale::Words(_) => &[],
        }
    }
    /// True where the values are continuous.
    pub fn is_continuous(self) -> bool {
        matches!(self, Scale::Time | Scale::Rate | Scale::Frequency | Scale::Ppm)
    }
}
