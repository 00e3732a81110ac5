//! The result of a calibration as tables, and as a part of a description.

use crate::fitted;
use crate::output::{Side, Table, folded};
use crate::screen::Screen;
use lab::calibrate::Calibration;
use lab::calibrate::figure::{FIGURES, MEASUREMENTS, determined_by};

/// What a calibration needs: measurements, what each determines, and why.
pub fn needs(screen: &Screen) -> String {
    let columns = [("measurement", Side::Left), ("a row of it", Side::Left), ("determines", Side::Left)];
    let mut table = Table::new(screen, &columns);
    for measurement in &MEASUREMENTS {
        let (experiment, at, metric) = measurement.row;
        table.row([
            measurement.name.into(),
            format!("{experiment},{at},{metric}"),
            determined_by(measurement.name).join(", "),
        ]);
    }
    let how = MEASUREMENTS.iter().map(|m| folded(&format!("{}: {}.", m.name, m.how), 1, screen));
    let why = FIGURES.iter().map(|f| folded(&format!("{}: {}.", f.field, f.why), 1, screen));
    let heads = [screen.strong("how to measure"), screen.strong("why that determines it")];
    let more = "Several sizes and numbers of requests make errors smaller. Write the rows as CSV with the columns of a \
                reference (docs/validation.md), then: lanescope calibrate --on mine.csv, with the slot and the card that \
                measured.";
    format!(
        "{}\n{table}\n{}\n{}\n{}\n{}\n{}",
        screen.strong("what a calibration of a host needs"),
        heads[0],
        how.collect::<String>(),
        heads[1],
        why.collect::<String>(),
        folded(more, 1, screen)
    )
}

/// The figures that were found, those that keep their defaults, the errors of the rows, and the part.
pub fn text(
    system: &str,
    file: &str,
    found: &Calibration,
    yaml: Option<&str>,
    detail: bool,
    screen: &Screen,
) -> String {
    let fit = found.fit.as_ref().map(|fit| fitted::text(system, file, fit, detail, screen));
    let none = || screen.strong(&format!("{system}  no figure of the host follows from {file}")) + "\n";
    let mut blocks =
        vec![fit.map_or_else(none, |fit| fit.split(" to write down:").next().unwrap_or_default().to_string())];
    if !found.kept.is_empty() {
        let columns =
            [("keeps its default", Side::Left), ("value", Side::Right), ("why", Side::Left), ("measure", Side::Left)];
        let mut table = Table::new(screen, &columns);
        for kept in &found.kept {
            table.row([kept.figure.field.into(), kept.value.clone(), kept.why.words(), kept.figure.by.into()]);
        }
        blocks.push(table.to_string());
    }
    blocks.extend(yaml.map(|yaml| format!(" the host, for `parts:` of a description:\n{yaml}")));
    blocks.iter().map(|block| block.trim_end_matches('\n')).collect::<Vec<_>>().join("\n\n") + "\n"
}
