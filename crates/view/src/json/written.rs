//! What all answers as JSON share: the number of their schema, and how they are written.

use lab::span::Span;
use serde::Serialize;
use serde_json::Value;

/// The number of the schema of answers, at the top of each as `schema`. Within a number, fields may be added, and none changes its
/// meaning, unit or type, or goes away.
pub const SCHEMA: u32 = 1;

/// A number, or a range as text.
pub(super) fn number(span: Span) -> Value {
    span.single().map_or_else(|| span.to_string().into(), Value::from)
}

/// The answer with its number: in the object, or in each object of a list. One that has a `schema` of its own keeps it.
pub fn numbered(mut value: Value) -> Value {
    match &mut value {
        Value::Object(fields) => {
            fields.entry("schema").or_insert_with(|| SCHEMA.into());
        }
        Value::Array(all) => all.iter_mut().for_each(|one| *one = numbered(one.take())),
        _ => {}
    }
    value
}

/// An answer as indented JSON with a line end, with the number of its schema.
pub fn pretty(value: &impl Serialize) -> String {
    // All keys of maps are text, so that every answer is a value.
    plain(&numbered(serde_json::to_value(value).unwrap_or_default()))
}

/// Indented JSON with a line end, as it is.
pub fn plain(value: &impl Serialize) -> String {
    // Writing to memory cannot fail, and all keys of maps are text.
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn has_each_object_at_the_top_a_number_and_no_other() {
        assert_eq!(numbered(json!({ "a": { "b": 1 } })), json!({ "schema": 1, "a": { "b": 1 } }));
        assert_eq!(numbered(json!([{ "a": [{}] }, {}])), json!([{ "schema": 1, "a": [{}] }, { "schema": 1 }]));
        assert_eq!(numbered(json!({ "schema": "own/1" })), json!({ "schema": "own/1" }));
        assert_eq!(numbered(json!([])), json!([]));
    }
}
