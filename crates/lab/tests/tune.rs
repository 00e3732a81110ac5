//! Does `tune` find the best setting, compared with a search of all settings?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use lanescope_lab::sweep::RunOptions;
use lanescope_lab::tune::{EQUAL, Tuned, tune};
use lanescope_lab::{At, DescribedMachine, Metric, metric};
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use system::Description;

static NEVER: AtomicBool = AtomicBool::new(false);

/// Ten machines for which the largest size and the most requests are not the best, each with the experiment that shows
/// it. The reasons: a large request fills a buffer alone, credits suffice for one large TLP, another flow waits after
/// large reads, or a core has idle cycles.
fn machines() -> Vec<(String, &'static str)> {
    let host = |fields: &str| format!("{{ kind: host, slots: {{ pcie: gen3 x8 }}, mps: 512, rcb: 64, {fields} }}");
    let card = |fields: &str| {
        format!("{{ kind: dma-card, ports: {{ pcie: gen3 x4 }}, bars: 1 MiB, mps: 512, count: 2, {fields} }}")
    };
    let all = [
        ("read_latency: 600 ns", "read_requests: 8, completion_buffer: 2 KiB, read_request: 4096 B", "read"),
        ("read_latency: 400 ns", "read_requests: 16, completion_buffer: 1536 B, read_request: 4096 B", "read"),
        ("read_latency: 400 ns, completion_bytes: 256", "read_requests: 4, read_request: 4096 B", "read"),
        ("posted_data: 33, posted_headers: 64", "fifo: 16 KiB", "write"),
        ("posted_data: 48, posted_headers: 3, line_service: 6 ns", "fifo: 16 KiB", "write"),
        (
            "read_latency: 500 ns, line_service: 3 ns, posted_data: 40",
            "read_requests: 8, completion_buffer: 3 KiB, fifo: 16 KiB",
            "both",
        ),
        ("read_latency: 300 ns, read_gap: 60 ns", "read_requests: 16, read_request: 4096 B", "read"),
        ("read_latency: 500 ns, nonposted_headers: 2", "read_requests: 32, read_request: 1024 B", "two"),
        (
            "read_latency: 500 ns, completion_bytes: 512",
            "read_requests: 8, read_request: 4096 B, core_clock: 125 MHz, core_width: 16 B, idle_cycles: 6",
            "two",
        ),
        ("posted_data: 64, posted_headers: 8", "replay_buffer: 700 B, fifo: 4 KiB, tx_latency: 200 ns", "write"),
    ];
    let one = |(host_fields, card_fields, experiment): (&str, &str, &'static str)| {
        let text = format!(
            "parts:
  host: {}
  switch: {{ kind: switch, ports: {{ up: gen3 x4, 'down[2]': gen3 x4 }}, mps: 512, latency: 150 ns }}
  card: {}
links: [host.pcie - switch.up, 'switch.down[i] - card[i].pcie']
settings: {{ mps: 128, mrrs: 512 }}
experiments:
  read: {{ operation: dma-read, command: 32 KiB, volume: 128 KiB, flows: ['host -> card[0]'],
          measures: [throughput_sum] }}
  two: {{ operation: dma-read, command: 32 KiB, volume: 128 KiB, flows: ['host -> card[i]'],
         measures: [throughput_sum] }}
  write: {{ operation: dma-write, command: 32 KiB, volume: 128 KiB, flows: ['card[0] -> host'],
           measures: [throughput_sum] }}
  both: {{ command: 32 KiB, volume: 128 KiB, measures: [throughput_sum], flows: [
           {{ flow: 'card[0] -> host', operation: dma-write }}, {{ flow: 'host -> card[1]', operation: dma-read }}] }}
",
            host(host_fields),
            card(card_fields)
        );
        (text, experiment)
    };
    all.map(one).into()
}

fn rate(machine: &DescribedMachine, experiment: &str) -> f64 {
    let experiment = machine.description().experiment(experiment).unwrap();
    let job = machine.job(experiment, At::default()).unwrap();
    let outcome = sim::run(&job.scenario, &dma::options()).unwrap();
    let sum = Metric::from_word("throughput_sum").unwrap();
    metric::simulated(sum.quality, lanescope_lab::Unit::MibPerS, &job.scenario, &outcome).unwrap()
}

/// The best over every MPS, MRRS and power of two of requests, each set as in a description.
fn best_of_all(machine: &DescribedMachine, experiment: &str) -> (f64, usize) {
    let requests = lanescope_lab::path::figure(&machine.description().system().unwrap(), "card.read_requests").unwrap();
    let most: u64 = requests.value.parse().unwrap();
    let (mut best, mut tried) = (0.0f64, 0);
    for mps in [128, 256, 512] {
        for mrrs in [128, 256, 512, 1024, 2048, 4096] {
            for requests in (0..).map(|n| 1 << n).take_while(|&n| n <= most) {
                let sets = [
                    format!("settings.mps={mps}"),
                    format!("settings.mrrs={mrrs}"),
                    format!("card.read_requests={requests}"),
                ];
                best = best.max(rate(&machine.with(sets).unwrap(), experiment));
                tried += 1;
            }
        }
    }
    (best, tried)
}

fn tuned(machine: &DescribedMachine, experiment: &str) -> Tuned {
    let options = RunOptions { threads: None, interrupted: &NEVER, step: &|| (), kinds: dma::KINDS };
    let experiment = machine.description().experiment(experiment).unwrap();
    tune(machine, experiment, &[At::default()], &[], &options).unwrap()
}

#[test]
fn is_the_best_setting_of_ten_machines_found() {
    let mut turned = BTreeSet::new();
    let machines = machines();
    assert_eq!(machines.len(), 10);
    for (number, (text, experiment)) in machines.into_iter().enumerate() {
        let description = Description::from_text("ten.yaml", &text).unwrap();
        let machine = DescribedMachine::described("ten", description).unwrap();
        let (best, all) = best_of_all(&machine, experiment);
        let found = tuned(&machine, experiment);
        let turns: Vec<String> = found.turns.iter().map(|t| format!("{} {} -> {}", t.what, t.from, t.to)).collect();
        println!(
            "{number} {experiment}: {:.1} -> {:.1}, best of {all} {best:.1}: {turns:?}",
            found.before, found.after
        );
        assert!(found.after >= best * (1.0 - EQUAL), "{number}: {} of {best}, {turns:?}", found.after);
        // The reported settings give the reported result.
        let sets: Vec<String> = found.turns.iter().flat_map(|turn| turn.sets.clone()).collect();
        let again = rate(&machine.with(&sets).unwrap(), experiment);
        assert!((again / found.after - 1.0).abs() < 1e-9, "{again} {}", found.after);
        turned.extend(found.turns.iter().map(|turn| (turn.what.clone(), turn.to.clone())));
    }
    // The ten machines are a useful test: not every optimum is the maximum of everything.
    assert!(turned.iter().any(|(what, to)| what == "Max_Payload_Size" && to == "256 B"), "{turned:?}");
    assert!(turned.iter().any(|(what, to)| what == "Max_Read_Request_Size" && to != "4096 B"), "{turned:?}");
}

#[test]
fn do_the_writes_name_every_function_on_the_way() {
    let machine = DescribedMachine::open(
        "rosta-rb8v7",
        &["command", "volume"].map(|key| format!("experiments.p2p-write.{key}=64 KiB")),
    )
    .unwrap();
    let experiment = machine.description().experiment("p2p-write").unwrap();
    let options = RunOptions { threads: None, interrupted: &NEVER, step: &|| (), kinds: dma::KINDS };
    let at = At::parse("flows=1").unwrap();
    let found = tune(&machine, experiment, &[at], &[], &options).unwrap();
    let writes: Vec<String> = found.writes.iter().map(ToString::to_string).collect();
    assert!(writes.contains(&"setpci -s 05:00.0 CAP_EXP+08.w=0040:00e0   # card[0].pcie: Max_Payload_Size 512".into()));
    assert!(writes.iter().all(|write| !write.contains("host") && !write.contains("card[2]")), "{writes:#?}");
    assert!(found.notes.iter().any(|note| note.contains("host (128 B)")), "{:?}", found.notes);
}
