//! A QEMU guest with two cards, each a process that runs the engine, and the programs that it gets.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Where the two cards meet.
const PEER: &str = "peer";
/// The device number of the first card, which the second follows, on bus 0.
const FIRST_DEVICE: usize = 5;

/// Programs that end with the test.
pub struct Running(pub Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A file below the target folder; `None` where it is not there.
pub fn target(path: &str) -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    Some(target.join(path)).filter(|path| path.exists())
}

/// The C files of a folder of the repository.
pub fn sources(folder: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect()
}

/// A program that needs no libraries; `None` where the compiler makes none of any source. One that does not compile where
/// another does is a failure.
pub fn compiled(sources: &[PathBuf], program: &Path) -> Option<PathBuf> {
    let probe = program.with_extension("probe.c");
    std::fs::write(&probe, "int main(void) { return 0; }\n").unwrap();
    if !compiles(std::slice::from_ref(&probe), &program.with_extension("probe")) {
        return None;
    }
    assert!(compiles(sources, program), "{} does not compile", program.display());
    Some(program.to_path_buf())
}

fn compiles(sources: &[PathBuf], program: &Path) -> bool {
    let mut compiler = Command::new("cc");
    compiler.args(["-O1", "-Wall", "-Wextra", "-static", "-pthread", "-o"]).arg(program);
    compiler.arg("-I").arg(root().join("driver/include")).args(sources);
    compiler.status().is_ok_and(|status| status.success())
}

/// The program of the soak: its own files, and what it shares with the driver's tests.
pub fn soak_sources() -> Vec<PathBuf> {
    let mut parts = sources("driver/tests/soak");
    parts.extend(
        ["aio", "cards", "data", "refuse", "uring"]
            .map(|part| root().join("driver/tests").join(part).with_extension("c")),
    );
    parts
}

/// What a guest is made of. With cards of ours it has one CPU: while an access to a card's registers is under way, QEMU's proxy
/// device drops one by another CPU ("Blocked re-entrant IO").
pub struct Machine {
    /// QEMU.
    pub program: PathBuf,
    pub kernel: PathBuf,
    /// For the kernel's command line.
    pub append: String,
    pub mib: u32,
    /// The cards are below a switch, where the kernel knows that one reaches the other.
    pub switch: bool,
    /// It has an IOMMU, which remaps interrupts, too.
    pub iommu: bool,
    /// Cards write their TLPs and the host's stores to their files.
    pub traces: bool,
    /// It has no cards of ours, but so many CPUs, and makes cards itself, of memory (`driver/tests/module/ls_silent.c`).
    pub silent: Option<u32>,
}

impl Default for Machine {
    fn default() -> Machine {
        let (program, kernel, append) = (PathBuf::new(), PathBuf::new(), String::new());
        Machine { program, kernel, append, mib: 512, switch: false, iommu: false, traces: false, silent: None }
    }
}

impl Machine {
    /// Starts it, with the initramfs of that folder, where its console and its output go: the cards, then QEMU.
    pub fn start(&self, folder: &Path) -> Running {
        let (test_of_qemu, test_of_cards) = UnixStream::pair().unwrap();
        let _ = std::fs::remove_file(folder.join(PEER));
        if self.silent.is_some() {
            return Running(vec![self.qemu(folder, test_of_qemu, &[])]);
        }
        let (first, to_first) = self.card(folder, 0, &test_of_cards);
        let (second, to_second) = self.card(folder, 1, &test_of_cards);
        let mut running = Running(vec![first, second]);
        running.0.push(self.qemu(folder, test_of_qemu, &[to_first, to_second]));
        running
    }

    /// QEMU with the sockets as its descriptors 3, 4 and 5, which a shell moves there.
    fn qemu(&self, folder: &Path, test: UnixStream, cards: &[UnixStream]) -> Child {
        let socket =
            |i: usize| cards.get(i).map_or_else(Stdio::null, |card| OwnedFd::from(card.try_clone().unwrap()).into());
        let mut command = Command::new("sh");
        command.arg("-c").arg("exec \"$@\" 3<&0 4<&1 5<&2 </dev/null >\"$LOG\" 2>&1").arg("sh").arg(&self.program);
        command.env("LOG", folder.join("qemu"));
        let mib = self.mib.to_string();
        command.args(["-machine", "q35,memory-backend=m", "-object"]);
        command.arg(format!("memory-backend-memfd,id=m,size={mib}M,share=on"));
        command.args([
            "-m",
            &mib,
            "-smp",
            &self.silent.unwrap_or(1).to_string(),
            "-accel",
            "tcg,thread=multi",
            "-cpu",
            "max",
            "-nodefaults",
        ]);
        command.args(["-display", "none", "-no-reboot"]);
        // On a busy machine the emulated timer ticks too late for the kernel's check of it.
        command.arg("-append").arg(format!("console=ttyS0 panic=1 oops=panic no_timer_check {}", self.append));
        command.arg("-kernel").arg(&self.kernel).arg("-initrd").arg(folder.join("initramfs"));
        for name in ["console", "out"] {
            command.arg("-serial").arg(format!("file:{}", folder.join(name).display()));
        }
        command.args(["-chardev", "socket,id=qt,fd=3", "-object", "qtest,id=qt0,chardev=qt,log=none"]);
        if self.iommu {
            command.args(["-device", "intel-iommu,intremap=on"]);
        }
        let places = if self.switch {
            command.args(["-device", "pcie-root-port,id=root,chassis=1", "-device", "x3130-upstream,id=up,bus=root"]);
            for i in 0..2 {
                let port = format!("xio3130-downstream,id=down{i},bus=up,chassis={},slot={i}", i + 2);
                command.args(["-device", &port]);
            }
            ["bus=down0".into(), "bus=down1".into()]
        } else {
            [0, 1].map(|i| format!("addr={}", FIRST_DEVICE + i))
        };
        for (i, place) in places.iter().enumerate().take(cards.len()) {
            command.arg("-device").arg(format!("x-pci-proxy-dev,id=p{i},fd={},{place}", i + 4));
        }
        command.stdin(OwnedFd::from(test)).stdout(socket(0)).stderr(socket(1)).spawn().unwrap()
    }
    /// A card: its process, and QEMU's end of the socket.
    fn card(&self, folder: &Path, number: usize, test_socket: &UnixStream) -> (Child, UnixStream) {
        let (qemu, device) = UnixStream::pair().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_lanescope-remote"));
        command.arg(folder.join("lock"));
        // The name of a socket may not be long.
        command.arg(PEER).current_dir(folder);
        if self.iommu {
            // Below a switch, firmware gives the cards the buses that follow those of the ports.
            let requester = if self.switch { (3 + number) << 8 } else { (FIRST_DEVICE + number) << 3 };
            command.arg(format!("{requester:x}"));
        }
        if self.traces {
            command.env("LANESCOPE_TRACE", "1");
        }
        let child = command
            .stdin(OwnedFd::from(device))
            .stdout(OwnedFd::from(test_socket.try_clone().unwrap()))
            .stderr(File::create(folder.join(format!("card{number}"))).unwrap())
            .spawn()
            .unwrap();
        (child, qemu)
    }
}

/// What a file of that folder holds.
pub fn text(folder: &Path, name: &str) -> String {
    String::from_utf8_lossy(&std::fs::read(folder.join(name)).unwrap_or_default()).replace('\r', "")
}
