//! Do bulk transfers move what packets and microframes of USB 2.0 allow, by their length and their controller?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod common;

use sim::Outcome;
use system::{Description, Point, Scenario};

const MACHINE: &str = "
title: one controller
parts:
  host: { part: generic/gen3-host, slots: { pcie: gen2 x1 }, notice: interrupt, interrupt_latency: 4 us,
          command_cost: 2 us, call_cost: 2 us }
  usb: { kind: usb2-bulk, ports: { pcie: gen2 x1 }, bars: 64 KiB }
links: [host.pcie - usb.pcie]
experiments:
  work:
    { operation: bulk-in, drive: software, flows: [usb -> host], command: 64 KiB, volume: 16 MiB, max_commands: 1000,
      measures: [throughput_per_flow], axes: { op: { in: { operation: bulk-in }, out: { operation: bulk-out } },
      controller: { set: usb.controller, values: [ehci, xhci] }, size: [64 KiB], queue_depth: [1] } }
";

fn scenario(point: &[(&str, &str)], settings: &[&str]) -> Scenario {
    common::scenario(MACHINE, point, settings)
}

fn ran(scenario: &Scenario) -> Outcome {
    sim::run(scenario, &sim::Options::default()).unwrap()
}

/// The rate of the flow in MB/s, simulated and as its limit, and what limits it.
fn both(point: &[(&str, &str)], settings: &[&str]) -> (f64, f64, String) {
    let scenario = scenario(point, settings);
    let rate = ran(&scenario).flows[0].stream.unwrap().as_mb_per_s();
    let limit = limit::limit(&scenario).together.remove(0);
    (rate, limit.stream.as_mb_per_s(), limit.bottleneck.to_string())
}

#[test]
fn is_the_plateau_that_of_whole_packets_in_each_microframe() {
    for controller in ["ehci", "xhci"] {
        for op in ["in", "out"] {
            // 13 x 512 B x 8000; 10 of 13 packets; 0.8 of the microframes.
            for (reserve, most) in [("nothing", 53.248), ("microframe", 40.96), ("frames", 0.8 * 53.248)] {
                let set = format!("usb.reserve={reserve}");
                let point = [("op", op), ("controller", controller), ("queue_depth", "8")];
                let (rate, limit, by) = both(&point, &[&set]);
                assert!((rate / most - 1.0).abs() < 0.005, "{controller} {op} {reserve}: {rate} MB/s of {most}");
                assert!(rate < limit * 1.004 && rate > 0.97 * limit, "{controller} {op} {reserve}: {rate} of {limit}");
                assert!(by.contains("USB bus"), "{by}");
            }
        }
    }
}

#[test]
fn is_a_transfer_to_an_ehci_a_number_of_microframes() {
    // The interrupt comes with a microframe. 4 us, twice 2 us, 10 us at most until the controller looks and 1.5 us for what
    // it fetches: 11 packets of 9.45 us fit into the rest, then 13 into each microframe.
    for (size, microframes) in [
        ("1 B", 1),
        ("512 B", 1),
        ("4 KiB", 1),
        ("16 KiB", 3),
        ("64 KiB", 10),
        ("256 KiB", 40),
        ("1 MiB", 158),
        ("4 MiB", 631),
    ] {
        let bytes: f64 = system::field::FieldType::parse(size).map(|bytes: pcie::Bytes| bytes.0 as f64).unwrap();
        let hand = bytes / (f64::from(microframes) * 125e-6) / 1e6;
        for op in ["in", "out"] {
            let volume = format!("experiments.work.volume={} B", (16 << 20).max((bytes * 12.0) as u64));
            let (rate, limit, by) = both(&[("op", op), ("controller", "ehci"), ("size", size)], &[&volume]);
            println!("ehci {op} {size}: {rate:.3} MB/s, by hand {hand:.3}, limit {limit:.3} ({by})");
            assert!((rate / hand - 1.0).abs() < 0.01, "{op} {size}: {rate} MB/s, by hand {hand}");
            assert!(rate < limit * 1.004 && rate > 0.97 * limit, "{op} {size}: {rate} of {limit} MB/s ({by})");
        }
    }
}

/// MB/s of transfers of `bytes` one after the other, with `outside` microseconds from the last packet of one to the first
/// of the next: counted packet by packet, in byte times of 480 Mb/s.
fn counted(bytes: u64, outside: f64, least: f64) -> f64 {
    let (microframe, outside, least) = (7500.0, outside * 60.0, least * 60.0);
    let (mut now, mut begun, transfers) = (0.0_f64, 0.0, 200);
    for _ in 0..transfers {
        let mut left = bytes;
        while left > 0 {
            let packet = left.min(512);
            let time = packet as f64 + 55.0;
            let end = ((now / microframe).floor() + 1.0) * microframe;
            now = if now + time > end { end + time } else { now + time };
            left -= packet;
        }
        now = (now + outside).max(begun + least);
        begun = now;
    }
    transfers as f64 * bytes as f64 / (now / 60.0)
}

#[test]
fn is_a_transfer_to_an_xhci_its_packets_and_what_software_takes() {
    // 4 us and twice 2 us; 0.8 us for doorbell and TRB (0.2 + 0.25 at memory + 0.2, and links). What comes in is 1.4 us on
    // its way from the last packet (0.2, and 512 B in TLPs of 128 B at 500 MB/s), and event and message 0.2 us more. What goes
    // out is 2.0 us on its way before the first packet; the event leaves 0.7 us after the last one, with 0.2 us on links.
    for size in ["512 B", "2 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB"] {
        let bytes = system::field::FieldType::parse(size).map(|bytes: pcie::Bytes| bytes.0).unwrap();
        for op in ["in", "out"] {
            let outside = if op == "in" { 4.0 + 4.0 + 0.8 + 1.6 } else { 4.0 + 4.0 + 0.8 + 2.0 + 0.9 };
            let hand = counted(bytes, outside, 40.0);
            let volume = format!("experiments.work.volume={} B", (16 << 20).max(bytes * 12));
            let (rate, limit, by) = both(&[("op", op), ("controller", "xhci"), ("size", size)], &[&volume]);
            println!("xhci {op} {size}: {rate:.3} MB/s, by hand {hand:.3}, limit {limit:.3} ({by})");
            assert!((rate / hand - 1.0).abs() < 0.01, "{op} {size}: {rate} MB/s, by hand {hand}");
            // Where each transfer meets the end of a microframe depends on those before it; the limit takes the best place.
            assert!(rate < limit * 1.004 && rate > 0.91 * limit, "{op} {size}: {rate} of {limit} MB/s ({by})");
        }
    }
}

#[test]
fn is_a_transfer_of_any_length_as_many_packets_as_it_needs() {
    // 700 bytes are packets of 512 and 188; an empty packet takes 55 byte times.
    for (bytes, packets) in [(700, &[512.0, 188.0][..]), (512, &[512.0, 0.0][..])] {
        let size = format!("{bytes} B");
        let point = [("op", "out"), ("controller", "xhci"), ("size", &size), ("queue_depth", "16")];
        let (rate, limit, by) =
            both(&point, &["usb.zero_packet=yes", "host.command_cost=100 ns", "host.call_cost=100 ns"]);
        // Packets one after the other, each in one microframe: counted over many microframes.
        let (mut now, transfers) = (0.0_f64, 5000);
        for _ in 0..transfers {
            for packet in packets {
                let (time, end) = (packet + 55.0, ((now / 7500.0).floor() + 1.0) * 7500.0);
                now = if now + time > end { end + time } else { now + time };
            }
        }
        let hand = f64::from(transfers) * f64::from(bytes) / (now / 60.0);
        assert!((rate / hand - 1.0).abs() < 0.01, "{bytes} B: {rate} MB/s, by hand {hand}, limit {limit} ({by})");
        assert!(rate < limit * 1.004 && rate > 0.97 * limit, "{bytes} B: {rate} of {limit} MB/s ({by})");
    }
}

#[test]
fn does_each_mechanism_have_its_share_of_the_budget_and_go_with_its_field() {
    let waits = |settings: &[&str], controller: &str, depth: &str| {
        let point = [("controller", controller), ("size", "64 KiB"), ("queue_depth", depth)];
        let outcome = ran(&scenario(&point, settings));
        let of = |words: &str| {
            let shares = system::Share::all().filter(|share| share.to_string().contains(words));
            shares.map(|share| outcome.flows[0].budget.of(share)).sum::<f64>()
        };
        let rate = outcome.flows[0].stream.unwrap().as_mb_per_s();
        (of("packets of the USB bus"), of("next USB microframe"), of("software"), rate)
    };
    let (bus, microframe, software, _) = waits(&[], "xhci", "8");
    assert!(bus > 0.6 && microframe > 0.003 && software < 0.02, "{bus} {microframe} {software}");
    let (_, kept, ..) = waits(&["usb.reserve=microframe"], "xhci", "8");
    assert!(kept > microframe + 0.1, "{kept} {microframe}");
    let (_, _, costly, slow) = waits(&["host.command_cost=500 us"], "xhci", "1");
    // 500 of 1740 us, of the 80 % that 8b/10b leaves.
    assert!((costly / (0.8 * 500.0 / 1740.0) - 1.0).abs() < 0.05 && slow < 0.8 * 53.248, "{costly} {slow} MB/s");
    // A device that is not ready for 1 ms; interrupts each 8 microframes.
    let (.., device) = waits(&["usb.device_latency=1 ms"], "xhci", "8");
    assert!((device / (65536.0 / 2250.0) - 1.0).abs() < 0.03, "{device} MB/s");
    let (.., seldom) = waits(&["usb.interrupt_threshold=8"], "ehci", "1");
    assert!((seldom / (65536.0 / 2000.0) - 1.0).abs() < 0.01, "{seldom} MB/s");
}

#[test]
fn is_what_a_controller_cannot_do_refused_with_what_would_be_right() {
    let _ = lanescope_storage::register();
    let text = |from: &str, to: &str| {
        let text = MACHINE.replace(from, to);
        let description = Description::from_text("usb.yaml", &text).map_err(|error| error.report())?;
        let work = description.experiment("work").map_err(|error| error.report())?;
        let scenario = description.scenario(work, &Point::default()).map_err(|error| error.report())?;
        sim::run(&scenario, &sim::Options::default()).map_err(|error| error.to_string())
    };
    for (from, to, told) in [
        ("drive: software", "drive: card", "drive: software"),
        ("notice: interrupt,", "notice: polling,", "notice: interrupt"),
        ("bars: 64 KiB", "bars: 64 KiB, buffer: 512 B", "buffer"),
        ("bars: 64 KiB", "bars: 64 KiB, bulk_percent: 5", "bulk_percent"),
        ("bars: 64 KiB", "bars: 64 KiB, interrupt_threshold: 3", "microframes"),
        ("command: 64 KiB,", "command: 128 KiB, queue_depth: 65535,", "queue_depth"),
        ("command: 64 KiB,", "command: 64 KiB, jobs: 2,", "one queue"),
        ("flows: [usb -> host]", "flows: [usb -> host, usb -> host]", "usb -> host"),
        ("operation: bulk-in, drive", "operation: disk-read, drive", "disk-read"),
    ] {
        let error = text(from, to).unwrap_err();
        assert!(error.contains(told), "{to}: {error}");
    }
}
