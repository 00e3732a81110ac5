//! The way from the root to a block device, as sysfs has it.

use crate::address::Address;
use std::path::Path;

/// The functions above a block device, from the root port on; the last one is its controller. Empty where it hangs at no PCI
/// function, as a loop device does. `root` is `/sys`, and the device is named by its major and minor number.
///
/// An NVMe namespace may hang at a subsystem in place of a controller (native multipath): the way is then that of its only
/// controller, and empty where it has several.
pub fn of_block(root: &Path, (major, minor): (u32, u32)) -> Vec<Address> {
    let Ok(path) = root.join(format!("dev/block/{major}:{minor}")).canonicalize() else { return Vec::new() };
    let way = addresses(&path);
    let of_nvme = path.ancestors().find(|at| at.file_name().is_some_and(|name| is_subsystem(&name.to_string_lossy())));
    match of_nvme {
        Some(subsystem) if way.is_empty() => controller(subsystem).unwrap_or_default(),
        _ => way,
    }
}

/// The same of a character device, as a channel of a card is.
pub fn of_character(root: &Path, (major, minor): (u32, u32)) -> Vec<Address> {
    root.join(format!("dev/char/{major}:{minor}")).canonicalize().map_or_else(|_| Vec::new(), |path| addresses(&path))
}

fn addresses(path: &Path) -> Vec<Address> {
    path.components().filter_map(|part| part.as_os_str().to_str()?.parse().ok()).collect()
}

fn is_subsystem(name: &str) -> bool {
    name.strip_prefix("nvme-subsys").is_some_and(|number| number.parse::<u32>().is_ok())
}

/// The way to the only controller of a subsystem, which are links `nvme0`.
fn controller(subsystem: &Path) -> Option<Vec<Address>> {
    let is = |name: &str| name.strip_prefix("nvme").is_some_and(|number| number.parse::<u32>().is_ok());
    let entries = std::fs::read_dir(subsystem).ok()?.filter_map(Result::ok);
    let mut controllers = entries.filter(|entry| is(&entry.file_name().to_string_lossy()));
    let (one, None) = (controllers.next()?, controllers.next()) else { return None };
    Some(addresses(&one.path().canonicalize().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    #[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    fn are_the_bridges_above_a_drive_found_and_none_above_a_loop_device() {
        let root = std::env::temp_dir().join(format!("lanescope-way-{}", std::process::id()));
        let disk = "devices/pci0000:00/0000:00:1c.4/0000:03:00.0/ata7/host6/block/sda";
        let looped = "devices/virtual/block/loop0";
        for path in [disk, looped, "dev/block"] {
            fs::create_dir_all(root.join(path)).unwrap();
        }
        std::os::unix::fs::symlink(root.join(disk), root.join("dev/block/8:0")).unwrap();
        std::os::unix::fs::symlink(root.join(looped), root.join("dev/block/7:0")).unwrap();
        let told = |of| of_block(&root, of).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(told((8, 0)), ["0000:00:1c.4", "0000:03:00.0"]);
        assert!(told((7, 0)).is_empty() && told((9, 9)).is_empty());
        // A channel of a card hangs at it.
        let channel = root.join("devices/pci0000:00/0000:00:1c.4/0000:05:00.0/lanescope/lanescope0!c2h0");
        fs::create_dir_all(&channel).unwrap();
        fs::create_dir_all(root.join("dev/char")).unwrap();
        std::os::unix::fs::symlink(&channel, root.join("dev/char/246:7")).unwrap();
        let way = of_character(&root, (246, 7)).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(way, ["0000:00:1c.4", "0000:05:00.0"]);
        // A namespace of a subsystem: by its controller, as long as that is the only one.
        let subsystem = root.join("devices/virtual/nvme-subsystem/nvme-subsys0");
        fs::create_dir_all(subsystem.join("nvme0n1")).unwrap();
        std::os::unix::fs::symlink(subsystem.join("nvme0n1"), root.join("dev/block/259:0")).unwrap();
        for (n, at) in ["0000:00:02.0", "0000:00:03.0"].into_iter().enumerate() {
            let own = root.join(format!("devices/pci0000:00/{at}/nvme/nvme{n}"));
            fs::create_dir_all(&own).unwrap();
            std::os::unix::fs::symlink(&own, subsystem.join(format!("nvme{n}"))).unwrap();
            assert_eq!(told((259, 0)), if n == 0 { vec![at] } else { vec![] });
        }
        fs::remove_dir_all(&root).unwrap();
    }
}
