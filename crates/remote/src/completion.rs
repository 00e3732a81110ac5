//! Completions of a read request of the engine.

use pcie::Bdf;
use pcie::tlp::{Header, Status};
use std::ops::Range;

/// A completion carries at most as much as this, and ends at a multiple of the Read Completion Boundary.
const CHUNK_BYTES: u64 = 256;

/// What a read request asks for.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub requester: Bdf,
    pub tag: u16,
    pub address: u64,
    pub bytes: u64,
}

impl Asked {
    /// The one completion of a request that is refused.
    pub fn refused(&self, status: Status) -> Header {
        self.completion(status, 0, self.bytes, 0)
    }

    /// The completions of one that is answered, each with its part of the data.
    pub fn answers(self) -> impl Iterator<Item = (Header, Range<usize>)> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let count = (CHUNK_BYTES - (self.address + at) % CHUNK_BYTES).min(self.bytes - at);
            let (begin, end) = (at, at + count);
            at = end;
            let header = self.completion(Status::Success, self.address + begin, self.bytes - begin, count);
            (count > 0).then_some((header, begin as usize..end as usize))
        })
    }

    fn completion(&self, status: Status, address: u64, remaining: u64, bytes: u64) -> Header {
        let lower_address = address as u8 & 0x7f;
        let Asked { requester, tag, .. } = *self;
        Header::Completion { completer: Bdf::default(), requester, tag, status, remaining, lower_address, bytes }
    }
}
