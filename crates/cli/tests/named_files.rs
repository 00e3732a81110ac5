//! All files that the pages name exist, and the table of `docs/model.md` names existing items.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

const ENDINGS: [&str; 13] = ["rs", "md", "py", "csv", "yaml", "sv", "lua", "toml", "cpp", "svh", "html", "yml", "sh"];
/// Folders that commands create, and places on the user's machine.
const MADE: [&str; 4] = ["out/", "target/", "/sys", "bus/pci"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages: `README.md` and all of `docs/`.
fn pages() -> Vec<PathBuf> {
    let docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    std::iter::once(root().join("README.md")).chain(pages).collect()
}

/// The text of a page without its listings.
fn prose(text: &str) -> String {
    let parts = text.split("```").step_by(2);
    parts.collect::<Vec<_>>().join("\n")
}

/// Paths in backticks, which are relative to the root of the repository.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2).filter(|word| {
        let is_path = word.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c)) && word.contains('/');
        let ending = word.rsplit('.').next().unwrap_or_default();
        is_path
            && (ENDINGS.contains(&ending) || word.starts_with("crates/"))
            && !MADE.iter().any(|made| word.starts_with(made))
    })
}

/// Targets of links, which are relative to the page.
fn linked(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets
        .filter(|target| !target.contains("://"))
        .filter_map(|target| target.split('#').next())
        .filter(|t| !t.is_empty())
}

/// The files that a page with this text names and that do not exist.
fn missing(page: &Path, text: &str) -> Vec<String> {
    let prose = prose(text);
    let at_root =
        |word: &&str| [root(), root().join("examples/frame-grabber")].iter().any(|base| base.join(word).exists());
    let beside = |word: &&str| page.parent().unwrap().join(word).exists();
    let quoted = quoted(&prose).filter(|word| !at_root(word));
    quoted.chain(linked(&prose).filter(|word| !beside(word))).map(str::to_string).collect()
}

#[test]
fn does_every_file_that_a_page_names_exist() {
    let mut named = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        named += quoted(&prose(&text)).count() + linked(&prose(&text)).count();
        let missing = missing(&page, &text);
        assert!(missing.is_empty(), "{} names {missing:?}", page.display());
    }
    assert!(named > 60, "{named} files are named: the pages are read in a wrong way");
}

#[test]
fn is_a_file_that_does_not_exist_noticed() {
    let page = root().join("docs/model.md");
    let text =
        "`crates/sim/src/no.rs` [a](no.md) `out/no.rs` [b](https://example.org/no.md)\n```\n`crates/no.rs`\n```\n";
    assert_eq!(missing(&page, text), ["crates/sim/src/no.rs", "no.md"]);
}

/// Rows of a table with the path of a file in one cell and the name of an item in the next.
fn items(text: &str) -> Vec<(String, String)> {
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_string()).collect::<Vec<_>>();
    let strip = |cell: &str| cell.strip_prefix('`')?.strip_suffix('`').map(str::to_string);
    let row = |line: &str| {
        let cells = cells(line);
        cells.windows(2).find_map(|two| {
            let (file, item) = (strip(&two[0])?, strip(&two[1])?);
            file.ends_with(".rs").then_some((file, item))
        })
    };
    text.lines().filter(|line| line.starts_with('|')).filter_map(row).collect()
}

/// True where the source declares a function, type, trait or constant with this name.
fn declares(source: &str, item: &str) -> bool {
    let words = ["fn", "struct", "enum", "trait", "const", "type"];
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    words.iter().any(|word| {
        let declared = format!("{word} {item}");
        source.match_indices(&declared).any(|(at, _)| ends(&source[at + declared.len()..]))
    })
}

#[test]
fn is_every_mechanism_of_the_model_where_its_table_says() {
    let text = std::fs::read_to_string(root().join("docs/model.md")).unwrap();
    let items = items(&text);
    assert!(items.len() >= 30, "{} rows", items.len());
    for (file, item) in items {
        let source = std::fs::read_to_string(root().join(&file)).unwrap();
        assert!(declares(&source, &item), "{file} has no {item}");
    }
    assert!(!declares("fn pick_one() {}", "pick"));
}
