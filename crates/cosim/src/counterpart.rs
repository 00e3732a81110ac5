//! The same scenario with behavioural cards in place of those with gateware, which carry the gateware's own parameters:
//! for seeing that the two agree.
//!
//! The parameters are those of the engine's own tables and pages, which come from runs of the engine alone: nothing is
//! taken from a run of a system.

use crate::builds::Build;
use pcie::{Bytes, Time};
use system::field::Cap;
use system::kinds::card::{Descriptors, Gateware};
use system::{Drive, Graph, Operation, Scenario};

/// The tables that `make bench-gateware` writes.
const TABLES: &str = include_str!("../../../gateware/docs/performance.md");
/// Cycles from the last beat of a completion to its data on the stream and its tag free: three and three
/// (gateware/docs/ls_read_engine.md, Latency); from the last beat of a write to the window to its first bytes on the stream:
/// six (gateware/docs/ls_p2p_window.md, Latency).
const ARRIVAL_CYCLES: u64 = 6;
/// Cycles of the shim on the way out: one register (gateware/docs/shims.md, Latency).
const SHIM_CYCLES: u64 = 1;
/// The payload that the table of the shim is for.
const SHIM_PAYLOAD: f64 = 256.0;

/// What the tables say of one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycles {
    /// From a command to the first TLP.
    pub reading: u64,
    /// See [`Cycles::reading`].
    pub writing: u64,
    /// Beats that headers take beside the payload of a TLP.
    pub headers: u64,
}

impl Cycles {
    /// Of the tables; `None` where they do not have that width.
    pub fn of_width(width: u64) -> Option<Cycles> {
        let column = [64, 128, 256, 512].iter().position(|w| *w == width)?;
        let reading = cell("| reading |", column)?.parse().ok()?;
        let writing = cell("| writing,", column)?.parse().ok()?;
        let reached: f64 = cell(&format!("| {width} bit |"), 1)?.trim_end_matches(" %").parse().ok()?;
        let beats = SHIM_PAYLOAD / (width as f64 / 8.0);
        Some(Cycles { reading, writing, headers: (beats * 100.0 / reached - beats).round() as u64 })
    }
}

/// The cell behind the first of the row that begins so.
fn cell(row: &str, column: usize) -> Option<&'static str> {
    let line = TABLES.lines().find(|line| line.starts_with(row))?;
    line.split('|').nth(column + 2).map(str::trim)
}

/// See the module. A scenario without gateware is given back as it is.
pub fn counterpart(scenario: &Scenario) -> Scenario {
    let mut counterpart = scenario.clone();
    counterpart.system.remake(|graph| {
        for (index, part) in graph.parts.iter_mut().enumerate() {
            let mps = part.mps.bytes();
            let Some(card) = part.kind.card_mut() else { continue };
            let build = Build {
                width: card.core_width.0 * 8,
                tags: card.read_requests.0,
                completion_buffer: card.completion_buffer.0.map_or(16384, |bytes| bytes.0),
            };
            let (Gateware::PcieDma, Some(cycles), Cap(Some(clock))) =
                (card.gateware, Cycles::of_width(build.width), card.core_clock)
            else {
                continue;
            };
            let mine = || scenario.flows.iter().filter(|flow| flow.initiator.0 == index);
            let reads = mine().any(|flow| matches!(flow.operation, Operation::DmaRead | Operation::Loopback));
            let here = scenario.flows.iter().filter(|flow| flow.initiator.0 == index || flow.target.0 == index);
            let payload = here.map(|flow| flow.command.0.min(mps)).max().unwrap_or(mps);
            let rows = payload.div_ceil(build.width / 8);
            let period = Time::from_fs(1_000_000_000_000_000 / clock.0.max(1));
            // The block takes a TLP and shows it whole, from its first beat to its last: a request is two beats, a write all
            // of its own.
            let beats = rows + cycles.headers;
            let out = if reads { cycles.reading + 128 / build.width } else { cycles.writing + beats };
            // What came into the window is known when its last row is on the stream.
            let streamed = if reads { 0 } else { rows - 1 };
            card.tx_latency += period * (out - 1 + SHIM_CYCLES);
            card.rx_latency += period * (beats - 1 + ARRIVAL_CYCLES + streamed);
            card.idle_cycles = cycles.headers;
            card.completion_buffer = Cap(Some(Bytes(build.completion_buffer)));
            card.gateware = Gateware::None;
            if mine().all(|flow| flow.drive == Drive::Card) {
                // The design's commands come without descriptors.
                card.descriptors = Descriptors::Pushed;
            }
        }
    });
    counterpart
}

/// The same with behavioural cards that are the vendor's block alone, and an engine that takes no time: what is left is
/// what block, links and switches take.
pub fn bare(scenario: &Scenario) -> Scenario {
    let mut bare = scenario.clone();
    let cards = |graph: &mut Graph| {
        for card in graph.parts.iter_mut().filter_map(|part| part.kind.card_mut()) {
            card.gateware = Gateware::None;
        }
    };
    bare.system.remake(cards);
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn are_the_cycles_read_off_the_engines_own_tables() {
        let (narrow, wide) = (Cycles::of_width(64).unwrap(), Cycles::of_width(128).unwrap());
        assert!((1..=3).contains(&narrow.reading) && (1..=7).contains(&narrow.writing), "{narrow:?}");
        assert_eq!((narrow.headers, wide.headers), (2, 1), "3 header double words before 64 of payload");
        assert_eq!(Cycles::of_width(32), None);
    }
}
