//! A number or a range of numbers, in the form that references use: `1603`, `1.5..2`, `64..`.

use std::fmt;

/// `low..high`, both ends included. No upper end if `high` is `None`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: Option<f64>,
}

impl Span {
    /// Parses `1603`, `1.5..2` or `64..`; `None` for any other text, and if the ends are in the wrong order.
    pub fn parse(text: &str) -> Option<Span> {
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        let Some((low, high)) = text.split_once("..") else {
            return number(text).map(|n| Span { low: n, high: Some(n) });
        };
        let low = number(low)?;
        let high = if high.trim().is_empty() { None } else { Some(number(high)?) };
        high.is_none_or(|high| high >= low).then_some(Span { low, high })
    }
    /// The number, if it is not a range.
    pub fn single(self) -> Option<f64> {
        (self.high == Some(self.low)).then_some(self.low)
    }
    /// Both ends times `factor`. The ends of a range are rounded to seven digits.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Span {
        let short = |value: f64| format!("{value:.6e}").parse().unwrap_or(value);
        let end = |value: f64| if self.single().is_some() { value * factor } else { short(value * factor) };
        Span { low: end(self.low), high: self.high.map(end) }
    }
    /// The distance of `number` from the range: negative below it, positive above it, zero inside.
    pub fn distance(self, number: f64) -> f64 {
        match self.high {
            _ if number < self.low => number - self.low,
            Some(high) if number > high => number - high,
            _ => 0.0,
        }
    }
    /// The same as a percentage of the nearer end.
    pub fn error_percent(self, number: f64) -> f64 {
        let distance = self.distance(number);
        let end = if distance > 0.0 { self.high.unwrap_or(self.low) } else { self.low };
        if distance == 0.0 { 0.0 } else { 100.0 * distance / end.abs() }
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match (self.single(), self.high) {
            (Some(number), _) => number.to_string(),
            (None, Some(high)) => format!("{}..{high}", self.low),
            (None, None) => format!("{}..", self.low),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_in_another_unit_has_no_digits_of_its_conversion() {
        assert_eq!(Span::parse("500..2000").unwrap().scaled(1.048576).to_string(), "524.288..2097.152");
        assert_eq!(Span::parse("64..").unwrap().scaled(1.0 / 3.0).to_string(), "21.33333..");
        assert_eq!(Span::parse("3").unwrap().scaled(0.5).single(), Some(1.5));
    }

    #[test]
    fn a_number_a_range_and_an_open_range_are_understood() {
        let print = |text| Span::parse(text).map(|span| span.to_string());
        assert_eq!(print("1603"), Some("1603".into()));
        assert_eq!(print("1.5..2"), Some("1.5..2".into()));
        assert_eq!(print("64.."), Some("64..".into()));
        assert_eq!([print("2..1"), print("ring8"), print(".."), print("NaN")], [const { None }; 4]);
    }

    #[test]
    fn the_error_is_counted_from_the_nearer_end() {
        let span = Span::parse("1.5..2").unwrap();
        assert_eq!(span.error_percent(1.7), 0.0);
        assert_eq!(span.error_percent(3.0), 50.0);
        assert_eq!(span.error_percent(0.75), -50.0);
        assert_eq!(Span::parse("64..").unwrap().error_percent(1e9), 0.0);
    }
}
