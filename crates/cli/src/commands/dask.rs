//! `lanescope sweep ... --dask ADDRESS`: the Python package asks the workers of a Dask scheduler. Nothing is computed here.

use crate::args::{Engine, Sweep};
use crate::exit::{Complaint, End, Failure};
use crate::screen::Screen;
use std::process::{Command, Stdio};

/// What the package ends with when it was interrupted.
const INTERRUPTED: i32 = 130;
/// What names the Python.
const PYTHON: &str = "LANESCOPE_PYTHON";
/// The one that is taken else.
const USUAL: &str = "python3";

/// Runs the sweep by the package.
///
/// # Errors
/// No Python, no package or no Dask; what the package says.
pub fn run(asked: &Sweep, address: &str, screen: &Screen) -> Result<End, Failure> {
    let python = std::env::var(PYTHON).unwrap_or_else(|_| USUAL.to_string());
    let install =
        format!("pip install ./python and pip install 'distributed', for {python}; {PYTHON} names another one");
    let there = Command::new(&python).args(["-c", "import lanescope, distributed"]).stderr(Stdio::null()).status();
    match there {
        Err(error) => return Err(Complaint::new(format!("{python} does not run: {error}"), install).into()),
        Ok(status) if !status.success() => {
            let what = format!("{python} has no package lanescope with Dask");
            return Err(Complaint::new(what, install).into());
        }
        Ok(_) => {}
    }
    let status = Command::new(&python).args(words(asked, address, screen.unit)).status();
    let status = status.map_err(|error| Complaint::new(format!("{python} does not run: {error}"), install))?;
    match status.code() {
        Some(0) => Ok(End::Done),
        None | Some(INTERRUPTED) => Ok(End::Interrupted),
        Some(code) => {
            Err(Complaint::new(format!("the package ended with {code}"), "what it says above would be right").into())
        }
    }
}

/// The command line of the package.
fn words(asked: &Sweep, address: &str, unit: Option<lab::Unit>) -> Vec<String> {
    let mut words: Vec<String> = ["-m", "lanescope", "sweep", "--dask", address].map(String::from).to_vec();
    words.push(asked.machine.system.clone());
    words.extend(asked.experiment.clone());
    words.extend(asked.over.iter().map(|over| format!("--over={over}")));
    words.extend(asked.machine.set.iter().map(|set| format!("--set={set}")));
    words.extend(asked.sample.map(|count| format!("--sample={count}")));
    words.push(format!("--seed={}", asked.seed));
    words.push(format!("--by={}", if asked.by == Engine::Limit { "limit" } else { "sim" }));
    let out = asked.out.as_deref().filter(|path| path.as_os_str() != "-");
    words.extend(out.map(|path| format!("--out={}", path.display())));
    words.extend(unit.map(|unit| format!("--unit={}", unit.word())));
    words.extend(asked.resume.then(|| "--resume".to_string()));
    words
}
