//! Does a calibration find the figures of a known host within their stated errors, and leave what it cannot know?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_lab::calibrate::bench::{self, Bench};
use lanescope_lab::calibrate::{Calibration, Kept, calibrate};
use lanescope_lab::fit::By;
use lanescope_lab::sweep::{self, RunOptions};
use lanescope_lab::{At, DescribedMachine, Quality, Reference, Unit, reference};
use std::sync::atomic::AtomicBool;
use system::{Description, Scale};

static NEVER: AtomicBool = AtomicBool::new(false);

/// Relative errors of the measurements: the same ones in each run, with a standard deviation of about half a per cent.
const NOISE: [f64; 7] = [0.004, -0.006, 0.002, -0.001, 0.007, -0.005, -0.002];

const READS: [&str; 8] = [
    "requests=1;request=128 B",
    "requests=1;request=512 B",
    "requests=4;request=128 B",
    "requests=8;request=512 B",
    "requests=16;request=128 B",
    "requests=16;request=512 B",
    "requests=32;request=128 B",
    "requests=32;request=512 B",
];
const WRITES: [&str; 5] = ["payload=16", "payload=32", "payload=64", "payload=128", "payload=256"];

fn options() -> RunOptions<'static> {
    RunOptions { threads: None, interrupted: &NEVER, step: &|| (), kinds: dma::KINDS }
}

fn machine() -> DescribedMachine {
    let parts = ["generic/gen3-host", "generic/gen3-card", "gen3 x8"].map(str::to_string);
    let [host, card, slot] = parts;
    let text = bench::text(&Bench { host, card, slot }, "A bench", "");
    // Less data than on the bench: the rates are almost the same.
    let text = text.replace("512 KiB", "64 KiB");
    DescribedMachine::described("mine", Description::from_text("calibration", &text).unwrap()).unwrap()
}

/// Rows of the machine with some other figures, simulated, with errors of measurement.
fn measured(machine: &DescribedMachine, rows: &[(&str, &str)]) -> Reference {
    let job = |(experiment, at): &(&str, &str)| {
        machine.job(machine.description().experiment(experiment).unwrap(), At::parse(at).unwrap()).unwrap()
    };
    let mut csv = format!("{}\n", reference::COLUMNS.join(","));
    let points = sweep::run(rows.iter().map(job).collect(), &options()).unwrap().done;
    for ((point, (experiment, at)), noise) in points.iter().zip(rows).zip(NOISE.iter().cycle()) {
        let value = point.simulated(Quality::THROUGHPUT, Unit::MbPerS).unwrap() * (1.0 + noise);
        csv += &format!("mine,{experiment},{at},throughput,{value},MB/s,me,\n");
    }
    reference::parse("mine.csv", &csv).unwrap()
}

fn calibrated(truth: &[&str], rows: &[(&str, &str)], by: By) -> Calibration {
    let on = measured(&machine().with(truth).unwrap(), rows);
    calibrate(&machine(), "host", &on, "mine.csv", by, &options()).unwrap()
}

fn all() -> Vec<(&'static str, &'static str)> {
    READS.iter().map(|at| ("read", *at)).chain(WRITES.iter().map(|at| ("write", *at))).collect()
}

/// The figures as text, for a message.
fn shown(found: &Calibration) -> Vec<String> {
    let figures =
        found.found().map(|(figure, found)| format!("{} {} {:?}", figure.field, found.value, found.uncertainty));
    let kept = found.kept.iter().map(|kept| format!("{} kept: {}", kept.figure.field, kept.why.words()));
    let why = found.fit.iter().map(|fit| format!("{:?} {:?}", fit.not_converged, fit.warnings));
    figures.chain(kept).chain(why).collect()
}

fn why(found: &Calibration, field: &str) -> Option<Kept> {
    found.kept.iter().find(|kept| kept.figure.field == field).map(|kept| kept.why.clone())
}

#[test]
#[ignore = "slow: a fit of seven figures by simulation"]
fn do_the_figures_of_a_known_host_come_back_within_their_stated_errors() {
    let truth = [
        ("read_latency", "650 ns"),
        ("read_gap", "31 ns"),
        ("line_service", "14 ns"),
        ("write_service", "9 ns"),
        ("partial_line_service", "27 ns"),
    ];
    let sets: Vec<String> = truth.iter().map(|(field, value)| format!("host.{field}={value}")).collect();
    let found = calibrated(&sets.iter().map(String::as_str).collect::<Vec<_>>(), &all(), By::Simulation);
    assert!(found.is_result() && found.complete, "{:?}", shown(&found));
    println!("{:?}", shown(&found));
    for (field, value) in truth {
        let (_, figure) = found
            .found()
            .find(|(figure, _)| figure.field == field)
            .unwrap_or_else(|| panic!("{field}: {:?}", shown(&found)));
        let truth = Scale::Time.number(value).unwrap();
        let errors = (figure.number.unwrap() - truth).abs() / figure.uncertainty.unwrap();
        assert!(errors <= 2.0, "{field} is {errors:.1} standard errors from {value}: {:?}", shown(&found));
        assert!(figure.uncertainty.unwrap() < 0.25 * truth, "{:?}", shown(&found));
    }
    // The link is never full, so that the size of completions does not matter; and the host accepts all requests.
    assert!(why(&found, "nonposted_headers").is_some(), "{:?}", shown(&found));
}

#[test]
fn is_the_size_of_completions_found_where_the_link_decides() {
    let found = calibrated(&["host.completion_bytes=256"], &all(), By::Limit);
    let value = found.found().find(|(figure, _)| figure.field == "completion_bytes").map(|(_, f)| f.value.clone());
    assert_eq!(value.as_deref(), Some("256"), "{:?}", shown(&found));
}

#[test]
fn does_a_figure_that_no_measurement_determines_keep_its_default_and_say_so() {
    let one: Vec<(&str, &str)> = READS[..3].iter().map(|at| ("read", *at)).collect();
    let found = calibrated(&["host.read_latency=650 ns", "host.partial_line_service=50 ns"], &one, By::Limit);
    assert!(found.is_result(), "{:?}", shown(&found));
    let fields: Vec<&str> = found.found().map(|(figure, _)| figure.field).collect();
    assert!(fields.contains(&"read_latency"), "{:?}", shown(&found));
    for field in ["line_service", "write_service", "partial_line_service"] {
        assert_eq!(why(&found, field), Some(Kept::NoRow), "{:?}", shown(&found));
        assert!(!fields.contains(&field));
    }
    // Writes of whole lines alone do not say what a partly filled line costs.
    let whole: Vec<(&str, &str)> = WRITES[2..].iter().map(|at| ("write", *at)).collect();
    let found = calibrated(&["host.line_service=14 ns"], &whole, By::Limit);
    assert_eq!(why(&found, "partial_line_service"), Some(Kept::NoRow), "{:?}", shown(&found));
    assert_eq!(why(&found, "read_latency"), Some(Kept::NoRow), "{:?}", shown(&found));
}

#[test]
fn is_a_machine_that_no_host_explains_no_result() {
    let on = measured(
        &machine().with(["host.port_cap=100 MB/s"]).unwrap(),
        &[("read", READS[0]), ("read", READS[6]), ("write", WRITES[2])],
    );
    let rows: Vec<String> = on
        .rows
        .iter()
        .enumerate()
        .map(|(n, row)| {
            let value = row.value.low * [1.0, 3.0, 90.0][n];
            format!("mine,{},{},throughput,{value},MB/s,me,", row.experiment, row.at)
        })
        .collect();
    let csv = format!("{}\n{}\n", reference::COLUMNS.join(","), rows.join("\n"));
    let on = reference::parse("mine.csv", &csv).unwrap();
    let found = calibrate(&machine(), "host", &on, "mine.csv", By::Limit, &options()).unwrap();
    assert!(!found.is_result() && found.found().next().is_none(), "{:?}", shown(&found));
}
