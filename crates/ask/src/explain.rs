//! Why rates are what they are: `lanescope explain`.

mod result;
mod subject;
mod typed;

pub use typed::Measured;

use crate::error::{Complaint, Error};
use lab::explain::{Evidence, Explanation, Hypothesis, Measurement, Verdict};
use lab::{DescribedMachine, Unit, reference};
use result::BenchResult;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use subject::Subject;

/// The schema of the JSON, which a later form would have another number of.
const SCHEMA: &str = "lanescope-explain/1";

/// The options, as their text.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// Files of `bench disk --json`.
    pub results: &'a [String],
    /// Rates in words.
    pub measured: &'a [String],
    /// A table of published rates, or the name of a bundled one.
    pub on: Option<&'a str>,
    /// A described machine, what `lspci` printed, or a capture; `None` for what the results carry, what the table names, or
    /// this machine.
    pub machine: Option<&'a str>,
    /// Overrides of a described machine.
    pub set: &'a [String],
    /// The standard deviation of a rate, in percent.
    pub noise: Option<f64>,
}

/// What there is to explain.
pub struct Prepared {
    /// The measurements.
    pub evidence: Evidence,
    /// What was left out, or is to be known of the rates.
    pub notes: Vec<String>,
}

impl Asked<'_> {
    /// Reads the measurements.
    ///
    /// # Errors
    /// An option, a file or a name that is wrong; nothing to explain.
    pub fn prepare(&self) -> Result<Prepared, Error> {
        if self.results.is_empty() && self.measured.is_empty() && self.on.is_none() {
            let right =
                "give a result of `bench disk --json=FILE`, --measured 'disk=sda,sdb rate=290MiB/s', or --on TABLE";
            return Err(Complaint::new("there is nothing to explain", right).into());
        }
        if !self.set.is_empty() && self.described().is_none() {
            return Err(Complaint::new("--set changes a described machine", "name one: --machine").into());
        }
        let (mut all, mut notes, mut iommu) = (Vec::new(), Vec::new(), Vec::new());
        let subject = self.machine.map(|machine| self.subject(machine)).transpose()?;
        for path in self.results {
            let result = BenchResult::open(path)?;
            let own = match &subject {
                Some(subject) => subject.clone(),
                None => result.subject()?,
            };
            let (measurements, more) = result.measurements(&own)?;
            all.extend(measurements);
            notes.extend(more);
            iommu.push(own.iommu);
        }
        if let Some(table) = self.on {
            all.extend(self.rows(table)?);
        }
        if !self.measured.is_empty() {
            let typed = self.measured.iter().map(|text| Measured::parse(text)).collect::<Result<Vec<_>, _>>()?;
            let subject = match (subject, self.results) {
                (Some(subject), _) => subject,
                (None, [.., last]) => BenchResult::open(last)?.subject()?,
                (None, []) => Subject::seen(&probe::live(Path::new("/sys"))?, &[]),
            };
            for one in &typed {
                all.push(subject.measurement(one)?);
            }
            iommu.push(subject.iommu);
        }
        let mut evidence = Evidence::new(all);
        // Known where all machines say the same.
        iommu.dedup();
        evidence.iommu = if let [one] = iommu[..] { one } else { None };
        let read_off = self.results.is_empty();
        let typed = read_off && self.on.is_none();
        evidence.is_read_off = typed;
        evidence.noise = self.noise.map_or(if typed { TYPED } else { evidence.noise }, |percent| percent / 100.0);
        // What was published was fitted to; of other real machines, less is known.
        evidence.level = if self.on.is_some() { evidence.level } else { LEVEL };
        Ok(Prepared { evidence, notes })
    }

    fn described(&self) -> Option<&str> {
        self.machine.filter(|machine| is_description(machine))
    }

    fn subject(&self, machine: &str) -> Result<Subject, Error> {
        if is_description(machine) {
            return Subject::described(&DescribedMachine::open(machine, self.set)?);
        }
        let drives: Vec<_> = Vec::new();
        Ok(Subject::seen(&probe::read(Path::new(machine))?, &drives))
    }

    fn rows(&self, table: &str) -> Result<Vec<Measurement>, Error> {
        let path = Path::new(table);
        let table = match reference::bundled_named(table) {
            Some(bundled) if !path.exists() => bundled.clone(),
            _ => reference::open(path)?,
        };
        let systems: BTreeSet<&str> = table.rows.iter().map(|row| row.system.as_str()).collect();
        let systems: Vec<&str> = systems.into_iter().collect();
        let name = match (self.described(), &systems[..]) {
            (Some(machine), _) => machine,
            (None, [only]) => only,
            (None, several) => {
                let what = format!("{} has rows of {} machines", table.name, several.len());
                return Err(Complaint::new(what, format!("write --machine with one of {}", several.join(", "))).into());
            }
        };
        Ok(Measurement::of_rows(&DescribedMachine::open(name, self.set)?, &table)?)
    }
}

/// The noise of rates that somebody read off: they are rounded, and of runs of unknown length.
const TYPED: f64 = 0.05;

/// How far a real machine may be from what its links allow, all rates alike: what software, flow control and other traffic take.
const LEVEL: f64 = 0.08;

/// True for the name of a bundled machine or of a file in YAML; anything else is what was seen of a real machine.
fn is_description(machine: &str) -> bool {
    system::bundled::names().any(|name| name == machine)
        || Path::new(machine).extension().is_some_and(|ending| ending == "yaml" || ending == "yml")
        || !(Path::new(machine).exists() || machine.contains(['/', '.']))
}

/// The word of a verdict.
pub fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Found => "found",
        Verdict::Undecided(_) => "undecided",
        Verdict::Unexplained => "unexplained",
    }
}

/// The answer as JSON.
pub fn value(prepared: &Prepared, found: &Explanation) -> Value {
    let mb = |rate: f64| rate / 1e6;
    let measurements = prepared.evidence.measurements.iter().map(|one| {
        json!({
            "name": one.name,
            "load": one.load,
            "mb_per_s": [mb(one.rate.low), one.rate.high.map(mb)],
            "busy": one.busy,
        })
    });
    let next_of = |next: &lab::explain::Next| {
        json!({
            "what": next.what,
            "first_mb_per_s": mb(next.rates.first),
            "second_mb_per_s": mb(next.rates.second),
        })
    };
    let alike = found
        .alike
        .iter()
        .map(|alike| json!({ "cause": alike.cause.to_string(), "next": alike.next.as_ref().map(next_of) }));
    let next = match &found.verdict {
        Verdict::Undecided(Some(next)) => next_of(next),
        _ => Value::Null,
    };
    json!({
        "schema": SCHEMA,
        "complete": found.complete,
        "verdict": word(&found.verdict),
        "noise_percent": 100.0 * prepared.evidence.noise,
        "measurements": measurements.collect::<Vec<_>>(),
        "hypotheses": found.hypotheses.iter().map(hypothesis).collect::<Vec<_>>(),
        "next": next,
        "alike": alike.collect::<Vec<_>>(),
        "unexplained": found.hypotheses.first().map(|best| best.unexplained(&prepared.evidence)),
        "above_what_links_allow": found.above,
        "unknown": found.unknown,
        "notes": prepared.notes,
    })
}

fn hypothesis(of: &Hypothesis) -> Value {
    let mb = |rate: &f64| rate / 1e6;
    let fitted = of.fitted.iter().map(|fitted| {
        let rate = fitted.rate();
        json!({
            "suspect": fitted.suspect.to_string(),
            "load": fitted.load,
            "mb_per_s": rate.map(|rate| mb(&rate)),
            "time_ns": (rate.is_none() || !fitted.suspect.is_rate()).then_some(fitted.figure * 1e9),
            "error_percent": fitted.error.is_finite().then_some(100.0 * fitted.error),
        })
    });
    let losses = of.losses.iter().map(|loss| json!({ "cause": loss.cause.to_string(), "gain": loss.gain }));
    let causes = of.causes().map(|loss| {
        let figures = of.figures_of(&loss.cause).into_iter().map(|fitted| fitted.told(Unit::MbPerS));
        json!({
            "cause": loss.cause.to_string(),
            "kind": loss.cause.kind(),
            "places": loss.cause.places(),
            "figures": figures.collect::<Vec<_>>(),
            "gain": loss.gain,
            "gain_at_most": loss.most(),
            "explains": loss.explains.iter().map(|one| one.measurement).collect::<Vec<_>>(),
        })
    });
    json!({
        "cause": of.cause().map(ToString::to_string),
        "sentence": of.sentence(Unit::MbPerS),
        "score": of.score,
        "off": of.off,
        "fitted": fitted.collect::<Vec<_>>(),
        "losses": losses.collect::<Vec<_>>(),
        "causes": causes.collect::<Vec<_>>(),
        "predicted_mb_per_s": of.predicted.iter().map(mb).collect::<Vec<_>>(),
        "limited_by": (0..of.limited_by.len()).map(|number| of.limit_of(number, Unit::MbPerS)).collect::<Vec<_>>(),
    })
}
