#![allow(clippy::unwrap_used)]
//! Does the file of a card's signals say, to a reader that is not ours, what the card did?

mod common;
use common::{absent, run_with, scenario};
use cosim::Cosim;
use fst_reader::{FstFilter, FstHierarchyEntry, FstReader, FstSignalHandle, FstSignalValue};
use std::collections::HashMap;
use std::convert::Infallible;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

const TEST: &str = "are_the_cards_signals_named_and_do_they_move_with_the_run";

/// How often each signal of the card's top changed.
fn changes(file: &Path) -> HashMap<String, u64> {
    let mut reader = FstReader::open(BufReader::new(File::open(file).unwrap())).unwrap();
    let (mut depth, mut names) = (0, HashMap::new());
    let entry = |entry| match entry {
        FstHierarchyEntry::Scope { .. } => depth += 1,
        FstHierarchyEntry::UpScope => depth -= 1,
        FstHierarchyEntry::Var { name, handle, .. } if depth <= 2 => {
            names.insert(handle.get_index(), name);
        }
        _ => {}
    };
    reader.read_hierarchy(entry).unwrap();
    let mut changes = HashMap::new();
    let signals = names.keys().map(|&index| FstSignalHandle::from_index(index));
    let filter = FstFilter::filter_signals(signals.collect());
    let change = |_, signal: FstSignalHandle, _: FstSignalValue<'_>| {
        *changes.entry(names[&signal.get_index()].clone()).or_insert(0) += 1;
        Ok::<(), Infallible>(())
    };
    reader.read_signals(&filter, change).unwrap();
    changes
}

#[test]
fn are_the_cards_signals_named_and_do_they_move_with_the_run() {
    if absent(TEST) {
        return;
    }
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("card.fst");
    let cosim = match Cosim::with_waves(file.clone()) {
        Ok(cosim) => cosim,
        Err(error) => return testing::skip(TEST, &error.to_string()),
    };
    let scenario = scenario("write", &["experiments.write.volume=64 KiB"]);
    run_with(&scenario, &cosim);
    let changes = changes(&file);
    let moved = |name: &str| changes.get(name).copied().unwrap_or(0);
    // The last beat of each of 512 TLPs, up and down, and what the signal begins with.
    assert!(moved("s_axis_tx_tlast").abs_diff(2 * 512) <= 2, "{}", moved("s_axis_tx_tlast"));
    // Both edges of every clock; the second card has no file.
    let clocks = cosim.clocks().0;
    assert!(moved("clk_i") >= clocks && moved("clk_i") <= 2 * clocks + 2, "{} of {clocks}", moved("clk_i"));
    assert_eq!(moved("pingpong_i"), 1, "it has one value from the start on");
}
