//! The design at the user's side of an instance: it gives the blocks of a flow as user commands, moves their data between the
//! streams and the memory port, and knows when the flow has ended.

use super::block::{beat, bytes_of};
use super::memory::{BETWEEN_BYTES, MemoryPort};
use crate::host_pins::{In, Out};
use pcie::Time;
use sim::parts::{PartContext, pattern};
use std::collections::VecDeque;
use system::Work;

/// Bytes of a block of the drive.
pub(super) const BLOCK_BYTES: u64 = 512;

/// The flow of an instance.
#[derive(Clone, Debug)]
pub(super) struct Stream {
    /// Its number.
    pub flow: u32,
    /// Whose bytes it carries.
    pub origin: u32,
    /// True where it reads the drive.
    pub reads: bool,
    /// Bytes of a user command, and how many there are.
    pub command: u64,
    pub commands: u64,
    /// How many are given at once, and where they begin on the drive.
    pub work: Work,
}

impl Stream {
    /// Where user command `number` begins on the drive.
    fn start(&self, number: u64) -> u64 {
        self.work.start(self.command, number)
    }
}

/// Bytes that the port has: moved through a stream, and in which user command.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    number: u64,
    offset: u64,
}

/// See the module.
#[derive(Debug)]
pub(super) struct User {
    pub stream: Stream,
    width: usize,
    /// When each user command that is not reported was given.
    given_at: VecDeque<Time>,
    given: u64,
    reported: u64,
    /// Where the data stream is.
    place: Place,
    /// Bytes of the stream that make no burst yet.
    partly: u64,
    /// Bursts under way: when each is done, and its bytes.
    bursts: VecDeque<(Time, u64)>,
    /// Bytes asked of the port, and of these the ones that are there and were not moved.
    asked: u64,
    there: u64,
    /// When the last burst of read data is in memory.
    stored: Time,
    /// The beat of write data that stands on the pins.
    beat: Option<[u64; 2]>,
    ended: bool,
}

impl User {
    /// The user of an instance with beats of `width` bytes.
    pub fn new(stream: Stream, width: usize) -> User {
        User {
            stream,
            width,
            given_at: VecDeque::new(),
            given: 0,
            reported: 0,
            place: Place::default(),
            partly: 0,
            bursts: VecDeque::new(),
            asked: 0,
            there: 0,
            stored: Time::ZERO,
            beat: None,
            ended: false,
        }
    }

    /// Puts command and streams of the edge at `now` on the pins.
    pub fn show(&mut self, now: Time, pins: &mut In, memory: &mut MemoryPort) {
        let Stream { reads, command, commands, ref work, .. } = self.stream;
        pins.cmd_valid = self.given < commands && self.given - self.reported < work.depth;
        pins.cmd_write = !reads;
        if pins.cmd_valid {
            pins.cmd_lba = self.stream.start(self.given) / BLOCK_BYTES;
            pins.cmd_blocks = (command / BLOCK_BYTES - 1) as u32;
            pins.cmd_tag = self.given as u16;
        }
        while self.bursts.front().is_some_and(|(done, _)| *done <= now) {
            let Some((_, bytes)) = self.bursts.pop_front() else { break };
            self.there += if reads { 0 } else { bytes };
        }
        if reads {
            pins.m_ready = self.bursts.len() as u64 * memory.burst + self.partly < BETWEEN_BYTES;
            return;
        }
        self.ask(now, memory);
        if self.beat.is_none() && self.there >= self.width as u64 {
            self.there -= self.width as u64;
            self.beat = Some(self.next_beat());
        }
        pins.s_valid = self.beat.is_some();
        pins.s_data = self.beat.unwrap_or_default();
    }

    /// Asks the port for the data of the user commands that were given.
    fn ask(&mut self, now: Time, memory: &mut MemoryPort) {
        let moved = self.place.number * self.stream.command + self.place.offset;
        let most = (self.given * self.stream.command).min(moved + BETWEEN_BYTES);
        while self.asked < most {
            let bytes = memory.burst.min(self.given * self.stream.command - self.asked);
            self.bursts.push_back((memory.read(now), bytes));
            self.asked += bytes;
        }
    }

    /// The next beat of what is written, and the place behind it.
    fn next_beat(&mut self) -> [u64; 2] {
        let at = self.stream.start(self.place.number) + self.place.offset;
        let mut raw = [0; 16];
        for (byte, at) in raw[..self.width].iter_mut().zip(at..) {
            *byte = pattern(self.stream.origin, at);
        }
        self.pass(self.width as u64);
        beat(&raw[..self.width])
    }

    /// `bytes` more have passed the stream.
    fn pass(&mut self, bytes: u64) {
        self.place.offset += bytes;
        if self.place.offset >= self.stream.command {
            self.place = Place { number: self.place.number + 1, offset: 0 };
        }
    }

    /// After the edge at `now`: what the host has taken and given. True where anything has moved; or what the host did wrong.
    pub fn taken(
        &mut self,
        context: &mut PartContext<'_>,
        (now, memory): (Time, &mut MemoryPort),
        (pins, out): (&In, &Out),
    ) -> Result<bool, String> {
        let mut moves = false;
        if pins.cmd_valid && out.cmd_ready {
            self.given_at.push_back(now);
            self.given += 1;
            moves = true;
        }
        if pins.s_valid && out.s_ready {
            self.beat = None;
            moves = true;
        }
        if out.m_valid && pins.m_ready {
            self.read(context, (now, memory), out)?;
            moves = true;
        }
        if out.done_valid {
            self.report(context, now, out)?;
            moves = true;
        }
        Ok(moves)
    }

    /// A beat of read data.
    fn read(
        &mut self,
        context: &mut PartContext<'_>,
        (now, memory): (Time, &mut MemoryPort),
        out: &Out,
    ) -> Result<(), String> {
        let Stream { flow, reads, command, .. } = self.stream;
        if out.m_error || !reads || self.place.number >= self.given {
            return Err(format!(
                "the host gives data that is wrong or that nobody asked for, of user command {}",
                self.place.number
            ));
        }
        let (raw, bytes) = bytes_of(out.m_data, out.m_keep);
        context.compare(flow, self.stream.start(self.place.number) + self.place.offset, &raw[..bytes]);
        let ends = self.place.offset + bytes as u64 == command;
        if ends != out.m_last {
            return Err(format!("the frame of user command {} has another length", self.place.number));
        }
        self.pass(bytes as u64);
        self.partly += bytes as u64;
        if self.partly >= memory.burst || ends {
            self.stored = memory.write(now);
            self.bursts.push_back((self.stored, self.partly));
            context.deliver(flow, self.partly, self.stored);
            self.partly = 0;
        }
        if ends && let Some(given) = self.given_at.pop_front() {
            context.timed(flow, self.stored - given);
            self.end(context, self.stored);
        }
        Ok(())
    }

    /// The report of a user command. That of a read comes with the beginning of its data.
    fn report(&mut self, context: &mut PartContext<'_>, now: Time, out: &Out) -> Result<(), String> {
        if out.done_why != 0 || out.done_tag != self.reported as u16 {
            return Err(format!(
                "user command {} ended with cause {} and status {:#x}, as the one with tag {}",
                self.reported, out.done_why, out.done_status, out.done_tag
            ));
        }
        self.reported += 1;
        if !self.stream.reads
            && let Some(given) = self.given_at.pop_front()
        {
            context.timed(self.stream.flow, now - given);
        }
        self.end(context, now);
        Ok(())
    }

    /// Ends the flow at `at` where all has moved and was reported.
    fn end(&mut self, context: &mut PartContext<'_>, at: Time) {
        let Stream { flow, commands, .. } = self.stream;
        if !self.ended && self.reported == commands && self.place.number == commands {
            self.ended = true;
            context.ended(flow, at);
        }
    }
}
