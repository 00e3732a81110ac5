//! Work that may take long, on a thread of its own: the interpreter goes on, Ctrl-C ends the work with what is done.

use crate::errors;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Time between two looks at signals and progress.
const LOOK: Duration = Duration::from_millis(50);

/// What the work is told, and what it tells.
#[derive(Debug, Default)]
pub struct Control {
    /// True when the work is to end.
    pub interrupted: AtomicBool,
    /// Points that are finished.
    pub done: AtomicUsize,
    /// Points in all; 0 where the number is unknown.
    pub total: AtomicUsize,
}

impl Control {
    /// Counts one finished point.
    pub fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

/// Runs `work` without the lock of the interpreter. `progress` is called with the points done and in all.
///
/// # Errors
/// The error of the work; what `progress` or a handler of signals raised. Ctrl-C is no error: the work ends early.
pub fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce(&Control) -> Result<T, ask::Error> + Send,
) -> PyResult<T> {
    let control = Control::default();
    let mut raised = None;
    let result = py.detach(|| {
        let control = &control;
        let raised = &mut raised;
        std::thread::scope(|scope| {
            let (tell, hear) = channel();
            let _ = scope.spawn(move || tell.send(catch_unwind(AssertUnwindSafe(|| work(control)))));
            loop {
                match hear.recv_timeout(LOOK) {
                    Ok(result) => return Some(result),
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(error) = look(control, progress) {
                            control.interrupted.store(true, Ordering::SeqCst);
                            raised.get_or_insert(error);
                        }
                    }
                }
            }
        })
    });
    match raised {
        Some(error) if !error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) => return Err(error),
        _ => {}
    }
    result.map_or_else(|| Err(errors::InternalError::new_err("the work has gone")), errors::flattened)
}

/// Handles signals, and tells the progress.
fn look(control: &Control, progress: Option<&Py<PyAny>>) -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        let Some(progress) = progress else { return Ok(()) };
        let (done, total) = (control.done.load(Ordering::Relaxed), control.total.load(Ordering::Relaxed));
        progress.call1(py, (done, total)).map(drop)
    })
}
