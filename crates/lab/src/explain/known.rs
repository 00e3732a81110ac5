//! Rates that were predicted already, of measurements that are alike but for the names of their devices.

use super::applied::{Effects, Run, sum};
use super::suspect::ports;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};
use system::Scenario;
use system::graph::PortId;

/// The predictions of all measurements.
pub(super) struct Known {
    runs: Vec<Alike>,
    rates: Mutex<HashMap<(usize, Vec<u64>), f64>>,
}

/// What a measurement has in common with others.
struct Alike {
    /// The first measurement that is alike.
    first: usize,
    /// Its ports, in the order in which its flows pass them.
    ports: Vec<usize>,
    /// What a cap at each port must be less than to hold anything back.
    loose: BTreeMap<usize, f64>,
}

impl Known {
    /// Nothing is known yet.
    pub fn of<'a>(scenarios: impl Iterator<Item = &'a Scenario>) -> Known {
        let mut texts: Vec<String> = Vec::new();
        let one = |(number, scenario): (usize, &Scenario)| {
            let (text, ports) = described(scenario);
            let first = texts.iter().position(|known| *known == text).unwrap_or(number);
            texts.push(text);
            Alike { first, loose: loose(scenario), ports }
        };
        Known { runs: scenarios.enumerate().map(one).collect(), rates: Mutex::new(HashMap::new()) }
    }

    /// The rate of measurement `number` with these effects; `shown` without any.
    pub fn rate(&self, number: usize, run: &Run<'_>, mut effects: Effects, shown: f64) -> f64 {
        let Alike { first, ports, loose } = &self.runs[number];
        effects.caps.retain(|port, cap| loose.get(port).is_none_or(|loose| *cap < *loose));
        if effects.is_nothing() {
            return shown;
        }
        let mut key: Vec<u64> = Vec::new();
        for (place, port) in ports.iter().enumerate() {
            key.extend(effects.caps.get(port).into_iter().flat_map(|cap| [place as u64, cap.to_bits()]));
        }
        for (suspect, figure) in &effects.hosts {
            // A word for each, which no place is.
            key.extend(suspect.kind().bytes().map(|letter| u64::MAX - u64::from(letter)).chain([figure.to_bits()]));
        }
        let key = (*first, key);
        let lock = || self.rates.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = lock().get(&key) {
            return known;
        }
        let rate = run.changed(&effects).map_or(shown, |scenario| sum(&scenario));
        lock().insert(key, rate);
        rate
    }
}

/// The flows and the parts and ports on their ways, without names; and the ports, in the order in which they are passed.
fn described(scenario: &Scenario) -> (String, Vec<usize>) {
    let system = &scenario.system;
    let mut passed: Vec<usize> = Vec::new();
    let mut parts: Vec<usize> = Vec::new();
    let mut text = String::new();
    let place_of = |all: &mut Vec<usize>, one: usize| match all.iter().position(|known| *known == one) {
        Some(place) => place,
        None => {
            all.push(one);
            all.len() - 1
        }
    };
    for flow in &scenario.flows {
        let _ = write!(
            text,
            "{:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?};",
            flow.operation,
            flow.command,
            flow.volume,
            flow.drive,
            flow.fed_by,
            flow.mixed_with,
            flow.pattern,
            flow.work
        );
        for on in system.path(flow.initiator, flow.target) {
            let link = system.link(on.link);
            for port in [link.upper, link.lower] {
                let at = system.port(port);
                let place = place_of(&mut passed, port.0);
                let _ = write!(text, "{place} {:?} {:?} {:?} {:?};", at.able, at.own, at.mps, link.speed);
                let place = place_of(&mut parts, at.part.0);
                let part = system.part(at.part);
                let (kind, settled) = (&part.kind, (part.mps, part.mrrs, part.tags));
                let _ = write!(text, "{place} {:?} {kind:?} {:?} {settled:?};", part.model, part.habits);
            }
        }
    }
    (text, passed)
}

/// What each port must be capped below for it to matter: what its link carries. Where few commands are in flight, what is far from
/// full makes each take longer.
fn loose(scenario: &Scenario) -> BTreeMap<usize, f64> {
    let system = &scenario.system;
    let all = scenario.flows.iter().flat_map(|flow| ports(system, flow));
    let carried = |PortId(port): PortId| Some((port, system.link(system.port(PortId(port)).link?).speed.encoded().0));
    all.filter_map(carried).collect()
}
