//! Is each planted error found? One in the simulation alone by the comparison with the limit over the systems that it
//! concerns; one in what limit and simulation share by a test with figures by hand.
//!
//! Built with the feature `planted` only: `cargo test -p lanescope-limit --features planted --test planted`.

#![allow(clippy::unwrap_used, reason = "a panic is a failure")]
#![allow(clippy::duplicate_mod, reason = "the tests by hand are a program of their own, too")]

mod common;
#[path = "common/agreement.rs"]
mod compared;
#[path = "hand.rs"]
mod hand;

use common::random::{Case, case};
use common::*;
use compared::{Compared, FAR_BELOW, GENEROUS, broken, compare, decides, sim_rate};
use lanescope_limit::solve::solve;
use pcie::planted::{NO_LCRC, Planted, REPLAY_OF_TLP_ONLY, with};
use sim::planted::{HALF_THE_ACKS, NO_SKP, ONE_MORE_TAG, SHORT_HEADER};
use std::panic::catch_unwind;
use system::field::Count;
use system::planted::ONE_MORE_REQUEST;
use system::{Cause, System};

/// The seeds of `make test`, and those of `make validate` for errors that concern few systems.
const SOME: u64 = 400;
const MANY: u64 = 3000;

/// The least effect on the limit for which a system counts as one that the mechanism decides: twice what no limit may
/// be below the simulation, or above it in more than one system of a hundred.
const FASTER: f64 = 2.0 * FAR_BELOW;
const SLOWER: f64 = 2.0 * GENEROUS;

/// The fewest systems for which a comparison is made.
const FEWEST: usize = 8;

/// True where one row decides and `change`, which is what the error does, moves the limit.
fn concerns(case: &Case, change: impl Fn(&mut System)) -> bool {
    let mut other = case.scenario.clone();
    change(&mut other.system);
    let rate = |scenario: &Scenario| lanescope_limit::limit(scenario).alone[0].stream.0;
    let moves = rate(&other) / rate(&case.scenario) - 1.0;
    decides(case) && !(-SLOWER..=FASTER).contains(&moves)
}

/// Compares the systems that `concerns` selects, without and with `error`: the bounds hold, and they break.
fn is_found(error: Planted, seeds: u64, concerns: impl Fn(&Case) -> bool) {
    let seeds: Vec<u64> = (0..seeds).filter(|&seed| concerns(&case(seed))).collect();
    let all = || seeds.iter().filter_map(|&seed| compare(seed)).collect::<Vec<Compared>>();
    let (without, planted) = (all(), with(error, all));
    assert!(without.len() >= FEWEST, "{}: only {} systems", error.0, without.len());
    // One system in a hundred may exceed a bound, which of so few is none.
    assert_eq!(broken(&without), Vec::<String>::new(), "without an error");
    let found = planted.iter().filter(|c| c.off() < -FAR_BELOW || c.off() > GENEROUS).count();
    let broken = broken(&planted);
    println!("{}: {found} of {} systems are found; {}", error.0, planted.len(), broken.join("; "));
    assert!(!broken.is_empty(), "nothing finds {}", error.0);
    assert!(found * 10 >= planted.len() * 9, "{}: only {found} of {}", error.0, planted.len());
}

#[test]
fn does_the_comparison_find_that_skps_are_dropped() {
    is_found(NO_SKP, MANY, |case| {
        concerns(case, |system| system.remake(|graph| graph.parts.iter_mut().for_each(|part| part.habits.skp = false)))
    });
}

#[test]
fn does_the_comparison_find_a_tag_more() {
    let more = |system: &mut System| {
        system.remake(|graph| {
            for part in &mut graph.parts {
                part.tags += 1;
                if let Some(card) = part.kind.card_mut() {
                    card.read_requests = Count(card.read_requests.0 + 1);
                }
            }
        });
    };
    is_found(ONE_MORE_TAG, SOME, |case| !case.scenario.flows[0].operation.is_pio() && concerns(case, more));
}

#[test]
fn does_the_comparison_find_that_an_ack_in_two_is_not_sent() {
    let fewer = |system: &mut System| {
        system.remake(|graph| graph.parts.iter_mut().for_each(|part| part.habits.tlps_per_ack.0 *= 2));
    };
    is_found(HALF_THE_ACKS, MANY, |case| concerns(case, fewer));
}

#[test]
fn does_the_comparison_find_a_header_dw_less() {
    // A full link decides, and a DW is a larger share of its TLPs than the bound.
    is_found(SHORT_HEADER, SOME, |case| {
        let solved = solve(&case.scenario.system, &case.scenario.flows[0]);
        let Some(row) = solved.table.rows.first() else { return false };
        let tlp = solved.plan.cut.sizes.first().map_or(0, |&(piece, _)| solved.plan.data_tlp(piece).shape.bytes());
        matches!(row.by.cause, Cause::Transmit(_)) && decides(case) && 4.0 / tlp as f64 > FASTER
    });
}

#[test]
fn does_the_comparison_of_one_full_link_find_that_skps_are_dropped() {
    let mut b = Builder::new(Default::default(), Default::default());
    let card = b.card(HOST, "gen3 x8", Default::default(), Default::default());
    let scenario = scenario(&b.system, vec![flow(system::Operation::DmaWrite, card, HOST, 16 << 20, 1)]);
    let off = || lanescope_limit::limit(&scenario).alone[0].stream.as_mib_per_s() / sim_rate(&scenario).unwrap() - 1.0;
    assert!(off().abs() < 0.0005, "{:.3} %", off() * 100.0);
    assert!(with(NO_SKP, off) < -0.001, "{:.3} %", with(NO_SKP, off) * 100.0);
}

/// The tests with figures by hand, by name.
const BY_HAND: [(&str, fn()); 10] = [
    ("starts every eight bytes", hand::what_does_gen2_x4_carry_with_a_start_every_eight_bytes),
    ("starts in lane 0", hand::what_does_gen2_x8_carry_with_starts_in_lane_0_and_as_tight_as_the_standard_allows),
    ("256 bytes at Gen3", hand::what_does_gen3_x8_carry_in_tlps_of_256_bytes),
    ("descriptors", hand::what_do_255_ns_a_page_leave_of_host_writes),
    ("a set-up", hand::does_a_command_cost_a_set_up_and_594_ns_a_tlp_at_gen1_x1),
    ("one request", hand::what_does_one_request_of_4_kib_in_flight_come_to),
    ("few requests", hand::what_do_two_or_three_requests_in_flight_come_to),
    ("replay", hand::what_do_three_or_four_tlps_in_a_replay_buffer_come_to),
    ("bytes of a direction", hand::where_do_the_bytes_of_a_full_direction_go),
    ("requests that hide", hand::how_many_requests_hide_a_microsecond_of_gen4_x8),
];

/// The names of the tests by hand that fail with `error`.
fn failing(error: Planted) -> Vec<&'static str> {
    let failed: Vec<_> = BY_HAND.iter().filter(|(_, test)| with(error, || catch_unwind(test)).is_err()).collect();
    let names = failed.into_iter().map(|(name, _)| *name).collect();
    println!("{}: {names:?}", error.0);
    names
}

#[test]
fn does_each_error_in_what_both_share_break_a_test_by_hand() {
    assert!(BY_HAND.iter().all(|(_, test)| catch_unwind(test).is_ok()), "without an error");
    let framing = failing(NO_LCRC);
    assert!(framing.contains(&"starts every eight bytes") && framing.contains(&"256 bytes at Gen3"), "{framing:?}");
    assert_eq!(failing(REPLAY_OF_TLP_ONLY), ["replay"]);
    assert_eq!(failing(ONE_MORE_REQUEST), ["one request", "few requests"]);
}

/// The comparison is blind to them: limit and simulation make the same error.
#[test]
fn do_errors_in_what_both_share_escape_the_comparison() {
    for error in [NO_LCRC, REPLAY_OF_TLP_ONLY, ONE_MORE_REQUEST] {
        let all: Vec<Compared> = with(error, || (0..40).filter_map(compare).collect());
        assert_eq!(broken(&all), Vec::<String>::new(), "{}", error.0);
    }
}
