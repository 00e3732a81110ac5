//! Checks that the types of fields cannot do: sizes without meaning, implausible times, fields that contradict each
//! other.

use crate::error::{Error, Problem};
use crate::field::{FieldType, instead, is_too_long};
use crate::figure::Origin;
use crate::kinds::PortParams;
use crate::kinds::kind::Kind;
pub(crate) use crate::kinds::kind::Wrong;
use crate::source::{Place, Text};
use crate::written::setting::Setting;
use pcie::credit::data_credits;
use pcie::tlp::HEADER_4DW_BYTES;
use pcie::{Bytes, Shape, Time};

/// Ranges of fields that count bytes or things: name, least, most.
const RANGES: [(&str, u64, u64); 29] = [
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
    ("latency_cycles", 0, 1_000_000),
    ("tx_latency_cycles", 0, 1_000_000),
    ("rx_latency_cycles", 0, 1_000_000),
    ("command_latency_cycles", 0, 1_000_000),
    ("target_read_latency_cycles", 0, 1_000_000),
    ("page_bytes", 64, 1 << 40),
    ("p2p_bytes", 64, 4096),
    ("iommu_page", 4096, 1 << 30),
    ("iotlb_entries", 1, 1 << 20),
    ("iotlb_ways", 1, 1 << 20),
    ("read_table", 1, 1 << 16),
    ("dram_channels", 1, 1024),
    ("walkers", 1, 1024),
    ("atc_entries", 1, 1 << 16),
    ("translation_requests", 1, 256),
    ("walk_cache", 1, 1 << 20),
    ("read_requests", 1, 1 << 20),
];

/// Refuses a value of one field that its type accepts.
pub(crate) fn single(name: &str, value: &Text) -> Result<(), Error> {
    let refuse = |help: String| {
        let problem = Problem::Value { field: format!("`{name}`"), value: value.text.clone() };
        Err(Error::new(&value.place, problem, help))
    };
    if is_too_long(&value.text) {
        return refuse(instead(Time::EXPECTS, &value.text));
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
        Some(n) if ["page_bytes", "p2p_bytes", "iommu_page"].contains(&name) && !n.is_power_of_two() => {
            refuse("write a power of two".into())
        }
        Some(n) if name.ends_with("completion_bytes") && n % 64 != 0 => refuse("write a multiple of 64".into()),
        _ => Ok(()),
    }
}

/// Refuses fields of the part `name`, written at `place`, that contradict each other; `own` are the settings that were
/// applied.
pub(crate) fn combined<'a>(
    (name, place): (&str, &Place),
    (kind, habits): (&Kind, &PortParams),
    own: impl Iterator<Item = &'a Setting>,
) -> Result<(), Error> {
    let Some(Wrong { field, value, help }) = wrong(kind, habits) else { return Ok(()) };
    let place = own.filter(|s| s.name.text == field).last().map_or(place, |s| &s.value.place);
    let problem = Problem::Value { field: format!("`{name}.{field}`"), value };
    Err(Error::new(place, problem, help))
}

/// Refuses a clock of the part `name`, written at `place`, that follows its link where nobody has stated the width of the
/// datapath: the default would decide the clock.
pub(crate) fn stated((name, place): (&str, &Place), kind: &Kind, origins: &[(&str, Origin)]) -> Result<(), Error> {
    let known = |field: &str| origins.iter().any(|(name, _)| *name == field);
    if kind.get("clock_follows_link").as_deref() != Some("yes") || known("core_width") {
        return Ok(());
    }
    let problem = Problem::Missing { what: format!("`{name}`, whose clock follows its link,"), key: "core_width" };
    let help = "the clock is the link's rate over the width of the datapath: write that, as in `core_width: 8 B`";
    Err(Error::new(place, problem, help))
}

/// The first of the fields that contradict each other.
pub(crate) fn wrong(kind: &Kind, habits: &PortParams) -> Option<Wrong> {
    kind.check().or_else(|| buffers(habits))
}

/// Credits and replay buffers must hold at least one TLP of the largest payload (Transaction Layer, Minimum Initial
/// Flow Control Advertisements).
fn buffers(habits: &PortParams) -> Option<Wrong> {
    let mps = habits.mps.bytes();
    let credits = data_credits(mps);
    for (field, pool) in [("posted_data", habits.posted_data), ("completion_data", habits.completion_data)] {
        if pool.0.is_some_and(|count| count.0 < credits) {
            let help = format!(
                "one TLP of {mps} bytes, the part's `mps`, takes {credits} data credits: write as many or more"
            );
            return Some(Wrong { field, value: pool.print(), help });
        }
    }
    let tlp = Shape::new(HEADER_4DW_BYTES, mps).replay_bytes();
    let small = habits.replay_buffer.0.is_some_and(|bytes| bytes.0 < tlp);
    small.then(|| Wrong {
        field: "replay_buffer",
        value: habits.replay_buffer.print(),
        help: format!("it holds a TLP of {tlp} bytes at least"),
    })
}
