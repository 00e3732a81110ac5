//! Is a capture the same machine as a file, and as the folder that `tar` unpacks it into?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, fresh, inspected};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use testing::machine::healthy;

/// A file of a tree, with the folders above it.
fn file(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A link of a tree to another path of it.
fn link(root: &Path, path: &str, target: &str) {
    let up = "../".repeat(path.matches('/').count());
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    symlink(format!("{up}{target}"), path).unwrap();
}

/// A machine with devices of every list at every function, as drivers add them: an interface with its speed and sensors, a graphics
/// card with connectors, an RDMA device, a SATA disk on its cable, a virtual function, and interfaces named by their addresses.
fn tree(root: &Path, seed: u64) {
    healthy(seed).write_sysfs(root).unwrap();
    let names = fs::read_dir(root.join("bus/pci/devices")).unwrap().map(|entry| entry.unwrap().file_name());
    for (number, name) in names.map(|name| name.into_string().unwrap()).enumerate() {
        let target = fs::read_link(root.join("bus/pci/devices").join(&name)).unwrap();
        let folder = target.display().to_string().trim_start_matches("../").to_string();
        let device = |path: &str| format!("{folder}/{path}");
        let (eth, card) = (format!("eth{number}"), format!("card{number}"));
        file(root, &device(&format!("net/{eth}/speed")), "100000\n");
        link(root, &format!("class/net/{eth}"), &device(&format!("net/{eth}")));
        let usb = format!("usb1/1-1/1-1:1.0/net/enx0011223344{number:02x}");
        file(root, &device(&format!("{usb}/speed")), "1000\n");
        link(root, &format!("class/net/enx0011223344{number:02x}"), &device(&usb));
        file(root, &device(&format!("hwmon/hwmon{number}/temp1_input")), "40000\n");
        link(root, &format!("class/hwmon/hwmon{number}"), &device(&format!("hwmon/hwmon{number}")));
        file(root, &device(&format!("drm/{card}/{card}-DP-1/status")), "connected\n");
        link(root, &format!("class/drm/{card}"), &device(&format!("drm/{card}")));
        link(root, &format!("class/drm/{card}-DP-1"), &device(&format!("drm/{card}/{card}-DP-1")));
        file(root, &device(&format!("infiniband/mlx5_{number}/node_desc")), "\n");
        link(root, &format!("class/infiniband/mlx5_{number}"), &device(&format!("infiniband/mlx5_{number}")));
        let disk = format!("ata1/host0/target0:0:0/0:0:0:0/block/sd{number}");
        file(root, &device("ata1/host0/target0:0:0/0:0:0:0/model"), "A disk\n");
        file(root, &device(&format!("{disk}/size")), "1\n");
        link(root, &device(&format!("{disk}/device")), &device("ata1/host0/target0:0:0/0:0:0:0"));
        link(root, &format!("block/sd{number}"), &device(&disk));
        file(root, &device("power/runtime_status"), "active\n");
        file(root, &device("link/l1_aspm"), "1\n");
        if number == 3 {
            link(root, &device("physfn"), &folder.replace(&name, "0000:00:00.0"));
        }
    }
    file(root, "class/dmi/id/board_name", "Board\n");
    file(root, "module/pcie_aspm/parameters/policy", "default [performance]\n");
    file(root, "kernel/osrelease", "6.1.0\n");
}

/// The folder `name.tar.zst` with what the system's tar makes of the capture of that name: the same name, the same answer.
fn unpacked(capture: &Path, folder: &Path) -> PathBuf {
    let plain = folder.join("capture.tar");
    fs::write(&plain, probe::read::unzstd(&fs::read(capture).unwrap()).unwrap()).unwrap();
    let into = folder.join("unpacked").join(capture.file_name().unwrap());
    fs::create_dir_all(&into).unwrap();
    let done = Command::new("tar").arg("-xf").arg(&plain).arg("-C").arg(&into).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    into
}

#[test]
fn does_tar_unpack_a_capture_into_the_same_machine() {
    for seed in 0..12 {
        let folder = fresh(&format!("captures_{seed}"));
        let (root, capture) = (folder.join("sys"), folder.join("m.tar.zst"));
        tree(&root, seed);
        // The folder beside an unpacked capture may be that of a live machine.
        file(&folder, "unpacked/proc/sys/kernel/osrelease", "another\n");
        let capture_text = capture.display().to_string();
        let made = command(&["capture", &capture_text, "--sysfs", &root.display().to_string()]).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let into = unpacked(&capture, &folder).display().to_string();
        let of_file = inspected(&["inspect", &capture_text, "--json"]);
        assert!(of_file.contains("eth0"), "{of_file}");
        assert_eq!(of_file, inspected(&["inspect", &into, "--json"]), "seed {seed}");
        assert_eq!(of_file, inspected(&["inspect", "--sysfs", &into, "--json"]), "seed {seed}, with --sysfs");
        // The capture of what was unpacked is the same machine.
        fs::create_dir(folder.join("again")).unwrap();
        let again = folder.join("again/m.tar.zst").display().to_string();
        assert!(command(&["capture", &again, "--sysfs", &into]).output().unwrap().status.success());
        assert_eq!(of_file, inspected(&["inspect", &again, "--json"]), "seed {seed}, captured again");
    }
}

/// Devices, models and speeds of the tree are those of the capture, but for names that hold an address.
#[test]
fn does_a_capture_name_the_devices_that_its_machine_has() {
    let folder = fresh("captures_devices");
    let (root, capture) = (folder.join("sys"), folder.join("m.tar.zst"));
    tree(&root, 1);
    let [root, capture] = [root, capture].map(|path| path.display().to_string());
    assert!(command(&["capture", &capture, "--sysfs", &root]).output().unwrap().status.success());
    let devices = |path: &str| -> Vec<String> {
        let machine: serde_json::Value = serde_json::from_str(&inspected(&["inspect", path, "--json"])).unwrap();
        let functions = machine["functions"].as_array().unwrap();
        assert!(functions.len() > 3);
        let devices = functions.iter().map(|function| {
            let nets = function["os"]["nets"].as_array().unwrap().iter().map(ToString::to_string);
            let nets = nets.filter(|net| !net.contains("enx")).collect::<Vec<_>>();
            format!("{nets:?} {} {}", function["os"]["blocks"], function["os"]["cards"])
        });
        devices.collect()
    };
    assert_eq!(devices(&root), devices(&capture));
    let machine = probe::read(Path::new(&capture)).unwrap();
    let interfaces = machine.functions.values().map(|function| function.os.nets.len());
    assert_eq!(interfaces.sum::<usize>(), 2 * machine.functions.len(), "two of one name are two");
}

/// Format 1 as it was first written: an interface is below `class` of its function, which is a file too; links are absolute.
#[test]
fn is_a_capture_of_before_still_read() {
    let machine = inspected(&["inspect", "captures/interface.tar.zst", "--json"]);
    let machine: serde_json::Value = serde_json::from_str(&machine).unwrap();
    assert!(machine["functions"].as_array().unwrap().iter().any(|function| function.to_string().contains("eth0")));
}

/// Two captures say when they were taken: errors that go on have a rate; after a start of the kernel nobody knows one.
#[test]
fn are_errors_between_two_captures_told_by_the_second() {
    let folder = fresh("captures_errors");
    let (root, capture) = (folder.join("sys"), |name: &str| folder.join(name).display().to_string());
    healthy(3).write_sysfs(&root).unwrap();
    let device = fs::read_dir(root.join("bus/pci/devices")).unwrap().next().unwrap().unwrap().file_name();
    let counters = format!("bus/pci/devices/{}/aer_dev_correctable", device.display());
    let views = [
        ("a", "100.00 90.00", 3, 0, 0),
        ("b", "160.00 91.00", 243, 0, 0),
        ("c", "12.00 1.00", 250, 0, 0),
        // The kernel has begun anew, and has run for longer since.
        ("d", "5000.00 1.00", 9, 40, 0),
        ("e", "5100.00 1.00", 9, 40, 50),
        ("f", "1e300 1.00", 10, 40, 50),
    ];
    let uncorrected = counters.replace("correctable", "nonfatal");
    file(&root, &counters.replace("correctable", "fatal"), "CmpltTO 0\nTOTAL_ERR_FATAL 0\n");
    for (name, uptime, bad, receiver, late) in views {
        file(&root, &counters, &format!("RxErr {receiver}\nBadTLP {bad}\nTOTAL_ERR_COR {bad}\n"));
        file(&root, &uncorrected, &format!("CmpltTO {late}\nTOTAL_ERR_NONFATAL {late}\n"));
        file(&folder, "proc/uptime", &format!("{uptime}\n"));
        let capture = capture(name);
        let made = command(&["capture", &capture, "--sysfs", &root.display().to_string()]).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    }
    let diff =
        |words: &[&str]| String::from_utf8(command(&[&["diff"], words].concat()).output().unwrap().stdout).unwrap();
    let told = diff(&[&capture("a"), &capture("b")]);
    assert!(told.contains("AER BadTLP: 3 -> 243 in 60.0 s: 4.0 a second"), "{told}");
    let value: serde_json::Value = serde_json::from_str(&diff(&[&capture("a"), &capture("b"), "--json"])).unwrap();
    assert_eq!((&value["seconds"], &value["changes"][0]["errors_per_s"]), (&60.0.into(), &4.0.into()), "{value}");
    let after_start = diff(&[&capture("b"), &capture("c")]);
    assert!(after_start.contains("AER BadTLP: 243 -> 250\n"), "{after_start}");
    let longer_start = diff(&[&capture("b"), &capture("d")]);
    assert!(longer_start.contains("AER RxErr: 0 -> 40\n"), "{longer_start}");
    let late = diff(&[&capture("d"), &capture("e")]);
    assert!(late.contains("AER CmpltTO (non-fatal): 0 -> 50 in 100.0 s: 0.5 a second"), "{late}");
    assert!(diff(&[&capture("e"), &capture("f")]).contains("AER BadTLP: 9 -> 10\n"));
    // Another device in the slot has counters of its own.
    file(&root, &format!("bus/pci/devices/{}/device", device.display()), "0x1234\n");
    fs::remove_file(root.join(format!("bus/pci/devices/{}/config", device.display()))).unwrap();
    file(&root, &counters, "RxErr 100\nBadTLP 100\nTOTAL_ERR_COR 100\n");
    let made = command(&["capture", &capture("g"), "--sysfs", &root.display().to_string()]).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let other = diff(&[&capture("e"), &capture("g")]);
    assert!(other.contains("  device: ") && !other.contains("AER"), "{other}");
}
