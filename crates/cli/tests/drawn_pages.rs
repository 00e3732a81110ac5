//! The pictures of README.md and docs/ are those that the program draws, and every one is shown.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, fresh, without_digits};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|word| word == "md"));
    std::iter::once(root().join("README.md")).chain(pages).collect()
}

/// The names of the pictures that a text shows.
fn shown(text: &str) -> Vec<&str> {
    let names = text.split("pictures/").skip(1).map(|rest| rest.split(['"', ')', ' ', '`']).next().unwrap());
    names.filter(|name| name.ends_with(".svg")).collect()
}

/// Draws what a command of a page draws, into `folder`.
fn draw(page: &str, words: &str, name: &str, folder: &Path) {
    if let Some(mine) = page.split("```yaml\n").nth(1) {
        std::fs::write(folder.join("mine.yaml"), mine.split("```").next().unwrap()).unwrap();
    }
    let of_root = |word: &str| Some(root().join(word)).filter(|path| path.is_file());
    let words = words.split(' ').map(|word| of_root(word).map_or(word.to_string(), |path| path.display().to_string()));
    let words: Vec<String> = words.collect();
    let to = if words[0] == "inspect" { folder.join(name) } else { folder.to_path_buf() };
    let asked: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = command(&asked).arg("--svg").arg(to).current_dir(folder).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{asked:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Figures change with the models (`make readme` draws them again); the words and shapes must be the same.
#[test]
fn are_the_pictures_of_the_pages_those_that_the_program_draws() {
    const MARK: &str = "<!-- pictures of: lanescope ";
    let mut compared = BTreeSet::new();
    for (number, path) in pages().into_iter().enumerate() {
        let page = std::fs::read_to_string(&path).unwrap();
        for (at, part) in page.split(MARK).skip(1).enumerate() {
            let (words, rest) = part.split_once(" -->\n").unwrap();
            let names = shown(rest.split("\n\n").next().unwrap());
            let folder = fresh(&format!("pictures-{number}-{at}"));
            draw(&page, words, names[0], &folder);
            for name in names {
                let new = std::fs::read_to_string(folder.join(name)).unwrap();
                let kept = std::fs::read_to_string(root().join("docs/pictures").join(name)).unwrap();
                assert_eq!(marks(&new), marks(&kept), "{name} of {}: make readme", path.display());
                compared.insert(name.to_string());
            }
        }
    }
    let there = std::fs::read_dir(root().join("docs/pictures")).unwrap();
    let there: BTreeSet<String> =
        there.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(there, compared, "every picture is made by a command, and shown");
    assert!(there.len() >= 6, "{there:?}");
}

/// What a picture consists of, without places and figures.
fn marks(svg: &str) -> String {
    without_digits(svg)
}

/// Every picture that a page shows is there, whether a command makes it or not.
#[test]
fn is_every_picture_that_a_page_shows_there() {
    for path in pages() {
        let page = std::fs::read_to_string(&path).unwrap();
        for name in shown(&page) {
            assert!(root().join("docs/pictures").join(name).is_file(), "{}: {name}", path.display());
        }
    }
}
