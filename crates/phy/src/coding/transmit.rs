//! The transmitter: where packets, SKP ordered sets and idle go.
//!
//! Positions are symbols over all lanes since the end of training, in the order of striping: position `p` is on lane
//! `p mod lanes` in symbol time `p / lanes`. Sync headers take none.
//!
//! Its rules: a packet starts in lane 0, or on links wider than x4 in a lane that is a multiple of four where it follows the
//! packet before it without a gap (otherwise the rest of the symbol time is PAD at 8b/10b and idle at 128b/130b); at most one
//! TLP and one DLLP start in a symbol time; a SKP ordered set waits for the end of a packet, and packets for a SKP that is due.
//! (The receiver of OpenSPARC T2's model of a link, `pl_top.cpp`, at 8b/10b; PCI Express Technology, MindShare, Transmitter Framing
//! Requirements, at 128b/130b.)

mod blocks;
mod codes;

use crate::coding::ordered::Set;
use crate::coding::packet::{Packet, Unsendable};
use crate::coding::stream::{Lanes, Stream};
use crate::coding::token;
use blocks::Blocks;
use codes::Codes;
use pcie::timing::BLOCK_SYMBOLS;
use pcie::{Encoding, LinkSpeed};

/// What a transmitter is told besides its packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// Symbol times from one SKP ordered set to the next; `None` for no SKP.
    pub skp_interval: Option<u64>,
    /// Whether the stream begins with training, without which a receiver cannot find its way into it.
    pub training: bool,
}

/// Symbols sent since the end of training, by what they are. All but `tlps`, `dllps` and `skps` are symbols.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// TLPs.
    pub tlps: u64,
    /// Header, data and digest.
    pub tlp_bytes: u64,
    /// STP, sequence numbers, LCRC, END, EDB.
    pub framing: u64,
    /// DLLPs.
    pub dllps: u64,
    /// DLLPs with their framing.
    pub dllp_bytes: u64,
    /// SKP ordered sets, on all lanes at once.
    pub skps: u64,
    /// SKP ordered sets, EDS, and behind a packet what fills the symbol time or block before a SKP that is due.
    pub skp_bytes: u64,
    /// Between packets: idle and PAD.
    pub idle: u64,
    /// Training in the middle of the stream, with what fills the block before it.
    pub training: u64,
}

impl Tally {
    /// All symbols.
    pub fn sum(&self) -> u64 {
        self.tlp_bytes + self.framing + self.dllp_bytes + self.skp_bytes + self.idle + self.training
    }
}

/// How the lanes of a coding are written.
enum Line {
    Codes(Codes),
    Blocks(Blocks),
}

/// One direction's transmitter.
pub struct Transmitter {
    speed: LinkSpeed,
    lanes: u64,
    line: Line,
    position: u64,
    /// The last thing sent was a packet, and the next one may follow it in the same symbol time.
    abuts: bool,
    /// Interval and the next one, in positions.
    skp: Option<(u64, u64)>,
    /// Symbol times in which the last TLP and the last DLLP started.
    last_start: [Option<u64>; 2],
    tally: Tally,
}

impl Transmitter {
    /// A transmitter that has just trained.
    pub fn new(speed: LinkSpeed, options: Options) -> Transmitter {
        let lanes = speed.width.lanes();
        let line = match speed.generation.encoding() {
            Encoding::E8b10b => Line::Codes(Codes::new(speed)),
            Encoding::E128b130b => Line::Blocks(Blocks::new(speed)),
        };
        let least = match speed.generation.encoding() {
            Encoding::E8b10b => 2 * codes::SKP_SYMBOLS,
            Encoding::E128b130b => 2 * BLOCK_SYMBOLS + 1,
        };
        let skp = options.skp_interval.map(|interval| interval.max(least).saturating_mul(lanes));
        let mut transmitter = Transmitter {
            speed,
            lanes,
            line,
            position: 0,
            abuts: true,
            skp: skp.map(|interval| (interval, interval)),
            last_start: [None; 2],
            tally: Tally::default(),
        };
        if options.training {
            transmitter.train_line();
        }
        transmitter
    }

    /// The position behind what was sent last.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// What was sent since the end of training.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Sends a packet that is handed over at position `ready`, and gives the position of its first symbol.
    ///
    /// # Errors
    /// Bytes that are no TLP.
    pub fn send(&mut self, ready: u64, packet: Packet<'_>) -> Result<u64, Unsendable> {
        if let Packet::Tlp(tlp) = packet {
            tlp.check()?;
        }
        self.pass_skps(ready);
        let start = self.start(ready, packet);
        self.tally.idle += start - self.position;
        self.fill(start);
        let before = self.position;
        match packet {
            Packet::Tlp(tlp) => {
                self.position += match &mut self.line {
                    Line::Codes(line) => line.tlp(&tlp),
                    Line::Blocks(line) => line.tlp(&tlp),
                };
                self.tally.tlps += 1;
                self.tally.tlp_bytes += tlp.bytes.len() as u64;
                self.tally.framing += self.position - before - tlp.bytes.len() as u64;
            }
            Packet::Dllp(bytes) => {
                self.position += match &mut self.line {
                    Line::Codes(line) => line.dllp(bytes),
                    Line::Blocks(line) => line.dllp(bytes),
                };
                self.tally.dllps += 1;
                self.tally.dllp_bytes += self.position - before;
            }
        }
        self.abuts = true;
        Ok(start)
    }

    /// Idle, and the SKP ordered sets that are due, to the end of the symbol time or block of position `until`.
    pub fn idle(&mut self, until: u64) {
        self.pass_skps(until);
        let grid = match self.line {
            Line::Codes(_) => self.lanes,
            Line::Blocks(_) => self.lanes * BLOCK_SYMBOLS,
        };
        let end = until.max(self.position).next_multiple_of(grid);
        self.tally.idle += end - self.position;
        self.fill(end);
    }

    /// Ends the data stream and trains again, as a link does that goes through Recovery.
    pub fn train(&mut self) {
        let from = self.position;
        self.end_data();
        let before = self.line_times();
        self.train_line();
        self.position += (self.line_times() - before) * self.lanes;
        self.tally.training += self.position - from;
        self.abuts = true;
    }

    /// Sends an ordered set on all lanes, with what must end the data stream before it. At 128b/130b nothing but SKP may be
    /// followed by data without training.
    pub fn ordered(&mut self, set: Set) {
        let from = self.position;
        self.end_data();
        self.position += self.lanes
            * match &mut self.line {
                Line::Codes(line) => line.ordered(set),
                Line::Blocks(line) => line.ordered(set),
            };
        self.tally.training += self.position - from;
        self.abuts = true;
    }

    /// The lanes written since the last call. At 128b/130b whole blocks; [`Transmitter::idle`] before it ends the last one.
    pub fn take(&mut self) -> Stream {
        let lanes = match &mut self.line {
            Line::Codes(line) => Lanes::Codes(line.take()),
            Line::Blocks(line) => Lanes::Bits(line.take()),
        };
        Stream { speed: self.speed, lanes }
    }

    /// Forgets the lanes written so far and keeps their memory.
    pub fn clear(&mut self) {
        match &mut self.line {
            Line::Codes(line) => line.clear(),
            Line::Blocks(line) => line.clear(),
        }
    }

    /// Symbol times of training before position 0.
    pub fn training_times(&self) -> u64 {
        match &self.line {
            Line::Codes(line) => line.trained_at,
            Line::Blocks(line) => line.trained_at,
        }
    }

    fn line_times(&self) -> u64 {
        match &self.line {
            Line::Codes(line) => line.times,
            Line::Blocks(line) => line.times,
        }
    }

    fn train_line(&mut self) {
        match &mut self.line {
            Line::Codes(line) => line.train(),
            Line::Blocks(line) => line.train(),
        }
    }

    /// Puts the SKP ordered sets on the lanes that are due before a packet handed over at `ready` can start.
    fn pass_skps(&mut self, ready: u64) {
        while let Some((interval, due)) = self.skp.filter(|&(_, due)| due <= ready.max(self.position)) {
            let idles = due > self.position;
            self.tally.idle += due.saturating_sub(self.position);
            self.fill(due.max(self.position));
            let from = self.position;
            self.end_data();
            let filled = self.position - from - self.token_bytes();
            // On an idle link, what fills the block is idle too; behind a packet it waits for the SKP.
            self.tally.idle += if idles { filled } else { 0 };
            self.position += self.lanes
                * match &mut self.line {
                    Line::Codes(line) => line.ordered(Set::Skp),
                    Line::Blocks(line) => line.ordered(Set::Skp),
                };
            self.tally.skps += 1;
            self.tally.skp_bytes += self.position - from - if idles { filled } else { 0 };
            self.abuts = true;
            self.skp = Some((interval, due.saturating_add(interval)));
        }
    }

    /// Where a packet starts that is handed over at `ready`.
    fn start(&mut self, ready: u64, packet: Packet<'_>) -> u64 {
        let follows = self.abuts && ready <= self.position;
        let mut start = if follows { self.position } else { ready.max(self.position).next_multiple_of(self.lanes) };
        let last = &mut self.last_start[usize::from(matches!(packet, Packet::Dllp(_)))];
        if *last == Some(start / self.lanes) {
            start = (start / self.lanes + 1) * self.lanes;
        }
        *last = Some(start / self.lanes);
        start
    }

    /// Fills up to `end`, which is not before the position.
    fn fill(&mut self, end: u64) {
        if end == self.position {
            return;
        }
        match &mut self.line {
            Line::Codes(line) => line.fill(self.position, end),
            Line::Blocks(line) => line.fill((end - self.position) as usize),
        }
        self.position = end;
        self.abuts = end.is_multiple_of(self.lanes);
    }

    /// What must end the data stream before an ordered set.
    fn token_bytes(&self) -> u64 {
        match &self.line {
            Line::Codes(_) => 0,
            Line::Blocks(_) => token::EDS.len() as u64,
        }
    }

    /// Ends the symbol time, or with EDS the block, before an ordered set.
    fn end_data(&mut self) {
        match &self.line {
            Line::Codes(_) => self.fill(self.position.next_multiple_of(self.lanes)),
            Line::Blocks(_) => {
                let end = (self.position + token::EDS.len() as u64).next_multiple_of(self.lanes * BLOCK_SYMBOLS);
                self.fill(end - token::EDS.len() as u64);
                if let Line::Blocks(line) = &mut self.line {
                    line.put(&token::EDS);
                }
                self.position = end;
            }
        }
    }
}
