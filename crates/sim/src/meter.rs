//! Where the bytes of a direction go, class by class, so that every instant of it is in exactly one.

use crate::tlp::{Held, Purpose, Tlp};
use crate::wire::Placed;
use pcie::tlp::FRAMING_BYTES;
use pcie::{Encoding, Time};
use system::{Budget, Share};

/// What one flow put on a direction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FlowMeter {
    pub payload: u64,
    headers: u64,
    framing: u64,
    requests: u64,
}

/// Bytes of one direction since the start of the run.
#[derive(Clone, Debug)]
pub(crate) struct Meter {
    pub flows: Vec<FlowMeter>,
    skp: u64,
    alignment: u64,
    dllps: u64,
    idle: [u64; 8],
    /// Idle bytes since the last TLP, whose cause the next one knows.
    unexplained: u64,
    last_end: Time,
}

impl Meter {
    pub fn new(flows: usize) -> Meter {
        Meter {
            flows: vec![FlowMeter::default(); flows],
            skp: 0,
            alignment: 0,
            dllps: 0,
            idle: [0; 8],
            unexplained: 0,
            last_end: Time::ZERO,
        }
    }

    /// When the last TLP ended.
    pub fn last_end(&self) -> Time {
        self.last_end
    }

    fn around(&mut self, placed: Placed) {
        self.skp += placed.skp;
        self.alignment += placed.alignment;
        self.unexplained += placed.idle;
    }

    pub fn dllp(&mut self, placed: Placed) {
        self.around(placed);
        self.dllps += pcie::dllp::WIRE_BYTES;
    }

    pub fn tlp(&mut self, tlp: &Tlp, placed: Placed) {
        self.around(placed);
        let flow = &mut self.flows[tlp.flow as usize];
        if tlp.payload > 0 && matches!(tlp.purpose, Purpose::Payload | Purpose::Store) {
            flow.payload += tlp.payload as u64;
            flow.headers += tlp.header as u64;
            flow.framing += (tlp.wire - tlp.header - tlp.payload) as u64;
            debug_assert!(tlp.wire as u64 >= FRAMING_BYTES);
        } else {
            flow.requests += tlp.wire as u64;
        }
        if self.unexplained > 0 {
            self.explain(tlp.held, placed.start);
        }
        self.last_end = placed.end;
    }

    /// Gives the idle bytes before `start` to what held the TLP that starts there.
    fn explain(&mut self, held: Held, start: Time) {
        let gap = start.saturating_sub(self.last_end).as_fs().max(1) as u128;
        let before = held.until.min(start).saturating_sub(self.last_end).as_fs() as u128;
        let by = (self.unexplained as u128 * before / gap).min(self.unexplained as u128) as u64;
        self.idle[held.by as usize] += by;
        self.idle[held.then as usize] += self.unexplained - by;
        self.unexplained = 0;
    }

    /// Bytes accounted for.
    fn sum(&self) -> u64 {
        let flows: u64 = self.flows.iter().map(|f| f.payload + f.headers + f.framing + f.requests).sum();
        flows + self.skp + self.alignment + self.dllps + self.idle.iter().sum::<u64>()
    }

    /// Share of the time in which something of any flow, or for it, is on the link.
    pub fn busy_since(&self, before: &Meter) -> f64 {
        let span = self.sum() - before.sum();
        let idle: u64 = self.idle.iter().sum::<u64>() - before.idle.iter().sum::<u64>();
        if span == 0 { 0.0 } else { 1.0 - idle as f64 / span as f64 }
    }

    /// The budget of `flow` for what passed since `before`.
    pub fn budget_since(&self, before: &Meter, flow: usize, encoding: Encoding) -> Budget {
        let span = (self.sum() - before.sum()) as f64;
        let (bits, wire) = encoding.ratio();
        let carried = bits as f64 / wire as f64;
        let mut budget = Budget::default();
        if span == 0.0 {
            return budget;
        }
        let mut put = |share: Share, bytes: u64| budget.0[share.index()] = bytes as f64 / span * carried;
        let of = |get: fn(&FlowMeter) -> u64| get(&self.flows[flow]) - get(&before.flows[flow]);
        let requests: u64 = (self.flows.iter().zip(&before.flows)).map(|(now, old)| now.requests - old.requests).sum();
        let whole = |f: &FlowMeter| f.payload + f.headers + f.framing;
        let all: u64 = self.flows.iter().zip(&before.flows).map(|(now, old)| whole(now) - whole(old)).sum();
        put(Share::Payload, of(|f| f.payload));
        put(Share::Headers, of(|f| f.headers));
        put(Share::Framing, of(|f| f.framing));
        put(Share::Requests, requests);
        put(Share::OtherFlows, all - of(|f| f.payload) - of(|f| f.headers) - of(|f| f.framing));
        put(Share::Skp, self.skp - before.skp);
        put(Share::Alignment, self.alignment - before.alignment);
        put(Share::Dllps, self.dllps - before.dllps);
        for share in Share::ALL {
            if let Share::Idle(wait) = share {
                put(share, self.idle[wait as usize] - before.idle[wait as usize]);
            }
        }
        budget.0[Share::Encoding.index()] = 1.0 - carried;
        budget
    }
}
