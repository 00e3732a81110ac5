//! Which interrupts a device has, and on which cores they fell. The roots of `/proc` and `/sys` are given, so that a machine
//! that was copied is read alike.

use std::collections::BTreeMap;
use std::fs::{read_dir, read_to_string};
use std::path::Path;

/// How often each interrupt was served so far, by core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts(BTreeMap<u32, (String, BTreeMap<usize, u64>)>);

/// One interrupt of a device between two counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// Its number, as in `/proc/interrupts`.
    pub number: u32,
    /// What the driver calls it, as in `nvme0q1`.
    pub name: String,
    /// The cores that may serve it, as the kernel writes them (`0-3`); `None` where it does not say.
    pub allowed: Option<String>,
    /// How often each core served it; cores that never did are left out.
    pub by_core: BTreeMap<usize, u64>,
}

/// The interrupts of a device, by its folder in sysfs: its message-signalled ones, or the one of its pin.
pub fn numbers(device: &Path) -> Vec<u32> {
    let entries = read_dir(device.join("msi_irqs")).into_iter().flatten().filter_map(Result::ok);
    let mut all: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    if all.is_empty() {
        let pin = read_to_string(device.join("irq")).ok().and_then(|text| text.trim().parse().ok());
        all.extend(pin.filter(|&number: &u32| number > 0));
    }
    all.sort_unstable();
    all
}

impl Counts {
    /// Reads them; none where the kernel does not show them. `proc` is `/proc`.
    pub fn read(proc: &Path) -> Counts {
        Counts::parse(&read_to_string(proc.join("interrupts")).unwrap_or_default())
    }

    fn parse(text: &str) -> Counts {
        let mut lines = text.lines();
        let core = |word: &str| word.strip_prefix("CPU")?.parse().ok();
        let cores: Vec<usize> = lines.next().unwrap_or_default().split_whitespace().filter_map(core).collect();
        let of_line = |line: &str| {
            let (number, rest) = line.split_once(':')?;
            let number: u32 = number.trim().parse().ok()?;
            let words: Vec<&str> = rest.split_whitespace().collect();
            let counts = cores.iter().zip(&words).map(|(&core, word)| Some((core, word.parse().ok()?)));
            let name = words.get(cores.len()..)?.last().copied().unwrap_or_default();
            Some((number, (name.to_string(), counts.collect::<Option<_>>()?)))
        };
        Counts(lines.filter_map(of_line).collect())
    }

    /// How many cores the machine shows.
    pub fn cores(&self) -> usize {
        self.0.values().map(|(_, counts)| counts.len()).max().unwrap_or(0)
    }

    /// What came to these interrupts since `before`. `proc` is `/proc`.
    pub fn since(&self, before: &Counts, numbers: &[u32], proc: &Path) -> Vec<Interrupt> {
        let of = |number: &u32| {
            let (name, now) = self.0.get(number)?;
            let then = before.0.get(number).map(|(_, counts)| counts);
            let came = |(&core, &count): (&usize, &u64)| {
                let then = then.and_then(|then| then.get(&core)).copied().unwrap_or(0);
                Some((core, count.saturating_sub(then))).filter(|(_, count)| *count > 0)
            };
            let by_core = now.iter().filter_map(came).collect();
            Some(Interrupt { number: *number, name: name.clone(), allowed: allowed(proc, *number), by_core })
        };
        numbers.iter().filter_map(of).collect()
    }
}

/// The cores that may serve an interrupt: those that the kernel chose of those that it was told.
fn allowed(proc: &Path, number: u32) -> Option<String> {
    let of = |name: &str| Some(read_to_string(proc.join(format!("irq/{number}/{name}"))).ok()?.trim().to_string());
    let is = |text: &String| !text.is_empty();
    of("effective_affinity_list").filter(is).or_else(|| of("smp_affinity_list").filter(is))
}

/// The only core that serves interrupts of several devices, and how many came to it. `None` where fewer than two devices had
/// any, or several cores served them. Some few on other cores are taken for none.
pub fn only_core(of_devices: &[Vec<Interrupt>]) -> Option<(usize, u64)> {
    let mut by_core: BTreeMap<usize, u64> = BTreeMap::new();
    let had = of_devices.iter().filter(|of| of.iter().any(|one| !one.by_core.is_empty())).count();
    for (&core, &count) in of_devices.iter().flatten().flat_map(|one| &one.by_core) {
        *by_core.entry(core).or_default() += count;
    }
    let all: u64 = by_core.values().sum();
    let (&core, &most) = by_core.iter().max_by_key(|(_, count)| **count)?;
    (had > 1 && most as f64 >= ALL * all as f64).then_some((core, most))
}

/// The share of interrupts that is as good as all.
const ALL: f64 = 0.99;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use std::fs;

    const BEFORE: &str = "           CPU0       CPU2\n  9:  5  0  IO-APIC   9-fasteoi   acpi\n \
         40:  100  0  PCI-MSI-0000:03:00.0   0-edge      nvme0q0\n 41:  7  0  PCI-MSI-0000:03:00.0   1-edge  nvme0q1\n \
         50:  3  4  PCI-MSI-0000:04:00.0   0-edge      ahci[0000:04:00.0]\nNMI:  1  1   Non-maskable interrupts\n";
    const AFTER: &str = "           CPU0       CPU2\n  9:  5  0  IO-APIC   9-fasteoi   acpi\n \
         40:  100  0  PCI-MSI-0000:03:00.0   0-edge      nvme0q0\n 41:  7  900  PCI-MSI-0000:03:00.0   1-edge  nvme0q1\n \
         50:  4  504  PCI-MSI-0000:04:00.0   0-edge      ahci[0000:04:00.0]\nNMI:  2  1   Non-maskable interrupts\n";

    /// A machine with a core that is off, an NVMe drive with two vectors and an AHCI controller with one.
    #[test]
    fn does_each_device_get_its_own_interrupts_by_the_core_that_served_them() {
        let root = std::env::temp_dir().join(format!("lanescope-interrupts-{}", std::process::id()));
        let devices = [root.join("sys/nvme"), root.join("sys/ahci"), root.join("sys/pin")];
        for (device, name) in devices.iter().zip(["msi_irqs/41", "msi_irqs/50", ""]) {
            fs::create_dir_all(device.join("msi_irqs")).unwrap();
            fs::write(device.join("irq"), "9\n").unwrap();
            if !name.is_empty() {
                fs::write(device.join(name), "msix\n").unwrap();
            }
        }
        fs::write(devices[0].join("msi_irqs/40"), "msix\n").unwrap();
        let proc = root.join("proc");
        fs::create_dir_all(proc.join("irq/41")).unwrap();
        fs::write(proc.join("irq/41/smp_affinity_list"), "0-2\n").unwrap();
        fs::write(proc.join("interrupts"), BEFORE).unwrap();
        let before = Counts::read(&proc);
        fs::write(proc.join("interrupts"), AFTER).unwrap();
        let after = Counts::read(&proc);
        assert_eq!(devices.each_ref().map(|device| numbers(device)), [vec![40, 41], vec![50], vec![9]]);
        let of = |at: usize| after.since(&before, &numbers(&devices[at]), &proc);
        let nvme = of(0);
        assert_eq!((nvme[1].name.as_str(), nvme[1].allowed.as_deref()), ("nvme0q1", Some("0-2")));
        assert_eq!((&nvme[0].by_core, &nvme[1].by_core), (&BTreeMap::new(), &BTreeMap::from([(2, 900)])));
        let ahci = of(1);
        assert_eq!(ahci[0].by_core, BTreeMap::from([(0, 1), (2, 500)]));
        assert_eq!(only_core(&[nvme.clone(), ahci]), Some((2, 1400)), "one of 1401 fell elsewhere");
        assert_eq!(only_core(&[nvme.clone(), of(2)]), None, "one device alone may have one core");
        // The kernel's own choice goes before what it may choose from.
        fs::write(proc.join("irq/41/effective_affinity_list"), "2\n").unwrap();
        assert_eq!(of(0)[1].allowed.as_deref(), Some("2"));
        fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn is_what_the_kernel_does_not_show_left_out() {
        let nowhere = Path::new("/nowhere");
        let none = Counts::read(nowhere);
        assert_eq!(none, Counts::default());
        assert!(numbers(nowhere).is_empty() && none.since(&none, &[40], nowhere).is_empty());
        assert_eq!(Counts::parse("CPU0 CPU1\n 3: 1\n 4: a b c\n x: 1 2 d\n"), Counts::default());
    }
}
