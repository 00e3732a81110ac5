//! The interrupts of the drives' controllers in each run.

use bench::Run;
use bench::interrupts::{Counts, Interrupt, numbers, only_core};
use probe::Address;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What is looked at before and after each run.
#[derive(Debug)]
pub struct Watch {
    proc: PathBuf,
    /// Of each drive; those at one controller have the same.
    numbers: Vec<Vec<u32>>,
    before: Counts,
}

/// The interrupts of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// By the place of the drive in the run.
    pub drives: Vec<Vec<Interrupt>>,
    /// The core that served all of them, of several controllers, where there are more cores; and how many.
    pub only_core: Option<(usize, u64)>,
}

impl Watch {
    /// The controllers of drives on this machine, by the ways to them: see [`super::Prepared::ways`].
    pub fn new(ways: &[Vec<Address>]) -> Watch {
        Watch::at((Path::new("/sys"), Path::new("/proc")), ways)
    }

    /// The controllers at the ends of these ways, by the roots of `/sys` and `/proc`.
    pub fn at((sys, proc): (&Path, &Path), ways: &[Vec<Address>]) -> Watch {
        let of = |at: &Address| numbers(&sys.join(format!("bus/pci/devices/{at}")));
        let numbers = ways.iter().map(|way| way.last().map(of).unwrap_or_default()).collect();
        Watch { proc: proc.to_path_buf(), numbers, before: Counts::default() }
    }

    /// A run begins.
    pub fn begin(&mut self) {
        self.before = Counts::read(&self.proc);
    }

    /// What came since, of a run that is over.
    pub fn end(&self, run: &Run) -> Served {
        self.of(&run.point.drives)
    }

    fn of(&self, drives: &[usize]) -> Served {
        let now = Counts::read(&self.proc);
        let numbers: Vec<&[u32]> =
            drives.iter().map(|&at| self.numbers.get(at).map_or(&[][..], Vec::as_slice)).collect();
        let since = |numbers: &[u32]| now.since(&self.before, numbers, &self.proc);
        let mut controllers = numbers.clone();
        controllers.sort_unstable();
        controllers.dedup();
        let controllers: Vec<_> = controllers.into_iter().map(since).collect();
        let only_core = only_core(&controllers).filter(|_| now.cores() > 1);
        Served { drives: numbers.into_iter().map(since).collect(), only_core }
    }
}

/// Interrupts as JSON.
pub fn value(of: &[Interrupt]) -> Value {
    let one = |one: &Interrupt| {
        let by_core: serde_json::Map<String, Value> =
            one.by_core.iter().map(|(core, count)| (core.to_string(), json!(count))).collect();
        json!({ "number": one.number, "name": one.name, "allowed_cores": one.allowed, "by_core": by_core })
    };
    of.iter().map(one).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use std::fs;

    /// Two drives at one controller, and a third at another; all that comes falls on core 1.
    #[test]
    fn is_the_core_named_that_serves_several_controllers_and_none_for_drives_of_one() {
        let root = std::env::temp_dir().join(format!("lanescope-served-{}", std::process::id()));
        let (sys, proc) = (root.join("sys"), root.join("proc"));
        for (at, number) in [("0000:03:00.0", 40), ("0000:04:00.0", 50)] {
            let folder = sys.join("bus/pci/devices").join(at).join("msi_irqs");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(number.to_string()), "msi\n").unwrap();
        }
        fs::create_dir_all(&proc).unwrap();
        let counted = |first: u64, second: u64| {
            let text =
                format!("     CPU0 CPU1\n 40: 3 {first} PCI-MSI 0-edge ahci\n 50: 4 {second} PCI-MSI 0-edge nvme0q1\n");
            fs::write(proc.join("interrupts"), text).unwrap();
        };
        let way = |at: &str| vec!["0000:00:1c.0".parse().unwrap(), at.parse().unwrap()];
        let ways = [way("0000:03:00.0"), way("0000:03:00.0"), way("0000:04:00.0"), Vec::new()];
        let mut watch = Watch::at((&sys, &proc), &ways);
        counted(10, 10);
        watch.begin();
        counted(510, 1010);
        assert_eq!(watch.of(&[0, 1]).only_core, None, "one controller may have one core");
        let all = watch.of(&[0, 1, 2, 3]);
        assert_eq!(all.only_core, Some((1, 1500)), "what two drives share is counted once");
        assert!(all.drives.len() == 4 && all.drives[0] == all.drives[1] && all.drives[3].is_empty());
        let told = value(&all.drives[2]);
        assert_eq!(
            told[0],
            json!({ "number": 50, "name": "nvme0q1", "allowed_cores": null, "by_core": { "1": 1000 } })
        );
        fs::remove_dir_all(&root).unwrap();
    }
}
