//! What a field's type cannot refuse: sizes that mean nothing, times beyond belief, fields that do not go
//! together.

use crate::description::instance::Instance;
use crate::error::{Error, Problem};
use crate::field::FieldType;
use crate::kinds::Kind;
use crate::source::Text;
use pcie::{Bytes, Time};

/// No latency of a part is longer.
const MOST_TIME: Time = Time::from_us(10_000_000);

/// Fields that count bytes or things, with the least and the most that make sense.
const RANGES: [(&str, u64, u64); 14] = [
    ("completion_bytes", 64, 4096),
    ("target_completion_bytes", 64, 4096),
    ("doorbell_bytes", 1, 128),
    ("status_bytes", 1, 128),
    ("pio_read_bytes", 1, 64),
    ("pio_buffers", 1, 1024),
    ("payload", 4, 4096),
    ("descriptor_bytes", 1, 256),
    ("ring_batch", 1, 256),
    ("ring_ahead", 1, 65536),
    ("core_width", 1, 4096),
    ("idle_cycles", 0, 1_000_000),
    ("page_bytes", 64, 1 << 40),
    ("read_requests", 1, 1 << 20),
];

/// Refuses a value of one field that its type lets pass.
pub(crate) fn single(name: &str, value: &Text) -> Result<(), Error> {
    let refuse = |help: String| {
        let problem = Problem::Value { field: format!("`{name}`"), value: value.text.clone() };
        Err(Error::new(&value.place, problem, help))
    };
    if Time::parse(&value.text).is_some_and(|time| time > MOST_TIME) {
        return refuse("write a time of at most 10 s".into());
    }
    let number = u64::parse(&value.text).or_else(|| Bytes::parse(&value.text).map(|b| b.0));
    let Some(&(_, least, most)) = RANGES.iter().find(|(field, ..)| *field == name) else {
        return match number {
            Some(n) if n > 1 << 40 => refuse("write something below 2^40".into()),
            _ => Ok(()),
        };
    };
    match number {
        Some(n) if !(least..=most).contains(&n) => refuse(format!("write {least} to {most}")),
        Some(n) if name == "page_bytes" && !n.is_power_of_two() => refuse("write a power of two".into()),
        Some(n) if name.ends_with("completion_bytes") && n % 64 != 0 => refuse("write a multiple of 64".into()),
        _ => Ok(()),
    }
}

/// Refuses fields that do not go together.
pub(crate) fn combined(instance: &Instance, name: &Text) -> Result<(), Error> {
    let refuse = |field: &str, value: String, help: &str| {
        let problem = Problem::Value { field: format!("`{}.{field}`", instance.name), value };
        Err(Error::new(&name.place, problem, help))
    };
    match &instance.kind {
        Kind::Host(host) if ![64, 128].contains(&host.rcb.0) => {
            refuse("rcb", host.rcb.print(), "the Read Completion Boundary is 64 or 128")
        }
        Kind::Host(host) if host.completion_bytes.0 % host.rcb.0 != 0 => {
            refuse("completion_bytes", host.completion_bytes.print(), "completions are cut at multiples of `rcb`")
        }
        Kind::Card(card) if card.payload.0.is_some_and(|p| p.0 % 4 != 0) => {
            refuse("payload", card.payload.print(), "payloads are whole double words: a multiple of 4")
        }
        _ => Ok(()),
    }
}
