//! Rows of a survey as CSV, JSON and JSON Lines.

use lab::survey::{Record, is_number};
use serde_json::{Map, Value};

/// All rows as CSV, with a head line.
pub fn csv(columns: &[String], records: &[&Record]) -> String {
    let names: Vec<&str> = columns.iter().map(String::as_str).collect();
    crate::csv::text(&names, records.iter().map(|record| record.iter().cloned()))
}

/// All rows as an array of objects. An empty field is null.
pub fn value(columns: &[String], records: &[&Record]) -> Value {
    records.iter().map(|record| object(columns, record)).collect::<Vec<_>>().into()
}

/// All rows as JSON.
pub fn json(columns: &[String], records: &[&Record]) -> String {
    crate::json::plain(&value(columns, records))
}

/// All rows as JSON Lines: one object for each line, as in [`json`].
pub fn json_lines(columns: &[String], records: &[&Record]) -> String {
    records.iter().map(|record| format!("{}\n", Value::Object(object(columns, record)))).collect()
}

/// One row as an object.
fn object(columns: &[String], record: &Record) -> Map<String, Value> {
    let value = |(column, text): (&String, &String)| match text.parse::<f64>() {
        _ if text.is_empty() => (column.clone(), Value::Null),
        Ok(number) if is_number(column) => (column.clone(), number.into()),
        _ => (column.clone(), text.clone().into()),
    };
    columns.iter().zip(record.iter()).map(value).collect()
}
