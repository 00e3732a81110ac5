//! The machine of a calibration: a host, a known card, one link, and an experiment for each measurement.

use crate::calibrate::figure::{FIGURES, SearchRange};

/// What a calibration is made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bench {
    /// The catalogue entry that the host begins with, for the figures that are not found.
    pub host: String,
    /// The catalogue entry of the card.
    pub card: String,
    /// The slot, as in `gen3 x8`.
    pub slot: String,
}

/// The name of the calibrated part.
pub const HOST: &str = "host";

/// The description, with more lines in the body of the host (each with its indentation).
pub fn text(bench: &Bench, title: &str, lines: &str) -> String {
    let Bench { host, card, slot } = bench;
    format!(
        "title: {title}

parts:
  {HOST}:
    part: {host}
    slots: {{ pcie: {slot} }}
{lines}  card: {{ part: {card} }}

links: [{HOST}.pcie - card.pcie]

settings: {{ mrrs: 4096 }}

experiments:
  read:
    about: The card reads host memory, with some requests of some size in flight.
    operation: dma-read
    command: 64 KiB
    volume: 512 KiB
    flows: [\"{HOST} -> card\"]
    axes:
      requests: {{ set: [card.read_requests], values: [1, 8, 32] }}
      request: {{ set: [card.read_request], values: [128 B, 512 B] }}
    measures: [throughput]
  write:
    about: The card writes host memory, in TLPs of some payload.
    operation: dma-write
    command: 64 KiB
    volume: 512 KiB
    flows: [\"card -> {HOST}\"]
    axes:
      payload: [32, 64, 128, 256]
    measures: [throughput]
"
    )
}

/// The lines of `fields`, for the body of the host.
pub fn lines<'a>(fields: impl IntoIterator<Item = (&'a str, String)>) -> String {
    fields.into_iter().map(|(field, value)| format!("    {field}: {value}\n")).collect()
}

/// The listed values of a figure's search.
pub(crate) fn choices(field: &str) -> Option<Vec<String>> {
    FIGURES.iter().find(|figure| figure.field == field).and_then(|figure| match figure.search {
        SearchRange::Any => None,
        SearchRange::Among(values) => Some(values.iter().map(|value| (*value).to_string()).collect()),
    })
}
