//! A card that stops, by a fault, while the guest waits for a register: the guest's processor runs no further before the
//! answer has come, and with it nothing of the guest does.

#![cfg(gateware)]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use remote::config::Settings;
use remote::counters::{Counters, Fault};
use remote::engine::{Ask, Engine};
use remote::iommu::Iommu;
use std::sync::atomic::Ordering;
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// Where BAR 0 is.
const BASE: u64 = 0xfe00_0000;
/// Memory space and bus mastering are on.
const SETTINGS: Settings = Settings { command: 6, dcommand: 0x2810, power: 0, msix_enable: false, msix_mask: false };
/// Registers of the first channel to the card, and what makes it fetch a descriptor: rings of 1024 entries, then a tail.
const SETUP: [(u64, u64); 4] =
    [(0x108, 0x1_0000), (0x110, 0x2_0000), (0x100, 500 << 32 | 1 << 16 | 10 << 8 | 13), (0x118, 1)];
/// The stop comes within so many clocks of the tail.
const CLOCKS: usize = 100;
const LONG: Duration = Duration::from_secs(20);

/// What a load answers that comes so many clocks after the tail of a channel that stops at its first request.
fn loaded(clocks: usize) -> Option<Vec<u8>> {
    let counters = Arc::<Counters>::default();
    counters.fault.store(1 << 8 | Fault::Stops as u32, Ordering::Relaxed);
    let (to_guest, _messages) = mpsc::channel();
    let engine = Engine::new(Arc::new(Iommu::new(Arc::default(), None)), counters, to_guest).unwrap();
    // All of it is there before it runs, and it takes one with each clock.
    let (asks, asked) = mpsc::channel();
    asks.send(Ask::Set(SETTINGS)).unwrap();
    for (offset, value) in SETUP {
        asks.send(Ask::Store(1, offset, BASE + offset, u64::to_le_bytes(value).to_vec())).unwrap();
    }
    for _ in 0..clocks {
        asks.send(Ask::Set(SETTINGS)).unwrap();
    }
    let (reply, replied) = mpsc::sync_channel(1);
    asks.send(Ask::Load(1, 0, BASE, 8, reply)).unwrap();
    std::thread::spawn(move || engine.run(&asked));
    replied.recv_timeout(LONG).ok()
}

#[test]
fn does_a_card_that_stops_answer_a_load_that_is_under_way() {
    let mut whole = 0;
    for clocks in 0..CLOCKS {
        let answer = loaded(clocks);
        assert!(answer.is_some(), "the load {clocks} clocks behind the tail has no answer");
        whole += usize::from(answer != Some(vec![0xff; 8]));
    }
    // Between loads that are answered before it stops, and those that come after, are those that are under way.
    assert!(whole > 0 && whole < CLOCKS, "{whole} of {CLOCKS} loads were answered before the stop");
}
