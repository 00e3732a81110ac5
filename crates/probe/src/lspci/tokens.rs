//! The words of a register's text, and which of them were understood.

use pcie::config::NamedRegister;
use pcie::config::layout::Slot;
use std::ops::Range;

/// Words, without the commas and semicolons after them.
pub struct Tokens<'a> {
    words: Vec<&'a str>,
    used: Vec<bool>,
}

impl<'a> Tokens<'a> {
    /// The tokens of a text.
    pub fn new(text: &'a str) -> Tokens<'a> {
        Tokens::of(text.split_whitespace().map(|word| word.trim_end_matches([',', ';'])).collect())
    }
    /// The tokens of a list of words.
    pub fn of(words: Vec<&'a str>) -> Tokens<'a> {
        let used = words.iter().map(|word| word.is_empty()).collect();
        Tokens { words, used }
    }
    /// The words that were not taken.
    pub fn left(&self) -> Vec<&'a str> {
        self.words.iter().zip(&self.used).filter(|(_, used)| !**used).map(|(word, _)| *word).collect()
    }
    /// Takes the first place where the words of `pattern` occur in a row, each not yet taken. `{}` in one of them matches any
    /// text; these texts are the result.
    pub fn take(&mut self, pattern: &str) -> Option<Vec<&'a str>> {
        let found = self.locate(pattern)?;
        self.used[found.clone()].fill(true);
        Some(self.captured(found, pattern).collect())
    }
    /// Takes a pattern without `{}`; true if it was found.
    pub fn take_word(&mut self, pattern: &str) -> bool {
        let found = self.locate(pattern);
        found.is_some_and(|found| {
            self.used[found].fill(true);
            true
        })
    }
    /// Takes a pattern with one `{}`; gives the text that it matched.
    pub fn take_one(&mut self, pattern: &str) -> Option<&'a str> {
        let found = self.locate(pattern)?;
        self.used[found.clone()].fill(true);
        self.captured(found, pattern).next()
    }
    /// Takes all remaining words: they follow a register without being part of it.
    pub fn take_rest(&mut self) {
        self.used.fill(true);
    }
    /// Takes a pattern with one `{}`; gives the decimal number that it matched.
    pub fn number(&mut self, pattern: &str) -> Option<u32> {
        self.take_one(pattern)?.parse().ok()
    }
    /// Takes a pattern with one `{}`; gives the hex number that it matched.
    pub fn hex(&mut self, pattern: &str) -> Option<u32> {
        u32::from_str_radix(self.take_one(pattern)?, 16).ok()
    }
    /// Takes `before` and the longest of the phrases that follow it (`Via message` is the beginning of `Via message A`);
    /// gives the index of the phrase in the list. Empty phrases match nothing.
    pub fn phrase(&mut self, before: &str, phrases: &[&str]) -> Option<u32> {
        let starts = (0..self.words.len()).filter_map(|start| Some((start, self.stands(start, before)?)));
        let (range, index) = starts
            .filter_map(|(start, behind)| {
                let there = |phrase: &str| self.stands(behind, phrase).filter(|_| !phrase.is_empty());
                let found = phrases
                    .iter()
                    .enumerate()
                    .filter_map(|(index, phrase)| Some((phrase.len(), there(phrase)?, index)));
                found.max_by_key(|found| found.0).map(|(_, end, index)| (start..end, index))
            })
            .next()?;
        self.used[range].fill(true);
        u32::try_from(index).ok()
    }
    /// Takes every `Name+` and `Name-` that is a flag of the register.
    pub fn take_flags(&mut self, slot: &mut Slot<'_>) {
        let mut changed = false;
        for i in 0..self.words.len() {
            let word = self.words[i];
            // Slot Status prints two sets of flags under one register.
            if matches!(word, "Changed:" | "Status:") && slot.name == "SltSta" {
                changed = word == "Changed:";
                self.used[i] = true;
                continue;
            }
            let Some((label, value)) = flag(word).filter(|_| !self.used[i]) else { continue };
            let label = canonical(slot.name, label);
            let whole = if changed { format!("Changed: {label}") } else { label.to_string() };
            self.used[i] = is_flag(slot, &whole) && slot.put(&whole, value);
        }
    }
    /// The first place where the words of the pattern occur in a row.
    fn locate(&self, pattern: &str) -> Option<Range<usize>> {
        (0..self.words.len()).find_map(|start| Some(start..self.stands(start, pattern)?))
    }
    /// The end of the pattern, if it matches at `start`.
    fn stands(&self, start: usize, pattern: &str) -> Option<usize> {
        let mut at = start;
        for shape in shapes(pattern) {
            let free = self.words.get(at).filter(|_| !self.used[at])?;
            captured(free, shape)?;
            at += 1;
        }
        Some(at)
    }
    /// The texts that the `{}` matched.
    fn captured<'p>(&'p self, found: Range<usize>, pattern: &'p str) -> impl Iterator<Item = &'a str> + 'p {
        self.words[found].iter().zip(shapes(pattern)).filter_map(|(word, shape)| captured(word, shape).flatten())
    }
}

/// The words of a pattern, without the commas after them, like those of the text.
fn shapes(pattern: &str) -> impl Iterator<Item = &str> {
    pattern.split(' ').map(|word| word.trim_end_matches(','))
}

fn is_flag(slot: &Slot<'_>, label: &str) -> bool {
    slot.fields.iter().any(|field| field.label == label && field.is_flag())
}

/// `None` if the word does not match; else the text that `{}` matched, if there is a `{}`.
fn captured<'a>(word: &'a str, shape: &str) -> Option<Option<&'a str>> {
    if !shape.as_bytes().contains(&b'{') {
        return (word == shape).then_some(None);
    }
    match shape.split_once("{}") {
        None => (word == shape).then_some(None),
        Some((before, behind)) => {
            let inside = word.strip_prefix(before)?.strip_suffix(behind)?;
            (!inside.is_empty()).then_some(Some(inside))
        }
    }
}

/// The name and the value of a flag, from `Name+` or `Name-`.
fn flag(word: &str) -> Option<(&str, u32)> {
    let label = word.strip_suffix('+').map(|label| (label, 1));
    label.or_else(|| word.strip_suffix('-').map(|label| (label, 0))).filter(|(label, _)| !label.is_empty())
}

/// One name for a flag that older and newer versions of `lspci` call by different names.
fn canonical<'a>(register: &str, label: &'a str) -> &'a str {
    match (register, label) {
        ("LnkCtl", "Disabled") => "LnkDisable",
        ("DevCtl", "BrConfRtry") => "FLReset",
        // Up to pciutils 3.6: `Report errors: Correctable+ Non-Fatal+ Fatal+ Unsupported+`, and `UncorrErr`.
        ("DevCtl", "Correctable") => "CorrErr",
        ("DevCtl", "Non-Fatal") => "NonFatalErr",
        ("DevCtl", "Fatal") => "FatalErr",
        ("DevCtl", "Unsupported") => "UnsupReq",
        ("DevSta", "UncorrErr") => "NonFatalErr",
        ("CESta" | "CEMsk", "NonFatalErr") => "AdvNonFatalErr",
        ("AERCap", "GenCap") => "ECRCGenCap",
        ("AERCap", "CGenEn") => "ECRCGenEn",
        ("AERCap", "ChkCap") => "ECRCChkCap",
        ("AERCap", "ChkEn") => "ECRCChkEn",
        ("RootCap" | "RootCtl", "RRSVisible") => "CRSVisible",
        (_, "UnsuppReq") => "UnsupReq",
        _ => label,
    }
}

/// Reads every `Name+` and `Name-` of a text that is a flag of the register; the rest is ignored.
pub fn flags<R: NamedRegister>(register: &mut R, text: &str) {
    let mut slot = Slot { name: R::NAME, fields: R::FIELDS, register: register.register_mut() };
    Tokens::new(text).take_flags(&mut slot);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_pattern_take_its_words_once_and_give_what_it_stood_for() {
        let mut tokens = Tokens::new("MaxPayload 256 bytes, PhantFunc 0, Width x8 (ok)");
        assert_eq!(tokens.number("MaxPayload {} bytes"), Some(256));
        assert_eq!(tokens.number("MaxPayload {} bytes"), None);
        assert_eq!(tokens.number("Width x{}"), Some(8));
        assert_eq!(tokens.left(), ["PhantFunc", "0", "(ok)"]);
        assert_eq!(Tokens::new("").take("one two"), None);
    }

    #[test]
    fn is_the_longer_phrase_found_where_a_shorter_one_begins_it() {
        let mut tokens = Tokens::new("OBFF Via message/WAKE#, x");
        assert_eq!(tokens.phrase("OBFF", &["Not Supported", "Via message", "Via WAKE#", "Via message/WAKE#"]), Some(3));
        assert_eq!(tokens.left(), ["x"]);
    }
}
