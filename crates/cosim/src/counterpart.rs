//! The same scenario with behavioural cards in place of cards with gateware. They have the gateware's own parameters,
//! to show that both agree.
//!
//! The parameters come from the engine's tables and pages, which come from runs of the engine alone. No parameter comes
//! from a run of a system.

use crate::builds::Build;
use pcie::{Bytes, Time};
use storage::DISK_READ;
use storage::nvme_host::{HostGateware, NvmeHostParams};
use system::clock::clock_of;
use system::field::{Cap, Count};
use system::kinds::card::{Descriptors, Gateware};
use system::{Drive, Graph, Operation, PartId, Scenario};

/// The tables that `make bench-gateware` writes.
const TABLES: &str = include_str!("../../../gateware/docs/performance.md");
/// Cycles from the last beat of a completion to its data on the stream and its tag free: three and three
/// (gateware/docs/ls_read_engine.md, Latency); from the last beat of a write to the window to its first bytes on the stream:
/// six (gateware/docs/ls_p2p_window.md, Latency).
const ARRIVAL_CYCLES: u64 = 6;
/// Cycles of the shim in transmit direction: one register (gateware/docs/ls_shim_7s.md, Latency).
const SHIM_CYCLES: u64 = 1;
/// The payload for which the shim's table is valid.
const SHIM_PAYLOAD: f64 = 256.0;

/// The table values for one width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycles {
    /// Cycles from a command to the first TLP.
    pub reading: u64,
    /// See [`Cycles::reading`].
    pub writing: u64,
    /// Beats of the headers, in addition to the payload of a TLP.
    pub headers: u64,
}

impl Cycles {
    /// The values from the tables; `None` for a width without values.
    pub fn of_width(width: u64) -> Option<Cycles> {
        let column = [64, 128, 256, 512].iter().position(|w| *w == width)?;
        let reading = cell("| reading |", column)?.parse().ok()?;
        let writing = cell("| writing,", column)?.parse().ok()?;
        let reached: f64 = cell(&format!("| {width} bit |"), 1)?.trim_end_matches(" %").parse().ok()?;
        let beats = SHIM_PAYLOAD / (width as f64 / 8.0);
        Some(Cycles { reading, writing, headers: (beats * 100.0 / reached - beats).round() as u64 })
    }
}

/// The cell at `column` after the first of the row that starts with `row`.
fn cell(row: &str, column: usize) -> Option<&'static str> {
    let line = TABLES.lines().find(|line| line.starts_with(row))?;
    line.split('|').nth(column + 2).map(str::trim)
}

/// The counterpart of a scenario. One without gateware is returned unchanged.
pub fn counterpart(scenario: &Scenario) -> Scenario {
    let mut counterpart = scenario.clone();
    let engines: Vec<_> = (0..scenario.system.parts.len()).map(|part| scenario.system.engine(PartId(part))).collect();
    counterpart.system.remake(|graph| {
        for (index, part) in graph.parts.iter_mut().enumerate() {
            let mps = part.mps.bytes();
            let Some(card) = part.kind.card_mut() else { continue };
            if let Some(engine) = &engines[index] {
                card.clone_from(engine);
            }
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

/// The counterpart of a scenario with compiled NVMe hosts: the behavioural host, which gives drives the commands that the
/// gateware makes of a flow, answers what they read in completions of MPS and from buffers that need no port of the memory, and
/// loses no cycle of its datapath with a TLP.
///
/// The gateware gives a command that writes when its data is in the buffer, and its buffer is free when the data of a command that
/// reads has left it, a beat a clock: the logic of the counterpart spends these cycles before or after a command.
pub fn host(scenario: &Scenario) -> Scenario {
    let mut host = scenario.given().into_owned();
    let passed: Vec<[Time; 2]> = (0..host.system.parts.len()).map(|part| buffered(&host, PartId(part))).collect();
    host.system.remake(|graph| {
        for (part, [filled, drained]) in graph.parts.iter_mut().zip(passed) {
            let completion_bytes = Count(part.mps.bytes());
            let compiled = |params: &&mut NvmeHostParams| params.is_compiled();
            let Some(params) = part.kind.of_mut::<NvmeHostParams>().filter(compiled) else { continue };
            (params.gateware, params.completion_bytes, params.idle_cycles) = (HostGateware::None, completion_bytes, 0);
            params.reads_at_once = Cap::NONE;
            let cycles = |time: Time| (time.as_secs() * params.clock.0 as f64).round() as u64;
            let (filled, drained) = (cycles(filled), cycles(drained));
            params.command_cycles += filled;
            params.completion_cycles += drained;
        }
    });
    host
}

/// How long the data of a command passes the buffers of a compiled NVMe host: into that of what is written, and out of that of
/// what is read, of the slowest port with such a flow.
fn buffered(scenario: &Scenario, id: PartId) -> [Time; 2] {
    let system = &scenario.system;
    let mut passed = [Time::ZERO; 2];
    let Some(params) = system.part(id).kind.of::<NvmeHostParams>() else { return passed };
    for flow in scenario.flows.iter().filter(|flow| flow.target == id) {
        let Some(&up) = system.path(flow.initiator, id).last() else { continue };
        let clock = clock_of(system.link(up.link).speed, params.core_width);
        let beats = flow.command.0.div_ceil(params.core_width.0.max(1));
        let time = Time::from_fs((u128::from(beats) * 1_000_000_000_000_000 / u128::from(clock.0.max(1))) as u64);
        let passes = &mut passed[usize::from(flow.operation == DISK_READ)];
        *passes = time.max(*passes);
    }
    passed
}

/// The same with behavioural cards that consist of the vendor's block and an engine that needs no time. What remains is
/// the time of block, links and switches.
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
