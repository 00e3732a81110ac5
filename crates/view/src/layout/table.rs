//! Tables of plain text: words are left-aligned, figures right-aligned.
//!
//! A table wider than the terminal is made narrower in this order: heads above figures fold, then words fold in their
//! columns. If the last column of words then becomes too narrow to read, its texts are printed below their rows.

use crate::layout::fold::{hanging, width};

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Left, for words.
    Left,
    /// Right, for figures, which are never wrapped.
    Right,
}

/// Blanks between columns.
const GAP: usize = 2;
/// Least width of a column of words that is easy to read.
const READABLE: usize = 26;
/// Indentation of a text below its row.
const BELOW: usize = 4;

/// A table under construction.
#[derive(Clone, Debug)]
pub struct Table {
    sides: Vec<Side>,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    indent: usize,
}

impl Table {
    /// An empty table with these column heads. It is indented by `indent` columns.
    pub fn new(indent: usize, columns: &[(&str, Side)]) -> Table {
        Table {
            sides: columns.iter().map(|&(_, side)| side).collect(),
            head: columns.iter().map(|&(text, _)| text.to_string()).collect(),
            rows: Vec::new(),
            indent,
        }
    }
    /// Adds a row. Missing texts become empty cells.
    pub fn row(&mut self, texts: impl IntoIterator<Item = String>) {
        let mut texts: Vec<String> = texts.into_iter().take(self.sides.len()).collect();
        texts.resize(self.sides.len(), String::new());
        self.rows.push(texts);
    }
    /// True where the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
    /// The table in lines of at most `most` columns, as far as words allow it. The lines of the head are formatted by
    /// `paint`.
    pub fn text(&self, most: usize, paint: &dyn Fn(&str) -> String) -> String {
        let all = self.sides.len();
        let within = Grid::new(self, all, most);
        let last_is_words = all > 2 && self.sides.last() == Some(&Side::Left);
        let cramped = |grid: &Grid<'_>| grid.total() > most || grid.folds_last_too_much();
        if last_is_words && cramped(&within) {
            return Grid::new(self, all - 1, most).text(paint, most);
        }
        within.text(paint, most)
    }
}

/// The first columns of a table, with their widths.
struct Grid<'a> {
    table: &'a Table,
    widths: Vec<usize>,
}

impl<'a> Grid<'a> {
    fn new(table: &'a Table, columns: usize, most: usize) -> Grid<'a> {
        let mut grid = Grid { table, widths: (0..columns).map(|column| natural(table, column)).collect() };
        for side in [Side::Right, Side::Left] {
            grid.narrow(side, most);
        }
        grid
    }
    fn total(&self) -> usize {
        self.table.indent + self.widths.iter().sum::<usize>() + GAP * self.widths.len().saturating_sub(1)
    }
    /// Reduces the widest columns of `side` until the table fits or no column can be reduced.
    fn narrow(&mut self, side: Side, most: usize) {
        let least: Vec<usize> = (0..self.widths.len()).map(|column| least(self.table, column)).collect();
        while self.total() > most {
            let can = |column: &usize| self.table.sides[*column] == side && self.widths[*column] > least[*column];
            let Some(widest) = (0..self.widths.len()).filter(can).max_by_key(|column| self.widths[*column]) else {
                return;
            };
            self.widths[widest] -= 1;
        }
    }
    fn folds_last_too_much(&self) -> bool {
        let Some((last, &now)) = self.widths.iter().enumerate().next_back() else { return false };
        now < natural(self.table, last).min(READABLE)
    }
    fn text(&self, paint: &dyn Fn(&str) -> String, most: usize) -> String {
        let mut text = String::new();
        if self.table.head.iter().any(|head| !head.is_empty()) {
            self.row(&self.table.head, most).lines().for_each(|line| text += &(paint(line) + "\n"));
        }
        self.table.rows.iter().for_each(|row| text += &self.row(row, most));
        text
    }
    /// One row, followed by the texts of columns that are not in the grid.
    fn row(&self, row: &[String], most: usize) -> String {
        let mut text: String = self.lines(row).into_iter().map(|line| line + "\n").collect();
        let by = self.table.indent + BELOW;
        for below in row.iter().skip(self.widths.len()).filter(|below| !below.is_empty()) {
            text += &format!("{:by$}{}", "", hanging(below, by, most));
        }
        text
    }
    fn lines(&self, texts: &[String]) -> Vec<String> {
        let cells: Vec<Vec<String>> = self.widths.iter().zip(texts).map(|(&width, text)| cell(text, width)).collect();
        let count = cells.iter().map(Vec::len).max().unwrap_or(0);
        (0..count).map(|line| self.line(&cells, line)).collect()
    }
    fn line(&self, cells: &[Vec<String>], line: usize) -> String {
        let mut text = " ".repeat(self.table.indent);
        for (column, cell) in cells.iter().enumerate() {
            let piece = cell.get(line).map_or("", String::as_str);
            let blanks = " ".repeat(self.widths[column].saturating_sub(width(piece)));
            text += &" ".repeat(if column == 0 { 0 } else { GAP });
            text += &match self.table.sides[column] {
                Side::Left => format!("{piece}{blanks}"),
                Side::Right => format!("{blanks}{piece}"),
            };
        }
        text.trim_end().to_string()
    }
}

/// A text folded to a column of that width.
fn cell(text: &str, most: usize) -> Vec<String> {
    if width(text) <= most {
        return vec![text.to_string()];
    }
    hanging(text, 0, most).lines().map(str::to_string).collect()
}

fn texts(table: &Table, column: usize) -> impl Iterator<Item = &String> {
    table.rows.iter().filter_map(move |row| row.get(column))
}

/// The width at which nothing is folded.
fn natural(table: &Table, column: usize) -> usize {
    let of_cells = texts(table, column).map(|text| width(text)).max().unwrap_or(0);
    of_cells.max(width(&table.head[column]))
}

/// The least width at which no word is cut and no figure folded.
fn least(table: &Table, column: usize) -> usize {
    let longest = |text: &String| text.split_whitespace().map(width).max().unwrap_or(0);
    let of_cells = match table.sides[column] {
        Side::Left => texts(table, column).map(longest).max(),
        Side::Right => texts(table, column).map(|text| width(text)).max(),
    };
    of_cells.unwrap_or(0).max(longest(&table.head[column]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let columns = [("flow", Side::Left), ("alone MiB/s", Side::Right), ("held back by", Side::Left)];
        let mut table = Table::new(1, &columns);
        table.row(["card[0] -> card[1]", "1600", "card[0].pcie -> board[0].down[0]: Gen2 x4"].map(str::to_string));
        table
    }

    fn at(most: usize) -> String {
        table().text(most, &|head| head.to_string())
    }

    #[test]
    fn does_a_table_that_fits_stay_as_it_is() {
        let wide = " flow                alone MiB/s  held back by\n \
                    card[0] -> card[1]         1600  card[0].pcie -> board[0].down[0]: Gen2 x4\n";
        assert_eq!((at(80), at(200)), (wide.to_string(), wide.to_string()));
    }

    #[test]
    fn do_heads_over_figures_fold_first() {
        let narrow = " flow                 alone  held back by\n                      \
                      MiB/s\n \
                      card[0] -> card[1]    1600  card[0].pcie -> board[0].down[0]: Gen2 x4\n";
        assert_eq!(at(70), narrow);
    }

    #[test]
    fn do_words_fold_and_then_stand_below_their_row() {
        for most in [20, 30, 40, 50, 60] {
            let text = at(most);
            let fits = |line: &str| width(line) <= most || line.split_whitespace().count() == 1;
            assert!(text.lines().all(fits), "{most}:\n{text}");
            assert!(text.contains("board[0].down[0]:"), "{text}");
        }
        assert_eq!(
            at(44),
            " flow                alone MiB/s\n     \
             held back by\n \
             card[0] -> card[1]         1600\n     \
             card[0].pcie -> board[0].down[0]: Gen2\n     \
             x4\n"
        );
    }
}
