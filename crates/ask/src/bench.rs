//! Measurements of disks, `lanescope bench disk`, and what they share with those of cards ([`AskedCards`]).

mod cards;
mod json;
mod served;

pub use cards::AskedCards;
pub use json::value;
pub(crate) use json::{CHANNEL, SCHEMA};
pub use served::{Served, Watch};

use crate::error::{Complaint, Error};
use bench::{Direction, Drive, Pattern, Plan, Polling, Run};
use pcie::{Bytes, Rate};
use probe::diff::{Change, Side, diff};
use probe::rates::Way;
use probe::report::Report;
use probe::together::Together;
use probe::{Address, Machine, Tree};
use std::path::Path;
use std::time::Duration;
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

/// What kind of device is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measures {
    /// Disks: blocks of drives.
    Disks,
    /// Cards: transfers of channels.
    Cards,
}

/// What is measured: the drives with their ways, and the plan.
pub struct Prepared {
    /// What they are.
    pub what: Measures,
    /// The drives.
    pub drives: Vec<Drive>,
    /// Of each: the functions above it, the last one its controller. Empty where it hangs at none.
    pub ways: Vec<Vec<Address>>,
    /// The runs.
    pub plan: Plan,
}

/// What the path of a subset allows.
#[derive(Clone, Debug, PartialEq)]
pub struct PathLimit {
    /// All drives together.
    pub rate: Rate,
    /// What sets it for the first of them.
    pub by: String,
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
        let plan = Plan { subsets, blocks, depths, reads, rate, patterns, polls, warm_up, time };
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

/// The longest block: what one buffer of a ring may have.
const MOST_BLOCK: u64 = 64 << 20;
/// Memory for the blocks in flight at one drive: more is seldom there, and no drive needs it.
const MOST_MEMORY: u64 = 1 << 30;
/// The least time that counts: its parts have some blocks each.
const LEAST_TIME: Duration = Duration::from_millis(500);

/// The subsets that these texts name, each by names or paths of drives separated by commas.
fn named(texts: &[String], drives: &[Drive]) -> Result<Vec<(String, Vec<usize>)>, Complaint> {
    let place = |name: &str| {
        let found = drives.iter().position(|drive| drive.name == name || drive.path == name);
        let names = || drives.iter().map(|drive| drive.name.as_str()).collect::<Vec<_>>().join(", ");
        let what = || format!("--subsets names {name}, which is not among the drives");
        found.ok_or_else(|| Complaint::new(what(), format!("write some of {}", names())))
    };
    let set = |text: &String| {
        let mut of = text.split(',').map(|name| place(name.trim())).collect::<Result<Vec<usize>, _>>()?;
        of.sort_unstable();
        of.dedup();
        let name = of.iter().map(|&at| drives[at].name.as_str()).collect::<Vec<_>>().join(" + ");
        Ok((name, of))
    };
    texts.iter().map(set).collect()
}

/// Checks that the blocks in flight at one drive have room.
fn check_memory(blocks: &[u64], depths: &[u32]) -> Result<(), Complaint> {
    if let (Some(&block), Some(&depth)) = (blocks.iter().max(), depths.iter().max())
        && block.saturating_mul(u64::from(depth)) > MOST_MEMORY
    {
        let what =
            format!("{depth} blocks of {} in flight are more than {} of memory", Bytes(block), Bytes(MOST_MEMORY));
        return Err(Complaint::new(what, "write shorter blocks, or fewer"));
    }
    Ok(())
}

fn list<T>(name: &str, text: &str, right: &str, read: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, Complaint> {
    let one = |word: &str| {
        let word = word.trim();
        read(word).ok_or_else(|| Complaint::new(format!("{name} does not take `{word}`"), format!("write {right}")))
    };
    text.split(',').map(one).collect()
}

fn rate(text: &str) -> Result<u64, Complaint> {
    let rate = Rate::parse(text).map(|rate| rate.0 as u64).filter(|&rate| rate > 0);
    rate.ok_or_else(|| {
        Complaint::new(format!("--rate does not take `{text}`"), "write bytes a second with their unit, as in 200MB/s")
    })
}

fn seconds(name: &str, text: &str) -> Result<Duration, Complaint> {
    let time = pcie::Time::parse(text).map(|time| Duration::from_secs_f64(time.as_secs()));
    time.filter(|time| *time <= Duration::from_secs(86_400)).ok_or_else(|| {
        Complaint::new(format!("{name} does not take `{text}`"), "write a time with its unit, as in 5s or 500ms")
    })
}

/// This machine before the runs, in the middle of the last one, and after them; each `None` where it shows no PCI tree.
#[derive(Debug, Default)]
pub struct Watched {
    /// Before: links of idle drives may be slow.
    pub before: Option<Machine>,
    /// Under load.
    pub under_load: Option<Machine>,
    /// After.
    pub after: Option<Machine>,
    /// A capture of the machine under load, which `lanescope inspect` and `explain` read.
    pub capture: Option<Vec<u8>>,
    /// The interrupts of each run.
    pub served: Vec<Served>,
}

impl Watched {
    /// The machine as it is now.
    pub fn look() -> Option<Machine> {
        probe::live(Path::new("/sys")).ok()
    }

    /// Looks at the machine under load.
    pub fn look_under_load(&mut self) {
        self.under_load = Watched::look();
        self.capture = probe::capture(&probe::sysfs::Folder::new(Path::new("/sys"))).ok();
    }

    /// What the limits are computed from: the machine under load, where it was seen.
    pub fn limiting(&self) -> Option<&Machine> {
        self.under_load.as_ref().or(self.before.as_ref())
    }

    /// The changes on the ways of the drives.
    pub fn changes(&self, prepared: &Prepared) -> Changes {
        let between = |one: &Option<Machine>, other: &Option<Machine>| match (one, other) {
            (Some(one), Some(other)) => changes(prepared, one, other),
            _ => Vec::new(),
        };
        Changes { under_load: between(&self.before, &self.under_load), after: between(&self.before, &self.after) }
    }
}

/// What was another under load, or after the runs, than before them, of the functions on the ways of the drives: links, and
/// error counters.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Under load.
    pub under_load: Vec<Change>,
    /// After the runs.
    pub after: Vec<Change>,
}

fn changes(prepared: &Prepared, one: &Machine, other: &Machine) -> Vec<Change> {
    let report = |machine: &Machine| Report::of(machine, &Tree::of(machine), false);
    let (first, second) = (report(one), report(other));
    let found = diff(Side { machine: one, report: &first }, Side { machine: other, report: &second });
    let on_way = |change: &Change| prepared.ways.iter().flatten().any(|at| *at == change.at);
    found.changes.into_iter().filter(on_way).collect()
}

/// What the path of each subset allows, by `inspect`: `None` where a drive hangs at no PCI function, or at one whose link says
/// nothing.
pub fn limits(prepared: &Prepared, machine: Option<&Machine>) -> Vec<Option<PathLimit>> {
    let Some(machine) = machine else { return vec![None; prepared.plan.subsets.len()] };
    let tree = Tree::of(machine);
    let mut report = Report::of(machine, &tree, false);
    let mut limit = |drives: &[usize]| {
        let mut at: Vec<Address> =
            drives.iter().map(|&drive| prepared.ways[drive].last().copied()).collect::<Option<_>>()?;
        // Disks at one controller share its link.
        at.sort_unstable();
        at.dedup();
        report.together.clear();
        report.ask(machine, &tree, &[Together::Named(at)]).ok()?;
        let found = report.together.first()?;
        let goes = |way: Way| drives.iter().any(|&drive| way_of(&prepared.drives[drive]) == way);
        let ways: Vec<Way> = [Way::ToMemory, Way::FromMemory].into_iter().filter(|&way| goes(way)).collect();
        let share = found.shares.first()?;
        let by: Vec<String> = ways.iter().map(|&way| share.way(way).by.to_string()).collect();
        // Both directions of a link carry data at once.
        let rate = Rate(ways.iter().map(|&way| found.sum(way).0).sum());
        Some(PathLimit { rate, by: by.join("; ") })
    };
    prepared.plan.subsets.iter().map(|(_, drives)| limit(drives)).collect()
}

/// Where the data of a drive goes: of a disk, as far as its limit is concerned, to memory.
fn way_of(drive: &Drive) -> Way {
    if drive.direction() == Some(Direction::ToCard) { Way::FromMemory } else { Way::ToMemory }
}

/// The limit of the subset of a run.
pub fn limit_of<'a>(prepared: &Prepared, limits: &'a [Option<PathLimit>], run: &Run) -> Option<&'a PathLimit> {
    let place = prepared.plan.subsets.iter().position(|(_, drives)| *drives == run.point.drives)?;
    limits.get(place)?.as_ref()
}
