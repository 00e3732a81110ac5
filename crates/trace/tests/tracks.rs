//! What Perfetto's own message definitions read from a Perfetto trace (`tests/check_tracks.py` checks the rules).
#![allow(clippy::unwrap_used, clippy::panic)]

mod common;
use lanescope_trace::{Chosen, Format, Writer};
use sim::{Options, run_traced};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use system::Scenario;

/// What the check found, where there is something to check with; it fails where a rule of track events is broken.
fn found(test: &str, trace: &Path) -> Option<serde_json::Value> {
    let python = testing::python(test, "perfetto")?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check_tracks.py");
    let output = Command::new(python).arg(script).arg(trace).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

fn check(test: &str, scenario: &Scenario, links: &str) -> Option<serde_json::Value> {
    let trace = common::trace(test, scenario, Format::Perfetto, links);
    found(test, &trace.path)
}

fn tracks(found: &serde_json::Value) -> Vec<&str> {
    found["tracks"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn has_every_direction_and_requester_a_track_and_every_tlp_a_slice() {
    let test = "has_every_direction_and_requester_a_track_and_every_tlp_a_slice";
    let Some(found) = check(test, &common::peers(), "") else { return };
    let tracks = tracks(&found);
    for name in ["card[0].pcie -> board[0].down[0]", "board[0].down[1] -> card[1].pcie", "card[0] (05:00.0)"] {
        assert!(tracks.contains(&name), "{name} is not among {tracks:?}");
    }
    assert_eq!(found["slices"]["MWr"], 2 * 2 * 512);
    let delivered = &found["counters"]["card[0] -> card[1]: delivered"];
    assert_eq!(delivered[3], 64 << 10);
}

#[test]
fn does_an_arrow_lead_from_every_request_to_its_last_completion() {
    let test = "does_an_arrow_lead_from_every_request_to_its_last_completion";
    for links in ["", "card"] {
        let Some(found) = check(test, &common::read(), links) else { return };
        assert_eq!(found["arrows"], 32);
        // Once on the link, once from request to answer at the requester.
        assert_eq!(found["slices"]["MRd"], 2 * 32);
        assert_eq!(found["slices"]["CplD"], 1024);
        let in_use = &found["counters"]["card: tags in use"];
        assert_eq!((&in_use[2], &in_use[3]), (&1.into(), &0.into()), "one request in flight, none in the end");
    }
}

#[test]
fn are_arrows_whole_where_their_link_is_not_chosen() {
    let test = "are_arrows_whole_where_their_link_is_not_chosen";
    let scenario = common::scenario("rosta-rb8v7", "host-read", "", 64 << 10);
    let Some(found) = check(test, &scenario, "card[0]") else { return };
    assert!(found["arrows"].as_u64().unwrap() > 0);
}

#[test]
fn do_credits_stay_between_nothing_and_what_was_advertised() {
    let test = "do_credits_stay_between_nothing_and_what_was_advertised";
    let Some(found) = check(test, &common::peers(), "") else { return };
    let counters = found["counters"].as_object().unwrap();
    let credits: Vec<_> = counters.iter().filter(|(name, _)| name.contains("credits left")).collect();
    assert!(!credits.is_empty());
    for (name, values) in credits {
        let value = |n: usize| values[n].as_i64().unwrap();
        // What is advertised at the start is the most there can ever be, and nobody uses more than there is.
        assert!(value(1) >= 0 && value(2) <= 1 << 12, "{name}: {values}");
    }
    let waiting = counters.iter().filter(|(name, _)| name.ends_with("TLPs waiting"));
    assert!(waiting.clone().count() > 0 && waiting.into_iter().all(|(_, values)| values[3] == 0));
}

#[test]
fn is_a_trace_that_was_broken_off_still_whole() {
    let test = "is_a_trace_that_was_broken_off_still_whole";
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("broken-off.perfetto");
    let scenario = common::scenario("rosta-rb8v7", "host-read", "", 4 << 20);
    let interrupted = AtomicBool::new(true);
    let mut writer = Writer::new(std::fs::File::create(&path).unwrap(), Format::Perfetto, Chosen::default(), test);
    let options = Options { interrupted: Some(&interrupted), ..dma::options() };
    let outcome = run_traced(&scenario, &options, &mut writer).unwrap();
    assert!(outcome.partial);
    assert!(writer.finish().unwrap().tlps > 0);
    found(test, &path);
    let _ = std::fs::remove_file(&path);
}
