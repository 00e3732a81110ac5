//! Is the named bottleneck the one that a change confirms?

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

#[path = "../../limit/tests/common/mod.rs"]
mod common;

#[path = "../../limit/tests/common/mix.rs"]
mod mix;

use common::random::case;
use common::*;
extern crate limit as lanescope_limit;

use lanescope_lab::cause::{self, ALWAYS, Confirmed, Effort, LEAST_GAIN, Moves, Named, SearchOptions, Thing, Whose};
use lanescope_lab::sweep::{Job, Measured};
use lanescope_lab::{At, DescribedMachine};
use pcie::Bytes;
use std::sync::atomic::AtomicBool;
use system::field::{Cap, Count, Frequency};
use system::kinds::{CardParams, HostParams, PortParams};
use system::{Change, Description, Operation, Origin, Params, Share, Wait};

/// What limits the first flow of a scenario, with the point where it was found and the events that were handled for that;
/// `None` if it cannot be run.
fn asked_with(scenario: &Scenario, effort: Effort) -> Option<(Measured, Confirmed, u64)> {
    let outcome = sim::run(scenario, &dma::options()).ok()?;
    let (system, experiment, at, divisor) = (String::new(), String::new(), At::default(), 1);
    let job = Job { system, experiment, at, scenario: scenario.clone(), divisor };
    let limits = limit::limit(scenario);
    let mut measured = Measured { job, limits, outcome, causes: Vec::new() };
    let search = SearchOptions {
        threads: None,
        interrupted: &AtomicBool::new(false),
        kinds: dma::KINDS,
        whose: Whose::Each,
        effort,
    };
    let events = cause::of(&mut measured, Moves::Stream, &search);
    let cause = measured.cause(0).cloned()?;
    Some((measured, cause, events))
}

fn asked(scenario: &Scenario) -> Option<(Measured, Confirmed)> {
    asked_with(scenario, Effort::AsTheRun).map(|(measured, cause, _)| (measured, cause))
}

/// The first flow's rate, in bytes a second.
fn rate(scenario: &Scenario, faster: &[system::Direction]) -> f64 {
    let outcome = sim::run(scenario, &sim::Options { faster, ..dma::options() }).unwrap();
    Moves::Stream.rate(&outcome.flows[0]).unwrap()
}

/// The gain of the flow with its whole volume if the named things are changed. They are looked up by the printed names.
fn gain(scenario: &Scenario, cause: &Confirmed) -> f64 {
    let (mut changed, mut faster) = (scenario.clone(), Vec::new());
    for Named { name, what, step, .. } in &cause.things {
        let mut parts = changed.system.parts.clone();
        match &step.thing {
            Thing::Ways(_) => {
                let links = 0..scenario.system.links.len();
                let all = links.flat_map(|n| [true, false].map(|up| system::Direction { link: system::LinkId(n), up }));
                let found: Vec<_> = all.filter(|on| scenario.system.direction_name(*on) == *name).collect();
                assert_eq!(found.len(), 1, "{name} is no direction of a link");
                faster.extend(found);
            }
            Thing::Figure { .. } => {
                let part = parts.iter_mut().find(|part| part.name == *name).unwrap();
                let (field, value) = what.split_once(' ').unwrap();
                assert_eq!(part.value(field).as_deref(), Some(value), "{name}: {what}");
                part.kind.set(field, &step.to).or_else(|| part.habits.set(field, &step.to)).unwrap().unwrap();
            }
            Thing::Port { port, field } => {
                let change = Change::PortField(*port, field, step.to.clone());
                changed.system.amend(change, Origin::Override("a test".into())).unwrap();
                continue;
            }
            Thing::Mps => {
                let mps = PayloadSize::new(parts.iter().map(|part| part.mps.bytes()).min().unwrap() * 2).unwrap();
                parts.iter_mut().for_each(|part| part.mps = mps);
            }
            Thing::Mrrs(part) => parts[part.0].mrrs = PayloadSize::new(parts[part.0].mrrs.bytes() * 2).unwrap(),
            Thing::Tags(part) => parts[part.0].tags = step.to.parse().unwrap(),
            Thing::Cores(_) => changed.flows.iter_mut().for_each(|flow| flow.work.cores = step.to.parse().ok()),
            Thing::Depth(_) => changed.flows.iter_mut().for_each(|flow| flow.work.depth = step.to.parse().unwrap()),
        }
        changed.system.remake(|graph| graph.parts = parts);
    }
    rate(&changed, &faster) / rate(scenario, &[]) - 1.0
}

/// Finds the causes for random systems and makes the changes. Returns how many have one cause, several, and none.
fn prove(seeds: std::ops::Range<u64>) -> [usize; 3] {
    let mut counts = [0; 3];
    let mut wrong = Vec::new();
    for seed in seeds {
        let scenario = case(seed).scenario;
        let Some((_, cause)) = asked(&scenario) else { continue };
        counts[match cause.things.len() {
            1 => 0,
            0 => 2,
            _ => 1,
        }] += 1;
        if cause.things.is_empty() {
            println!("seed {seed}: {cause}");
            continue;
        }
        let gain = gain(&scenario, &cause);
        println!("seed {seed}: {cause}; of the whole volume {:+.1} %", gain * 100.0);
        if gain < LEAST_GAIN {
            wrong.push((seed, cause.to_string(), gain));
        }
    }
    println!("{} with one cause, {} with several together, {} with none", counts[0], counts[1], counts[2]);
    assert!(wrong.is_empty(), "a change of what is named does not move the rate: {wrong:#?}");
    counts
}

#[test]
fn does_a_change_prove_what_is_named_over_random_systems() {
    let [one, several, none] = prove(0..12);
    assert!(one >= 8 && one + several + none == 12 && none <= 1);
}

#[test]
#[ignore = "slow: all of 300 random systems; LANESCOPE_CASES for more"]
fn does_a_change_prove_what_is_named_over_many_random_systems() {
    let from_environment =
        |name: &str, default: u64| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (from, cases) = (from_environment("LANESCOPE_FROM", 0), from_environment("LANESCOPE_CASES", 300));
    let [one, several, none] = prove(from..from + cases);
    let all = one + several + none;
    assert!(all * 100 >= 97 * cases as usize, "{all} of {cases} have an answer");
    assert!(none * 50 <= all, "for {none} of {all} nothing was found");
}

#[test]
fn does_a_short_proof_name_what_the_full_search_names() {
    let (mut same, mut all) = (0, 0);
    for seed in 0..40 {
        let scenario = case(seed).scenario;
        let Some((_, short, _)) = asked_with(&scenario, Effort::AsTheRun) else { continue };
        let (_, full, _) = asked_with(&scenario, Effort::Full).unwrap();
        all += 1;
        same += usize::from(short.plain() == full.plain());
        if short.plain() != full.plain() {
            println!("seed {seed}: {short}, and by the full search {full}");
        }
    }
    assert!(same * 100 >= all * 95, "{same} of {all}");
}

#[test]
fn does_a_proof_handle_no_more_events_than_the_run_itself() {
    for seed in 0..12 {
        let scenario = mix::mix(seed).scenario;
        let Some((measured, _, events)) = asked_with(&scenario, Effort::AsTheRun) else { continue };
        let most = measured.outcome.events.max(ALWAYS);
        assert!(events <= most, "seed {seed}: {events} events of reruns, {} of the run", measured.outcome.events);
    }
    // Nine flows of 8 MiB below one switch, as GPUs and NICs that write to each other.
    let mut builder = Builder::new(HostParams::default(), PortParams::default());
    let switch = builder.switch(HOST, "gen3 x16", Default::default(), PortParams::default());
    let cards: Vec<Id> =
        (0..9).map(|_| builder.card(switch, "gen3 x8", CardParams::default(), PortParams::default())).collect();
    let flows = (0..9).map(|n| flow(Operation::P2pWrite, cards[n], cards[(n + 1) % 9], 1 << 20, 8)).collect();
    let (measured, _, events) = asked_with(&scenario(&builder.system, flows), Effort::AsTheRun).unwrap();
    assert!(events <= measured.outcome.events.max(ALWAYS), "{events} of {}", measured.outcome.events);
}

#[test]
fn is_what_no_change_proves_named_as_the_limit_names_it_and_marked() {
    let scenario = plain(Operation::DmaWrite, CardParams::default(), HostParams::default(), 1 << 20);
    let (measured, cause, events) = asked_with(&scenario, Effort::Nothing).unwrap();
    assert_eq!(events, 0);
    assert!(!cause.is_proved());
    assert_eq!(cause.plain(), format!("{} (not proved)", measured.limits.together[0].bottleneck));
    assert_eq!(cause.marked(), [measured.limits.together[0].bottleneck.location]);
}

fn plain(operation: Operation, card: CardParams, host: HostParams, command: u64) -> Scenario {
    let mut builder = Builder::new(host, PortParams::default());
    let id = builder.card(HOST, "gen3 x4", card, PortParams::default());
    let (from, to) = if operation.is_pio() { (HOST, id) } else { (id, HOST) };
    scenario(&builder.system, vec![flow(operation, from, to, command, (1 << 20) / command)])
}

fn named(scenario: &Scenario) -> String {
    asked(scenario).unwrap().1.plain()
}

#[test]
fn are_requests_in_flight_named_only_where_more_of_them_help() {
    let with = |requests: u64| {
        let card = CardParams { read_requests: Count(requests), ..CardParams::default() };
        named(&plain(
            Operation::DmaRead,
            card,
            HostParams { read_latency: Time::from_us(1), ..Default::default() },
            1 << 20,
        ))
    };
    assert!(with(1).contains("read_requests 1"), "{}", with(1));
    assert!(with(64).contains("host.0 -> card1.0: Gen3 x4, transmit"), "{}", with(64));
}

#[test]
fn is_the_cap_of_one_root_port_named_with_its_port_and_does_a_change_of_it_prove_that() {
    let mut scenario = plain(Operation::DmaWrite, CardParams::default(), HostParams::default(), 1 << 20);
    let (port, by) = (scenario.system.port_towards(HOST, scenario.flows[0].initiator).unwrap(), "a test".to_string());
    scenario.system.amend(Change::PortField(port, "port_cap", "800 MB/s".into()), Origin::Override(by)).unwrap();
    let cause = asked(&scenario).unwrap().1;
    assert!(cause.plain().contains("host.0: port_cap 800 MB/s"), "{}", cause.plain());
    assert!(gain(&scenario, &cause) >= LEAST_GAIN);
}

#[test]
fn is_nothing_of_reads_named_of_a_card_that_writes() {
    let small =
        CardParams { read_requests: Count(1), tx_latency: Time::from_ns(300), fifo: Bytes(256), ..Default::default() };
    let text = named(&plain(Operation::DmaWrite, small, HostParams::default(), 1 << 20));
    assert!(text.contains("fifo") || text.contains("tx_latency"), "{text}");
    assert!(!text.contains("read"), "{text}");
}

#[test]
fn is_the_command_latency_named_and_not_the_core_that_waits_for_it() {
    let card = CardParams {
        command_latency: Time::from_us(2),
        core_clock: Cap(Some(Frequency(250_000_000))),
        core_width: Bytes(16),
        ..CardParams::default()
    };
    let scenario = plain(Operation::DmaWrite, card, HostParams::default(), 4096);
    let (measured, cause) = asked(&scenario).unwrap();
    assert!(cause.plain().contains("command_latency 2 us"), "{cause}");
    let budget = &measured.outcome.flows[0].budget;
    assert!(budget.of(Share::Idle(Wait::Command)) > 0.4, "{budget:?}");
    assert!(budget.of(Share::Idle(Wait::Core)) < 0.05, "{budget:?}");
}

#[test]
fn is_the_cpu_or_the_card_named_for_pio_reads_and_not_memory() {
    let host = HostParams { pio_read_cost: Time::from_ns(300), ..HostParams::default() };
    let text = named(&plain(Operation::PioRead, CardParams::default(), host, 64));
    assert!(text.contains("pio_read_cost 300 ns"), "{text}");
    let card = CardParams { target_read_latency: Time::from_us(1), ..CardParams::default() };
    let text = named(&plain(Operation::PioRead, card, HostParams::default(), 64));
    assert!(text.contains("card1: target_read_latency 1 us"), "{text}");
}

#[test]
fn do_limit_and_simulation_say_the_same_of_what_pio_writes_wait_for() {
    let host = HostParams { pio_gap: Time::from_ns(200), ..HostParams::default() };
    let scenario = plain(Operation::PioWrite, CardParams::default(), host, 4096);
    let (measured, cause) = asked(&scenario).unwrap();
    assert!(cause.plain().contains("pio_gap 200 ns"), "{cause}");
    let (simulated, limit) = (&measured.outcome.flows[0].budget, &measured.limits.alone[0].budget);
    for budget in [simulated, limit] {
        assert!(budget.of(Share::Idle(Wait::RootPort)) > 0.5, "{simulated:?} {limit:?}");
        assert!(budget.of(Share::Idle(Wait::Core)) == 0.0, "{simulated:?} {limit:?}");
    }
}

#[test]
fn are_two_links_that_are_full_together_named_together() {
    let mut builder = Builder::new(HostParams::default(), PortParams::default());
    let switch = builder.switch(HOST, "gen3 x4", Default::default(), PortParams::default());
    let card = builder.card(switch, "gen3 x4", CardParams::default(), PortParams::default());
    let scenario = scenario(&builder.system, vec![flow(Operation::DmaWrite, card, HOST, 1 << 20, 1)]);
    let (_, cause) = asked(&scenario).unwrap();
    assert_eq!(cause.things.len(), 2, "{cause}");
    assert!(cause.plain().contains(" together with "), "{cause}");
    assert!(gain(&scenario, &cause) >= LEAST_GAIN);
    for thing in &cause.things {
        let alone = Confirmed { things: vec![thing.clone()], ..cause.clone() };
        assert!(gain(&scenario, &alone) < LEAST_GAIN, "{thing} alone moves it");
    }
}

const RIG: &str = r#"
title: four cards
parts:
  host: { kind: host, ports: { "pcie[4]": gen3 x4 }, line_service: { value: 20 ns, assumed: "for this test" }, posted_headers: 32 }
  card: { kind: dma-card, ports: { pcie: gen3 x4 }, bars: 1 MiB, count: 4 }
links:
  - host.pcie[i] - card[i].pcie
experiments:
  write: { operation: dma-write, drive: card, command: 256 KiB, volume: 256 KiB, flows: ["card[0] -> host", "card[1] -> host"], axes: {} }
"#;

#[test]
fn is_an_assumed_figure_marked_where_it_binds_and_has_each_flow_its_own_answer() {
    let description = Description::from_text("rig.yaml", RIG).unwrap();
    let machine = DescribedMachine::described("rig", description).unwrap();
    let experiment = machine.description().experiment("write").unwrap();
    let scenario = machine.job(experiment, At::default()).unwrap().scenario;
    let (measured, cause) = asked(&scenario).unwrap();
    assert!(cause.plain().contains("host: line_service 20 ns, assumed"), "{cause}");
    assert!(measured.causes.iter().all(Option::is_some), "{:?}", measured.causes);
}
