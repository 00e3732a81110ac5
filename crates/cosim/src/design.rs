//! The design around the engine in the FPGA: sources and sinks of its streams, the FIFOs between them, and the commands
//! of a card that drives itself.

use std::collections::VecDeque;

/// A stream into the engine: bytes of a flow, or of a FIFO.
#[derive(Clone, Debug)]
pub struct Source {
    /// Whose bytes.
    origin: u32,
    /// Bytes of a beat.
    width: usize,
    /// Bytes of a frame, and in all.
    frame: u64,
    volume: u64,
    offset: u64,
    beat: Option<Beat>,
}

/// A beat of a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beat {
    /// The data, from the lowest lane on.
    pub data: [u64; 2],
    /// How many count.
    pub bytes: usize,
    /// True for the last beat of a frame.
    pub last: bool,
}

impl Beat {
    /// A bit a byte.
    pub fn keep(self) -> u16 {
        ((1u32 << self.bytes) - 1) as u16
    }
    /// The valid bytes of a beat.
    pub fn bytes_of(data: [u64; 2], keep: u16) -> ([u8; 16], usize) {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&data[0].to_le_bytes());
        bytes[8..].copy_from_slice(&data[1].to_le_bytes());
        (bytes, keep.count_ones() as usize)
    }
}

impl Source {
    /// `volume` bytes of `origin` in frames of `frame` bytes.
    pub fn new(origin: u32, width: u64, frame: u64, volume: u64) -> Source {
        Source { origin, width: width as usize / 8, frame: frame.max(1), volume, offset: 0, beat: None }
    }

    /// The beat on the pins, from `fifo` where there is one.
    pub fn show(&mut self, fifo: Option<&mut Fifo>) -> Option<Beat> {
        if self.beat.is_none() {
            let left = (self.frame - self.offset % self.frame).min(self.volume - self.offset);
            let bytes = self.width.min(left as usize);
            let mut raw = [0u8; 16];
            match fifo {
                _ if bytes == 0 => return None,
                Some(fifo) => fifo.take(&mut raw[..bytes])?,
                None => {
                    for (byte, at) in raw[..bytes].iter_mut().zip(self.offset..) {
                        *byte = sim::parts::pattern(self.origin, at);
                    }
                }
            }
            let word = |at: usize| raw[at..at + 8].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            self.beat = Some(Beat { data: [word(0), word(8)], bytes, last: left as usize == bytes });
            self.offset += bytes as u64;
        }
        self.beat
    }

    /// The engine has taken the beat.
    pub fn taken(&mut self) {
        self.beat = None;
    }
}

/// A FIFO between two streams.
#[derive(Clone, Debug)]
pub struct Fifo {
    capacity: usize,
    bytes: VecDeque<u8>,
}

impl Fifo {
    /// A FIFO of `capacity` bytes.
    pub fn new(capacity: u64) -> Fifo {
        Fifo { capacity: capacity as usize, bytes: VecDeque::new() }
    }
    /// True where a beat of `width` bytes fits.
    pub fn has_room(&self, width: usize) -> bool {
        self.bytes.len() + width <= self.capacity
    }
    /// Takes a beat in.
    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }
    fn take(&mut self, to: &mut [u8]) -> Option<()> {
        if self.bytes.len() < to.len() {
            return None;
        }
        let count = to.len();
        for (to, byte) in to.iter_mut().zip(self.bytes.drain(..count)) {
            *to = byte;
        }
        Some(())
    }
}

/// Commands for the engine's port: a flow divided into commands, one after another.
#[derive(Clone, Debug)]
pub struct Commander {
    base: u64,
    /// Offsets wrap around after this many bytes.
    wrap: u64,
    /// The largest number of bytes of a command.
    most: u64,
    frame: u64,
    volume: u64,
    offset: u64,
}

/// One command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// Bus address.
    pub address: u64,
    /// Bytes.
    pub bytes: u32,
    /// True where a frame ends with the command.
    pub last: bool,
}

impl Commander {
    /// Commands for `volume` bytes in frames of `frame`, at the addresses from `base` on, wrapping around after `wrap`
    /// bytes.
    pub fn new(base: u64, wrap: u64, most: u64, frame: u64, volume: u64) -> Commander {
        let most = most.clamp(1, 1 << 23);
        Commander { base, wrap: wrap.max(1), most, frame: frame.max(1), volume, offset: 0 }
    }
    /// Bytes of the commands taken so far.
    pub fn offset(&self) -> u64 {
        self.offset
    }
    /// The command on the pins.
    pub fn offered(&self) -> Option<Command> {
        let in_frame = self.offset % self.frame;
        let left = (self.frame - in_frame).min(self.volume - self.offset);
        let at = self.offset % self.wrap;
        let bytes = self.most.min(left).min(self.wrap - at).min(self.most - in_frame % self.most);
        (bytes > 0).then_some(Command { address: self.base + at, bytes: bytes as u32, last: bytes == left })
    }
    /// The engine has taken the command.
    pub fn taken(&mut self) {
        if let Some(command) = self.offered() {
            self.offset += u64::from(command.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn do_commands_cover_every_byte_once_and_stay_in_their_window() {
        let mut commander = Commander::new(0x1000, 768, 256, 1000, 2000);
        let mut all = Vec::new();
        while let Some(command) = commander.offered() {
            commander.taken();
            all.push((command.address - 0x1000, command.bytes, command.last));
        }
        assert_eq!(all.iter().map(|c| c.1).sum::<u32>(), 2000);
        assert_eq!(all.iter().filter(|c| c.2).count(), 2, "two frames");
        assert!(all.iter().all(|c| c.0 + u64::from(c.1) <= 768 && c.1 <= 256), "{all:?}");
    }

    #[test]
    fn does_a_source_give_its_frames_beat_by_beat() {
        let mut source = Source::new(3, 64, 20, 40);
        let mut beats = Vec::new();
        while let Some(beat) = source.show(None) {
            source.taken();
            beats.push((beat.bytes, beat.last));
        }
        assert_eq!(beats, [(8, false), (8, false), (4, true)].repeat(2));
    }

    #[test]
    fn does_a_source_behind_a_fifo_wait_for_a_whole_beat() {
        let mut source = Source::new(3, 64, 16, 16);
        let mut fifo = Fifo::new(16);
        fifo.put(&[1; 7]);
        assert_eq!(source.show(Some(&mut fifo)), None);
        fifo.put(&[2; 1]);
        assert_eq!(source.show(Some(&mut fifo)).unwrap().data[0], 0x0201_0101_0101_0101);
    }
}
