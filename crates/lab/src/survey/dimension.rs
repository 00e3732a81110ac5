//! One dimension of a survey: a field or an axis, and its values.

use crate::error::Error;
use system::Scale;

/// The largest number of values of one dimension; more are taken as a mistake.
const MOST_VALUES: f64 = 100_000.0;

/// A field by its path, or an axis of the experiment by its name, with its values.
#[derive(Clone, Debug, PartialEq)]
pub struct Dimension {
    /// The name, as in `card.read_requests`, `payload`.
    pub name: String,
    /// Its values.
    pub values: Values,
}

/// The values of a dimension.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// A list of values.
    Listed(Vec<String>),
    /// Any value of a range: for sampling only.
    Between {
        /// The least value.
        low: f64,
        /// The greatest value.
        high: f64,
        /// The type of the values.
        scale: Scale,
        /// True for a logarithmic range.
        log: bool,
    },
}

impl Dimension {
    /// Parses `NAME=1,2,4`, `NAME=100ns..500ns..50ns`, `NAME=1..64/7log`, and for sampling `NAME=100ns..500ns`,
    /// `...log`.
    ///
    /// # Errors
    /// A text that cannot be parsed, with the accepted forms.
    pub fn parse(text: &str) -> Result<Dimension, Error> {
        let wrong = |what: &str| {
            let right = "as in `card.read_requests=1,2,4`, `host.read_latency=100ns..500ns..50ns`, \
                         `card.read_requests=1..64/7log`, `payload=64,128`";
            Error::asked(format!("`{text}`: {what}"), right)
        };
        let (name, values) = text.split_once('=').ok_or_else(|| wrong("there is no `=`"))?;
        let (name, values) = (name.trim().to_string(), values.trim());
        if name.is_empty() || values.is_empty() {
            return Err(wrong("something is missing"));
        }
        if !values.contains("..") {
            let listed: Vec<String> = values.split(',').map(|value| value.trim().to_string()).collect();
            let whole = listed.iter().all(|value| !value.is_empty());
            return if whole {
                Ok(Dimension { name, values: Values::Listed(listed) })
            } else {
                Err(wrong("a value is missing"))
            };
        }
        let values = range(values).map_err(wrong)?;
        Ok(Dimension { name, values })
    }
    /// True for an axis of an experiment: its name has no dot.
    pub fn is_axis(&self) -> bool {
        !self.name.contains('.')
    }
    /// The value at a share of the whole range, from 0 (included) to 1 (excluded).
    pub fn at(&self, share: f64) -> String {
        match &self.values {
            Values::Listed(values) => {
                let place = (share * values.len() as f64) as usize;
                values[place.min(values.len() - 1)].clone()
            }
            Values::Between { low, high, scale, log } => {
                let number = if *log { low * (high / low).powf(share) } else { low + (high - low) * share };
                write(*scale, number)
            }
        }
    }
}

/// Parses `LOW..HIGH`, `LOW..HIGH..STEP`, `LOW..HIGH/COUNT`. The first and the last may end in `log`.
fn range(text: &str) -> Result<Values, &'static str> {
    let (text, log) = text.strip_suffix("log").map_or((text, false), |rest| (rest.trim(), true));
    // The slash of `MB/s` does not start a count.
    let counted = text.rsplit_once('/').filter(|(_, count)| count.trim().parse::<u64>().is_ok());
    let (ends, count) = counted.map_or((text, None), |(ends, count)| (ends, Some(count)));
    let pieces: Vec<&str> = ends.split("..").map(str::trim).collect();
    let (low, high, step) = match pieces.as_slice() {
        [low, high] => (*low, *high, None),
        [low, high, step] if count.is_none() && !log => (*low, *high, Some(*step)),
        _ => return Err("this is no range"),
    };
    let (scale, [low, high]) = numbers([low, high]).ok_or("these are no two numbers with one unit")?;
    if low >= high {
        return Err("the range has no length");
    }
    if log && low <= 0.0 {
        return Err("a range by ratios starts above zero");
    }
    if let Some(step) = step {
        let step = numbers([step, step]).filter(|(unit, _)| *unit == scale || step.parse::<f64>().is_ok());
        let step =
            step.map(|(_, [step, _])| step).filter(|step| *step > 0.0).ok_or("the step is no number of that unit")?;
        let places = ((high - low) / step + 1e-9).floor();
        if places > MOST_VALUES {
            return Err("these are more values than make sense");
        }
        return Ok(listed(scale, (0..=places as usize).map(|n| low + n as f64 * step)));
    }
    let Some(count) = count else { return Ok(Values::Between { low, high, scale, log }) };
    let count: usize = count.trim().parse().map_err(|_| "the number of values is no number")?;
    if !(2..=MOST_VALUES as usize).contains(&count) {
        return Err("a range has 2 values or more");
    }
    let share = |n: usize| n as f64 / (count - 1) as f64;
    let number = |n: usize| if log { low * (high / low).powf(share(n)) } else { low + (high - low) * share(n) };
    Ok(listed(scale, (0..count).map(number)))
}

fn listed(scale: Scale, numbers: impl Iterator<Item = f64>) -> Values {
    let mut texts: Vec<String> = numbers.map(|number| write(scale, number)).collect();
    texts.dedup();
    Values::Listed(texts)
}

/// Two texts of one scale as numbers. If the first has no unit, it takes that of the second.
fn numbers(texts: [&str; 2]) -> Option<(Scale, [f64; 2])> {
    let unit = texts[1].trim_start_matches(|c: char| c.is_ascii_digit() || ['.', '_'].contains(&c));
    let first = if texts[0].parse::<f64>().is_ok() { format!("{}{unit}", texts[0]) } else { texts[0].to_string() };
    [Scale::Whole(0), Scale::Time, Scale::Bytes, Scale::Rate, Scale::Frequency, Scale::Ppm]
        .into_iter()
        .find_map(|scale| Some((scale, [scale.number(&first)?, scale.number(texts[1])?])))
}

/// A number in its shortest form: a time in whole picoseconds, a rate in whole bytes a second.
fn write(scale: Scale, number: f64) -> String {
    match scale {
        Scale::Time => Scale::Time.write((number / 1e3).round() * 1e3),
        other => other.write(number.round()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        match Dimension::parse(text).unwrap().values {
            Values::Listed(values) => values,
            Values::Between { low, high, .. } => vec![low.to_string(), high.to_string()],
        }
    }

    #[test]
    fn values_are_listed_stepped_counted_or_by_ratios() {
        assert_eq!(values("payload=64, 128"), ["64", "128"]);
        assert_eq!(values("host.read_latency=100..300ns..100ns"), ["100 ns", "200 ns", "300 ns"]);
        assert_eq!(values("card.read_requests=1..64/7log"), ["1", "2", "4", "8", "16", "32", "64"]);
        assert_eq!(values("host.port_cap=1 GB/s..2 GB/s/3"), ["1000 MB/s", "1500 MB/s", "2000 MB/s"]);
        assert_eq!(values("card.read_requests=1..4"), ["1", "4"]);
    }

    #[test]
    fn a_sample_lies_inside_and_a_list_is_met_evenly() {
        let time = Dimension::parse("host.read_latency=100ns..200ns").unwrap();
        assert_eq!((time.at(0.0), time.at(0.5)), ("100 ns".into(), "150 ns".into()));
        let list = Dimension::parse("payload=64,128,256").unwrap();
        assert_eq!([0.0, 0.34, 0.99].map(|share| list.at(share)), ["64", "128", "256"]);
    }

    #[test]
    fn nonsense_is_refused_with_what_would_be_right() {
        for text in [
            "payload",
            "a.b=",
            "a.b=1,,2",
            "a.b=1..ns",
            "a.b=5..1",
            "a.b=0..9/3log",
            "a.b=1ns..2ns..1MB/s",
            "a.b=1..9/1",
        ] {
            assert!(Dimension::parse(text).unwrap_err().right().contains("1,2,4"), "{text}");
        }
    }
}
