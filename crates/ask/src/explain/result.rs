//! The results of `lanescope bench disk`, as their JSON has them.

use super::subject::Subject;
use super::typed::{HOST, Load, Measured, Move};
use crate::bench::{CHANNEL, SCHEMA};
use crate::error::{Complaint, Error};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lab::Span;
use lab::explain::Measurement;
use pcie::Bytes;
use probe::{Address, Machine};
use serde_json::Value;
use std::path::Path;

/// The most bytes of a result that are read.
const MOST_BYTES: u64 = 256 << 20;

/// True for the schema that is read here with a higher number.
fn is_newer(schema: &str) -> bool {
    let halves = |text: &str| {
        text.rsplit_once('/').and_then(|(name, number)| Some((name.to_string(), number.parse::<u32>().ok()?)))
    };
    halves(schema).zip(halves(SCHEMA)).is_some_and(|(found, known)| found.0 == known.0 && found.1 > known.1)
}

/// One result.
pub struct BenchResult {
    name: String,
    value: Value,
}

impl BenchResult {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, or is no such result.
    pub fn open(path: &str) -> Result<BenchResult, Complaint> {
        let right = "give what `lanescope bench disk ... --json=FILE` wrote";
        let wrong = |what: String| Complaint::new(format!("{path}: {what}"), right);
        let length = std::fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
        if length > MOST_BYTES {
            return Err(wrong(format!("{length} bytes are more than a result has")));
        }
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let value: Value = serde_json::from_str(&text).map_err(|error| wrong(format!("it is no JSON: {error}")))?;
        let is_channel = |drive: &Value| drive["kind"].as_str().is_some_and(|kind| kind.starts_with(CHANNEL));
        match value["schema"].as_str() {
            Some(SCHEMA) if list(&value["drives"]).any(is_channel) => {
                Err(wrong("it is of a card (`bench card`), and disks are explained here".into()))
            }
            Some(SCHEMA) => {
                let name = Path::new(path).file_name().map_or(path.into(), |name| name.to_string_lossy().into_owned());
                Ok(BenchResult { name, value })
            }
            Some(other) if is_newer(other) => {
                let what =
                    format!("{path}: it is of a newer lanescope: its schema is `{other}`, and `{SCHEMA}` is read here");
                Err(Complaint::new(what, "explain it with the lanescope that wrote it, or a newer one"))
            }
            Some(other) => Err(wrong(format!("its schema is `{other}`, and `{SCHEMA}` is read here"))),
            None => Err(wrong("it has no schema".into())),
        }
    }

    /// The drives, each with its controller.
    fn drives(&self) -> Vec<(Option<Address>, String)> {
        let one = |drive: &Value| {
            let at = drive["way"].as_array().and_then(|way| way.last()?.as_str()?.parse().ok());
            Some((at, drive["name"].as_str()?.to_string()))
        };
        list(&self.value["drives"]).filter_map(one).collect()
    }

    /// The machine that it was measured on, by the capture that it carries.
    ///
    /// # Errors
    /// It carries none, or a damaged one.
    pub fn subject(&self) -> Result<Subject, Error> {
        let wrong =
            |what: String| Complaint::new(format!("{}: {what}", self.name), "describe the machine: --machine FILE");
        let Some(text) = self.value["capture"].as_str() else {
            return Err(wrong("it carries no capture of the machine".into()).into());
        };
        let bytes = STANDARD.decode(text).map_err(|error| wrong(format!("its capture is damaged: {error}")))?;
        let machine: Machine =
            probe::read::of_bytes(bytes).map_err(|error| wrong(format!("its capture is damaged: {error}")))?;
        Ok(Subject::seen(&machine, &self.drives()))
    }

    /// The runs, and what of them is left out.
    pub fn measured(&self) -> (Vec<Measured>, Vec<String>) {
        let (mut all, mut notes) = (Vec::new(), Vec::new());
        for run in list(&self.value["runs"]) {
            let subset = run["subset"].as_str().unwrap_or_default();
            let names = list(&run["drives"]).filter_map(|drive| drive["name"].as_str());
            let reads = run["reads_percent"].as_u64().unwrap_or(100);
            let disk = |name: &str| match reads == 0 {
                true => Move { from: HOST.into(), to: name.to_string() },
                false => Move { from: name.to_string(), to: HOST.into() },
            };
            let moves: Vec<Move> = names.map(disk).collect();
            let rate = run["mb_per_s"].as_f64().filter(|rate| *rate > 0.0).map(|rate| rate * 1e6);
            let size = Bytes(run["block"].as_u64().unwrap_or(0));
            let of = || format!("{}: {subset}, {size} x {}", self.name, run["depth"]);
            let Some(rate) = rate.filter(|_| !moves.is_empty()) else {
                notes.push(format!("{} has no rate", of()));
                continue;
            };
            if run["asked_mb_per_s"].is_number() {
                notes.push(format!("{} was asked for a rate, and tells nothing of what could be: left out", of()));
                continue;
            }
            if ![0, 100].contains(&reads) {
                notes.push(format!("{} mixes reads and writes: left out", of()));
                continue;
            }
            if list(&run["drives"]).any(|drive| drive["steady"] == Value::Bool(false)) {
                notes.push(format!("{} was not steady: its rate may be that of a cache, or fall with heat", of()));
            }
            let load = Load {
                block: run["block"].as_u64().unwrap_or(Load::default().block),
                depth: run["depth"].as_u64().filter(|&depth| depth > 0),
                random: run["pattern"].as_str() == Some("random"),
                cores: None,
            };
            // A thread that looks for ends is busy all the time, whatever the drive gives.
            let is_told = run["polled"] != Value::Bool(true);
            let busy = list(&run["drives"])
                .filter(|_| is_told)
                .filter_map(|drive| drive["busy"].as_f64())
                .fold(None, |most: Option<f64>, busy| Some(most.map_or(busy, |most| most.max(busy))));
            let rate = Span { low: rate, high: Some(rate) };
            let mut nodes: Vec<Option<u64>> = list(&run["drives"]).map(|drive| drive["numa_node"].as_u64()).collect();
            nodes.dedup();
            let node = if let [Some(one)] = nodes[..] { u32::try_from(one).ok() } else { None };
            all.push(Measured { name: subset.to_string(), moves, load, rate, busy, node, is_of_disks: true });
        }
        (all, notes)
    }

    /// The measurements, on `subject` or the machine that the result carries.
    ///
    /// # Errors
    /// As [`BenchResult::subject`]; a drive that the machine does not have.
    pub fn measurements(&self, subject: &Subject) -> Result<(Vec<Measurement>, Vec<String>), Error> {
        let (all, notes) = self.measured();
        let all = all.iter().map(|one| subject.measurement(one)).collect::<Result<_, _>>()?;
        Ok((all, notes))
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
