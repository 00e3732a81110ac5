//! The formula of a publication compared with the standard.

use crate::answer::percent;
use crate::output::{Side, Table, folded};
use crate::screen::Screen;
use lab::formula::{GEN3_DIFFERENCE, leaves_encoding_out};
use lab::theory::Theory;

/// All figures of one formula experiment.
pub fn text(theories: &[&Theory], screen: &Screen) -> String {
    let Some(first) = theories.first() else { return String::new() };
    let columns = [
        ("at", Side::Left),
        ("quantity", Side::Left),
        ("published", Side::Right),
        ("formula `rosta`", Side::Right),
        ("error", Side::Right),
        ("by the standard", Side::Right),
    ];
    let mut table = Table::new(screen, &columns);
    for theory in theories {
        table.row(row(theory));
    }
    let gen3 = theories.iter().any(|t| leaves_encoding_out(&t.at));
    let note = if gen3 { folded(GEN3_DIFFERENCE, 2, screen) } else { String::new() };
    let head = format!("{}  {}  (the publication's formula, nothing is simulated)", first.system, first.experiment);
    format!("{}\n{table}{note}", screen.strong(&head))
}

fn row(theory: &Theory) -> [String; 6] {
    let unit = theory.unit();
    let published = theory.published;
    [
        theory.at.to_string().replace(';', " "),
        theory.quantity.word().to_string(),
        published
            .map_or_else(|| "-".to_string(), |(span, _)| span.single().map_or(span.to_string(), |v| unit.print(v))),
        unit.print(theory.answer.formula),
        published.map_or_else(|| "-".to_string(), |(_, error)| percent(error)),
        unit.print(theory.answer.standard),
    ]
}
