//! How a machine differs from its description, as text, as JSON and as rows.

use crate::machine::verdict::costs;
use probe::describe::built::Difference;
use serde_json::{Value, json};

/// The differences as text, with lines folded to `width` columns.
pub fn show(differences: &[Difference], width: usize) -> String {
    let line = |one: &Difference| {
        let cost = one.cost.as_ref().map_or(String::new(), |cost| format!("; costs {}", costs(cost)));
        let what = match (&one.described, &one.found) {
            (Some(described), Some(found)) => format!("described {described}, found {found}{cost}"),
            (Some(described), None) => format!("described {described}, and not there"),
            (None, found) => format!("found {}, and not described", found.as_deref().unwrap_or("something")),
        };
        crate::layout::hanging(&format!("{} {}: {what}", one.what, one.field), 4, width)
    };
    match differences {
        [] => "as described: links, Max_Payload_Size, Max_Read_Request_Size and tags\n".to_string(),
        all => all.iter().map(line).collect(),
    }
}

/// The differences as JSON.
pub fn value(differences: &[Difference]) -> Value {
    let one = |one: &Difference| {
        let cost = one.cost.as_ref().map(|cost| {
            json!({
                "of": cost.of,
                "way": cost.way.words(),
                "now_mb_per_s": cost.now.as_mb_per_s(),
                "as_described_mb_per_s": cost.mended.as_mb_per_s(),
            })
        });
        json!({ "what": one.what, "field": one.field, "described": one.described, "found": one.found, "cost": cost })
    };
    json!({ "differences": differences.iter().map(one).collect::<Vec<_>>() })
}
