//! Who answers read requests: how soon, and in which completions.

use crate::inside;
use crate::tlps::Piece;
use pcie::Time;
use system::graph::PartId;
use system::kinds::HostParams;
use system::kinds::host::ServeReads;
use system::{Flow, System};

fn fs(time: Time) -> f64 {
    time.as_fs() as f64
}

/// The completer of read requests.
#[derive(Clone, Debug)]
pub struct Completer {
    /// From a request's last symbol to the time at which its data is ready, and its credits are freed.
    pub latency_fs: f64,
    /// The same of the median request: with lines that are in the cache or are not.
    pub median_fs: f64,
    /// The mean latency without page walks: how long a line is read.
    pub at_memory_fs: f64,
    /// From data that is ready to its first symbol on the link, without the core.
    pub out_fs: f64,
    /// Minimum time between the data of two requests.
    pub gap_fs: f64,
    /// Largest completion.
    pub most: u64,
    /// Largest completion of a long request; `None` where it is that of all.
    pub combined: Option<u64>,
    /// Read Completion Boundary.
    pub rcb: u64,
    /// True where requests are completed in the order of their arrival, one whole request after another.
    pub in_order: bool,
}

impl Completer {
    /// The completer of `flow`, whose commands are divided into `pieces`. Completions are no longer than its
    /// Max_Payload_Size `mps`; those of a host no longer than the requester's.
    pub fn of(system: &System, flow: &Flow, mps: u64, host: &HostParams, pieces: &[(Piece, f64)]) -> Completer {
        let (initiator, target) = (flow.initiator, flow.target);
        let kind = &system.part(target).kind;
        if kind.is_root() {
            let port = inside::towards(system, target, initiator).unwrap_or_else(|| host.clone());
            let (looked_up, median) = looked_up_fs(flow, &port, pieces);
            let at_memory_fs = fs(host.read_latency) + looked_up;
            // One request of each walk waits for it.
            let requests: f64 = pieces.iter().map(|(_, weight)| weight).sum();
            let commands = pieces.iter().map(|(piece, weight)| weight * piece.bytes as f64).sum::<f64>()
                / flow.command.0.max(1) as f64;
            let walks = if flow.is_translated(system) { 0.0 } else { flow.walks(host) };
            let share = (walks * commands / requests.max(1e-12)).min(1.0);
            let (looked_up, median) = (
                looked_up + share * fs(flow.walk_time(host)),
                median + if share > 0.5 { fs(flow.walk_time(host)) } else { 0.0 },
            );
            return Completer {
                latency_fs: fs(host.read_latency) + looked_up,
                median_fs: fs(host.read_latency) + median,
                at_memory_fs,
                out_fs: 0.0,
                gap_fs: fs(host.read_gap),
                most: completion_bytes(system, target, initiator, host)
                    .min(mps)
                    .min(system.part(initiator).mps.bytes()),
                combined: Some(mps.min(system.part(initiator).mps.bytes())),
                rcb: host.rcb.0,
                in_order: kind.host().is_some_and(|host| host.serve_reads != ServeReads::InTurn),
            };
        }
        let card = system.engine(target);
        let latency_fs = card.as_ref().map_or(0.0, |card| fs(card.rx_latency) + fs(card.target_read_latency));
        Completer {
            latency_fs,
            median_fs: latency_fs,
            at_memory_fs: latency_fs,
            out_fs: card.as_ref().map_or(0.0, |card| fs(card.tx_latency)),
            gap_fs: 0.0,
            most: card.map_or(mps, |card| card.target_completion_bytes.0.min(mps)),
            combined: None,
            rcb: pcie::tlp::RCB_ENDPOINT_BYTES,
            in_order: true,
        }
    }
}

/// What requests wait beside `read_latency`, on average and in the median: for hub and sockets, for lines that are not
/// in the cache, and where they are split. `host` has the settings at the requester's port.
fn looked_up_fs(flow: &Flow, host: &HostParams, pieces: &[(Piece, f64)]) -> (f64, f64) {
    let (writes, far) = (flow.timed.writes_first(), host.is_far());
    let (near_fs, way_fs) = (2.0 * fs(host.hub_way()), 2.0 * fs(host.memory_way()));
    if !host.varies() && host.direct_io.0.is_none() && (host.far_cache || !far) {
        return (way_fs, way_fs);
    }
    // Of lines in random order, more may be found than on average: at most three standard deviations.
    let mean = if writes { flow.written_share(host) } else { flow.hit_share(host) };
    let hit = (mean + 3.0 * (mean * (1.0 - mean) / flow.commands() as f64).sqrt()).min(1.0);
    let of = |piece: &Piece, hit: f64, share: fn(f64) -> f64| {
        let lines = match writes && !far {
            true => HostParams::partly_filled(piece.offset, piece.bytes).count(),
            false => HostParams::lines_of(piece.offset, piece.bytes).count(),
        };
        let found = if far && !writes && !host.far_cache { 0.0 } else { hit.powi(lines as i32) };
        let missed = share(1.0 - found);
        let split = if HostParams::is_split(piece.offset, piece.bytes) { fs(host.split_latency) } else { 0.0 };
        // What is found at the port's socket does not come from the other one.
        let way = if far && writes { near_fs + missed * (way_fs - near_fs) } else { way_fs };
        way + missed * fs(host.miss_latency) + split
    };
    let count: f64 = pieces.iter().map(|(_, weight)| weight).sum();
    let all = |hit: f64, share: fn(f64) -> f64| {
        pieces.iter().map(|(piece, weight)| weight * of(piece, hit, share)).sum::<f64>() / count.max(1e-12)
    };
    (all(hit, |missed| missed), all(mean, |missed| if missed > 0.5 { 1.0 } else { 0.0 }))
}

/// The largest completion of the root port above the requester.
fn completion_bytes(system: &System, root: PartId, asks: PartId, host: &HostParams) -> u64 {
    let port = system.port_towards(root, asks).map(|port| system.kind_at(port));
    port.and_then(|kind| Some(kind.host()?.completion_bytes.0)).unwrap_or(host.completion_bytes.0)
}
