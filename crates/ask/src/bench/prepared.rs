//! What is measured, what the machine was meanwhile, and what its paths allow.

use super::served::Served;
use bench::{Direction, Drive, Plan, Run};
use pcie::Rate;
use probe::diff::{Change, Side, diff};
use probe::rates::Way;
use probe::report::Report;
use probe::together::Together;
use probe::{Address, Machine, Tree};
use std::path::Path;

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
