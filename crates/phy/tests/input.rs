//! Does a receiver stand whatever arrives?

#![allow(clippy::panic, reason = "a test that cannot go on has failed")]

use lanescope_phy::coding::bits::BLOCK_BITS;
use lanescope_phy::coding::random::{self, Plan, Random, Sent};
use lanescope_phy::coding::receive::receive;
use lanescope_phy::coding::{Bits, Event, Lanes, Options, Packet, Stream, Transmitter, Upset};
use pcie::{Encoding, Generation, LinkSpeed, Width};

fn speeds() -> impl Iterator<Item = LinkSpeed> + Clone {
    [Generation::Gen1, Generation::Gen3, Generation::Gen5]
        .into_iter()
        .flat_map(|generation| Width::ALL.into_iter().map(move |width| LinkSpeed { generation, width }))
}

/// Packets that are delivered.
fn delivered(stream: &Stream) -> usize {
    let mut count = 0;
    receive(stream, &mut |_: u64, event: Event<'_>| {
        count += usize::from(matches!(event, Event::Tlp { .. } | Event::Dllp(_)))
    });
    count
}

fn noise(speed: LinkSpeed, times: usize, random: &mut Random) -> Stream {
    let lanes = speed.width.lanes() as usize;
    let lanes = match speed.generation.encoding() {
        Encoding::E8b10b => Lanes::Codes((0..times * lanes).map(|_| random.bits() as u16).collect()),
        Encoding::E128b130b => {
            let lane = |_| {
                let mut bits = Bits::default();
                (0..times).for_each(|_| bits.push(random.bits(), 8));
                bits
            };
            Lanes::Bits((0..lanes).map(lane).collect())
        }
    };
    Stream { speed, lanes }
}

#[test]
fn is_nothing_delivered_from_noise() {
    let mut random = Random(3);
    for speed in speeds() {
        for times in [0, 1, 15, 64, 3000] {
            let noise = noise(speed, times, &mut random);
            assert_eq!(delivered(&noise), 0, "{speed} {times}");
            let mut said = 0;
            receive(&noise, &mut |_: u64, event: Event<'_>| said += usize::from(matches!(event, Event::Symptom(_))));
            assert!(said > 0, "{speed} {times}: nothing is said of noise");
        }
    }
}

/// A lane that misses a training finds the others again at the next one.
#[test]
fn do_packets_come_again_at_the_training_behind_one_that_a_lane_missed() {
    for link in ["gen1 x4", "gen3 x2", "gen4 x8"] {
        let Ok(speed) = link.parse::<LinkSpeed>() else { panic!("{link}") };
        let mut transmitter = Transmitter::new(speed, Options { skp_interval: Some(300), training: true });
        let (lanes, mut trainings) = (speed.width.lanes(), Vec::new());
        for _ in 0..3 {
            let dllp = pcie::dllp::Dllp::Ack(7).encode();
            assert!(transmitter.send(transmitter.position(), Packet::Dllp(dllp)).is_ok());
            transmitter.idle(transmitter.position() + 64 * lanes);
            let at = transmitter.training_times() + transmitter.position() / lanes;
            trainings.push(at as usize);
            transmitter.train();
        }
        transmitter.idle(transmitter.position() + 64 * lanes);
        let whole = transmitter.take();
        assert_eq!(delivered(&whole), 3, "{link}");
        // Noise on lane 1 instead of the first training in the middle.
        let (mut random, mut stream) = (Random(5), whole);
        let times = trainings[0] + 1..trainings[1] - 80;
        match &mut stream.lanes {
            Lanes::Codes(rows) => times.for_each(|time| rows[time * lanes as usize + 1] = 0),
            Lanes::Bits(bits) => {
                let (from, to) = (times.start / 16 * BLOCK_BITS, times.end / 16 * BLOCK_BITS);
                let (old, mut new) = (bits[1].clone(), Bits::default());
                new.extend(&old, 0, from);
                (from..to).for_each(|_| new.push(random.below(2), 1));
                new.extend(&old, to, old.len());
                bits[1] = new;
            }
        }
        assert_eq!(delivered(&stream), 2, "{link}: the first, and that behind the training that all lanes have");
    }
}

/// Many errors, lanes that end early, and lanes of other streams.
#[test]
fn does_no_stream_that_is_broken_in_many_places_make_it_panic() {
    let mut random = Random(4);
    for (number, speed) in speeds().cycle().take(400).enumerate() {
        let plan = Plan { speed, packets: 60, skp_interval: 60, nullified: true, payload: 64, times: u64::MAX };
        let made = random::make(&plan, number as u64);
        let mut stream = made.stream;
        let places = stream.symbol_times() as u64;
        for _ in 0..random.below(30) {
            let upset = match random.below(7) {
                0 => Upset::Lose,
                1 => Upset::Double,
                2 => Upset::Slip,
                3 => Upset::LoseBlock,
                4 => Upset::DoubleBlock,
                5 => Upset::Header { bit: 0 },
                _ => Upset::Flip { bit: random.below(10) as usize },
            };
            stream = upset.strike(&stream, random.below(speed.width.lanes()) as usize, random.below(places) as usize);
        }
        match &mut stream.lanes {
            Lanes::Codes(rows) => rows.truncate(random.below(rows.len() as u64 + 1) as usize),
            Lanes::Bits(lanes) => {
                for lane in lanes.iter_mut().step_by(1 + number % 4) {
                    let mut short = Bits::default();
                    short.extend(lane, 0, random.below(lane.len() as u64 + 1) as usize);
                    *lane = short;
                }
            }
        }
        let sent = |found: &Sent| made.sent.iter().any(|(_, sent)| sent == found);
        receive(&stream, &mut |_: u64, event: Event<'_>| {
            if let Event::Tlp { sequence, bytes } = event {
                assert!(sent(&Sent::Tlp { sequence, bytes: bytes.to_vec(), nullified: false }), "{speed} {number}");
            }
        });
    }
}
