//! Errors as exceptions, with the text of the command line.

use miette::Diagnostic;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

create_exception!(
    lanescope,
    LanescopeError,
    PyValueError,
    "Input that is wrong, with its place and what would be right."
);
create_exception!(lanescope, InternalError, LanescopeError, "The program contradicts itself.");

/// Width in columns of the text of an error.
const WIDTH: usize = 120;
/// The code of internal errors.
const INTERNAL: &str = "internal";

/// The exception for an error of the libraries. Its text is that of the command line.
pub fn raised(error: ask::Error) -> PyErr {
    Python::attach(|py| {
        let text = ask::report(&error, WIDTH, false);
        let internal = error.code().is_some_and(|code| code.to_string() == INTERNAL);
        let text = text.trim_end().to_string();
        let raised = if internal { InternalError::new_err(text) } else { LanescopeError::new_err(text) };
        let place = ask::place(&error);
        let help = error.help().map(|help| help.to_string());
        let value = raised.value(py);
        let set = value
            .setattr("message", error.to_string())
            .and_then(|()| value.setattr("file", place.as_ref().map(|(file, _)| file.clone())))
            .and_then(|()| value.setattr("line", place.as_ref().map(|(_, line)| *line)))
            .and_then(|()| value.setattr("help", help));
        set.map_or_else(|error| error, |()| raised)
    })
}

/// The result of `f`; a panic in it is an [`InternalError`].
pub fn guarded<T>(f: impl FnOnce() -> Result<T, ask::Error>) -> PyResult<T> {
    flattened(catch_unwind(AssertUnwindSafe(f)))
}

/// The result of a call that may have panicked.
pub fn flattened<T>(result: std::thread::Result<Result<T, ask::Error>>) -> PyResult<T> {
    match result {
        Ok(result) => result.map_err(raised),
        Err(panic) => Err(InternalError::new_err(format!("the program stopped: {}", said(&*panic)))),
    }
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("without a word")
}
