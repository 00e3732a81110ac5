//! Which cause is named for measured rates, and when is none?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use lanescope_lab::explain::{Cause, Evidence, ExplainOptions, Explanation, Measurement, Suspect, Verdict, explain};
use std::sync::atomic::AtomicBool;

const MIB: f64 = 1_048_576.0;

fn explained(evidence: &Evidence) -> Explanation {
    let interrupted = AtomicBool::new(false);
    explain(evidence, &ExplainOptions { threads: None, interrupted: &interrupted }).unwrap()
}

/// The article's own question: is it the port or the lane, and which card would tell?
#[test]
fn are_port_and_lane_of_the_ahci_cards_undecided_with_the_card_that_would_tell() {
    let _ = storage::register();
    let machine = lanescope_lab::DescribedMachine::open("ahci-x1-cards", &[]).unwrap();
    let table = lanescope_lab::reference::bundled_named("ahci").unwrap();
    let evidence = Evidence::new(Measurement::of_rows(&machine, table).unwrap());
    assert_eq!(evidence.unknown, ["host.lane_cap"], "what was fitted on these rows is not known here");
    let found = explained(&evidence);
    let Verdict::Undecided(Some(next)) = &found.verdict else { panic!("{:?}", found.verdict) };
    for (of, wanted) in found.hypotheses.iter().zip(["ports", "lanes"]) {
        let Some(Cause::Hidden(suspect)) = of.cause() else { panic!("{of:?}") };
        let is = match suspect {
            Suspect::Ports(part, _) => wanted == "ports" && part == "host",
            Suspect::Lanes(part) => wanted == "lanes" && part == "host",
            _ => false,
        };
        assert!(is, "{wanted}: {suspect}");
        let cap = of.fitted[0].figure / MIB;
        assert!((cap / 290.0 - 1.0).abs() < 0.02 && of.fitted[0].error < 0.03, "{cap} MiB/s");
    }
    assert!(
        next.what.starts_with("a card of 4 lanes at host.pcie") && next.what.contains("slot=long"),
        "{}",
        next.what
    );
    // By the port, the link of four lanes; by the lane, four times the cap.
    let (link, lanes) = (next.rates.first / MIB, next.rates.second / MIB);
    assert!((1500.0..1750.0).contains(&link) && (lanes / (4.0 * 290.0) - 1.0).abs() < 0.02, "{link} and {lanes}");
}

/// The same rates with a machine whose ports cannot be capped: what is left is far off, and says so.
#[test]
fn is_nothing_named_where_nothing_is_near() {
    let _ = storage::register();
    let machine = lanescope_lab::DescribedMachine::open("ahci-x1-cards", &[]).unwrap();
    let table = lanescope_lab::reference::bundled_named("ahci").unwrap();
    let mut evidence = Evidence::new(Measurement::of_rows(&machine, table).unwrap());
    for (number, measurement) in evidence.measurements.iter_mut().enumerate() {
        // Rates that no machine gives: above the link, each by another factor.
        let rate = 2e9 * (1.0 + number as f64);
        measurement.rate = lanescope_lab::Span { low: rate, high: Some(rate) };
    }
    let found = explained(&evidence);
    assert!(matches!(found.verdict, Verdict::Unexplained), "{:?}", found.verdict);
    assert_eq!(found.above.len(), evidence.measurements.len());
    let none = Evidence::new(Vec::new());
    let interrupted = AtomicBool::new(false);
    assert!(explain(&none, &ExplainOptions { threads: None, interrupted: &interrupted }).is_err());
}

/// Ctrl-C before anything was tried keeps what registers say.
#[test]
fn does_an_interrupt_end_it_early() {
    let _ = storage::register();
    let machine = lanescope_lab::DescribedMachine::open("ahci-x1-cards", &[]).unwrap();
    let table = lanescope_lab::reference::bundled_named("ahci").unwrap();
    let evidence = Evidence::new(Measurement::of_rows(&machine, table).unwrap());
    let found = explain(&evidence, &ExplainOptions { threads: None, interrupted: &AtomicBool::new(true) }).unwrap();
    assert!(!found.complete);
}
