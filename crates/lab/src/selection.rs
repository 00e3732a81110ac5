//! Which rows of a reference: `dma-read core=p size=512..2048 or pio-write but size=64`, in the words of the rows.

use crate::at::At;
use crate::metric::Metric;
use crate::reference::Row;
use std::fmt;

/// Rows that have all of this.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pattern {
    experiment: Option<String>,
    metric: Option<String>,
    at: At,
}

impl Pattern {
    /// From `EXPERIMENT axis=value metric`, each left out at will; `a to b` and `a..b` are ranges, both ends included.
    ///
    /// # Errors
    /// The word that says nothing.
    pub fn parse(text: &str) -> Result<Pattern, String> {
        let mut pattern = Pattern::default();
        for word in text.replace(" to ", "..").replace(';', " ").split_whitespace() {
            if word.contains('=') {
                let at = At::parse(word)?;
                let (axis, value) = at.pairs().next().ok_or_else(|| word.to_string())?;
                if pattern.at.get(axis).is_some() {
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
    /// True where the row has all that is named.
    pub fn takes(&self, row: &Row) -> bool {
        self.experiment.as_ref().is_none_or(|name| *name == row.experiment)
            && self.metric.as_ref().is_none_or(|word| *word == row.metric.word())
            && self.at.covers(&row.at)
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs = self.at.pairs().map(|(axis, value)| format!("{axis}={value}"));
        let words: Vec<String> =
            self.experiment.iter().cloned().chain(pairs).chain(self.metric.iter().cloned()).collect();
        f.pad(&words.join(" "))
    }
}

/// Rows that fit one of some patterns (all rows where there is none) and none of some others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// One of these.
    pub one_of: Vec<Pattern>,
    /// None of these.
    pub but: Vec<Pattern>,
}

impl Selection {
    /// From `PATTERN or PATTERN but PATTERN or PATTERN`.
    ///
    /// # Errors
    /// The word that says nothing.
    pub fn parse(text: &str) -> Result<Selection, String> {
        let text = format!(" {text}");
        let (one_of, but) = text.split_once(" but ").unwrap_or((&text, ""));
        let all = |text: &str| {
            let texts = text.split(" or ").filter(|text| !text.trim().is_empty());
            texts.map(Pattern::parse).collect::<Result<Vec<_>, _>>()
        };
        Ok(Selection { one_of: all(one_of)?, but: all(but)? })
    }
    /// True for a row that is among them.
    pub fn takes(&self, row: &Row) -> bool {
        (self.one_of.is_empty() || self.one_of.iter().any(|pattern| pattern.takes(row)))
            && !self.but.iter().any(|pattern| pattern.takes(row))
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = |patterns: &[Pattern]| patterns.iter().map(Pattern::to_string).collect::<Vec<_>>().join(" or ");
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
    }

    #[test]
    fn a_word_too_many_is_told() {
        assert_eq!(Pattern::parse("dma-read dma-write"), Err("dma-write".to_string()));
        assert_eq!(Pattern::parse("size=1 size=2"), Err("size=2".to_string()));
        assert_eq!(Pattern::parse("dma-read size="), Err("size=".to_string()));
    }
}
