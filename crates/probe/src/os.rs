//! What the operating system reports of a function.

use pcie::config::Speed;
use std::collections::BTreeMap;

/// What the operating system reports of a function. A hex dump has none of it, a text a small part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Os {
    /// The NUMA node; also absent if the system does not know it (-1).
    pub numa_node: Option<u32>,
    /// The CPUs local to it, as a list (`0-15,32-47`).
    pub local_cpus: Option<String>,
    /// Its IOMMU group.
    pub iommu: Option<Iommu>,
    /// The driver that is bound to it.
    pub driver: Option<String>,
    /// The kernel modules that could drive it.
    pub modules: Vec<String>,
    /// Its block devices.
    pub blocks: Vec<BlockDevice>,
    /// Its network interfaces.
    pub nets: Vec<String>,
    /// The rates of those network interfaces that have a link, in 10^6 bits per second, as their driver reports them.
    pub net_speeds: Vec<(String, u64)>,
    /// Its graphics cards (`card0`) and other devices with a name of their own.
    pub cards: Vec<String>,
    /// The name that the board's firmware gives the device.
    pub label: Option<String>,
    /// The name of the physical slot.
    pub slot: Option<String>,
    /// The AER counters of the kernel.
    pub aer: Option<AerCounters>,
    /// The link as the kernel last read it; an unprivileged user may see this.
    pub link: OsLink,
    /// The power state (`D0`, `D3hot`, `D3cold`, `unknown`).
    pub power_state: Option<String>,
    /// Whether runtime power management has suspended it (`active`, `suspended`).
    pub runtime_status: Option<String>,
    /// Whether a driver or user has enabled it.
    pub enabled: Option<bool>,
}

/// An IOMMU group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Iommu {
    /// Its number.
    pub group: u32,
    /// Its type: `DMA` (strict), `DMA-FQ` (lazy), `identity`, `auto`.
    pub kind: Option<String>,
}

/// A block device.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockDevice {
    /// Its name, as in `/dev`.
    pub name: String,
    /// Its model.
    pub model: Option<String>,
}

/// The link as sysfs shows it (`current_link_speed` and so on).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OsLink {
    /// The current speed.
    pub speed: Option<Speed>,
    /// The current number of lanes; 0 is no link.
    pub width: Option<u32>,
    /// The maximum speed of this port.
    pub max_speed: Option<Speed>,
    /// The maximum number of lanes of this port.
    pub max_width: Option<u32>,
}

/// Counts since the start of the system (`aer_dev_correctable` and so on), by the names that the kernel gives them
/// (`RxErr`, `BadTLP`, ...), totals included (`TOTAL_ERR_COR`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AerCounters {
    /// Correctable errors.
    pub correctable: BTreeMap<String, u64>,
    /// Uncorrectable errors that were not fatal.
    pub nonfatal: BTreeMap<String, u64>,
    /// Fatal errors.
    pub fatal: BTreeMap<String, u64>,
    /// Messages that a root port received: correctable, non-fatal, fatal.
    pub root: BTreeMap<String, u64>,
}

impl AerCounters {
    /// The count of a correctable error; 0 if it was not counted.
    pub fn correctable(&self, name: &str) -> u64 {
        self.correctable.get(name).copied().unwrap_or(0)
    }
    /// True if any error was counted.
    pub fn any(&self) -> bool {
        [&self.correctable, &self.nonfatal, &self.fatal, &self.root].iter().any(|map| map.values().any(|n| *n > 0))
    }
}
