//! Does a stripe give what equal shares give, and does each of its drives go into a slot that takes it? Small machines are drawn,
//! and every choice of their slots is counted by hand.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use advise::{Advice, Ask, Judged, Workload, advise};
use lab::DescribedMachine;
use std::sync::atomic::AtomicBool;
use system::Description;

/// With payloads of 128 bytes, a Memory Write of 4 DW with its framing and its share of DLLPs and SKP.
const PAYLOAD: f64 = 128.0 / (128.0 + 24.0) * 0.993;

/// Numbers that only the seed decides.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }
    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

fn asked(machine: &str, workload: &str) -> Result<Advice, lab::Error> {
    let _ = storage::register();
    let workload = Workload::from_text("workload.yaml", workload).unwrap();
    let machine = DescribedMachine::described("m", Description::from_text("m.yaml", machine).unwrap()).unwrap();
    let options =
        lab::sweep::RunOptions { threads: None, interrupted: &AtomicBool::new(false), step: &|| (), kinds: &[] };
    advise(&Ask::on(workload, machine), &options)
}

fn stripe(operation: &str, part: &str, drives: usize) -> String {
    format!(
        "streams: {{ s: {{ operation: {operation}, rate: 1 GB/s, block: 2 MiB, in_flight: 8 }} }}\n\
         candidates: {{ c: {{ part: {part}, drives: {drives} }} }}\n"
    )
}

/// MB/s of the lanes of a link after encoding.
fn lanes((generation, width): (usize, usize)) -> f64 {
    [250.0, 500.0, 984.6, 1969.2, 3938.5][generation - 1] * width as f64
}

/// A slot: its port, its link, and the number of the switch that it is at, if any.
type SlotOf = (String, (usize, usize), Option<usize>);

/// For each port of a switch above: its two ends, and the port above that one.
type Above = ((usize, usize), Option<usize>);

/// A host with slots of its own and up to two switches below it, one behind the other or side by side.
fn machine(draw: &mut Draw) -> (String, Vec<SlotOf>, Vec<Above>) {
    let link = |draw: &mut Draw| (draw.of(&[3, 4, 4, 5]), draw.of(&[1, 2, 4, 4]));
    let told = |(generation, width): (usize, usize)| format!("gen{generation} x{width}");
    let mut slots: Vec<SlotOf> = (0..1 + draw.below(3)).map(|n| (format!("host.p{n}"), link(draw), None)).collect();
    let mut ports: Vec<Vec<String>> =
        vec![slots.iter().map(|(name, able, _)| format!("{}: {}", &name[5..], told(*able))).collect()];
    let (mut above, mut links) = (Vec::new(), String::new());
    for number in 0..draw.below(3) {
        let up = link(draw);
        let parent = (number == 1 && draw.below(2) == 0).then_some(0);
        let parent_name = if parent.is_some() { "sw0" } else { "host" };
        ports[parent.map_or(0, |parent| parent + 1)].push(format!("d{number}: {}", told(up)));
        links += &format!("  - {parent_name}.d{number} - sw{number}.up\n");
        above.push((up, parent));
        let own: Vec<SlotOf> =
            (0..1 + draw.below(3)).map(|n| (format!("sw{number}.p{n}"), link(draw), Some(number))).collect();
        let up = std::iter::once(format!("up: {}", told(up)));
        ports.push(up.chain(own.iter().map(|(name, able, _)| format!("{}: {}", &name[4..], told(*able)))).collect());
        slots.extend(own);
    }
    let switches: String = (1..ports.len())
        .map(|n| format!("  sw{}: {{ kind: switch, ports: {{ {} }} }}\n", n - 1, ports[n].join(", ")))
        .collect();
    let links = if links.is_empty() { links } else { format!("links:\n{links}") };
    let text = format!(
        "parts:\n  host: {{ part: generic/gen5-host, slots: {{ {} }} }}\n{switches}{links}settings: {{ mps: 128 }}\n",
        ports[0].join(", ")
    );
    (text, slots, above)
}

/// What equal shares come to in these slots: every drive, every slot and every link above has a share for each drive below it.
fn by_hand(slots: &[&SlotOf], above: &[((usize, usize), Option<usize>)], drive: (usize, f64)) -> f64 {
    let (generation, media) = drive;
    let least = |(of, width): (usize, usize)| lanes((of.min(generation), width.min(4))) * PAYLOAD;
    let mut each = slots.iter().map(|slot| least(slot.1)).fold(media, f64::min);
    for (number, (up, _)) in above.iter().enumerate() {
        let is_below = |slot: &&&SlotOf| std::iter::successors(slot.2, |&at| above[at].1).any(|at| at == number);
        let below = slots.iter().filter(is_below).count();
        if below > 0 {
            each = each.min(lanes(*up) * PAYLOAD / below as f64);
        }
    }
    each * slots.len() as f64
}

/// All choices of `number` of the slots.
fn choices(slots: &[SlotOf], number: usize) -> Vec<Vec<&SlotOf>> {
    let sets = (0_u32..1 << slots.len()).filter(|set| set.count_ones() as usize == number);
    sets.map(|set| (0..slots.len()).filter(|n| set >> n & 1 == 1).map(|n| &slots[n]).collect()).collect()
}

#[test]
fn is_a_stripe_in_the_best_slots_and_as_fast_as_equal_shares_there() {
    let drives = [("ssd/gen3-nvme", (3, 3200.0)), ("ssd/gen4-nvme", (4, 6500.0)), ("ssd/gen5-nvme", (5, 14000.0))];
    let mut draw = Draw(46);
    for number in 0..8 {
        let (text, slots, above) = machine(&mut draw);
        let (part, drive) = draw.of(&drives);
        let drives = 1 + draw.below(slots.len().min(4));
        let advice = asked(&text, &stripe("read", part, drives)).unwrap();
        let judged = &advice.judged[0];
        let of = |slots: &[&SlotOf]| by_hand(slots, &above, drive);
        let best = choices(&slots, drives).iter().map(|slots| of(slots)).fold(0.0, f64::max);
        let taken: Vec<&SlotOf> =
            judged.slots.iter().map(|slot| slots.iter().find(|s| s.0 == slot.name).unwrap()).collect();
        let served = &judged.served[0];
        let (rate, limit) = (served.rate.as_mb_per_s(), served.limit.as_mb_per_s());
        let told = format!(
            "machine {number}: {drives} of {part}, {rate} of {limit}, by hand {} of {best}\n{text}",
            of(&taken)
        );
        assert!(of(&taken) > 0.98 * best, "not the best slots: {told}");
        assert!((limit / best - 1.0).abs() < 0.04, "the limit: {told}");
        assert!(rate < 1.02 * best && rate > 0.90 * best, "{told}");
    }
}

/// Where several have less than they ask for, the share of each is what is told, never the sum of what each could alone.
#[test]
fn does_a_stripe_that_writes_give_no_more_than_its_slowest_drive_alone_allows() {
    let mut draw = Draw(7);
    for number in 0..2 {
        let (text, slots, _) = machine(&mut draw);
        let two = slots.len().min(2);
        let pair = asked(&text, &stripe("write", "ssd/gen5-nvme", two)).unwrap();
        let one = asked(&text, &stripe("write", "ssd/gen5-nvme", 1)).unwrap();
        let rate = |judged: &Judged| judged.served[0].rate.0;
        // The slot of the second drive alone: a machine in which every other slot is gone is the same as its own row of `slots`.
        let alone =
            |slot: &str| one.slots.iter().find(|tried| tried.slot.name == slot).map(|tried| tried.headroom * 1e9);
        let slowest = pair.judged[0].slots.iter().filter_map(|slot| alone(&slot.name)).fold(f64::INFINITY, f64::min);
        assert!(
            rate(&pair.judged[0]) <= 1.03 * two as f64 * slowest,
            "machine {number}: {} of {slowest}\n{text}",
            rate(&pair.judged[0])
        );
    }
}

#[test]
fn does_a_drive_go_only_where_its_protocol_and_form_do() {
    let parts = [("ssd/gen4-nvme", 1), ("sata/ahci-ssd", 4), ("sata/sas-ssd", 8), ("sata/ahci-x1", 2)];
    // A port, and the parts that go in.
    let ports: [(&str, &[&str]); 12] = [
        ("sata", &["sata/ahci-ssd", "sata/ahci-x1"]),
        ("SATA_2", &["sata/ahci-ssd", "sata/ahci-x1"]),
        ("m2", &["ssd/gen4-nvme"]),
        ("m2_1", &["ssd/gen4-nvme"]),
        ("u2", &["ssd/gen4-nvme"]),
        ("nvme0", &["ssd/gen4-nvme"]),
        ("dmi", &[]),
        ("usb", &[]),
        ("wifi", &[]),
        ("pcie", &["ssd/gen4-nvme", "sata/ahci-ssd", "sata/sas-ssd", "sata/ahci-x1"]),
        ("gpu", &["ssd/gen4-nvme", "sata/ahci-ssd", "sata/sas-ssd", "sata/ahci-x1"]),
        ("x1", &["ssd/gen4-nvme", "sata/ahci-ssd", "sata/sas-ssd", "sata/ahci-x1"]),
    ];
    for (port, takes) in ports {
        let machine = format!("parts: {{ host: {{ part: generic/gen4-host, slots: {{ {port}: gen3 x4 }} }} }}\n");
        for (part, on_one) in parts {
            let workload = format!(
                "streams: {{ s: {{ rate: 1 MB/s, block: 64 KiB, in_flight: 1 }} }}\ncandidates: {{ c: {{ part: {part}, on_one: {on_one} }} }}\n"
            );
            let advice = asked(&machine, &workload).unwrap();
            assert_eq!(!advice.judged[0].slots.is_empty(), takes.contains(&part), "{part} in {port}");
            assert_eq!(advice.judged[0].fits, usize::from(takes.contains(&part)));
        }
    }
}

#[test]
fn is_a_candidate_that_cannot_be_told_what_is_wrong_with_it() {
    let machine = "parts: { host: { part: generic/gen4-host, slots: { sata: gen3 x4, a: gen4 x4 } } }\n";
    let complaint = |candidate: &str| {
        let workload = format!(
            "streams: {{ s: {{ rate: 1 MB/s, block: 64 KiB, in_flight: 1 }} }}\ncandidates: {{ c: {{ {candidate} }} }}\n"
        );
        asked(machine, &workload).map(|_| String::new()).unwrap_or_else(|error| error.to_string())
    };
    let sata = complaint("part: ssd/gen4-nvme, slot: sata");
    assert!(sata.contains("`ssd/gen4-nvme` does not go into a port named `sata`"), "{sata}");
    let four = complaint("part: ssd/gen4-nvme, drives: 4, on_one: 4");
    assert!(four.contains("4 drives on one `ssd/gen4-nvme`, which has 1"), "{four}");
    let eight = complaint("part: sata/ahci-ssd, drives: 8, on_one: 8");
    assert!(eight.contains("8 drives on one `sata/ahci-ssd`, which has 4"), "{eight}");
    assert!(complaint("part: host/none").contains("host/none"));
    assert_eq!(complaint("part: ssd/gen4-nvme, slot: m2"), "");
}
