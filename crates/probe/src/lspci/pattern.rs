//! Encodings in the wording of `lspci`.

/// Endpoint L0s Acceptable Latency and L0s Exit Latency.
pub const L0S_LATENCY: [&str; 8] = ["<64ns", "<128ns", "<256ns", "<512ns", "<1us", "<2us", "<4us", "unlimited"];
/// Endpoint L1 Acceptable Latency and L1 Exit Latency.
pub const L1_LATENCY: [&str; 8] = ["<1us", "<2us", "<4us", "<8us", "<16us", "<32us", "<64us", "unlimited"];
/// Completion Timeout Ranges Supported.
pub const TIMEOUT_RANGES: [&str; 16] = [
    "Not Supported",
    "Range A",
    "Range B",
    "Range AB",
    "",
    "",
    "Range BC",
    "Range ABC",
    "",
    "",
    "",
    "",
    "",
    "",
    "Range BCD",
    "Range ABCD",
];
/// Completion Timeout Value.
pub const TIMEOUTS: [&str; 15] = [
    "50us to 50ms",
    "50us to 100us",
    "1ms to 10ms",
    "",
    "",
    "16ms to 55ms",
    "65ms to 210ms",
    "",
    "",
    "260ms to 900ms",
    "1s to 3.5s",
    "",
    "",
    "4s to 13s",
    "17s to 64s",
];
/// OBFF Supported.
pub const OBFF_SUPPORTED: [&str; 4] = ["Not Supported", "Via message", "Via WAKE#", "Via message/WAKE#"];
/// OBFF Enable.
pub const OBFF_ENABLED: [&str; 4] = ["Disabled", "Via message A", "Via message B", "Via WAKE#"];
/// Emergency Power Reduction Supported.
pub const POWER_REDUCTION: [&str; 4] = ["Not Supported", "Dev Specific", "Form Factor Dev Specific", "Reserved"];
/// LN System CLS.
pub const LN_CLS: [&str; 4] = ["Not Supported", "64byte cachelines", "128byte cachelines", "Reserved"];
/// Attention and Power Indicator Control.
pub const INDICATOR: [&str; 4] = ["Unknown", "On", "Blink", "Off"];
/// Crosslink Resolution.
pub const CROSSLINK: [&str; 4] = ["unsupported", "Upstream Port", "Downstream Port", "incomplete"];
/// Downstream Component Presence.
pub const PRESENCE: [&str; 8] = [
    "Link Down - Not Determined",
    "Link Down - Not Present",
    "Link Down - Present",
    "",
    "Link Up - Present",
    "Link Up - Present and DRS Received",
    "",
    "",
];
/// Transmit Margin.
pub const MARGIN: [&str; 3] = [
    "Normal Operating Range",
    "800-1200mV(full-swing)/400-700mV(half-swing)",
    "200-400mV(full-swing)/100-200mV(half-swing)",
];
/// Compliance Preset/De-emphasis, by the transmitter presets P0 to P9.
pub const PRESET: [&str; 10] = [
    "-6dB de-emphasis, 0dB preshoot",
    "-3.5dB de-emphasis, 0dB preshoot",
    "-4.4dB de-emphasis, 0dB preshoot",
    "-2.5dB de-emphasis, 0dB preshoot",
    "0dB de-emphasis, 0dB preshoot",
    "0dB de-emphasis, 1.9dB preshoot",
    "0dB de-emphasis, 2.5dB preshoot",
    "-6.0dB de-emphasis, 3.5dB preshoot",
    "-3.5dB de-emphasis, 3.5dB preshoot",
    "0dB de-emphasis, 3.5dB preshoot",
];
