//! Quantities as values of fields: numbers with their units, counts, and what may be unlimited.

use crate::field_type::FieldType;
use crate::scale::Scale;
use pcie::{Bytes, PayloadSize, Rate, Time};

/// Splits `255 ns` into its number and its unit.
fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_' || c == '-')).unwrap_or(text.len());
    let exponent = text[end..]
        .strip_prefix('e')
        .map(|rest| rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len())
        .filter(|&digits| digits > 0);
    let end = end + exponent.map_or(0, |digits| digits + 1);
    let number: f64 = text[..end].replace('_', "").parse().ok()?;
    Some((number, text[end..].trim()))
}

/// A whole number that is exact in a float.
fn whole(number: f64) -> Option<u64> {
    (number >= 0.0 && number.fract() == 0.0 && number < 9e15).then_some(number as u64)
}

/// The longest time that a field accepts.
pub const MOST_TIME: Time = Time::from_us(10_000_000);

/// Advice for an invalid `text` of a field that `expects` something else.
pub fn instead(expects: &str, text: &str) -> String {
    let wanted = if expects == Time::EXPECTS && is_too_long(text) { "a time of at most 10 s" } else { expects };
    format!("write {wanted}")
}

/// True where `text` is a time longer than [`MOST_TIME`].
pub fn is_too_long(text: &str) -> bool {
    scaled(text, Scale::Time).is_some_and(|seconds| seconds > MOST_TIME.as_fs() as f64 * 1e-15)
}

/// The number, multiplied by its unit.
fn scaled(text: &str, scale: Scale) -> Option<f64> {
    let (number, unit) = number_and_unit(text)?;
    scale.units().iter().find(|(name, _)| *name == unit).map(|(_, worth)| number * worth)
}

impl FieldType for Time {
    const EXPECTS: &'static str = "a time with its unit (fs, ps, ns, us, ms, s), as in `255 ns`";
    const SCALE: Scale = Scale::Time;
    fn parse(text: &str) -> Option<Time> {
        scaled(text, Self::SCALE).and_then(Time::from_secs_f64)
    }
    fn print(&self) -> String {
        match self.as_fs() {
            fs if fs.is_multiple_of(1_000_000_000) => format!("{} us", fs / 1_000_000_000),
            fs if fs.is_multiple_of(1_000_000) => format!("{} ns", fs / 1_000_000),
            fs if fs.is_multiple_of(1_000) => format!("{} ps", fs / 1_000),
            fs => format!("{fs} fs"),
        }
    }
}

impl FieldType for Bytes {
    const EXPECTS: &'static str = "a size with its unit (B, KiB, MiB, GiB, kB, MB, GB), as in `4 KiB`";
    const SCALE: Scale = Scale::Bytes;
    fn parse(text: &str) -> Option<Bytes> {
        scaled(text, Self::SCALE).and_then(whole).map(Bytes)
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

impl FieldType for Rate {
    const EXPECTS: &'static str = "a rate with its unit (MB/s, MiB/s, GB/s, GiB/s), as in `290 MiB/s`";
    const SCALE: Scale = Scale::Rate;
    fn parse(text: &str) -> Option<Rate> {
        scaled(text, Self::SCALE).filter(|&rate| rate > 0.0).map(Rate)
    }
    fn print(&self) -> String {
        // A quotient is the nearest float. Times the unit it may be the neighbour of the rate.
        let near = self.0 / 1e6;
        let reads_back = |number: &f64| number * 1e6 == self.0;
        let texts = [near, near.next_up(), near.next_down()].into_iter().filter(reads_back).map(|n| n.to_string());
        match texts.min_by_key(String::len) {
            Some(shortest) => format!("{shortest} MB/s"),
            // Exact, since the unit is a power of two.
            None => format!("{} MiB/s", self.as_mib_per_s()),
        }
    }
}

/// A frequency in hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frequency(pub u64);

impl FieldType for Frequency {
    const EXPECTS: &'static str = "a frequency with its unit (kHz, MHz, GHz), as in `250 MHz`";
    const SCALE: Scale = Scale::Frequency;
    fn parse(text: &str) -> Option<Frequency> {
        scaled(text, Self::SCALE).map(f64::round).and_then(whole).filter(|&hertz| hertz > 0).map(Frequency)
    }
    fn print(&self) -> String {
        // Below 1 MHz in kHz. A decimal fraction of a whole number of hertz is exact.
        let (worth, digits, unit) = if self.0 < 1_000_000 { (1_000, 3, "kHz") } else { (1_000_000, 6, "MHz") };
        let text = format!("{}.{:0digits$}", self.0 / worth, self.0 % worth);
        format!("{} {unit}", text.trim_end_matches('0').trim_end_matches('.'))
    }
}

impl FieldType for u64 {
    const EXPECTS: &'static str = "a whole number, as in `8`";
    const SCALE: Scale = Scale::Whole(0);
    fn parse(text: &str) -> Option<u64> {
        number_and_unit(text).filter(|(_, unit)| unit.is_empty()).and_then(|(n, _)| whole(n))
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

/// A whole number of one or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(pub u64);

impl FieldType for Count {
    const EXPECTS: &'static str = "a whole number of 1 or more, as in `8`";
    const SCALE: Scale = Scale::Whole(1);
    fn parse(text: &str) -> Option<Count> {
        u64::parse(text).filter(|&n| n > 0).map(Count)
    }
    fn print(&self) -> String {
        self.0.to_string()
    }
}

/// Parts in a million.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ppm(pub u64);

impl FieldType for Ppm {
    const EXPECTS: &'static str = "a share with its unit (ppm, %), as in `0.25 %`, up to 1 %";
    const SCALE: Scale = Scale::Ppm;
    fn parse(text: &str) -> Option<Ppm> {
        scaled(text, Self::SCALE).map(f64::round).and_then(whole).filter(|&p| p <= 10_000).map(Ppm)
    }
    fn print(&self) -> String {
        format!("{} ppm", self.0)
    }
}

impl FieldType for bool {
    const EXPECTS: &'static str = "`yes` or `no`";
    const SCALE: Scale = Scale::Switch;
    fn parse(text: &str) -> Option<bool> {
        match text {
            "yes" | "true" => Some(true),
            "no" | "false" => Some(false),
            _ => None,
        }
    }
    fn print(&self) -> String {
        if *self { "yes" } else { "no" }.to_string()
    }
}

impl FieldType for PayloadSize {
    const EXPECTS: &'static str = "128, 256, 512, 1024, 2048 or 4096 bytes, as in `256 B`";
    const SCALE: Scale = Scale::Size;
    fn parse(text: &str) -> Option<PayloadSize> {
        let bytes = Bytes::parse(text).map(|b| b.0).or_else(|| u64::parse(text))?;
        PayloadSize::new(bytes)
    }
    fn print(&self) -> String {
        format!("{} B", self.bytes())
    }
}

/// A value that may be unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap<T>(pub Option<T>);

impl<T> Cap<T> {
    /// No limit.
    pub const NONE: Cap<T> = Cap(None);
}

/// The words for no limit.
const UNLIMITED: [&str; 2] = ["infinite", "none"];

macro_rules! cap_of {
    ($type:ty, $expects:literal) => {
        impl FieldType for Cap<$type> {
            const EXPECTS: &'static str = $expects;
            const SCALE: Scale = <$type as FieldType>::SCALE;
            const INSTEAD: &'static [&'static str] = &UNLIMITED;
            fn parse(text: &str) -> Option<Self> {
                if Self::INSTEAD.contains(&text) {
                    Some(Cap(None))
                } else {
                    <$type>::parse(text).map(|value| Cap(Some(value)))
                }
            }
            fn print(&self) -> String {
                self.0.as_ref().map_or(UNLIMITED[0].to_string(), FieldType::print)
            }
        }
    };
}

cap_of!(u64, "a whole number or `infinite`");
cap_of!(Count, "a whole number of 1 or more, or `infinite`");
cap_of!(Bytes, "a size with its unit, as in `4 KiB`, or `infinite`");
cap_of!(Rate, "a rate with its unit, as in `290 MiB/s`, or `infinite`");
cap_of!(Frequency, "a frequency with its unit, as in `250 MHz`, or `infinite`");

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_quantity_without_its_unit_is_refused() {
        assert_eq!(Time::parse("255 ns"), Some(Time::from_ns(255)));
        assert_eq!(Time::parse("255"), None);
        assert_eq!(Time::parse("-3 ns"), None);
        assert_eq!(Bytes::parse("4 KiB"), Some(Bytes(4096)));
        assert_eq!(Bytes::parse("80e6 B"), Some(Bytes(80_000_000)));
        assert_eq!(Bytes::parse("0.5 B"), None);
        assert_eq!(Bytes::parse("4096"), None);
        assert_eq!(u64::parse("8 B"), None);
        assert_eq!(Cap::<Rate>::parse("0 MB/s"), None);
        assert_eq!(Ppm::parse("0.25 %"), Some(Ppm(2500)));
    }

    #[test]
    fn what_is_printed_reads_back() {
        for time in [0, 1, 38_000_000, 1_440_000_000, 507_812_500].map(Time::from_fs) {
            assert_eq!(Time::parse(&time.print()), Some(time));
        }
        for cap in [Cap(None), Cap(Some(Bytes(4096)))] {
            assert_eq!(Cap::<Bytes>::parse(&cap.print()), Some(cap));
        }
    }

    /// A number with at most six digits, as somebody writes it, and a unit of the scale.
    fn typed(scale: Scale) -> impl Strategy<Value = String> {
        let units: Vec<&str> = scale.units().iter().map(|(name, _)| *name).collect();
        (1u32..1_000_000, 0u32..4, proptest::sample::select(units))
            .prop_map(|(number, places, unit)| format!("{} {unit}", f64::from(number) / 10f64.powi(places as i32)))
    }

    /// Asserts that what is printed of a typed text reads back, and is hardly longer than the units need.
    fn check<T: FieldType + PartialEq + std::fmt::Debug>(text: &str, digits: usize) -> Result<(), TestCaseError> {
        let Some(value) = T::parse(text) else { return Ok(()) };
        let printed = value.print();
        let again = T::parse(&printed);
        prop_assert_eq!(again.as_ref(), Some(&value), "{} printed {}", text, printed);
        let count = printed.chars().filter(char::is_ascii_digit).count();
        prop_assert!(count <= digits, "{} printed {}", text, printed);
        Ok(())
    }

    proptest::proptest! {
        #[test]
        fn does_every_typed_quantity_print_short_and_read_back(
            time in typed(Scale::Time), bytes in typed(Scale::Bytes), frequency in typed(Scale::Frequency),
            share in typed(Scale::Ppm), rate in typed(Scale::Rate),
        ) {
            // A time of a second and more is read as the nearest float, which may be a femtosecond beside it.
            if Time::parse(&time).is_some_and(|time| time.as_fs() < 1_000_000_000_000_000) {
                check::<Time>(&time, 18)?;
            }
            check::<Bytes>(&bytes, 16)?;
            check::<Frequency>(&frequency, 16)?;
            check::<Ppm>(&share, 6)?;
            check::<Rate>(&rate, 18)?;
        }

        #[test]
        fn does_a_rate_typed_in_decimal_units_print_with_the_digits_typed(
            number in 1u32..1_000_000, places in 0u32..4,
        ) {
            let typed = f64::from(number) / 10f64.powi(places as i32);
            let text = format!("{typed} MB/s");
            prop_assert_eq!(Rate::parse(&text).map(|rate| rate.print()), Some(text));
        }

        #[test]
        fn does_every_rate_and_frequency_read_back(rate in 1e-3f64..1e13, hertz in 1u64..10_000_000_000_000) {
            prop_assert_eq!(Rate::parse(&Rate(rate).print()), Some(Rate(rate)));
            let frequency = Frequency(hertz);
            prop_assert_eq!(Frequency::parse(&frequency.print()), Some(frequency));
        }
    }

    #[test]
    fn is_a_frequency_below_a_megahertz_printed_in_kilohertz() {
        assert_eq!(Frequency(100_000).print(), "100 kHz");
        assert_eq!(Frequency(62_500_000).print(), "62.5 MHz");
        assert_eq!(Frequency(1).print(), "0.001 kHz");
        assert_eq!(Rate::parse("290 MiB/s").map(|rate| rate.print()).as_deref(), Some("304.08704 MB/s"));
    }
}
