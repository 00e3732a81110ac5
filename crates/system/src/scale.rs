//! What sort of quantity a field is, and its units.

/// The sort of a field's type, aside from words that may stand in its place (`infinite`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// A time: the number is femtoseconds.
    Time,
    /// A size in bytes.
    Bytes,
    /// A rate: the number is bytes a second.
    Rate,
    /// A frequency: the number is hertz.
    Frequency,
    /// Parts in a million.
    Ppm,
    /// A whole number of so much at least.
    Whole(u64),
    /// One of the six payload sizes, with or without the unit: the number is bytes.
    Size,
    /// `yes` or `no`.
    Switch,
    /// One of some words.
    Words(&'static [&'static str]),
}

impl Scale {
    /// The units that its texts must have one of, each with what it is worth (in seconds, bytes, bytes a second, hertz,
    /// parts in a million); none for what is written without.
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
    /// True where every number near a number is a value as well.
    pub fn is_continuous(self) -> bool {
        matches!(self, Scale::Time | Scale::Rate | Scale::Frequency | Scale::Ppm)
    }
}
