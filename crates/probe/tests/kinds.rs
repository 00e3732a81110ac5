//! Has every kind of finding a row in the page, and a machine that has it? A new one without them fails here.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod made;

use lanescope_probe::findings::kinds;
use lanescope_probe::lspci;
use made::{by_files, by_hex, report};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use testing::machine::fault::plant;
use testing::machine::{Fault, healthy};

/// Generated machines: so many healthy ones, and so many with a fault.
const GENERATED: u64 = 60;

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.extension().is_some_and(|own| own == extension)).collect()
}

/// Kinds that generated machines and the texts of people have.
fn seen() -> BTreeSet<&'static str> {
    let machines = (0..GENERATED).map(healthy);
    let planted = Fault::ALL.into_iter().cycle().zip(0..GENERATED).map(|(fault, seed)| plant(fault, seed).machine);
    let read = machines.chain(planted).flat_map(|machine| [by_files(&machine), by_hex(&machine)]);
    let texts = ["tests/machines", "../cli/tests/data/posts"].into_iter().flat_map(|folder| files(folder, "txt"));
    let read = read.chain(texts.map(|path| lspci::parse(&std::fs::read_to_string(path).unwrap())));
    read.flat_map(|machine| report(&machine).findings).map(|finding| finding.kind).collect()
}

#[test]
fn has_every_kind_of_finding_a_case() {
    let tests: String = files("tests", "rs").iter().map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let seen = seen();
    let unknown: Vec<&&str> = seen.iter().filter(|kind| !kinds().any(|known| known == **kind)).collect();
    assert!(unknown.is_empty(), "no check declares {unknown:?}");
    let missing: Vec<&str> =
        kinds().filter(|kind| !seen.contains(kind) && !tests.contains(&format!("\"{kind}\""))).collect();
    assert!(missing.is_empty(), "no machine has {missing:?}: write a test that finds it, by name");
}

#[test]
fn has_every_kind_of_finding_a_row_in_the_page() {
    let page = include_str!("../../../docs/findings.md");
    let rows: BTreeSet<&str> =
        page.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`')).map(|(kind, _)| kind).collect();
    let missing: Vec<&str> = kinds().filter(|kind| !rows.contains(kind)).collect();
    assert!(missing.is_empty(), "docs/findings.md has no row for {missing:?}");
}
