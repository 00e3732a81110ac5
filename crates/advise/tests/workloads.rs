//! Which drive carries which workload? The answer and the arithmetic that decides it were written before the code.
//!
//! Figures used: a SATA link carries 600 MB/s after 8b/10b, of which 8192 in 8208 bytes and 13.68 us in 13.98 us are data,
//! 585 MB/s. The disk moves 194 MB/s in order; elsewhere its arm moves first, 0.6 ms and 8/15 of 17.4 ms on average, and half
//! a turn of 8.33 ms passes: 14.05 ms. The SATA SSD reads 560 and writes 530 MB/s and answers 98,000 random reads a second.
//! NVMe: Gen3 reads 3.2 GB/s and at most 781,000 blocks of 4 KiB a second; Gen4 reads 6.5 and writes 3.5 GB/s; Gen5 reads 14
//! and writes 10 GB/s. A thread of software gives at most one command each 1.2 us.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use advise::{Advice, Ask, Verdict, Workload, advise};
use std::sync::atomic::AtomicBool;

fn advice(name: &str) -> Advice {
    let _ = storage::register();
    let workload = Workload::open(name).unwrap();
    let options =
        lab::sweep::RunOptions { threads: None, interrupted: &AtomicBool::new(false), step: &|| (), kinds: &[] };
    advise(&Ask::usual(workload).unwrap(), &options).unwrap()
}

/// The one that is advised, and the verdict on each.
fn chosen(advice: &Advice) -> &str {
    advice.choice().map_or("none", |choice| choice.candidate.name.as_str())
}

/// The headroom of a candidate before growth.
fn headroom(advice: &Advice, name: &str) -> f64 {
    advice.judged.iter().find(|judged| judged.candidate.name == name).unwrap().headroom
}

fn verdict(advice: &Advice, name: &str) -> Verdict {
    advice.judged.iter().find(|judged| judged.candidate.name == name).unwrap().verdict
}

/// Seconds that the only load of a workload takes.
fn load_time(advice: &Advice, name: &str) -> f64 {
    let judged = advice.judged.iter().find(|judged| judged.candidate.name == name).unwrap();
    judged.served.iter().find_map(|served| served.load_time).unwrap().as_secs()
}

fn about(found: f64, right: f64, within: f64) -> bool {
    (found / right - 1.0).abs() < within
}

#[test]
fn an_office_machine_is_told_that_sata_is_enough() {
    // Disk: 65536 B in 14.05 + 0.34 ms, 4.56 MB/s: 2 GB take 439 s; two in flight help nothing, there is one arm. Beside 2 MB/s,
    // 0.56 of that are left: 782 s.
    // SATA SSD: a command takes 80 us in the flash, and 112 us on its link; two in flight share the link, which carries no more
    // than 560 MB/s and with some 220 us for each of two no less than 400: 2 GB take 3.57 to 5 s, and 2 MB/s are nothing.
    let advice = advice("office");
    assert_eq!(chosen(&advice), "sata-ssd");
    assert!(about(load_time(&advice, "sata-disk"), 782.0, 0.1), "{}", load_time(&advice, "sata-disk"));
    let ssd = load_time(&advice, "sata-ssd");
    assert!((3.5..5.1).contains(&ssd), "{ssd}");
}

#[test]
fn one_stream_of_a_backup_is_carried_by_a_disk() {
    // 194 of 100 MB/s.
    let advice = advice("backup");
    assert_eq!(chosen(&advice), "sata-disk");
    assert!(about(headroom(&advice, "sata-disk"), 1.94, 0.03), "{}", headroom(&advice, "sata-disk"));
}

#[test]
fn sixteen_streams_move_the_arm_of_a_disk() {
    // Disk: 1 MiB in 14.05 + 5.40 ms, 53.9 MB/s of 96: 0.56. SATA SSD: 530 of 96: 5.5.
    let advice = advice("cameras");
    assert_eq!(chosen(&advice), "sata-ssd");
    assert!(about(headroom(&advice, "sata-disk"), 0.56, 0.1), "{}", headroom(&advice, "sata-disk"));
    assert!(about(headroom(&advice, "sata-ssd"), 5.5, 0.03), "{}", headroom(&advice, "sata-ssd"));
}

#[test]
fn one_uncompressed_film_is_more_than_sata_carries() {
    // SATA SSD 560 of 900 MB/s: 0.62. Two of them 1120: 1.24, enough now, and not when it grows by 1.5. NVMe Gen3: 3.56.
    let advice = advice("film");
    assert_eq!(chosen(&advice), "nvme-gen3");
    assert!(about(headroom(&advice, "sata-ssd"), 0.62, 0.03), "{}", headroom(&advice, "sata-ssd"));
    assert!(about(headroom(&advice, "nvme-gen3"), 3.56, 0.03), "{}", headroom(&advice, "nvme-gen3"));
    assert_eq!(verdict(&advice, "sata-ssd-2"), Verdict::UntilItGrows);
}

#[test]
fn four_films_are_more_than_gen3_carries() {
    // 3600 MB/s: Gen3 3200, 0.89; Gen4 6500, 1.81; four SATA SSDs 2240, 0.62.
    let advice = advice("films");
    assert_eq!(chosen(&advice), "nvme-gen4");
    for (name, right) in [("nvme-gen3", 0.89), ("nvme-gen4", 1.81), ("sata-ssd-4", 0.62)] {
        assert!(about(headroom(&advice, name), right, 0.04), "{name}: {}", headroom(&advice, name));
    }
}

#[test]
fn a_database_needs_a_drive_with_queues() {
    // 300,000 a second, 450,000 when it has grown: SATA SSD 98,000, 0.33. Gen3: its controller takes up 400,000 commands a second,
    // enough now, and not when it grows. Gen4: 900,000, and software 833,000; at 450,000 a fifth of the dies are busy.
    let advice = advice("database");
    assert_eq!(chosen(&advice), "nvme-gen4");
    assert_eq!(verdict(&advice, "nvme-gen3"), Verdict::UntilItGrows);
    assert!(about(headroom(&advice, "nvme-gen3"), 1.33, 0.03), "{}", headroom(&advice, "nvme-gen3"));
    assert!(about(headroom(&advice, "sata-ssd"), 0.33, 0.05), "{}", headroom(&advice, "sata-ssd"));
    let gen4 = &advice.judged.iter().find(|judged| judged.candidate.name == "nvme-gen4").unwrap().served[0];
    let in_flight = gen4.in_flight.unwrap();
    // Little: 450,000 a second of 72 to 140 us are 33 to 63 in flight, which is 64 of the powers of two.
    assert_eq!(in_flight, 64);
}

#[test]
fn a_game_loads_as_fast_as_its_drive() {
    // 50 GB: 89 s at 560 MB/s, 15.6 s at 3.2 GB/s, 7.7 s at 6.5 GB/s.
    let advice = advice("game");
    assert_eq!(chosen(&advice), "nvme-gen4");
    for (name, right) in [("sata-ssd", 89.0), ("nvme-gen3", 15.6), ("nvme-gen4", 7.7)] {
        assert!(about(load_time(&advice, name), right, 0.03), "{name}: {}", load_time(&advice, name));
    }
}

#[test]
fn a_fast_camera_needs_two_drives() {
    // Gen5 writes 10 of 12 GB/s: 0.83; two Gen4 7: 0.58; two Gen5 20: 1.67.
    let advice = advice("capture");
    assert_eq!(chosen(&advice), "nvme-gen5-2");
    for (name, right) in [("nvme-gen5", 0.83), ("nvme-gen4-2", 0.58), ("nvme-gen5-2", 1.67)] {
        assert!(about(headroom(&advice, name), right, 0.05), "{name}: {}", headroom(&advice, name));
    }
}
