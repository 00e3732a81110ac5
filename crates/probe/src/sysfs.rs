//! Reading of a machine from sysfs: of this system, or saved.
//!
//! Nothing is written. Files with side effects when read (`rom`, `resourceN`, `vpd`) are never opened.

mod aer;
mod archive;
mod devices;
pub(crate) mod files;
mod folder;
mod function;
mod whole;

pub use archive::Archive;
pub use files::{DEVICES, Files, text};
pub use folder::Folder;

use crate::address::Address;
use crate::error::Problem;
use crate::machine::{Machine, Source};

/// The file that identifies a capture.
pub const MANIFEST: &str = "lanescope-capture";
/// The latest format of a capture.
pub const FORMAT: u32 = 1;

/// Reads a machine from a sysfs tree.
///
/// # Errors
/// The tree has no list of PCI functions, or is a capture of a later format.
pub fn read(files: &dyn Files) -> Result<Machine, Problem> {
    let captured = check_format(files)?;
    if !files.is_folder(DEVICES) {
        return Err(Problem::NoSysfs);
    }
    let mut machine = Machine { source: Source::Capture, ..Machine::default() };
    for name in files.list(DEVICES) {
        match name.parse::<Address>() {
            Ok(address) => {
                let mut function = function::read(files, &name, address, &mut machine.remarks);
                if captured {
                    function.forget_addresses();
                }
                machine.functions.insert(address, function);
            }
            Err(error) => whole::remark(&mut machine, &format!("{DEVICES}/{name}"), error.to_string()),
        }
    }
    devices::read(files, &mut machine);
    whole::read(files, captured, &mut machine);
    machine.name_by_ids();
    machine.make_plain();
    Ok(machine)
}

/// True for a capture. A tree that was copied has no manifest, and is read as it is.
fn check_format(files: &dyn Files) -> Result<bool, Problem> {
    let Some(manifest) = text(files, MANIFEST) else { return Ok(false) };
    let format = manifest.lines().find_map(|line| line.strip_prefix("format ")).unwrap_or("unknown").trim();
    match format.parse::<u32>() {
        Ok(format) if format <= FORMAT => Ok(true),
        _ => Err(Problem::Format(format.to_string(), FORMAT)),
    }
}
