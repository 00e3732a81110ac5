//! The registers of the PCI Express capability in the wording of `lspci`, without plain flags.

use crate::lspci::pattern;
use crate::lspci::tokens::Tokens;
use pcie::config::express::ExpFlags;
use pcie::config::layout::Slot;
use pcie::config::{NamedRegister, PortType, Register, Speed};

/// Reads the title, as in `Express (v2) Root Port (Slot+), MSI 00`; gives the words that were not understood.
pub fn title<'a>(flags: &mut ExpFlags, words: &[&'a str]) -> Vec<&'a str> {
    let mut tokens = Tokens::of(words.to_vec());
    if let Some(version) = tokens.number("Express (v{})") {
        flags.put("v", version);
    }
    tokens.take_word("Express");
    for (slot, value) in [("(Slot+)", 1), ("(Slot-)", 0)] {
        if tokens.take_word(slot) {
            flags.put("Slot", value);
        }
    }
    if let Some(number) = tokens.hex("MSI {}").or_else(|| tokens.number("IntMsgNum {}")) {
        flags.put("IntMsgNum", number);
    }
    // The longest name first: `Endpoint` is the end of other names.
    let mut types = PortType::ALL;
    types.sort_by_key(|entry| std::cmp::Reverse(entry.2.len()));
    let named = types.iter().find(|entry| tokens.take_word(entry.2)).map(|entry| entry.1);
    if let Some(code) = named.or_else(|| tokens.number("Unknown type {}")) {
        flags.put("type", code);
    }
    tokens.left()
}

/// Reads the fields of a register that are not flags.
pub fn register(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    match slot.name {
        "DevCap" => dev_cap(slot, tokens),
        "DevCtl" => dev_ctl(slot, tokens),
        "DevCap2" => dev_cap2(slot, tokens),
        "DevCtl2" => dev_ctl2(slot, tokens),
        "LnkCap" => lnk_cap(slot, tokens),
        "LnkCtl" => lnk_ctl(slot, tokens),
        "LnkSta" => lnk_sta(slot, tokens),
        "LnkCap2" => lnk_cap2(slot, tokens),
        "LnkCtl2" => lnk_ctl2(slot, tokens),
        "LnkSta2" => lnk_sta2(slot, tokens),
        "SltCap" => slt_cap(slot, tokens),
        "SltCtl" => slt_ctl(slot, tokens),
        "RootSta" => root_sta(slot, tokens),
        _ => {}
    }
}

/// Puts a code, if one was found.
pub fn put(slot: &mut Slot<'_>, label: &str, code: Option<u32>) {
    if let Some(code) = code {
        slot.put(label, code);
    }
}

/// Puts the code of a size in bytes.
fn put_payload(slot: &mut Slot<'_>, label: &str, bytes: Option<u32>) {
    let code = bytes.filter(|bytes| bytes.is_power_of_two() && *bytes >= 128).map(|bytes| bytes.trailing_zeros() - 7);
    put(slot, label, code);
}

/// Puts the code of a speed. `unknown` stands for reserved codes, which are not printed: nothing is put.
fn put_speed(slot: &mut Slot<'_>, label: &str, text: Option<&str>) {
    put(slot, label, text.and_then(Speed::parse).map(|speed| u32::from(speed.code())));
}

fn dev_cap(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    put_payload(slot, "MaxPayload", tokens.number("MaxPayload {} bytes"));
    // The text has the number of phantom functions; the field has the number of bits that number them.
    let phantoms = tokens.number("PhantFunc {}").map(|n| n.saturating_add(1)).filter(|n| n.is_power_of_two());
    put(slot, "PhantFunc", phantoms.map(u32::trailing_zeros));
    put(slot, "Latency L0s", tokens.phrase("Latency L0s", &pattern::L0S_LATENCY));
    put(slot, "Latency L1", tokens.phrase("L1", &pattern::L1_LATENCY));
    // The text has value times scale. Several pairs give the same product, so the fields are not known.
    tokens.take("SlotPowerLimit {}");
}

fn dev_ctl(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    tokens.take_word("Report errors:");
    put_payload(slot, "MaxPayload", tokens.number("MaxPayload {} bytes"));
    put_payload(slot, "MaxReadReq", tokens.number("MaxReadReq {} bytes"));
}

fn dev_cap2(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    let ranges = tokens.phrase("Completion Timeout:", &pattern::TIMEOUT_RANGES);
    if ranges.is_none() {
        tokens.take_word("Completion Timeout: Unknown");
    }
    put(slot, "Completion Timeout", ranges);
    put(slot, "OBFF", tokens.phrase("OBFF", &pattern::OBFF_SUPPORTED));
    // The field has two bits for 1 to 4, and 0 encodes 4. The text has the number.
    put(slot, "MaxEETLPPrefixes", tokens.number("MaxEETLPPrefixes {}").map(|prefixes| prefixes % 4));
    put(slot, "EmergencyPowerReduction", tokens.phrase("EmergencyPowerReduction", &pattern::POWER_REDUCTION));
    put(slot, "LN System CLS", tokens.phrase("LN System CLS", &pattern::LN_CLS));
    tokens.take_word("AtomicOpsCap:");
}

fn dev_ctl2(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    let timeout = tokens.phrase("Completion Timeout:", &pattern::TIMEOUTS);
    if timeout.is_none() {
        tokens.take_word("Completion Timeout: Unknown");
    }
    put(slot, "Completion Timeout", timeout);
    put(slot, "OBFF", tokens.phrase("OBFF", &pattern::OBFF_ENABLED));
    tokens.take_word("AtomicOpsCtl:");
}

fn lnk_cap(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    put(slot, "Port", tokens.number("Port #{}"));
    put_speed(slot, "Speed", tokens.take_one("Speed {}"));
    put(slot, "Width", tokens.number("Width x{}"));
    let aspm = tokens.phrase("ASPM", &["not supported", "L0s", "L1", "L0s L1"]);
    if aspm.is_none() {
        tokens.take_word("ASPM unknown");
    }
    put(slot, "ASPM", aspm);
    // Either latency may be missing. Older versions print `Latency L0` instead of `Exit Latency L0s`.
    tokens.take_word("Exit");
    let both =
        ["Latency L0s", "Latency L0", "L0s"].iter().find_map(|before| tokens.phrase(before, &pattern::L0S_LATENCY));
    put(slot, "Exit Latency L0s", both);
    let later = ["Latency L1", "L1"].iter().find_map(|before| tokens.phrase(before, &pattern::L1_LATENCY));
    put(slot, "Exit Latency L1", later);
}

fn lnk_ctl(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    let enabled = ["Disabled", "L0s Enabled", "L1 Enabled", "L0s L1 Enabled"];
    put(slot, "ASPM", tokens.phrase("ASPM", &enabled));
    put(
        slot,
        "RCB",
        tokens
            .number("RCB {} bytes")
            .and_then(|bytes| [64, 128].iter().position(|b| *b == bytes))
            .map(|bit| bit as u32),
    );
}

fn lnk_sta(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    put_speed(slot, "Speed", tokens.take_one("Speed {}"));
    put(slot, "Width", tokens.number("Width x{}"));
    // Verdicts of `lspci`, not fields.
    for verdict in ["(ok)", "(downgraded)", "(overdriven)", "(strange)"] {
        while tokens.take_word(verdict) {}
    }
}

fn lnk_cap2(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    let speeds = tokens.take_one("Supported Link Speeds: {}");
    put(slot, "Supported Link Speeds", speeds.and_then(speeds_vector));
}

/// The bits of Supported Link Speeds, from `2.5GT/s` or `2.5-16GT/s`: every speed from the first to the last.
fn speeds_vector(text: &str) -> Option<u32> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let first = Speed::parse(&format!("{}GT/s", first.trim_end_matches("GT/s")))?;
    let last = Speed::parse(last)?;
    let range = first.code()..=last.code();
    Some(
        Speed::ALL.iter().filter(|speed| range.contains(&speed.code())).fold(0, |v, speed| v | 1 << (speed.code() - 1)),
    )
}

fn lnk_ctl2(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    target_speed(slot, tokens.take_one("Target Link Speed: {}"));
    let selectable = tokens.phrase("Selectable De-emphasis:", &["-6dB", "-3.5dB"]);
    put(slot, "Selectable De-emphasis", selectable);
    let margin = tokens.phrase("Transmit Margin:", &pattern::MARGIN);
    if margin.is_none() {
        tokens.take_word("Transmit Margin: Unknown");
    }
    // The last wording is used for several codes, so the code is not known.
    put(slot, "Transmit Margin", margin.filter(|code| *code < 2));
    let preset = tokens.phrase("Compliance Preset/De-emphasis:", &pattern::PRESET);
    // At 5 GT/s the field has only two meanings.
    let preset = preset.or_else(|| tokens.phrase("Compliance De-emphasis:", &["-6dB", "-3.5dB"]));
    if preset.is_none() && !tokens.take_word("Compliance Preset/De-emphasis: Unknown") {
        tokens.take_word("Compliance De-emphasis: Unknown");
    }
    put(slot, "Compliance Preset/De-emphasis", preset);
}

fn lnk_sta2(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    let level = tokens.phrase("Current De-emphasis Level:", &["-6dB", "-3.5dB"]);
    put(slot, "Current De-emphasis Level", level);
    put(slot, "CrosslinkRes", tokens.phrase("CrosslinkRes:", &pattern::CROSSLINK));
    let presence = tokens.phrase("DownstreamComp:", &pattern::PRESENCE);
    if presence.is_none() {
        tokens.take_word("DownstreamComp: Reserved");
    }
    put(slot, "DownstreamComp", presence);
}

/// Puts Target Link Speed. 2.5 GT/s is printed for code 1 and for code 0, to which components with a single speed may
/// hardwire the field: the lowest bit is then not known.
fn target_speed(slot: &mut Slot<'_>, text: Option<&str>) {
    if text.and_then(Speed::parse) == Some(Speed::GT2_5) {
        *slot.register = slot.register.or(Register::new(0, 0b1110));
    } else {
        put_speed(slot, "Target Link Speed", text);
    }
}

fn slt_cap(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    put(slot, "Slot", tokens.number("Slot #{}"));
    tokens.take("PowerLimit {}");
}

fn slt_ctl(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    tokens.take_word("Enable:");
    tokens.take_word("Control:");
    put(slot, "AttnInd", tokens.phrase("AttnInd", &pattern::INDICATOR));
    put(slot, "PwrInd", tokens.phrase("PwrInd", &pattern::INDICATOR));
}

fn root_sta(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    put(slot, "PME ReqID", tokens.hex("PME ReqID {}"));
}
