//! Answers.

use crate::errors::raised;
use crate::system::value_of;
use crate::table::{self, Kind};
use crate::value::to_python;
use lab::Unit;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde_json::Value;

/// An answer in pieces that Python can pickle: the words of its kind with its columns and unit, its JSON, whether it is
/// complete, its page, its pictures.
type Parts = ((String, String, Vec<String>, Option<String>), String, bool, Option<String>, Vec<(String, String)>);

/// A column of a table: its name, its unit, what its cells are, and the cells.
type Column = (String, String, &'static str, Py<PyAny>);

/// The answer to a question: `value` is the JSON of the command of the same name, as lists, dicts and numbers.
#[pyclass(frozen, module = "lanescope")]
pub struct Answer {
    kind: Kind,
    value: Value,
    complete: bool,
    html: Option<String>,
    /// Names and texts of the pictures of the report.
    pictures: Vec<(String, String)>,
}

impl Answer {
    /// An answer of a kind, with the number of its schema as the command prints it.
    pub fn new(kind: Kind, value: Value) -> Answer {
        Answer::of_rows(kind, view::json::numbered(value))
    }
    /// An answer that is the rows of a table, which have no number.
    pub fn of_rows(kind: Kind, value: Value) -> Answer {
        Answer { kind, value, complete: true, html: None, pictures: Vec::new() }
    }
    /// The same, which an interruption may have ended early.
    #[must_use]
    pub fn ended(self, complete: bool) -> Answer {
        Answer { complete, ..self }
    }
    /// The same, with a page for notebooks and its pictures.
    #[must_use]
    pub fn drawn(self, html: String, pictures: Vec<(String, String)>) -> Answer {
        Answer { html: Some(html), pictures, ..self }
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
    /// The columns of the table: the name, the unit, `text`, `real`, `integer` or `truth`, and the cells.
    fn table(&self, py: Python<'_>) -> PyResult<Vec<Column>> {
        let columns = table::columns(&self.kind, &self.value).into_iter();
        columns.map(|c| Ok((c.name, c.unit, c.of.word(), to_python(py, &Value::Array(c.cells))?))).collect()
    }
    /// The pictures of the report: name of the file, and SVG.
    #[getter]
    fn pictures(&self) -> Vec<(String, String)> {
        self.pictures.clone()
    }
    /// What [`Answer::again`] takes to make the same answer in another process.
    fn parts(&self) -> Parts {
        let (word, inner) = self.kind.words();
        let unit = self.kind.unit().map(|unit| unit.word().to_string());
        let kind = (word.to_string(), inner.to_string(), self.kind.asked.clone(), unit);
        (kind, self.value.to_string(), self.complete, self.html.clone(), self.pictures.clone())
    }
    /// The answer that had these parts.
    #[staticmethod]
    fn again(parts: Parts) -> PyResult<Answer> {
        let ((word, inner, asked, unit), value, complete, html, pictures) = parts;
        let unit = unit.as_deref().and_then(Unit::from_word);
        let wrong = || ask::Complaint::new(format!("`{word}` is no answer of this version"), "ask again");
        let kind = Kind::again(&word, &inner, asked, unit).ok_or_else(|| raised(wrong().into()))?;
        Ok(Answer { kind, value: value_of(&value)?, complete, html, pictures })
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
