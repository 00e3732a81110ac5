//! The measurement that would tell two hypotheses apart.

use super::applied::{At, Run};
use super::evidence::Measurement;
use super::fitting::Rates;
use super::suspect::{Suspect, endpoints, ports};
use crate::metric::payload_ends;
use pcie::{Bytes, LinkSpeed};
use system::field::Count;
use system::graph::{Port, PortId, PortRole};
use system::kinds::CardParams;
use system::{Change, Flow, Kind, Operation, Origin, Scenario, System};

/// A measurement that was not made.
#[derive(Clone, Debug, PartialEq)]
pub struct Next {
    /// What to do: `b and c at once`.
    pub what: String,
    /// What the first two hypotheses predict for it.
    pub rates: NextRates,
}

/// Predictions of two hypotheses, bytes a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NextRates {
    /// Of the first.
    pub first: f64,
    /// Of the second.
    pub second: f64,
}

impl NextRates {
    /// How far they are apart, as a share.
    pub fn apart(self) -> f64 {
        (self.first / self.second).ln().abs()
    }
}

/// Predictions that differ by so much can be told apart by one measurement.
const APART: f64 = 0.1;
/// One that is easier to make is proposed where predictions differ by so much.
const ENOUGH: f64 = 0.2;

/// The best measurement, or `None` where none of those tried tells. One that was made is none.
pub(super) fn next(rates: &Rates<'_>, first: &[At], second: &[At]) -> Option<Next> {
    let mut best: Option<Next> = None;
    for kind in [subsets, deeper, switched, blocks, beside, wider, moved] {
        for tried in kind(rates, first, second) {
            let [a, b] = [(0, first), (1, second)].map(|(which, set)| tried.rate(which, set));
            let found = NextRates { first: a, second: b };
            let apart = best.as_ref().map_or(APART, |best| best.rates.apart());
            if found.apart() > apart && !is_given(rates, &tried) {
                best = Some(Next { what: tried.what, rates: found });
            }
        }
        if best.as_ref().is_some_and(|best| best.rates.apart() > ENOUGH) {
            break;
        }
    }
    best
}

/// A measurement that may be made.
struct Tried {
    /// What is done.
    what: String,
    /// The number of its load.
    load: usize,
    /// Commands that each device has in flight.
    in_flight: Option<u64>,
    /// The scenario under each of the two hypotheses.
    scenarios: [Scenario; 2],
    /// The suspect that is not there then.
    without: Option<Suspect>,
    /// True where the machine is another one.
    changes_machine: bool,
}

impl Tried {
    /// The same as a measurement, with another scenario.
    fn new(what: String, rates: &Rates<'_>, number: usize, scenario: Scenario) -> Tried {
        let in_flight = rates.evidence.measurements[number].in_flight;
        let scenarios = [scenario.clone(), scenario];
        Tried { what, load: rates.load[number], in_flight, scenarios, without: None, changes_machine: false }
    }

    /// The same, on a machine that was changed for it.
    fn elsewhere(self) -> Tried {
        Tried { changes_machine: true, ..self }
    }

    /// What one of the two hypotheses predicts for it.
    fn rate(&self, which: usize, set: &[At]) -> f64 {
        let left: Vec<At> = set.iter().filter(|at| Some(&at.suspect) != self.without.as_ref()).cloned().collect();
        Run { scenario: &self.scenarios[which], load: self.load, in_flight: self.in_flight }.rate(&left)
    }
}

/// True where the same devices moved data in the same way in a measurement that was made.
fn is_given(rates: &Rates<'_>, tried: &Tried) -> bool {
    let [scenario, _] = &tried.scenarios;
    let key = |scenario: &Scenario| {
        let name = |part| scenario.system.part(part).name.clone();
        let one = |flow: &Flow| (name(flow.initiator), name(flow.target), flow.command);
        let mut all: Vec<_> = scenario.flows.iter().map(one).collect();
        all.sort();
        all
    };
    let wanted = key(scenario);
    let is_same = |other: &Measurement| {
        let threads = |scenario: &Scenario| scenario.flows.first().and_then(|flow| flow.work.cores);
        let is_apart = |suspect: &Suspect| matches!(suspect, Suspect::Core | Suspect::Threads);
        let is_alike = match &tried.without {
            Some(suspect) => is_apart(suspect) && threads(&other.scenario).is_none() && threads(scenario).is_some(),
            None => other.in_flight == tried.in_flight,
        };
        is_alike && key(&other.scenario) == wanted
    };
    !tried.changes_machine && rates.evidence.measurements.iter().any(is_same)
}

/// Flows of a scenario, without those whose data they pass on.
fn only(scenario: &Scenario, flows: &[usize]) -> Scenario {
    let mut fewer = scenario.clone();
    fewer.flows = flows.iter().map(|&flow| scenario.flows[flow].clone()).collect();
    fewer
}

fn is_plain(scenario: &Scenario) -> bool {
    scenario.flows.iter().all(|flow| flow.fed_by.is_none() && flow.mixed_with.is_none())
}

/// Devices alone and in pairs that were not measured.
fn subsets(rates: &Rates<'_>, _: &[At], _: &[At]) -> Vec<Tried> {
    let mut tried = Vec::new();
    for (number, measurement) in largest(rates) {
        let count = measurement.flows.len();
        let pairs = (0..count).flat_map(|one| (one..count).map(move |other| (one, other)));
        for (one, other) in pairs {
            let flows = if one == other { vec![one] } else { vec![one, other] };
            let scenario = only(measurement, &flows);
            let names: Vec<&str> = scenario.flows.iter().map(|flow| flow.name.as_str()).collect();
            let what =
                if one == other { format!("{} alone", names[0]) } else { format!("{} at once", names.join(" and ")) };
            tried.push(Tried::new(what, rates, number, scenario));
        }
    }
    tried
}

/// The measurements with the most flows.
fn largest<'a>(rates: &'a Rates<'_>) -> impl Iterator<Item = (usize, &'a Scenario)> {
    let all = &rates.evidence.measurements;
    let most = all.iter().map(|measurement| measurement.scenario.flows.len()).max().unwrap_or(0);
    let of = all.iter().map(|measurement| &measurement.scenario).enumerate();
    of.filter(move |(_, scenario)| scenario.flows.len() == most && is_plain(scenario))
}

/// More commands in flight, and fewer.
fn deeper(rates: &Rates<'_>, first: &[At], second: &[At]) -> Vec<Tried> {
    let waits = |set: &[At]| set.iter().any(|at| matches!(at.suspect, Suspect::InFlight(_)));
    if waits(first) == waits(second) {
        return Vec::new();
    }
    let one = |(number, scenario): (usize, &Scenario)| {
        let now = rates.evidence.measurements[number].in_flight?;
        let of = |depth: u64| {
            let mut changed = scenario.clone();
            changed.flows.iter_mut().for_each(|flow| flow.work.depth = depth);
            let what = format!("the same with {depth} in flight for each device");
            Tried { in_flight: Some(depth), ..Tried::new(what, rates, number, changed) }
        };
        Some([now * 4, (now / 4).max(1)].map(of))
    };
    largest(rates).filter_map(one).flatten().collect()
}

/// One device below a port in a slot of the host of its own, while the others stay where they are.
fn beside(rates: &Rates<'_>, first: &[At], second: &[At]) -> Vec<Tried> {
    let caps = |set: &[At]| {
        let port = |at: &At| if let Suspect::Uplink(port) = &at.suspect { Some(port.clone()) } else { None };
        set.iter().filter_map(port).collect::<Vec<String>>()
    };
    let (a, b) = (caps(first), caps(second));
    let only: Vec<&String> =
        a.iter().filter(|port| !b.contains(port)).chain(b.iter().filter(|port| !a.contains(port))).collect();
    let mut tried = Vec::new();
    for (number, scenario) in largest(rates) {
        for port in &only {
            if let Some((what, moved)) = at_host_itself(scenario, port) {
                tried.push(Tried::new(what, rates, number, moved).elsewhere());
            }
        }
    }
    tried
}

/// The scenario with the first device below `cap` at a new port of the host; `None` where no device is there, or only one.
fn at_host_itself(scenario: &Scenario, cap: &str) -> Option<(String, Scenario)> {
    let system = &scenario.system;
    let below = |flow: &&Flow| ports(system, flow).into_iter().any(|port| system.port(port).name == cap);
    let flow = scenario.flows.iter().find(below).filter(|_| scenario.flows.iter().filter(below).count() > 1)?;
    let (device, host) = (endpoints(system, flow).next()?, system.host_for(flow.initiator, flow.target));
    let (link, _) = system.above(device)?;
    let mut moved = scenario.clone();
    moved.system.remake(|graph| {
        let old = graph.links[link.0].upper;
        let name = format!("{}.free", graph.parts[host.0].name);
        let new = PortId(graph.ports.len());
        let port = Port { name, part: host, role: PortRole::Root, own: Vec::new(), ..graph.ports[old.0].clone() };
        graph.ports[old.0].link = None;
        graph.ports.push(port);
        graph.parts[host.0].ports.push(new);
        graph.links[link.0].upper = new;
    });
    let what = format!("all at once with {} in a slot that is not below {cap}", system.part(device).name);
    Some((what, moved))
}

/// Blocks of other sizes.
fn blocks(rates: &Rates<'_>, first: &[At], second: &[At]) -> Vec<Tried> {
    // What a device gives depends on the load: of another one, nothing is known of it.
    if first.iter().chain(second).any(|at| at.suspect.is_of_load()) {
        return Vec::new();
    }
    let sizes = [512, 4096, 16384, 1 << 20].map(Bytes);
    let with = |(number, scenario): (usize, &Scenario), size: Bytes| {
        let mut changed = scenario.clone();
        for flow in &mut changed.flows {
            flow.command = size;
            flow.volume = flow.whole_volume();
        }
        Tried::new(format!("the same with blocks of {size}"), rates, number, changed)
    };
    largest(rates).flat_map(|one| sizes.into_iter().map(move |size| with(one, size))).collect()
}

/// The same without what can be switched off.
fn switched(rates: &Rates<'_>, first: &[At], second: &[At]) -> Vec<Tried> {
    let of = |suspect: &Suspect| match suspect {
        Suspect::Iommu => Some("the same with the IOMMU out of the way (kernel parameter iommu.passthrough=1)"),
        Suspect::Core => Some("the same with a thread for each device, on a core of its own"),
        Suspect::Threads => Some("the same with several threads for each device, on cores of their own"),
        Suspect::Sockets => Some("the same with memory at the socket of the devices (numactl --membind)"),
        _ => None,
    };
    let switches: Vec<(&str, &Suspect)> =
        first.iter().chain(second).filter_map(|at| Some((of(&at.suspect)?, &at.suspect))).collect();
    let each = |(number, scenario): (usize, &Scenario)| {
        let one = |&(what, suspect): &(&str, &Suspect)| Tried {
            without: Some(suspect.clone()),
            ..Tried::new(what.to_string(), rates, number, scenario.clone())
        };
        switches.iter().map(one).collect::<Vec<_>>()
    };
    largest(rates).flat_map(each).collect()
}

/// A card with as many lanes as its slot, in place of a device with fewer, that moves what its link does.
fn wider(rates: &Rates<'_>, _: &[At], _: &[At]) -> Vec<Tried> {
    let mut tried = Vec::new();
    for (number, measurement) in rates.evidence.measurements.iter().enumerate() {
        let scenario = &measurement.scenario;
        for flow in &scenario.flows {
            let told = |what: String, port: &str| match is_elsewhere(rates, scenario, port) {
                true => format!("{what} (as in {})", measurement.name),
                false => what,
            };
            tried.extend(
                filled(scenario, flow)
                    .map(|(port, what, wide)| Tried::new(told(what, &port), rates, number, wide).elsewhere()),
            );
        }
    }
    tried
}

/// True where the port of that name is another in some other measurement.
fn is_elsewhere(rates: &Rates<'_>, scenario: &Scenario, port: &str) -> bool {
    let able = |system: &System| system.ports.iter().find(|one| one.name == port).map(|one| one.able);
    let own = able(&scenario.system);
    rates.evidence.measurements.iter().any(|other| able(&other.scenario.system) != own)
}

/// Requests that such a card has in flight.
const REQUESTS: u64 = 256;

/// The port, what is done, and a flow by itself, its device replaced by a card with all lanes of the slot; `None` where the
/// device has them, or no slot is above it.
fn filled(scenario: &Scenario, flow: &Flow) -> Option<(String, String, Scenario)> {
    let system = &scenario.system;
    let device = endpoints(system, flow).next().filter(|_| endpoints(system, flow).count() == 1)?;
    let (link, _) = system.above(device)?;
    let port = system.port(system.link(link).upper);
    let narrow = system.link(link).speed;
    let speed = LinkSpeed { width: port.able.width, ..narrow };
    if speed.width <= narrow.width {
        return None;
    }
    let to_host = system.part(payload_ends(flow).1).kind.is_root();
    let (from, to) = (device, system.host_for(flow.initiator, flow.target));
    let mut wide = scenario.clone();
    let card = CardParams { read_requests: Count(REQUESTS), ..CardParams::default() };
    wide.system.remake(|graph| graph.parts[device.0].kind = Kind::new(card));
    let by = || Origin::Override("a wider card".into());
    wide.system.amend(Change::Speed(link, speed), by()).ok()?;
    wide.system.amend(Change::Tags(device, REQUESTS), by()).ok()?;
    let operation = if to_host { Operation::DmaWrite } else { Operation::DmaRead };
    wide.flows = vec![Flow::of_card("card", operation, (from, to), (Bytes(1 << 20), Bytes(1 << 28)))];
    let what = format!("a card of {} lanes at {}, which moves what its link does", speed.width.lanes(), port.name);
    Some((port.name.clone(), what, wide))
}

/// A device alone in the slot of another one of its model: what is its own goes with it.
fn moved(rates: &Rates<'_>, first: &[At], second: &[At]) -> Vec<Tried> {
    let mut tried = Vec::new();
    for (number, measurement) in largest(rates) {
        let system = &measurement.system;
        for (one, flow) in measurement.flows.iter().enumerate() {
            for (other, there) in measurement.flows.iter().enumerate().filter(|(other, _)| *other != one) {
                let parts = |flow| endpoints(system, flow).next();
                let Some((a, b)) = parts(flow).zip(parts(there)) else { continue };
                let (a, b) = (&system.part(a).name, &system.part(b).name);
                let Some(slot) = ports(system, there).into_iter().last() else { continue };
                let what = format!("{a} alone, in the slot of {b} ({})", system.port(slot).name);
                // In the place of the other, where what is its own is that of the one.
                let scenario = |set: &[At]| {
                    let own = set.iter().any(|at| matches!(&at.suspect, Suspect::Device(name) if name == a));
                    only(measurement, &[if own { one } else { other }])
                };
                let scenarios = [scenario(first), scenario(second)];
                let [a, b] = scenarios;
                let changed = Tried::new(what, rates, number, a).elsewhere();
                tried.push(Tried { scenarios: [changed.scenarios[0].clone(), b], ..changed });
            }
        }
    }
    tried
}
