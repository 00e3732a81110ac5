//! `import frame_grabber`: lanescope in Python, with frame grabbers.

use pyo3::prelude::*;

#[pymodule]
fn frame_grabber(module: &Bound<'_, PyModule>) -> PyResult<()> {
    lanescope_native::extend(module, &[::frame_grabber::FRAME_GRABBER])
}
