//! Does a network card appear everywhere, below its limit and near it?

#![allow(clippy::unwrap_used)]

use nic::NIC;
use serde_json::Value;
use std::process::Command;
use system::{Description, Point};

const MACHINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/server.yaml");

fn printed(words: &[&str]) -> String {
    let program = Command::new(env!("CARGO_BIN_EXE_nic")).args(words).output().unwrap();
    assert!(program.status.success(), "{words:?}: {}", String::from_utf8_lossy(&program.stderr));
    String::from_utf8(program.stdout).unwrap()
}

fn at(experiment: &str, packets: &str, rate: &str) -> (f64, f64, String) {
    let _ = sim::parts::register(&[NIC]);
    let mut description = Description::open(MACHINE).unwrap();
    description.set("card.moderated=16").unwrap();
    let own = description.experiment(experiment).unwrap();
    let scenario = description.scenario(own, &Point::default().with("packets", packets).with("rate", rate)).unwrap();
    let outcome = sim::run(&scenario, &sim::Options::default()).unwrap();
    let limit = limit::limit(&scenario).together.remove(0);
    (outcome.flows[0].stream.unwrap().0, limit.stream.0, limit.bottleneck.to_string())
}

#[test]
fn is_the_kind_where_all_kinds_are() {
    assert!(printed(&["kinds"]).contains("nic: a network card"));
    assert!(printed(&["parts"]).contains("nic/port-25g"));
    assert!(printed(&["systems"]).contains("nic-server"));
    let schema: Value = serde_json::from_str(&printed(&["schema"])).unwrap();
    assert!(schema["$defs"]["nic"]["properties"]["packet_rate"].is_object());
}

#[test]
fn is_no_point_above_its_limit() {
    for experiment in ["receive", "send"] {
        for packets in ["64 B", "300 B", "1500 B"] {
            for rate in ["500 kHz", "2030 kHz", "20 MHz"] {
                let (simulated, limit, by) = at(experiment, packets, rate);
                println!("{experiment} {packets} {rate}: {:.4} of {limit:.4e} {by}", simulated / limit);
                assert!(simulated <= limit * 1.001, "{experiment} {packets} {rate}: {simulated} {limit} {by}");
            }
        }
    }
}

#[test]
fn is_the_wire_what_limits_slow_packets() {
    for experiment in ["receive", "send"] {
        let (simulated, limit, by) = at(experiment, "1500 B", "500 kHz");
        assert!(
            (limit / 750e6 - 1.0).abs() < 1e-9 && simulated > 0.99 * limit,
            "{experiment}: {simulated} {limit} {by}"
        );
        assert!(by.contains("the wire"), "{by}");
    }
}

/// Both directions at the full rate of the network: they share nothing in the card but its link.
#[test]
fn has_the_network_two_directions() {
    let _ = sim::parts::register(&[NIC]);
    let mut description = Description::open(MACHINE).unwrap();
    description.set("card.packet_rate=500 kHz").unwrap();
    let own = description.experiment("both").unwrap();
    let scenario = description.scenario(own, &Point::default().with("packets", "1500 B")).unwrap();
    let outcome = sim::run(&scenario, &sim::Options::default()).unwrap();
    let limits = limit::limit(&scenario);
    for (flow, limit) in outcome.flows.iter().zip(&limits.together) {
        assert!((limit.stream.0 / 750e6 - 1.0).abs() < 1e-6, "{}", limit.stream.0);
        assert!((flow.stream.unwrap().0 / 750e6 - 1.0).abs() < 0.01, "{:?}", flow.stream);
    }
}

/// Two packets in flight, and an interrupt for three: software waits for the moderation time. 5 % of it move the rate by 5 %, and
/// the next value of the count by a hundred times.
#[test]
fn is_a_count_named_and_not_the_moderation_time_where_its_next_value_is_worth_more() {
    let machine = std::fs::read_to_string(MACHINE).unwrap();
    let machine = machine.replace("values: [1, 16, 64]", "values: [3]").replace("command: 6000 B", "command: 1500 B");
    let file = std::env::temp_dir().join(format!("lanescope-nic-{}.yaml", std::process::id()));
    std::fs::write(&file, machine.replace("volume: 3000000 B", "volume: 300000 B")).unwrap();
    let run = printed(&["run", file.to_str().unwrap(), "moderated", "--set", "card.moderation_time=1ms", "--json"]);
    std::fs::remove_file(&file).unwrap();
    let run: Value = serde_json::from_str(&run).unwrap();
    let named = &run[0]["flows"][0]["bottleneck"];
    // One command more in flight is as good as one completion less.
    assert!(named["what"] == "moderated 3" || named["what"] == "queue_depth 2", "{named}");
    assert!(named["proved"] == true, "{named}");
    assert!(named["gain_percent"].as_f64().is_some_and(|gain| gain > 5000.0), "{named}");
}

#[test]
fn is_a_ring_that_both_receives_and_sends_refused() {
    let machine =
        std::fs::read_to_string(MACHINE).unwrap().replace("queue_depth: 8", "queue_depth: 8\n    read_share: 50");
    let file = std::env::temp_dir().join(format!("lanescope-nic-mixed-{}.yaml", std::process::id()));
    std::fs::write(&file, machine).unwrap();
    let program =
        Command::new(env!("CARGO_BIN_EXE_nic")).args(["run", file.to_str().unwrap(), "receive"]).output().unwrap();
    std::fs::remove_file(&file).unwrap();
    let said = String::from_utf8_lossy(&program.stderr);
    assert!(!program.status.success() && said.contains("read_share"), "{said}");
}
