//! The load of a flow on each link direction that it uses, for each byte of its payload in the steady state: TLPs with
//! and without payload, and the DLLPs that TLPs of the other direction cause.

use crate::beside;
use crate::path::Hop;
use crate::plan::Plan;
use crate::resource::Via;
use crate::tlps::{Tlp, divided, tally};
use crate::wire::Wire;
use pcie::{Class, Shape};
use system::graph::Direction;

/// TLPs of one size on a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Header and data bytes, which give the size on a link.
    pub shape: Shape,
    /// Bytes of each TLP on this direction.
    pub wire: u64,
    /// Payload bytes of each TLP.
    pub payload: u64,
    /// TLPs for each byte of the flow's payload.
    pub per_byte: f64,
    /// The share of them that the transmitter's `tlp_gap` follows.
    pub gapped: f64,
}

/// The load of one flow on one direction.
#[derive(Clone, Debug)]
pub struct Load {
    /// The direction.
    pub wire: Wire,
    /// TLPs that carry the flow's payload.
    pub data: Vec<Group>,
    /// Read requests.
    pub requests: Vec<Group>,
    /// The hop whose receiver gets these TLPs. It determines the DLLPs that they cause.
    pub hop: Hop,
    /// True where the payload is carried by completions.
    pub answers: bool,
    /// Where these TLPs may come without gaps: after each pause those that were ready before its end.
    pub pauses: Option<Pauses>,
}

/// Pauses between groups of TLPs.
#[derive(Clone, Copy, Debug)]
pub struct Pauses {
    /// The length of a pause.
    pub fs: f64,
    /// TLPs from one pause to the next.
    pub tlps: f64,
}

impl Pauses {
    /// The share of TLPs that come without gaps where one becomes ready each `period_fs`.
    pub fn share(&self, period_fs: f64) -> f64 {
        ((self.fs / period_fs).ceil() / self.tlps).min(1.0)
    }
}

impl Load {
    /// Adds TLPs without payload of the flow: `per_byte` of them for each byte of its payload.
    pub fn put(&mut self, tlp: Tlp, per_byte: f64) {
        let group = Group { payload: 0, ..Group::on(&self.wire, &(tlp, per_byte), 1.0) };
        self.requests.push(group);
    }

    /// All groups of TLPs, with payload and without.
    pub fn groups(&self) -> impl Iterator<Item = &Group> {
        self.data.iter().chain(&self.requests)
    }

    /// TLPs for each byte of payload.
    pub fn tlps(&self) -> f64 {
        self.groups().map(|g| g.per_byte).sum()
    }

    /// TLPs with payload for each byte of payload.
    pub fn data_tlps(&self) -> f64 {
        self.data.iter().map(|g| g.per_byte).sum()
    }

    /// The sources of the flow's TLPs at the part where this load, number `at` on its path, begins: the flow, with one
    /// turn for each TLP, or the one queue of a completer that answers requests in order.
    pub fn first_sources(&self, plan: &Plan<'_>, at: usize) -> Vec<Via> {
        let mut sources = vec![Via::flow(self.tlps())];
        sources.extend((self.answers && plan.completer.in_order).then(|| Via::answers(at, self.tlps())));
        sources
    }

    /// Bytes of the direction for each byte of payload, start gaps included, with `dllps` DLLPs after each TLP.
    pub fn slots(&self, dllps: f64) -> f64 {
        self.groups().map(|g| g.per_byte * self.wire.slot(g.wire, dllps, g.gapped)).sum()
    }

    /// Time for each byte of payload on a full direction, SKPs included, with `dllps` DLLPs after each TLP.
    pub fn full_fs(&self, dllps: f64) -> f64 {
        let tlps = self.tlps().max(1e-12);
        let slot = self.slots(dllps) / tlps;
        self.wire.full_slot_fs(slot, slot - self.packets(dllps) / tlps) * tlps
    }

    /// Bytes of packets for each byte of payload: [`Load::slots`] without the start gaps.
    pub fn packets(&self, dllps: f64) -> f64 {
        let each = |g: &Group| g.per_byte * (g.wire as f64 + dllps * self.wire.dllp_bytes as f64);
        self.groups().map(each).sum()
    }

    /// DLLPs on the other direction for each TLP here, where no other flow sends any: ACKs, and UpdateFCs where the
    /// credits are finite. TLPs arrive `period_fs` apart. A DLLP that is due waits up to `slot_fs` for the end of a TLP
    /// on its direction, and then covers all TLPs that have arrived. The result is the smallest possible number.
    pub fn dllps_back(&self, period_fs: f64, slot_fs: f64) -> f64 {
        self.acks_back(period_fs, slot_fs) + self.updates_back(period_fs, slot_fs)
    }

    /// ACKs for each TLP, as in [`Load::dllps_back`]. `period_fs` is that of all TLPs.
    pub fn acks_back(&self, period_fs: f64, slot_fs: f64) -> f64 {
        let hop = &self.hop;
        let each = 1.0 / within(slot_fs, period_fs);
        (1.0 / (hop.tlps_per_ack as f64).min(within(hop.ack_timer_fs + slot_fs, period_fs))).min(each)
    }

    /// UpdateFCs for each TLP, as in [`Load::dllps_back`]. `period_fs` is that of the TLPs of one class.
    pub fn updates_back(&self, period_fs: f64, slot_fs: f64) -> f64 {
        let hop = &self.hop;
        let timer = if hop.update_each { 0.0 } else { hop.update_timer_fs };
        if hop.credits.is_infinite() { 0.0 } else { 1.0 / within(timer + slot_fs, period_fs) }
    }

    /// The class of these TLPs.
    pub fn class(&self) -> Class {
        match (self.answers, self.data.is_empty()) {
            (true, _) => Class::Completion,
            (false, true) => Class::NonPosted,
            (false, false) => Class::Posted,
        }
    }

    /// Payload of a command of `bytes` without its last TLP, which carries `last`. Bytes count in proportion to what
    /// they take of the link.
    pub fn before_last(&self, bytes: f64, last: Tlp) -> f64 {
        let all: f64 = bytes * self.data.iter().map(|g| g.per_byte * g.wire as f64).sum::<f64>();
        bytes * (1.0 - self.wire.framing.tlp_bytes(last.shape) as f64 / all).max(0.0)
    }

    /// The time of the longest TLP on the link.
    pub fn longest_fs(&self) -> f64 {
        self.wire.time(self.groups().map(|g| g.wire).max().unwrap_or(0) as f64)
    }
}

/// TLPs that arrive in `time_fs`, one of which starts it.
fn within(time_fs: f64, period_fs: f64) -> f64 {
    if period_fs > 0.0 { (time_fs / period_fs).floor() + 1.0 } else { f64::INFINITY }
}

/// The loads of `plan` in the order of the path, directions with payload first. After a root complex that divides
/// requests, there are more of them.
pub fn loads(plan: &Plan<'_>) -> Vec<Load> {
    let data = data_groups(plan, u64::MAX);
    let bytes = plan.cut.bytes as f64;
    let load = |hop: &Hop, data: Vec<Group>, requests: Vec<Group>| Load {
        wire: hop.wire.clone(),
        hop: hop.clone(),
        answers: plan.reads() && !data.is_empty(),
        pauses: if data.is_empty() { pauses(plan) } else { None },
        data,
        requests,
    };
    let carry = plan.data.iter().zip(divisions(&plan.data)).map(|(hop, most)| {
        let divided = (most < u64::MAX && !plan.reads()).then(|| data_groups(plan, most));
        let data = divided.as_ref().unwrap_or(&data);
        let gapped = |payload: u64| plan.share_that_ends(payload, hop.wire.gap_block);
        load(hop, data.iter().map(|tlps| Group::on(&hop.wire, tlps, gapped(tlps.0.payload))).collect(), Vec::new())
    });
    let ask = plan.requests.iter().zip(divisions(&plan.requests)).map(|(hop, most)| {
        let parts = plan.pieces.iter().map(|(piece, n)| n * divided(piece.offset, piece.bytes, most).count() as f64);
        let count = if most < u64::MAX { parts.sum() } else { plan.cut.count() };
        load(hop, Vec::new(), vec![Group::on(&hop.wire, &(plan.request, count / bytes), 1.0)])
    });
    let mut loads: Vec<Load> = carry.chain(ask).collect();
    for load in &mut loads {
        for (tlp, each) in beside::tlps(plan, load.wire.direction.up) {
            load.put(tlp, each / bytes.max(1.0));
        }
    }
    loads
}

/// For each hop, the multiples at which requests were divided before it.
fn divisions(hops: &[Hop]) -> impl Iterator<Item = u64> {
    let after = |most: &mut u64, hop: &Hop| {
        let before = *most;
        *most = before.min(hop.crossing.map_or(u64::MAX, |crossing| crossing.most));
        Some(before)
    };
    hops.iter().scan(u64::MAX, after)
}

/// The pauses between read requests: those of pages, and those of requests that wait for unlike times, as for page walks.
fn pauses(plan: &Plan<'_>) -> Option<Pauses> {
    let walked = plan.walks > 0.0 && plan.host.walk_latency > pcie::Time::ZERO;
    let translated = plan.translations.as_ref().is_some_and(|translations| translations.per_byte > 0.0);
    if walked || translated || plan.flow.pattern.is_some() && (plan.cut.sizes.len() > 1 || plan.host.varies()) {
        return Some(Pauses { fs: f64::INFINITY, tlps: 1.0 });
    }
    let fs = plan.card.descriptor_wait.as_fs() as f64;
    (fs > 0.0 && plan.cut.count() > plan.cut.pages).then(|| Pauses { fs, tlps: plan.cut.count() / plan.cut.pages })
}

/// The TLPs that carry payload, where writes are divided at multiples of `most`: each size, with the number of TLPs for
/// each byte of payload.
fn data_groups(plan: &Plan<'_>, most: u64) -> Vec<(Tlp, f64)> {
    let bytes = plan.cut.bytes as f64;
    let sizes = match (plan.reads(), plan.flow.pattern) {
        (false, _) if most == u64::MAX => plan.cut.sizes.clone(),
        (false, _) => tally(
            plan.pieces
                .iter()
                .flat_map(|&(piece, n)| divided(piece.offset, piece.bytes, most).map(move |(_, bytes)| (bytes, n))),
        ),
        // Without a pattern all requests of a size are cut as one that begins at a multiple of RCB.
        (true, None) => {
            tally(plan.cut.sizes.iter().flat_map(|&(size, n)| plan.completions(0, size).map(move |bytes| (bytes, n))))
        }
        (true, Some(_)) => tally(
            plan.pieces
                .iter()
                .flat_map(|&(piece, n)| plan.completions(piece.offset, piece.bytes).map(move |bytes| (bytes, n))),
        ),
    };
    sizes.iter().map(|&(payload, n)| (plan.data_tlp(payload), n / bytes)).collect()
}

/// DLLPs after each TLP of `load`, for what `others` send on the link's other direction, while a byte of payload takes
/// `fs_per_byte`.
pub fn dllps_after(load: &Load, others: &[Load], fs_per_byte: f64) -> f64 {
    let reverse = Direction { up: !load.wire.direction.up, ..load.wire.direction };
    let (slot, skp) = (load.longest_fs(), load.wire.skp_fs());
    // A SKP makes the DLLPs of one slot later, and the TLPs that follow on it a round later.
    let delayed = (2.0 * load.wire.skps_within(slot)).min(1.0);
    let per_byte: f64 = (others.iter().filter(|other| other.wire.direction == reverse))
        .map(|other| {
            let within = |fs_per_byte: f64, slot: f64| other.dllps_back(fs_per_byte / other.tlps(), slot);
            let dllps = |fs_per_byte: f64| {
                delayed * within(fs_per_byte, slot + skp) + (1.0 - delayed) * within(fs_per_byte, slot)
            };
            let share = other.pauses.map_or(0.0, |pauses| pauses.share(fs_per_byte / other.tlps()));
            let without_gaps = if share > 0.0 { share * dllps(other.full_fs(0.0)) } else { 0.0 };
            other.tlps() * (without_gaps + (1.0 - share) * dllps(fs_per_byte))
        })
        .sum();
    let used =
        others.iter().filter(|other| other.wire.direction == reverse && !other.hop.credits.is_infinite()).count();
    let refresh = refreshes(&load.hop, used) * fs_per_byte;
    let owed = (per_byte + refresh) / load.tlps().max(1e-12);
    owed.min(2.0 + refresh)
}

/// Rate of the periodic UpdateFCs of all finite pools but `used` ones, in DLLPs a femtosecond. Each pool is advertised
/// again every 30 us.
pub fn refreshes(hop: &Hop, used: usize) -> f64 {
    hop.refreshed_pools.saturating_sub(used as u64) as f64 / pcie::timing::UPDATE_FC_REFRESH_FS as f64
}

impl Group {
    fn on(wire: &Wire, &(tlp, per_byte): &(Tlp, f64), gapped: f64) -> Group {
        let (shape, payload) = (tlp.shape, tlp.payload);
        Group { shape, wire: wire.framing.tlp_bytes(shape), payload, per_byte, gapped }
    }

    /// Bytes of one TLP that are neither header nor payload.
    pub fn framing_bytes(&self) -> u64 {
        self.wire - self.shape.header_bytes() - self.payload
    }
}

/// One TLP of the group.
impl From<Group> for Tlp {
    fn from(group: Group) -> Tlp {
        Tlp { shape: group.shape, payload: group.payload }
    }
}
