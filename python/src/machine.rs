//! Real machines.

use crate::answer::Answer;
use crate::errors::guarded;
use crate::system::value_of;
use crate::table::Kind;
use crate::value::to_python;
use probe::report::Report;
use probe::{Tree, read};
use pyo3::prelude::*;
use serde_json::Value;
use std::path::Path;

/// A real machine with its limits and findings.
#[pyclass(frozen, module = "lanescope._native")]
pub struct Machine {
    value: Value,
    text: String,
    picture: String,
}

/// Reads a machine from a file or folder; `None`: this machine.
#[pyfunction]
#[pyo3(signature = (path=None))]
pub fn inspect(py: Python<'_>, path: Option<&str>) -> PyResult<Machine> {
    let seen = || {
        let machine = match path {
            Some(path) => probe::read(Path::new(path))?,
            None => probe::live(Path::new("/sys"))?,
        };
        Ok(Machine::of(&machine))
    };
    py.detach(|| guarded(seen))
}

impl Machine {
    fn of(machine: &probe::Machine) -> Machine {
        let tree = Tree::of(machine);
        let report = Report::of(machine, &tree, false);
        let rows = view::machine::show::rows(machine, &tree, false);
        let line = |row: &view::machine::show::Row| {
            let words: Vec<&str> = row.line.iter().map(|span| span.text.as_str()).collect();
            format!("{}{}\n", row.branch, words.join("  "))
        };
        let text = rows.iter().map(line).collect::<String>();
        Machine {
            value: ask::inspect::value(machine, &tree, &report),
            text: format!("{}\n{text}", view::machine::show::heading(machine)),
            picture: view::machine::svg::draw(machine, &tree, &report),
        }
    }
}

#[pymethods]
impl Machine {
    /// Reads what `lspci -vvv` or `lspci -xxxx` prints, or a capture, from memory.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, name: &str, bytes: &[u8]) -> PyResult<Machine> {
        py.detach(|| guarded(|| Ok(Machine::of(&read::stream(bytes, name)?))))
    }
    /// What [`Machine::again`] takes to make the same machine in another process: JSON, tree, picture.
    fn parts(&self) -> (String, String, String) {
        (self.value.to_string(), self.text.clone(), self.picture.clone())
    }
    /// The machine that had these parts.
    #[staticmethod]
    fn again(parts: (String, String, String)) -> PyResult<Machine> {
        let (value, text, picture) = parts;
        Ok(Machine { value: value_of(&value)?, text, picture })
    }
    /// The JSON of `lanescope inspect`, as lists, dicts and numbers.
    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.value)
    }
    /// The tree as text.
    #[getter]
    fn text(&self) -> &str {
        &self.text
    }
    /// The tree as SVG.
    #[getter]
    fn picture(&self) -> &str {
        &self.picture
    }
    /// The functions as an answer, for a table.
    fn functions(&self) -> Answer {
        Answer::new(Kind::FUNCTIONS, self.value.clone())
    }
    /// The links as an answer, for a table.
    fn links(&self) -> Answer {
        Answer::new(Kind::LINKS, self.value.clone())
    }
    /// The limits of devices as an answer, for a table.
    fn limits(&self) -> Answer {
        Answer::new(Kind::LIMITS, self.value.clone())
    }
}
