//! Tables that fit a screen.

use crate::screen::Screen;
use pcie::Time;
pub use view::layout::Side;

/// A table under construction, which is folded to its screen.
pub struct Table<'s> {
    table: view::layout::Table,
    screen: &'s Screen,
}

impl Table<'_> {
    /// An empty table with these column heads.
    pub fn new<'s>(screen: &'s Screen, columns: &[(&str, Side)]) -> Table<'s> {
        Table { table: view::layout::Table::new(1, columns), screen }
    }
    /// Adds a row.
    pub fn row(&mut self, texts: impl IntoIterator<Item = String>) {
        self.table.row(texts);
    }
}

impl std::fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.table.text(self.screen.width, &|head| self.screen.strong(head)))
    }
}

/// `text` with all lines indented by `by` columns, folded at words to a width that is easy to read on this screen.
pub fn folded(text: &str, by: usize, screen: &Screen) -> String {
    view::layout::paragraph(text, by, screen.prose())
}

/// A latency with three digits.
pub fn latency(time: Time) -> String {
    match time.as_secs() {
        s if s < 1e-4 => format!("{:.1} us", s * 1e6),
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s => format!("{:.1} ms", s * 1e3),
    }
}
