//! A point of an experiment: `axis=value` pairs joined by `;`, as in `core=kf;lanes=8;size=4096`.

use crate::span::Span;
use std::fmt;

/// The values of some axes of an experiment, in the order in which they were written. A value may be a [`Span`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At(Vec<(String, String)>);

impl At {
    /// Builds a point from pairs.
    pub fn new(pairs: impl IntoIterator<Item = (String, String)>) -> At {
        At(pairs.into_iter().collect())
    }
    /// Parses `a=1;b=2`. `Err` carries the piece that is not a pair, or whose axis was named before.
    pub fn parse(text: &str) -> Result<At, String> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for piece in text.split(';').map(str::trim).filter(|piece| !piece.is_empty()) {
            match piece.split_once('=').map(|(axis, value)| (axis.trim(), value.trim())) {
                Some((axis, value))
                    if !axis.is_empty() && !value.is_empty() && pairs.iter().all(|(known, _)| known != axis) =>
                {
                    pairs.push((axis.to_string(), value.to_string()));
                }
                _ => return Err(piece.to_string()),
            }
        }
        Ok(At(pairs))
    }
    /// The value of one axis.
    pub fn get(&self, axis: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == axis).map(|(_, value)| value.as_str())
    }
    /// The value of one axis as a number; `None` if the axis is missing, or its value is a word or a range.
    pub fn number(&self, axis: &str) -> Option<f64> {
        self.get(axis)?.parse().ok()
    }
    /// All pairs.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(axis, value)| (axis.as_str(), value.as_str()))
    }
    /// The same point without one axis.
    pub fn without(&self, axis: &str) -> At {
        At(self.0.iter().filter(|(name, _)| name != axis).cloned().collect())
    }
    /// The same point with one axis at another value.
    pub fn with(&self, axis: &str, value: &str) -> At {
        let mut pairs = self.0.clone();
        match pairs.iter_mut().find(|(name, _)| name == axis) {
            Some((_, old)) => *old = value.to_string(),
            None => pairs.push((axis.to_string(), value.to_string())),
        }
        At(pairs)
    }
    /// True if no axis is named.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// True if `point` matches every pair of `self`: equal as text or as a number, within a range, or one of a list.
    pub fn covers(&self, point: &At) -> bool {
        self.pairs().all(|(axis, value)| point.get(axis).is_some_and(|there| value_covers(value, there)))
    }
}

/// True if the value `there` matches `value`.
fn value_covers(value: &str, there: &str) -> bool {
    value == there || value.split(',').any(|one| one_covers(one, there))
}

fn one_covers(value: &str, there: &str) -> bool {
    value == there
        || there.parse::<f64>().is_ok_and(|number| Span::parse(value).is_some_and(|span| span.distance(number) == 0.0))
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs: Vec<String> = self.pairs().map(|(axis, value)| format!("{axis}={value}")).collect();
        f.pad(&pairs.join(";"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_reads_and_prints_as_in_a_csv() {
        let at = At::parse("core=kf; lanes=8;size=4096").unwrap();
        assert_eq!(at.to_string(), "core=kf;lanes=8;size=4096");
        assert_eq!((at.get("core"), at.number("lanes"), at.get("gen")), (Some("kf"), Some(8.0), None));
        assert_eq!(At::parse("").unwrap(), At::default());
    }

    #[test]
    fn what_is_no_pair_or_comes_twice_is_told() {
        assert_eq!(At::parse("lanes=8;size"), Err("size".to_string()));
        assert_eq!(At::parse("lanes=8;lanes=4"), Err("lanes=4".to_string()));
        assert_eq!(At::parse("lanes="), Err("lanes=".to_string()));
    }

    #[test]
    fn a_place_covers_the_points_that_its_ranges_hold() {
        let at = At::parse("ssd=520;queue_depth=1..32").unwrap();
        let covers = |text: &str| at.covers(&At::parse(text).unwrap());
        assert!(covers("ssd=520;queue_depth=32;count=1"));
        assert!(!covers("ssd=520;queue_depth=33"));
        assert!(!covers("ssd=520"));
    }
}
