//! What a drive works on: commands, and what happens to them.

use super::entry::Submission;
use crate::faults::Fate;
use pcie::Time;

/// A command that the drive works on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub queue: u32,
    pub entry: Submission,
    /// When its entry arrived.
    pub came: Time,
    /// Reads of its list that have not been answered.
    pub lists: u32,
    /// Bytes that have not been moved.
    pub left: u64,
    pub fate: Fate,
}

/// Something that happens in the drive at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    /// A die has done what it did.
    Die(u32),
    /// The entry of a command is there, and names a list.
    List(u32),
    /// The entry of a command, and its list, are there and have been looked at.
    Begin(u32),
    /// A piece of its data, at this offset, is in the controller: so many bytes.
    Read(u32, u64, u64),
    /// A request for data of a command, of so many bytes, with this tag, is complete.
    Data(u16, u32, u64),
    /// All of its data has moved.
    Complete(u32),
    /// Completions of a queue have waited long enough for their interrupt.
    Interrupt(u32),
    /// The controller is ready, after it was enabled.
    Ready,
    /// An admin command, with this identifier, has ended.
    Admin(u16),
}

/// What the drive reads beside data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fetched {
    /// An admin command.
    Admin,
    /// Entries of a queue.
    Entries(u32),
    /// Part of the list of pages of a command.
    List {
        /// The command.
        command: u32,
        /// From which byte of the list on.
        at: u32,
    },
}
