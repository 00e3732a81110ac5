//! The output of the program has not changed since it was last reviewed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use common::{stdout, without_digits};

#[test]
fn what_does_a_bare_link_carry() {
    let text = stdout(&["limit", "--link", "gen4x8", "--mps", "256", "--latency", "1us"]);
    assert!(text.contains("29 requests of 512 bytes in flight"));
    insta::assert_snapshot!(text);
}

#[test]
fn what_may_be_said_about_a_switch() {
    insta::assert_snapshot!(stdout(&["kinds", "switch"]));
}

#[test]
fn how_does_the_papers_formula_differ_from_the_standard() {
    insta::assert_snapshot!(stdout(&["run", "rosta-rb8v7", "link-table", "--axis", "gen=2,3", "--axis", "lanes=4,8"]));
}

#[test]
fn what_does_firmware_make_of_a_machine() {
    insta::assert_snapshot!(stdout(&["show", "pair.yaml"]));
}

/// Figures change with the models; the text around them does not.
#[test]
fn how_does_a_point_read() {
    let text = stdout(&["run", "pair.yaml", "write", "--axis", "cards=2", "--axis", "payload=128"]);
    insta::assert_snapshot!(without_digits(&text));
}

#[test]
fn how_does_a_sweep_read() {
    insta::assert_snapshot!(without_digits(&stdout(&["run", "pair.yaml", "write"])));
}
