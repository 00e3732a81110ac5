//! How fast lanes are written and read: million symbols a second of CPU time, for each coding at x1 and x16, of random
//! packets. A number as argument is how often each is repeated.

use lanescope_phy::coding::random::{Plan, Sent, make};
use lanescope_phy::coding::receive::receive;
use lanescope_phy::coding::{Event, Options, Transmitter};
use pcie::LinkSpeed;
use rustix::time::{ClockId, clock_gettime};
use std::hint::black_box;
use std::time::Duration;

/// Symbols on all lanes together in one turn: small enough for a cache, as a program would take them.
const SYMBOLS: u64 = 1 << 18;
const TURNS: usize = 200;

fn main() {
    let turns = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(TURNS).max(10);
    println!("{:<10} {:>8} {:>16} {:>16}", "link", "payload", "write Msymbol/s", "read Msymbol/s");
    for link in ["gen2 x1", "gen2 x16", "gen3 x1", "gen3 x16"] {
        for payload in [0, 64, 256, 4096] {
            let Ok(speed) = link.parse::<LinkSpeed>() else { continue };
            let (write, read) = rates(speed, payload, turns);
            println!("{link:<10} {payload:>8} {write:>16.0} {read:>16.0}");
        }
    }
}

fn rates(speed: LinkSpeed, payload: u64, turns: usize) -> (f64, f64) {
    let lanes = speed.width.lanes();
    let interval = pcie::timing::skp(speed.generation.encoding(), false).interval_symbols;
    let times = SYMBOLS / lanes;
    let plan = Plan { speed, packets: usize::MAX, skp_interval: interval, nullified: false, payload, times };
    let made = make(&plan, 1);
    let packets: Vec<&Sent> = made.sent.iter().map(|(_, sent)| sent).collect();
    let options = Options { skp_interval: Some(interval), training: true };
    let mut transmitter = Transmitter::new(speed, options);
    let write = fastest(turns, || {
        let before = transmitter.position();
        for sent in &packets {
            let _ = black_box(transmitter.send(0, sent.as_packet()));
        }
        transmitter.clear();
        transmitter.position() - before
    });
    let mut heard = 0;
    let read = fastest(turns, || {
        receive(black_box(&made.stream), &mut |_: u64, event: Event<'_>| {
            heard += usize::from(!matches!(event, Event::Set(_)));
        });
        (made.stream.symbol_times() * made.stream.width()) as u64
    });
    assert!(heard >= turns * packets.len(), "all packets are read");
    (write, read)
}

/// CPU time of this thread.
fn spent() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Million symbols a second: the best of ten tenths of the turns, because others use the machine and its caches.
fn fastest(turns: usize, mut turn: impl FnMut() -> u64) -> f64 {
    let mut best = 0f64;
    for _ in 0..10 {
        let (mut symbols, begin) = (0, spent());
        for _ in 0..turns / 10 {
            symbols += turn();
        }
        let spent = spent().saturating_sub(begin).max(Duration::from_nanos(1));
        best = best.max(symbols as f64 / spent.as_secs_f64() / 1e6);
    }
    best
}
