//! Reading of a machine from any supported input, recognized by its content, not by its name.

use crate::archive::Compression;
pub use crate::archive::MOST_BYTES;
pub use crate::archive::unzstd;
use crate::error::{Error, Problem};
use crate::lspci;
use crate::machine::{Machine, Source};
use crate::sysfs::{self, Archive, Folder};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Reads a folder (a sysfs tree), a tar of one, or the output of `lspci`; files may be compressed with zstd, gzip or xz.
///
/// # Errors
/// The file cannot be read, or is none of these.
pub fn read(path: &Path) -> Result<Machine, Error> {
    let mut machine = open(path).map_err(|problem| Error::new(path, problem))?;
    machine.name = name_of(path);
    machine.make_plain();
    Ok(machine)
}

/// Reads one machine of several files. Several are texts, each of which adds what it knows: `lspci`, a kernel's log,
/// `nvidia-smi -q`.
///
/// # Errors
/// As for [`read`], of the first file that cannot be read; one of several that is no text.
pub fn all(paths: &[PathBuf]) -> Result<Machine, Error> {
    if let [one] = paths {
        return read(one);
    }
    let texts = paths.iter().map(|path| text_of(path).map_err(|problem| Error::new(path, problem)));
    let texts = texts.collect::<Result<Vec<_>, _>>()?.join("\n");
    let names: Vec<String> = paths.iter().map(|path| name_of(path)).collect();
    let name = names.join(" and ");
    let mut machine = of_bytes(texts.into_bytes()).map_err(|problem| Error::new(Path::new(&name), problem))?;
    machine.name = name;
    machine.make_plain();
    Ok(machine)
}

/// The text of a file of several.
fn text_of(path: &Path) -> Result<String, Problem> {
    let bytes = plain(all_of(File::open(path)?)?)?;
    match kind(&bytes) {
        Kind::Text => Ok(text(&bytes)),
        Kind::Tar => Err(Problem::NoText),
        Kind::Other(name) => Err(Problem::Compressed(name)),
    }
}

/// The name of a file, without its folder.
fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// Reads the same from a stream such as a pipe; `name` is the name of the machine.
///
/// # Errors
/// The stream cannot be read, is empty, or holds none of the supported formats.
pub fn stream(from: impl Read, name: &str) -> Result<Machine, Error> {
    let machine = all_of(from).and_then(|bytes| if bytes.is_empty() { Err(Problem::Empty) } else { of_bytes(bytes) });
    let mut machine = machine.map_err(|problem| Error::new(Path::new(name), problem))?;
    machine.name = name.to_string();
    Ok(machine)
}

/// Reads this system from its sysfs at `root` (`/sys`). A capture that was unpacked there is read as the capture is.
///
/// # Errors
/// `root` has no `bus/pci/devices`.
pub fn live(root: &Path) -> Result<Machine, Error> {
    if root.join(sysfs::MANIFEST).is_file() {
        return read(root);
    }
    let mut machine = sysfs::read(&Folder::new(root)).map_err(|problem| Error::new(root, problem))?;
    machine.source = Source::Live;
    machine.name = "this machine".to_string();
    Ok(machine)
}

fn open(path: &Path) -> Result<Machine, Problem> {
    if path.is_dir() {
        return sysfs::read(&Folder::new(&root_of(path)));
    }
    of_bytes(all_of(File::open(path)?)?)
}

fn all_of(from: impl Read) -> Result<Vec<u8>, Problem> {
    let mut bytes = Vec::new();
    from.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The root of a sysfs tree: a saved tree may hold `sys` and `proc` side by side, as captures do.
fn root_of(path: &Path) -> std::path::PathBuf {
    let inner = path.join("sys");
    if inner.join("bus/pci").is_dir() { inner } else { path.to_path_buf() }
}

/// Reads the same from the bytes of a file.
///
/// # Errors
/// The bytes are in none of the supported formats.
pub fn of_bytes(bytes: Vec<u8>) -> Result<Machine, Problem> {
    of_plain(&plain(bytes)?)
}

/// The bytes of a file, unpacked.
fn plain(bytes: Vec<u8>) -> Result<Vec<u8>, Problem> {
    if bytes.len() > MOST_BYTES {
        return Err(Problem::TooLarge(MOST_BYTES >> 20));
    }
    match Compression::of(&bytes) {
        Some(compression) => compression.unpack(&bytes),
        None => Ok(bytes),
    }
}

fn of_plain(bytes: &[u8]) -> Result<Machine, Problem> {
    match kind(bytes) {
        Kind::Tar => sysfs::read(&Archive::new(bytes)?),
        Kind::Other(name) => Err(Problem::Compressed(name)),
        Kind::Text => of_text(bytes),
    }
}

fn of_text(bytes: &[u8]) -> Result<Machine, Problem> {
    let machine = lspci::parse(&text(bytes));
    if machine.functions.is_empty() {
        return Err(Problem::NoFunctions);
    }
    Ok(machine)
}

/// The text of a file. Windows tools save text as UTF-16; anything else is read as UTF-8, with invalid bytes replaced.
fn text(bytes: &[u8]) -> String {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        // A byte-order mark, as some editors put it before UTF-8.
        _ => return String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).into_owned(),
    };
    let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
    String::from_utf16_lossy(&units)
}

/// The kind of a file after decompression, by its first bytes.
enum Kind {
    Tar,
    Text,
    Other(&'static str),
}

fn kind(bytes: &[u8]) -> Kind {
    match bytes {
        [b'B', b'Z', b'h', ..] => Kind::Other("bzip2"),
        [b'P', b'K', 3, 4, ..] => Kind::Other("zip"),
        _ if Compression::of(bytes).is_some() => Kind::Other("compressed twice"),
        _ if bytes.get(257..262) == Some(b"ustar") => Kind::Tar,
        _ => Kind::Text,
    }
}
