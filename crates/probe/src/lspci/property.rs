//! The lines of a function that belong to no capability.

use crate::function::Function;
use crate::lspci::class::without_bracket;
use crate::lspci::head::{ids, is_nameless};
use crate::lspci::tokens::flags;
use crate::os::Iommu;
use pcie::config::{Bar, BarKind, BusNumbers, HeaderKind, NamedRegister};
use pcie::units::Bytes;

/// Reads one line. Lines that are not known are ignored.
pub fn fill(function: &mut Function, text: &str) {
    let Some((label, value)) = text.split_once(':').map(|(label, value)| (label.trim(), value.trim())) else {
        fill_bare(function, text);
        return;
    };
    let os = &mut function.os;
    match label {
        "Subsystem" => subsystem(function, value),
        "DeviceName" => os.label = some(value),
        "Physical Slot" => os.slot = some(value),
        "Control" => flags(&mut function.header.command, value),
        "Status" => flags(&mut function.header.status, value),
        "NUMA node" => os.numa_node = value.parse().ok(),
        "IOMMU group" => os.iommu = value.parse().ok().map(|group| Iommu { group, kind: None }),
        "Bus" => buses(function, value),
        "Flags" => short_flags(function, value),
        "Interrupt" => interrupt(function, value),
        "Kernel driver in use" => os.driver = some(value),
        "Kernel modules" => os.modules = value.split(',').map(|name| name.trim().to_string()).collect(),
        _ => region(function, label, value),
    }
}

fn some(value: &str) -> Option<String> {
    (!value.is_empty()).then(|| value.to_string())
}

fn fill_bare(function: &mut Function, text: &str) {
    if text.starts_with("!!! Unknown header type 7f") {
        function.reach = crate::function::Reach::Nothing;
    }
}

fn subsystem(function: &mut Function, value: &str) {
    let (name, bracket) = without_bracket(value);
    function.header.subsystem = bracket.or(Some(name)).and_then(ids);
    // A subsystem without a name gets one by its ids later, like everything that a text does not name.
    let named = if bracket.is_some() { !is_nameless(name) } else { ids(name).is_none() };
    function.names.subsystem = some(name).filter(|_| named);
}

/// The interrupt pin, as in `pin A routed to IRQ 24`; `?` stands for a reserved value.
fn interrupt(function: &mut Function, value: &str) {
    let letter = value.strip_prefix("pin ").and_then(|rest| rest.bytes().next());
    function.header.interrupt_pin = letter.filter(|b| (b'A'..=b'D').contains(b)).map(|b| b - b'A' + 1);
}

/// The bus numbers, as in `primary=00, secondary=03, subordinate=03, sec-latency=0`.
fn buses(function: &mut Function, value: &str) {
    let number = |name: &str| {
        let rest = value.split(',').find_map(|part| part.trim().strip_prefix(name))?;
        u8::from_str_radix(rest.strip_prefix('=')?.get(..2)?, 16).ok()
    };
    if let (Some(primary), Some(secondary), Some(subordinate)) =
        (number("primary"), number("secondary"), number("subordinate"))
    {
        function.header.buses = Some(BusNumbers { primary, secondary, subordinate });
        // A CardBus bridge has these numbers too, in a header of its own.
        let is_card =
            function.header.class == Some(0x0607) || function.names.class.as_deref() == Some("CardBus bridge");
        function.header.kind = Some(if is_card { HeaderKind::CardBus } else { HeaderKind::Bridge });
    }
}

/// The line of flags of `lspci -v`: `bus master, fast devsel, latency 0, IRQ 16, NUMA node 0, IOMMU group 1`.
fn short_flags(function: &mut Function, value: &str) {
    for part in value.split(',').map(str::trim) {
        if let Some(node) = part.strip_prefix("NUMA node ") {
            function.os.numa_node = node.parse().ok();
        } else if let Some(group) = part.strip_prefix("IOMMU group ") {
            function.os.iommu = group.parse().ok().map(|group| Iommu { group, kind: None });
        } else if part == "bus master" {
            function.header.command.put("BusMaster", 1);
        }
    }
}

/// A BAR, as in `Region 0: Memory at fc800000 (64-bit, non-prefetchable) [size=16K]`.
fn region(function: &mut Function, label: &str, value: &str) {
    let Some(index) = label.strip_prefix("Region ").and_then(|index| index.parse().ok()).filter(|index| *index < 6)
    else {
        return;
    };
    let value = value.strip_prefix("[virtual] ").unwrap_or(value);
    let (kind, rest) = if let Some(rest) = value.strip_prefix("Memory at ") {
        let prefetchable = rest.contains("prefetchable") && !rest.contains("non-prefetchable");
        (BarKind::Memory { is_64: rest.contains("64-bit"), prefetchable }, rest)
    } else if let Some(rest) = value.strip_prefix("I/O ports at ") {
        (BarKind::Io, rest)
    } else {
        return;
    };
    let address = rest.split_whitespace().next().and_then(|address| u64::from_str_radix(address, 16).ok());
    function.header.bars.push(Bar { index, kind, address, size: size(rest) });
}

/// The size of a BAR, as in `[size=16K]`.
fn size(text: &str) -> Option<Bytes> {
    let inside = text.split_once("[size=")?.1.split_once(']')?.0;
    let digits = inside.trim_end_matches(|c: char| !c.is_ascii_digit());
    let shift = match &inside[digits.len()..] {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift).map(Bytes)
}
