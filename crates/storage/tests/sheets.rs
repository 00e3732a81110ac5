//! Does a drive of the catalogue do what its document says, sequential and random, and is each ceiling what holds it there?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

/// A drive at a host that is faster: software and link do not count.
fn machine(part: &str) -> String {
    format!(
        "
title: one SSD
parts:
  host: {{ part: generic/gen5-host, slots: {{ m2: gen5 x4 }}, notice: polling, command_cost: 20 ns, call_cost: 20 ns }}
  ssd: {{ part: {part} }}
links: [host.m2 - ssd.pcie]
experiments:
  work:
    {{ operation: disk-read, drive: software, flows: [ssd -> host], command: 4 KiB, volume: 512 MiB, window: 4 GiB,
      pattern: random, jobs: 8, queue_depth: 128, measures: [throughput],
      axes: {{ op: {{ read: {{ operation: disk-read }}, write: {{ operation: disk-write }} }} }} }}
"
    )
}

/// The simulated rate in bytes a second, which is no more than its limit.
fn rate(part: &str, op: &str, settings: &[&str]) -> f64 {
    let scenario = common::scenario(&machine(part), &[("op", op)], settings);
    let outcome = sim::run(&scenario, &sim::Options::default()).unwrap();
    let (ran, most) = (outcome.flows[0].stream.unwrap().0, limit::limit(&scenario).alone[0].stream.0);
    assert!(ran <= 1.004 * most, "{part} {op} {settings:?}: {ran} above {most}");
    ran
}

const IN_ORDER: [&str; 5] = [
    "experiments.work.pattern=sequential",
    "experiments.work.command=128 KiB",
    "experiments.work.queue_depth=32",
    "experiments.work.jobs=1",
    "experiments.work.volume=2 GiB",
];

/// What the documents named in the catalogue say: random reads and writes of 4 KiB a second, sequential reads and writes in MB/s.
const SHEETS: [(&str, f64, f64, f64, f64); 2] = [
    // Samsung PM9A3, 7.68 TB, U.2.
    ("ssd/gen4-nvme", 900e3, 200e3, 6500.0, 3500.0),
    // Micron 9550 MAX, 12.8 TB.
    ("ssd/gen5-nvme", 3300e3, 820e3, 14000.0, 10000.0),
];

#[test]
fn does_a_drive_do_what_its_document_says() {
    for (part, reads, writes, read, write) in SHEETS {
        for (op, settings, says, by) in [
            ("read", &[][..], reads * 4096.0, 0.10),
            ("write", &[], writes * 4096.0, 0.10),
            ("read", &IN_ORDER, read * 1e6, 0.05),
            ("write", &IN_ORDER, write * 1e6, 0.05),
        ] {
            let ran = rate(part, op, settings);
            assert!(
                (ran / says - 1.0).abs() < by,
                "{part} {op} {settings:?}: {ran:.4e}, and its document says {says:.4e}"
            );
        }
    }
    // Of the PM983 of 960 GB, random figures alone are cited.
    for (op, says) in [("read", 400e3), ("write", 40e3)] {
        let ran = rate("ssd/gen3-nvme", op, &[]) / 4096.0;
        assert!((ran / says - 1.0f64).abs() < 0.10, "{op}: {ran}, and its document says {says}");
    }
}

/// An SSD on a port of a controller.
fn at_a_port(part: &str) -> String {
    machine(part).replace("m2: gen5 x4", "m2: gen3 x8").replace("jobs: 8, queue_depth: 128", "queue_depth: 32")
}

#[test]
fn does_a_sata_ssd_do_what_its_document_says() {
    let rate = |op: &str, settings: &[&str]| {
        let scenario = common::scenario(&at_a_port("sata/ahci-ssd"), &[("op", op)], settings);
        let ran = sim::run(&scenario, &sim::Options::default()).unwrap().flows[0].stream.unwrap().0;
        let most = limit::limit(&scenario).alone[0].stream.0;
        assert!(ran <= 1.004 * most, "{op} {settings:?}: {ran} above {most}");
        ran
    };
    let small = ["experiments.work.volume=64 MiB"];
    let in_order = &IN_ORDER[..4];
    let long = [in_order, &["experiments.work.volume=256 MiB"]].concat();
    // Samsung 870 EVO, 32 in flight.
    for (op, settings, says, by) in [
        ("read", &small[..], 98e3 * 4096.0, 0.10),
        ("write", &small, 88e3 * 4096.0, 0.10),
        ("read", &long, 560e6, 0.05),
        ("write", &long, 530e6, 0.05),
    ] {
        let ran = rate(op, settings);
        assert!((ran / says - 1.0).abs() < by, "{op} {settings:?}: {ran:.4e}, and its document says {says:.4e}");
    }
    // One command of several of a block is out of order, and not each of the few blocks of a small window.
    for settings in [
        ["experiments.work.command=64 KiB", "ssd.most_transfer=4 KiB", "experiments.work.queue_depth=2"],
        ["experiments.work.command=8 KiB", "ssd.most_transfer=4 KiB", "experiments.work.queue_depth=1"],
        ["experiments.work.command=4 KiB", "experiments.work.window=8 KiB", "experiments.work.queue_depth=32"],
        ["experiments.work.command=4 KiB", "experiments.work.window=32 KiB", "experiments.work.queue_depth=1"],
    ] {
        rate("write", &[&small[..], &settings].concat());
    }
    let off = rate("write", &[small[0], "ssd.ssd_write_time=0 s"]) / rate("write", &small);
    assert!(off > 1.3, "without the time of a write out of order: {off}");
}

#[test]
fn is_a_drive_faster_without_each_ceiling() {
    let part = "ssd/gen4-nvme";
    let without = |op: &str, ceiling: &str, settings: &[&str]| {
        let off = [settings, &[ceiling]].concat();
        rate(part, op, &off) / rate(part, op, settings)
    };
    assert!(without("read", "ssd.command_time=0 s", &[]) > 1.5);
    assert!(without("write", "ssd.collected=0", &[]) > 3.5);
    assert!(without("write", "ssd.clean=infinite", &[]) > 3.5, "a burst to a drive that was erased");
    assert!(without("read", "ssd.datapath=infinite", &IN_ORDER) > 1.05);
    assert!(without("write", "ssd.program_time=100 us", &IN_ORDER) > 1.5);
}

#[test]
fn do_all_queues_share_the_controller() {
    let (part, slow) = ("ssd/gen5-nvme", "ssd.command_time=10 us");
    for (jobs, op) in [(1, "read"), (8, "read"), (8, "write")] {
        let ran = rate(part, op, &[slow, &format!("experiments.work.jobs={jobs}"), "experiments.work.volume=64 MiB"]);
        assert!((ran / 4096.0 / 100e3 - 1.0).abs() < 0.01, "{jobs} {op}: {ran}");
    }
    // A block of two commands takes two of these times.
    let two = [
        "experiments.work.command=512 KiB",
        "ssd.mdts=256 KiB",
        "ssd.command_time=100 us",
        "experiments.work.volume=1 GiB",
    ];
    let ran = rate(part, "read", &two);
    assert!((ran / (512.0 * 1024.0 / 200e-6) - 1.0).abs() < 0.01, "{ran}");
}
