//! The text below the options of `--help`, folded to the screen.

use clap::Command;
use textwrap::{Options, WordSeparator, WordSplitter, WrapAlgorithm};

/// The command with this text of it and of its subcommands folded to `width` columns.
pub fn folded(command: Command, width: usize) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_string()).collect();
    let after = command.get_after_help().map(|text| fit(&text.to_string(), width));
    let command = match after {
        Some(text) => command.after_help(text),
        None => command,
    };
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, |sub| folded(sub, width)))
}

/// Folds each paragraph as a whole, and each indented line (an example) by itself.
fn fit(text: &str, width: usize) -> String {
    let (mut out, mut paragraph) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let is_prose = !line.is_empty() && !line.starts_with(' ');
        if is_prose {
            paragraph.push(line);
        }
        // A line that ends in a colon stands before examples.
        if !is_prose || line.ends_with(':') {
            out.extend(filled(&mut paragraph, width));
        }
        if !is_prose {
            out.push(example(line, width));
        }
    }
    out.extend(filled(&mut paragraph, width));
    out.join("\n")
}

fn filled(paragraph: &mut Vec<&str>, width: usize) -> Option<String> {
    let text = std::mem::take(paragraph).join(" ");
    (!text.is_empty()).then(|| textwrap::fill(&text, options(width)))
}

/// An indented line. A command that does not fit goes on in the next line as a shell has it.
fn example(line: &str, width: usize) -> String {
    if line.chars().count() <= width {
        return line.to_string();
    }
    let text = line.trim_start();
    let indent = &line[..line.len() - text.len()];
    let deeper = format!("{indent}    ");
    // What has two columns is a command with its explanation.
    let (break_with, room) = if text.contains("  ") { ("\n", 0) } else { (" \\\n", 2) };
    let options = options(width.saturating_sub(room)).initial_indent(indent).subsequent_indent(&deeper);
    textwrap::wrap(text, options).join(break_with)
}

fn options<'a>(width: usize) -> Options<'a> {
    Options::new(width)
        .word_separator(WordSeparator::AsciiSpace)
        .word_splitter(WordSplitter::NoHyphenation)
        .wrap_algorithm(WrapAlgorithm::FirstFit)
        .break_words(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_paragraph_filled_as_a_whole_and_a_command_continued_as_a_shell_has_it() {
        let text = "Examples:\n  run a --with b --and c\n\nOne two three\nfour five six\nseven.";
        let right = "Examples:\n  run a --with \\\n      b --and \\\n      c\n\nOne two three\nfour five six\nseven.";
        assert_eq!(fit(text, 16), right);
        assert_eq!(fit(text, 80), "Examples:\n  run a --with b --and c\n\nOne two three four five six seven.");
    }
}
