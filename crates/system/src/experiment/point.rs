//! A point of an experiment: a value for each of some axes.

use std::fmt;

/// Pairs of axis and value, in order of writing. Other axes keep their described values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Point(pub Vec<(String, String)>);

impl Point {
    /// Reads `core=kf;lanes=8` (the column `at` of reference tables); `None` for wrong syntax.
    pub fn parse(at: &str) -> Option<Point> {
        let pair = |pair: &str| {
            let (axis, value) = pair.split_once('=')?;
            let (axis, value) = (axis.trim(), value.trim());
            (!axis.is_empty() && !value.is_empty()).then(|| (axis.to_string(), value.to_string()))
        };
        let pairs = at.split(';').map(str::trim).filter(|p| !p.is_empty());
        pairs.map(pair).collect::<Option<Vec<_>>>().map(Point)
    }
    /// The point with one more pair.
    pub fn with(&self, axis: &str, value: &str) -> Point {
        let mut pairs = self.0.clone();
        pairs.push((axis.to_string(), value.to_string()));
        Point(pairs)
    }
    /// The value on an axis.
    pub fn value(&self, axis: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == axis).map(|(_, value)| value.as_str())
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs: Vec<String> = self.0.iter().map(|(axis, value)| format!("{axis}={value}")).collect();
        f.pad(&pairs.join(";"))
    }
}
