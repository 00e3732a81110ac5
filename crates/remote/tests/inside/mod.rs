//! What this test program runs inside of the guest: the library of programs in Rust (`card`) over the driver. On this machine
//! nothing of it can run, so all of it is ignored here.

use card::{Abilities, Channel, Done, Frames, Memory, Note, Queue};
use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

const TO_CARD: &str = "/dev/lanescope0/h2c1";
const FROM_CARD: &str = "/dev/lanescope0/c2h1";
/// There where the card is behind an IOMMU.
const IOMMU: &str = "/sys/bus/pci/devices/0000:00:05.0/iommu_group";
const PATIENCE: Duration = Duration::from_secs(20);

fn allow(rings: bool) {
    let to = "/sys/module/lanescope/parameters/unsafe_rings";
    std::fs::write(to, if rings { "1" } else { "0" }).unwrap();
}

fn next(queue: &mut Queue) -> Done {
    let begun = Instant::now();
    loop {
        if let Some(done) = queue.poll().unwrap() {
            return done;
        }
        assert!(begun.elapsed() < PATIENCE, "nothing is done");
    }
}

/// A frame there and back, its bytes compared.
fn trip(to_card: (&mut Queue, Memory), from_card: (&mut Queue, Memory), bytes: usize, name: u64) {
    let ((to_card, out), (from_card, back)) = (to_card, from_card);
    let frame: Vec<u8> = (0..bytes).map(|at| (at as u64 * 7 + name) as u8).collect();
    to_card.write(out, 100, &frame).unwrap();
    from_card.put(back, 1, bytes, name, false).unwrap();
    from_card.submit();
    to_card.put(out, 100, bytes, name, true).unwrap();
    to_card.submit();
    let mut came = 0;
    loop {
        let done = next(from_card);
        assert_eq!((done.name, done.cause, done.frame_end), (name, None, done.last));
        came += done.bytes;
        if done.last {
            break;
        }
    }
    to_card.wait().unwrap();
    while !next(to_card).last {}
    let mut read = vec![0; bytes];
    from_card.read(back, 1, &mut read).unwrap();
    assert!(came == bytes && read == frame, "{came} of {bytes} bytes came, or others");
}

#[test]
#[ignore = "runs inside of the guest"]
fn inside_does_the_library_move_frames_in_ring_mode() {
    if std::fs::exists(IOMMU).unwrap() {
        assert!(frames_go_round());
    } else {
        let refused = Queue::open(TO_CARD, 1, 0).unwrap_err();
        assert_eq!(refused.to_string(), format!("ring mode of {TO_CARD} is refused"));
    }
    allow(true);
    assert!(!frames_go_round());
    allow(false);
    let (mut to_card, mut from_card) = (Channel::open(TO_CARD).unwrap(), Channel::open(FROM_CARD).unwrap());
    to_card.write_all(&[5; 1000]).unwrap();
    let mut frame = [0; 1000];
    from_card.read_exact(&mut frame).unwrap();
    assert_eq!(frame, [5; 1000]);
    let known = Abilities::RING | Abilities::UNPIN | Abilities::MODERATE;
    assert!(to_card.info().unwrap().abilities().have(known));
    to_card.moderate(7, 70).unwrap();
    let info = to_card.info().unwrap();
    assert_eq!((info.every, info.cycles), (7, 70));
    to_card.moderate(64, 500).unwrap();
}

/// Frames in ring mode; whether that was bounded.
fn frames_go_round() -> bool {
    let mut to_card = Queue::open(TO_CARD, 16, 200).unwrap();
    let mut from_card = Queue::open(FROM_CARD, 1, 0).unwrap();
    let busy = Channel::open(TO_CARD).unwrap().write(&[0]).unwrap_err();
    assert_eq!(busy.kind(), ErrorKind::ResourceBusy);
    let (out, back) = (to_card.memory(1 << 18).unwrap(), from_card.memory(1 << 18).unwrap());
    for (round, bytes) in [1, 2, 63, 64, 4096, 5000, 100_000].into_iter().cycle().take(28).enumerate() {
        trip((&mut to_card, out), (&mut from_card, back), bytes, round as u64);
    }
    assert!(!from_card.wait_for(Duration::from_millis(50)).unwrap() && !from_card.arm().unwrap());
    let more = to_card.memory(4096).unwrap();
    to_card.remove(more).unwrap();
    assert!(to_card.remove(more).is_err() && to_card.put(more, 0, 1, 1, false).is_err());
    // Around the ring, with nobody who looks before it is full.
    while from_card.put(back, 0, 64, 99, false).is_ok() {}
    assert_eq!(from_card.room(), 0);
    assert_eq!(to_card.is_bounded(), from_card.is_bounded());
    to_card.is_bounded()
}

/// Both guests have kernels without P2PDMA; `make soak-driver` has one with it.
#[test]
#[ignore = "runs inside of the guest"]
fn inside_is_a_window_refused_and_a_file_that_is_no_buffer() {
    let (to_card, from_card) = (Channel::open(TO_CARD).unwrap(), Channel::open(FROM_CARD).unwrap());
    let errno = |error: std::io::Error| error.raw_os_error();
    assert_eq!(errno(to_card.window().unwrap_err()), Some(95));
    assert_eq!(errno(from_card.window().unwrap_err()), Some(13));
    assert_eq!(errno(to_card.transfer(&from_card, 0, 1).unwrap_err()), Some(22));
    assert_eq!(to_card.transfer(std::io::stdin(), 0, 0).unwrap_err().raw_os_error(), Some(22));
}

#[test]
#[ignore = "runs inside of the guest"]
fn inside_does_a_reset_end_a_queue() {
    allow(true);
    let mut queue = Queue::open(FROM_CARD, 1, 0).unwrap();
    let memory = queue.memory(4096).unwrap();
    queue.put(memory, 0, 4096, 1, true).unwrap();
    queue.submit();
    std::fs::write("/sys/bus/pci/devices/0000:00:05.0/reset", "1").unwrap();
    let begun = Instant::now();
    let error = loop {
        match queue.poll() {
            Ok(_) => assert!(begun.elapsed() < PATIENCE, "the queue goes on"),
            Err(error) => break error,
        }
    };
    assert_eq!((error.raw_os_error(), queue.wait().unwrap_err().raw_os_error()), (Some(5), Some(5)));
    allow(false);
}

#[test]
#[ignore = "runs inside of the guest"]
fn inside_do_the_flags_of_frames_do_what_they_say() {
    let (mut to_card, mut from_card) = (Channel::open(TO_CARD).unwrap(), Channel::open(FROM_CARD).unwrap());
    assert_eq!(to_card.frames().unwrap(), Frames::NONE);
    assert_eq!(to_card.set_frames(Frames::FILL).unwrap_err().kind(), ErrorKind::InvalidInput);
    assert!(from_card.notes().is_err());
    from_card.set_frames(Frames::KEEP | Frames::REPORT).unwrap();
    assert_eq!(from_card.frames().unwrap(), Frames::KEEP | Frames::REPORT);
    let mut came = [0; 100];
    for (flags, bytes) in [(Frames::MORE, 3), (Frames::NONE, 4), (Frames::NONE, 5)] {
        to_card.set_frames(flags).unwrap();
        assert_eq!(to_card.write(&vec![bytes; bytes.into()]).unwrap(), usize::from(bytes));
    }
    assert_eq!(from_card.read(&mut came).unwrap(), 7);
    assert_eq!(came[..8], [3, 3, 3, 4, 4, 4, 4, 0]);
    assert_eq!(from_card.read(&mut came[..2]).unwrap(), 2);
    assert_eq!(from_card.read(&mut came).unwrap(), 3);
    let note = |bytes, frame_end: bool| Note { bytes, frames: frame_end.into(), frame_end };
    assert_eq!(from_card.notes().unwrap(), (vec![note(7, true), note(2, false), note(3, true)], 0));
}
