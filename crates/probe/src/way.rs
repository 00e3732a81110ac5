//! The way from the root to a block device, as sysfs has it.

use crate::address::Address;
use std::path::Path;

/// The functions above a block device, from the root port on; the last one is its controller. Empty where it hangs at no PCI
/// function, as a loop device does. `root` is `/sys`, and the device is named by its major and minor number.
pub fn of_block(root: &Path, (major, minor): (u32, u32)) -> Vec<Address> {
    let Ok(path) = root.join(format!("dev/block/{major}:{minor}")).canonicalize() else { return Vec::new() };
    path.components().filter_map(|part| part.as_os_str().to_str()?.parse().ok()).collect()
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
        fs::remove_dir_all(&root).unwrap();
    }
}
