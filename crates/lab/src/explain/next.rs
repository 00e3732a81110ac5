//! The measurement that would tell two hypotheses apart.

use super::fitting::{At, Rates, sum, with};
use super::suspect::{Suspect, endpoints, ports};
use crate::metric::payload_ends;
use pcie::{Bytes, LinkSpeed};
use system::field::Count;
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

/// The best measurement, or `None` where none of those tried tells.
pub(super) fn next(rates: &Rates<'_>, first: &[At], second: &[At]) -> Option<Next> {
    let mut best: Option<Next> = None;
    for kind in [subsets, blocks, switched, wider, moved] {
        for Tried { what, load, scenarios: [a, b], without } in kind(rates, first, second) {
            let of = |scenario: &Scenario, set: &[At]| {
                let left: Vec<At> = set.iter().filter(|at| Some(&at.suspect) != without.as_ref()).cloned().collect();
                sum(with(scenario, load, &left).as_ref().unwrap_or(scenario))
            };
            let found = NextRates { first: of(&a, first), second: of(&b, second) };
            if found.apart() > best.as_ref().map_or(APART, |best| best.rates.apart()) {
                best = Some(Next { what, rates: found });
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
    /// The scenario under each of the two hypotheses.
    scenarios: [Scenario; 2],
    /// The suspect that is not there then.
    without: Option<Suspect>,
}

impl Tried {
    fn new(what: String, load: usize, scenario: Scenario) -> Tried {
        Tried { what, load, scenarios: [scenario.clone(), scenario], without: None }
    }
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
            tried.push(Tried::new(what, rates.load[number], scenario));
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
        Tried::new(format!("the same with blocks of {size}"), rates.load[number], changed)
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
            ..Tried::new(what.to_string(), rates.load[number], scenario.clone())
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
                    .map(|(port, what, wide)| Tried::new(told(what, &port), rates.load[number], wide)),
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
                tried.push(Tried { what, load: rates.load[number], scenarios, without: None });
            }
        }
    }
    tried
}
