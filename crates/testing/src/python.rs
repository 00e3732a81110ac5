//! Python packages that tests want, in a folder of their own: `make test-deps` makes it.

use crate::skip::skip;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The interpreter that has `module` (several separated by commas); where there is none, the test `test` is skipped: one line says so.
pub fn python(test: &str, module: &str) -> Option<PathBuf> {
    let interpreter = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-python/bin/python");
    let mut import = Command::new(&interpreter);
    import.args(["-c", &format!("import {module}")]).stdout(Stdio::null()).stderr(Stdio::null());
    let found = import.status().is_ok_and(|status| status.success());
    if !found {
        skip(test, &format!("the Python package `{module}` is not installed (`make test-deps` installs it)"));
    }
    found.then_some(interpreter)
}
