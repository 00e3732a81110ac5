//! Every capability with all its registers.

use pcie::config::latency::L1Substates;
use pcie::config::layout::View;
use pcie::config::rebar::Rebar;
use pcie::config::{Body, Capability};
use std::fmt::Write;

/// A capability as lines: its name, then its registers, or its bytes where they are not decoded.
pub fn capability(capability: &Capability) -> Vec<String> {
    let name = match (capability.id, capability.text.is_empty()) {
        (Some(id), _) => id.to_string(),
        (None, false) => first_words(&capability.text),
        (None, true) => "?".to_string(),
    };
    let version = capability.version.map_or(String::new(), |version| format!(" v{version}"));
    let mut lines = vec![format!("[{:02x}{version}] {name}{}", capability.offset, identity(&capability.body))];
    lines.extend(registers(&capability.body.views()).into_iter().map(|line| format!("  {line}")));
    lines.extend(rest(capability).into_iter().map(|line| format!("  {line}")));
    lines
}

fn first_words(text: &str) -> String {
    text.split(':').next().unwrap_or(text).chars().take(60).collect()
}

fn identity(body: &Body) -> String {
    let Body::Dvsec(dvsec) = body else { return String::new() };
    let ids = dvsec.identity().map_or(String::new(), |(vendor, id)| format!(" {vendor:04x} id {id:04x}"));
    ids + &dvsec.cxl_name().map_or(String::new(), |name| format!(": {name}"))
}

/// Registers as lines such as `LnkSta  Speed 3 Width 8 TrErr- ...`, with the known fields of each.
pub fn registers(views: &[View]) -> Vec<String> {
    let known = views.iter().filter(|view| !view.register.is_unknown());
    known.map(|view| format!("{:<11} {}", view.name, fields(view))).collect()
}

fn fields(view: &View) -> String {
    let mut text = String::new();
    let mut ordered = view.fields.to_vec();
    ordered.sort_by_key(|field| field.low);
    for field in ordered {
        let Some(value) = view.register.get(field) else { continue };
        let label = field.label.replace(' ', "-");
        // Writing to a string cannot fail.
        let _ = match (field.is_flag(), value) {
            (true, 0) => write!(text, "{label}- "),
            (true, _) => write!(text, "{label}+ "),
            (false, value) => write!(text, "{label} {value:#x} "),
        };
    }
    text.trim_end().to_string()
}

/// The parts of a capability that are not registers: lists, and bytes that are not decoded.
fn rest(capability: &Capability) -> Vec<String> {
    match &capability.body {
        Body::Rebar(rebar) | Body::VfRebar(rebar) => resizable(rebar),
        Body::Aer(aer) => match aer.header_log {
            [Some(a), Some(b), Some(c), Some(d)] => vec![format!("HeaderLog   {a:08x} {b:08x} {c:08x} {d:08x}")],
            _ => Vec::new(),
        },
        Body::Ltr(ltr) => {
            let ns = |ns: Option<u64>| ns.map_or("?".to_string(), |ns| format!("{ns} ns"));
            vec![format!("latency     snoop {} no-snoop {}", ns(ltr.snoop_ns), ns(ltr.no_snoop_ns))]
        }
        Body::L1Substates(substates) => latencies(substates),
        Body::Dpa(dpa) => (0..dpa.allocations.len())
            .filter_map(|n| Some(format!("substate {n}  {} mW", dpa.milliwatts(n)?)))
            .collect(),
        Body::Opaque if !capability.bytes.is_empty() => vec![hex(&capability.bytes)],
        Body::Opaque if !capability.text.is_empty() => vec![capability.text.clone()],
        _ => Vec::new(),
    }
}

fn latencies(substates: &L1Substates) -> Vec<String> {
    let threshold = substates.threshold_ns.map(|ns| format!("LTR1.2_Threshold {ns} ns"));
    let power_on = substates.power_on_us.map(|us| format!("T_PwrOn {us} us"));
    let known: Vec<String> = threshold.into_iter().chain(power_on).collect();
    if known.is_empty() { known } else { vec![format!("latency     {}", known.join(" "))] }
}

fn resizable(rebar: &Rebar) -> Vec<String> {
    let size = |bar: &pcie::config::rebar::ResizableBar| bar.size.map_or("?".to_string(), |size| size.to_string());
    let sizes = |bar: &pcie::config::rebar::ResizableBar| {
        bar.supported.iter().map(|size| size.to_string()).collect::<Vec<_>>().join(", ")
    };
    rebar.bars.iter().map(|bar| format!("BAR {}  {} of {}", bar.index, size(bar), sizes(bar))).collect()
}

/// The first bytes in hex. A vendor-specific structure may extend to the end of configuration space.
fn hex(bytes: &[u8]) -> String {
    const SHOWN: usize = 32;
    let shown: Vec<String> = bytes.iter().take(SHOWN).map(|byte| format!("{byte:02x}")).collect();
    let more = if bytes.len() > SHOWN { format!(" ... {} bytes", bytes.len()) } else { String::new() };
    shown.join(" ") + &more
}
