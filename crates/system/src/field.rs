//! Fields: the typed, documented settings of a kind of part, declared once by [`params!`](crate::params) and
//! read from text in one way everywhere: descriptions, catalogue, `--set`, axes of experiments.

use crate::form::{Form, UNLIMITED};
pub use crate::scale::Scale;
use pcie::{Bytes, PayloadSize, Rate, Time};

/// What a field is: for help, schema and sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// As written in a description.
    pub name: &'static str,
    /// What it means.
    pub about: &'static str,
    /// What may be written, with an example.
    pub expects: &'static str,
    /// What sort of quantity it is.
    pub scale: Scale,
    /// Who could change it.
    pub nature: Nature,
    /// What may be written, for programs.
    pub form: Form,
}

/// Who could change a field of a machine that stands there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// Nobody: it is how the part is built, or how fast.
    Built,
    /// A driver or an administrator, up to what is described (`; chosen` in [`params!`](crate::params)).
    Chosen,
    /// Nobody ever: a mechanism of the standard that can be left out to see what it costs (`; mechanism`).
    Mechanism,
}

/// A type that a field may have.
pub trait FieldType: Sized {
    /// What may be written, with an example.
    const EXPECTS: &'static str;
    /// What sort of quantity it is; without values beside one another where a type does not say.
    const SCALE: Scale = Scale::Words(&[]);
    /// The same, for programs.
    const FORM: Form = Form::Any;
    /// From the text of a description; `None` where it is not what [`FieldType::EXPECTS`] says.
    fn parse(text: &str) -> Option<Self>;
    /// As it would be written.
    fn print(&self) -> String;
}

/// The settings of one kind of part.
pub trait Params: Clone + Default {
    /// What they are, in the order of declaration.
    const FIELDS: &'static [Field];
    /// Sets one; `Err` says what is expected, `None` that there is no such field.
    fn set(&mut self, name: &str, text: &str) -> Option<Result<(), &'static str>>;
    /// One, as it would be written.
    fn get(&self, name: &str) -> Option<String>;
}

/// Declares a struct of fields: `name: Type = default`, each with its doc comment, and implements [`Params`]. Behind a
/// default may stand `; chosen` or `; mechanism`: see [`Nature`].
#[macro_export]
macro_rules! params {
    (@nature) => { $crate::field::Nature::Built };
    (@nature chosen) => { $crate::field::Nature::Chosen };
    (@nature mechanism) => { $crate::field::Nature::Mechanism };
    (
        $(#[doc = $about:literal])*
        pub struct $name:ident {
            $( $(#[doc = $doc:literal])+ $field:ident : $type:ty = $default:expr $(; $nature:ident)?, )+
        }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $( $(#[doc = $doc])+ pub $field: $type, )+ }

        impl Default for $name {
            fn default() -> Self { $name { $( $field: $default, )+ } }
        }

        impl $crate::field::Params for $name {
            const FIELDS: &'static [$crate::field::Field] = &[
                $( $crate::field::Field {
                    name: stringify!($field),
                    about: concat!($( $doc ),+),
                    expects: <$type as $crate::field::FieldType>::EXPECTS,
                    scale: <$type as $crate::field::FieldType>::SCALE,
                    nature: $crate::params!(@nature $($nature)?),
                    form: <$type as $crate::field::FieldType>::FORM,
                }, )+
            ];
            fn set(&mut self, name: &str, text: &str) -> Option<Result<(), &'static str>> {
                match name {
                    $( stringify!($field) => Some(match <$type as $crate::field::FieldType>::parse(text) {
                        Some(value) => { self.$field = value; Ok(()) }
                        None => Err(<$type as $crate::field::FieldType>::EXPECTS),
                    }), )+
                    _ => None,
                }
            }
            fn get(&self, name: &str) -> Option<String> {
                match name {
                    $( stringify!($field) => Some($crate::field::FieldType::print(&self.$field)), )+
                    _ => None,
                }
            }
        }
    };
}

/// Declares an enum whose variants are words of a description, as a [`FieldType`].
#[macro_export]
macro_rules! words {
    (
        $(#[doc = $about:literal])*
        pub enum $name:ident { $( $(#[doc = $doc:literal])+ $variant:ident = $word:literal, )+ }
    ) => {
        $(#[doc = $about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $( $(#[doc = $doc])+ $variant, )+ }

        impl $crate::field::FieldType for $name {
            const EXPECTS: &'static str = concat!("one of", $( " `", $word, "`" ),+);
            const SCALE: $crate::field::Scale = $crate::field::Scale::Words(&[$( $word ),+]);
            const FORM: $crate::form::Form = $crate::form::Form::Words(&[$( $word ),+]);
            fn parse(text: &str) -> Option<Self> {
                match text { $( $word => Some($name::$variant), )+ _ => None }
            }
            fn print(&self) -> String {
                match self { $( $name::$variant => $word, )+ }.to_string()
            }
        }
    };
}

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

/// `factor` of the unit among `units`, times the number.
fn scaled(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (number, unit) = number_and_unit(text)?;
    units.iter().find(|(name, _)| *name == unit).map(|(_, factor)| number * factor)
}

impl FieldType for Time {
    const EXPECTS: &'static str = "a time with its unit (fs, ps, ns, us, ms, s), as in `255 ns`";
    const SCALE: Scale = Scale::Time;
    const FORM: Form = Form::Quantity(&["fs", "ps", "ns", "us", "ms", "s"]);
    fn parse(text: &str) -> Option<Time> {
        let units = [("fs", 1e-15), ("ps", 1e-12), ("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)];
        scaled(text, &units).and_then(Time::from_secs_f64)
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
    const FORM: Form = Form::Quantity(&["B", "KiB", "MiB", "GiB", "kB", "MB", "GB"]);
    fn parse(text: &str) -> Option<Bytes> {
        let (kib, mib, gib) = ((1u64 << 10) as f64, (1u64 << 20) as f64, (1u64 << 30) as f64);
        let units = [("B", 1.0), ("KiB", kib), ("MiB", mib), ("GiB", gib), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9)];
        scaled(text, &units).and_then(whole).map(Bytes)
    }
    fn print(&self) -> String {
        self.to_string()
    }
}

impl FieldType for Rate {
    const EXPECTS: &'static str = "a rate with its unit (MB/s, MiB/s, GB/s, GiB/s), as in `290 MiB/s`";
    const SCALE: Scale = Scale::Rate;
    const FORM: Form = Form::Quantity(&["MB/s", "GB/s", "MiB/s", "GiB/s"]);
    fn parse(text: &str) -> Option<Rate> {
        let units = [("MB/s", 1e6), ("GB/s", 1e9), ("MiB/s", (1u64 << 20) as f64), ("GiB/s", (1u64 << 30) as f64)];
        scaled(text, &units).filter(|&rate| rate > 0.0).map(Rate)
    }
    fn print(&self) -> String {
        format!("{} MB/s", self.as_mb_per_s())
    }
}

/// A frequency in hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frequency(pub u64);

impl FieldType for Frequency {
    const EXPECTS: &'static str = "a frequency with its unit (kHz, MHz, GHz), as in `250 MHz`";
    const SCALE: Scale = Scale::Frequency;
    const FORM: Form = Form::Quantity(&["kHz", "MHz", "GHz"]);
    fn parse(text: &str) -> Option<Frequency> {
        scaled(text, &[("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9)])
            .map(f64::round)
            .and_then(whole)
            .filter(|&hertz| hertz > 0)
            .map(Frequency)
    }
    fn print(&self) -> String {
        format!("{} MHz", self.0 as f64 * 1e-6)
    }
}

impl FieldType for u64 {
    const EXPECTS: &'static str = "a whole number, as in `8`";
    const SCALE: Scale = Scale::Whole;
    const FORM: Form = Form::Whole(0);
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
    const SCALE: Scale = Scale::Whole;
    const FORM: Form = Form::Whole(1);
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
    const FORM: Form = Form::Quantity(&["ppm", "%"]);
    fn parse(text: &str) -> Option<Ppm> {
        scaled(text, &[("ppm", 1.0), ("%", 1e4)]).map(f64::round).and_then(whole).filter(|&p| p <= 10_000).map(Ppm)
    }
    fn print(&self) -> String {
        format!("{} ppm", self.0)
    }
}

impl FieldType for bool {
    const EXPECTS: &'static str = "`yes` or `no`";
    const SCALE: Scale = Scale::Switch;
    const FORM: Form = Form::Switch;
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
    const FORM: Form = Form::PayloadSize;
    fn parse(text: &str) -> Option<PayloadSize> {
        let bytes = Bytes::parse(text).map(|b| b.0).or_else(|| u64::parse(text))?;
        PayloadSize::new(bytes)
    }
    fn print(&self) -> String {
        format!("{} B", self.bytes())
    }
}

/// A figure that may be without limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cap<T>(pub Option<T>);

impl<T> Cap<T> {
    /// No limit.
    pub const NONE: Cap<T> = Cap(None);
}

macro_rules! cap_of {
    ($type:ty, $expects:literal) => {
        impl FieldType for Cap<$type> {
            const EXPECTS: &'static str = $expects;
            const SCALE: Scale = <$type as FieldType>::SCALE;
            const FORM: Form = Form::Or(&UNLIMITED, &<$type as FieldType>::FORM);
            fn parse(text: &str) -> Option<Self> {
                match text {
                    "infinite" | "none" => Some(Cap(None)),
                    _ => <$type>::parse(text).map(|value| Cap(Some(value))),
                }
            }
            fn print(&self) -> String {
                self.0.as_ref().map_or("infinite".to_string(), FieldType::print)
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
}
