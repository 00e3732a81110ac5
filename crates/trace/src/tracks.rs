//! Tracks of a Perfetto trace: their declarations and their events.
//!
//! Field numbers are those of Perfetto's `trace_packet.proto`, `track_descriptor.proto`, `track_event.proto` and
//! `interned_data.proto`.

use crate::proto::{Buffer, Message, Short};
use pcie::Time;
use std::collections::HashMap;

/// The sequence ID: all packets have one writer.
const SEQUENCE: u64 = 1;
/// Flag of a packet: interned texts are cleared with it.
const CLEARED: u64 = 1;
const NEEDED: u64 = 2;

const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;

/// The number of a track in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Track(u64);

/// The quantity of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    Count = 2,
    Bytes = 3,
}

/// The role of an event in an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrow {
    None,
    /// On the path of a request or of its completions.
    Through(u64),
    /// Where they end.
    Ends(u64),
}

/// The annotations of an event.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Notes {
    pub flow: Option<u64>,
    pub requester: Option<u64>,
    pub tag: Option<u64>,
    pub address: Option<u64>,
}

/// Writes packets.
#[derive(Debug, Default)]
pub(crate) struct Tracks {
    last: u64,
    pids: u64,
    names: HashMap<String, u64>,
    started: bool,
    event: Short,
}

const NOTES: [&str; 4] = ["flow", "requester", "tag", "address"];

/// Picoseconds.
fn stamp(at: Time) -> u64 {
    at.as_fs() / 1000
}

impl Tracks {
    fn packet(&mut self, out: &mut Vec<u8>, fill: impl FnOnce(&mut Message<'_, Vec<u8>>)) {
        let first = !std::mem::replace(&mut self.started, true);
        Message(out).message(1, |packet| {
            packet.uint(10, SEQUENCE);
            packet.uint(13, if first { CLEARED | NEEDED } else { NEEDED });
            if first {
                packet.message(12, |interned| {
                    for (iid, name) in (1..).zip(NOTES) {
                        interned.message(3, |entry| intern(entry, iid, name));
                    }
                });
            }
            fill(packet);
        });
    }

    /// An event of type `kind` on a track; `named` where it refers to interned texts. At most about 115 bytes.
    #[inline]
    fn event(
        &mut self,
        out: &mut Vec<u8>,
        at: Time,
        kind: u64,
        named: bool,
        fill: impl FnOnce(&mut Message<'_, Short>),
    ) {
        self.event.clear();
        Message(&mut self.event).message(1, |packet| {
            packet.uint(8, stamp(at));
            packet.uint(10, SEQUENCE);
            if named {
                packet.uint(13, NEEDED);
            }
            packet.message(11, |event| {
                event.uint(9, kind);
                fill(event);
            });
        });
        out.extend_from_slice(self.event.bytes());
    }

    /// A group of tracks.
    pub fn group(&mut self, out: &mut Vec<u8>, name: &str) -> Track {
        self.pids += 1;
        let (track, pid) = (self.next(), self.pids);
        self.packet(out, |packet| {
            packet.message(60, |descriptor| {
                descriptor.uint(1, track.0);
                descriptor.message(3, |process| {
                    process.uint(1, pid);
                    process.text(6, name);
                });
            });
        });
        track
    }

    /// A track of events.
    pub fn track(&mut self, out: &mut Vec<u8>, parent: Track, name: &str) -> Track {
        let track = self.next();
        self.packet(out, |packet| packet.message(60, |descriptor| describe(descriptor, track, parent, name)));
        track
    }

    /// A track of a counter.
    pub fn counter(&mut self, out: &mut Vec<u8>, parent: Track, name: &str, unit: Unit) -> Counter {
        let track = self.next();
        self.packet(out, |packet| {
            packet.message(60, |descriptor| {
                describe(descriptor, track, parent, name);
                descriptor.message(8, |counter| counter.uint(3, unit as u64));
            });
        });
        Counter { track, told: None, latest: None }
    }

    fn next(&mut self) -> Track {
        self.last += 1;
        Track(self.last)
    }

    /// The number of a text, which is written where it is new.
    pub fn intern(&mut self, out: &mut Vec<u8>, name: &str) -> u64 {
        if let Some(&iid) = self.names.get(name) {
            return iid;
        }
        let iid = self.names.len() as u64 + 1;
        self.names.insert(name.to_string(), iid);
        self.packet(out, |packet| {
            packet.message(12, |interned| {
                interned.message(2, |entry| intern(entry, iid, name));
                interned.message(29, |entry| intern(entry, iid, name));
            });
        });
        iid
    }

    /// Starts a slice. `name` is an interned text.
    pub fn begin(&mut self, out: &mut Vec<u8>, track: Track, at: Time, name: u64, arrow: Arrow, notes: Notes) {
        self.event(out, at, SLICE_BEGIN, true, |event| {
            of(event, track, name, arrow);
            note(event, notes);
        });
    }

    /// Ends the slice that started last on `track`.
    pub fn end(&mut self, out: &mut Vec<u8>, track: Track, at: Time) {
        self.event(out, at, SLICE_END, false, |event| event.uint(11, track.0));
    }

    /// An event without a duration.
    pub fn instant(&mut self, out: &mut Vec<u8>, track: Track, at: Time, name: u64, arrow: Arrow, notes: Notes) {
        self.event(out, at, INSTANT, true, |event| {
            of(event, track, name, arrow);
            note(event, notes);
        });
    }

    fn count(&mut self, out: &mut Vec<u8>, track: Track, at: Time, value: u64) {
        self.event(out, at, COUNTER, false, |event| {
            event.uint(11, track.0);
            event.uint(30, value);
        });
    }
}

/// A counter. Of several values at one time, only the last is written, and only where it differs from the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counter {
    track: Track,
    told: Option<u64>,
    latest: Option<(Time, u64)>,
}

impl Counter {
    /// Sets its value from `at` on. Times never decrease.
    pub fn set(&mut self, tracks: &mut Tracks, out: &mut Vec<u8>, at: Time, value: u64) {
        if self.latest.is_some_and(|(before, _)| before != at) {
            self.tell(tracks, out);
        }
        self.latest = Some((at, value));
    }

    /// Writes the last value.
    pub fn tell(&mut self, tracks: &mut Tracks, out: &mut Vec<u8>) {
        let Some((at, value)) = self.latest.take() else { return };
        if self.told != Some(value) {
            self.told = Some(value);
            tracks.count(out, self.track, at, value);
        }
    }
}

fn intern(entry: &mut Message<'_, impl Buffer>, iid: u64, name: &str) {
    entry.uint(1, iid);
    entry.text(2, name);
}

fn describe(descriptor: &mut Message<'_, impl Buffer>, track: Track, parent: Track, name: &str) {
    descriptor.uint(1, track.0);
    descriptor.text(2, name);
    descriptor.uint(5, parent.0);
}

fn of(event: &mut Message<'_, impl Buffer>, track: Track, name: u64, arrow: Arrow) {
    event.uint(10, name);
    event.uint(11, track.0);
    match arrow {
        Arrow::None => {}
        Arrow::Through(number) => event.fixed64(47, number),
        Arrow::Ends(number) => event.fixed64(48, number),
    }
}

fn note(event: &mut Message<'_, impl Buffer>, notes: Notes) {
    const TEXT: u64 = 17;
    const UINT: u64 = 3;
    const POINTER: u64 = 7;
    let values = [(notes.flow, TEXT), (notes.requester, TEXT), (notes.tag, UINT), (notes.address, POINTER)];
    for (iid, (value, field)) in (1..).zip(values) {
        if let Some(value) = value {
            event.message(4, |annotation| {
                annotation.uint(1, iid);
                annotation.uint(field, value);
            });
        }
    }
}
