//! What a trace must be: of the same run, complete, and possible.
#![allow(clippy::unwrap_used)]

mod common;
use lanescope_sim::trace::{DllpRecord, Record, Sink};
use lanescope_sim::{run, run_traced};
use pcie::{Class, Time};
use std::collections::HashMap;
use std::ops::ControlFlow;
use system::Scenario;
use system::graph::Direction;

const EXPERIMENTS: [&str; 10] =
    ["write", "writes", "read", "reads", "peers", "peer-read", "commands", "both-commands", "stores", "loads"];

/// Figures under which pools run dry, replay buffers fill up and DLLPs go other ways.
const RIGS: [&[&str]; 4] = [
    &[],
    &["switch.posted_headers=2", "card.completion_headers=2", "host.posted_data=32"],
    &["card.replay_buffer=1 KiB", "card.tlps_per_ack=7", "switch.update_fc=each", "card.descriptors=ring"],
    &["switch.dllps=false", "card.dllps=false"],
];

#[derive(Default)]
struct Kept(Vec<Record>);

impl Sink for Kept {
    fn begin(&mut self, _: &Scenario) {}
    fn take(&mut self, records: &mut Vec<Record>) -> ControlFlow<()> {
        self.0.append(records);
        ControlFlow::Continue(())
    }
}

fn each(mut ask: impl FnMut(&Scenario, &[Record])) {
    for rig in RIGS {
        for experiment in EXPERIMENTS {
            let scenario = common::scenario(experiment, rig);
            let mut kept = Kept::default();
            let traced = run_traced(&scenario, &dma::options(), &mut kept).unwrap();
            assert_eq!(traced, run(&scenario, &dma::options()).unwrap(), "{experiment} {rig:?}");
            let tlps = kept.0.iter().filter(|record| matches!(record, Record::Tlp(_))).count() as u64;
            assert_eq!(tlps, traced.tlp_hops, "{experiment} {rig:?}");
            ask(&scenario, &kept.0);
        }
    }
}

#[test]
fn does_looking_on_change_nothing_and_miss_no_tlp() {
    each(|_, _| {});
}

#[test]
fn is_all_that_is_asked_and_written_delivered_once() {
    each(|scenario, records| {
        let mut delivered = vec![0; scenario.flows.len()];
        for record in records {
            if let Record::Delivered { flow, bytes, .. } = record {
                delivered[*flow as usize] += bytes;
            }
        }
        let volumes: Vec<u64> = scenario.flows.iter().map(|flow| flow.volume.0).collect();
        assert_eq!(delivered, volumes);
    });
}

#[test]
fn do_packets_of_a_direction_follow_one_another() {
    each(|_, records| {
        let mut free: HashMap<Direction, Time> = HashMap::new();
        for record in records {
            let (on, start, end) = match record {
                Record::Tlp(sent) => (sent.on, sent.start, sent.end),
                Record::Dllp { on, start, end, .. } if start < end => (*on, *start, *end),
                _ => continue,
            };
            let free = free.entry(on).or_default();
            assert!(start >= *free && end > start, "{record:?} begins before {free}");
            *free = end;
        }
    });
}

#[test]
fn does_no_transmitter_use_credits_that_it_has_not_been_granted() {
    each(|scenario, records| {
        let mut granted: HashMap<(Direction, Class), Vec<(Time, u64)>> = HashMap::new();
        for record in records {
            if let Record::Dllp { on, end, what: DllpRecord::UpdateFc { class, header, .. }, .. } = record {
                let at = *end + scenario.system.link(on.link).propagation;
                let to = Direction { up: !on.up, ..*on };
                granted.entry((to, *class)).or_default().push((at, *header));
            }
        }
        let mut used: HashMap<(Direction, Class), u64> = HashMap::new();
        for record in records {
            let Record::Tlp(sent) = record else { continue };
            let key = (sent.on, sent.kind.class());
            let used = used.entry(key).or_default();
            *used += 1;
            let (_, to) = scenario.system.ends(sent.on);
            let habits = &scenario.system.part(scenario.system.port(to).part).habits;
            let Some(initial) = habits.credits(sent.kind.class()).header else { continue };
            let later = granted.get(&key).into_iter().flatten().filter(|(at, _)| *at <= sent.start);
            let limit = later.map(|(_, header)| *header).max().unwrap_or(0).max(initial as u64);
            assert!(*used <= limit, "{sent:?}: {used} of {limit} header credits");
        }
    });
}

#[test]
fn do_queues_and_requests_in_flight_come_back_to_nothing() {
    each(|_, records| {
        let mut waiting: HashMap<Direction, i64> = HashMap::new();
        let mut in_flight: HashMap<u32, u64> = HashMap::new();
        for record in records {
            match record {
                Record::Queued { on, .. } => *waiting.entry(*on).or_default() += 1,
                Record::Tlp(sent) => {
                    let waiting = waiting.entry(sent.on).or_default();
                    *waiting -= 1;
                    assert!(*waiting >= 0, "{sent:?} left before it came");
                }
                Record::InFlight { flow, requests, .. } => {
                    in_flight.insert(*flow, *requests);
                }
                _ => {}
            }
        }
        assert!(waiting.values().all(|&count| count == 0), "{waiting:?}");
        assert!(in_flight.values().all(|&count| count == 0), "{in_flight:?}");
    });
}

/// From when to when the meters of the run count, in femtoseconds: while all flows are active, behind the first tenth.
fn window(scenario: &Scenario, records: &[Record]) -> (u64, u64) {
    let volume = |flow: usize| scenario.flows[flow].volume.0;
    let mut delivered = vec![0; scenario.flows.len()];
    let (mut open, mut close) = (0, 0);
    for record in records {
        let Record::Delivered { flow, bytes, at } = record else { continue };
        let warm = |delivered: &[u64]| (0..delivered.len()).all(|flow| delivered[flow] >= volume(flow) / 10);
        let before = warm(&delivered);
        delivered[*flow as usize] += bytes;
        if !before && warm(&delivered) {
            open = at.as_fs();
        }
        if delivered[*flow as usize] == volume(*flow as usize) && close == 0 {
            close = at.as_fs();
        }
    }
    (open, close)
}

#[test]
fn is_a_direction_as_busy_as_its_trace_says_the_idle_end_included() {
    // Without SKP and with the standard's alignment nothing but packets is on a link.
    let rigs: [&[&str]; 3] = [&[], &["card.posted_headers=4", "host.posted_headers=8"], &["card.tlps_per_ack=16"]];
    for rig in rigs {
        for experiment in ["write", "writes", "read", "peers", "commands"] {
            let plain = ["host.skp=false", "switch.skp=false", "card.skp=false"];
            let scenario = common::scenario(experiment, &[&plain, rig].concat());
            let mut kept = Kept::default();
            let outcome = run_traced(&scenario, &dma::options(), &mut kept).unwrap();
            let (open, close) = window(&scenario, &kept.0);
            assert!(close > open, "{experiment}: no window");
            for (on, busy) in &outcome.busy {
                let packets = kept.0.iter().filter_map(|record| match record {
                    Record::Tlp(sent) if sent.on == *on => Some((sent.start, sent.end)),
                    Record::Dllp { on: at, start, end, .. } if at == on => Some((*start, *end)),
                    _ => None,
                });
                let inside = packets.map(|(start, end)| end.as_fs().min(close).saturating_sub(start.as_fs().max(open)));
                let traced = inside.sum::<u64>() as f64 / (close - open) as f64;
                assert!(
                    (busy - traced).abs() < 2e-3,
                    "{experiment} {rig:?} {on:?}: {busy} in the outcome, {traced} traced"
                );
            }
        }
    }
}

#[test]
fn does_the_budget_of_every_direction_add_up_to_the_window() {
    for rig in RIGS {
        for experiment in EXPERIMENTS {
            let scenario = common::scenario(experiment, rig);
            let outcome = run(&scenario, &dma::options()).unwrap();
            assert_eq!(outcome.budgets.len(), 2 * scenario.system.links.len());
            for ((on, budget), (_, busy)) in outcome.budgets.iter().zip(&outcome.busy) {
                assert!((budget.sum() - 1.0).abs() < 1e-9, "{experiment} {rig:?} {on:?}: {budget:?}");
                let encoding = budget.of(system::Share::Encoding);
                let waits = budget.shares().filter(|(share, _)| matches!(share, system::Share::Idle(_)));
                let idle = waits.map(|(_, part)| part).sum::<f64>() / (1.0 - encoding);
                assert!((1.0 - idle - busy).abs() < 1e-9, "{experiment} {rig:?} {on:?}: busy {busy}, idle {idle}");
            }
        }
    }
}

/// Breaks off with the first batch.
struct Full(u64);

impl Sink for Full {
    fn begin(&mut self, _: &Scenario) {}
    fn take(&mut self, _: &mut Vec<Record>) -> ControlFlow<()> {
        self.0 += 1;
        ControlFlow::Break(())
    }
}

#[test]
fn does_a_sink_that_has_enough_end_the_run() {
    let mut full = Full(0);
    let outcome = run_traced(&common::scenario("write", &[]), &dma::options(), &mut full).unwrap();
    assert!(outcome.partial);
    assert_eq!(full.0, 2, "a batch, and what was left");
}
