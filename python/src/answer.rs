//! Answers.

use crate::table::{self, Kind};
use crate::value::to_python;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde_json::Value;

/// The answer to a question: `value` is the JSON of the command of the same name, as lists, dicts and numbers.
#[pyclass(frozen, module = "lanescope")]
pub struct Answer {
    kind: Kind,
    value: Value,
    complete: bool,
    html: Option<String>,
}

impl Answer {
    /// An answer of a kind, with the number of its schema as the command prints it.
    pub fn new(kind: Kind, value: Value) -> Answer {
        Answer::of_rows(kind, view::json::numbered(value))
    }
    /// An answer that is the rows of a table, which have no number.
    pub fn of_rows(kind: Kind, value: Value) -> Answer {
        Answer { kind, value, complete: true, html: None }
    }
    /// The same, which an interruption may have ended early.
    #[must_use]
    pub fn ended(self, complete: bool) -> Answer {
        Answer { complete, ..self }
    }
    /// The same, with a page for notebooks.
    #[must_use]
    pub fn drawn(self, html: String) -> Answer {
        Answer { html: Some(html), ..self }
    }
}

#[pymethods]
impl Answer {
    /// The command that gives the same answer.
    #[getter]
    fn kind(&self) -> &'static str {
        self.kind.word
    }
    /// The JSON of the command, as lists, dicts and numbers.
    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.value)
    }
    /// False if Ctrl-C ended it early.
    #[getter]
    fn complete(&self) -> bool {
        self.complete
    }
    /// The page of the report, where there is one.
    #[getter]
    fn html(&self) -> Option<&str> {
        self.html.as_deref()
    }
    /// The JSON as text, byte for byte what the command prints where its keys are sorted.
    fn json(&self) -> String {
        view::json::plain(&self.value)
    }
    /// The names of the table's columns, and its rows.
    fn rows(&self, py: Python<'_>) -> PyResult<(Vec<String>, Py<PyAny>)> {
        let (columns, rows) = table::rows(&self.kind, &self.value);
        let rows = Value::Array(rows.into_iter().map(Value::Array).collect());
        Ok((columns, to_python(py, &rows)?))
    }
    /// The table, by the Arrow C interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The standard permits a producer to ignore the request: the consumer then converts.
        let _ = requested_schema;
        table::stream(py, &self.kind, &self.value)
    }
}
