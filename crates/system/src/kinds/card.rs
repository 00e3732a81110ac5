//! A card with a DMA engine: an endpoint that reads and writes host memory and other cards.

use crate::field::{Cap, Count, Frequency};
use pcie::{Bytes, PayloadSize, Time};

crate::words! {
    /// How descriptors reach the card.
    pub enum Descriptors {
        /// Software writes each into the card before the doorbell.
        Pushed = "pushed",
        /// The card fetches them from a ring in host memory.
        Ring = "ring",
    }
}

crate::words! {
    /// The tag field widths of the standard.
    pub enum TagBits {
        /// 32 tags.
        Five = "5",
        /// 256 tags (Extended Tag).
        Eight = "8",
        /// 768 usable tags (10-Bit Tag).
        Ten = "10",
        /// 14-Bit Tag, where it is negotiated.
        Fourteen = "14",
    }
}

crate::words! {
    /// What the logic behind the vendor's block is.
    pub enum Gateware {
        /// Behaviour: the engine that the fields describe.
        None = "none",
        /// The DMA engine of `gateware/`, compiled, behind a block whose behaviour the fields describe.
        PcieDma = "pcie_dma",
    }
}

crate::words! {
    /// What stands at the ports of compiled gateware.
    pub enum Design {
        /// Sources, sinks and FIFOs: what the flows ask for.
        Streams = "streams",
        /// The ping-pong of `gateware/examples`: sends a beat, and times its way there and back.
        PingPong = "ping-pong",
    }
}

impl TagBits {
    /// What a requester and a completer have in common.
    pub fn min(self, other: TagBits) -> TagBits {
        if self.tags() <= other.tags() { self } else { other }
    }
    /// How many requests can be told apart (10 bit: the values that also look right to an 8-bit completer are
    /// left out, as the standard asks).
    pub fn tags(self) -> u64 {
        match self {
            TagBits::Five => 32,
            TagBits::Eight => 256,
            TagBits::Ten => 768,
            TagBits::Fourteen => 15_360,
        }
    }
}

crate::params! {
    /// An endpoint with a DMA engine.
    ///
    /// **A command** starts `command_latency` after its doorbell arrived (or after the last one ended, when the
    /// card starts its own). It is cut at multiples of `page_bytes`, a descriptor each. At the start of every
    /// page the engine waits `descriptor_wait`; with a ring it also needs the descriptor, `descriptor_bytes`
    /// fetched from host memory in reads of `ring_batch` descriptors, `ring_ahead` descriptors ahead of need.
    ///
    /// **Writes** leave as TLPs of `payload` bytes (MPS where it is `infinite`; never across 4 KiB), one every
    /// `ceil(payload / core_width) + idle_cycles` cycles of `core_clock` at most, while `fifo` has room for what
    /// the link has not taken yet. The first symbol is on the link `tx_latency` after the engine decided, a
    /// pipeline. What arrives is known to the engine `rx_latency` after its last symbol.
    ///
    /// **Reads** are requests of at most `read_request` bytes (MRRS bounds it; never across 4 KiB), as many in
    /// flight as `read_requests`, the tags and `completion_buffer` allow. A request is over, and its tag free,
    /// when its last completion has come through the core: completions stream through it one after another, from
    /// their first symbol on, in `ceil(payload / core_width) + idle_cycles` cycles each and no faster than they
    /// arrive; then `rx_latency`.
    ///
    /// **The end** of a command: for a write, when its last TLP has been handed to the link; for a read, when its
    /// last byte is there. The engine then sends a status write of `status_bytes` (posted: it pushes the data
    /// before it) where software drives it.
    ///
    /// **With `overlap`** the engine does not wait for the last descriptor of a pushed command, nor, driving itself, for the
    /// end of the command before: it decides the first TLP of a command `command_latency` after the last of that.
    ///
    /// **Loopback**: what is read goes through `fifo` back into writes; what finds the FIFO full waits in
    /// `completion_buffer`, if that is finite.
    ///
    /// **With `gateware`** the card is two parts: the vendor's block, of which `tx_latency`, `rx_latency` and `fifo`
    /// are told here, and the compiled engine, for which `core_clock`, `core_width`, `read_requests` and
    /// `completion_buffer` choose the build. The limit reads the fields all the same.
    pub struct CardParams {
        /// What the logic behind the vendor's block is.
        gateware: Gateware = Gateware::None,
        /// Read requests that the engine keeps in flight.
        read_requests: Count = Count(32); chosen,
        /// Width of the tag field that the function supports.
        tag_bits: TagBits = TagBits::Eight,
        /// Largest read request that the engine makes; MRRS bounds it as well.
        read_request: PayloadSize = PayloadSize::MAX; chosen,
        /// Space for completions that have been asked for and not been taken yet.
        completion_buffer: Cap<Bytes> = Cap::NONE,
        /// Payload of the engine's writes; `infinite` uses MPS.
        payload: Cap<Count> = Cap::NONE; chosen,
        /// From a decision of the engine to the first symbol on the link.
        tx_latency: Time = Time::ZERO,
        /// From the last symbol on the link to the engine.
        rx_latency: Time = Time::ZERO,
        /// From a doorbell at the engine to the first TLP decided.
        command_latency: Time = Time::ZERO,
        /// What the engine waits at the start of each page of a command.
        descriptor_wait: Time = Time::ZERO,
        /// What one descriptor covers at most.
        page_bytes: Bytes = Bytes(4096),
        /// How descriptors reach the card.
        descriptors: Descriptors = Descriptors::Pushed,
        /// Size of one descriptor.
        descriptor_bytes: Count = Count(16),
        /// Descriptors fetched with one read.
        ring_batch: Count = Count(16); chosen,
        /// Descriptors kept ahead of need.
        ring_ahead: Count = Count(32); chosen,
        /// True: the engine begins with a descriptor as soon as it has it, and with a command of its own while the one
        /// before is on its way. False: it waits for all descriptors of a command, and for the end of the one before.
        overlap: bool = false,
        /// What uses compiled gateware inside the FPGA.
        design: Design = Design::Streams,
        /// Clock of the core's datapath; `infinite` for one that never limits.
        core_clock: Cap<Frequency> = Cap::NONE,
        /// Bytes of payload a cycle.
        core_width: Bytes = Bytes(8),
        /// Cycles lost with each TLP that carries data.
        idle_cycles: u64 = 0,
        /// Buffer between the engine and the link, and of loopback.
        fifo: Bytes = Bytes(4096),
        /// Payload of the status write.
        status_bytes: Count = Count(4),
        /// From a read request at this card to its first completion, when others read from it.
        target_read_latency: Time = Time::ZERO,
        /// Largest completion that it gives; MPS bounds it as well.
        target_completion_bytes: Count = Count(128),
    }
}

impl CardParams {
    /// True where compiled gateware stands behind the vendor's block.
    pub fn is_compiled(&self) -> bool {
        self.gateware != Gateware::None
    }
    /// Core time of a TLP with `payload` bytes.
    pub fn core_time(&self, payload: u64) -> Time {
        let Cap(Some(Frequency(hertz))) = self.core_clock else {
            return Time::ZERO;
        };
        let cycles = payload.div_ceil(self.core_width.0.max(1)) + self.idle_cycles;
        Time::from_fs((cycles as u128 * 1_000_000_000_000_000 / hertz as u128) as u64)
    }
}
