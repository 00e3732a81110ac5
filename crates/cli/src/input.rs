//! Reads machines from files and from standard input.

use crate::exit::{Complaint, Failure};
use crate::screen::Screen;
use probe::error::Problem;
use probe::{Machine, Source};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The path that stands for standard input.
const STANDARD: &str = "-";
/// The name of standard input in output and errors.
const NAME: &str = "standard input";
/// Time without input before a message is printed.
const PATIENCE: Duration = Duration::from_secs(2);

/// True where the path stands for standard input.
pub fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD)
}

/// Reads the machine of a file, or of standard input.
///
/// # Errors
/// Input that does not contain a machine.
pub fn machine(path: &Path, screen: &Screen) -> Result<Machine, Failure> {
    if is_standard(path) { standard(screen) } else { Ok(probe::read(path)?) }
}

/// Reads the machine that was asked for: of one file, of several texts, of a saved tree, or else as [`here`] does.
///
/// # Errors
/// As for [`machine`] and [`here`]; standard input as one of several files.
pub fn asked(files: &[PathBuf], sysfs: Option<&Path>, screen: &Screen) -> Result<Machine, Failure> {
    match (files, sysfs) {
        ([], None) => here(screen),
        ([], Some(root)) => {
            let machine = probe::live(root)?;
            // A capture that was unpacked has its own name.
            let name = root.file_name().filter(|_| machine.source == Source::Live && root != Path::new("/sys"));
            let name = name.map_or(machine.name.clone(), |name| name.to_string_lossy().into_owned());
            Ok(Machine { name, ..machine })
        }
        ([one], _) => machine(one, screen),
        (several, _) if several.iter().any(|path| is_standard(path)) => {
            Err(Complaint::new("standard input is one of several texts", "save it to a file first").into())
        }
        (several, _) => Ok(probe::read::all(several)?),
    }
}

/// Reads this machine or, where input is piped into the program, the machine from the pipe.
///
/// # Errors
/// Piped input that does not contain a machine; or there is no `/sys`.
pub fn here(screen: &Screen) -> Result<Machine, Failure> {
    if is_piped() { standard(screen) } else { Ok(probe::live(Path::new("/sys"))?) }
}

fn standard(screen: &Screen) -> Result<Machine, Failure> {
    let (done, waits) = channel::<()>();
    let screen = *screen;
    std::thread::spawn(move || {
        if waits.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            screen.complain("waiting for standard input; --sysfs /sys inspects this machine without it\n");
        }
    });
    let read = probe::read::stream(std::io::stdin().lock(), NAME);
    drop(done);
    read.map_err(|error| match error.problem {
        Problem::Empty | Problem::NoFunctions => {
            let right = "what `lspci -vvv` or `lspci -xxxx` prints, or a capture; `--sysfs /sys` inspects this machine, \
                         whatever standard input is";
            Complaint::new(error.to_string(), right).into()
        }
        _ => error.into(),
    })
}

/// True where standard input is a pipe or a file. A terminal, `/dev/null` and a socket (from remote shells) do not
/// count.
#[cfg(unix)]
fn is_piped() -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt;
    let file = std::io::stdin().as_fd().try_clone_to_owned().map(std::fs::File::from);
    let kind = file.and_then(|file| file.metadata()).map(|found| found.file_type());
    kind.is_ok_and(|kind| kind.is_fifo() || kind.is_file())
}

/// True where standard input is not a terminal. On these systems there is no `/sys` that could be read instead.
#[cfg(not(unix))]
fn is_piped() -> bool {
    !std::io::IsTerminal::is_terminal(&std::io::stdin())
}
