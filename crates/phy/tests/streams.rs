//! Do random streams come back as they were sent, across boards?
#![allow(clippy::panic, reason = "a test that cannot go on has failed")]

use lanescope_phy::coding::random::{self, Made, Plan, Random, Sent};
use lanescope_phy::coding::receive::receive;
use lanescope_phy::coding::{Crossing, Event, MAX_SKEW, Set, Stream};
use pcie::{Generation, LinkSpeed, Width};

/// What a receiver delivered, each with its symbol time, and how many SKP ordered sets; panics at a symptom.
fn delivered(stream: &Stream, what: &str) -> (Vec<(u64, Sent)>, usize) {
    let (mut out, mut skps) = (Vec::new(), 0);
    receive(stream, &mut |at: u64, event: Event<'_>| match event {
        Event::Tlp { sequence, bytes } => {
            out.push((at, Sent::Tlp { sequence, bytes: bytes.to_vec(), nullified: false }));
        }
        Event::Dllp(bytes) => out.push((at, Sent::Dllp(bytes))),
        Event::Set(Set::Skp) => skps += 1,
        Event::Set(_) | Event::Nullified => {}
        Event::Symptom(symptom) => panic!("{what}: {symptom:?} at {at}"),
    });
    (out, skps)
}

fn good(made: &Made) -> Vec<(u64, Sent)> {
    let taken_back = |sent: &Sent| matches!(sent, Sent::Tlp { nullified: true, .. });
    made.sent.iter().filter(|(_, sent)| !taken_back(sent)).cloned().collect()
}

fn crossing(random: &mut Random, lanes: usize) -> Crossing {
    let most = random.below(MAX_SKEW as u64 + 1);
    Crossing {
        skew: (0..lanes).map(|_| random.below(most + 1) as usize).collect(),
        reversed: random.below(2) == 0,
        inverted: (0..lanes).map(|_| random.below(2) == 0).collect(),
    }
}

fn widths() -> impl Iterator<Item = Width> {
    Width::ALL.into_iter().filter(|width| width.lanes() <= 16)
}

#[test]
fn do_ten_thousand_random_streams_come_back_across_boards() {
    let speeds: Vec<LinkSpeed> = Generation::ALL
        .into_iter()
        .flat_map(|generation| widths().map(move |width| LinkSpeed { generation, width }))
        .collect();
    let (mut packets, mut sets) = (0, 0);
    for seed in 0..10_000u64 {
        let mut random = Random(seed ^ 0x5eed);
        let speed = speeds[seed as usize % speeds.len()];
        let payload = if seed % 16 == 0 { 4096 } else { 256 };
        let plan = Plan {
            speed,
            packets: 20 + random.below(181) as usize,
            skp_interval: 40 + random.below(300),
            nullified: seed % 2 == 0,
            payload,
            times: u64::MAX,
        };
        let made = random::make(&plan, seed);
        let what = format!("{speed} seed {seed}");
        let (direct, skps) = delivered(&made.stream, &what);
        assert_eq!(direct, good(&made), "{what}");
        let crossing = crossing(&mut random, made.stream.width());
        let (crossed, crossed_skps) = delivered(&crossing.cross(&made.stream), &what);
        // Lane 0 of the transmitter arrives that much later.
        let late = crossing.skew[0] as u64;
        let expected: Vec<(u64, Sent)> = direct.iter().map(|(at, sent)| (at + late, sent.clone())).collect();
        assert_eq!(crossed, expected, "{what} {crossing:?}");
        assert_eq!(skps, crossed_skps, "{what}");
        (packets, sets) = (packets + direct.len(), sets + skps);
    }
    assert!(packets > 900_000 && sets > 10_000, "{packets} packets, {sets} SKP ordered sets");
}

/// A stream of a million symbols a lane at the real distance of SKP ordered sets, for each generation and width: half a minute.
#[test]
#[ignore = "outside make test: many millions of symbols"]
fn do_a_million_symbols_a_lane_come_back() {
    for generation in Generation::ALL {
        for width in widths() {
            let speed = LinkSpeed { generation, width };
            let skp_interval = pcie::timing::skp(generation.encoding(), false).interval_symbols;
            let plan =
                Plan { speed, packets: usize::MAX, skp_interval, nullified: true, payload: 4096, times: 1_000_000 };
            let made = random::make(&plan, 99);
            let crossing = crossing(&mut Random(speed.width.lanes()), made.stream.width());
            let (crossed, skps) = delivered(&crossing.cross(&made.stream), &speed.to_string());
            assert!(crossed.iter().map(|(_, sent)| sent).eq(good(&made).iter().map(|(_, sent)| sent)), "{speed}");
            assert!(made.stream.symbol_times() > 1_000_000 && skps as u64 >= 1_000_000 / skp_interval - 1, "{speed}");
            println!("{speed}: {} packets, {skps} SKP ordered sets", crossed.len());
        }
    }
}

#[test]
fn are_the_bytes_on_a_gen5_link_those_that_a_gpu_counts() {
    use lanescope_phy::coding::{Options, Packet, TlpBytes, Transmitter};
    use pcie::tlp::{FOUR_GIB, Header, Status};
    // Header, STP, sequence number and LCRC, as the counters of an H100 at Gen5 x16 count: 24 bytes a read request, 20 + n a
    // completion, 24 + n a write, with addresses above 4 GiB.
    let bdf = pcie::Bdf::default();
    let request =
        |write: bool, bytes: u64| Header::Request { write, address: 16 * FOUR_GIB, bytes, requester: bdf, tag: 1 };
    let completion = |bytes: u64| Header::Completion {
        completer: bdf,
        requester: bdf,
        tag: 1,
        status: Status::Success,
        remaining: bytes,
        lower_address: 0,
        bytes,
    };
    for (header, payload, counted) in [
        (request(false, 256), 0, 24),
        (completion(256), 256, 20 + 256),
        (completion(128), 128, 20 + 128),
        (request(true, 256), 256, 24 + 256),
        (request(true, 64), 64, 24 + 64),
        (request(true, 32), 32, 24 + 32),
    ] {
        let Ok(speed) = "gen5 x16".parse() else { panic!("a link") };
        let mut transmitter = Transmitter::new(speed, Options { skp_interval: None, training: true });
        let mut bytes = header.encode();
        bytes.resize(bytes.len() + payload, 7);
        const COUNT: u64 = 100;
        for sequence in 0..COUNT as u16 {
            assert!(transmitter.send(0, Packet::Tlp(TlpBytes { sequence, bytes: &bytes, nullified: false })).is_ok());
        }
        let end = transmitter.position();
        transmitter.idle(end);
        let (received, _) = delivered(&transmitter.take(), "gen5 x16");
        // What is on the lanes between the first symbol and the last of a hundred TLPs in a row.
        assert_eq!((received.len() as u64, end), (COUNT, COUNT * counted), "{header:?}");
    }
}
