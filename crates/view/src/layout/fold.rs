//! Folding of text at word boundaries.

use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// Indentation of continuation lines, in columns.
const HANG: usize = 4;

/// Width of a text in columns.
pub fn width(text: &str) -> usize {
    textwrap::core::display_width(text)
}

fn options<'a>(width: usize, first: &'a str, rest: &'a str) -> Options<'a> {
    Options::new(width)
        .initial_indent(first)
        .subsequent_indent(rest)
        .break_words(false)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
}

/// The words of `text` in lines of at most `width` columns, all indented by `by`.
pub fn paragraph(text: &str, by: usize, width: usize) -> String {
    let indent = " ".repeat(by);
    words(text, width, &indent, &indent)
}

/// The words of `text` in lines of at most `width` columns. The first line is printed at column `by` by the caller; the
/// lines after it are indented by `by`.
pub fn hanging(text: &str, by: usize, width: usize) -> String {
    let indent = " ".repeat(by);
    words(text, width, &indent, &indent).get(by..).unwrap_or_default().to_string()
}

fn words(text: &str, width: usize, first: &str, rest: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    textwrap::fill(&text, options(width, first, rest)) + "\n"
}

/// Items with `between` them, in lines of at most `width` columns that begin with `prefix`. An item is not broken if it
/// fits into a line.
pub fn items<T: AsRef<str>>(prefix: &str, items: &[T], between: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let between = if index + 1 < items.len() { between } else { "" };
        let piece = format!("{}{between}", item.as_ref());
        match lines.last_mut() {
            Some(line) if self::width(line) + self::width(piece.trim_end()) <= width => line.push_str(&piece),
            _ => lines.push(format!("{prefix}{piece}")),
        }
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Folds every line of `text` that is wider than `width`. Continuation lines repeat the branches of the tree and are
/// indented further. Words separated by single blanks are kept together where possible. The lines of a shell's command
/// that goes on behind a `\` are left as they are: a blank in them may stand in a quoted word.
pub fn fit(text: &str, width: usize) -> String {
    let mut goes_on = false;
    let fold = |line: &str| {
        let is_command = std::mem::replace(&mut goes_on, line.ends_with(" \\")) || goes_on;
        if is_command || self::width(line) <= width { line.to_string() } else { folded(line, width) }
    };
    text.split('\n').map(fold).collect::<Vec<_>>().join("\n")
}

fn folded(line: &str, width: usize) -> String {
    let (prefix, rest) = branches(line);
    let below = continued(prefix) + &" ".repeat(HANG);
    let mut lines = vec![prefix.to_string()];
    let mut used = self::width(prefix);
    let deep = self::width(&below);
    for (gap, segment) in segments(rest) {
        let wide = self::width(segment);
        // If less than half of the line is used, it is filled before a new one starts.
        let kept = used + gap + wide <= width || (deep + wide <= width && used > width / 2);
        let pieces: Vec<&str> = if kept { vec![segment] } else { segment.split(' ').collect() };
        for (index, piece) in pieces.into_iter().enumerate() {
            let (gap, wide) = (if index == 0 { gap } else { 1 }, self::width(piece));
            let empty = lines.len() > 1 && used == deep || lines.len() == 1 && used == self::width(prefix);
            if !empty && used + gap + wide > width {
                lines.push(below.clone());
                used = deep;
            } else if !empty {
                lines.last_mut().into_iter().for_each(|line| line.push_str(&" ".repeat(gap)));
                used += gap;
            }
            lines.last_mut().into_iter().for_each(|line| line.push_str(piece));
            used += wide;
        }
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}

/// Splits a line into its leading blanks and branches, and the rest. Colours count as neither.
fn branches(line: &str) -> (&str, &str) {
    let mut end = 0;
    let mut rest = line;
    loop {
        let escape = escape(rest);
        let blank = rest.chars().next().filter(|c| matches!(c, ' ' | '│' | '├' | '└' | '─' | '┬'));
        let step = if escape > 0 { escape } else { blank.map_or(0, char::len_utf8) };
        if step == 0 {
            return line.split_at(end);
        }
        rest = &rest[step..];
        end += step;
    }
}

/// Length in bytes of the escape sequence for a colour at the start of a text; 0 where there is none.
fn escape(text: &str) -> usize {
    if text.starts_with("\u{1b}[") { text.find('m').map_or(0, |end| end + 1) } else { 0 }
}

/// The prefix of a continuation line below branches, without colours.
fn continued(mut prefix: &str) -> String {
    let mut below = String::new();
    while let Some(next) = prefix.chars().next() {
        let colour = escape(prefix);
        if colour == 0 {
            below.push(if matches!(next, '│' | '├') { '│' } else { ' ' });
        }
        prefix = &prefix[if colour > 0 { colour } else { next.len_utf8() }..];
    }
    below
}

/// The pieces of a text that are separated by two or more blanks, each with the number of blanks before it.
fn segments(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut gap, mut rest) = (0, text);
    while !rest.is_empty() {
        let end = rest.find("  ").unwrap_or(rest.len());
        if end > 0 {
            found.push((gap, &rest[..end]));
        }
        rest = &rest[end..];
        let blanks = rest.len() - rest.trim_start_matches(' ').len();
        gap = blanks;
        rest = &rest[blanks..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_sentence_fold_at_its_words() {
        assert_eq!(paragraph("one two three", 2, 10), "  one two\n  three\n");
        assert_eq!(paragraph("", 2, 10), "\n");
        assert_eq!(hanging("one  two three", 4, 11), "one two\n    three\n");
        assert_eq!(hanging("card[0].pcie->board[0] b", 2, 8), "card[0].pcie->board[0]\n  b\n", "no word is cut");
    }

    #[test]
    fn does_a_line_of_a_tree_go_on_below_its_branches() {
        let line = "│ ├ 01:00.0  A name of words  8 GT/s x4";
        assert_eq!(fit(line, 80), line);
        assert_eq!(fit(line, 30), "│ ├ 01:00.0  A name of words\n│ │     8 GT/s x4");
        assert_eq!(fit("  └ a  b c d e f", 12), "  └ a  b c d\n        e f");
        assert_eq!(fit("└─ down  one\n", 10), "└─ down\n       one\n");
        assert_eq!(fit("one  two three four five six", 20), "one  two three four\n    five six");
    }

    #[test]
    fn is_a_command_that_goes_on_left_as_it_is() {
        let command = "   run \\\n       '/a long folder/my rig.yaml' \\\n       'b c d e f g h i j k l m n o'";
        assert_eq!(fit(command, 20), command);
        assert_eq!(
            fit(&format!("{command}\none  two three four five"), 20),
            format!("{command}\none  two three four\n    five")
        );
    }

    #[test]
    fn does_an_item_stay_in_one_line() {
        let facts = ["MPS 256", "IOMMU group 15", "nvme"];
        assert_eq!(items("│   ", &facts, ", ", 80), "│   MPS 256, IOMMU group 15, nvme\n");
        assert_eq!(items("│   ", &facts, ", ", 22), "│   MPS 256,\n│   IOMMU group 15,\n│   nvme\n");
    }

    #[test]
    fn do_colours_take_no_columns() {
        let line = "\u{1b}[2m├ \u{1b}[0m\u{1b}[1mone\u{1b}[0m  two";
        assert_eq!(width(line), 10);
        assert_eq!(fit(line, 10), line);
        assert_eq!(fit(line, 9), "\u{1b}[2m├ \u{1b}[0m\u{1b}[1mone\u{1b}[0m\n│     two");
    }
}
