//! Limits and findings of a real machine, as text and in its JSON.

use crate::exit::End;
use crate::screen::Screen;
use console::Style;
use probe::Machine;
use probe::finding::Severity;
use probe::report::Report;
use view::machine::verdict::{self, Paint};

/// Limits and findings as text. With `all`, things that are alike are listed individually.
pub fn text(machine: &Machine, report: &Report, all: bool, screen: &Screen) -> String {
    let heading = |text: &str| screen.strong(text);
    let severity = |severity: Severity, text: &str| match severity {
        Severity::Error => screen.bad(text),
        Severity::Warning => screen.style(text, Style::new().yellow().bold()),
        Severity::Note => screen.faint(text),
        Severity::Question => screen.style(text, Style::new().cyan()),
    };
    let (width, prose) = (screen.width, screen.prose());
    verdict::text(machine, report, Paint { heading: &heading, severity: &severity, width, prose, all })
}

/// The end of a command: an error on the machine is not a success.
pub fn end(report: &Report) -> End {
    match report.worst() {
        Some(Severity::Error) => End::ErrorFound,
        _ => End::Done,
    }
}
