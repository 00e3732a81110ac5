//! Answers as tables, by the Arrow C interface. The unit of a column is in its name and in its metadata; axes are columns of
//! their own, as numbers where all their values are numbers.

mod kind;

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

pub use kind::Kind;
use kind::{AT, Column, MB, RATE, RATE_NAME};

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
