//! Is a drive that fails named, and do the others go on?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use sim::Outcome;
use system::{Description, Point};

/// Reads of 128 KiB from four drives, of which the second has `settings`.
fn ran(op: &str, settings: &[&str]) -> Outcome {
    let _ = lanescope_storage::register();
    let mut description = Description::bundled("nvme-workstation").unwrap();
    settings.iter().for_each(|setting| description.set(&format!("ssd[1].{setting}")).unwrap());
    let point = [("op", op), ("block", "128 KiB"), ("drives", "4")];
    let point = point.iter().fold(Point::default(), |point, (axis, value)| point.with(axis, value));
    let scenario = description.scenario(description.experiment("blocks").unwrap(), &point).unwrap();
    sim::run(&scenario, &sim::Options::default()).unwrap()
}

fn rate(outcome: &Outcome, flow: usize) -> f64 {
    outcome.flows[flow].stream.unwrap().as_mb_per_s()
}

#[test]
fn is_a_command_that_fails_named_and_are_its_bytes_not_counted() {
    for op in ["read", "write"] {
        let (good, bad) = (ran(op, &[]), ran(op, &["fault=error", "fault_after=100"]));
        let failed: Vec<u64> = bad.flows.iter().map(|flow| flow.faults.failed).collect();
        assert_eq!(failed, [0, 1, 0, 0], "{op}");
        assert!(good.flows.iter().all(|flow| !flow.faults.any()));
        assert_eq!(bad.flows[1].latency.count, good.flows[1].latency.count, "{op}: the next block takes its place");
        (0..4).for_each(|flow| assert!((rate(&bad, flow) / rate(&good, flow) - 1.0).abs() < 0.01, "{op} {flow}"));
    }
}

#[test]
fn is_an_answer_that_comes_late_named_and_seen_in_the_latency() {
    let (good, bad) = (ran("read", &[]), ran("read", &["fault=late", "fault_after=20", "fault_delay=2 ms"]));
    assert_eq!(bad.flows.iter().map(|flow| flow.faults.late).collect::<Vec<_>>(), [0, 1, 0, 0]);
    let (longest, before) = (bad.flows[1].latency.max, good.flows[1].latency.max);
    assert!(longest.as_secs() > 2e-3 && before.as_secs() < 1e-3, "{longest} {before}");
    (0..4).for_each(|flow| assert!((rate(&bad, flow) / rate(&good, flow) - 1.0).abs() < 0.01, "{flow}"));
}

#[test]
fn do_the_others_go_on_where_a_drive_stops_and_is_their_sum_right() {
    // In the middle, at the start, and before anything moved.
    for after in ["300", "20", "0"] {
        let (good, bad) = (ran("read", &[]), ran("read", &["fault=silence", &format!("fault_after={after}")]));
        let stopped: Vec<bool> = bad.flows.iter().map(|flow| flow.faults.stopped).collect();
        assert_eq!(stopped, [false, true, false, false], "{after}");
        assert_eq!(bad.flows[1].stream, None, "it has no rate");
        let sum = |outcome: &Outcome| [0, 2, 3].into_iter().map(|flow| rate(outcome, flow)).sum::<f64>();
        assert!((sum(&bad) / sum(&good) - 1.0).abs() < 0.01, "{after}: {} {}", sum(&bad), sum(&good));
        assert!([0, 2, 3].into_iter().all(|flow| bad.flows[flow].bytes >= 64 << 20), "{after}: they end");
    }
}

#[test]
fn is_what_shares_a_link_with_a_drive_that_stops_faster_from_then_on() {
    let _ = lanescope_storage::register();
    let rates = |settings: &[&str]| {
        let mut description = Description::bundled("nvme-server-24").unwrap();
        settings.iter().for_each(|setting| description.set(setting).unwrap());
        let point = [("op", "read"), ("block", "128 KiB"), ("sockets", "one")];
        let point = point.iter().fold(Point::default(), |point, (axis, value)| point.with(axis, value));
        let scenario = description.scenario(description.experiment("blocks").unwrap(), &point).unwrap();
        let outcome = sim::run(&scenario, &sim::Options::default()).unwrap();
        let left = outcome.flows.iter().zip(&scenario.flows).filter(|(_, flow)| flow.name.starts_with("left"));
        left.filter_map(|(found, _)| Some(found.stream?.as_mb_per_s())).collect::<Vec<f64>>()
    };
    let (all, rest) = (rates(&[]), rates(&["left[3].fault=silence", "left[3].fault_after=20"]));
    assert_eq!((all.len(), rest.len()), (12, 11));
    let (all, rest) = (all.iter().sum::<f64>(), rest.iter().sum::<f64>());
    assert!((rest / all - 1.0).abs() < 0.02, "they share what the link carries: {rest} of {all}");
}

/// Four drives at a controller, of which the second has `settings`.
fn ran_at_a_controller(protocol: &str, op: &str, settings: &[&str]) -> Outcome {
    let _ = lanescope_storage::register();
    let text = format!(
        "
parts:
  host: {{ part: generic/gen3-host, slots: {{ pcie: gen3 x4 }} }}
  hba: {{ part: sata/ahci-ssd, protocol: {protocol}, ports: {{ pcie: gen3 x4 }}, fault_port: 1 }}
links: [host.pcie - hba.pcie]
experiments:
  work:
    {{ operation: disk-{op}, drive: software, flows: [hba -> host, hba -> host, hba -> host, hba -> host],
      command: 128 KiB, volume: 64 MiB, queue_depth: 8 }}
"
    );
    let text = if op == "write" { text.replace("hba -> host", "host -> hba") } else { text };
    let mut description = Description::from_text("hba.yaml", &text).unwrap();
    settings.iter().for_each(|setting| description.set(&format!("hba.{setting}")).unwrap());
    let scenario = description.scenario(description.experiment("work").unwrap(), &Point::default()).unwrap();
    sim::run(&scenario, &sim::Options::default()).unwrap()
}

#[test]
fn does_a_drive_at_a_controller_fail_in_the_same_ways() {
    for (protocol, op) in [("ahci", "read"), ("ahci", "write"), ("sas", "read"), ("sas", "write")] {
        let run = |settings: &[&str]| ran_at_a_controller(protocol, op, settings);
        let good = run(&[]);
        assert!(good.flows.iter().all(|flow| !flow.faults.any()));
        let sum = |outcome: &Outcome| [0, 2, 3].into_iter().map(|flow| rate(outcome, flow)).sum::<f64>();
        let like = |bad: &Outcome| (sum(bad) / sum(&good) - 1.0).abs() < 0.01;

        let failed = run(&["fault=error", "fault_after=100"]);
        assert_eq!(
            failed.flows.iter().map(|flow| flow.faults.failed).collect::<Vec<_>>(),
            [0, 1, 0, 0],
            "{protocol} {op}"
        );
        assert!(like(&failed) && (rate(&failed, 1) / rate(&good, 1) - 1.0).abs() < 0.01, "{protocol} {op}");

        let late = run(&["fault=late", "fault_after=20", "fault_delay=50 ms"]);
        assert_eq!(late.flows.iter().map(|flow| flow.faults.late).collect::<Vec<_>>(), [0, 1, 0, 0], "{protocol} {op}");
        assert!(late.flows[1].latency.max.as_secs() > 0.05 && good.flows[1].latency.max.as_secs() < 0.05);
        assert!(like(&late), "{protocol} {op}");

        for after in ["300", "0"] {
            let silent = run(&["fault=silence", &format!("fault_after={after}")]);
            let stopped: Vec<bool> = silent.flows.iter().map(|flow| flow.faults.stopped).collect();
            assert_eq!(
                (stopped, silent.flows[1].stream),
                (vec![false, true, false, false], None),
                "{protocol} {op} {after}"
            );
            assert!(like(&silent), "{protocol} {op} {after}: {} {}", sum(&silent), sum(&good));
        }
    }
}
