//! What does a receiver lose to one error of the line, what does it see, and where is it back in step?
//!
//! A stream of 200 packets, then training, then packets again. Every symbol of the 200 is struck once with every kind of error.
//! `docs/coding.md` has the table that this prints (`--nocapture`); it is held against what is measured.
#![allow(clippy::panic, reason = "a test that cannot go on has failed")]

use lanescope_phy::coding::random::{self, Plan, Sent};
use lanescope_phy::coding::receive::receive;
use lanescope_phy::coding::{Event, Options, Set, Stream, Symptom, Transmitter, Upset};
use pcie::{Encoding, LinkSpeed};
use std::collections::BTreeMap;

const PACKETS: usize = 200;
const BEHIND: usize = 20;
/// Symbol times between SKP ordered sets: denser than real, so that the stream has many.
const SKP_INTERVAL: u64 = 150;

/// A stream, what it carries, and the symbol times of its 200 packets.
struct Sample {
    stream: Stream,
    sent: Vec<Sent>,
    /// By packet, the symbol time of its first symbol.
    starts: Vec<u64>,
    /// Where SKP ordered sets begin.
    skps: Vec<u64>,
    from: usize,
    to: usize,
}

fn sample(speed: LinkSpeed) -> Sample {
    let plan = Plan {
        speed,
        packets: PACKETS + BEHIND,
        skp_interval: SKP_INTERVAL,
        nullified: false,
        payload: 32,
        times: u64::MAX,
    };
    let sent: Vec<Sent> = random::make(&plan, 1).sent.into_iter().map(|(_, sent)| sent).collect();
    let options = Options { skp_interval: Some(SKP_INTERVAL), training: true };
    let mut transmitter = Transmitter::new(speed, options);
    let lanes = speed.width.lanes();
    let from = transmitter.training_times();
    let (mut to, mut starts) = (0, Vec::new());
    for (number, packet) in sent.iter().enumerate() {
        if number == PACKETS {
            transmitter.idle(transmitter.position() + 16 * lanes);
            to = from + transmitter.position() / lanes;
            transmitter.train();
        }
        // Some packets follow one another, some after idle.
        let gap = if number % 5 == 0 { 7 * lanes } else { 0 };
        let ready = transmitter.position() + gap;
        let Ok(at) = transmitter.send(ready, packet.as_packet()) else { panic!("{packet:?} is no packet") };
        starts.push(from + at / lanes);
    }
    transmitter.idle(transmitter.position() + 32 * lanes);
    let (stream, mut skps) = (transmitter.take(), Vec::new());
    receive(&stream, &mut |at: u64, event: Event<'_>| {
        if event == Event::Set(Set::Skp) {
            skps.push(at);
        }
    });
    Sample { stream, sent, starts, skps, from: from as usize, to: to as usize }
}

/// What one error did.
struct Done {
    /// By number of the packet.
    lost: Vec<usize>,
    symptoms: BTreeMap<Symptom, usize>,
    /// A packet was delivered that was not sent there.
    invented: bool,
}

fn strike(sample: &Sample, upset: Upset, lane: usize, place: usize) -> Done {
    let struck = upset.strike(&sample.stream, lane, place);
    let (mut next, mut lost, mut invented) = (0, Vec::new(), false);
    let mut symptoms = BTreeMap::new();
    let mut deliver = |found: Sent| {
        let ahead = sample.sent[next..].iter().position(|sent| *sent == found);
        match ahead {
            Some(ahead) => {
                lost.extend(next..next + ahead);
                next += ahead + 1;
            }
            None => invented = true,
        }
    };
    receive(&struck, &mut |_: u64, event: Event<'_>| match event {
        Event::Tlp { sequence, bytes } => deliver(Sent::Tlp { sequence, bytes: bytes.to_vec(), nullified: false }),
        Event::Dllp(bytes) => deliver(Sent::Dllp(bytes)),
        Event::Symptom(symptom) => *symptoms.entry(symptom).or_insert(0) += 1,
        Event::Set(_) | Event::Nullified => {}
    });
    lost.extend(next..sample.sent.len());
    Done { lost, symptoms, invented }
}

/// A row of the table. Where the receiver says that it is lost, all packets up to the training are; those are not counted in
/// `most`.
#[derive(Default)]
struct Row {
    strikes: usize,
    nothing: usize,
    one: usize,
    more: usize,
    most: usize,
    retrained: usize,
    symptoms: BTreeMap<Symptom, usize>,
}

impl Row {
    fn add(&mut self, done: &Done) {
        self.strikes += 1;
        for &symptom in done.symptoms.keys() {
            *self.symptoms.entry(symptom).or_insert(0) += 1;
        }
        if done.symptoms.contains_key(&Symptom::Lost) {
            self.retrained += 1;
            return;
        }
        self.most = self.most.max(done.lost.len());
        match done.lost.len() {
            0 => self.nothing += 1,
            1 => self.one += 1,
            _ => self.more += 1,
        }
    }

    fn text(&self) -> String {
        let percent = |part: usize| 100.0 * part as f64 / self.strikes as f64;
        let seen = self.symptoms.iter().filter(|(symptom, _)| **symptom != Symptom::Lost);
        let seen = seen.map(|(symptom, &count)| format!("{} {:.1}", symptom.word(), percent(count)));
        let [nothing, one, more, retrained] = [self.nothing, self.one, self.more, self.retrained].map(percent);
        format!(
            "{} | {nothing:.1} | {one:.1} | {more:.1} | {} | {retrained:.1} | {}",
            self.strikes,
            self.most,
            seen.collect::<Vec<_>>().join(", ")
        )
    }
}

fn upsets(encoding: Encoding, place: usize) -> Vec<Upset> {
    match encoding {
        Encoding::E8b10b => vec![Upset::Flip { bit: place * 7 % 10 }, Upset::Lose, Upset::Double],
        Encoding::E128b130b => vec![
            Upset::Flip { bit: place * 7 % 8 },
            Upset::Header { bit: place / 16 % 2 },
            Upset::Lose,
            Upset::Double,
            Upset::Slip,
            Upset::LoseBlock,
            Upset::DoubleBlock,
        ],
    }
}

#[test]
fn what_does_one_error_at_every_place_cost() {
    let (mut wrong, mut table) = (Vec::new(), Vec::new());
    for link in ["gen1 x1", "gen1 x4", "gen3 x1", "gen3 x4"] {
        let speed: LinkSpeed = match link.parse() {
            Ok(speed) => speed,
            Err(error) => panic!("{error}"),
        };
        let sample = sample(speed);
        let clean = strike(&sample, Upset::Flip { bit: 0 }, 0, usize::MAX / 4096);
        assert!(clean.lost.is_empty() && clean.symptoms.is_empty() && !clean.invented, "{link}");
        let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
        for place in sample.from..sample.to {
            let lane = place % sample.stream.width();
            for upset in upsets(speed.generation.encoding(), place) {
                let done = strike(&sample, upset, lane, place);
                // What ended before the symbol time, or the block, is not lost.
                let group = if speed.generation.encoding() == Encoding::E8b10b { place } else { place / 16 * 16 };
                let before = sample.starts.partition_point(|&start| start <= group as u64).saturating_sub(1);
                if done.lost.first().is_some_and(|&first| first < before) {
                    wrong.push(format!(
                        "{link} {upset:?} at {place} lost {:?}, {before} is the first that may be",
                        done.lost
                    ));
                }
                // At 8b/10b the next SKP ordered set ends what the error began.
                let skp = sample
                    .skps
                    .iter()
                    .find(|&&at| at > place as u64)
                    .filter(|_| speed.generation.encoding() == Encoding::E8b10b);
                let last = done.lost.last().map(|&last| sample.starts[last]);
                if skp.is_some_and(|&skp| last.is_some_and(|last| last > skp)) {
                    wrong.push(format!(
                        "{link} {upset:?} at {place} lost {:?}, of which one is behind the SKP at {skp:?}",
                        done.lost
                    ));
                }
                let behind = done.lost.iter().filter(|&&number| number >= PACKETS).count();
                if behind > 0 || done.invented {
                    wrong.push(format!(
                        "{link} {upset:?} lane {lane} at {place}: {behind} lost behind, invented {}",
                        done.invented
                    ));
                }
                if !done.lost.is_empty() && done.symptoms.is_empty() {
                    wrong.push(format!(
                        "{link} {upset:?} lane {lane} at {place} of {}..{}: nothing seen, lost {:?}",
                        sample.from, sample.to, done.lost
                    ));
                }
                rows.entry(upset.word()).or_default().add(&done);
            }
        }
        table.extend(rows.iter().map(|(word, row)| format!("| {speed} | {word} | {} |", row.text())));
    }
    wrong.sort();
    println!("{HEAD}\n{}", table.join("\n"));
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
    assert_eq!(written(), table, "docs/coding.md has on the left what is no longer so");
}

/// The first line of the table.
const HEAD: &str = "| link | error | strikes | nothing lost | one packet | more | most | training | seen |";

/// The rows of the table in `docs/coding.md`.
fn written() -> Vec<String> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/coding.md");
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let behind = text.lines().skip_while(|line| *line != HEAD).skip(2);
    behind.take_while(|line| line.starts_with('|')).map(String::from).collect()
}
