//! Do the stated standard errors agree with the true errors, on measurements whose true figures are known?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_lab::fit::{Ask, By, Fit, fit};
use lanescope_lab::sweep::{self, RunOptions};
use lanescope_lab::{DescribedMachine, Quality, Selection, Unit, reference};
use rayon::prelude::*;
use std::sync::atomic::AtomicBool;
use system::{Description, Scale};

/// The number of systems whose data determine all three figures.
const SYSTEMS: usize = 100;
/// The standard deviation of a measurement, relative to its value.
const NOISE: f64 = 0.02;
static NEVER: AtomicBool = AtomicBool::new(false);

/// A small pseudo-random generator (splitmix64), the same on every machine.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    /// A uniform number between 0 and 1, both excluded.
    fn unit(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low * (high / low).powf(self.unit())
    }
    fn ns(&mut self, low: f64, high: f64) -> String {
        format!("{:.1} ns", self.between(low, high))
    }
    fn pick(&mut self, from: &[&str]) -> String {
        from[(self.next() % from.len() as u64) as usize].to_string()
    }
    /// A normally distributed number (Box and Muller).
    fn normal(&mut self) -> f64 {
        (-2.0 * self.unit().ln()).sqrt() * (std::f64::consts::TAU * self.unit()).cos()
    }
}

/// Figures that a user might not know, and the ranges of their true values.
const UNKNOWN: [(&str, f64, f64); 9] = [
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
fn description(dice: &mut Dice) -> String {
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

fn machine(text: &str) -> DescribedMachine {
    DescribedMachine::described("bench", Description::from_text("bench.yaml", text).unwrap()).unwrap()
}

/// Every point of every experiment, simulated and with noise added, as a CSV.
fn measured(machine: &DescribedMachine, dice: &mut Dice, options: &RunOptions<'_>) -> String {
    let mut text = "system,experiment,at,metric,value,unit,source,note\n".to_string();
    for experiment in machine.description().experiments() {
        let jobs = machine.points(experiment, &[]).unwrap().into_iter().map(|at| machine.job(experiment, at).unwrap());
        for point in sweep::run(jobs.collect(), options).unwrap().done {
            let (quality, unit) = match experiment.name.as_str() {
                "packet" => (Quality::LATENCY, Unit::Ns),
                _ => (Quality::THROUGHPUT, Unit::MbPerS),
            };
            let value = point.simulated(quality, unit).unwrap() * (1.0 + NOISE * dice.normal());
            let (name, at) = (&experiment.name, &point.job.at);
            text += &format!("bench,{name},{at},{},{value},{},,\n", quality.word(), unit.word());
        }
    }
    text
}

/// The errors of three figures, in units of their stated standard errors; `None` if the fit warned.
fn one(seed: u64) -> Option<[f64; 3]> {
    let mut dice = Dice(seed);
    let true_machine = machine(&description(&mut dice));
    let options = RunOptions { threads: Some(1), interrupted: &NEVER, step: &|| (), kinds: dma::KINDS };
    let csv = measured(&true_machine, &mut dice, &options);
    let mut paths: Vec<&str> = Vec::new();
    while paths.len() < 3 {
        let (path, ..) = UNKNOWN[(dice.next() % UNKNOWN.len() as u64) as usize];
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let truth = paths.iter().map(|path| number(&true_machine, path)).collect::<Vec<f64>>();
    let starts = paths.iter().zip(&truth).map(|(path, truth)| {
        let start = truth * dice.between(0.3, 3.0);
        ((*path).to_string(), Scale::Time.write(start))
    });
    let ask = Ask {
        parameters: paths.iter().map(|path| (*path).to_string()).collect(),
        starts: starts.collect(),
        on: reference::parse("bench.csv", &csv).unwrap(),
        file: "bench.csv".into(),
        choices: Vec::new(),
        hold_out_rest: false,
        rows: Selection::default(),
        hold_out: Vec::new(),
        by: By::Simulation,
    };
    let found: Fit = fit(&true_machine, &ask, &options).unwrap();
    let far = |n: usize| (found.found[n].number.unwrap() - truth[n]).abs() / found.found[n].uncertainty.unwrap();
    found.warnings.is_empty().then(|| [0, 1, 2].map(far))
}

fn number(machine: &DescribedMachine, path: &str) -> f64 {
    let figure = lanescope_lab::path::figure(&machine.description().system().unwrap(), path).unwrap();
    Scale::Time.number(&figure.value).unwrap()
}

#[test]
#[ignore = "slow: a hundred fits by simulation"]
fn do_true_figures_lie_within_the_stated_uncertainty_as_often_as_it_says() {
    let (mut told, mut warned, mut next) = (Vec::new(), 0, 1);
    while told.len() < 3 * SYSTEMS {
        let wanted = (SYSTEMS - told.len() / 3) as u64;
        let tried: Vec<Option<[f64; 3]>> = (next..next + wanted).into_par_iter().map(one).collect();
        next += wanted;
        // A fit that says that the data do not tell its figures apart would not be used.
        warned += tried.iter().filter(|t| t.is_none()).count();
        assert!(warned <= SYSTEMS / 3, "{warned} fits warned: these are no experiments that tell figures");
        told.extend(tried.into_iter().flatten().flatten());
    }
    let within = |errors: f64| told.iter().filter(|&&far| far <= errors).count() as f64 / told.len() as f64;
    println!("within once {:.3}, within twice {:.3}, {warned} warned", within(1.0), within(2.0));
    assert!((0.55..=0.80).contains(&within(1.0)), "{:.3} of the figures within once", within(1.0));
    assert!(within(2.0) >= 0.90, "{:.3} of the figures within twice", within(2.0));
}
