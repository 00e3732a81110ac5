//! Capabilities in JSON: all registers with all known fields.

use pcie::config::layout::View;
use pcie::config::rebar::ResizableBar;
use pcie::config::{Body, CapabilityId};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One capability.
#[derive(Debug, Serialize)]
pub struct Capability {
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<u16>,
    /// True where it is in the list of extended capabilities.
    pub extended: bool,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<&'static str>,
    /// Offset of its first byte.
    pub offset: u16,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u8>,
    /// Its registers by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub registers: BTreeMap<&'static str, Register>,
    /// Resizable BARs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resizable_bars: Vec<Resizable>,
    /// Header log of AER: four double words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub header_log: Vec<String>,
    /// Its bytes in hex, where they are not decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<String>,
    /// The text that a listing printed, where it is not decoded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// One register.
#[derive(Debug, Serialize)]
pub struct Register {
    /// The value of the known bits.
    pub value: String,
    /// The mask of the known bits.
    pub known: String,
    /// The known fields: flags as true or false, others as numbers.
    pub fields: BTreeMap<&'static str, Value>,
}

/// One resizable BAR.
#[derive(Debug, Serialize)]
pub struct Resizable {
    /// The number of the BAR.
    pub index: u8,
    /// Current size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Supported sizes.
    pub supported_bytes: Vec<u64>,
}

pub fn capability(capability: &pcie::config::Capability) -> Capability {
    let (id, extended) = match capability.id {
        Some(CapabilityId::Standard(id)) => (Some(u16::from(id)), false),
        Some(CapabilityId::Extended(id)) => (Some(id), true),
        None => (None, capability.version.is_some()),
    };
    let opaque = matches!(capability.body, Body::Opaque);
    Capability {
        id,
        extended,
        name: capability.id.and_then(CapabilityId::name),
        offset: capability.offset,
        version: capability.version,
        registers: registers(&capability.body.views()),
        resizable_bars: resizable(&capability.body),
        header_log: header_log(&capability.body),
        bytes: (opaque && !capability.bytes.is_empty()).then(|| hex(&capability.bytes)),
        text: (opaque && !capability.text.is_empty()).then(|| capability.text.clone()),
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

pub fn registers(views: &[View]) -> BTreeMap<&'static str, Register> {
    let known = views.iter().filter(|view| !view.register.is_unknown());
    known.map(|view| (view.name, register(view))).collect()
}

fn register(view: &View) -> Register {
    let digits = 2 + 2 * usize::from(view.size);
    let field = |field: &pcie::config::BitField| {
        let value = view.register.get(*field)?;
        let value = if field.is_flag() { Value::Bool(value == 1) } else { Value::from(value) };
        Some((field.label, value))
    };
    Register {
        value: format!("{:#0digits$x}", view.register.value()),
        known: format!("{:#0digits$x}", view.register.known()),
        fields: view.fields.iter().filter_map(field).collect(),
    }
}

fn resizable(body: &Body) -> Vec<Resizable> {
    let (Body::Rebar(rebar) | Body::VfRebar(rebar)) = body else { return Vec::new() };
    let one = |bar: &ResizableBar| Resizable {
        index: bar.index,
        size_bytes: bar.size.map(|size| size.0),
        supported_bytes: bar.supported.iter().map(|size| size.0).collect(),
    };
    rebar.bars.iter().map(one).collect()
}

fn header_log(body: &Body) -> Vec<String> {
    let Body::Aer(aer) = body else { return Vec::new() };
    aer.header_log.iter().map_while(|dw| dw.map(|dw| format!("{dw:#010x}"))).collect()
}
