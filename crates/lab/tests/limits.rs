//! Is every limit a limit, and is it there soon? Machines that once failed, and random ones of all kinds; `make validate` has
//! ten thousand of them, and their times (`crates/lab/examples/random_limits.rs`).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_lab::above;
use limit::Limits;
use system::{Description, Point, Scenario};

const SYSTEMS: u64 = 400;
/// Each of so many is simulated.
const EVERY: u64 = 8;

fn register() {
    // Another test of this program may have registered them.
    let _ = storage::register();
}

/// Experiment `name`, if the description reads and its parts can carry it out.
fn scenario(text: &str, name: &str) -> Option<Scenario> {
    let description = Description::from_text("machine.yaml", text).ok()?;
    let scenario = description.scenario(description.experiment(name).ok()?, &Point::default()).ok()?;
    sim::check(&scenario, dma::KINDS).ok().map(|()| scenario)
}

fn assert_held(what: &str, scenario: &Scenario, limits: &Limits) {
    if let Ok(outcome) = sim::run(scenario, &dma::options()) {
        let above = above::of(scenario, limits, &outcome);
        assert!(above.is_empty(), "{what}: {}", above[0]);
    }
}

#[test]
fn does_the_limit_end_where_a_share_tends_to_nothing() {
    register();
    let scenario = scenario(include_str!("limits/limit_slow.yaml"), "e").unwrap();
    let limits = limit::limit(&scenario);
    assert!(limits.bound().0 > 0.0 && limits.bound().0.is_finite());
    assert_held("limit_slow.yaml", &scenario, &limits);
}

/// Its steady rate is 5574 MiB/s: one branch is full, and the branches beside it have what it leaves of the trunk.
#[test]
fn is_the_limit_of_a_sum_no_less_than_what_the_branches_beside_a_full_one_can_have() {
    register();
    let scenario = scenario(include_str!("limits/sum_above_94.yaml"), "e").unwrap();
    let limits = limit::limit(&scenario);
    let (bound, trunk) = (limits.bound().as_mib_per_s(), 6700.0);
    assert!((5574.0..trunk).contains(&bound), "{bound}");
    assert!(limits.sum().0 <= limits.bound().0, "shares come to more than the bound");
}

/// Each was above its limit once, by more than what the ends of its window explain.
#[test]
fn is_no_flow_alone_above_its_limit() {
    register();
    let machines = [
        ("unlike completions", include_str!("limits/unlike_completions.yaml")),
        ("a SATA command alone", include_str!("limits/sata_alone.yaml")),
        ("a short store", include_str!("limits/short_store.yaml")),
        ("an array", include_str!("limits/array.yaml")),
    ];
    for (what, text) in machines {
        let scenario = scenario(text, "e").unwrap();
        assert_held(what, &scenario, &limit::limit(&scenario));
    }
}

/// The first flow of each way takes turns, whatever other flows the card has: a loopback is of both.
#[test]
fn do_writes_beside_a_loopback_get_the_turns_that_they_have() {
    register();
    let scenario = scenario(include_str!("limits/in_turn.yaml"), "e").unwrap();
    let (limits, outcome) = (limit::limit(&scenario), sim::run(&scenario, &dma::options()).unwrap());
    for ((flow, found), share) in scenario.flows.iter().zip(&outcome.flows).zip(&limits.together) {
        let ratio = found.stream.unwrap().0 / share.stream.0;
        assert!((0.9..1.004).contains(&ratio), "{}: {ratio} of what is fair", flow.name);
    }
    assert!(limits.alone[1].stream.0 > 4.0 * limits.together[1].stream.0, "alone it has no turn to wait for");
}

/// Its software loads a register after each interrupt: there and back through the switch.
#[test]
fn does_software_of_ahci_wait_for_the_register_that_it_loads() {
    register();
    let scenario = scenario(include_str!("limits/ahci_alone.yaml"), "e").unwrap();
    let (limits, outcome) = (limit::limit(&scenario), sim::run(&scenario, &dma::options()).unwrap());
    let ratio = outcome.flows[0].stream.unwrap().0 / limits.alone[0].most.0;
    assert!((0.92..1.0).contains(&ratio), "{ratio} of the limit");
}

/// What decides is known on average only: the limit is more than that, and the simulation between them or near.
#[test]
fn are_limit_and_mean_of_an_array_told_apart() {
    register();
    let scenario = scenario(include_str!("limits/array.yaml"), "e").unwrap();
    let limits = limit::limit(&scenario);
    let alone = &limits.alone[0];
    assert!(alone.most.0 > 1.2 * alone.stream.0, "{alone:?}");
    assert!((limits.bound().0 / alone.most.0 - 1.0).abs() < 1e-9 && limits.slowest().0 <= alone.most.0 * 1.000_001);
}

#[test]
fn are_the_other_machines_within_their_limits() {
    register();
    let gpu = include_str!("limits/gpu_read.yaml");
    let flash = include_str!("limits/short_write.yaml");
    let drives = include_str!("limits/bytes_m1014.yaml");
    for (text, name) in [(gpu, "read"), (gpu, "both"), (flash, "e"), (drives, "e")] {
        let scenario = scenario(text, name).unwrap();
        let limits = limit::limit(&scenario);
        let (shares, bound) = (limits.sum().0, limits.bound().0);
        assert!(shares <= bound * 1.001, "{}: shares {shares}, bound {bound}", scenario.flows[0].name);
        assert_held(name, &scenario, &limits);
    }
}

#[test]
fn is_no_simulated_rate_of_a_random_system_above_its_limit() {
    register();
    let mut asked = 0;
    for seed in 0..SYSTEMS {
        let Some(scenario) = scenario(&testing::described::described(seed), "e") else { continue };
        asked += 1;
        let limits = limit::limit(&scenario);
        let (bound, shares) = (limits.bound().0, limits.sum().0);
        assert!(bound.is_finite() && bound > 0.0, "seed {seed}: {bound}");
        // Shares do not count the least of ACKs and UpdateFCs, as the bound does.
        assert!(shares <= bound * 1.001, "seed {seed}: shares come to {shares}, bound {bound}");
        if seed % EVERY == 0 {
            assert_held(&format!("seed {seed}"), &scenario, &limits);
        }
    }
    assert!(asked > SYSTEMS / 4, "{asked} systems make sense");
}

/// What it has read ahead when the window opens is not above its limit, nor are reads and writes together.
#[test]
fn does_a_drive_that_reads_ahead_keep_its_limit_while_it_is_written_too() {
    register();
    let text = testing::described::described(2191).replace("volume: 256 KiB", "volume: 4 MiB");
    let scenario = scenario(&text, "e").unwrap();
    assert!(scenario.flows.iter().any(|flow| flow.operation.word() == "disk-write"));
    assert_held("reads ahead and writes", &scenario, &limit::limit(&scenario));
}

#[test]
fn is_a_rate_above_its_limit_told_with_what_the_ends_of_the_window_explain() {
    let of = |text: &str| scenario(text, "both").unwrap();
    let text = include_str!("limits/gpu_read.yaml");
    let fast = of(text);
    let outcome = sim::run(&fast, &dma::options()).unwrap();
    assert_eq!(above::of(&fast, &limit::limit(&fast), &outcome), Vec::new());
    let slow = limit::limit(&of(&text.replace("pcie: gen5 x16", "pcie: gen3 x8")));
    let found = above::of(&fast, &slow, &outcome);
    let flows: Vec<Option<&str>> = found.iter().map(|above| above.flow.as_deref()).collect();
    assert_eq!(flows, [Some("gpu -> host"), Some("host -> gpu"), None]);
    assert!(found.iter().all(|above| above.slack < 0.05 && above.simulated.0 > above.bound.0), "{found:?}");
    assert!(found[2].to_string().starts_with("the sum of all flows is simulated "), "{}", found[2]);
}
