//! The engine's registers as software sees them: offsets in BAR 0, bits, descriptors and records. The page
//! `gateware/docs/ls_core.md` defines them, and `docs/driver.md` shows their use.

/// Identity: "LSCP", version in the upper half.
pub const IDENTITY: u64 = 0x000;
/// What [`IDENTITY`] holds in its lower half.
pub const LSCP: u32 = 0x5043_534c;
/// Width in bits 15:0, tags in bits 31:16.
pub const PARAMETERS: u64 = 0x008;
/// Faults; ones clear.
pub const FAULTS: u64 = 0x010;
/// The MSI-X table: 16 bytes a vector.
pub const MSIX_TABLE: u64 = 0x1000;

/// A host channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    /// Host to card.
    HostToCard,
    /// Card to host.
    CardToHost,
}

impl Channel {
    /// Where its registers begin.
    pub const fn base(self) -> u64 {
        match self {
            Channel::HostToCard => 0x100,
            Channel::CardToHost => 0x200,
        }
    }
    /// The MSI-X vector that the driver gives it.
    pub const fn vector(self) -> u64 {
        match self {
            Channel::HostToCard => 0,
            Channel::CardToHost => 1,
        }
    }
}

/// Offsets within a channel.
pub const CONTROL: u64 = 0x00;
/// Bus address of the descriptor ring.
pub const RING_BASE: u64 = 0x08;
/// Bus address of the record ring.
pub const RECORD_BASE: u64 = 0x10;
/// Index behind the last valid descriptor.
pub const TAIL: u64 = 0x18;
/// A descriptor by hand; the second word pushes it.
pub const PUSH: u64 = 0x20;
/// Bit 0 busy, bits 7:4 cause, bits 63:32 descriptors done.
pub const STATE: u64 = 0x40;

/// Bits of [`CONTROL`].
pub const ENABLE: u64 = 1 << 0;
/// Descriptors come from the ring.
pub const RING: u64 = 1 << 2;
/// Records are written.
pub const RECORDS: u64 = 1 << 3;

/// [`CONTROL`] of a channel: `every` descriptors a record, or after `cycles`.
pub const fn control(bits: u64, size_log2: u64, vector: u64, every: u64, cycles: u64) -> u64 {
    bits | size_log2 << 8 | vector << 12 | every << 16 | cycles << 32
}

/// Bytes of a descriptor, and of a record.
pub const ENTRY_BYTES: u64 = 16;
/// Descriptors that may be pushed and not done: what the engine's queue surely holds.
pub const MOST_PUSHED: u64 = 32;

/// A descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Bus address.
    pub address: u64,
    /// Bytes, below 2^24.
    pub bytes: u32,
    /// The first of a frame.
    pub first: bool,
    /// The frame is expected to end with it.
    pub last: bool,
    /// An interrupt follows its record.
    pub interrupt: bool,
}

impl Descriptor {
    /// As two words of 8 bytes.
    pub fn words(self) -> [u64; 2] {
        let flags = u64::from(self.first) | u64::from(self.last) << 1 | u64::from(self.interrupt) << 2;
        [self.address, u64::from(self.bytes) | flags << 32]
    }
}

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// True in the first round of the ring, false in the second, and so on.
    pub phase: bool,
    /// 0: ended well.
    pub cause: u8,
    /// Descriptors done since the channel was enabled.
    pub done: u32,
}

impl Record {
    /// From its two words.
    pub fn of(words: [u64; 2]) -> Record {
        Record { phase: words[0] & 1 == 1, cause: (words[0] >> 8) as u8 & 0xf, done: words[1] as u32 }
    }
}
