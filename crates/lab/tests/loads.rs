//! Are loads of CPUs, drawn at random, within their limits, and near them?

#![allow(clippy::unwrap_used)] // a panic is a failure

use lanescope_lab::above;
use system::{Description, Point};
use testing::machine::rng::Rng;

const MACHINE: &str = "
title: CPUs read a card
parts:
  host: { kind: host, slots: { pcie: gen3 x8 }, pio_read_cost: 20 ns }
  switch: { kind: switch, ports: { up: gen3 x8, down: gen3 x8 }, latency: 100 ns }
  card: { kind: dma-card, ports: { pcie: gen3 x8 }, bars: 1 MiB }
links: [host.pcie - switch.up, switch.down - card.pcie]
experiments:
  one: { operation: pio-read, command: 4 KiB, volume: 64 KiB, flows: [card -> host] }
  two: { operation: pio-read, command: 4 KiB, volume: 64 KiB, flows: [card -> host, card -> host] }
";

#[test]
fn do_drawn_loads_keep_to_their_limit() {
    let mut dice = Rng::new(51);
    let mut pick = |of: &[&'static str]| of[dice.below(of.len())];
    let mut near = 0;
    let count = 300;
    for _ in 0..count {
        let experiment = pick(&["one", "two"]);
        let settings = [
            format!("host.pio_loads={}", pick(&["1", "2", "3", "10", "64"])),
            format!("host.pio_read_bytes={}", pick(&["4", "8", "16", "64"])),
            format!("host.pio_call_cost={}", pick(&["0 ns", "37 ns", "1 us", "9 us"])),
            format!("host.core_latency={}", pick(&["0 ns", "51 ns", "300 ns"])),
            format!("card.core_clock={}", pick(&["infinite", "250 MHz", "30 MHz"])),
            format!("card.rx_latency={}", pick(&["0 ns", "123 ns"])),
            format!("card.target_read_latency={}", pick(&["0 ns", "1 us"])),
            format!("experiments.{experiment}.command={} B", pick(&["8", "24", "64", "100", "256", "4096"])),
            format!("links.1.lanes={}", pick(&["1", "4", "8"])),
        ];
        let mut description = Description::from_text("drawn.yaml", MACHINE).unwrap();
        settings.iter().for_each(|setting| description.set(setting).unwrap());
        let scenario = description.scenario(description.experiment(experiment).unwrap(), &Point::default()).unwrap();
        let outcome = sim::run(&scenario, &dma::options()).unwrap();
        let limits = limit::limit(&scenario);
        let above = above::of(&scenario, &limits, &outcome);
        assert!(above.is_empty(), "{settings:?}: {above:?}");
        near += usize::from(outcome.flows[0].stream.unwrap().0 > 0.98 * limits.alone[0].stream.0);
    }
    assert!(near > count / 2, "{near} of {count} are near their limits");
}
