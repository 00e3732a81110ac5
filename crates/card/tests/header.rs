//! Is what this crate takes for the driver's interface what its header says?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use card::{Cause, Info};

const HEADER: &str = include_str!("../../../driver/include/uapi/linux/lanescope.h");

#[test]
fn are_the_fields_of_the_struct_those_of_the_header_in_their_order() {
    let body = HEADER.split_once("struct lanescope_info {").unwrap().1.split_once("};").unwrap().0;
    let fields: Vec<(&str, &str)> =
        body.lines().filter_map(|line| line.trim().trim_end_matches(';').split_once(' ')).collect();
    let told = format!("{:?}", Info::default());
    let own: Vec<&str> =
        told.split(['{', ',']).skip(1).filter_map(|part| Some(part.split_once(':')?.0.trim())).collect();
    assert_eq!(fields.iter().map(|(_, name)| *name).collect::<Vec<_>>(), own);
    let bytes: usize = fields.iter().map(|(kind, _)| if *kind == "__u64" { 8 } else { 4 }).sum();
    assert_eq!(bytes, size_of::<Info>());
    assert!(HEADER.contains("_IOWR('l', 0x40, struct lanescope_info)"));
}

#[test]
fn does_each_cause_of_the_header_have_a_name_here() {
    let causes = HEADER.lines().filter_map(|line| line.strip_prefix("#define LANESCOPE_CAUSE_"));
    let numbers: Vec<u32> = causes.map(|line| line.split_whitespace().last().unwrap().parse().unwrap()).collect();
    assert!(numbers.len() > 10, "{numbers:?}");
    for last_cause in numbers {
        let cause = Info { last_cause, ..Info::default() }.cause();
        assert!(!matches!(cause, Some(Cause::Other(_))) && cause.is_none() == (last_cause == 0), "{last_cause}");
    }
}
