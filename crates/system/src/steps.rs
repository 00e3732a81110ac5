//! Values of quantities: as numbers, and their neighbours.

use crate::field_type::FieldType;
use crate::quantity::{Frequency, Ppm};
use crate::scale::Scale;
use pcie::{Bytes, PayloadSize, Rate, Time};

impl Scale {
    /// The value of a text; `None` for words and for `infinite`.
    pub fn number(self, text: &str) -> Option<f64> {
        match self {
            Scale::Time => Time::parse(text).map(|t| t.as_fs() as f64),
            Scale::Bytes => Bytes::parse(text).map(|b| b.0 as f64),
            Scale::Rate => Rate::parse(text).map(|r| r.0),
            Scale::Frequency => Frequency::parse(text).map(|f| f.0 as f64),
            Scale::Ppm => Ppm::parse(text).map(|p| p.0 as f64),
            Scale::Whole(_) => u64::parse(text).map(|n| n as f64),
            Scale::Size => PayloadSize::parse(text).map(|s| s.bytes() as f64),
            Scale::Switch | Scale::Words(_) => None,
        }
    }
    /// The text of the nearest value that can be written.
    pub fn write(self, number: f64) -> String {
        let whole = number.max(0.0).round() as u64;
        match self {
            Scale::Time => Time::from_fs(whole).print(),
            Scale::Rate => Rate(number).print(),
            Scale::Frequency => Frequency(whole).print(),
            Scale::Ppm => Ppm(whole).print(),
            Scale::Bytes => Bytes(whole).print(),
            Scale::Size => format!("{whole} B"),
            Scale::Whole(_) | Scale::Switch | Scale::Words(_) => whole.to_string(),
        }
    }
    /// The neighbours of a value that is not continuous: a step down and up, half and double, or all other words.
    pub fn beside(self, text: &str) -> Vec<String> {
        let number = self.number(text);
        let least = if let Scale::Whole(least) = self { least as f64 } else { 0.0 };
        let numbers = |all: [f64; 4]| {
            let mut texts: Vec<String> =
                all.into_iter().filter(|&n| n >= least).map(|n| self.write(n.round())).collect();
            texts.dedup();
            texts.into_iter().filter(|t| t != text).collect()
        };
        match (self, number) {
            (Scale::Words(words), _) => words.iter().filter(|w| **w != text).map(|w| (*w).to_string()).collect(),
            (Scale::Switch, _) => vec![if bool::parse(text) == Some(true) { "no" } else { "yes" }.to_string()],
            (Scale::Size, Some(n)) => PayloadSize::ALL
                .into_iter()
                .filter(|size| [n / 2.0, n * 2.0].contains(&(size.bytes() as f64)))
                .map(|size| size.print())
                .collect(),
            (Scale::Bytes, Some(n)) => numbers([n / 2.0, n * 0.75, n * 1.5, n * 2.0]),
            (_, Some(n)) => numbers([n / 2.0, n - 1.0, n + 1.0, n * 2.0]),
            (_, None) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_the_number_again() {
        let cases = [
            (Scale::Time, "255 ns"),
            (Scale::Rate, "290 MB/s"),
            (Scale::Frequency, "250 MHz"),
            (Scale::Whole(0), "12"),
            (Scale::Size, "512 B"),
            (Scale::Bytes, "4 KiB"),
        ];
        for (scale, text) in cases {
            let number = scale.number(text).unwrap();
            assert_eq!(scale.number(&scale.write(number)), Some(number), "{text}");
        }
        assert_eq!((Scale::Rate.number("infinite"), Scale::Words(&["a"]).number("a")), (None, None));
    }

    #[test]
    fn steps_beside_a_count_are_next_half_and_double() {
        assert_eq!(Scale::Whole(0).beside("4"), ["2", "3", "5", "8"]);
        assert_eq!(Scale::Whole(0).beside("1"), ["0", "2"]);
        assert_eq!(Scale::Whole(1).beside("1"), ["2"]);
        assert_eq!(Scale::Size.beside("4096 B"), ["2048 B"]);
    }
}
