//! A port of a controller with its drive: its commands, and what happens to them.

use super::device::Drive;
use super::face::PortPlace;
use super::params::{MOST_MEMBERS, SataParams};
use crate::faults::{Fate, Fates, Fault};
use pcie::Time;
use queues::Transfer;
use std::collections::VecDeque;
use system::Work;
use system::pattern::Order;

/// A command of a port.
#[derive(Clone, Debug, Default)]
pub(super) struct Command {
    /// Steps of fetching it that are left, and what has come of the present one.
    pub steps: VecDeque<(u64, u64)>,
    pub table: Vec<u8>,
    pub transfer: Option<Transfer>,
    /// When software gave it.
    pub came: Time,
    /// Bytes that have not moved.
    pub left: u64,
    /// Bytes that have not come from host memory, and those that have and wait for the rest of their FIS.
    pub coming: u64,
    pub gathered: u64,
    /// Bytes that have gone to the drives.
    pub gone: u64,
    pub fate: Fate,
}

/// A port with its drive.
pub(super) struct Port {
    pub place: PortPlace,
    /// One, or those of an array.
    pub drives: Vec<Drive>,
    /// By tag.
    pub commands: Vec<Command>,
    /// Tags that are in flight (AHCI).
    pub active: u32,
    /// Commands at the drive, and those that wait to go there, or for room in its cache.
    pub working: u64,
    pub waiting: VecDeque<u32>,
    pub for_room: VecDeque<u32>,
    /// Ends told.
    pub told: u32,
    pub before: Option<Before>,
    pub fates: Fates,
    /// True from a command on that is not answered: neither are those after it.
    pub is_silent: bool,
}

impl Port {
    /// A port with this number of tags, and what its drive was given before where it is written.
    pub fn new(params: &SataParams, place: PortPlace, tags: u64, before: Option<Before>) -> Port {
        Port {
            fates: match u64::from(place.port) == params.fault_port {
                true => Fates::new(params.fault, params.fault_after, params.fault_delay),
                false => Fates::new(Fault::Nothing, 0, Time::ZERO),
            },
            is_silent: false,
            place,
            drives: vec![Drive::new(params); params.members.0.clamp(1, MOST_MEMBERS) as usize],
            commands: vec![Command::default(); tags as usize],
            active: 0,
            working: 0,
            waiting: VecDeque::new(),
            for_room: VecDeque::new(),
            told: 0,
            before,
        }
    }

    /// Fills the caches of drives that are written with commands like those of the run. Returns of each piece the drive, its
    /// bytes, and when it is written.
    pub fn fill(&mut self, params: &SataParams, now: Time) -> Vec<(u32, u64, Time)> {
        let Some(Before { work, block }) = self.before else { return Vec::new() };
        let members = params.members.0.max(1);
        let (parts, piece) = params.split(block);
        let piece = if members > 1 { piece.min(params.chunk.0) } else { piece };
        // In order, up to where the run begins; elsewhere, at places that the run comes to last.
        let pieces = params.cache.0 / piece.max(1);
        let places = (0..pieces).map(|number| match work.order {
            Order::Sequential => (number * piece).wrapping_sub(pieces * piece),
            Order::Random => (work.start(block, u64::MAX - number / parts) + number % parts * piece) / members,
        });
        let each = (0..).zip(&mut self.drives).flat_map(|(member, drive)| {
            drive.fill(now, piece, places.clone()).into_iter().map(move |(bytes, at)| (member, bytes, at))
        });
        each.collect()
    }
}

/// What a drive that is written was given before the run: commands like those of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    /// Which blocks.
    pub work: Work,
    /// The length of a block.
    pub block: u64,
}

/// Something that happens at a time. Commands are port and tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// A drive of a port has written so many bytes of its cache.
    Written(u32, u32, u64),
    /// A command goes to its drive.
    Begin(u32, u32),
    /// The drive has a command.
    There(u32, u32),
    /// Data of a read, at this offset, can go over the SATA link: so many bytes.
    Ready(u32, u32, u64, u64),
    /// Data of a read, at this offset, has come over the SATA link: so many bytes.
    Came(u32, u32, u64, u64),
    /// A request for data, with this tag, is complete: so many bytes of a command.
    Data(u16, u32, u32, u64),
    /// Data of a write has gone over the SATA link.
    Gone(u32, u32, u64),
    /// A command has ended.
    End(u32, u32),
    /// A FIS of a drive, a member of a port, has passed its lane to the expander.
    Passed(u32, u32),
}

impl Event {
    /// Its port.
    pub fn port(self) -> u32 {
        match self {
            Event::Written(port, ..)
            | Event::Begin(port, ..)
            | Event::There(port, ..)
            | Event::Ready(port, ..)
            | Event::Came(port, ..)
            | Event::Data(_, port, ..)
            | Event::Gone(port, ..)
            | Event::Passed(port, ..)
            | Event::End(port, ..) => port,
        }
    }
}

/// A port and a tag as one number, and back.
pub(super) fn number(port: u32, tag: u32) -> u32 {
    port << 16 | tag
}
pub(super) fn of_number(number: u32) -> (u32, u32) {
    (number >> 16, number & 0xffff)
}
