//! The fitted figures behind a comparison: each once, with the rows it was fitted on.

use std::collections::BTreeSet;
use system::{Origin, System};

/// Choices that the standard leaves to a part. Which of them was taken shows in measurements, but no number was
/// adjusted: they are printed and not counted.
pub const PERMITTED_CHOICES: [&str; 4] = ["start_alignment", "update_fc", "serve_reads", "rcb"];

/// One figure that was fitted on measurements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fitted {
    /// The catalogue's entry, or the part where it has none.
    pub model: String,
    /// Which figure of it.
    pub field: String,
    /// As it would be written in a description.
    pub value: String,
    /// On which rows.
    pub on: String,
}

/// All fitted figures of some machines, each once: several parts of one model share theirs.
pub fn fitted<'a>(systems: impl IntoIterator<Item = &'a System>) -> Vec<Fitted> {
    let all: BTreeSet<Fitted> = systems.into_iter().flat_map(|system| &system.parts).flat_map(of_part).collect();
    let mut seen = BTreeSet::new();
    all.into_iter().filter(|f| seen.insert((f.field.clone(), f.value.clone(), f.on.clone()))).collect()
}

impl Fitted {
    /// False for a choice that the standard leaves to a part.
    pub fn counts(&self) -> bool {
        !PERMITTED_CHOICES.contains(&self.field.as_str())
    }
}

fn of_part(part: &system::Part) -> impl Iterator<Item = Fitted> {
    part.figures.iter().filter_map(|figure| match &figure.origin {
        Origin::Fitted(on) => Some(Fitted {
            model: part.model.clone(),
            field: figure.field.to_string(),
            value: figure.value.clone(),
            on: on.clone(),
        }),
        _ => None,
    })
}
