//! Properties that hold for every limit, independent of the system.

mod common;
use common::random::case;
use common::*;
use lanescope_limit::limit;
use proptest::prelude::*;
use system::field::{Cap, Count};

/// Tolerance for rounding, and for the position of SKPs and timers in a short interval.
const NOISE: f64 = 0.006;

fn stream(scenario: &Scenario) -> f64 {
    limit(scenario).alone[0].stream.0
}

/// `scenario` with every card's settings changed.
fn with_cards(scenario: &Scenario, change: impl Fn(&mut system::kinds::CardParams)) -> Scenario {
    let mut changed = scenario.clone();
    changed.system.remake(|graph| {
        for part in &mut graph.parts {
            if let Some(card) = part.kind.card_mut() {
                change(card);
            }
        }
    });
    changed
}

/// `scenario` with unlimited credits and replay buffers.
fn without_end(scenario: &Scenario) -> Scenario {
    let mut changed = scenario.clone();
    changed.system.remake(|graph| {
        for part in &mut graph.parts {
            let h = &mut part.habits;
            (h.posted_headers, h.posted_data) = (Cap::NONE, Cap::NONE);
            (h.completion_headers, h.completion_data) = (Cap::NONE, Cap::NONE);
            (h.nonposted_headers, h.replay_buffer) = (Cap::NONE, Cap::NONE);
        }
    });
    changed
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) })]

    #[test]
    fn a_budget_adds_up_to_one(seed in 0u64..1 << 40) {
        let limits = limit(&case(seed).scenario);
        for l in limits.alone.iter().chain(&limits.together) {
            prop_assert!((l.budget.sum() - 1.0).abs() < 1e-9, "{:?}", l.budget);
            prop_assert!(l.budget.0.iter().all(|&part| (0.0..=1.0).contains(&part)), "{:?}", l.budget);
        }
    }

    #[test]
    fn more_tags_are_never_slower(seed in 0u64..1 << 40) {
        // Where credits run out, more requests may reach this state at a worse time.
        let scenario = without_end(&case(seed).scenario);
        let more = with_cards(&scenario, |card| card.read_requests = Count(card.read_requests.0 * 2));
        prop_assert!(stream(&more) >= stream(&scenario) * (1.0 - NOISE));
    }

    #[test]
    fn credits_without_end_are_never_slower(seed in 0u64..1 << 40) {
        let scenario = case(seed).scenario;
        let more = without_end(&scenario);
        // A burst that credits would have delayed may reach a slower link in a worse order.
        prop_assert!(stream(&more) >= stream(&scenario) * 0.97, "{} {}", stream(&more), stream(&scenario));
    }

    #[test]
    fn flows_together_get_no_more_than_alone(a in 0u64..1 << 40, count in 2usize..5) {
        let mut scenario = case(a).scenario;
        let flow = scenario.flows[0].clone();
        scenario.flows = vec![flow; count];
        let limits = limit(&scenario);
        for (alone, together) in limits.alone.iter().zip(&limits.together) {
            prop_assert!(together.stream.0 <= alone.stream.0 * (1.0 + 1e-9));
        }
    }
}

#[test]
fn is_a_higher_generation_never_slower() {
    for lanes in [1, 2, 4, 8, 16] {
        let rates: Vec<f64> = (1..=5)
            .map(|generation| {
                let mut b = Builder::new(Default::default(), Default::default());
                let card = b.card(HOST, &format!("gen{generation} x{lanes}"), Default::default(), Default::default());
                stream(&scenario(&b.system, vec![flow(system::Operation::DmaWrite, card, HOST, 1 << 20, 1)]))
            })
            .collect();
        assert!(rates.windows(2).all(|pair| pair[1] > pair[0]), "x{lanes}: {rates:?}");
    }
}
