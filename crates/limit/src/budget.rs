//! The loss budget of a link direction in the steady state: the share of each class of traffic, and what the idle time
//! waits for.

use crate::load::Load;
use crate::solve::Solved;
use crate::table::Row;
use crate::tlps::Tlp;
use system::{Budget, Share, Wait};

/// The other traffic on the direction, as shares of its time after encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Others {
    /// TLPs with payload of other flows.
    pub flows: f64,
    /// Requests, doorbells and status writes of other flows.
    pub requests: f64,
    /// DLLPs for what other flows send the other way.
    pub dllps: f64,
    /// True where contention holds the flow below the rate that it has alone.
    pub contended: bool,
}

/// The load of the direction nearest to full, among those that carry the flow's payload.
pub fn fullest(loads: &[Load]) -> Option<usize> {
    let full = |&i: &usize| loads[i].full_fs(0.0);
    (0..loads.len()).filter(|&i| !loads[i].data.is_empty()).max_by(|a, b| full(a).total_cmp(&full(b)))
}

/// The loss budget of the direction of load `at` while the flow takes `fs_per_byte` for each byte.
pub fn budget(solved: &Solved<'_>, at: Option<usize>, fs_per_byte: f64, others: Others) -> Budget {
    let all = &solved.loads;
    let mut budget = Budget::default();
    let Some(load) = at.and_then(|at| all.get(at)) else {
        budget.0[Share::Encoding.index()] = 1.0;
        return budget;
    };
    let dllps = crate::load::dllps_after(load, all, fs_per_byte);
    let encoded = load.wire.encoded_share();
    let mut left = encoded;
    let mut put = |share: Share, part: f64| {
        let part = (part * encoded).clamp(0.0, left.max(0.0));
        budget.0[share.index()] += part;
        left -= part;
    };
    let of_time = |bytes: f64| load.wire.time(bytes) / fs_per_byte;
    let sum =
        |f: &dyn Fn(&crate::load::Group) -> u64| -> f64 { load.data.iter().map(|g| g.per_byte * f(g) as f64).sum() };
    put(Share::Payload, of_time(1.0));
    put(Share::OtherFlows, others.flows);
    put(Share::Headers, of_time(sum(&|g| g.shape.header_bytes())));
    put(Share::Framing, of_time(sum(&|g| g.framing_bytes())));
    put(Share::Requests, others.requests + of_time(own_requests(solved, load)));
    let dllp_bytes = dllps * load.tlps() * load.wire.dllp_bytes as f64;
    put(Share::Dllps, others.dllps + of_time(dllp_bytes));
    let (tlps, empty) = (load.tlps().max(1e-12), (load.slots(dllps) - load.packets(dllps)).max(0.0));
    put(Share::Skp, load.wire.skp_share(load.slots(dllps) / tlps, empty / tlps));
    put(Share::Alignment, of_time(empty));
    budget.0[Share::Encoding.index()] = 1.0 - encoded;
    spread_idle(solved, &mut budget, left, fs_per_byte, others.contended);
    budget
}

/// Bytes of the flow's own requests, status writes and doorbells on the direction of `load`, for each byte of payload.
fn own_requests(solved: &Solved<'_>, load: &Load) -> f64 {
    let plan = &solved.plan;
    let reads: f64 = load.requests.iter().map(|g| g.per_byte * g.wire as f64).sum();
    if !plan.by_software() {
        return reads;
    }
    let ways = [&plan.status, &plan.doorbell];
    let over = ways.iter().filter(|(hops, _)| hops.iter().any(|h| h.wire.direction == load.wire.direction));
    let bytes = |tlp: &Tlp| load.wire.framing.tlp_bytes(tlp.shape) as f64;
    reads + over.map(|(_, tlp)| bytes(tlp)).sum::<f64>() / plan.cut.bytes as f64
}

/// Divides the idle time among the waits: arbitration where flows contend, the wait of the slowest row that is not the
/// wire, and for the time beyond that row the wait between commands.
fn spread_idle(solved: &Solved<'_>, budget: &mut Budget, idle: f64, fs_per_byte: f64, contended: bool) {
    let alone = solved.fs_per_byte.min(fs_per_byte);
    let between = solved.between_commands().cause.wait();
    // The loop of commands may be named after what limits inside a command. Only its end is a wait for the next one.
    let whole = |row: &&Row| row.wait == Some(between) && row.by.cause.wait() != between;
    let slowest = solved.table.rows.iter().find(|row| !whole(row));
    let streaming = slowest.map_or(0.0, |b| b.fs_per_byte()).min(alone);
    let waits = solved.table.rows.iter().find_map(|b| b.wait);
    let beyond = if solved.plan.commands > 1 { between } else { waits.unwrap_or(between) };
    let first = slowest.and_then(|b| b.wait).unwrap_or(beyond);
    let arbitration = if contended { 1.0 - alone / fs_per_byte } else { 0.0 };
    let outside = 1.0 - streaming / fs_per_byte - arbitration;
    let mut rest = idle;
    for (wait, part) in [(Wait::Arbitration, arbitration), (beyond, outside)] {
        let part = part.clamp(0.0, rest.max(0.0));
        budget.0[Share::Idle(wait).index()] += part;
        rest -= part;
    }
    budget.0[Share::Idle(if contended { Wait::Arbitration } else { first }).index()] += rest.max(0.0);
}
