//! Does a fit find figures of one port, figures inside a choice of an axis, and values that are chosen from a list?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_lab::fit::{Ask, By, Fit, RowUse, fit};
use lanescope_lab::sweep::RunOptions;
use lanescope_lab::{DescribedMachine, Error, Quality, Selection, Unit, metric, reference};
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);

const MACHINE: &str = "
parts:
  host: { part: generic/gen3-host, slots: { a: gen3 x8, b: gen3 x8 } }
  one: generic/gen3-card
  two: generic/gen3-card
links: [host.a - one.pcie, host.b - two.pcie]
settings: { mrrs: 512 }
experiments:
  read:
    operation: dma-read
    volume: 256 KiB
    flows: ['host -> one', 'host -> two']
    axes:
      flows: [1, 2]
      core: { slow: { one.tx_latency: 300 ns }, quick: { one.tx_latency: 60 ns } }
      size: [512, 1024, 4096, 16384, 65536]
    measures: [throughput_per_flow]
";

/// The rows of the machine with some other figures, by the closed form.
fn measured(truth: &[&str]) -> (DescribedMachine, reference::Reference) {
    let description = system::Description::from_text("m.yaml", MACHINE).unwrap();
    let described = DescribedMachine::described("m.yaml", description).unwrap();
    let machine = described.with(truth).unwrap();
    let experiment = machine.description().experiment("read").unwrap();
    let mut csv = format!("{}\n", reference::COLUMNS.join(","));
    for at in machine.points(experiment, &[]).unwrap() {
        let job = machine.job(experiment, at.clone()).unwrap();
        let quality = Quality::THROUGHPUT_PER_FLOW;
        let value = metric::bounded(quality, Unit::MbPerS, &job.scenario, &limit::limit(&job.scenario)).unwrap();
        csv += &format!("m.yaml,read,{at},throughput_per_flow,{value},MB/s,me,\n");
    }
    (described, reference::parse("m.csv", &csv).unwrap())
}

fn asked(truth: &[&str], parameters: &[&str], more: impl FnOnce(Ask) -> Ask) -> Result<Fit, Error> {
    let (machine, on) = measured(truth);
    let ask = more(Ask {
        parameters: parameters.iter().map(|path| (*path).to_string()).collect(),
        starts: Vec::new(),
        choices: Vec::new(),
        on,
        file: "m.csv".into(),
        rows: Selection::default(),
        hold_out: Vec::new(),
        hold_out_rest: false,
        by: By::Limit,
    });
    fit(&machine, &ask, &RunOptions { threads: None, interrupted: &NEVER, step: &|| (), kinds: dma::KINDS })
}

fn number(fit: &Fit, n: usize) -> f64 {
    fit.found[n].number.unwrap()
}

#[test]
fn is_the_cap_of_one_port_found_and_that_of_the_other_left_alone() {
    let start = |ask: Ask| Ask { starts: vec![("host.a.port_cap".into(), "5 GB/s".into())], ..ask };
    let found = asked(&["host.a.port_cap=2.5 GB/s"], &["host.a.port_cap"], start).unwrap();
    assert!((number(&found, 0) / 2.5e9 - 1.0).abs() < 0.002, "{:?}", found.found);
    let two = asked(
        &["host.a.port_cap=2.5 GB/s", "host.b.port_cap=1.5 GB/s"],
        &["host.a.port_cap", "host.b.port_cap"],
        |ask| Ask {
            starts: ["host.a.port_cap", "host.b.port_cap"].map(|p| (p.to_string(), "5 GB/s".into())).to_vec(),
            ..ask
        },
    );
    let two = two.unwrap();
    let off = [2.5e9, 1.5e9].iter().enumerate().map(|(n, truth)| (number(&two, n) / truth - 1.0).abs());
    assert!(off.into_iter().all(|off| off < 0.01), "{:?}", two.found);
}

#[test]
fn is_a_figure_inside_a_choice_of_an_axis_found_and_the_other_choice_left_alone() {
    let (slow, quick) = ("axes.core.slow.one.tx_latency", "axes.core.quick.one.tx_latency");
    let truth = [
        "experiments.read.axes.core.slow.one.tx_latency=700 ns",
        "experiments.read.axes.core.quick.one.tx_latency=90 ns",
    ];
    let found = asked(&truth, &[slow, quick], |ask| ask).unwrap();
    assert!((number(&found, 0) / 7e8 - 1.0).abs() < 0.01 && (number(&found, 1) / 9e7 - 1.0).abs() < 0.02);
    assert_eq!(
        (found.found[0].parameter.described.0.as_str(), found.found[1].parameter.described.0.as_str()),
        ("300 ns", "60 ns")
    );
}

#[test]
fn is_a_count_chosen_from_the_listed_values_only() {
    let choose = |ask: Ask| Ask {
        choices: vec![
            ("host.completion_bytes".into(), vec!["64".into(), "256".into()]),
            ("one.read_requests".into(), vec!["4".into(), "32".into(), "64".into()]),
        ],
        ..ask
    };
    let parameters = ["host.completion_bytes", "one.read_requests", "host.read_latency"];
    let truth = ["host.completion_bytes=256", "one.read_requests=4", "host.read_latency=700 ns"];
    let found = asked(&truth, &parameters, choose).unwrap();
    let values: Vec<&str> = found.found[..2].iter().map(|found| found.value.as_str()).collect();
    assert_eq!(values, ["256", "4"]);
    assert!((number(&found, 2) / 7e8 - 1.0).abs() < 0.01, "{:?}", found.found);
    let one = |ask: Ask| Ask { choices: vec![("one.read_requests".into(), vec!["4".into()])], ..ask };
    assert!(asked(&[], &["one.read_requests"], one).unwrap_err().right().contains("--choose"));
    let wrong = |ask: Ask| Ask { choices: vec![("one.fifo".into(), vec!["4 KiB".into(), "8 KiB".into()])], ..ask };
    assert!(asked(&[], &["one.read_requests"], wrong).unwrap_err().right().contains("one.read_requests"));
}

#[test]
fn are_all_rows_that_are_not_fitted_on_predicted_when_the_rest_is_held_out() {
    let rest =
        |ask: Ask| Ask { rows: Selection::parse("read core=slow size=512,4096").unwrap(), hold_out_rest: true, ..ask };
    let found = asked(&["host.read_latency=700 ns"], &["host.read_latency"], rest).unwrap();
    assert_eq!((found.count(RowUse::Fitted), found.count(RowUse::HeldOut)), (4, 16));
    assert!(found.error(RowUse::HeldOut).unwrap().1 < 0.5, "{:?}", found.error(RowUse::HeldOut));
    let all = |ask: Ask| Ask { hold_out_rest: true, ..ask };
    assert!(asked(&[], &["host.read_latency"], all).unwrap_err().right().contains("--rows"));
}
