//! Is a limit quick enough to be asked for a thousand flows?

mod common;
use common::*;
use lanescope_limit::limit;
use system::Operation::{DmaWrite, P2pWrite};
use system::kinds::{CardParams, HostParams, PortParams, SwitchParams};

#[test]
#[ignore = "prints a time"]
fn how_long_do_a_thousand_flows_take() {
    let mut b = Builder::new(HostParams::default(), PortParams::default());
    let s = b.switch(HOST, "gen2 x8", SwitchParams::default(), PortParams::default());
    let cards: Vec<Id> = (0..40).map(|_| b.card(s, "gen2 x4", CardParams::default(), PortParams::default())).collect();
    let flows: Vec<_> = (0..1000)
        .map(|i| match i % 2 {
            0 => flow(DmaWrite, cards[i % 40], HOST, 4 << 20, 1),
            _ => flow(P2pWrite, cards[i % 40], cards[(i + 7) % 40], 4 << 20, 1),
        })
        .collect();
    let s = scenario(&b.system, flows);
    let begun = std::time::Instant::now();
    let limits = limit(&s);
    println!("{} flows in {:?}", limits.alone.len(), begun.elapsed());
    let begun = std::time::Instant::now();
    let one = scenario(&s.system, vec![s.flows[0].clone()]);
    (0..1000).for_each(|_| drop(limit(&one)));
    println!("one flow a thousand times in {:?}", begun.elapsed());
}
