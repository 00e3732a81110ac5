//! The fitted figures behind a comparison: each once, with the rows it was fitted on.

use crate::reference::Row;
use crate::selection::Selection;
use std::collections::BTreeSet;
use system::{Origin, System};

/// Choices that the standard leaves to a part: where a TLP starts, when UpdateFC is sent, the order in which reads are
/// served, RCB. Which of them was taken shows in measurements, but no physical quantity was adjusted: they are
/// printed and not counted.
pub const PERMITTED_CHOICES: [&str; 4] = ["start_alignment", "update_fc", "serve_reads", "rcb"];

/// One figure that was fitted on measurements.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fitted {
    /// The catalogue's entry, or the part where it has none.
    pub model: String,
    /// Which figure of it; several where one number was fitted for all of them.
    pub field: String,
    /// As it would be written in a description.
    pub value: String,
    /// On which rows.
    pub on: String,
}

/// All fitted figures of some machines, each once: several parts of one model share theirs, models may share one, and
/// a number that was fitted once and stands in several fields of a part is one.
pub fn fitted<'a>(systems: impl IntoIterator<Item = &'a System>) -> Vec<Fitted> {
    let all: BTreeSet<Fitted> = systems.into_iter().flat_map(|system| &system.parts).flat_map(of_part).collect();
    let mut seen = BTreeSet::new();
    let each = all.into_iter().filter(|f| seen.insert((f.field.clone(), f.value.clone(), f.on.clone())));
    each.fold(Vec::new(), |mut merged: Vec<Fitted>, figure| {
        let same = |f: &&mut Fitted| (&f.model, &f.value, &f.on) == (&figure.model, &figure.value, &figure.on);
        match merged.iter_mut().find(same) {
            Some(first) => first.field = format!("{}, {}", first.field, figure.field),
            None => merged.push(figure),
        }
        merged
    })
}

impl Fitted {
    /// True where the figure was fitted on this row, as far as its text says so: `rosta.csv host-write payload=8 to
    /// 32` names a file and a [`Selection`] of its rows; what follows `;` or `:` is for people.
    pub fn is_on(&self, reference: &str, row: &Row) -> bool {
        let said = self.on.split([';', ':']).next().unwrap_or_default().trim();
        let (file, rows) = said.split_once(' ').unwrap_or((said, ""));
        let stem = file.strip_suffix(".csv").map(|path| path.rsplit('/').next().unwrap_or(path));
        stem == Some(reference) && Selection::parse(rows).is_ok_and(|rows| rows.takes(row))
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;

    #[test]
    fn which_rows_a_figure_was_fitted_on_is_read_from_its_text() {
        let rosta = reference::bundled().unwrap().remove(1);
        let count = |text: &str| {
            let fitted =
                Fitted { model: String::new(), field: String::new(), value: String::new(), on: text.to_string() };
            rosta.rows.iter().filter(|row| fitted.is_on("rosta", row)).count()
        };
        assert_eq!(count("rosta.csv p2p-latency"), 2);
        assert_eq!(count("rosta.csv p2p-write flows=2 to 4"), 3);
        assert_eq!(count("rosta.csv host-write throughput_app"), 1);
        assert_eq!(count("rosta.csv host-read-many devices=1; more words"), 1);
        assert_eq!(count("rosta.csv p2p-write flows=2..4 or p2p-latency but flows=3; 4 rows"), 4);
        assert_eq!(count("reference/rosta.csv"), rosta.rows.len());
        assert_eq!((count("kfcr.csv p2p-write"), count("by hand")), (0, 0));
    }

    #[test]
    fn a_choice_that_the_standard_permits_does_not_count() {
        let field = |field: &str| Fitted {
            model: String::new(),
            field: field.to_string(),
            value: String::new(),
            on: String::new(),
        };
        assert!(field("read_latency").counts() && !field("start_alignment").counts());
    }
}
