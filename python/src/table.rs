//! Answers as tables, by the Arrow C interface. The unit of a column is in its name and in its metadata; axes are columns of
//! their own, as numbers where all their values are numbers.

use crate::errors::InternalError;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{DataType, Field, Schema};
use lab::Unit;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// A column: its name, its unit (empty: text), and where its value is in a row; with `^` in what the row is part of, with
/// `=` in the first figure of its point that is of its flow.
pub type Column = (&'static str, &'static str, &'static str);

/// What an answer is: the command that it is of, the list that is its rows, and its columns.
#[derive(Clone, Debug)]
pub struct Kind {
    /// The command.
    pub word: &'static str,
    /// The pointer to the list of rows in each item; empty: the items are the rows.
    inner: &'static str,
    columns: &'static [Column],
    /// Names of columns after the others, which the question gave.
    pub asked: Vec<String>,
    /// The unit of rates; `None`: bytes a second.
    unit: Option<Unit>,
}

/// The unit of a column of plain numbers.
const ONE: &str = "1";
const RATE: &str = "B/s";
/// How the name of a column of rates ends, where no unit was asked for.
const RATE_NAME: &str = "_rate_bytes_per_s";
/// Bytes a second of one of the rates in an answer, which are in MB/s.
const MB: f64 = 1e6;
/// The column behind which the axes are.
const AT: &str = "at";

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
        Kind { word, inner, columns, asked: Vec::new(), unit: None }
    }
    /// The same, with rates in this unit.
    #[must_use]
    pub fn told_in(self, unit: Option<Unit>) -> Kind {
        Kind { unit, ..self }
    }
    /// The unit of rates, where one was asked for.
    pub fn unit(&self) -> Option<Unit> {
        self.unit
    }
    /// The words by which [`Kind::again`] finds it.
    pub fn words(&self) -> (&'static str, &'static str) {
        (self.word, self.inner)
    }
    /// The kind with these words.
    pub fn again(word: &str, inner: &str, asked: Vec<String>, unit: Option<Unit>) -> Option<Kind> {
        let all = [
            Kind::LIMIT,
            Kind::WHAT_IF,
            Kind::RUN,
            Kind::TUNE,
            Kind::FIT,
            Kind::VALIDATE,
            Kind::sweep(Vec::new()),
            Kind::SHOW,
            Kind::STREAM,
            Kind::ADVISE,
            Kind::EXPLAIN,
            Kind::CALIBRATE,
            Kind::NEEDS,
            Kind::FUNCTIONS,
            Kind::LINKS,
            Kind::LIMITS,
        ];
        let found = all.into_iter().find(|kind| kind.words() == (word, inner));
        found.map(|kind| Kind { asked, unit, ..kind })
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
            // An answer that was kept by the version before has other names.
            ("limit_rate_bytes_per_s", RATE, "/limit/stream_mb_per_s|/alone/stream_mb_per_s"),
            ("fair_rate_bytes_per_s", RATE, "/fair/stream_mb_per_s|/together/stream_mb_per_s"),
            ("application_rate_bytes_per_s", RATE, "/fair/app_mb_per_s|/together/app_mb_per_s"),
            ("latency_ns", "ns", "/fair/latency_ns|/together/latency_ns"),
            ("bottleneck", "", "/fair/bottleneck/name|/together/bottleneck/name"),
            ("bottleneck_what", "", "/fair/bottleneck/what|/together/bottleneck/what"),
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
            ("fair_rate_bytes_per_s", RATE, "/fair/stream_mb_per_s"),
            ("application_rate_bytes_per_s", RATE, "/app_mb_per_s"),
            ("latency_median_ns", "ns", "/latency_ns/median"),
            ("latency_p99_ns", "ns", "/latency_ns/p99"),
            ("bottleneck", "", "/bottleneck/name"),
            ("bottleneck_what", "", "/bottleneck/what"),
            ("bottleneck_gain_percent", "%", "/bottleneck/gain_percent"),
            ("metric", "", "=metric"),
            ("metric_unit", "", "=unit"),
            ("metric_simulated", "by the column metric_unit", "=simulated"),
            ("metric_limit", "by the column metric_unit", "=limit"),
            ("metric_fair", "by the column metric_unit", "=fair"),
            ("metric_published", "by the column metric_unit", "=published"),
            ("error_percent", "%", "=error_percent"),
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

/// What the cells of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    Text,
    Real,
    Integer,
    Truth,
}

impl Type {
    /// Its word in Python.
    pub fn word(self) -> &'static str {
        match self {
            Type::Text => "text",
            Type::Real => "real",
            Type::Integer => "integer",
            Type::Truth => "truth",
        }
    }
    /// What all these cells are. Missing ones are of any type.
    fn of<'a>(cells: impl Iterator<Item = &'a Value>) -> Type {
        let each = cells.filter_map(|cell| match cell {
            Value::Null => None,
            Value::Bool(_) => Some(Type::Truth),
            Value::Number(number) if number.is_f64() => Some(Type::Real),
            Value::Number(number) => Some(if number.is_i64() { Type::Integer } else { Type::Real }),
            _ => Some(Type::Text),
        });
        let joined = each.reduce(|one, other| match (one, other) {
            (one, other) if one == other => one,
            (Type::Real, Type::Integer) | (Type::Integer, Type::Real) => Type::Real,
            _ => Type::Text,
        });
        joined.unwrap_or(Type::Text)
    }
}

/// A column with its cells.
#[derive(Debug)]
pub struct Cells {
    pub name: String,
    /// Empty where it has none.
    pub unit: String,
    pub of: Type,
    pub cells: Vec<Value>,
}

/// The columns of an answer.
pub fn columns(kind: &Kind, value: &Value) -> Vec<Cells> {
    let found = found(kind, value);
    let mut all: Vec<Cells> = Vec::new();
    for column in kind.columns {
        all.push(declared(kind, column, &found));
        if column.0 == AT {
            let taken: Vec<&str> = kind.columns.iter().map(|(name, ..)| *name).collect();
            all.extend(axes(&all[all.len() - 1].cells, &taken, &kind.asked));
        }
    }
    let asked = kind.asked.iter().map(|name| {
        let cells = found.iter().map(|(_, inner)| inner.get(name).cloned().unwrap_or_default());
        typed(name.clone(), cells.collect())
    });
    all.into_iter().chain(asked).collect()
}

/// The items of the rows: what each is part of, and itself.
fn found<'a>(kind: &Kind, value: &'a Value) -> Vec<(&'a Value, &'a Value)> {
    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    let rows = |item: &'a Value| match kind.inner {
        "" => vec![(item, item)],
        inner => item.pointer(inner).and_then(Value::as_array).into_iter().flatten().map(|row| (item, row)).collect(),
    };
    items.iter().flat_map(rows).collect()
}

fn declared(kind: &Kind, column: &Column, found: &[(&Value, &Value)]) -> Cells {
    let (name, unit, at) = *column;
    let cells = found.iter().map(|(outer, inner)| cell(at, outer, inner).unwrap_or_default());
    if unit == RATE {
        let (worth, word) = kind.unit.map_or((1.0, RATE), |unit| (unit.worth(), unit.word()));
        let rates = cells.map(|cell| cell.as_f64().map_or(Value::Null, |rate| Value::from(rate * MB / worth)));
        return Cells {
            name: rate_name(name, kind.unit),
            unit: word.to_string(),
            of: Type::Real,
            cells: rates.collect(),
        };
    }
    let (of, cells): (Type, Vec<Value>) = match unit {
        "" => (Type::Text, cells.map(|cell| text(&cell).map_or(Value::Null, Value::from)).collect()),
        _ => (Type::Real, cells.map(|cell| cell.as_f64().map_or(Value::Null, Value::from)).collect()),
    };
    Cells { name: name.to_string(), unit: unit.to_string(), of, cells }
}

/// The name of a column of rates with the unit that was asked for, as in `limit_rate_gb_per_s`.
fn rate_name(name: &str, unit: Option<Unit>) -> String {
    let Some(unit) = unit else { return name.to_string() };
    let end = format!("_rate_{}", unit.word().to_lowercase().replace("/s", "_per_s"));
    // `rate_bytes_per_s` has nothing before it.
    format!("_{name}").replace(RATE_NAME, &end).trim_start_matches('_').to_string()
}

fn cell(at: &str, outer: &Value, inner: &Value) -> Option<Value> {
    match (at.strip_prefix('^'), at.strip_prefix('=')) {
        (Some(at), _) => outer.pointer(at),
        (None, Some(key)) => figure(outer, inner)?.get(key),
        (None, None) => at.split('|').find_map(|at| inner.pointer(at)),
    }
    .cloned()
}

/// The first figure of a point that is of all its flows, or of those with a flow's operation.
fn figure<'a>(point: &'a Value, flow: &Value) -> Option<&'a Value> {
    let is_of = |figure: &&Value| figure["operation"].is_null() || figure["operation"] == flow["operation"];
    point.get("figures")?.as_array()?.iter().find(is_of)
}

/// The axes of points as columns, in the order in which they are met. One that has the name of another column is
/// `axis_NAME`.
fn axes(places: &[Value], taken: &[&str], asked: &[String]) -> Vec<Cells> {
    let rows: Vec<Vec<(&str, &str)>> = places.iter().map(|at| pairs(at.as_str().unwrap_or_default())).collect();
    let mut names: Vec<&str> = Vec::new();
    for &(name, _) in rows.iter().flatten() {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    // What was swept over is there by its name.
    let shown = names.into_iter().filter(|name| asked.iter().all(|asked| asked != name));
    let column = |name: &str| {
        let cells = rows.iter().map(|row| row.iter().find(|(axis, _)| *axis == name).map(|(_, value)| *value));
        let told = if taken.contains(&name) { format!("axis_{name}") } else { name.to_string() };
        typed(told, cells.map(|cell| cell.map_or(Value::Null, Value::from)).collect())
    };
    shown.map(column).collect()
}

/// The axes of a point with their values.
fn pairs(at: &str) -> Vec<(&str, &str)> {
    at.split(';').filter_map(|pair| pair.split_once('=')).collect()
}

/// A column of words, as numbers or truths where all of them are.
fn typed(name: String, cells: Vec<Value>) -> Cells {
    let word = |cell: &Value| match cell {
        Value::String(text) => match text.as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            text => number(text).unwrap_or_else(|| cell.clone()),
        },
        other => other.clone(),
    };
    let values: Vec<Value> = cells.iter().map(word).collect();
    match Type::of(values.iter()) {
        // Words stay as they were written.
        Type::Text => Cells { name, unit: String::new(), of: Type::Text, cells },
        of => Cells { name, unit: String::new(), of, cells: values },
    }
}

/// A number as a description writes it.
fn number(text: &str) -> Option<Value> {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let integer = text.parse::<i64>().ok().map(Value::from);
    integer.or_else(|| text.parse::<f64>().ok().filter(|real| real.is_finite()).map(Value::from)).filter(|_| is_number)
}

/// The table as a stream of one batch.
pub fn stream<'py>(py: Python<'py>, kind: &Kind, value: &Value) -> PyResult<Bound<'py, PyCapsule>> {
    let batch = batch(kind, value).map_err(|error| InternalError::new_err(error.to_string()))?;
    let schema = batch.schema();
    let stream = FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

fn batch(kind: &Kind, value: &Value) -> Result<RecordBatch, arrow_schema::ArrowError> {
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns(kind, value).into_iter().map(array).unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

fn array(column: Cells) -> (Field, ArrayRef) {
    let cells = column.cells.iter();
    let (of, array): (DataType, ArrayRef) = match column.of {
        Type::Text => (DataType::Utf8, Arc::new(cells.map(text).collect::<StringArray>())),
        Type::Real => (DataType::Float64, Arc::new(cells.map(Value::as_f64).collect::<Float64Array>())),
        Type::Integer => (DataType::Int64, Arc::new(cells.map(Value::as_i64).collect::<Int64Array>())),
        Type::Truth => (DataType::Boolean, Arc::new(cells.map(Value::as_bool).collect::<BooleanArray>())),
    };
    let field = Field::new(column.name, of, true);
    let units = HashMap::from([("unit".to_string(), column.unit.clone())]);
    (if column.unit.is_empty() { field } else { field.with_metadata(units) }, array)
}

fn text(cell: &Value) -> Option<String> {
    match cell {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}
