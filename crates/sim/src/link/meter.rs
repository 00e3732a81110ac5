//! Classifies the bytes of a direction, so that every instant belongs to exactly one class.

use crate::engine::by_flow::ByFlow;
use crate::engine::placed::Placed;
use crate::engine::tlp::{Held, Purpose, Tlp};
use crate::link::wire::Passed;
use pcie::{Encoding, Time};
use system::{Budget, Share, Wait};

/// The bytes that one flow put on a direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlowMeter {
    pub payload: u64,
    headers: u64,
    framing: u64,
    requests: u64,
}

impl FlowMeter {
    fn add(&mut self, more: FlowMeter) {
        self.payload += more.payload;
        self.headers += more.headers;
        self.framing += more.framing;
        self.requests += more.requests;
    }

    fn less(self, old: FlowMeter) -> FlowMeter {
        FlowMeter {
            payload: self.payload - old.payload,
            headers: self.headers - old.headers,
            framing: self.framing - old.framing,
            requests: self.requests - old.requests,
        }
    }

    /// Bytes of TLPs that carry payload.
    fn whole(self) -> u64 {
        self.payload + self.headers + self.framing
    }
}

/// Bytes of one direction since the start of the run, by class.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    pub flows: ByFlow<FlowMeter>,
    skp: u64,
    alignment: u64,
    dllps: u64,
    idle: [u64; Wait::COUNT],
    /// Idle bytes since the last TLP. The next TLP determines their cause.
    unexplained: u64,
    last_end: Time,
    /// The time from which `unexplained` counts.
    unexplained_from: Time,
    /// Idle bytes and SKP bytes since the last packet that are already counted.
    ahead: (u64, u64),
    last: Last,
}

/// The last packet by class, because some of its bytes may come after the time at which a meter is read.
#[derive(Clone, Copy, Debug, Default)]
struct Last {
    packet: LastPacket,
    alignment: u64,
    skp: u64,
}

#[derive(Clone, Copy, Debug, Default)]
enum LastPacket {
    #[default]
    None,
    Tlp {
        flow: u32,
        of: FlowMeter,
    },
    Dllp,
}

impl Meter {
    pub fn new() -> Meter {
        Meter {
            flows: ByFlow::default(),
            skp: 0,
            alignment: 0,
            dllps: 0,
            idle: [0; Wait::COUNT],
            unexplained: 0,
            last_end: Time::ZERO,
            unexplained_from: Time::ZERO,
            ahead: (0, 0),
            last: Last::default(),
        }
    }

    /// When the last TLP ended.
    pub fn last_end(&self) -> Time {
        self.last_end
    }

    /// Payload bytes of one flow.
    pub fn payload_of(&self, flow: u32) -> u64 {
        self.flows.get(flow).map_or(0, |flow| flow.payload)
    }

    /// The bytes between the last packet and this one; counts the SKPs among them.
    fn around(&mut self, placed: Placed) -> u64 {
        let (idle, skp) = std::mem::take(&mut self.ahead);
        let skps = placed.skp.saturating_sub(skp);
        self.unexplained += (placed.idle + placed.skp).saturating_sub(idle + skp + skps);
        self.skp += skps;
        self.alignment += placed.alignment;
        skps
    }

    pub fn dllp(&mut self, placed: Placed) {
        let skp = self.around(placed);
        self.dllps += pcie::dllp::WIRE_BYTES;
        self.last = Last { alignment: placed.alignment, skp, packet: LastPacket::Dllp };
    }

    /// Counts a TLP of `bytes` on the link.
    pub fn tlp(&mut self, tlp: &Tlp, bytes: u64, placed: Placed) {
        let skp = self.around(placed);
        let mut of = FlowMeter::default();
        if tlp.payload > 0 && matches!(tlp.purpose, Purpose::Payload | Purpose::Store) {
            of.payload = tlp.payload as u64;
            of.headers = tlp.shape.header_bytes();
            of.framing = bytes - of.headers - of.payload;
        } else {
            of.requests = bytes;
        }
        self.last = Last { alignment: placed.alignment, skp, packet: LastPacket::Tlp { flow: tlp.flow, of } };
        self.flows.get_or_insert_with(tlp.flow, FlowMeter::default).add(of);
        if self.unexplained > 0 {
            self.explain(tlp.held, placed.start);
        }
        self.last_end = placed.end;
        self.unexplained_from = placed.end;
    }

    /// The meter as of `now`. `passed` are the bytes since the last packet, which waited for `wait`. The difference of
    /// two such meters is what passed between their times.
    pub fn as_of(&mut self, now: Time, passed: Passed, wait: Wait) -> Meter {
        let skp = passed.skp.saturating_sub(self.ahead.1);
        let idle = (passed.idle + passed.skp).saturating_sub(self.ahead.0 + self.ahead.1 + skp);
        self.ahead = (self.ahead.0 + idle, self.ahead.1 + skp);
        self.skp += skp;
        self.idle[wait.index()] += std::mem::take(&mut self.unexplained) + idle;
        self.unexplained_from = self.unexplained_from.max(now);
        let mut read = self.clone();
        read.take_back(passed.beyond);
        read
    }

    /// Removes the last `bytes` of the last packet, and of what precedes it.
    fn take_back(&mut self, mut bytes: u64) {
        let mut off = |from: &mut u64, most: u64| {
            let less = bytes.min(most).min(*from);
            *from -= less;
            bytes -= less;
        };
        let last = self.last;
        match last.packet {
            LastPacket::Tlp { flow, of } => {
                if let Some(flow) = self.flows.get_mut(flow) {
                    off(&mut flow.payload, of.payload);
                    off(&mut flow.headers, of.headers);
                    off(&mut flow.framing, of.framing);
                    off(&mut flow.requests, of.requests);
                }
            }
            LastPacket::Dllp => off(&mut self.dllps, pcie::dllp::WIRE_BYTES),
            LastPacket::None => {}
        }
        off(&mut self.alignment, last.alignment);
        off(&mut self.skp, last.skp);
    }

    /// Assigns the idle bytes before `start` to the causes that delayed the TLP that starts there.
    fn explain(&mut self, held: Held, start: Time) {
        let from = self.unexplained_from;
        let gap = start.saturating_sub(from).as_fs().max(1);
        let before = held.until.min(start).saturating_sub(from).as_fs();
        let by = match self.unexplained {
            all if before >= gap => all,
            _ if before == 0 => 0,
            all => (all as u128 * before as u128 / gap as u128) as u64,
        };
        self.idle[held.by.index()] += by;
        self.idle[held.then.index()] += self.unexplained - by;
        self.unexplained = 0;
    }

    /// All bytes counted.
    fn sum(&self) -> u64 {
        let flows: u64 = self.flows.iter().map(|(_, f)| f.payload + f.headers + f.framing + f.requests).sum();
        flows + self.skp + self.alignment + self.dllps + self.idle.iter().sum::<u64>()
    }

    /// The share of the time in which anything of a flow, or for it, was on the link.
    pub fn busy_since(&self, before: &Meter) -> f64 {
        let span = self.sum() - before.sum();
        let idle: u64 = self.idle.iter().sum::<u64>() - before.idle.iter().sum::<u64>();
        if span == 0 { 0.0 } else { 1.0 - idle as f64 / span as f64 }
    }

    /// The budget of the time since `before` for `flow`, or for all flows together where `None`.
    pub fn budget_since(&self, before: &Meter, flow: Option<usize>, encoding: Encoding) -> Budget {
        let span = (self.sum() - before.sum()) as f64;
        let (bits, wire) = encoding.ratio();
        let carried = bits as f64 / wire as f64;
        let mut budget = Budget::default();
        if span == 0.0 {
            return budget;
        }
        let mut put = |share: Share, bytes: u64| budget.0[share.index()] = bytes as f64 / span * carried;
        let all = self.since(before, None);
        let own = flow.map_or(all, |_| self.since(before, flow));
        put(Share::Payload, own.payload);
        put(Share::Headers, own.headers);
        put(Share::Framing, own.framing);
        put(Share::Requests, all.requests);
        put(Share::OtherFlows, all.whole() - own.whole());
        put(Share::Skp, self.skp - before.skp);
        put(Share::Alignment, self.alignment - before.alignment);
        put(Share::Dllps, self.dllps - before.dllps);
        for wait in Wait::all() {
            put(Share::Idle(wait), self.idle[wait.index()] - before.idle[wait.index()]);
        }
        budget.0[Share::Encoding.index()] = 1.0 - carried;
        budget
    }

    /// The bytes that `flow`, or all flows, put on the direction since `before`.
    fn since(&self, before: &Meter, flow: Option<usize>) -> FlowMeter {
        let passed = |flow: u32, now: &FlowMeter| now.less(before.flows.get(flow).copied().unwrap_or_default());
        if let Some(flow) = flow {
            return self.flows.get(flow as u32).map_or_else(FlowMeter::default, |now| passed(flow as u32, now));
        }
        let mut sum = FlowMeter::default();
        self.flows.iter().for_each(|(flow, now)| sum.add(passed(flow, now)));
        sum
    }
}
