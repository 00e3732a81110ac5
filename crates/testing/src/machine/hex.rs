//! A machine as `lspci -xxxx` prints it.

use super::GeneratedMachine;
use super::function::Function;
use super::space;
use std::fmt::Write;

impl GeneratedMachine {
    /// Every function with its 4096 bytes (256 for a function that is not PCI Express).
    pub fn hex(&self) -> String {
        let several = self.functions.iter().any(|f| f.domain != 0);
        self.functions.iter().map(|function| one(function, several)).collect()
    }
}

fn one(function: &Function, domain: bool) -> String {
    let name = if domain { function.name() } else { function.short() };
    let (vendor, device) = function.id;
    let mut text = format!("{name} {:04x}: {vendor:04x}:{device:04x} (rev 01)\n", function.class >> 8);
    let bytes = space::encode(function);
    let shown = if function.express.is_some() { space::BYTES } else { 256 };
    for (row, line) in bytes[..shown].chunks(16).enumerate() {
        let _ = write!(text, "{:02x}:", row * 16);
        line.iter().for_each(|byte| {
            let _ = write!(text, " {byte:02x}");
        });
        text.push('\n');
    }
    text.push('\n');
    text
}
