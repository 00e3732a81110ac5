//! Tables of plain text: words to the left, figures to the right.

use crate::screen::Screen;
use comfy_table::{Attribute, Cell, CellAlignment, Table as Drawn, presets};

/// Which side of its column a text keeps to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Words.
    Left,
    /// Figures.
    Right,
}

/// A table that is being filled.
pub struct Table {
    drawn: Drawn,
    sides: Vec<Side>,
}

impl Table {
    /// With the heads of its columns.
    pub fn new(screen: &Screen, columns: &[(&str, Side)]) -> Table {
        let mut drawn = Drawn::new();
        drawn.load_style(presets::NOTHING);
        let head = columns.iter().map(|&(text, side)| cell(text, side, screen.colour));
        drawn.set_header(head);
        if screen.colour {
            drawn.enforce_styling();
        } else {
            drawn.force_no_tty();
        }
        Table { drawn, sides: columns.iter().map(|&(_, side)| side).collect() }
    }
    /// One more row.
    pub fn row(&mut self, texts: impl IntoIterator<Item = String>) {
        let cells = texts.into_iter().zip(&self.sides).map(|(text, &side)| cell(&text, side, false));
        self.drawn.add_row(cells.collect::<Vec<_>>());
    }
}

fn cell(text: &str, side: Side, strong: bool) -> Cell {
    let alignment = if side == Side::Right { CellAlignment::Right } else { CellAlignment::Left };
    let cell = Cell::new(text).set_alignment(alignment);
    if strong { cell.add_attribute(Attribute::Bold) } else { cell }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for line in self.drawn.lines() {
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// `text` with every line moved right by `by` columns, folded at words to `width` columns.
pub fn folded(text: &str, by: usize, width: usize) -> String {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut();
        match line {
            Some(line) if line.is_empty() || line.chars().count() + 1 + word.chars().count() <= width - by => {
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(word);
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines.iter().map(|line| format!("{:by$}{line}\n", "")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_folds_at_its_words() {
        assert_eq!(folded("one two three", 2, 10), "  one two\n  three\n");
        assert_eq!(folded("", 2, 10), "  \n");
    }
}
