//! Commands to paste into a shell.

use crate::screen::Screen;

/// A word as a shell reads it back: quoted where it holds more than letters, digits and a few marks.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words as one line.
pub fn line(words: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    words.into_iter().map(|word| quoted(word.as_ref())).collect::<Vec<_>>().join(" ")
}

/// The words with `by` blanks before them, in lines that fit the screen. A shell reads them as one command.
pub fn folded(words: &[String], by: usize, screen: &Screen) -> String {
    let indent = " ".repeat(by);
    let mut lines: Vec<String> = Vec::new();
    for word in words.iter().map(|word| quoted(word)) {
        match lines.last_mut() {
            // Room for a blank and the mark at the end.
            Some(line) if line.chars().count() + word.chars().count() + 3 <= screen.prose() => {
                line.push(' ');
                line.push_str(&word);
            }
            None => lines.push(format!("{indent}{word}")),
            Some(_) => lines.push(format!("{indent}    {word}")),
        }
    }
    lines.join(" \\\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn does_a_shell_read_the_words_back() {
        let words =
            ["run", "my rig.yaml", "mrrs=512 B", "it's", "", "$HOME", "a;b", "*", "card[0].mps=256", "--set", "\"x\""];
        let words: Vec<String> = words.map(String::from).to_vec();
        let narrow = Screen { colour: false, error_colour: false, watched: false, width: 40, unit: None };
        for text in [line(&words), folded(&words, 3, &narrow)] {
            let script =
                format!("lanescope() {{ for word; do printf '%s\\n' \"$word\"; done; }}; lanescope {}", text.trim());
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            let read = String::from_utf8(output.stdout).unwrap();
            assert_eq!(read.lines().collect::<Vec<_>>(), words, "{text}");
        }
    }
}
