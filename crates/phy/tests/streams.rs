//! Do random streams come back as they were sent, across boards?

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
        let bare = |sent: Vec<(u64, Sent)>| sent.into_iter().map(|(_, sent)| sent).collect::<Vec<_>>();
        assert_eq!(bare(crossed), bare(direct.clone()), "{what} {crossing:?}");
        assert_eq!(skps, crossed_skps, "{what}");
        (packets, sets) = (packets + direct.len(), sets + skps);
    }
    assert!(packets > 900_000 && sets > 10_000, "{packets} packets, {sets} SKP ordered sets");
}
