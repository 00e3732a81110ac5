//! How the data of a command is divided into TLPs.

use pcie::Shape;
use pcie::tlp::REQUEST_BOUNDARY_BYTES;
use std::cmp::Reverse;

/// The size of a TLP.
#[derive(Clone, Copy, Debug)]
pub struct Tlp {
    /// Header and data bytes, which give the size on a link.
    pub shape: Shape,
    /// Bytes of payload.
    pub payload: u64,
}

impl Tlp {
    /// A TLP with a header of `header` bytes and `payload` bytes.
    pub fn new(header: u64, payload: u64) -> Tlp {
        Tlp { shape: Shape::new(header, payload), payload }
    }
}

/// Commands longer than this are divided like a command of this length, repeated. The pattern of the pieces has
/// repeated by then.
const PATTERN_BYTES: u64 = 1 << 16;

/// A piece of a command that one TLP (or one request) moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Bytes from the start of the flow's buffer.
    pub offset: u64,
    /// Length in bytes.
    pub bytes: u64,
    /// True for the first piece of a page, which needs a descriptor.
    pub opens_page: bool,
    /// True for the last piece of what was divided.
    pub ends_command: bool,
}

/// Divides a command of `command` bytes, whose data begins at `start`: at addresses that are multiples of 4 KiB, at
/// multiples of `page` from its own start, and then into pieces of at most `most` bytes. With `aligned`, pieces end at
/// multiples of `most`.
pub fn cut(start: u64, command: u64, page: u64, most: u64, aligned: bool) -> impl Iterator<Item = Piece> {
    let (page, most) = (page.max(1), most.max(1));
    let mut done = 0;
    std::iter::from_fn(move || {
        if done >= command {
            return None;
        }
        let offset = start + done;
        let to_boundary = REQUEST_BOUNDARY_BYTES - offset % REQUEST_BOUNDARY_BYTES;
        let most = if aligned { most - offset % most } else { most };
        let bytes = most.min(to_boundary).min(page - done % page).min(command - done);
        let ends_command = done + bytes == command;
        let piece = Piece { offset, bytes, opens_page: done.is_multiple_of(page), ends_command };
        done += bytes;
        Some(piece)
    })
}

/// The parts, offset and length, of `bytes` at `offset` that end at multiples of `most` or at the end.
pub fn divided(offset: u64, bytes: u64, most: u64) -> impl Iterator<Item = (u64, u64)> {
    let (mut at, end, most) = (offset, offset + bytes, most.max(1));
    std::iter::from_fn(move || {
        let from = at;
        at = end.min((from / most).saturating_add(1).saturating_mul(most));
        (from < end).then_some((from, at - from))
    })
}

/// The pieces of a flow's commands on average. A pattern stands for a long command or for many short ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The pieces of one command on average, by size, largest first.
    pub sizes: Vec<(u64, f64)>,
    /// Pages of a command.
    pub pages: f64,
    /// Number of pieces of a command that begin at a 4 KiB boundary.
    pub entered: f64,
    /// Bytes of a command.
    pub bytes: u64,
}

impl Cut {
    /// The pieces of commands of `bytes`, which lie one after another in memory.
    pub fn of(bytes: u64, page: u64, most: u64, aligned: bool) -> Cut {
        let (mut sizes, mut entered): (Vec<(u64, f64)>, f64) = (Vec::new(), 0.0);
        for (piece, weight) in Cut::pieces(bytes, page, most, aligned) {
            count(&mut sizes, piece.bytes, weight);
            entered += if piece.offset.is_multiple_of(REQUEST_BOUNDARY_BYTES) { weight } else { 0.0 };
        }
        sizes.sort_by_key(|&(size, _)| Reverse(size));
        Cut { sizes, pages: bytes.div_ceil(page.max(1)) as f64, entered, bytes }
    }

    /// The pieces of the pattern, each with the mean number of such pieces in a command.
    pub fn pieces(bytes: u64, page: u64, most: u64, aligned: bool) -> impl Iterator<Item = (Piece, f64)> {
        let commands = if bytes > PATTERN_BYTES { 1 } else { (lcm(bytes, REQUEST_BOUNDARY_BYTES) / bytes).min(64) };
        Cut::of_commands(bytes, commands, page, most, aligned)
    }

    /// The same of a command that begins at a page, as all do.
    pub fn pieces_of_one(bytes: u64, page: u64, most: u64, aligned: bool) -> impl Iterator<Item = (Piece, f64)> {
        Cut::of_commands(bytes, 1, page, most, aligned)
    }

    fn of_commands(
        bytes: u64,
        commands: u64,
        page: u64,
        most: u64,
        aligned: bool,
    ) -> impl Iterator<Item = (Piece, f64)> {
        let covered = if bytes > PATTERN_BYTES { pattern(page).min(bytes) } else { bytes };
        let weight = bytes as f64 / covered as f64 / commands as f64;
        (0..commands).flat_map(move |k| cut(k * bytes, covered, page, most, aligned)).map(move |piece| (piece, weight))
    }

    /// The pieces of a command by their places, with the number of times that such a piece comes in a command.
    pub fn of_pieces(pieces: &[(Piece, f64)], page: u64, bytes: u64) -> Cut {
        let mut cut = Cut { sizes: Vec::new(), pages: bytes.div_ceil(page.max(1)) as f64, entered: 0.0, bytes };
        for (piece, weight) in pieces {
            count(&mut cut.sizes, piece.bytes, *weight);
            cut.entered += if piece.offset.is_multiple_of(REQUEST_BOUNDARY_BYTES) { *weight } else { 0.0 };
        }
        cut.sizes.sort_by_key(|&(size, _)| Reverse(size));
        cut
    }

    /// Number of pieces of a command.
    pub fn count(&self) -> f64 {
        self.sizes.iter().map(|&(_, n)| n).sum()
    }
}

/// A length after which the pieces repeat, exactly or nearly.
fn pattern(page: u64) -> u64 {
    let step = lcm(page.max(1), REQUEST_BOUNDARY_BYTES);
    step.min(PATTERN_BYTES)
}

fn lcm(a: u64, b: u64) -> u64 {
    fn gcd(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    (a / gcd(a, b)).saturating_mul(b)
}

/// Adds up the weights of equal sizes; largest size first.
pub fn tally(sizes: impl Iterator<Item = (u64, f64)>) -> Vec<(u64, f64)> {
    let mut all = Vec::new();
    sizes.for_each(|(size, weight)| count(&mut all, size, weight));
    all.sort_by_key(|&(size, _)| Reverse(size));
    all
}

/// Adds `weight` to that of `size`.
fn count(all: &mut Vec<(u64, f64)>, size: u64, weight: f64) {
    match all.iter_mut().find(|(s, _)| *s == size) {
        Some((_, sum)) => *sum += weight,
        None => all.push((size, weight)),
    }
}

/// The completions of a request of `bytes` at `offset`. Each ends at a multiple of `rcb` at most `most` bytes further,
/// or at the end of the request (Transaction Layer, Data Return for Read Requests).
pub fn completions(offset: u64, bytes: u64, rcb: u64, most: u64) -> impl Iterator<Item = u64> {
    let (mut at, end, rcb) = (offset, offset + bytes, rcb.max(1));
    std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let boundary = (at + most.max(1)) / rcb * rcb;
        let stop = if boundary > at { boundary } else { (at / rcb + 1) * rcb };
        let length = stop.min(end) - at;
        at += length;
        Some(length)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_cut_at_pages_and_its_last_tlp_is_shorter() {
        let sizes: Vec<u64> = cut(0, 4096 + 300, 4096, 128, false).map(|p| p.bytes).collect();
        assert_eq!(sizes[..32], [128; 32]);
        assert_eq!(sizes[32..], [128, 128, 44]);
        assert_eq!(cut(0, 300, 100, 64, false).map(|p| p.bytes).collect::<Vec<_>>(), [64, 36, 64, 36, 64, 36]);
        assert_eq!(cut(0, 300, 100, 64, false).filter(|p| p.opens_page).count(), 3);
    }

    #[test]
    fn the_pattern_of_a_long_command_stands_for_all_of_it() {
        let long = Cut::of(64 << 20, 4096, 96, false);
        let sum: f64 = long.sizes.iter().map(|&(s, n)| s as f64 * n).sum();
        assert_eq!(sum, (64 << 20) as f64);
        assert_eq!(long.pages, (64 << 8) as f64);
    }

    #[test]
    fn completions_end_at_multiples_of_the_rcb() {
        assert_eq!(completions(0, 512, 64, 128).collect::<Vec<_>>(), [128; 4]);
        assert_eq!(completions(100, 200, 64, 128).collect::<Vec<_>>(), [92, 108]);
        assert_eq!(completions(0, 200, 128, 192).collect::<Vec<_>>(), [128, 72]);
    }
}
