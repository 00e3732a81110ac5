//! Does a single flow over plain links come to what the arithmetic by hand says?

mod common;
use common::*;
use lanescope_limit::plan::Plan;
use lanescope_limit::train::follow;
use system::Operation::{DmaRead, DmaWrite, P2pWrite};
use system::kinds::port::StartAlignment;
use system::kinds::{CardParams, HostParams, PortParams, SwitchParams};

#[test]
fn look() {
    let habits = PortParams { start_alignment: StartAlignment::EightBytes, ..PortParams::default() };
    let mut b = Builder::new(HostParams::default(), PortParams::default());
    let s = b.switch(HOST, "gen2 x8", SwitchParams::default(), PortParams::default());
    let c0 = b.card(s, "gen2 x4", CardParams::default(), habits.clone());
    let c1 = b.card(s, "gen2 x4", CardParams::default(), habits);
    for f in [
        flow(P2pWrite, c0, c1, 4 << 20, 1),
        flow(P2pWrite, c0, c1, 4096, 1024),
        flow(DmaWrite, c0, HOST, 4 << 20, 1),
        flow(DmaRead, c0, HOST, 4 << 20, 1),
        by_software(flow(DmaRead, c0, HOST, 4096, 1000)),
    ] {
        let t = std::time::Instant::now();
        let run = follow(&Plan::new(&b.system, &f)).unwrap();
        println!(
            "{:?} {} {:.2} MiB/s app {:.2} in {:?}",
            f.operation,
            f.command,
            run.stream * 1e15 / 1048576.0,
            f.volume.0 as f64 / run.seen * 1e15 / 1048576.0,
            t.elapsed()
        );
    }
}
