//! The track of one direction of a link, and the counters of its transmitter.

use crate::credits::{self, Left, Pool};
use crate::tracks::{Counter, Track, Tracks, Unit};
use pcie::{Class, Time};
use sim::trace::TlpRecord;
use system::System;
use system::graph::Direction;

/// One direction. It has no tracks where its link is not chosen.
pub(crate) struct Lane {
    pub propagation: Time,
    name: String,
    chosen: bool,
    shown: Option<Shown>,
    waiting: u64,
    /// By class.
    pools: [Pool; 3],
}

struct Shown {
    track: Track,
    waiting: Counter,
    /// By class: header and data credits, where finite.
    left: [(Option<Counter>, Option<Counter>); 3],
}

impl Lane {
    /// `chosen` where it is shown.
    pub fn new(system: &System, on: Direction, chosen: bool) -> Lane {
        let (_, to) = system.ends(on);
        let habits = system.habits(to);
        Lane {
            propagation: system.link(on.link).propagation,
            name: system.direction_name(on),
            chosen,
            shown: None,
            waiting: 0,
            pools: Class::ALL.map(|class| Pool::new(habits.credits(class))),
        }
    }

    /// The track of its TLPs and DLLPs.
    pub fn track(&self) -> Option<Track> {
        self.shown.as_ref().map(|shown| shown.track)
    }

    /// Declares its tracks, where it is chosen.
    pub fn declare(&mut self, tracks: &mut Tracks, out: &mut Vec<u8>, parent: Track) {
        if !self.chosen {
            return;
        }
        let track = tracks.track(out, parent, &self.name);
        let mut counter = |what: &str| tracks.counter(out, track, &format!("{}: {what}", self.name), Unit::Count);
        let waiting = counter("TLPs waiting");
        let left = Class::ALL.map(|class| {
            let (header, data) = self.pools[class.index()].left();
            let header = header.map(|_| counter(&credits::name(class, false)));
            (header, data.map(|_| counter(&credits::name(class, true))))
        });
        self.shown = Some(Shown { track, waiting, left });
        for class in 0..self.pools.len() {
            let left = self.pools[class].left();
            self.tell(tracks, out, class, Time::ZERO, left);
        }
    }

    /// One more TLP waits.
    pub fn queued(&mut self, tracks: &mut Tracks, out: &mut Vec<u8>, at: Time) {
        self.waiting += 1;
        if let Some(shown) = &mut self.shown {
            shown.waiting.set(tracks, out, at, self.waiting);
        }
    }

    /// An UpdateFC for it arrives at `at`.
    pub fn grant(&mut self, class: Class, at: Time, header: u64, data: u64) {
        self.pools[class.index()].grant(at, header, data);
    }

    /// A TLP leaves.
    pub fn leaves(&mut self, tracks: &mut Tracks, out: &mut Vec<u8>, sent: &TlpRecord) {
        self.waiting = self.waiting.saturating_sub(1);
        if let Some(shown) = &mut self.shown {
            shown.waiting.set(tracks, out, sent.start, self.waiting);
        }
        self.settle(tracks, out, sent.start);
        let class = sent.kind.class().index();
        let left = self.pools[class].take(sent.payload as u64);
        self.tell(tracks, out, class, sent.start, left);
    }

    /// The trace ends at `at`.
    pub fn end(&mut self, tracks: &mut Tracks, out: &mut Vec<u8>, at: Time) {
        self.settle(tracks, out, at);
        let Some(shown) = &mut self.shown else { return };
        shown.waiting.tell(tracks, out);
        for (header, data) in &mut shown.left {
            for counter in header.iter_mut().chain(data) {
                counter.tell(tracks, out);
            }
        }
    }

    /// Applies the grants that have arrived by `now`.
    fn settle(&mut self, tracks: &mut Tracks, out: &mut Vec<u8>, now: Time) {
        for class in 0..self.pools.len() {
            while let Some((at, left)) = self.pools[class].settle(now) {
                self.tell(tracks, out, class, at, left);
            }
        }
    }

    fn tell(&mut self, tracks: &mut Tracks, out: &mut Vec<u8>, class: usize, at: Time, left: Left) {
        let Some(shown) = &mut self.shown else { return };
        let (header, data) = &mut shown.left[class];
        for (counter, value) in [(header, left.0), (data, left.1)] {
            if let (Some(counter), Some(value)) = (counter, value) {
                counter.set(tracks, out, at, value);
            }
        }
    }
}
