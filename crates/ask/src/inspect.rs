//! A real machine with its limits and findings: `lanescope inspect`.

use probe::report::Report;
use probe::{Machine, Tree};
use serde_json::Value;

/// The machine, its limits and its findings.
pub fn value(machine: &Machine, tree: &Tree, report: &Report) -> Value {
    // A document of strings, numbers and maps can always be converted to JSON.
    let mut document = serde_json::to_value(view::machine::json::document(machine, tree)).unwrap_or_default();
    if let (Some(document), Value::Object(verdict)) = (document.as_object_mut(), view::machine::verdict::value(report))
    {
        document.extend(verdict);
    }
    document
}
