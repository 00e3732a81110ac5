//! What is measured, what the machine was meanwhile, and what its paths allow.

use super::served::Served;
use bench::{Drive, Plan};
use probe::diff::{Change, Side, diff};
use probe::report::Report;
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
    /// Pairs of cards that may not, by their place in the plan, and why.
    pub refused: Vec<(usize, String)>,
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
