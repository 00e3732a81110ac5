//! The shape of a line: printed by `lspci`, the rest of a line that mail wrapped, or prose.

use crate::lspci::hex::HexLine;

/// Labels after the capabilities of a function. No other lines of the function follow them.
pub const BEHIND: [&str; 2] = ["Kernel driver in use:", "Kernel modules:"];

/// Labels before the capabilities, for texts without indentation.
pub const BEFORE: [&str; 20] = [
    "Subsystem:",
    "DeviceName:",
    "Physical Slot:",
    "Device tree node:",
    "Control:",
    "Status:",
    "Flags:",
    "Latency:",
    "Interrupt:",
    "NUMA node:",
    "IOMMU group:",
    "Region ",
    "Memory at ",
    "I/O ports at ",
    "Expansion ROM at ",
    "Bus:",
    "I/O behind bridge:",
    "Memory behind bridge:",
    "Prefetchable memory behind bridge:",
    "BridgeCtl:",
];

/// Beginnings of other lines within a capability, besides register names and flags (pciutils 3.9, `ls-caps.c`,
/// `ls-ecaps.c`, `ls-vpd.c`).
const WITHIN: [&str; 35] = [
    "Capabilities:",
    "(rev ",
    "(prog-if ",
    "Exit Latency",
    "Latency L",
    "L0s <",
    "L1 <",
    "L1 unlimited",
    "Width x",
    "!!! ",
    "Secondary status:",
    "Address:",
    "Addr:",
    "Masking:",
    "Vector table:",
    "Source:",
    "Max snoop latency:",
    "Max no snoop latency:",
    "Transmit Margin:",
    "Selectable De-emphasis:",
    "Compliance De-emphasis:",
    "Compliance Preset/De-emphasis:",
    "EmergencyPowerReduction ",
    "MaxPayload ",
    "BAR ",
    "BIST result:",
    "Product Name:",
    "Read-only fields:",
    "Not readable",
    "Supported Page Size:",
    "Initial VFs:",
    "VF offset:",
    "VF Migration:",
    "Page Request Capacity:",
    "Steering table in ",
];

/// The fewest columns at which mail wraps lines.
const LEAST_COLUMNS: usize = 64;
/// The most columns at which mail wraps lines.
pub const MOST_COLUMNS: usize = 80;

/// True for a line with a label from before or after the capabilities of a function.
pub fn is_labelled(text: &str) -> bool {
    BEFORE.iter().chain(&BEHIND).any(|label| text.starts_with(label))
}

/// True for a line that `lspci` prints below the head of a function, judged by this line alone.
pub fn is_lspci(text: &str) -> bool {
    is_labelled(text)
        || WITHIN.iter().any(|label| text.starts_with(label))
        || text.split_once(':').is_some_and(|(name, _)| is_register(name))
        || is_vital(text)
        || text == "End"
        || text.split_whitespace().any(|word| is_flag(word) || is_setting(word))
        || text.ends_with("<?>")
        || HexLine::read(0, text).is_some()
}

/// True for the name of a register, as in `LnkSta2`, `PTMCap`: upper and lower case in one word.
fn is_register(name: &str) -> bool {
    let (large, small) = (|c: char| c.is_ascii_uppercase() || c.is_ascii_digit(), |c: char| c.is_ascii_lowercase());
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && name.chars().any(small)
        && name.chars().skip(1).any(large)
}

/// True for a line of Vital Product Data, as in `[PN] Part number: ...`.
fn is_vital(text: &str) -> bool {
    matches!(text.as_bytes(), [b'[', a, b, b']', b' ', ..] if a.is_ascii_uppercase() && b.is_ascii_alphanumeric())
}

/// True for a flag, as in `DLActive+`, `<TAbort-`, `64bit+`: no word of prose begins with a capital or a
/// digit and ends with a sign.
fn is_flag(word: &str) -> bool {
    let word = word.trim_end_matches([',', ';', ')']);
    let Some(name) = word.strip_suffix(['+', '-']) else { return false };
    let name = name.trim_start_matches(['<', '>', '(']);
    let plain = |c: char| c.is_ascii_alphanumeric() || "_/.()-+:,".contains(c);
    name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_uppercase() || c.is_ascii_digit())
        && name.chars().all(plain)
}

/// True for a setting, as in `BAR=0`, `T_PwrOn=10us`.
fn is_setting(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, value)| name.starts_with(|c: char| c.is_ascii_uppercase()) && !value.is_empty())
}

/// True if `next` may be the rest of `line`, which mail wrapped because it was too long.
pub fn is_wrapped(line: &str, next: &str) -> bool {
    // A line without letters and digits is a separator.
    if !next.contains(char::is_alphanumeric) {
        return false;
    }
    let line = line.trim_end();
    let (least, tabs) = (line.chars().count(), line.matches('\t').count());
    let word = next.split_whitespace().next().map_or(0, |word| word.chars().count());
    // A tab may count as one to eight columns.
    least <= MOST_COLUMNS && least + 7 * tabs + 1 + word > LEAST_COLUMNS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_lines_of_lspci_known_and_lines_of_prose_not() {
        for line in [
            "RlxdOrd+ ExtTag+ PhantFunc- AuxPwr- NoSnoop+",
            "<TAbort- <MAbort- >SERR- <PERR- INTx-",
            "PME(D0+,D1+,D2+,D3hot+,D3cold+)",
            "PBA: BAR=0 offset=00002000",
            "T_CommonMode=0us LTR1.2_Threshold=0ns",
            "Capabilities: [100 v1] #19",
            "Kernel modules: nvme",
            "LnkSta:\tSpeed 2.5GT/s, Width x1",
            "MaxPayload 128 bytes, MaxReadReq 512 bytes",
            "[PN] Part number: 1",
        ] {
            assert!(is_lspci(line), "{line}");
        }
        for line in ["Thanks,", "-- ", "So this is a well- known card", "localhost ~ # lspci -vvv", "Try pcie_aspm=off"]
        {
            assert!(!is_lspci(line), "{line}");
        }
    }

    #[test]
    fn is_a_line_wrapped_only_where_the_next_word_found_no_room() {
        let line = "00:07.2 PCI bridge: Intel Corporation Device 462f (rev 03) (prog-if 00";
        assert!(is_wrapped(line, "[Normal decode])"));
        assert!(!is_wrapped("00:1f.3 Audio device: Intel Corporation Foo", "Thanks"));
        assert!(!is_wrapped(&"x".repeat(90), "Thanks"));
    }
}
