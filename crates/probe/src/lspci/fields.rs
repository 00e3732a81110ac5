//! The output of `lspci -mm` and `lspci -vmm`, for programs: the same fields, in quotes on one line or with labels on one
//! line each. The older `-m` and `-vm` are read too.

use crate::function::Function;
use crate::lspci::class::{fill_class, without_bracket};
use crate::lspci::line::Line;
use crate::names;
use crate::os::Iommu;

/// The fields of both forms.
#[derive(Default)]
struct Fields {
    class: String,
    vendor: String,
    device: String,
    subsystem_vendor: String,
    subsystem_device: String,
    revision: Option<u8>,
    interface: Option<u8>,
}

/// Reads the rest of a line after the address: `"Host bridge" "Intel Corporation" "82G33" -r02 -p00 "ASUSTeK" "P5KPL"`.
pub fn of_line(text: &str, function: &mut Function) {
    let (mut quoted, mut fields) = (Vec::new(), Fields::default());
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let after = if let Some(inside) = rest.strip_prefix('"') {
            let (field, after) = unescape(inside);
            quoted.push(field);
            after
        } else {
            let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
            fields.revision = fields.revision.or_else(|| code(word.strip_prefix("-r")?));
            fields.interface = fields.interface.or_else(|| code(word.strip_prefix("-p")?));
            after
        };
        rest = after.trim_start();
    }
    let places = [
        &mut fields.class,
        &mut fields.vendor,
        &mut fields.device,
        &mut fields.subsystem_vendor,
        &mut fields.subsystem_device,
    ];
    for (place, field) in places.into_iter().zip(quoted) {
        *place = field;
    }
    fields.fill(function);
}

/// Reads a record: `Class: Host bridge` and similar fields, one on each line.
pub fn of_record(lines: &[Line], function: &mut Function) {
    let mut fields = Fields::default();
    let os = &mut function.os;
    for line in lines {
        let Some((label, value)) = line.text.split_once(':') else { continue };
        let value = value.trim().to_string();
        match label {
            "Class" => fields.class = value,
            "Vendor" => fields.vendor = value,
            "Device" => fields.device = value,
            "SVendor" => fields.subsystem_vendor = value,
            "SDevice" => fields.subsystem_device = value,
            "Rev" => fields.revision = code(&value),
            "ProgIf" => fields.interface = code(&value),
            "PhySlot" => os.slot = Some(value),
            "Driver" => os.driver = Some(value),
            "Module" => os.modules.push(value),
            "NUMANode" => os.numa_node = value.parse().ok(),
            "IOMMUGroup" => os.iommu = value.parse().ok().map(|group| Iommu { group, kind: None }),
            _ => {}
        }
    }
    fields.fill(function);
}

/// Splits a text at the closing quote. In the text before it, `\` precedes each quote and each `\`; these escapes are removed.
fn unescape(text: &str) -> (String, &str) {
    let mut field = String::new();
    let mut characters = text.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return (field, &text[at + 1..]),
            '\\' => field.extend(characters.next().map(|(_, escaped)| escaped)),
            c => field.push(c),
        }
    }
    (field, "")
}

fn code(text: &str) -> Option<u8> {
    u8::from_str_radix(text, 16).ok()
}

impl Fields {
    fn fill(&self, function: &mut Function) {
        let ids = |vendor: &str, device: &str| Some((id(vendor)?, id(device)?));
        let main = ids(&self.vendor, &self.device);
        let header = &mut function.header;
        (header.revision, header.interface) = (self.revision, self.interface);
        (header.vendor, header.device) = (main.map(|ids| ids.0), main.map(|ids| ids.1));
        header.subsystem = ids(&self.subsystem_vendor, &self.subsystem_device);
        // A device without a name in that machine's database may have one in the database here.
        let by_ids = main.filter(|_| is_nameless(&self.device));
        function.names.device = by_ids
            .and_then(|(vendor, device)| names::device(vendor, device))
            .or_else(|| named(&self.vendor, &self.device));
        function.names.subsystem = named(&self.subsystem_vendor, &self.subsystem_device);
        fill_class(&self.class, function);
    }
}

/// An id, as in `8086` or `Intel Corporation [8086]`.
fn id(text: &str) -> Option<u16> {
    let (name, bracket) = without_bracket(text);
    bracket.or(Some(name)).filter(|code| code.len() == 4).and_then(|code| u16::from_str_radix(code, 16).ok())
}

fn is_nameless(device: &str) -> bool {
    matches!(without_bracket(device), ("Device", Some(_))) || device.len() == 4 && id(device).is_some()
}

/// Vendor and device as one name; `None` if only their ids were printed.
fn named(vendor: &str, device: &str) -> Option<String> {
    let (name, of) = (without_bracket(vendor).0, without_bracket(device).0);
    let nothing = name.is_empty() || of.is_empty() || is_nameless(device) || name.len() == 4 && id(vendor).is_some();
    (!nothing).then(|| format!("{name} {of}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_quote_end_where_it_is_not_escaped() {
        assert_eq!(unescape(r#"an \"8\" \\ b" -r02"#), (r#"an "8" \ b"#.to_string(), " -r02"));
        assert_eq!(unescape("no end"), ("no end".to_string(), ""));
    }
}
