//! Is the limit of random storage systems no lower than their simulation, and near it?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use system::{Description, Point, Scenario};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[(self.next() % all.len() as u64) as usize]
    }
}

/// A random machine with drives and one experiment.
fn described(seed: u64) -> String {
    let mut r = Random(seed);
    let generation = r.of(&[1, 2, 3, 4, 5]);
    let (width, drives, switched) = (r.of(&[1, 2, 4]), r.of(&[1, 1, 2, 4]), r.of(&[true, false]));
    let (block, depth, jobs): (u64, u64, u64) = (
        r.of(&[512, 4096, 8192, 16384, 65536, 131_072, 1 << 20]),
        r.of(&[1, 2, 4, 8, 16, 32, 64, 128]),
        r.of(&[1, 1, 2, 4]),
    );
    let (op, order) = (r.of(&["disk-read", "disk-write"]), r.of(&["sequential", "random"]));
    let (dies, read, program) = (r.of(&[16, 64, 128]), r.of(&[10, 50, 100]), r.of(&[100, 400, 800]));
    let (channels, rate, page) = (r.of(&[4, 8, 16]), r.of(&[600, 1200, 2400]), r.of(&[4096, 16384]));
    let (mps, mrrs) = (r.of(&[128, 256, 512]), r.of(&[128, 512, 4096]));
    let (cost, call, notice) = (r.of(&[0, 100, 600]), r.of(&[0, 100, 600]), r.of(&["polling", "interrupt"]));
    let (requests, datapath) = (r.of(&[8, 32, 64]), r.of(&["infinite", "2 GB/s", "7 GB/s"]));
    let in_flight = depth * jobs;
    let most = (160 << 20) / block;
    let blocks = (60 * in_flight).max(1000).min(most).max(6 * in_flight).max(64);
    let (up, links) = match switched {
        true => (
            format!(
                "switch: {{ part: generic/gen5-switch, ports: {{ up: gen{generation} x{width}, 'down[4]': gen5 x4 }}, mps: {mps} }}"
            ),
            "[host.pcie - switch.up, 'switch.down[i] - ssd[i].pcie']",
        ),
        false => (
            "unused: { kind: nvme-ssd, ports: { pcie: gen4 x4 }, bars: 16 KiB }".into(),
            "['host.slot[i] - ssd[i].pcie', host.pcie - unused.pcie]",
        ),
    };
    format!(
        "
title: random
parts:
  host: {{ part: generic/gen5-host, slots: {{ pcie: gen5 x4, 'slot[4]': gen{generation} x4 }}, mps: {mps}, notice: {notice},
          command_cost: {cost} ns, call_cost: {call} ns }}
  {up}
  ssd: {{ kind: nvme-ssd, count: {drives}, ports: {{ pcie: gen{generation} x{width} }}, bars: 16 KiB, dies: {dies},
         read_time: {read} us, program_time: {program} us, channels: {channels}, channel_rate: {rate} MB/s,
         page: {page} B, mps: {mps}, read_requests: {requests}, datapath: {datapath} }}
links: {links}
settings: {{ bars: above 4 GiB, mps_policy: tree-minimum, mrrs: {mrrs} }}
experiments:
  work: {{ operation: {op}, drive: software, flows: [{flow}], command: {block} B, volume: {volume} B, pattern: {order},
          queue_depth: {depth}, jobs: {jobs}, measures: [throughput_sum] }}
",
        flow = if op == "disk-read" { "'ssd[i] -> host'" } else { "'host -> ssd[i]'" },
        volume = block * blocks,
        drives = drives.max(2),
    )
}

fn scenario(text: &str) -> Scenario {
    let _ = lanescope_storage::register();
    let description = Description::from_text("random.yaml", text).unwrap_or_else(|e| panic!("{}\n{text}", e.report()));
    let experiment = description.experiment("work").unwrap();
    description.scenario(experiment, &Point::default()).unwrap_or_else(|e| panic!("{}\n{text}", e.report()))
}

/// How far the limit is above the simulation, the sum of all drives, and what it says.
fn above(scenario: Scenario) -> Option<(f64, String)> {
    let outcome = sim::run(&scenario, &sim::Options::default()).unwrap_or_else(|e| panic!("{e}"));
    let rates: Option<Vec<f64>> = outcome.flows.iter().map(|flow| flow.stream.map(|rate| rate.0)).collect();
    let limits = limit::limit(&scenario);
    let sum = rates?.iter().sum::<f64>();
    let by = limits.together[0].bottleneck.to_string();
    Some((limits.sum().0 / sum - 1.0, format!("{:.1} of {:.1} MB/s, {by}", sum / 1e6, limits.sum().0 / 1e6)))
}

/// What was found of all cases.
#[derive(Default)]
struct Agreement {
    all: u64,
    near: u64,
    far: u64,
    below: Vec<String>,
}

impl Agreement {
    /// Counts the case `seed`, unless it has no common window. The limit may be below the simulation by `least`, a share.
    fn add(&mut self, seed: u64, text: &str, least: f64) {
        let Some((above, told)) = above(scenario(text)) else { return };
        self.all += 1;
        self.near += u64::from(above < 0.03);
        self.far += u64::from(above > 0.08);
        let told = format!("{seed}: {:+.2} % ({told})", above * 100.0);
        if above < -least {
            self.below.push(told);
        } else if above > 0.08 {
            println!("{told}");
        }
    }

    /// None is below, and no fewer than `least` have a common window.
    fn check(&self, least: u64) {
        let Agreement { all, near, far, below } = self;
        println!("{near} of {all} within 3 %, {far} above 8 %, {} below", below.len());
        assert!(*all > least, "{all} of more than {least} have a common window");
        assert!(below.is_empty(), "the limit is an upper bound: {}", below.join("; "));
    }
}

fn cases(usual: u64) -> u64 {
    std::env::var("LANESCOPE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(usual)
}

#[test]
fn do_limit_and_simulation_of_random_drives_agree() {
    let mut found = Agreement::default();
    // Waits by chance are means: a short run may have shorter ones.
    (0..cases(40)).for_each(|seed| found.add(seed, &described(seed), 0.006));
    found.check(cases(40) * 9 / 10);
    // Beyond are drives with few commands in flight that begin at once, and meet on a link in each round.
    assert!(found.near * 4 > found.all * 3, "{} of {} within 3 %", found.near, found.all);
}

/// The machine of LANESCOPE_SEED, an adapter with LANESCOPE_ADAPTER.
#[test]
#[ignore]
fn look() {
    let seed = std::env::var("LANESCOPE_SEED").unwrap().parse().unwrap();
    let text = if std::env::var("LANESCOPE_ADAPTER").is_ok() { adapter(seed) } else { described(seed) };
    let scenario = scenario(&text);
    println!("{text}\n{:?}", above(scenario.clone()));
    for row in limit::near::rows(&scenario, 0).iter().take(8) {
        println!("   {:.1} MB/s {}", row.rate.as_mb_per_s(), row.bottleneck);
    }
    let outcome = sim::run(&scenario, &sim::Options::default()).unwrap();
    println!("{:?}", outcome.flows[0].latency);
    for share in system::Share::all().filter(|share| outcome.flows[0].budget.of(*share) > 0.001) {
        println!("   {share} {:.4}", outcome.flows[0].budget.of(share));
    }
}

/// A random controller with SATA drives, and one experiment.
fn adapter(seed: u64) -> String {
    let mut r = Random(seed ^ 0x5a7a);
    let (protocol, device) = (r.of(&["ahci", "sas"]), r.of(&["disk", "ssd"]));
    let (ports, members) = (r.of(&[1, 2, 4, 8]), r.of(&[1, 1, 2, 4]));
    let (rate, media, gap) = (r.of(&[150, 300, 600]), r.of(&[120, 250, 520]), r.of(&[0, 300, 2000]));
    let lanes = if protocol == "sas" { r.of(&["infinite", "1", "4"]) } else { "infinite" };
    let (generation, width) = (r.of(&[1, 2, 3]), r.of(&[1, 4, 8]));
    let (block, depth): (u64, u64) = (r.of(&[4096, 65536, 131_072, 1 << 20]), r.of(&[1, 2, 4, 16, 32]));
    let (op, order) = (r.of(&["disk-read", "disk-write"]), r.of(&["sequential", "random"]));
    let (mps, requests) = (r.of(&[128, 256]), r.of(&[8, 32]));
    let (cost, notice) = (r.of(&[0, 600, 3000]), r.of(&["polling", "interrupt"]));
    let (inner, zones) = (r.of(&["infinite", "60 MB/s"]), r.of(&[1, 8]));
    // What moves an arm is slow, and has few blocks.
    let slow = device == "disk" && order == "random";
    let blocks = if slow { 40 * depth.max(4) } else { ((96 << 20) / block).clamp(40 * depth, 20_000) };
    let (flow, volume) = (if op == "disk-read" { "hba -> host" } else { "host -> hba" }, block * blocks.max(64));
    let flows = vec![flow; ports].join(", ");
    format!(
        "
title: random
parts:
  host: {{ part: generic/gen3-host, slots: {{ pcie: gen3 x8 }}, mps: {mps}, notice: {notice}, command_cost: {cost} ns }}
  hba: {{ kind: sata-controller, ports: {{ pcie: gen{generation} x{width} }}, bars: 8 KiB, protocol: {protocol},
         device: {device}, sata_ports: {ports}, members: {members}, sata_rate: {rate} MB/s, media_rate: {media} MB/s,
         fis_gap: {gap} ns, expander_lanes: {lanes}, read_requests: {requests}, mps: {mps}, inner_rate: {inner},
         zones: {zones}, capacity: 64 GiB, cache: 8 MiB }}
links: [host.pcie - hba.pcie]
settings: {{ mps_policy: tree-minimum }}
experiments:
  work: {{ operation: {op}, drive: software, flows: [{flows}], command: {block} B, volume: {volume} B, pattern: {order},
          queue_depth: {depth}, measures: [throughput_sum] }}
"
    )
}

#[test]
fn do_limit_and_simulation_of_random_adapters_agree() {
    let mut found = Agreement::default();
    // A short run of few random places has its own mean way of the arm.
    (0..cases(60)).for_each(|seed| found.add(seed, &adapter(seed), 0.025));
    found.check(cases(60) * 9 / 10);
}

#[test]
fn is_the_limit_of_mixed_queues_no_lower_than_their_simulation() {
    let mut found = Agreement::default();
    for seed in 0..cases(30) {
        for text in [described(seed), adapter(seed)] {
            let share = [10, 50, 70, 95][seed as usize % 4];
            if text.contains("operation: disk-read") {
                found.add(seed, &text.replace("measures: [", &format!("read_share: {share}, measures: [")), 0.025);
            }
        }
    }
    found.check(cases(30) / 2);
}
