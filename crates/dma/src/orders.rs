//! What a channel is to do: where its data goes to or comes from, and in which pieces.

use sim::parts::{Exit, Region};
use system::{Drive, Pattern, Timed};

/// Where the data of a channel goes to or comes from, and in which pieces.
#[derive(Clone, Debug)]
pub struct Orders {
    pub flow: u32,
    pub exit: Exit,
    pub region: Region,
    /// Where commands lie in the region; `None` for one after another.
    pub pattern: Option<Pattern>,
    /// True where TLPs and requests end at multiples of their largest size.
    pub aligned: bool,
    /// Bytes of one command, and of all commands.
    pub command: u64,
    pub volume: u64,
    pub drive: Drive,
    /// Bytes that the engine is given at once: a command, one descriptor of it, or all commands.
    pub stride: u64,
    /// The address of the status write.
    pub status_address: u64,
    pub integrity: bool,
    /// Where its commands are given one by one and timed as a whole.
    pub timed: Timed,
}

impl Orders {
    /// The address of the byte at `offset` of the flow.
    pub fn address(&self, offset: u64) -> u64 {
        match &self.pattern {
            None => self.region.address(offset),
            Some(pattern) => self.place(pattern, offset),
        }
    }

    #[cold]
    fn place(&self, pattern: &Pattern, offset: u64) -> u64 {
        self.region.address(pattern.address(self.command, offset))
    }
}
