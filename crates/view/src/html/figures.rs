//! The figures of the machine, with the origin of each.

use crate::html::mark::prose;
use maud::{Markup, html};
use system::System;

/// Text for each origin, the most certain first.
const ORIGINS: [(&str, &str); 6] = [
    ("given", "written in the description"),
    ("override", "set on the command line or by an axis"),
    ("cited", "from a document"),
    ("fitted", "fitted on published measurements"),
    ("assumed", "taken for want of anything better"),
    ("settled", "found by training or firmware"),
];

/// A table of all figures that are not defaults.
pub(crate) fn figures(system: &System) -> Markup {
    let rows = system::tree::figures(system, false);
    let count = |word: &str| rows.iter().filter(|row| row.figure.origin.word() == word).count();
    html! {
        section id="figures" {
            h2 { "Parameters and where they come from" }
            ul class="legend origins" {
                @for (word, what) in ORIGINS { @if count(word) > 0 {
                    li { span class=(format!("origin {word}")) { (word) } " " (count(word)) ": " (what) }
                } }
            }
            p { "A prediction is as good as its assumed figures. Fields that nobody set have the standard's value, or their effect is off." }
            details open {
                summary { (rows.len()) " figures" }
                div class="scroll" { table class="figures" {
                    thead { tr { th { "part" } th { "figure" } th class="number" { "value" } th { "origin" } } }
                    tbody { @for row in &rows {
                        @let origin = row.figure.origin.to_string();
                        @let word = row.figure.origin.word();
                        tr {
                            td { (row.parts) } td { code { (row.figure.field) } } td class="number" { (row.figure.value) }
                            td { span class=(format!("origin {word}")) { (word) } " " span class="why" { (prose(origin.strip_prefix(word).unwrap_or(&origin).trim_start_matches([':', ',', ' ']))) } }
                        }
                    } }
                } }
            }
        }
    }
}
