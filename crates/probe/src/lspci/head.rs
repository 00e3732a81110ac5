//! The first line of a function: `00:1f.3 Audio device [0403]: Intel Corporation Device [8086:a0c8] (rev 20)`.

use crate::address::Address;
use crate::function::Function;
use crate::names;

/// Address and names as printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Where the function is.
    pub address: Address,
    /// The bridges above it (`-PP`), outermost first.
    pub path: Option<Vec<Address>>,
    /// Everything behind the address.
    text: String,
}

impl Head {
    /// `None` for a line that begins with no address.
    pub fn read(text: &str) -> Option<Head> {
        let (address, rest) = text.split_once(char::is_whitespace)?;
        if rest.trim().is_empty() {
            return None;
        }
        let mut steps = path(address)?;
        let address = steps.pop()?;
        Some(Head { address, path: (!steps.is_empty()).then_some(steps), text: rest.trim().to_string() })
    }
    /// The rest of a wrapped line.
    pub fn go_on(&mut self, text: &str) {
        self.text.push(' ');
        self.text.push_str(text);
    }
    /// Names, ids, class and revision.
    pub fn fill(&self, function: &mut Function) {
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
        self.fill_class(class, function);
        fill_device(device.trim(), function);
    }
    fn fill_class(&self, class: &str, function: &mut Function) {
        let (name, code) = without_bracket(class.trim());
        let code =
            code.or_else(|| (name.len() == 4).then_some(name)).and_then(|code| u16::from_str_radix(code, 16).ok());
        function.header.class = code.or_else(|| names::class_code(name));
        function.names.class = if code.is_some() && name.len() == 4 {
            function.header.class.and_then(names::class)
        } else {
            Some(name.to_string())
        };
    }
}

/// `00:1c.4/07:00.0`: each step's address; a step without a domain is in that of the first.
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

/// What stands before the last `(label ...)`, and inside of it.
fn split_parenthesis<'a>(text: &'a str, label: &str) -> Option<(&'a str, &'a str)> {
    let start = text.rfind(label)?;
    let inside = &text[start + label.len()..];
    Some((text[..start].trim_end(), inside.split(')').next().unwrap_or(inside)))
}

/// A name and the code in the bracket behind it (`-nn`), if it is one.
pub fn without_bracket(text: &str) -> (&str, Option<&str>) {
    let Some((name, code)) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) else { return (text, None) };
    let is_code = (code.len() == 4 || code.len() == 9) && code.bytes().all(|b| b.is_ascii_hexdigit() || b == b':');
    if is_code { (name.trim_end(), Some(code)) } else { (text, None) }
}

/// Two ids: `8086:a0c8`.
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
        _ => (!name.is_empty()).then(|| name.to_string()),
    };
}
