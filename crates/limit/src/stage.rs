//! One hop of the recurrence: its transmitter, the credits and the replay buffer that hold TLPs back, and the
//! DLLPs that return them.

use crate::path::Hop;
use crate::tlps::Tlp;
use crate::transmitter::Transmitter;
use pcie::credit::data_credits;
use std::collections::VecDeque;

/// What a DLLP brings when it lands.
#[derive(Clone, Copy, Debug)]
struct Landing {
    time: f64,
    headers: u64,
    data: u64,
    replay: u64,
}

/// A receiver's credits of one pool, seen from both ends.
#[derive(Clone, Debug)]
struct Pool {
    headers: Option<u64>,
    data: Option<u64>,
    freed: VecDeque<(f64, u64)>,
    dry_since: f64,
    each: bool,
    timer: f64,
}

impl Pool {
    fn lacks(&self, tlp: &Tlp) -> bool {
        self.headers.is_some_and(|h| h == 0) || self.data.is_some_and(|d| d < data_credits(tlp.payload))
    }

    fn owed(&self) -> Option<f64> {
        let first = self.freed.front()?.0;
        let late = first + if self.each { 0.0 } else { self.timer };
        // At once where the transmitter has run out of it: infinite where it has not.
        Some(late.min(first.max(self.dry_since)))
    }

    fn add(&mut self, headers: u64, data: u64) {
        self.headers.iter_mut().for_each(|h| *h += headers);
        self.data.iter_mut().for_each(|d| *d += data);
    }

    /// Takes what a TLP needs at `start`.
    fn take(&mut self, tlp: &Tlp) {
        self.headers.iter_mut().for_each(|h| *h -= 1);
        self.data.iter_mut().for_each(|d| *d -= data_credits(tlp.payload));
    }
}

/// What a transmitter has sent and the receiver has not acknowledged.
#[derive(Clone, Debug)]
struct Replay {
    room: Option<u64>,
    unacknowledged: VecDeque<(f64, u64)>,
    tlps_per_ack: usize,
    timer: f64,
}

impl Replay {
    fn owed(&self) -> Option<f64> {
        let timer = self.unacknowledged.front()?.0 + self.timer;
        let enough = self.unacknowledged.get(self.tlps_per_ack - 1);
        Some(enough.map_or(timer, |&(time, _)| timer.min(time)))
    }

    /// Bytes acknowledged by an ACK that starts at `time`.
    fn acknowledge(&mut self, time: f64) -> u64 {
        let mut bytes = 0;
        while let Some(&(_, each)) = self.unacknowledged.front().filter(|(arrived, _)| *arrived <= time) {
            self.unacknowledged.pop_front();
            bytes += each;
        }
        bytes
    }
}

/// One hop at work.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What it is made of.
    pub hop: Hop,
    /// The transmitter of its TLPs.
    pub forward: Transmitter,
    back: Transmitter,
    pool: Option<Pool>,
    replay: Replay,
    landings: VecDeque<Landing>,
    cap_before: f64,
    cap_behind: f64,
    /// DLLPs that the other direction has to carry, where it carries TLPs as well: when each was owed, and
    /// whether it is an ACK.
    mirrored: Option<Vec<(f64, bool)>>,
    /// TLPs sent: start and bytes.
    sent: VecDeque<(f64, u64)>,
    /// TLPs that the other direction carries, for whose end a DLLP waits.
    opposite: VecDeque<(f64, u64)>,
}

impl Stage {
    /// A hop before its first TLP; `mirrors` where the other direction carries TLPs that this flow is timed by.
    pub fn new(hop: &Hop, mirrors: bool) -> Stage {
        let pool = (!hop.credits.is_infinite()).then(|| Pool {
            headers: hop.credits.header.map(u64::from),
            data: hop.credits.data.map(u64::from),
            freed: VecDeque::new(),
            dry_since: f64::INFINITY,
            each: hop.update_each,
            timer: hop.update_timer_fs,
        });
        let replay = Replay {
            room: hop.replay,
            unacknowledged: VecDeque::new(),
            tlps_per_ack: hop.tlps_per_ack.max(1) as usize,
            timer: hop.ack_timer_fs,
        };
        Stage {
            forward: Transmitter::new(&hop.wire, hop.refreshed_pools),
            back: Transmitter::new(&hop.back, 0),
            pool,
            replay,
            landings: VecDeque::new(),
            cap_before: 0.0,
            cap_behind: 0.0,
            mirrored: mirrors.then(Vec::new),
            sent: VecDeque::new(),
            opposite: VecDeque::new(),
            hop: hop.clone(),
        }
    }

    /// True where some DLLP matters to somebody.
    fn watched(&self) -> bool {
        self.pool.is_some() || self.replay.room.is_some() || self.mirrored.is_some()
    }

    /// Sends `tlp`, ready at `ready`: its start and its end. `None` where it can never go.
    pub fn send(&mut self, ready: f64, tlp: &Tlp) -> Option<(f64, f64)> {
        let mut ready = ready.max(self.cap_before);
        if self.watched() {
            loop {
                let candidate = self.forward.candidate(ready);
                self.place_dllps(candidate);
                self.land(candidate);
                if !self.held(tlp, candidate) {
                    break;
                }
                ready = self.next_return()?.max(candidate);
            }
        }
        let bytes = self.hop.wire.framing.tlp_bytes(tlp.shape);
        let (start, end) = self.forward.tlp(ready, bytes);
        if self.mirrored.is_some() {
            self.sent.push_back((start, bytes));
        }
        self.cap_before = start + tlp.payload as f64 * self.hop.cap_before;
        self.pool.iter_mut().for_each(|pool| pool.take(tlp));
        self.replay.room.iter_mut().for_each(|room| *room -= tlp.shape.replay_bytes());
        if self.watched() {
            self.replay.unacknowledged.push_back((end + self.hop.wire.propagation_fs, tlp.shape.replay_bytes()));
        }
        Some((start, end))
    }

    /// True where `tlp` lacks credits or room at `now`.
    fn held(&mut self, tlp: &Tlp, now: f64) -> bool {
        if let Some(pool) = &mut self.pool {
            if pool.lacks(tlp) {
                pool.dry_since = pool.dry_since.min(now);
                return true;
            }
            pool.dry_since = f64::INFINITY;
        }
        self.replay.room.is_some_and(|room| room < tlp.shape.replay_bytes())
    }

    /// The next time at which something comes back, or is owed.
    fn next_return(&self) -> Option<f64> {
        self.landings.front().map(|landing| landing.time).or_else(|| Some(self.next_owed()?.0))
    }

    /// When the next DLLP is owed, and whether it is an ACK.
    fn next_owed(&self) -> Option<(f64, bool)> {
        let ack = self.replay.owed().map(|time| (time, true));
        let update = self.pool.as_ref().and_then(Pool::owed).map(|time| (time, false));
        match (ack, update) {
            (Some(a), Some(u)) => Some(if a.0 <= u.0 { a } else { u }),
            (a, u) => a.or(u),
        }
    }

    /// Sends the DLLPs that are owed by `until`.
    pub fn place_dllps(&mut self, until: f64) {
        while let Some((owed, is_ack)) = self.next_owed().filter(|(owed, _)| *owed <= until) {
            while let Some(&(start, bytes)) = self.opposite.front().filter(|(start, _)| *start <= owed) {
                self.opposite.pop_front();
                self.back.tlp(start, bytes);
            }
            let (start, end) = self.back.dllp(owed);
            self.mirrored.iter_mut().for_each(|starts| starts.push((owed, is_ack)));
            let mut landing = Landing { time: end + self.hop.back.propagation_fs, headers: 0, data: 0, replay: 0 };
            if is_ack {
                landing.replay = self.replay.acknowledge(start);
            } else if let Some(pool) = &mut self.pool {
                while let Some(&(_, data)) = pool.freed.front().filter(|(time, _)| *time <= start) {
                    pool.freed.pop_front();
                    landing.headers += 1;
                    landing.data += data;
                }
            }
            self.landings.push_back(landing);
        }
    }

    /// Takes in what has landed by `now`.
    fn land(&mut self, now: f64) {
        while let Some(&landing) = self.landings.front().filter(|landing| landing.time <= now) {
            self.landings.pop_front();
            self.pool.iter_mut().for_each(|pool| pool.add(landing.headers, landing.data));
            self.replay.room.iter_mut().for_each(|room| *room += landing.replay);
        }
    }

    /// Lets the two directions of a link carry the DLLPs that each other's TLPs called for by `now`.
    fn meet(&mut self, other: &mut Stage, now: f64) {
        other.place_dllps(now.max(self.forward.free_fs()));
        for (owed, is_ack) in other.mirrored.iter_mut().flat_map(|owed| owed.drain(..)) {
            self.forward.charge(owed, is_ack);
        }
        for (owed, is_ack) in self.mirrored.iter_mut().flat_map(|owed| owed.drain(..)) {
            other.forward.charge(owed, is_ack);
        }
        self.opposite.append(&mut other.sent);
        if other.pool.is_none() {
            other.opposite.append(&mut self.sent);
        }
        self.sent.clear();
    }

    /// The receiver is done with a TLP at `time`.
    pub fn freed(&mut self, time: f64, tlp: &Tlp) {
        if let Some(pool) = &mut self.pool {
            pool.freed.push_back((time, data_credits(tlp.payload)));
        }
    }

    /// When what arrived at `time` may go on, for the cap behind the link.
    pub fn behind_cap(&mut self, time: f64, tlp: &Tlp) -> f64 {
        let on = time.max(self.cap_behind);
        self.cap_behind = on + tlp.payload as f64 * self.hop.cap_behind;
        on
    }
}

/// Sends a TLP through stages one behind the other.
pub fn send_through(stages: &mut [Stage], ready: f64, tlp: &Tlp) -> Option<Passage> {
    send_through_beside(stages, &mut [], ready, tlp)
}

/// The same, where `beside` are the stages of the other direction, last hop first.
pub fn send_through_beside(stages: &mut [Stage], beside: &mut [Stage], ready: f64, tlp: &Tlp) -> Option<Passage> {
    let (mut ready, mut passage) = (ready, Passage { start: 0.0, sent: 0.0, begun: 0.0, arrived: 0.0 });
    for i in 0..stages.len() {
        if let Some(other) = beside.len().checked_sub(i + 1).and_then(|at| beside.get_mut(at)) {
            stages[i].meet(other, ready);
        }
        let (start, end) = stages[i].send(ready, tlp)?;
        if i == 0 {
            (passage.start, passage.sent) = (start, end);
        } else {
            stages[i - 1].freed(end, tlp);
        }
        let propagation = stages[i].hop.wire.propagation_fs;
        let (first, last) = (start + propagation, end + propagation);
        (passage.begun, passage.arrived) = (first, last);
        if let (Some(crossing), Some(next)) = (stages[i].hop.crossing, stages.get(i + 1)) {
            let on = crossing.ready(first, last, next.hop.tlp_time(tlp));
            ready = stages[i].behind_cap(on, tlp);
        }
    }
    Some(passage)
}

/// The times of a TLP on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passage {
    /// Its first symbol leaves.
    pub start: f64,
    /// Its last symbol has left.
    pub sent: f64,
    /// Its first symbol is at the end of the way.
    pub begun: f64,
    /// Its last symbol is.
    pub arrived: f64,
}
