//! Measurements of cards: `lanescope bench card`.

use super::prepared::{Measures, Prepared};
use super::words::{LEAST_TIME, check_memory, list, named, seconds};
use crate::error::{Complaint, Error};
use bench::{Drive, Pattern, Plan};
use pcie::Bytes;
use std::path::Path;
use system::FieldType;

/// The options, as their text.
pub struct AskedCards<'a> {
    /// Cards (`/dev/lanescope0`), or channels of them.
    pub paths: &'a [String],
    /// Lengths of transfers, and numbers in flight; each separated by commas.
    pub sizes: &'a str,
    /// See [`AskedCards::sizes`].
    pub depths: &'a str,
    /// Names of channels that run at once, each text separated by commas; none for the usual subsets.
    pub subsets: &'a [String],
    /// True where channels are to be driven in ring mode.
    pub rings: bool,
    /// Time of a run that counts, and that does not.
    pub time: &'a str,
    /// See [`AskedCards::time`].
    pub warm_up: &'a str,
}

/// The longest transfer that the driver takes as one.
const MOST_SIZE: u64 = 64 << 20;

impl AskedCards<'_> {
    /// Opens the channels and plans the runs.
    ///
    /// # Errors
    /// An option that is wrong, or a card that cannot be opened.
    pub fn prepare(&self) -> Result<Prepared, Error> {
        let mut drives: Vec<Drive> = Vec::new();
        for path in self.paths {
            drives.extend(Drive::channels(path)?);
        }
        if let Some((_, twice)) =
            drives.iter().enumerate().find(|(n, one)| drives[..*n].iter().any(|other| other.device == one.device))
        {
            return Err(Complaint::new(format!("{} is named twice", twice.path), "name each channel once").into());
        }
        let blocks = list("--size", self.sizes, "lengths up to 64MiB, as in 4KiB,1MiB", |word| {
            Bytes::parse(word).map(|bytes| bytes.0).filter(|&bytes| bytes > 0 && bytes <= MOST_SIZE)
        })?;
        let depths = list("--depth", self.depths, "numbers from 1 to 4096, as in 1,16", |word| {
            word.parse().ok().filter(|depth| (1..=4096).contains(depth))
        })?;
        check_memory(&blocks, &depths)?;
        let (time, warm_up) = (seconds("--time", self.time)?, seconds("--warm-up", self.warm_up)?);
        if time < LEAST_TIME {
            return Err(Complaint::new(format!("--time {} is too short", self.time), "write 0.5s or more").into());
        }
        let ways = drives.iter().map(|drive| probe::way::of_character(Path::new("/sys"), drive.device)).collect();
        let subsets = if self.subsets.is_empty() { usual(&drives) } else { named(self.subsets, &drives)? };
        let patterns = vec![Pattern::Sequential];
        let plan = Plan {
            subsets,
            blocks,
            depths,
            reads: 100,
            rate: None,
            patterns,
            polls: self.rings,
            calls: Vec::new(),
            warm_up,
            time,
        };
        Ok(Prepared { what: Measures::Cards, drives, ways, plan })
    }
}

/// Each channel alone, both directions of each number, all channels of a card, and all.
fn usual(drives: &[Drive]) -> Vec<(String, Vec<usize>)> {
    let names: Vec<&str> = drives.iter().map(|drive| drive.name.as_str()).collect();
    subsets(&names)
}

fn subsets(names: &[&str]) -> Vec<(String, Vec<usize>)> {
    let all: Vec<usize> = (0..names.len()).collect();
    let mut found: Vec<(String, Vec<usize>)> = all.iter().map(|&at| (names[at].to_string(), vec![at])).collect();
    let mut add = |name: String, of: Vec<usize>| {
        if of.len() > 1 && !found.iter().any(|(_, known)| *known == of) {
            found.push((name, of));
        }
    };
    let number = |at: usize| names[at].replace("c2h", "h2c");
    for &at in &all {
        let both: Vec<usize> = all.iter().copied().filter(|&other| number(other) == number(at)).collect();
        add(both.iter().map(|&at| names[at]).collect::<Vec<_>>().join(" + "), both);
    }
    let card = |at: usize| names[at].rsplit_once('/').map_or("", |(card, _)| card);
    for &at in &all {
        add(card(at).to_string(), all.iter().copied().filter(|&other| card(other) == card(at)).collect());
    }
    add("all".into(), all);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn do_channels_run_alone_both_ways_by_card_and_all() {
        let told = |names: &[&str]| {
            let one = |(name, of): (String, Vec<usize>)| {
                format!("{name}={}", of.iter().map(ToString::to_string).collect::<String>())
            };
            subsets(names).into_iter().map(one).collect::<Vec<_>>()
        };
        assert_eq!(told(&["a/c2h0"]), ["a/c2h0=0"]);
        assert_eq!(told(&["a/c2h0", "a/h2c0"]), ["a/c2h0=0", "a/h2c0=1", "a/c2h0 + a/h2c0=01"]);
        let two = told(&["a/c2h0", "a/h2c0", "b/c2h0", "b/h2c0", "b/c2h1"]);
        let together = ["a/c2h0 + a/h2c0=01", "b/c2h0 + b/h2c0=23", "b=234", "all=01234"];
        assert_eq!(two[5..], together);
    }
}
