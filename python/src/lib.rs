//! The Python module `lanescope._native`: the questions of the command line, asked from Python through the crate `ask`.
//!
//! What it is not: it computes nothing, and neither does the Python code around it. An answer is the JSON of the command of
//! the same name. No panic crosses the border: it becomes an exception.
//!
//! | word | meaning |
//! |---|---|
//! | answer | what a question returns: values, a table, and a view for notebooks |
//! | work | a question that may take long: it runs without the lock of the interpreter, and Ctrl-C ends it with what is done |
//! | points | those of a sweep that other processes run: which are open, and what has come back |
//! | table | an answer as rows and columns, passed on through the Arrow C interface |

mod answer;
mod errors;
mod long;
mod machine;
mod points;
mod system;
mod table;
mod value;
mod work;

use pyo3::exceptions::{PyImportError, PyRuntimeError};
use pyo3::prelude::*;
use sim::parts::Registration;

/// The name by which the Python code of the package finds its module.
const NAME: &str = "lanescope._native";

/// What the package is made of. `lanescope` shows it.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    fill(module, &[])
}

/// Makes a module of another crate the one that `import lanescope` uses, with the kinds of part that the crate defines
/// (see `docs/extending.md`). Call it from that crate's `#[pymodule]`.
///
/// # Errors
/// lanescope was imported before; a kind that cannot be registered.
pub fn extend(module: &Bound<'_, PyModule>, kinds: &[Registration]) -> PyResult<()> {
    let modules = module.py().import("sys")?.getattr("modules")?;
    if modules.contains(NAME)? {
        let name = module.name()?;
        return Err(PyImportError::new_err(format!("import {name} before lanescope: it brings kinds of part along")));
    }
    fill(module, kinds)?;
    modules.set_item(NAME, module)
}

fn fill(module: &Bound<'_, PyModule>, kinds: &[Registration]) -> PyResult<()> {
    let all: Vec<Registration> = storage::KINDS.iter().chain(kinds).copied().collect();
    sim::parts::register(&all).map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("LanescopeError", module.py().get_type::<errors::LanescopeError>())?;
    module.add("InternalError", module.py().get_type::<errors::InternalError>())?;
    module.add_class::<answer::Answer>()?;
    module.add_class::<system::System>()?;
    module.add_class::<machine::Machine>()?;
    module.add_class::<points::Points>()?;
    module.add_function(wrap_pyfunction!(system::bundled, module)?)?;
    module.add_function(wrap_pyfunction!(long::advise, module)?)?;
    module.add_function(wrap_pyfunction!(long::calibrate, module)?)?;
    module.add_function(wrap_pyfunction!(long::explain, module)?)?;
    module.add_function(wrap_pyfunction!(long::validate, module)?)?;
    module.add_function(wrap_pyfunction!(machine::inspect, module)?)
}
