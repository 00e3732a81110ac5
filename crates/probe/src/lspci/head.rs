//! The first line of a function: `00:1f.3 Audio device [0403]: Intel Corporation Device [8086:a0c8] (rev 20)`.

use crate::address::Address;
use crate::function::Function;
use crate::lspci::class::{fill_class, without_bracket};
use crate::lspci::fields;
use crate::lspci::line::Line;
use crate::names;

/// How a head is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For people: `00:1f.3 Audio device: Intel Corporation ...`.
    Line,
    /// `lspci -mm`: `00:1f.3 "Audio device" "Intel Corporation" ...`.
    Quoted,
    /// `lspci -vmm`: `Slot: 00:1f.3`, with the other fields on the lines below.
    Record,
}

/// Address and names as printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The address of the function.
    pub address: Address,
    /// The bridges above it (`-PP`), outermost first.
    pub path: Option<Vec<Address>>,
    /// The form in which it was printed.
    pub form: Form,
    /// The text after the address.
    text: String,
}

impl Head {
    /// Reads a head; `None` for a line that does not begin with an address.
    pub fn read(text: &str) -> Option<Head> {
        let (first, rest) = text.split_once(char::is_whitespace)?;
        let rest = rest.trim();
        let (form, place, rest) = match first {
            "Slot:" | "Device:" => (Form::Record, rest, ""),
            _ if rest.starts_with('"') => (Form::Quoted, first, rest),
            _ => (Form::Line, first, rest),
        };
        let mut steps = path(place)?;
        let address = steps.pop()?;
        let whole = form == Form::Record || !rest.is_empty();
        whole.then(|| Head { address, path: (!steps.is_empty()).then_some(steps), form, text: rest.to_string() })
    }
    /// True if the text after the address begins with the name or the code of a known class: it is not prose about a device.
    pub fn is_sure(&self) -> bool {
        let Some(class) = self.class().filter(|_| self.form == Form::Line) else { return self.form != Form::Line };
        let (name, code) = without_bracket(class);
        let by_code = name.strip_prefix("Class ").unwrap_or(name);
        let is_code = by_code.len() == 4 && by_code.bytes().all(|b| b.is_ascii_hexdigit());
        code.is_some() || is_code || names::class_code(name).is_some()
    }
    /// True if it may be a head with a class name that is not known here. The lines around it decide.
    pub fn is_likely(&self) -> bool {
        const MOST_WORDS: usize = 6;
        let named = |class: &str| {
            let begins = class.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
            begins && class.split_whitespace().count() <= MOST_WORDS
        };
        self.class().is_some_and(named)
    }
    /// The text before the first colon.
    fn class(&self) -> Option<&str> {
        self.text.split_once(": ").map(|(class, _)| class.trim())
    }
    /// True if a bracket is open: the line continues.
    pub fn is_open(&self) -> bool {
        let count = |bracket: char| self.text.matches(bracket).count();
        count('(') > count(')') || count('[') > count(']')
    }
    /// Appends the rest of a wrapped line.
    pub fn go_on(&mut self, text: &str) {
        self.text.push(' ');
        self.text.push_str(text);
    }
    /// Fills in names, ids, class and revision. `lines` are the lines of a record.
    pub fn fill(&self, lines: &[Line], function: &mut Function) {
        match self.form {
            Form::Line => self.fill_line(function),
            Form::Quoted => fields::of_line(&self.text, function),
            Form::Record => fields::of_record(lines, function),
        }
    }
    fn fill_line(&self, function: &mut Function) {
        let mut rest = self.text.as_str();
        if let Some((before, inside)) = split_parenthesis(rest, "(prog-if ") {
            function.header.interface = inside.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok());
            rest = before;
        }
        if let Some((before, inside)) = split_parenthesis(rest, "(rev ") {
            function.header.revision = inside.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok());
            rest = before;
        }
        let (class, device) = rest.split_once(": ").unwrap_or((rest, ""));
        fill_class(class, function);
        fill_device(device.trim(), function);
    }
}

/// The addresses of a path, as in `00:1c.4/07:00.0`. A step without a domain is in the domain of the first one.
fn path(text: &str) -> Option<Vec<Address>> {
    let mut steps: Vec<Address> = Vec::new();
    for step in text.split('/') {
        let mut address: Address = step.parse().ok()?;
        if let Some(first) = steps.first().filter(|_| step.matches(':').count() == 1) {
            address.domain = first.domain;
        }
        steps.push(address);
    }
    Some(steps)
}

/// The text before the last `(label ...)`, and the text inside it.
fn split_parenthesis<'a>(text: &'a str, label: &str) -> Option<(&'a str, &'a str)> {
    let start = text.rfind(label)?;
    let inside = &text[start + label.len()..];
    Some((text[..start].trim_end(), inside.split(')').next().unwrap_or(inside)))
}

/// Vendor id and device id, as in `8086:a0c8`.
pub fn ids(text: &str) -> Option<(u16, u16)> {
    let (vendor, device) = text.split_once(':').filter(|(v, d)| v.len() == 4 && d.len() == 4)?;
    Some((u16::from_str_radix(vendor, 16).ok()?, u16::from_str_radix(device, 16).ok()?))
}

fn fill_device(device: &str, function: &mut Function) {
    let (name, bracket) = without_bracket(device);
    let found = bracket.or(Some(name)).and_then(ids);
    if let Some((vendor, device)) = found {
        function.header.vendor = Some(vendor);
        function.header.device = Some(device);
    }
    function.names.device = match (bracket, found) {
        (None, Some((vendor, device))) => names::device(vendor, device),
        // A device without a name in that machine's database may have one in the database here; else its id is its name.
        (_, Some((vendor, device))) if is_nameless(name) => {
            Some(names::device(vendor, device).unwrap_or_else(|| format!("{name} {device:04x}")))
        }
        _ => (!name.is_empty()).then(|| name.to_string()),
    };
}

/// True for a name without a device, as in `Intel Corporation Device`; the id is in the brackets after it.
pub fn is_nameless(name: &str) -> bool {
    name == "Device" || name.ends_with(" Device")
}
