//! The time for a machine of thousands of cards grows with their number, not with its square.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_limit::limit;
use std::hint::black_box;
use system::{Description, Point};

/// Largest growth of the time when there are four times the cards. Proportional growth is 4, quadratic growth is 16.
/// The time is this thread's processor time, so that other work on the machine does not count.
const MOST_GROWTH: f64 = 8.0;
/// Number of runs; the shortest counts.
const RUNS: usize = 3;

/// The description of `25 * leaves * cards` cards below two levels of switches, in 25 Segment Groups.
fn text(leaves: u64, cards: u64) -> String {
    let (all_leaves, all) = (25 * leaves, 25 * leaves * cards);
    format!(
        "parts:
  host: {{ part: generic/gen5-host, slots: {{ 'pcie[25]': gen5 x16 }} }}
  spine: {{ part: generic/gen4-switch, count: 25, ports: {{ up: gen4 x16, 'down[{leaves}]': gen4 x8 }} }}
  leaf: {{ part: generic/gen4-switch, count: {all_leaves}, ports: {{ up: gen4 x8, 'down[{cards}]': gen4 x4 }} }}
  card: {{ part: generic/gen4-card, count: {all} }}
links:
  - host.pcie[i] - spine[i].up
  - spine[i].down[j] - leaf[{leaves}*i + j].up
  - leaf[i].down[j] - card[{cards}*i + j].pcie
settings: {{ bars: above 4 GiB, segments: root-port }}
experiments:
  write: {{ operation: dma-write, command: 16 KiB, volume: 16 KiB, flows: ['card[i] -> host'], measures: [throughput_sum] }}
"
    )
}

/// Processor time of this thread in nanoseconds; `None` where the system does not report it.
fn on_processor_ns() -> Option<f64> {
    std::fs::read_to_string("/proc/thread-self/schedstat").ok()?.split(' ').next()?.parse().ok()
}

/// Times in nanoseconds: to read and settle, to show, to build the flows, and to compute the limits.
fn spent(leaves: u64, cards: u64) -> Option<[f64; 4]> {
    let text = text(leaves, cards);
    let mut least = [f64::INFINITY; 4];
    for _ in 0..RUNS {
        let mut at = on_processor_ns()?;
        let mut lap = |place: usize| {
            let now = on_processor_ns().unwrap_or(at);
            least[place] = least[place].min(now - at);
            at = now;
        };
        let description = Description::from_text("large.yaml", &text).unwrap();
        let system = description.system().unwrap();
        lap(0);
        assert!(black_box(system::tree::show(&system)).lines().count() as u64 > 25 * leaves * cards);
        lap(1);
        let write = description.experiment("write").unwrap();
        let scenario = description.scenario(write, &Point::default()).unwrap();
        lap(2);
        assert_eq!(black_box(limit(&scenario)).together.len() as u64, 25 * leaves * cards);
        lap(3);
    }
    Some(least)
}

#[test]
fn do_four_thousand_cards_take_about_four_times_what_a_thousand_take() {
    let (Some(few), Some(many)) = (spent(8, 5), spent(16, 10)) else { return };
    let words = ["settling", "showing", "putting the flows together", "limits"];
    for ((word, few), many) in words.iter().zip(few).zip(many) {
        println!("{word}: {:.1} ms and {:.1} ms, {:.1} times", few / 1e6, many / 1e6, many / few);
    }
    let (few, many) = (few.iter().sum::<f64>(), many.iter().sum::<f64>());
    assert!(many < MOST_GROWTH * few, "four times the cards, {:.1} times the time", many / few);
}
