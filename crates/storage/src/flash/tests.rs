//! Do dies and channels take the times that their figures say?

use super::*;

fn figures() -> FlashFigures {
    FlashFigures {
        dies: 8,
        channels: 4,
        channel_rate: Rate(1e9),
        page: Bytes(4096),
        read_time: Time::from_us(50),
        program_time: Time::from_us(200),
        datapath: None,
        buffer: Bytes(1 << 20),
        cache: (Bytes(0), Time::ZERO),
        ahead: Bytes(0),
        collected: 0,
    }
}

/// Reads pages in order from time 0 on. Returns when each is in the controller.
fn read(pages: u64) -> Vec<Time> {
    let mut flash = Flash::new(figures());
    let (mut ends, mut there) = (Vec::new(), vec![Time::ZERO; pages as usize]);
    for page in 0..pages {
        let piece = Piece { command: page as u32, offset: 0, bytes: 4096 };
        ends.extend(flash.read(Time::ZERO, page * 4096, piece, Some(0)));
    }
    while let Some(first) = ends.iter().enumerate().min_by_key(|(_, end)| (end.at, end.die)).map(|(place, _)| place) {
        let end = ends.remove(first);
        let mut read = Vec::new();
        ends.extend(flash.ended(end, &mut read));
        read.iter().for_each(|&(piece, at)| there[piece.command as usize] = at);
    }
    there
}

#[test]
fn do_dies_read_side_by_side_and_channels_carry_one_after_another() {
    let page = Time::from_secs_f64(4096.0 / 1e9).unwrap_or_default();
    let there = read(9);
    assert_eq!(there[0], Time::from_us(50) + page);
    assert_eq!(there[3], there[0], "four channels");
    assert_eq!(there[4], there[0] + page, "the fifth die shares the channel of the first");
    assert_eq!(there[8], Time::from_us(100) + page, "the first die again");
}

#[test]
fn is_the_rate_of_reads_that_of_its_dies_or_of_its_channels() {
    let rate = figures().read_rate(4096).0;
    assert!((rate / (8.0 * 4096.0 / 50e-6) - 1.0).abs() < 1e-9, "{rate}");
    let narrow = FlashFigures { channel_rate: Rate(1e8), ..figures() };
    assert!((narrow.read_rate(4096).0 - 4e8).abs() < 1.0);
    let last = read(8000).into_iter().max().unwrap_or_default();
    assert!((8000.0 * 4096.0 / last.as_secs() / rate - 1.0).abs() < 0.01, "{last}");
}

#[test]
fn are_writes_as_fast_as_pages_are_programmed() {
    let mut flash = Flash::new(figures());
    let mut ends = flash.fill(Time::ZERO);
    assert!(!flash.reserve(4096), "it is full of what was written before");
    let (mut programmed, mut last) = (0, Time::ZERO);
    while programmed < 8000 {
        let first = ends.iter().enumerate().min_by_key(|(_, end)| (end.at, end.die)).map_or(0, |(place, _)| place);
        let end = ends.remove(first);
        (programmed, last) = (programmed + 1, end.at);
        ends.extend(flash.ended(end, &mut Vec::new()));
        assert!(flash.reserve(4096));
        flash.write(end.at, 4096, &mut ends);
    }
    let rate = 8000.0 * 4096.0 / last.as_secs();
    assert!((rate / figures().write_rate().0 - 1.0).abs() < 0.01, "{rate} {:?}", figures().write_rate());
}
