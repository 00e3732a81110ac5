//! Perfetto: a track for each direction of each chosen link and for each requester, counters, and arrows from every
//! request to its completions.
//!
//! Times are in picoseconds. Perfetto has no unit below the nanosecond, so its viewer shows all times multiplied by
//! 1000. The names of the groups say so.

use crate::encode::Encode;
use crate::lane::Lane;
use crate::names::{DLLPS, directions, dllp_place, short};
use crate::requests::{Identity, Unanswered, place};
use crate::tracks::{Arrow, Counter, Notes, Track, Tracks, Unit};
use pcie::tlp::TlpKind;
use pcie::{Bdf, Class, Time};
use sim::trace::{DllpRecord, Record, TlpRecord};
use std::collections::HashMap;
use std::io;
use system::{Flow, PartId, PortRole, Scenario, System};

const REQUESTERS: &str = "requesters, times x 1000";

/// See the module.
pub(crate) struct Perfetto {
    tracks: Tracks,
    about: String,
    /// By direction.
    lanes: Vec<Lane>,
    flows: Vec<FlowTracks>,
    requesters: Vec<Requester>,
    /// The names of requesters, by ID.
    asking: HashMap<Bdf, String>,
    requesters_group: Option<Track>,
    /// By part: the requests in flight of all its engines.
    in_flight: HashMap<PartId, (Counter, u64)>,
    names: HashMap<(TlpKind, u32), u64>,
    /// The last name of each type, which is usually that of the next TLP too.
    last_names: [(Option<TlpKind>, u32, u64); 4],
    dllp_names: [u64; 4],
}

struct FlowTracks {
    name: String,
    name_iid: u64,
    initiator: PartId,
    initiator_name: String,
    delivered: u64,
    counter: Option<Counter>,
    in_flight: u64,
    /// The index of the requester of its last TLP.
    requester: Option<usize>,
}

struct Requester {
    id: Bdf,
    name_iid: u64,
    track: Track,
    name: String,
    /// By wire tag.
    tags: Vec<Option<Track>>,
}

impl Perfetto {
    /// `chosen` has for each link whether it is shown.
    pub fn new(scenario: &Scenario, chosen: &[bool], about: &str) -> Perfetto {
        let system = &scenario.system;
        Perfetto {
            tracks: Tracks::default(),
            about: about.to_string(),
            lanes: directions(system).map(|on| Lane::new(system, on, chosen[on.link.0])).collect(),
            flows: scenario.flows.iter().map(|flow| FlowTracks::new(system, flow)).collect(),
            requesters: Vec::new(),
            asking: asking(system),
            requesters_group: None,
            in_flight: HashMap::new(),
            names: HashMap::new(),
            last_names: [(None, 0, 0); 4],
            dllp_names: [0; 4],
        }
    }

    fn name(&mut self, out: &mut Vec<u8>, sent: &TlpRecord) -> u64 {
        let bytes = sent.payload.max(sent.asks);
        let last = &mut self.last_names[sent.kind as usize];
        if *last != (Some(sent.kind), bytes, last.2) {
            let new = || format!("{} {bytes} B", short(sent.kind));
            let name = self.names.entry((sent.kind, bytes)).or_insert_with(|| self.tracks.intern(out, &new()));
            *last = (Some(sent.kind), bytes, *name);
        }
        last.2
    }

    fn requesters_group(&mut self, out: &mut Vec<u8>) -> Track {
        *self.requesters_group.get_or_insert_with(|| self.tracks.group(out, REQUESTERS))
    }

    /// The index of the requester of `sent`; it is declared where it is new.
    fn requester(&mut self, out: &mut Vec<u8>, sent: &TlpRecord) -> usize {
        let id = sent.requester;
        let known = self.flows.get(sent.flow as usize).and_then(|flow| flow.requester);
        if let Some(place) = known.filter(|&place| self.requesters[place].id == id) {
            return place;
        }
        let found = self.requesters.iter().position(|requester| requester.id == id);
        let place = found.unwrap_or_else(|| self.declare(out, id));
        if let Some(flow) = self.flows.get_mut(sent.flow as usize) {
            flow.requester = Some(place);
        }
        place
    }

    fn declare(&mut self, out: &mut Vec<u8>, id: Bdf) -> usize {
        let group = self.requesters_group(out);
        let name = self.asking.get(&id).map_or_else(|| id.to_string(), |name| format!("{name} ({id})"));
        let track = self.tracks.track(out, group, &name);
        let name_iid = self.tracks.intern(out, &name);
        self.requesters.push(Requester { id, name_iid, track, name, tags: Vec::new() });
        self.requesters.len() - 1
    }

    /// The view of the requester: a write that leaves, or a request from its first symbol to its last completion.
    fn ask(&mut self, out: &mut Vec<u8>, sent: &TlpRecord, identity: &Identity, at: usize, name: u64, notes: Notes) {
        if sent.kind == TlpKind::MemoryWrite {
            self.tracks.instant(out, self.requesters[at].track, sent.start, name, Arrow::None, notes);
        } else if identity.opens {
            let track = self.tag_track(out, at, identity.tag);
            self.tracks.begin(out, track, sent.start, name, Arrow::Through(identity.number), notes);
        }
    }

    fn tag_track(&mut self, out: &mut Vec<u8>, at: usize, tag: u16) -> Track {
        let Requester { track, name, tags, .. } = &mut self.requesters[at];
        if tags.len() <= tag as usize {
            tags.resize(tag as usize + 1, None);
        }
        *tags[tag as usize].get_or_insert_with(|| self.tracks.track(out, *track, &format!("{name} tag {tag}")))
    }

    fn on_link(&mut self, out: &mut Vec<u8>, sent: &TlpRecord, identity: &Identity, name: u64, notes: Notes) {
        let Some(track) = self.lanes[place(sent.on)].track() else { return };
        let arrow = match (identity.number, identity.closes) {
            (0, _) => Arrow::None,
            (number, true) => Arrow::Ends(number),
            (number, false) => Arrow::Through(number),
        };
        self.tracks.begin(out, track, sent.start, name, arrow, notes);
        self.tracks.end(out, track, sent.end);
    }

    /// Ends the arrow of a completed request on a link, or at the requester where the link is not written.
    fn answered(
        &mut self,
        out: &mut Vec<u8>,
        sent: &TlpRecord,
        identity: &Identity,
        at: usize,
        arrival: Time,
        name: u64,
    ) {
        let track = self.tag_track(out, at, identity.tag);
        if self.lanes[place(sent.on)].track().is_none() {
            self.tracks.instant(out, track, arrival, name, Arrow::Ends(identity.number), Notes::default());
        }
        self.tracks.end(out, track, arrival);
    }

    fn dllp(&mut self, out: &mut Vec<u8>, record: &Record) {
        let Record::Dllp { on, start, end, what, .. } = *record else { return };
        if let DllpRecord::UpdateFc { class, header, data } = what {
            let arrival = end + self.lanes[place(on)].propagation;
            self.lanes[place(on) ^ 1].grant(class, arrival, header, data);
        }
        let Some(track) = self.lanes[place(on)].track() else { return };
        let name = self.dllp_names[dllp_place(what)];
        if start == end {
            self.tracks.instant(out, track, start, name, Arrow::None, Notes::default());
        } else {
            self.tracks.begin(out, track, start, name, Arrow::None, Notes::default());
            self.tracks.end(out, track, end);
        }
    }

    fn flying(&mut self, out: &mut Vec<u8>, flow: u32, requests: u64, at: Time) {
        let group = self.requesters_group(out);
        let Some(flow) = self.flows.get_mut(flow as usize) else { return };
        let before = std::mem::replace(&mut flow.in_flight, requests);
        let (counter, count) = self.in_flight.entry(flow.initiator).or_insert_with(|| {
            let name = format!("{}: tags in use", flow.initiator_name);
            (self.tracks.counter(out, group, &name, Unit::Count), 0)
        });
        *count = (*count + requests).saturating_sub(before);
        counter.set(&mut self.tracks, out, at, *count);
    }

    fn delivered(&mut self, out: &mut Vec<u8>, flow: u32, bytes: u64, at: Time) {
        let Some(flow) = self.flows.get_mut(flow as usize) else { return };
        flow.delivered += bytes;
        if let Some(counter) = &mut flow.counter {
            counter.set(&mut self.tracks, out, at, flow.delivered);
        }
    }
}

impl Encode for Perfetto {
    fn begin(&mut self, out: &mut Vec<u8>) {
        let links = self.tracks.group(out, &format!("{}: links, times x 1000 (1 ns shown is 1 ps)", self.about));
        for lane in &mut self.lanes {
            lane.declare(&mut self.tracks, out, links);
        }
        self.dllp_names = DLLPS.map(|name| self.tracks.intern(out, name));
        let flows = self.tracks.group(out, "flows, times x 1000");
        for flow in &mut self.flows {
            flow.name_iid = self.tracks.intern(out, &flow.name);
            let name = format!("{}: delivered", flow.name);
            flow.counter = Some(self.tracks.counter(out, flows, &name, Unit::Bytes));
        }
    }

    fn tlp(&mut self, out: &mut Vec<u8>, sent: &TlpRecord, identity: &Identity, arrival: Time) -> io::Result<()> {
        let name = self.name(out, sent);
        let at = self.requester(out, sent);
        let notes = Notes {
            flow: self.flows.get(sent.flow as usize).map(|flow| flow.name_iid),
            requester: Some(self.requesters[at].name_iid),
            tag: (identity.number > 0).then_some(identity.tag as u64),
            address: (sent.kind.class() != Class::Completion).then_some(sent.address),
        };
        if sent.first_hop {
            self.ask(out, sent, identity, at, name, notes);
        }
        self.on_link(out, sent, identity, name, notes);
        if identity.closes {
            self.answered(out, sent, identity, at, arrival, name);
        }
        self.lanes[place(sent.on)].leaves(&mut self.tracks, out, sent);
        Ok(())
    }

    fn other(&mut self, out: &mut Vec<u8>, record: &Record) {
        match *record {
            Record::Queued { on, at } => self.lanes[place(on)].queued(&mut self.tracks, out, at),
            Record::Dllp { .. } => self.dllp(out, record),
            Record::Delivered { flow, bytes, at } => self.delivered(out, flow, bytes, at),
            Record::InFlight { flow, requests, at } => self.flying(out, flow, requests, at),
            Record::Tlp(_) => {}
        }
    }

    fn end(&mut self, out: &mut Vec<u8>, at: Time, unanswered: &[Unanswered]) {
        for lane in &mut self.lanes {
            lane.end(&mut self.tracks, out, at);
        }
        let flows = self.flows.iter_mut().filter_map(|flow| flow.counter.as_mut());
        for counter in flows.chain(self.in_flight.values_mut().map(|(counter, _)| counter)) {
            counter.tell(&mut self.tracks, out);
        }
        let name = self.tracks.intern(out, "unanswered when the trace ends");
        for request in unanswered {
            let Some(asked) = self.requesters.iter().position(|known| known.id == request.requester) else { continue };
            let track = self.tag_track(out, asked, request.tag);
            self.tracks.instant(out, track, at, name, Arrow::Ends(request.number), Notes::default());
            self.tracks.end(out, track, at);
        }
    }
}

impl FlowTracks {
    fn new(system: &System, flow: &Flow) -> FlowTracks {
        FlowTracks {
            name: flow.name.clone(),
            name_iid: 0,
            initiator: flow.initiator,
            initiator_name: system.part(flow.initiator).name.clone(),
            delivered: 0,
            counter: None,
            in_flight: 0,
            requester: None,
        }
    }
}

/// The parts that make requests, by ID.
fn asking(system: &System) -> HashMap<Bdf, String> {
    let ports = system.ports.iter().filter(|port| port.role == PortRole::Endpoint);
    let cards = ports.map(|port| (port.bdf, system.part(port.part).name.clone()));
    let hosts = system.roots().map(|host| (system.bdf(host), system.part(host).name.clone()));
    cards.chain(hosts).collect()
}
