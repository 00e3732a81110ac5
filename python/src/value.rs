//! JSON as objects of Python.

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use serde_json::Value;

/// The same value as an object of Python.
///
/// # Errors
/// No memory.
pub fn to_python(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    match value {
        Value::Null => Ok(py.None()),
        Value::Bool(word) => word.into_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(number), _) => number.into_py_any(py),
            (None, Some(number)) => number.into_py_any(py),
            (None, None) => number.as_f64().into_py_any(py),
        },
        Value::String(text) => text.into_py_any(py),
        Value::Array(items) => {
            let items = items.iter().map(|item| to_python(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_py_any(py)
        }
        Value::Object(pairs) => {
            let dict = PyDict::new(py);
            for (key, item) in pairs {
                dict.set_item(key, to_python(py, item)?)?;
            }
            dict.into_py_any(py)
        }
    }
}
