//! The options of `lanescope bench disk`, and what they plan.

use super::prepared::{Measures, Prepared};
use super::words::{LEAST_TIME, MOST_BLOCK, check_memory, list, named, rate, seconds};
use crate::error::{Complaint, Error};
use bench::{Drive, Pattern, Plan, Polling};
use pcie::Bytes;
use probe::Address;
use std::path::Path;
use system::FieldType;

/// The options, as their text.
pub struct Asked<'a> {
    /// Block devices or files.
    pub paths: &'a [String],
    /// Lengths of blocks, numbers in flight, and orders; each separated by commas.
    pub blocks: &'a str,
    /// See [`Asked::blocks`].
    pub depths: &'a str,
    /// See [`Asked::blocks`].
    pub patterns: &'a str,
    /// Percent of the blocks that are read; the others are written.
    pub reads: u8,
    /// The drives whose data may be lost: all of them, where anything is written.
    pub destroy: &'a [String],
    /// Bytes a second that are asked of each drive; none for as many as it gives.
    pub rate: Option<&'a str>,
    /// Whether ends of blocks are looked for at the device: `auto`, `always` or `never`.
    pub poll: &'a str,
    /// Names of drives that run at once, each text separated by commas; none for the usual subsets.
    pub subsets: &'a [String],
    /// Time of a run that counts, and that does not.
    pub time: &'a str,
    /// See [`Asked::time`].
    pub warm_up: &'a str,
}

impl Asked<'_> {
    /// Opens the drives and plans the runs.
    ///
    /// # Errors
    /// An option that is wrong, or a drive that cannot be read.
    pub fn prepare(&self) -> Result<Prepared, Error> {
        self.may_be_lost()?;
        let mut drives = self.paths.iter().map(|path| Drive::open(path)).collect::<Result<Vec<Drive>, _>>()?;
        if let Some((_, twice)) =
            drives.iter().enumerate().find(|(n, one)| drives[..*n].iter().any(|o| o.path == one.path))
        {
            let what = format!("{} is named twice", twice.path);
            return Err(Complaint::new(what, "name each drive once").into());
        }
        let blocks = list("--block", self.blocks, "lengths, as in 4KiB,128KiB", |word| {
            Bytes::parse(word).map(|bytes| bytes.0).filter(|&bytes| bytes > 0 && bytes <= MOST_BLOCK)
        })?;
        let depths = list("--depth", self.depths, "numbers from 1 to 4096, as in 1,32", |word| {
            word.parse().ok().filter(|depth| (1..=4096).contains(depth))
        })?;
        let patterns = list("--pattern", self.patterns, "sequential or random", Pattern::from_word)?;
        let rate = self.rate.map(rate).transpose()?;
        if self.reads < 100 {
            drives.iter_mut().try_for_each(Drive::claim)?;
        }
        for drive in &drives {
            blocks.iter().try_for_each(|&block| drive.check(block))?;
        }
        let ways: Vec<Vec<Address>> =
            drives.iter().map(|drive| probe::way::of_block(Path::new("/sys"), drive.device)).collect();
        check_memory(&blocks, &depths)?;
        let subsets = self.subsets(&drives, &ways)?;
        let (time, warm_up) = (seconds("--time", self.time)?, seconds("--warm-up", self.warm_up)?);
        if time < LEAST_TIME {
            return Err(Complaint::new(format!("--time {} is too short", self.time), "write 0.5s or more").into());
        }
        let reads = self.reads;
        let at_once = subsets.iter().map(|(_, of)| of.len()).max().unwrap_or(0);
        let asked = Polling::from_word(self.poll).ok_or_else(|| {
            Complaint::new(format!("--poll does not take `{}`", self.poll), "write auto, always or never")
        })?;
        let polls = asked.of(&drives, at_once)?;
        let plan = Plan {
            subsets,
            pairs: Vec::new(),
            blocks,
            depths,
            reads,
            rate,
            patterns,
            polls,
            calls: Vec::new(),
            warm_up,
            time,
        };
        Ok(Prepared { what: Measures::Disks, drives, ways, plan })
    }

    /// Checks that each drive that would be written is spelt out once more, and no other one.
    fn may_be_lost(&self) -> Result<(), Complaint> {
        if let Some(other) = self.destroy.iter().find(|path| !self.paths.contains(path)) {
            return Err(Complaint::new(
                format!("--destroy-data names {other}, which is not measured"),
                "write it as the drive itself is named",
            ));
        }
        let spared = self.paths.iter().find(|path| !self.destroy.contains(path));
        match (self.reads, spared) {
            (101.., _) => {
                Err(Complaint::new(format!("--reads does not take {}", self.reads), "write a percentage from 0 to 100"))
            }
            (100, _) if !self.destroy.is_empty() => {
                let right = "leave it out, or write --reads 0 (writes only) or --reads 70 (mixed)";
                Err(Complaint::new("--destroy-data is there, and nothing would be written", right))
            }
            (0..100, Some(path)) => {
                let what = format!("all data on {path} would be lost");
                Err(Complaint::new(what, format!("if that is what is wanted, write --destroy-data {path}")))
            }
            _ => Ok(()),
        }
    }

    fn subsets(&self, drives: &[Drive], ways: &[Vec<Address>]) -> Result<Vec<(String, Vec<usize>)>, Complaint> {
        let names: Vec<String> = drives.iter().map(|drive| drive.name.clone()).collect();
        if self.subsets.is_empty() {
            let ways: Vec<Vec<String>> = ways.iter().map(|way| way.iter().map(Address::to_string).collect()).collect();
            return Ok(bench::subsets(&names, &ways));
        }
        named(self.subsets, drives)
    }
}
