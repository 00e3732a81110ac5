//! Answers as tables, by the Arrow C interface. The unit of a column is in its metadata.

use crate::errors::InternalError;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, Float64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{DataType, Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// A column: its name, its unit (empty: text), and where its value is in a row, or with `^` in what the row is part of.
pub type Column = (&'static str, &'static str, &'static str);

/// What an answer is: the command that it is of, the list that is its rows, and its columns.
#[derive(Debug)]
pub struct Kind {
    /// The command.
    pub word: &'static str,
    /// The pointer to the list of rows in each item; empty: the items are the rows.
    inner: &'static str,
    columns: &'static [Column],
    /// Names of columns between the first ones and the others, which the question gave.
    pub asked: Vec<String>,
}

/// The unit of a column of plain numbers.
const ONE: &str = "1";
const RATE: &str = "B/s";
/// Bytes a second of one of the rates in an answer, which are in MB/s.
const MB: f64 = 1e6;

/// The columns of fitted figures.
const FIT_COLUMNS: &[Column] = &[
    ("figure", "", "/path"),
    ("found", "", "/value"),
    ("standard_error", "", "/standard_error"),
    ("global_correlation", ONE, "/global_correlation"),
    ("was", "", "/was"),
];

impl Kind {
    const fn of(word: &'static str, inner: &'static str, columns: &'static [Column]) -> Kind {
        Kind { word, inner, columns, asked: Vec::new() }
    }
    /// `limit`: one row for each flow of a point.
    pub const LIMIT: Kind = Kind::of(
        "limit",
        "/flows",
        &[
            ("system", "", "^/system"),
            ("experiment", "", "^/experiment"),
            ("at", "", "^/at"),
            ("flow", "", "/name"),
            ("alone_rate_bytes_per_s", RATE, "/alone/stream_mb_per_s"),
            ("together_rate_bytes_per_s", RATE, "/together/stream_mb_per_s"),
            ("application_rate_bytes_per_s", RATE, "/together/app_mb_per_s"),
            ("latency_ns", "ns", "/together/latency_ns"),
            ("bottleneck", "", "/together/bottleneck/name"),
        ],
    );
    /// `limit --what-if`: one row for each change.
    pub const WHAT_IF: Kind = Kind::of(
        "what-if",
        "/gains",
        &[
            ("system", "", "^/system"),
            ("experiment", "", "^/experiment"),
            ("what", "", "/what"),
            ("where", "", "/where"),
            ("from", "", "/from"),
            ("to", "", "/to"),
            ("gained_rate_bytes_per_s", RATE, "/gained_mb_per_s"),
            ("then_rate_bytes_per_s", RATE, "/then_mb_per_s"),
            ("then_held_by", "", "/then_held_by"),
        ],
    );
    /// `run`: one row for each flow of a point.
    pub const RUN: Kind = Kind::of(
        "run",
        "/flows",
        &[
            ("system", "", "^/system"),
            ("experiment", "", "^/experiment"),
            ("at", "", "^/at"),
            ("flow", "", "/name"),
            ("operation", "", "/operation"),
            ("rate_bytes_per_s", RATE, "/stream_mb_per_s"),
            ("limit_rate_bytes_per_s", RATE, "/limit/stream_mb_per_s"),
            ("application_rate_bytes_per_s", RATE, "/app_mb_per_s"),
            ("latency_median_ns", "ns", "/latency_ns/median"),
            ("latency_p99_ns", "ns", "/latency_ns/p99"),
            ("bottleneck", "", "/bottleneck/name"),
        ],
    );
    /// `tune`: one row for each setting.
    pub const TUNE: Kind =
        Kind::of("tune", "/turns", &[("set", "", "/what"), ("from", "", "/from"), ("to", "", "/to")]);
    /// `fit`: one row for each figure.
    pub const FIT: Kind = Kind::of("fit", "/figures", FIT_COLUMNS);
    /// `validate`: one row for each row of the references.
    pub const VALIDATE: Kind = Kind::of(
        "validate",
        "",
        &[
            ("system", "", "/system"),
            ("experiment", "", "/experiment"),
            ("at", "", "/at"),
            ("metric", "", "/metric"),
            ("unit", "", "/unit"),
            ("published", "", "/value"),
            ("simulated", "by the column unit", "/simulated"),
            ("limit", "by the column unit", "/limit"),
            ("error_percent", "%", "/error_percent"),
        ],
    );
    /// `sweep`: one row for each figure of a point.
    pub fn sweep(dimensions: Vec<String>) -> Kind {
        const COLUMNS: &[Column] = &[
            ("system", "", "/system"),
            ("experiment", "", "/experiment"),
            ("at", "", "/at"),
            ("metric", "", "/metric"),
            ("operation", "", "/operation"),
            ("unit", "", "/unit"),
            ("simulated", "by the column unit", "/simulated"),
            ("limit", "by the column unit", "/limit"),
            ("bottleneck", "", "/bottleneck"),
            ("latency_median_ns", "ns", "/latency_median_ns"),
            ("latency_p99_ns", "ns", "/latency_p99_ns"),
            ("latency_p999_ns", "ns", "/latency_p999_ns"),
            ("problem", "", "/problem"),
        ];
        Kind { asked: dimensions, ..Kind::of("sweep", "", COLUMNS) }
    }
    /// `show`: one row for each figure of a part, with its origin.
    pub const SHOW: Kind = Kind::of(
        "show",
        "/figures",
        &[
            ("parts", "", "/parts"),
            ("model", "", "/model"),
            ("figure", "", "/figure"),
            ("value", "", "/value"),
            ("origin", "", "/origin_in_full"),
        ],
    );
    /// `stream`: one row for each part of a stream.
    pub const STREAM: Kind = Kind::of(
        "stream",
        "/mb_per_s",
        &[
            ("system", "", "^/system"),
            ("experiment", "", "^/experiment"),
            ("at", "", "^/at"),
            ("rate_bytes_per_s", RATE, ""),
        ],
    );
    /// `advise`: one row for each candidate.
    pub const ADVISE: Kind = Kind::of(
        "advise",
        "/candidates",
        &[
            ("candidate", "", "/name"),
            ("about", "", "/about"),
            ("drives", ONE, "/drives"),
            ("headroom", ONE, "/headroom"),
            ("headroom_grown", ONE, "/headroom_grown"),
            ("verdict", "", "/verdict"),
        ],
    );
    /// `explain`: one row for each hypothesis.
    pub const EXPLAIN: Kind = Kind::of(
        "explain",
        "/hypotheses",
        &[
            ("cause", "", "/cause"),
            ("sentence", "", "/sentence"),
            ("score", ONE, "/score"),
            ("off", ONE, "/off"),
            ("verdict", "", "^/verdict"),
        ],
    );
    /// `calibrate`: one row for each figure that was found.
    pub const CALIBRATE: Kind = Kind::of("calibrate", "/fit/figures", FIT_COLUMNS);
    /// `calibrate` without measurements: one row for each that it needs.
    pub const NEEDS: Kind = Kind::of("calibrate", "/measurements", &[("name", "", "/name"), ("how", "", "/how")]);
    /// `inspect`: one row for each function.
    pub const FUNCTIONS: Kind = Kind::of(
        "inspect",
        "/functions",
        &[
            ("address", "", "/address"),
            ("class", "", "/class_name"),
            ("name", "", "/name"),
            ("port_type", "", "/port_type"),
            ("mps_bytes", "B", "/mps_bytes"),
            ("mrrs_bytes", "B", "/mrrs_bytes"),
            ("tag_bits", ONE, "/tag_bits"),
            ("driver", "", "/os/driver"),
            ("numa_node", ONE, "/os/numa_node"),
        ],
    );
    /// `inspect`: one row for each link.
    pub const LINKS: Kind = Kind::of(
        "inspect",
        "/links",
        &[
            ("upper", "", "/upper"),
            ("lower", "", "/lower"),
            ("gt_per_s", "GT/s", "/now/gt_per_s"),
            ("width", ONE, "/now/width"),
            ("possible_gt_per_s", "GT/s", "/possible/gt_per_s"),
            ("possible_width", ONE, "/possible/width"),
            ("why", "", "/why"),
        ],
    );
    /// `inspect`: one row for each device that moves data to and from memory.
    pub const LIMITS: Kind = Kind::of(
        "inspect",
        "/limits/devices",
        &[
            ("address", "", "/at"),
            ("role", "", "/role"),
            ("to_memory_rate_bytes_per_s", RATE, "/to_memory_mb_per_s"),
            ("to_memory_set_by", "", "/to_memory_set_by"),
            ("from_memory_rate_bytes_per_s", RATE, "/from_memory_mb_per_s"),
            ("from_memory_set_by", "", "/from_memory_set_by"),
        ],
    );
}

/// The names of the columns, and the rows.
pub fn rows(kind: &Kind, value: &Value) -> (Vec<String>, Vec<Vec<Value>>) {
    let items: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        one => vec![one],
    };
    let mut rows = Vec::new();
    for item in items {
        let within = if kind.inner.is_empty() { None } else { Some(item.pointer(kind.inner)) };
        match within {
            None => rows.push(row(kind, item, item)),
            Some(found) => {
                rows.extend(found.and_then(Value::as_array).into_iter().flatten().map(|inner| row(kind, item, inner)));
            }
        }
    }
    let names = kind.columns.iter().map(|(name, ..)| (*name).to_string()).chain(kind.asked.iter().cloned());
    (names.collect(), rows)
}

fn row(kind: &Kind, outer: &Value, inner: &Value) -> Vec<Value> {
    let cell = |(_, unit, at): &Column| {
        let found = at.strip_prefix('^').map_or_else(|| inner.pointer(at), |at| outer.pointer(at));
        match found.and_then(Value::as_f64).filter(|_| *unit == RATE) {
            Some(rate) => Value::from(rate * MB),
            None => found.cloned().unwrap_or_default(),
        }
    };
    let asked = kind.asked.iter().map(|name| inner.get(name).cloned().unwrap_or_default());
    kind.columns.iter().map(cell).chain(asked).collect()
}

/// The table as a stream of one batch.
pub fn stream<'py>(py: Python<'py>, kind: &Kind, value: &Value) -> PyResult<Bound<'py, PyCapsule>> {
    let batch = batch(kind, value).map_err(|error| InternalError::new_err(error.to_string()))?;
    let schema = batch.schema();
    let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

fn batch(kind: &Kind, value: &Value) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let (names, rows) = rows(kind, value);
    let mut fields = Vec::new();
    let mut arrays: Vec<ArrayRef> = Vec::new();
    for (number, name) in names.into_iter().enumerate() {
        let unit = kind.columns.get(number).map_or("", |(_, unit, _)| unit);
        let cells = rows.iter().map(|row| row.get(number).unwrap_or(&Value::Null));
        if unit.is_empty() {
            arrays.push(Arc::new(cells.map(text).collect::<StringArray>()));
            fields.push(Field::new(name, DataType::Utf8, true));
        } else {
            arrays.push(Arc::new(cells.map(Value::as_f64).collect::<Float64Array>()));
            let metadata = HashMap::from([("unit".to_string(), unit.to_string())]);
            fields.push(Field::new(name, DataType::Float64, true).with_metadata(metadata));
        }
    }
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

fn text(cell: &Value) -> Option<String> {
    match cell {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
