//! What `lanescope explain` answers.

use super::case::Case;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// A suspect with its figure.
#[derive(Clone, Debug)]
pub struct Fitted {
    pub suspect: String,
    /// The load for which the figure holds; `None` for all.
    pub load: Option<String>,
    pub mb_per_s: Option<f64>,
    pub time_ns: Option<f64>,
}

/// One hypothesis.
#[derive(Clone, Debug)]
pub struct Hypothesis {
    pub cause: String,
    pub score: f64,
    pub fitted: Vec<Fitted>,
    pub losses: Vec<String>,
    /// What limits each measurement.
    pub limited_by: Vec<String>,
}

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub verdict: String,
    pub hypotheses: Vec<Hypothesis>,
    /// Causes that fit as well.
    pub alike: Vec<String>,
    /// Loads of the measurements, in words.
    pub loads: Vec<String>,
    /// Measurements that are said to be unexplained.
    pub unexplained: Vec<usize>,
}

/// Writes the files of a case into a folder: the description, and the command line as a script.
pub fn write(case: &Case, folder: &Path) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    let name = format!("case{}", case.seed);
    fs::write(folder.join(format!("{name}.yaml")), case.machine.yaml())?;
    let mut script = String::new();
    for plant in &case.plants {
        script += &format!("# planted: {}\n", plant.told(&case.machine));
    }
    let rates: Vec<String> = case.rates.iter().map(|rate| format!("{:.0}", rate.mb_per_s)).collect();
    script += &format!("# without noise: {} MB/s\n", rates.join(", "));
    script += &format!("lanescope explain --machine {name}.yaml --noise 3");
    case.words().iter().for_each(|word| script += &format!(" \\\n  --measured '{word}'"));
    fs::write(folder.join(format!("{name}.sh")), script + "\n")
}

/// Asks the program.
pub fn ask(case: &Case, folder: &Path) -> Answer {
    write(case, folder).unwrap();
    let file = folder.join(format!("case{}.yaml", case.seed));
    let mut command = super::super::common::command(&["explain", "--json", "--noise", "3", "--threads", "1"]);
    command.arg("--machine").arg(&file);
    case.words().iter().for_each(|word| {
        command.args(["--measured", word]);
    });
    let output = command.output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 1)), "case {}: {complaint}", case.seed);
    read(&serde_json::from_slice(&output.stdout).unwrap())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn read(value: &Value) -> Answer {
    let fitted = |one: &Value| Fitted {
        suspect: text(&one["suspect"]),
        load: one["load"].as_str().map(str::to_string),
        mb_per_s: one["mb_per_s"].as_f64(),
        time_ns: one["time_ns"].as_f64(),
    };
    let hypothesis = |one: &Value| Hypothesis {
        cause: text(&one["cause"]),
        score: one["score"].as_f64().unwrap_or(f64::INFINITY),
        fitted: list(&one["fitted"]).iter().map(fitted).collect(),
        limited_by: list(&one["limited_by"]).iter().map(text).collect(),
        losses: list(&one["losses"]).iter().map(|loss| text(&loss["cause"])).collect(),
    };
    Answer {
        verdict: text(&value["verdict"]),
        hypotheses: list(&value["hypotheses"]).iter().map(hypothesis).collect(),
        alike: list(&value["alike"]).iter().map(|one| text(&one["cause"])).collect(),
        loads: list(&value["measurements"]).iter().map(|one| text(&one["load"])).collect(),
        unexplained: list(&value["unexplained"]).iter().filter_map(Value::as_u64).map(|n| n as usize).collect(),
    }
}
