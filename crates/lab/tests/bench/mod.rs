//! Machines of random parts with the experiments that a user of such a card would run, and their rows with noise.

#![allow(dead_code, reason = "each test file uses what it needs")]

use lanescope_lab::sweep::{self, RunOptions};
use lanescope_lab::{DescribedMachine, Quality, Unit};
use system::{Description, Scale};

/// A small pseudo-random generator (splitmix64), the same on every machine.
pub struct Dice(pub u64);

impl Dice {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A uniform number between 0 and 1, both excluded.
    pub fn unit(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }
    pub fn ns(&mut self, low: f64, high: f64) -> String {
        format!("{:.1} ns", self.between(low, high))
    }
    pub fn pick(&mut self, from: &[&str]) -> String {
        from[(self.next() % from.len() as u64) as usize].to_string()
    }
    /// A normally distributed number (Box and Muller).
    pub fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Figures that a user might not know, and the ranges of their true values.
pub const UNKNOWN: [(&str, f64, f64); 9] = [
    ("host.read_latency", 200.0, 900.0),
    ("host.command_cost", 300.0, 2000.0),
    ("host.poll_interval", 100.0, 800.0),
    ("host.pio_line_fill", 15.0, 80.0),
    ("host.pio_call_cost", 20.0, 200.0),
    ("card.descriptor_wait", 100.0, 900.0),
    ("card.tx_latency", 80.0, 400.0),
    ("card.rx_latency", 80.0, 400.0),
    ("switch.latency", 80.0, 400.0),
];

/// A machine of random parts, with the experiments that a user of such a card would run on it.
pub fn description(dice: &mut Dice) -> String {
    let mut field = |name: &str| {
        let (_, low, high) = UNKNOWN.iter().find(|(path, ..)| *path == name).unwrap();
        dice.ns(*low, *high)
    };
    let [read, command, poll, fill, call, wait, tx, rx, switch] = UNKNOWN.map(|(path, ..)| field(path));
    let link = dice.pick(&["gen2 x4", "gen2 x8", "gen3 x4", "gen3 x8", "gen4 x4", "gen4 x8"]);
    let (mps, largest) = (dice.pick(&["128", "256"]), dice.pick(&["128", "256", "512"]));
    let (completion, request) = (dice.pick(&["64", "128", "256"]), dice.pick(&["256", "512", "1024", "4096"]));
    let (line, requests) = (dice.ns(1.0, 4.0), dice.pick(&["2", "4", "8"]));
    format!(
        "parts:
  host: {{ kind: host, slots: {{ pcie: {link} }}, mps: {mps}, read_latency: {read}, command_cost: {command},
          poll_interval: {poll}, pio_line_fill: {fill}, pio_call_cost: {call}, completion_bytes: {completion},
          line_service: {line} }}
  switch: {{ kind: switch, ports: {{ up: {link}, down: {link} }}, mps: {largest}, latency: {switch}, tlps_per_ack: 4 }}
  card: {{ kind: dma-card, ports: {{ pcie: {link} }}, bars: 1 MiB, mps: {largest}, read_requests: {requests},
          read_request: {request}, tx_latency: {tx}, rx_latency: {rx}, descriptor_wait: {wait}, fifo: 16 KiB }}
links: [host.pcie - switch.up, switch.down - card.pcie]
settings: {{ mrrs: 4096 }}
experiments:
  write: {{ operation: dma-write, drive: software, volume: 256 KiB, max_commands: 24, flows: ['card -> host'],
           axes: {{ size: [512, 1024, 2048, 4096, 8192, 16384, 65536] }}, measures: [throughput] }}
  read: {{ operation: dma-read, drive: software, volume: 256 KiB, max_commands: 24, flows: ['host -> card'],
          axes: {{ size: [512, 1024, 2048, 4096, 8192, 16384, 65536] }}, measures: [throughput] }}
  requests: {{ operation: dma-read, command: 16 KiB, volume: 128 KiB, flows: ['host -> card'],
          axes: {{ requests: {{ set: [card.read_requests], values: [1, 2, 4] }} }}, measures: [throughput] }}
  store: {{ operation: pio-write, drive: software, volume: 256 KiB, max_commands: 32, flows: ['host -> card'],
          axes: {{ size: [64, 128, 256, 512, 1024, 2048] }}, measures: [throughput] }}
  load: {{ operation: pio-read, drive: software, volume: 1 KiB, max_commands: 16, flows: ['card -> host'],
          axes: {{ size: [8, 64] }}, measures: [throughput] }}
  packet: {{ operation: dma-write, command: one TLP, volume: 4 KiB, set: {{ card.command_latency: 5 us }},
          flows: ['card -> host'], axes: {{ payload: [64, 128] }}, measures: [latency] }}
"
    )
}

pub fn machine(text: &str) -> DescribedMachine {
    DescribedMachine::described("bench", Description::from_text("bench.yaml", text).unwrap()).unwrap()
}

/// Every point of every experiment, simulated and with noise added (the standard deviation as a share), as a CSV.
pub fn measured(machine: &DescribedMachine, dice: &mut Dice, noise: f64, options: &RunOptions<'_>) -> String {
    let mut text = "system,experiment,at,metric,value,unit,source,note\n".to_string();
    for experiment in machine.description().experiments() {
        let jobs = machine.points(experiment, &[]).unwrap().into_iter().map(|at| machine.job(experiment, at).unwrap());
        for point in sweep::run(jobs.collect(), options).unwrap().done {
            let (quality, unit) = match experiment.name.as_str() {
                "packet" => (Quality::LATENCY, Unit::Ns),
                _ => (Quality::THROUGHPUT, Unit::MbPerS),
            };
            let value = point.simulated(quality, unit).unwrap() * (1.0 + noise * dice.normal());
            let (name, at) = (&experiment.name, &point.job.at);
            text += &format!("bench,{name},{at},{},{value},{},,\n", quality.word(), unit.word());
        }
    }
    text
}

/// The true value of a time, in femtoseconds.
pub fn number(machine: &DescribedMachine, path: &str) -> f64 {
    let figure = lanescope_lab::path::figure(&machine.description().system().unwrap(), path).unwrap();
    Scale::Time.number(&figure.value).unwrap()
}
