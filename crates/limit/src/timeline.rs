//! From the commands that were followed to the whole volume: when its data arrives, and at what rate.

use crate::plan::Plan;
use crate::tlps::Piece;

/// What following a flow showed, in femtoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// Payload bytes a femtosecond at the receiving end, end to end of TLPs.
    pub stream: f64,
    /// From the barrier to the last end seen.
    pub seen: f64,
}

/// The times of one command.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    /// The first TLP is through the receiving end, and its payload.
    pub first: (f64, u64),
    /// The last TLP's.
    pub last: f64,
    /// The end, as whoever starts the next command sees it.
    pub seen: f64,
    /// The last symbol of PIO has left.
    pub sent: f64,
    /// From its middle on, fs a byte: at the receiving end, and where it begins.
    pub slope: f64,
    /// The same where it begins.
    pub left_slope: f64,
    /// Bytes that were followed.
    pub bytes: u64,
}

impl Mark {
    /// Piece `i` is through (and had left); from the one before `middle` on the slopes are taken.
    pub fn note(&mut self, i: usize, middle: usize, (through, left): (f64, f64), piece: &Piece, from: &mut Middle) {
        let end = piece.offset + piece.bytes;
        if i == 0 {
            self.first = (through, piece.bytes);
        }
        if i + 1 == middle {
            *from = Middle { through, left, offset: end };
        }
        (self.last, self.bytes) = (through, self.bytes + piece.bytes);
        if i >= middle {
            let bytes = (end - from.offset) as f64;
            (self.slope, self.left_slope) = ((through - from.through) / bytes, (left - from.left) / bytes);
        }
    }
}

/// The piece about the middle of a command: when it was through, when it had left, and where it ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct Middle {
    through: f64,
    left: f64,
    offset: u64,
}

/// When each command's data arrives, those that were not followed included.
pub struct Timeline {
    marks: Vec<Mark>,
    commands: u64,
    bytes: f64,
    /// Pieces of a command.
    pieces: f64,
    /// From one command to the next, in the long run, as followed: at the receiving end, and as it is seen.
    cycle: f64,
    seen_cycle: f64,
    /// What a command takes longer than was followed of it, at both ends.
    more: f64,
    left_more: f64,
}

impl Timeline {
    /// From the marks of the first commands.
    pub fn new(plan: &Plan<'_>, marks: Vec<Mark>) -> Option<Timeline> {
        let (last, half) = (*marks.last()?, marks.len() / 2);
        let from = marks.get(half.saturating_sub(1)).filter(|_| marks.len() > 1);
        let cycle =
            |of: fn(&Mark) -> f64| from.map_or(0.0, |from| (of(&last) - of(from)) / (marks.len() - half) as f64);
        let (cycle, seen_cycle) = (cycle(|mark| mark.last), cycle(|mark| mark.seen));
        let bytes = plan.cut.bytes as f64;
        let rest = bytes - last.bytes as f64;
        let (more, left_more) = (rest * last.slope, rest * last.left_slope);
        Some(Timeline {
            marks,
            commands: plan.commands,
            bytes,
            pieces: plan.cut.count().max(1.0),
            cycle,
            seen_cycle,
            more,
            left_more,
        })
    }

    /// The mark of command `number`, on the time of the whole volume.
    fn mark(&self, number: u64) -> Option<Mark> {
        let followed = (self.marks.len() as u64).min(number + 1);
        let mut mark = *self.marks.get(followed as usize - 1)?;
        let (beyond, more) = ((number + 1 - followed) as f64, number as f64 * self.more);
        mark.first.0 += beyond * self.cycle + more;
        mark.last += beyond * self.cycle + more + self.more;
        let left = (number + 1) as f64 * self.left_more;
        mark.seen += beyond * self.seen_cycle + left;
        mark.sent += if mark.sent > 0.0 { beyond * self.seen_cycle + left } else { 0.0 };
        Some(mark)
    }

    /// When `share` of command `number`'s bytes are there.
    fn there(&self, number: u64, share: f64) -> Option<f64> {
        let mark = self.mark(number)?;
        let begun = mark.first.1 as f64 / self.bytes;
        let part = if begun < 1.0 { ((share - begun) / (1.0 - begun)).max(0.0) } else { 1.0 };
        Some(mark.first.0 + part * (mark.last - mark.first.0))
    }

    /// The rate behind the first tenth of the volume, as it is measured.
    pub fn run(&self) -> Option<Run> {
        let end = self.mark(self.commands - 1)?;
        let warm = self.commands as f64 / WARM_UP;
        // The window opens with the end of a whole piece.
        let share = 1.0 - (warm.ceil() - warm);
        let mut open = ((warm.ceil() - 1.0) as u64, (share * self.pieces - 1e-9).ceil() / self.pieces);
        let first = self.mark(0)?;
        let begun = first.first.1 as f64 / self.bytes;
        if open.0 == 0 {
            open.1 = open.1.max(begun);
        }
        let (mut left, mut span) =
            (self.commands as f64 - open.0 as f64 - open.1, end.last - self.there(open.0, open.1)?);
        if span <= 0.0 {
            (left, span) = (self.commands as f64, end.seen);
        }
        Some(Run { stream: left * self.bytes / span.max(1.0), seen: end.seen.max(end.sent) })
    }
}

/// The first tenth of a volume is not measured.
const WARM_UP: f64 = 10.0;
