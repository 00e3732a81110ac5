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

/// A command with what it is for as a shell's comment behind it, or above it where one line would be wider than the screen.
pub fn commented(command: &str, why: &str, by: usize, screen: &Screen) -> String {
    let indent = " ".repeat(by);
    let line = format!("{indent}{command}   # {why}\n");
    if line.chars().count() <= screen.prose() + 1 {
        return line;
    }
    let comment = view::layout::paragraph(why, 0, screen.prose().saturating_sub(by + 2));
    let words: Vec<String> = command.split(' ').map(String::from).collect();
    comment.lines().map(|line| format!("{indent}# {line}\n")).collect::<String>() + &folded(&words, by, screen)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    const NARROW: Screen = Screen { colour: false, error_colour: false, watched: false, width: 40, unit: None };

    #[test]
    fn is_a_comment_one_on_a_narrow_screen_too() {
        assert_eq!(commented("echo one", "for this", 2, &NARROW), "  echo one   # for this\n");
        let long = commented("echo one", "for a reason that wants more columns than the screen has", 2, &NARROW);
        let output = Command::new("sh").args(["-c", &long]).output().unwrap();
        assert_eq!((output.stdout.as_slice(), output.stderr.as_slice()), (&b"one\n"[..], &b""[..]), "{long}");
        assert!(long.lines().all(|line| line.chars().count() <= 40), "{long}");
        let wide = commented("printf %s-%s one two-that-is-longer-than-there-is-room", "for this", 2, &NARROW);
        let output = Command::new("sh").args(["-c", &wide]).output().unwrap();
        assert_eq!(output.stdout, b"one-two-that-is-longer-than-there-is-room", "{wide}");
    }

    #[test]
    fn does_a_shell_read_the_words_back() {
        let words =
            ["run", "my rig.yaml", "mrrs=512 B", "it's", "", "$HOME", "a;b", "*", "card[0].mps=256", "--set", "\"x\""];
        let words: Vec<String> = words.map(String::from).to_vec();
        for text in [line(&words), folded(&words, 3, &NARROW)] {
            let script =
                format!("lanescope() {{ for word; do printf '%s\\n' \"$word\"; done; }}; lanescope {}", text.trim());
            let output = Command::new("sh").args(["-c", &script]).output().unwrap();
            let read = String::from_utf8(output.stdout).unwrap();
            assert_eq!(read.lines().collect::<Vec<_>>(), words, "{text}");
        }
    }
}
