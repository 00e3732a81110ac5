//! Does every field of every kind say which of its values are faster?

#![allow(clippy::unwrap_used)]

use system::field::{Better, Field, Params, Scale, Sizes};
use system::kinds::PortParams;
use system::registry;

/// The fields of all kinds, with the word of the kind and the default.
fn fields() -> Vec<(&'static str, &'static Field, String)> {
    lanescope_storage::register().unwrap();
    let of_kinds = registry::kinds().iter().flat_map(|kind| {
        let default = (kind.default)();
        kind.fields.iter().map(move |field| (kind.word, field, default.get(field.name).unwrap()))
    });
    let ports = PortParams::FIELDS.iter().map(|field| ("port", field, PortParams::default().get(field.name).unwrap()));
    of_kinds.chain(ports).collect()
}

#[test]
fn does_every_count_and_every_size_say_its_direction() {
    let unsaid: Vec<String> = fields()
        .into_iter()
        .filter(|(_, field, _)| field.better == Better::Unsaid)
        .map(|(kind, field, _)| format!("{kind}: {}", field.name))
        .collect();
    assert!(unsaid.is_empty(), "write `; more`, `; less`, `; either` or `; neither`: {unsaid:?}");
}

#[test]
fn is_every_next_value_one_that_the_field_takes_and_in_its_direction() {
    let sizes = Sizes { payload: 256, request: 512 };
    let all = fields();
    assert!(all.len() > 200, "{}", all.len());
    for (kind, field, default) in all {
        if let Better::Word(word) = field.better {
            let words = match field.scale {
                Scale::Words(words) => words,
                Scale::Switch => &["yes", "no"],
                _ => &[],
            };
            assert!(words.contains(&word), "{kind}: {} has no word {word}", field.name);
        }
        let starts = [1.0, 2.0, 7.0, 64.0, 100.0, 5e9].map(|number| field.scale.write(number));
        for from in starts.into_iter().chain([default]) {
            for step in field.steps(&from, sizes) {
                let (Some(a), Some(b)) = (field.scale.number(&from), field.scale.number(&step.to)) else { continue };
                let right = match field.better {
                    Better::More => b > a,
                    Better::Less => b < a,
                    _ => a != b,
                };
                assert!(right, "{kind}: {} from {from} to {}", field.name, step.to);
                assert!(
                    step.ratio.is_none_or(|ratio| ratio > 1.0 && ratio.is_finite()),
                    "{kind}: {} {step:?}",
                    field.name
                );
                let least = if let Scale::Whole(least) = field.scale { least as f64 } else { 0.0 };
                assert!(b >= least, "{kind}: {} from {from} to {}", field.name, step.to);
            }
        }
    }
}
