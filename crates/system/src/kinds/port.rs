//! The settings of a port, which every kind of part has.

use crate::cause::Wait;
use crate::field::{Cap, Count, Holds};
use crate::kinds::card::TagBits;
use pcie::{Bytes, Class, Credits, PayloadSize};

crate::words! {
    /// Where a port starts a TLP on the link.
    pub enum StartAlignment {
        /// As tight as the standard allows: lane 0, 4, 8, ...
        Standard = "standard",
        /// On multiples of eight bytes of the link (a 64-bit core).
        EightBytes = "8 B",
        /// In lane 0 only.
        LaneZero = "lane 0",
    }
}

impl StartAlignment {
    /// The alignment in bytes of a link of `lanes` lanes, for which the standard allows `standard` bytes.
    pub fn bytes(self, standard: u64, lanes: u64) -> u64 {
        match self {
            StartAlignment::Standard => standard,
            StartAlignment::EightBytes => standard.max(8),
            StartAlignment::LaneZero => standard.max(lanes),
        }
    }
}

crate::words! {
    /// When a port returns credits that it freed.
    pub enum UpdateFcHabit {
        /// As late as the standard's guideline allows: a timer starts with the first credit freed.
        Timer = "timer",
        /// At once, for every TLP that leaves the buffer.
        Each = "each",
    }
}

crate::params! {
    /// The settings of a part's ports. A port may have its own ([`Port::own`](crate::Port::own)).
    pub struct PortParams {
        /// The largest payload that the function supports (Max_Payload_Size Supported).
        mps: PayloadSize = PayloadSize::MIN; port settled,
        /// Width of the tag field that this part answers as a completer.
        completer_tag_bits: TagBits = TagBits::Eight; settled,
        /// Where this part's transmitters start a TLP.
        start_alignment: StartAlignment = StartAlignment::Standard; port word("standard"),
        /// Bytes that a transmitter leaves free after each TLP, where DLLPs may stand.
        tlp_gap: Bytes = Bytes(0); port less,
        /// Where not 0, a write is followed by `tlp_gap` only if it ends a command, or a block of this many bytes.
        gap_block: Bytes = Bytes(0); port more,
        /// TLPs received for each ACK sent, capped by the standard's timer.
        tlps_per_ack: Count = Count(1); port either waits(&[Wait::Replay]),
        /// When freed credits are returned.
        update_fc: UpdateFcHabit = UpdateFcHabit::Timer; port word("each") waits(&[Wait::Credits]),
        /// Posted header credits advertised.
        posted_headers: Cap<Count> = Cap::NONE; port more waits(&[Wait::Credits]),
        /// Posted data credits advertised (16 bytes each).
        posted_data: Cap<Count> = Cap::NONE; port holds(Holds::DataCredits) waits(&[Wait::Credits]),
        /// Non-posted header credits advertised.
        nonposted_headers: Cap<Count> = Cap::NONE; port more waits(&[Wait::Credits]),
        /// Completion header credits advertised.
        completion_headers: Cap<Count> = Cap::NONE; port more waits(&[Wait::Credits]),
        /// Completion data credits advertised (16 bytes each).
        completion_data: Cap<Count> = Cap::NONE; port holds(Holds::DataCredits) waits(&[Wait::Credits]),
        /// Bytes of TLPs (header, payload, LCRC, sequence number) that a transmitter keeps until they are acknowledged.
        replay_buffer: Cap<Bytes> = Cap::NONE; port holds(Holds::Tlps) waits(&[Wait::Replay]),
        /// Symbol times between SKP ordered sets; `infinite` takes the densest that the standard asks for.
        skp_interval: Cap<Count> = Cap::NONE; port more settled,
        /// False leaves SKP ordered sets out: for seeing what they cost.
        skp: bool = true; mechanism port,
        /// False leaves ACK and UpdateFC bytes off the wire: for seeing what they cost.
        dllps: bool = true; mechanism port,
    }
}

impl PortParams {
    /// The credits that a receiver of this part advertises for `class`.
    pub fn credits(&self, class: Class) -> Credits {
        let count = |cap: Cap<Count>| cap.0.map(|c| c.0 as u32);
        match class {
            Class::Posted => Credits { header: count(self.posted_headers), data: count(self.posted_data) },
            Class::NonPosted => Credits { header: count(self.nonposted_headers), data: None },
            Class::Completion => Credits { header: count(self.completion_headers), data: count(self.completion_data) },
        }
    }
}
