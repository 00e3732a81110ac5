//! The engine's registers as software sees them: offsets in BAR 0, bits, descriptors and records.
//! `gateware/docs/ls_core.md` defines them, and `docs/driver.md` shows their use.

/// Identity: "LSCP" in the lower half, the version in the upper half.
pub const IDENTITY: u64 = 0x000;
/// The lower half of [`IDENTITY`].
pub const LSCP: u32 = 0x5043_534c;
/// Width in bits 15:0, tags in bits 31:16.
pub const PARAMETERS: u64 = 0x008;
/// Faults; ones clear.
pub const FAULTS: u64 = 0x010;
/// The MSI-X table, 16 bytes for each vector.
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
    /// The offset of the channel's registers.
    pub const fn base(self) -> u64 {
        match self {
            Channel::HostToCard => 0x100,
            Channel::CardToHost => 0x200,
        }
    }
    /// The MSI-X vector that the driver assigns to it.
    pub const fn vector(self) -> u64 {
        match self {
            Channel::HostToCard => 0,
            Channel::CardToHost => 1,
        }
    }
}

/// Control register, offset within a channel.
pub const CONTROL: u64 = 0x00;
/// Bus address of the descriptor ring.
pub const RING_BASE: u64 = 0x08;
/// Bus address of the record ring.
pub const RECORD_BASE: u64 = 0x10;
/// Index after the last valid descriptor.
pub const TAIL: u64 = 0x18;
/// A descriptor written by hand; writing the second word submits it.
pub const PUSH: u64 = 0x20;
/// Bit 0 busy, bits 7:4 cause, bits 63:32 descriptors done.
pub const STATE: u64 = 0x40;

/// A bit of [`CONTROL`]: the channel is enabled.
pub const ENABLE: u64 = 1 << 0;
/// A bit of [`CONTROL`]: descriptors come from the ring.
pub const RING: u64 = 1 << 2;
/// A bit of [`CONTROL`]: records are written.
pub const RECORDS: u64 = 1 << 3;

/// [`CONTROL`] of a channel that writes a record after `every` descriptors or after `cycles`.
pub const fn control(bits: u64, size_log2: u64, vector: u64, every: u64, cycles: u64) -> u64 {
    bits | size_log2 << 8 | vector << 12 | every << 16 | cycles << 32
}

/// Bytes of a descriptor, and of a record.
pub const ENTRY_BYTES: u64 = 16;
/// The largest number of submitted descriptors that are not done: the engine's queue always has room for these.
pub const MOST_PUSHED: u64 = 32;

/// A descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Bus address.
    pub address: u64,
    /// Bytes, below 2^24.
    pub bytes: u32,
    /// True for the first descriptor of a frame.
    pub first: bool,
    /// True where the frame is expected to end with it.
    pub last: bool,
    /// True where an interrupt follows its record.
    pub interrupt: bool,
}

impl Descriptor {
    /// The descriptor as two words of 8 bytes.
    pub fn words(self) -> [u64; 2] {
        let flags = u64::from(self.first) | u64::from(self.last) << 1 | u64::from(self.interrupt) << 2;
        [self.address, u64::from(self.bytes) | flags << 32]
    }
}

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// The phase bit: true in the first round of the ring, and toggling with each round.
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
