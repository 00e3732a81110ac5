//! What FreeBSD's `pciconf -lvc` prints, in the words of `lspci` (`pciconf(8)`; `cap.c` and `pciconf.c` of its source name the
//! fields): address, class, ids, and the PCI Express capability.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with the lines of `pciconf` translated, one line for each. A text without any is as it was.
pub fn translated(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.lines().any(|line| head(line).is_some()) {
        return text;
    }
    let mut inside = false;
    let translated = |line: &str| match head(line) {
        Some(head) => {
            inside = true;
            head
        }
        None if inside && line.starts_with(char::is_whitespace) => property(line.trim()),
        None => {
            inside = false;
            line.to_string()
        }
    };
    Cow::Owned(text.lines().map(translated).collect::<Vec<_>>().join("\n"))
}

/// The first line of a function, as in `nvme0@pci0:1:0:0: class=0x010802 rev=0x00 hdr=0x00 vendor=0x144d device=0xa808`.
fn head(line: &str) -> Option<String> {
    let (at, rest) =
        line.split_once("@pci")?.1.split_once(":\t").or_else(|| line.split_once("@pci")?.1.split_once(": "))?;
    let numbers: Vec<u32> = at.split(':').map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let [domain, bus, place, function] = *numbers else { return None };
    let value = |name: &str| {
        let word = rest.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix("=0x"))?;
        u32::from_str_radix(word, 16).ok()
    };
    // Older ones print the ids of vendor and device as one number, `chip`, the vendor in its lower half.
    let ids = value("vendor").zip(value("device")).or_else(|| value("chip").map(|chip| (chip & 0xffff, chip >> 16)));
    let (class, (vendor, device)) = (value("class")?, ids?);
    Some(format!("{domain:04x}:{bus:02x}:{place:02x}.{function:x} {:04x}: {vendor:04x}:{device:04x}", class >> 8))
}

fn property(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if let Some(rest) = text.strip_prefix("cap 10[") {
        let kind = PORTS.iter().find(|(word, _)| rest.contains(word)).map_or("", |(_, name)| name);
        let mut said = format!("\tCapabilities: [{}] Express (v2) {kind}", rest.split(']').next().unwrap_or_default());
        if let Some((now, most)) = after(&words, "data").and_then(pair) {
            let _ = write!(said, " DevCap: MaxPayload {most} bytes DevCtl: MaxPayload {now} bytes");
        }
        return said;
    }
    if let Some(bytes) = text.strip_prefix("max read ") {
        return format!("\t\t\tMaxReadReq {bytes} bytes");
    }
    if let Some((width, most)) = words.first().filter(|word| **word == "link").and_then(|_| pair(words.get(1)?)) {
        let speeds = after(&words, "speed").and_then(pair);
        let (now, able) = speeds.map_or_else(Default::default, |(now, able)| {
            (format!("Speed {}GT/s, ", whole(now)), format!("Speed {}GT/s, ", whole(able)))
        });
        return format!("\t\tLnkCap: {able}Width {most} LnkSta: {now}Width {width}");
    }
    // Names are those of the ids; other capabilities are not translated.
    String::new()
}

/// Device/Port Type as `cap.c` prints it, and as `lspci` does.
const PORTS: [(&str, &str); 8] = [
    ("legacy endpoint", "Legacy Endpoint"),
    ("root endpoint", "Root Complex Integrated Endpoint"),
    ("endpoint", "Endpoint"),
    ("root port", "Root Port"),
    ("upstream port", "Upstream Port"),
    ("downstream port", "Downstream Port"),
    ("PCIe to PCI bridge", "PCI-Express to PCI/PCI-X Bridge"),
    ("PCI to PCIe bridge", "PCI/PCI-X to PCI-Express Bridge"),
];

fn after<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
    words.iter().position(|word| *word == name).and_then(|at| words.get(at + 1)).copied()
}

/// Both values of `128(256)`, `x2(x4)`.
fn pair(word: &str) -> Option<(&str, &str)> {
    word.strip_suffix(')')?.split_once('(')
}

/// A speed as `lspci` prints it: `8.0` is `8`.
fn whole(speed: &str) -> &str {
    speed.strip_suffix(".0").unwrap_or(speed)
}
