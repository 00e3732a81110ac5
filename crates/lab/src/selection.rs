//! A selection of rows of a reference: `dma-read core=p size=512..2048 or pio-write but size=64`, with the words of the
//! rows.
//!
//! `system=kfcr-5400` refers to the column `system`. A selection written by a fit names the system and every axis of
//! its rows with all values, so that no other row matches it.

use crate::at::At;
use crate::metric::Metric;
use crate::reference::Row;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The word that stands for the column `system` among the axes of a pattern.
const SYSTEM: &str = "system";

/// A condition on rows: a row matches if it has everything that is named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowPattern {
    system: Option<String>,
    experiment: Option<String>,
    metric: Option<String>,
    at: At,
}

impl RowPattern {
    /// Parses `EXPERIMENT axis=value metric`; each part is optional. `a to b` and `a..b` are ranges that include both
    /// ends.
    ///
    /// # Errors
    /// The word that cannot be parsed.
    pub fn parse(text: &str) -> Result<RowPattern, String> {
        let mut pattern = RowPattern::default();
        for word in text.replace(" to ", "..").replace(';', " ").split_whitespace() {
            if word.contains('=') {
                let at = At::parse(word)?;
                let (axis, value) = at.pairs().next().ok_or_else(|| word.to_string())?;
                if axis == SYSTEM && pattern.system.is_none() {
                    pattern.system = Some(value.to_string());
                    continue;
                }
                if axis == SYSTEM || pattern.at.get(axis).is_some() {
                    return Err(word.to_string());
                }
                pattern.at = pattern.at.with(axis, value);
                continue;
            }
            let slot = if Metric::from_word(word).is_some() { &mut pattern.metric } else { &mut pattern.experiment };
            if slot.replace(word.to_string()).is_some() {
                return Err(word.to_string());
            }
        }
        Ok(pattern)
    }
    /// True if the row matches.
    pub fn takes(&self, row: &Row) -> bool {
        self.system.as_ref().is_none_or(|name| *name == row.system)
            && self.experiment.as_ref().is_none_or(|name| *name == row.experiment)
            && self.metric.as_ref().is_none_or(|word| *word == row.metric.word())
            && self.at.covers(&row.at)
    }
    /// True if the pattern names the system, and so everything about its rows.
    pub fn is_whole(&self) -> bool {
        self.system.is_some()
    }
    /// True if the pattern names every axis of the row.
    fn names_all_of(&self, row: &Row) -> bool {
        row.at.pairs().all(|(axis, _)| self.at.get(axis).is_some())
    }
    /// The patterns that match exactly these rows. Rows that differ in only one axis share a pattern.
    pub fn of(rows: &[&Row]) -> Vec<RowPattern> {
        let one = |row: &&Row| RowPattern {
            system: Some(row.system.clone()),
            experiment: Some(row.experiment.clone()),
            metric: Some(row.metric.word()),
            at: row.at.clone(),
        };
        let mut all: Vec<RowPattern> = rows.iter().map(one).collect();
        let axes: BTreeSet<String> =
            rows.iter().flat_map(|row| row.at.pairs()).map(|(axis, _)| axis.to_string()).collect();
        for axis in axes {
            let mut joined: Vec<RowPattern> = Vec::new();
            let mut places: BTreeMap<String, usize> = BTreeMap::new();
            for pattern in all {
                let others = RowPattern { at: pattern.at.without(&axis), ..pattern.clone() };
                let value = pattern.at.get(&axis).map(str::to_string);
                match (places.get(&others.to_string()).copied(), value) {
                    (Some(place), Some(value)) if joined[place].at.get(&axis).is_some() => {
                        let known = joined[place].at.get(&axis).unwrap_or_default().to_string();
                        let new = known.split(',').all(|one| one != value);
                        let list = if new { format!("{known},{value}") } else { known };
                        joined[place].at = joined[place].at.with(&axis, &list);
                    }
                    _ => {
                        places.insert(others.to_string(), joined.len());
                        joined.push(pattern);
                    }
                }
            }
            all = joined;
        }
        all
    }
}

impl fmt::Display for RowPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.at.pairs().map(|(axis, value)| format!("{axis}={value}"));
        let system = self.system.iter().map(|name| format!("{SYSTEM}={name}"));
        let words: Vec<String> =
            system.chain(self.experiment.iter().cloned()).chain(pairs).chain(self.metric.iter().cloned()).collect();
        f.pad(&words.join(" "))
    }
}

/// Rows that match one of some patterns (all rows if there are none), and none of some others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// A row must match one of these.
    pub one_of: Vec<RowPattern>,
    /// A row must match none of these.
    pub but: Vec<RowPattern>,
}

impl Selection {
    /// Parses `PATTERN or PATTERN but PATTERN or PATTERN`.
    ///
    /// # Errors
    /// The word that cannot be parsed.
    pub fn parse(text: &str) -> Result<Selection, String> {
        let text = format!(" {text}");
        let (one_of, but) = text.split_once(" but ").unwrap_or((&text, ""));
        let all = |text: &str| {
            let texts = text.split(" or ").filter(|text| !text.trim().is_empty());
            texts.map(RowPattern::parse).collect::<Result<Vec<_>, _>>()
        };
        Ok(Selection { one_of: all(one_of)?, but: all(but)? })
    }
    /// True if the row is selected.
    pub fn takes(&self, row: &Row) -> bool {
        (self.one_of.is_empty() || self.one_of.iter().any(|pattern| pattern.takes(row)))
            && !self.but.iter().any(|pattern| pattern.takes(row))
    }
    /// True if the row is selected with certainty: by a pattern that names the system and every axis of the row.
    pub fn names(&self, row: &Row) -> bool {
        self.one_of.iter().any(|pattern| pattern.is_whole() && pattern.takes(row) && pattern.names_all_of(row))
            && !self.but.iter().any(|pattern| pattern.takes(row))
    }
    /// True if each pattern names the system of its rows.
    pub fn is_whole(&self) -> bool {
        !self.one_of.is_empty() && self.one_of.iter().all(RowPattern::is_whole)
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |patterns: &[RowPattern]| patterns.iter().map(RowPattern::to_string).collect::<Vec<_>>().join(" or ");
        let but = if self.but.is_empty() { String::new() } else { format!(" but {}", all(&self.but)) };
        f.pad(format!("{}{but}", all(&self.one_of)).trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;

    #[test]
    fn rows_are_chosen_by_the_words_that_they_are_written_with() {
        let kfcr = reference::bundled().unwrap().remove(0);
        let count = |text: &str| {
            let selection = Selection::parse(text).unwrap();
            assert_eq!(Selection::parse(&selection.to_string()).unwrap(), selection);
            kfcr.rows.iter().filter(|row| selection.takes(row)).count()
        };
        assert_eq!((count(""), count("dma-read"), count("dma-read core=p")), (38, 14, 7));
        assert_eq!(count("dma-read size=4096.."), 8);
        assert_eq!(count("dma-read core=p or pio-write lanes=4 but size=512"), 6 + 8);
        assert_eq!((count("throughput but dma-read"), count("but dma-read")), (24, 24));
        assert_eq!((count("system=kfcr-x38"), count("system=kfcr-x38 dma-read")), (6, 0));
        assert_eq!(count("dma-read size=512,4096"), 4);
    }

    #[test]
    fn the_patterns_of_some_rows_take_those_rows_and_no_others() {
        let kfcr = reference::bundled().unwrap().remove(0);
        for chosen in ["dma-read core=p", "dma-read or pio-write but size=512", "size=4096", "but core=kf"] {
            let wanted = Selection::parse(chosen).unwrap();
            let rows: Vec<&Row> = kfcr.rows.iter().filter(|row| wanted.takes(row)).collect();
            let exact = Selection { one_of: RowPattern::of(&rows), but: Vec::new() };
            let read = Selection::parse(&exact.to_string()).unwrap();
            assert!(read.is_whole() && read.one_of.len() < rows.len(), "{exact}");
            for row in &kfcr.rows {
                assert_eq!(read.names(row), wanted.takes(row), "{exact}: {}", row.at);
            }
        }
    }

    #[test]
    fn a_word_too_many_is_told() {
        assert_eq!(RowPattern::parse("dma-read dma-write"), Err("dma-write".to_string()));
        assert_eq!(RowPattern::parse("size=1 size=2"), Err("size=2".to_string()));
        assert_eq!(RowPattern::parse("dma-read size="), Err("size=".to_string()));
    }
}
