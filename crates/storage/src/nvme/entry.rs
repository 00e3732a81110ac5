//! Submission and completion entries (NVM Express Base Specification, Common Command Format and Completion Queue Entry;
//! NVM Command Set Specification, Read and Write).

use super::params::{COMPLETION_BYTES, SUBMISSION_BYTES, list_bytes};
use crate::block::{BLOCK_BYTES, PAGE_BYTES};

/// Opcode of a read and of a write.
const READ: u8 = 0x02;
const WRITE: u8 = 0x01;
/// The data pointer is an SGL (PSDT, 01b).
const SGL: u8 = 0x40;

/// What a submission entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Submission {
    /// True for a read of the drive.
    pub reads: bool,
    /// Command identifier.
    pub identifier: u16,
    /// Its namespace, from 1.
    pub namespace: u32,
    /// True where the data pointer is an SGL descriptor.
    pub sgl: bool,
    /// Data pointer: the first page, and the second one or the list of all others. Of an SGL descriptor, the address alone.
    pub prp: [u64; 2],
    /// First byte on the drive.
    pub at: u64,
    /// Bytes to move.
    pub bytes: u64,
}

impl Submission {
    /// Bytes of its list of pages; 0 where it has none.
    pub fn list_bytes(&self) -> u64 {
        if self.sgl { 0 } else { list_bytes(self.prp[0] % PAGE_BYTES + self.bytes) }
    }

    /// Its 64 bytes.
    pub fn encode(&self) -> [u8; SUBMISSION_BYTES as usize] {
        let mut entry = [0; SUBMISSION_BYTES as usize];
        entry[0] = if self.reads { READ } else { WRITE };
        entry[2..4].copy_from_slice(&self.identifier.to_le_bytes());
        entry[1] = if self.sgl { SGL } else { 0 };
        entry[4..8].copy_from_slice(&self.namespace.to_le_bytes());
        entry[24..32].copy_from_slice(&self.prp[0].to_le_bytes());
        // An SGL Data Block descriptor has address, length and type 0.
        let second = if self.sgl { self.bytes } else { self.prp[1] };
        entry[32..40].copy_from_slice(&second.to_le_bytes());
        entry[40..48].copy_from_slice(&(self.at / BLOCK_BYTES).to_le_bytes());
        let blocks = (self.bytes / BLOCK_BYTES).saturating_sub(1) as u16;
        entry[48..50].copy_from_slice(&blocks.to_le_bytes());
        entry
    }

    /// What 64 bytes say; `None` for another command or another length.
    pub fn decode(entry: &[u8]) -> Option<Submission> {
        let word = |at: usize| Some(u64::from_le_bytes(entry.get(at..at + 8)?.try_into().ok()?));
        let half = |at: usize| Some(u16::from_le_bytes(entry.get(at..at + 2)?.try_into().ok()?));
        let reads = match *entry.first()? {
            READ => true,
            WRITE => false,
            _ => return None,
        };
        let sgl = *entry.get(1)? & SGL != 0;
        Some(Submission {
            reads,
            identifier: half(2)?,
            namespace: word(0).map(|word| (word >> 32) as u32)?,
            sgl,
            prp: [word(24)?, if sgl { 0 } else { word(32)? }],
            at: word(40)? * BLOCK_BYTES,
            bytes: (u64::from(half(48)?) + 1) * BLOCK_BYTES,
        })
    }
}

/// What a completion entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    /// Submission entries that the drive has fetched: the head of that queue.
    pub head: u16,
    /// The submission queue.
    pub queue: u16,
    /// Command identifier.
    pub identifier: u16,
    /// Changes with each pass of the queue.
    pub phase: bool,
    /// Status code; 0 for success.
    pub status: u8,
}

impl Completion {
    /// Its 16 bytes.
    pub fn encode(&self) -> [u8; COMPLETION_BYTES as usize] {
        let mut entry = [0; COMPLETION_BYTES as usize];
        entry[8..16].copy_from_slice(&self.word().to_le_bytes());
        entry
    }

    /// Its last 8 bytes as a word.
    fn word(&self) -> u64 {
        u64::from(self.head)
            | u64::from(self.queue) << 16
            | u64::from(self.identifier) << 32
            | u64::from(self.phase) << 48
            | u64::from(self.status) << 49
    }

    /// What its last 8 bytes say.
    pub fn decode(word: u64) -> Completion {
        Completion {
            head: word as u16,
            queue: (word >> 16) as u16,
            identifier: (word >> 32) as u16,
            phase: word >> 48 & 1 == 1,
            status: (word >> 49) as u8,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn do_entries_say_what_was_written() {
        let one = Submission {
            reads: true,
            identifier: 77,
            namespace: 3,
            sgl: false,
            prp: [0x1000, 0x2000],
            at: 512 * 1_000_000,
            bytes: 1 << 20,
        };
        let listed = Submission { sgl: true, prp: [0x1000, 0], ..one };
        assert_eq!(Submission::decode(&listed.encode()), Some(listed));
        assert_eq!(Submission::decode(&one.encode()), Some(one));
        let write = Submission { reads: false, bytes: 512, ..one };
        assert_eq!(Submission::decode(&write.encode()), Some(write));
        assert_eq!(Submission::decode(&[9; 64]), None, "no read and no write");
        let done = Completion { head: 5, queue: 2, identifier: 77, phase: true, status: 0x81 };
        let word = u64::from_le_bytes(done.encode()[8..].try_into().unwrap_or_default());
        assert_eq!(Completion::decode(word), done);
    }
}
