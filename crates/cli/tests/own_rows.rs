//! `validate` of rows of one's own: where their machine is looked for, and what is said of their error.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use common::{command, data, fresh};
use std::path::Path;

const HEAD: &str = "system,experiment,at,metric,value,unit,source,note\n";

/// A folder `bench` with a machine and a row about it, beside which another machine of that name lies.
fn rows(name: &str, value: &str) -> std::path::PathBuf {
    let folder = fresh(name);
    std::fs::create_dir(folder.join("bench")).unwrap();
    std::fs::copy(data().join("pair.yaml"), folder.join("bench/rig.yaml")).unwrap();
    std::fs::write(folder.join("rig.yaml"), "not this one").unwrap();
    std::fs::write(folder.join("bench/rows.csv"), format!("{HEAD}rig.yaml,read,,throughput,{value},MB/s,me,\n"))
        .unwrap();
    folder
}

fn validated(folder: &Path, more: &[&str]) -> (Option<i32>, String) {
    let mut command = command(&["validate", "--reference", "bench/rows.csv"]);
    let output = command.args(more).current_dir(folder).env("COLUMNS", "200").output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn is_the_machine_of_a_row_looked_for_beside_the_table_first() {
    let (code, text) = validated(&rows("beside", "100000"), &[]);
    assert!(code == Some(0) && text.contains("bench/rig.yaml"), "{text}");
}

#[test]
fn is_no_bound_held_where_none_is_stated_and_is_one_that_is_asked_for() {
    let folder = rows("no-bound", "100000");
    let (code, text) = validated(&folder, &[]);
    assert!(!text.contains("every stated bound holds"), "{text}");
    assert!(text.contains("no bound is stated for them: the greatest error is -9"), "{text}");
    assert!(text.contains("measured MB/s") && !text.contains("published"), "{text}");
    assert_eq!(code, Some(0));
    let (code, text) = validated(&folder, &["--bound", "20"]);
    assert!(code == Some(1) && text.contains("20 % allowed: BROKEN"), "{text}");
    let (code, text) = validated(&folder, &["--bound", "100"]);
    assert!(code == Some(0) && text.contains("every stated bound holds"), "{text}");
    for bad in ["-1", "x", "nan", "inf"] {
        assert_eq!(validated(&folder, &[&format!("--bound={bad}")]).0, Some(2), "{bad}");
    }
}

#[test]
fn is_each_miss_above_ten_per_cent_listed_and_no_other() {
    let (code, text) = validated(&rows("missed", "100000"), &["--misses"]);
    assert!(code == Some(0) && text.contains("1 of 1 rows") && text.contains("rig.yaml read throughput"), "{text}");
    let (_, whole) = validated(&rows("missed-too", "100000"), &[]);
    assert!(whole.contains("1 of 1 rows; `--misses` lists each."), "{whole}");
    let simulated = text.lines().find(|line| line.contains("rig.yaml")).and_then(|line| line.split_whitespace().nth(5));
    let (_, text) = validated(&rows("met", simulated.unwrap()), &["--misses"]);
    assert!(text.contains("missed by more than 10 %: 0 of 1 rows"), "{text}");
}

#[test]
fn is_no_figure_as_slow_as_itself() {
    let (_, text) = validated(&rows("itself", "100000"), &["--differences"]);
    for (decides, near) in text.lines().filter_map(|line| line.split_once(", about as slow as ")) {
        assert!(!decides.ends_with(near.split(" (").next().unwrap()), "{text}");
    }
}
