//! Is the rate of a short run what the drive can keep up?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod common;

use proptest::prelude::*;

/// What its window may add, for pieces at its edges.
const EDGES: f64 = 1.03;

/// The rate of the one flow, in MB/s.
fn rate(text: &str, point: &[(&str, &str)]) -> f64 {
    let outcome = sim::run(&common::scenario(text, point, &[]), &sim::Options::default()).unwrap();
    outcome.flows[0].stream.map_or(0.0, |rate| rate.as_mb_per_s())
}

fn experiment(op: &str, command: u64, commands: u64, depth: u64) -> String {
    format!(
        "experiments:\n  work: {{ operation: disk-{op}, drive: software, command: {command} KiB, volume: {} KiB, \
         queue_depth: {depth}, flows: [\"{}\"], axes: {{ block: [{command} KiB] }}, measures: [throughput_per_flow] }}\n",
        command * commands,
        if op == "write" { "host -> ssd" } else { "ssd -> host" },
    )
}

fn nvme(fields: &str, experiment: &str) -> String {
    format!(
        "title: a drive\nparts:\n  host: {{ kind: host, ports: {{ p: gen4 x4 }}, mps: 256 B }}\n  \
         ssd: {{ kind: nvme-ssd, ports: {{ pcie: gen4 x4 }}, mps: 256 B, {fields} }}\n\
         links: [ host.p - ssd.pcie ]\n{experiment}"
    )
}

#[test]
fn is_a_run_of_two_commands_no_faster_than_32_dies_program() {
    let fields = "dies: 32, channels: 8, channel_rate: 400 MB/s, page: 4 KiB, program_time: 600 us";
    let found = rate(&nvme(fields, &experiment("write", 128, 2, 1)), &[("block", "128 KiB")]);
    assert!(found <= 218.5 * EDGES, "{found} MB/s, and 32 pages of 4 KiB in 600 us are 218.5 MB/s");
    assert!(found > 150.0, "{found} MB/s");
}

/// What is read ahead passes the same dies and channels as what is written.
#[test]
fn do_reads_ahead_and_writes_share_one_channel() {
    let fields =
        "dies: 16, channels: 1, channel_rate: 200 MB/s, page: 4 KiB, program_time: 200 us, read_ahead: 256 KiB";
    let experiment = experiment("read", 128, 64, 4);
    let both = "[{ flow: \"ssd -> host\", operation: disk-read }, { flow: \"host -> ssd\", operation: disk-write }]";
    let text = nvme(fields, &experiment.replace("[\"ssd -> host\"]", both));
    let scenario = common::scenario(&text, &[("block", "128 KiB")], &[]);
    let outcome = sim::run(&scenario, &sim::Options::default()).unwrap();
    let rates: Vec<f64> = outcome.flows.iter().map(|flow| flow.stream.unwrap().as_mb_per_s()).collect();
    let (sum, bound) = (rates.iter().sum::<f64>(), limit::limit(&scenario).bound().as_mb_per_s());
    assert!(sum <= 200.0 * EDGES && sum > 190.0, "{rates:?} MB/s over a channel of 200");
    assert!((bound / 200.0 - 1.0).abs() < 0.01, "{bound}");
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(7),
        ..ProptestConfig::default()
    })]
    #[test]
    fn has_no_short_run_of_an_nvme_drive_a_rate_above_its_media(
        (dies, channels, page, program, read) in (1u64..64, 1u64..9, 0u32..3, 100u64..900, 20u64..90),
        (ahead, depth, command, commands, writes) in (0u64..3, 1u64..40, 0u32..6, 1u64..12, any::<bool>()),
    ) {
        let page = 4u64 << page;
        let command = 4u64 << command;
        let fields = format!(
            "dies: {dies}, channels: {channels}, channel_rate: 400 MB/s, page: {page} KiB, program_time: {program} us, \
             read_time: {read} us, read_ahead: {} KiB", ahead * 512,
        );
        let op = if writes { "write" } else { "read" };
        let text = nvme(&fields, &experiment(op, command, commands, depth));
        let found = rate(&text, &[("block", &format!("{command} KiB"))]);
        let time = if writes { program } else { read } as f64 * 1e-6;
        // A die reads a page once for all pieces of it that are asked for together.
        let media = (dies * page * 1024) as f64 / time / 1e6;
        let carried = channels.min(dies) as f64 * 400.0;
        prop_assert!(found <= media.min(carried) * EDGES, "{found} MB/s, dies {media}, channels {carried}:\n{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 120,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(11),
        ..ProptestConfig::default()
    })]
    #[test]
    fn has_no_short_run_of_a_sata_drive_a_rate_above_its_media(
        (sas, ssd, media, cache, fast) in (any::<bool>(), any::<bool>(), 80u64..560, 1u64..64, any::<bool>()),
        (depth, command, commands, writes) in (1u64..32, 0u32..8, 1u64..12, any::<bool>()),
    ) {
        let command = 4u64 << command;
        let text = format!(
            "title: a drive\nparts:\n  host: {{ kind: host, ports: {{ p: gen3 x4 }}, mps: 256 B }}\n  \
             ssd: {{ kind: sata-controller, ports: {{ pcie: gen3 x4 }}, mps: 256 B, protocol: {}, device: {}, \
             media_rate: {media} MB/s, cache: {cache} MiB, sata_rate: {} MB/s }}\nlinks: [ host.p - ssd.pcie ]\n{}",
            if sas { "sas" } else { "ahci" },
            if ssd { "ssd" } else { "disk" },
            if fast { 600 } else { 300 },
            experiment(if writes { "write" } else { "read" }, command, commands, depth),
        );
        let found = rate(&text, &[("block", &format!("{command} KiB"))]);
        let most = (media as f64).min(if fast { 600.0 } else { 300.0 });
        prop_assert!(found <= most * EDGES, "{found} of {most} MB/s:\n{text}");
    }
}

/// To read ahead never costs much: not where several jobs take the blocks of a flow in turn, and not where other commands of it write.
#[test]
fn is_a_drive_that_reads_ahead_about_as_fast_as_without_or_faster() {
    let rate = |ahead: &str, command: &str, work: &str| {
        let fields = format!("dies: 16, channels: 4, channel_rate: 400 MB/s, page: 16 KiB, read_ahead: {ahead}");
        let experiment = format!(
            "experiments:\n  work: {{ operation: disk-read, drive: software, volume: 64 MiB, command: {command}, {work}, \
             flows: [\"ssd -> host\"], axes: {{ block: [{command}] }}, measures: [throughput_per_flow] }}\n"
        );
        rate(&nvme(&fields, &experiment), &[("block", command)])
    };
    for (command, work, least) in [
        ("128 KiB", "jobs: 2, queue_depth: 32", 0.98),
        ("128 KiB", "jobs: 4, queue_depth: 16", 0.98),
        ("128 KiB", "jobs: 16, queue_depth: 4", 0.98),
        ("4 KiB", "jobs: 4, queue_depth: 32", 0.98),
        ("4 KiB", "jobs: 3, queue_depth: 1", 0.98),
        ("16 KiB", "queue_depth: 8, read_share: 10 %", 0.95),
        ("16 KiB", "queue_depth: 32, read_share: 50 %", 0.95),
        ("16 KiB", "queue_depth: 8, read_share: 90 %", 0.95),
    ] {
        let without = rate("0 B", command, work);
        for ahead in ["4 KiB", "64 KiB", "1 MiB", "64 MiB"] {
            let with = rate(ahead, command, work);
            assert!(with > least * without, "{command}, {work}, {ahead}: {with} MB/s, and {without} without");
        }
    }
}
