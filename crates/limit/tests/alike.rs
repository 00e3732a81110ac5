//! Flows that are alike get the same rates as when each is computed individually.

#![allow(clippy::unwrap_used)] // a panic is a failure

mod common;
use common::random::Dice;
use common::*;
use lanescope_limit::class::Classes;
use lanescope_limit::colour::Colours;
use lanescope_limit::place::Way;
use lanescope_limit::resource::Uses;
use lanescope_limit::share::{Crowd, shares};
use lanescope_limit::solve::{Solved, solve};
use system::Flow;
use system::Operation;
use system::field::Count;
use system::kinds::{CardParams, HostParams, PortParams, SwitchParams};

/// Two levels of switches with `fan` ports each. With `mixed`, every third card is of another kind.
fn tree(fan: usize, mixed: bool) -> (Builder, Vec<Id>) {
    let mut b = Builder::new(HostParams::default(), PortParams::default());
    let mut cards = Vec::new();
    for _ in 0..fan {
        let spine = b.switch(HOST, "gen3 x8", SwitchParams::default(), PortParams::default());
        for _ in 0..fan {
            let few = CardParams { read_requests: Count(4), ..CardParams::default() };
            let params = if mixed && cards.len() % 3 == 0 { few } else { CardParams::default() };
            cards.push(b.card(spine, "gen2 x4", params, PortParams::default()));
        }
    }
    (b, cards)
}

/// Rates with one flow of each class and colour computed, and with each flow computed individually; and the number of
/// classes and colours.
fn both_ways(b: &Builder, flows: &[Flow]) -> (Vec<f64>, Vec<f64>, usize, usize) {
    let system = &b.system;
    let ways: Vec<Way> = flows.iter().map(|flow| Way::new(system, flow)).collect();
    let classes = Classes::new(system, flows, &ways);
    let solved: Vec<Solved<'_>> = classes.first.iter().map(|&flow| solve(system, &flows[flow])).collect();
    let uses = Uses::new(system, &solved, &classes.of, &ways);
    let colours = Colours::new(&uses, &classes);
    let crowd = Crowd { solved: &solved, classes: &classes.of, ways: &ways, uses: &uses, colours: &colours };
    let found = shares(&crowd);
    let together = colours.of.iter().map(|&colour| found[colour].rate).collect();

    let each: Vec<usize> = (0..flows.len()).collect();
    let solved: Vec<Solved<'_>> = flows.iter().map(|flow| solve(system, flow)).collect();
    let uses = Uses::new(system, &solved, &each, &ways);
    let different = Colours::all_different(flows.len());
    let crowd = Crowd { solved: &solved, classes: &each, ways: &ways, uses: &uses, colours: &different };
    let by_themselves = shares(&crowd).iter().map(|share| share.rate).collect();
    (together, by_themselves, classes.first.len(), colours.first.len())
}

#[test]
fn is_one_flow_of_each_colour_enough() {
    for seed in 0..40 {
        let mut dice = Dice(seed);
        let (b, cards) = tree(dice.between(2, 3) as usize, dice.chance(50));
        let among = cards.len() as u64;
        let kinds = dice.pick(&[
            vec![Operation::DmaWrite],
            vec![Operation::DmaRead],
            vec![Operation::P2pWrite],
            vec![Operation::DmaWrite, Operation::DmaRead, Operation::P2pWrite, Operation::P2pRead],
        ]);
        let flows: Vec<Flow> = (0..dice.between(2, 10) as usize)
            .map(|i| {
                let card = if dice.chance(70) { i % cards.len() } else { dice.below(among) as usize };
                let other = (card + 1 + dice.below(among - 1) as usize) % cards.len();
                let operation = dice.pick(&kinds);
                let target =
                    if matches!(operation, Operation::DmaWrite | Operation::DmaRead) { HOST } else { cards[other] };
                flow(operation, cards[card], target, 1 << 20, 1)
            })
            .collect();
        let (together, by_themselves, ..) = both_ways(&b, &flows);
        for (flow, (a, b)) in flows.iter().zip(together.iter().zip(&by_themselves)) {
            assert!((a / b - 1.0).abs() < 1e-6, "seed {seed}, {}: {a} together, {b} by itself", flow.name);
        }
    }
}

#[test]
fn are_nine_like_cards_one_colour_and_is_one_with_other_company_another() {
    let (b, cards) = tree(3, false);
    let mut flows: Vec<Flow> = cards.iter().map(|&card| flow(Operation::DmaRead, card, HOST, 1 << 20, 1)).collect();
    let (_, _, classes, colours) = both_ways(&b, &flows);
    assert_eq!((classes, colours), (1, 1));
    // One card has two flows. The three colours are its two flows, its two neighbours, and the six cards below the
    // other switches.
    flows.push(flow(Operation::DmaRead, cards[0], HOST, 1 << 20, 1));
    let (_, _, classes, colours) = both_ways(&b, &flows);
    assert_eq!((classes, colours), (1, 3));
    let (b, cards) = tree(3, true);
    let flows: Vec<Flow> = cards.iter().map(|&card| flow(Operation::DmaRead, card, HOST, 1 << 20, 1)).collect();
    let (_, _, classes, colours) = both_ways(&b, &flows);
    assert_eq!((classes, colours), (2, 2));
}

#[test]
fn do_many_readers_of_one_link_get_no_more_than_it_carries() {
    let mut b = Builder::new(HostParams::default(), PortParams::default());
    let spine = b.switch(HOST, "gen4 x16", SwitchParams::default(), PortParams::default());
    let mut cards = Vec::new();
    for _ in 0..16 {
        let leaf = b.switch(spine, "gen4 x8", SwitchParams::default(), PortParams::default());
        cards.extend((0..8).map(|_| b.card(leaf, "gen4 x4", CardParams::default(), PortParams::default())));
    }
    let readers = |cards: &[Id]| {
        let flows = cards.iter().map(|&card| flow(Operation::DmaRead, card, HOST, 1 << 20, 1)).collect();
        let limits = lanescope_limit::limit(&scenario(&b.system, flows));
        limits.together.iter().map(|limit| limit.stream.as_mib_per_s()).sum::<f64>()
    };
    let (half, all) = (readers(&cards[..64]), readers(&cards));
    assert!((all / half - 1.0).abs() < 0.01, "128 readers get {all} MiB/s, 64 of them {half}");
}
