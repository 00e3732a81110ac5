//! A guest under QEMU's software emulation: a root port, a switch, NVMe drives, a second serial port for its
//! output, and a monitor to control it.

#![allow(dead_code, reason = "each test file uses what it needs")]

use super::cpio::Cpio;
use super::program::program;
use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The files of a guest.
pub struct Parts {
    /// The QEMU program.
    pub qemu: PathBuf,
    /// The folder with `vmlinuz`, `busybox` and `modules/`.
    pub kernel: PathBuf,
    /// The folder for all files of this run.
    pub folder: PathBuf,
}

/// A running guest, which is killed on drop.
pub struct Guest {
    child: Child,
    folder: PathBuf,
}

impl Drop for Guest {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Parts {
    /// The initramfs of the guest; `script` runs as its first process.
    fn initramfs(&self, script: &str) -> Vec<u8> {
        let mut cpio = Cpio::default();
        for folder in ["bin", "modules", "proc", "sys", "dev", "tmp"] {
            cpio.folder(folder);
        }
        cpio.file("init", script.as_bytes());
        cpio.file("bin/busybox", &std::fs::read(self.kernel.join("busybox")).unwrap());
        let mut modules: Vec<PathBuf> =
            std::fs::read_dir(self.kernel.join("modules")).unwrap().map(|entry| entry.unwrap().path()).collect();
        modules.sort();
        for module in modules {
            let name = module.file_name().unwrap().to_string_lossy().into_owned();
            cpio.file(&format!("modules/{name}"), &std::fs::read(&module).unwrap());
        }
        program(&mut cpio, Path::new(env!("CARGO_BIN_EXE_lanescope")), "lanescope", &self.folder);
        cpio.finish()
    }

    /// Starts a guest with two drives.
    pub fn boot(&self, script: &str) -> Guest {
        let raw = |image: &Path| format!("file={},format=raw", image.display());
        self.boot_with(script, &[&raw, &raw])
    }

    /// Starts a guest with drives, each by the options of QEMU for its image.
    pub fn boot_with(&self, script: &str, drives: &[&dyn Fn(&Path) -> String]) -> Guest {
        let at = |name: &str| self.folder.join(name);
        std::fs::write(at("initramfs"), self.initramfs(script)).unwrap();
        let mut command = Command::new(&self.qemu);
        command.args(["-machine", "q35", "-accel", "tcg", "-cpu", "max", "-m", "512", "-nodefaults"]);
        command.args(["-display", "none", "-no-reboot", "-append", "console=ttyS0 quiet panic=1 no_timer_check"]);
        command.arg("-kernel").arg(self.kernel.join("vmlinuz")).arg("-initrd").arg(at("initramfs"));
        for name in ["console", "out"] {
            command.arg("-serial").arg(format!("file:{}", at(name).display()));
        }
        command.arg("-monitor").arg(format!("unix:{},server,nowait", at("monitor").display()));
        let ports = ["pcie-root-port,id=root,chassis=1,slot=1", "x3130-upstream,id=up,bus=root"];
        ports.iter().for_each(|port| {
            command.args(["-device", port]);
        });
        for (drive, options) in drives.iter().enumerate() {
            let image = at(&format!("drive{drive}"));
            File::create(&image).unwrap().set_len(16 << 20).unwrap();
            let port = format!("xio3130-downstream,id=down{drive},bus=up,chassis={0},slot={0}", drive + 2);
            let back = format!("{},if=none,id=back{drive}", options(&image));
            let nvme = format!("nvme,id=nvme{drive},drive=back{drive},bus=down{drive},serial=guest{drive}");
            command.args(["-device", &port, "-drive", &back, "-device", &nvme]);
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        Guest { child, folder: self.folder.clone() }
    }
}

/// The folder where `tools/guest.sh` puts kernel, modules and busybox.
pub fn kernel(test: &str) -> Option<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../target/guest");
    let there = folder.join("vmlinuz").is_file() && folder.join("busybox").is_file();
    if !there {
        testing::skip(test, "no kernel in target/guest (`make test-deps` fetches one)");
    }
    there.then_some(folder)
}

/// A section of the guest's output.
pub fn section(out: &[u8], name: &str) -> Vec<u8> {
    let text = String::from_utf8_lossy(out).replace('\r', "");
    let begin = format!("\nBEGIN {name}\n");
    let (_, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("no {name} in {text}"));
    let (body, _) = rest.split_once(&format!("END {name}\n")).unwrap();
    base64(body)
}

/// Decodes base64 (RFC 4648, section 4).
fn base64(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let bits: Vec<u8> = text.bytes().filter_map(value).collect();
    let bytes = bits.chunks(4).flat_map(|chunk| {
        let word = chunk.iter().enumerate().fold(0u32, |word, (i, &bits)| word | u32::from(bits) << (18 - 6 * i));
        word.to_be_bytes()[1..chunk.len()].to_vec()
    });
    bytes.collect()
}

impl Guest {
    /// The output of the guest so far.
    pub fn out(&self) -> Vec<u8> {
        std::fs::read(self.folder.join("out")).unwrap_or_default()
    }

    /// Waits until the guest has printed a line that equals `mark`.
    pub fn wait_for(&mut self, mark: &str, longest: Duration) {
        let start = Instant::now();
        let line = format!("\n{mark}\n");
        while !contains(&self.out(), line.as_bytes()) {
            let ended = self.child.try_wait().unwrap();
            let console = || std::fs::read(self.folder.join("console")).unwrap_or_default();
            assert!(
                ended.is_none() && start.elapsed() < longest,
                "no `{mark}` after {:?} ({ended:?}); the console:\n{}",
                start.elapsed(),
                String::from_utf8_lossy(&console())
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Runs a command of the monitor and returns its answer.
    pub fn monitor(&self, command: &str) -> String {
        let mut stream = UnixStream::connect(self.folder.join("monitor")).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let mut answer = prompt(&mut stream);
        stream.write_all(format!("{command}\n").as_bytes()).unwrap();
        answer.clear();
        answer += &prompt(&mut stream);
        answer
    }
}

/// Reads up to the monitor's next prompt.
fn prompt(stream: &mut UnixStream) -> String {
    let (mut text, mut buffer) = (Vec::new(), [0; 4096]);
    while !text.ends_with(b"(qemu) ") {
        let read = stream.read(&mut buffer).unwrap();
        assert!(read > 0, "the monitor went away");
        text.extend(&buffer[..read]);
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}
