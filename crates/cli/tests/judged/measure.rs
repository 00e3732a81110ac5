//! Loads, measurements, and their rates on a system, from the simulation.

use super::machine::{Class, Machine};
use system::{Description, Point};

/// Why a measurement has no rate: a draw with such a one is left out.
pub const NEVER_TOGETHER: &str = "no time in which all flows are active";

/// What the devices do.
#[derive(Clone, Debug)]
pub struct Load {
    pub write: bool,
    /// Bytes of a block of a drive.
    pub block: u64,
    /// Blocks in flight at each drive.
    pub depth: u64,
    pub random: bool,
    /// True where one thread gives the commands of all drives.
    pub one_thread: bool,
}

/// Devices that run at once: indices into [`Machine::ends`], and how many drives of each.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    pub ends: Vec<(usize, usize)>,
    /// An index into the loads.
    pub load: usize,
}

impl Measurement {
    /// The names of the devices, once for each drive.
    pub fn names<'m>(&self, machine: &'m Machine) -> Vec<&'m str> {
        let name = |&(end, count): &(usize, usize)| std::iter::repeat_n(machine.ends[end].name.as_str(), count);
        self.ends.iter().flat_map(name).collect()
    }
}

/// What a measurement gives.
#[derive(Clone, Debug)]
pub struct Rate {
    pub mb_per_s: f64,
    /// Links, by the port above, with the share of the time for which their busier direction was used.
    pub busy: Vec<(String, f64)>,
}

/// What is run: a machine with its measurements.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    pub machine: &'a Machine,
    pub loads: &'a [Load],
    pub measurements: &'a [Measurement],
}

impl Setup<'_> {
    fn experiment(&self, number: usize, deeper: u64) -> String {
        let measurement = &self.measurements[number];
        let load = &self.loads[measurement.load];
        let card = self.machine.ends[measurement.ends[0].0].class == Class::Card;
        // Data goes to the host where a drive is read and where a card writes.
        let to_host = card == load.write;
        let flow = |name: &&str| if to_host { format!("\"{name} -> host\"") } else { format!("\"host -> {name}\"") };
        let flows = measurement.names(self.machine).iter().map(flow).collect::<Vec<_>>().join(", ");
        let op = match (card, load.write) {
            (true, true) => "dma-write",
            (true, false) => "dma-read",
            (false, true) => "disk-write",
            (false, false) => "disk-read",
        };
        let how = if card {
            "drive: card, command: 1 MiB, volume: 2 MiB".to_string()
        } else {
            let (block, depth) = (load.block, load.depth * deeper);
            let volume = block * (5 * depth).max(64);
            let order = if load.random { ", pattern: random, window: 1 GiB" } else { "" };
            let cores = if load.one_thread { ", cores: 1" } else { "" };
            format!("drive: software, command: {block} B, volume: {volume} B, queue_depth: {depth}{order}{cores}")
        };
        format!("  m{number}: {{ operation: {op}, {how}, flows: [{flows}], measures: [throughput_sum] }}\n")
    }
    /// The rates, with settings for each load, and with queues so many times as deep.
    ///
    /// # Errors
    /// What cannot be run, in words.
    pub fn rates(&self, sets: &dyn Fn(usize) -> Vec<String>, deeper: u64) -> Result<Vec<Rate>, String> {
        let _ = storage::register();
        let experiments: String = (0..self.measurements.len()).map(|n| self.experiment(n, deeper)).collect();
        let text = format!("{}experiments:\n{experiments}", self.machine.yaml());
        let described =
            Description::from_text("drawn.yaml", &text).map_err(|error| format!("{}\n{text}", error.report()))?;
        self.measurements.iter().enumerate().map(|(n, one)| rate(&described, n, &sets(one.load))).collect()
    }
}

fn rate(described: &Description, number: usize, sets: &[String]) -> Result<Rate, String> {
    let mut described = described.clone();
    let told = |error: system::Error| format!("{}{sets:?}", error.report());
    sets.iter().try_for_each(|set| described.set(set)).map_err(told)?;
    let experiment = described.experiment(&format!("m{number}")).map_err(told)?;
    let scenario = described.scenario(experiment, &Point::default()).map_err(told)?;
    let options = sim::Options { kinds: dma::KINDS, ..sim::Options::default() };
    let outcome = sim::run(&scenario, &options).map_err(|error| error.to_string())?;
    let sum: Option<f64> = outcome.flows.iter().map(|flow| flow.stream.map(|rate| rate.0)).sum();
    let mb_per_s = sum.ok_or(NEVER_TOGETHER)? / 1e6;
    let mut busy: Vec<(String, f64)> = Vec::new();
    for (direction, share) in outcome.busy {
        let system = &scenario.system;
        let above = &system.port(system.link(direction.link).upper).name;
        match busy.iter_mut().find(|(port, _)| port == above) {
            Some((_, most)) => *most = most.max(share),
            None => busy.push((above.clone(), share)),
        }
    }
    Ok(Rate { mb_per_s, busy })
}

/// How far two lists of rates are apart: the sum of squares of the differences over a noise of 3 %.
pub fn apart(one: &[Rate], other: &[Rate]) -> f64 {
    one.iter().zip(other).map(|(a, b)| ((a.mb_per_s / b.mb_per_s).ln() / super::NOISE).powi(2)).sum()
}
