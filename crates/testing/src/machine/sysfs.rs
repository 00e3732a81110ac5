//! A machine as the kernel shows it: `bus/pci/devices`, the devices behind those links, NUMA nodes, IOMMU groups, block
//! devices (Documentation/ABI/testing/sysfs-bus-pci, sysfs-bus-pci-devices-aer_stats, sysfs-kernel-iommu_groups).

use super::GeneratedMachine;
use super::function::{Aer, Function, Link};
use super::space;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Correctable errors: bit of the status register, the kernel's name.
const CORRECTABLE: [(u8, &str); 8] = [
    (0, "RxErr"),
    (6, "BadTLP"),
    (7, "BadDLLP"),
    (8, "Rollover"),
    (12, "Timeout"),
    (13, "NonFatalErr"),
    (14, "CorrIntErr"),
    (15, "HeaderOF"),
];

/// The entry at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// A file with its bytes.
    File(Vec<u8>),
    /// A symbolic link, as it is written.
    Link(PathBuf),
    /// A directory without entries.
    Folder,
}

/// A tree of files, by path relative to `/sys`.
pub type Entries = BTreeMap<PathBuf, Entry>;

impl GeneratedMachine {
    /// The tree.
    pub fn sysfs(&self) -> Entries {
        let mut entries = Entries::new();
        self.functions.iter().for_each(|function| self.function(&mut entries, function));
        for node in 0..self.nodes {
            let list = format!("{}-{}\n", node * 16, node * 16 + 15);
            put(&mut entries, format!("devices/system/node/node{node}/cpulist"), list);
        }
        let last = self.nodes - 1;
        let online = if last == 0 { "0\n".to_string() } else { format!("0-{last}\n") };
        put(&mut entries, "devices/system/node/online", online);
        entries
    }

    /// Writes the tree below `root`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write_sysfs(&self, root: &Path) -> io::Result<()> {
        self.sysfs().into_iter().try_for_each(|(path, entry)| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap_or(root))?;
            match entry {
                Entry::File(bytes) => fs::write(path, bytes),
                Entry::Link(target) => symlink(target, path),
                Entry::Folder => fs::create_dir_all(path),
            }
        })
    }

    /// The directory of a function below those of the bridges above it: `devices/pci0000:00/0000:00:01.0/0000:01:00.0`.
    fn folder(&self, function: &Function) -> PathBuf {
        let above = std::iter::successors(Some(function), |&at| self.above(at));
        let mut way: Vec<String> = above.map(Function::name).collect();
        let root = std::iter::successors(Some(function), |&at| self.above(at)).last().map_or(0, |at| at.bdf.0);
        way.push(format!("pci{:04x}:{root:02x}", function.domain));
        let mut path = PathBuf::from("devices");
        path.extend(way.iter().rev());
        path
    }

    fn function(&self, entries: &mut Entries, function: &Function) {
        let folder = self.folder(function);
        let listed = Path::new("bus/pci/devices").join(function.name());
        entries.insert(listed, Entry::Link(Path::new("../../..").join(&folder)));
        let shown = if function.express.is_some() { space::BYTES } else { 256 };
        entries.insert(folder.join("config"), Entry::File(space::encode(function)[..shown].to_vec()));
        for (name, text) in files(function) {
            put(entries, folder.join(name), text);
        }
        let up: PathBuf = folder.components().map(|_| "..").collect();
        if let Some(driver) = function.driver {
            let target = Path::new("bus/pci/drivers").join(driver);
            entries.insert(folder.join("driver"), Entry::Link(up.join(&target)));
            entries.insert(target, Entry::Folder);
        }
        if let Some(group) = function.group {
            let target = PathBuf::from(format!("kernel/iommu_groups/{group}"));
            entries.insert(folder.join("iommu_group"), Entry::Link(up.join(&target)));
            put(entries, target.join("type"), format!("{}\n", self.group_type));
        }
        function.blocks.iter().for_each(|block| drive(entries, &folder, block));
    }
}

fn put(entries: &mut Entries, path: impl Into<PathBuf>, text: String) {
    entries.insert(path.into(), Entry::File(text.into_bytes()));
}

/// `nvme/nvme0/nvme0n1` below its controller, and the links to it in `block` and `class/block`.
fn drive(entries: &mut Entries, folder: &Path, block: &str) {
    let controller = block.rsplit_once('n').map_or(block, |(controller, _)| controller);
    let at = folder.join("nvme").join(controller).join(block);
    put(entries, at.join("size"), "1000215216\n".to_string());
    for (class, up) in [("block", ".."), ("class/block", "../..")] {
        entries.insert(Path::new(class).join(block), Entry::Link(Path::new(up).join(&at)));
    }
}

fn files(function: &Function) -> Vec<(&'static str, String)> {
    let (vendor, device) = function.id;
    let mut files = vec![
        ("vendor", format!("{vendor:#06x}\n")),
        ("device", format!("{device:#06x}\n")),
        ("subsystem_vendor", format!("{:#06x}\n", function.subsystem.0)),
        ("subsystem_device", format!("{:#06x}\n", function.subsystem.1)),
        ("class", format!("{:#08x}\n", function.class)),
        ("revision", "0x01\n".to_string()),
        ("numa_node", format!("{}\n", function.node)),
        ("enable", "1\n".to_string()),
    ];
    if let Some(link) = function.link() {
        files.extend(link_files(link));
    }
    if let Some(aer) = &function.aer {
        files.extend(counters(aer));
    }
    files
}

fn link_files(link: &Link) -> [(&'static str, String); 4] {
    let speed = |code: u8| match code {
        1 => "2.5 GT/s PCIe\n".to_string(),
        2 => "5.0 GT/s PCIe\n".to_string(),
        3 => "8.0 GT/s PCIe\n".to_string(),
        4 => "16.0 GT/s PCIe\n".to_string(),
        5 => "32.0 GT/s PCIe\n".to_string(),
        6 => "64.0 GT/s PCIe\n".to_string(),
        _ => "Unknown\n".to_string(),
    };
    [
        ("current_link_speed", speed(link.speed)),
        ("current_link_width", format!("{}\n", link.width)),
        ("max_link_speed", speed(link.max_speed)),
        ("max_link_width", format!("{}\n", link.max_width)),
    ]
}

fn counters(aer: &Aer) -> [(&'static str, String); 3] {
    let counted = |bit: u8| aer.counted.iter().find(|(b, _)| *b == bit).map_or(0, |&(_, n)| n);
    let mut text: String = CORRECTABLE.iter().map(|&(bit, name)| format!("{name} {}\n", counted(bit))).collect();
    text += &format!("TOTAL_ERR_COR {}\n", aer.counted.iter().map(|(_, n)| n).sum::<u64>());
    [
        ("aer_dev_correctable", text),
        ("aer_dev_nonfatal", "DLP 0\nTOTAL_ERR_NONFATAL 0\n".to_string()),
        ("aer_dev_fatal", "DLP 0\nTOTAL_ERR_FATAL 0\n".to_string()),
    ]
}
