//! A card with a DMA engine: an endpoint that reads and writes host memory and other cards.

use crate::cause::Wait;
use crate::field::{Cap, Count, Frequency, Holds};
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

crate::words! {
    /// When a write command has ended for the logic that gave it.
    pub enum WriteDone {
        /// All its TLPs wait for the link.
        HandedOver = "handed-over",
        /// The last symbol of its last TLP has left.
        Sent = "sent",
    }
}

impl TagBits {
    /// The smaller width, which both requester and completer support.
    pub fn min(self, other: TagBits) -> TagBits {
        if self.tags() <= other.tags() { self } else { other }
    }
    /// The number of tags. With 10 bits, values that look valid to a completer with 8-bit tags are excluded, as the
    /// standard requires.
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
    /// **A command** starts `command_latency` after its doorbell has arrived (or after the previous command has ended,
    /// where the card starts its own). It is divided at multiples of `page_bytes`, with one descriptor for each page.
    /// At the start of each page the engine waits `descriptor_wait`. With a ring it also needs the descriptor:
    /// `descriptor_bytes` each, fetched from host memory by reads of `ring_batch` descriptors, `ring_ahead` descriptors
    /// in advance.
    ///
    /// **Writes** leave as TLPs of `payload` bytes (MPS where it is `infinite`; never across 4 KiB). The engine decides
    /// at most one TLP in `ceil(payload / core_width) + idle_cycles` cycles of `core_clock`, as long as `fifo` has room
    /// for what has not left on the link. The first symbol is on the link `tx_latency` after the decision (pipelined).
    /// Received TLPs are known to the engine `rx_latency` after their last symbol.
    ///
    /// **Cycles**: fields that end in `_cycles` are cycles of the core's clock, in addition to the field of that name in
    /// time. With `clock_follows_link` that clock is what a datapath of `core_width` needs for what the trained link
    /// carries (after 8b/10b; without 128b/130b), and at least `core_clock` where that is finite.
    ///
    /// A write
    /// command keeps the engine for `write_command_time` and `write_quantum_time` for each begun `write_quantum` of its
    /// length: the next one is decided no sooner.
    ///
    /// **Reads** are requests of at most `read_request` bytes (and at most MRRS; never across 4 KiB). `read_requests`,
    /// the tags and `completion_buffer` limit how many are in flight. Completions pass the core one after another, from
    /// their first symbol on, in `ceil(payload / core_width) + idle_cycles` cycles each and not faster than they
    /// arrive. A request ends, and its tag is free, `rx_latency` after its last completion has passed the core.
    ///
    /// Requests are decided at least `read_request_time` apart, and the first ones of two commands at least
    /// `read_command_time` apart (`read_odd_time` where the length is no multiple of 4 bytes). With `aligned`, TLPs and requests also end at multiples of their largest size.
    ///
    /// **The end** of a command: for a write, when its last TLP has been given to the link; for a read, when its last
    /// byte has arrived. Where software drives the card, the engine then sends a status write of `status_bytes`. It is
    /// posted and so pushes the data before it.
    ///
    /// **With `overlap`** the engine does not wait for the last descriptor of a pushed command, and, where the card
    /// drives itself, not for the end of the previous command. It decides the first TLP of a command `command_latency`
    /// after the last TLP of the previous command.
    ///
    /// **With `in_turn`** the engine decides all TLPs or requests of a command of the first flow that reads, then those of
    /// a command of the first that writes, where it has both. What sends on what another flow has brought, as the writes
    /// of a loopback, takes no turns: its data decides when it goes.
    ///
    /// **Commands that are timed one by one** (`timed` of an experiment) are given when the one before has ended. The
    /// first request is decided `handover_latency` later. The end is told `read_done_latency` after the data is in the
    /// card's memory, which takes `read_store_latency`, and `read_quantum_time` for each begun `write_quantum`. A write
    /// is decided `handover_latency`, `write_fetch_latency` and the time of a write command after it was given. Its end
    /// is told `write_done_latency` after all its TLPs wait for the link, or after the last one has left
    /// (`write_done`). Commands that are `direct` have none of the engine's times.
    ///
    /// **With `ats`**, and an IOMMU at the host, each channel has a cache of `atc_entries` translated pages, those used
    /// last. It asks for the translations of the next `translation_requests` pages of its commands; what lies in a page
    /// that is not translated, and all after it, waits. Commands that are timed one by one and compiled gateware have
    /// none of this.
    ///
    /// **Read requests of others** (a CPU's loads, another card's reads) are known `rx_latency` after their last symbol.
    /// The first data of one is there `target_read_latency` later. Completions pass the core towards the link one after
    /// another, and their first symbol leaves `tx_latency` later.
    ///
    /// **Loopback**: data that was read passes `fifo` and is written back. Data that finds the FIFO full waits in
    /// `completion_buffer`, if that is finite.
    ///
    /// **With `gateware`** the card consists of two parts: the vendor's block, which `tx_latency`, `rx_latency` and
    /// `fifo` describe, and the compiled engine, whose build is chosen by `core_clock`, `core_width`, `read_requests`
    /// and `completion_buffer`. The limit reads the same fields.
    pub struct CardParams {
        /// What the logic behind the vendor's block is.
        gateware: Gateware = Gateware::None,
        /// Read requests that the engine keeps in flight.
        read_requests: Count = Count(32); chosen more of_build waits(&[Wait::Tags]),
        /// Width of the tag field that the function supports.
        tag_bits: TagBits = TagBits::Eight; settled,
        /// Largest read request that the engine makes; MRRS bounds it as well.
        read_request: PayloadSize = PayloadSize::MAX; chosen,
        /// Space for completions that have been asked for and not been taken yet.
        completion_buffer: Cap<Bytes> = Cap::NONE; holds(Holds::Requests) of_build waits(&[Wait::Tags]),
        /// Payload of the engine's writes; `infinite` uses MPS.
        payload: Cap<Count> = Cap::NONE; chosen of_payload,
        /// From a decision of the engine to the first symbol on the link.
        tx_latency: Time = Time::ZERO,
        /// The same in cycles of the core's clock, which come on top.
        tx_latency_cycles: u64 = 0; less,
        /// From the last symbol on the link to the engine.
        rx_latency: Time = Time::ZERO,
        /// The same in cycles of the core's clock, which come on top.
        rx_latency_cycles: u64 = 0; less,
        /// From a doorbell at the engine to the first TLP decided.
        command_latency: Time = Time::ZERO,
        /// The same in cycles of the core's clock, which come on top.
        command_latency_cycles: u64 = 0; less,
        /// What the engine waits at the start of each page of a command.
        descriptor_wait: Time = Time::ZERO; waits(&[Wait::Descriptors]),
        /// What one descriptor covers at most.
        page_bytes: Bytes = Bytes(4096); doubled,
        /// How descriptors reach the card.
        descriptors: Descriptors = Descriptors::Pushed,
        /// Size of one descriptor.
        descriptor_bytes: Count = Count(16); less,
        /// Descriptors fetched with one read.
        ring_batch: Count = Count(16); chosen more waits(&[Wait::Descriptors]),
        /// Descriptors kept ahead of need.
        ring_ahead: Count = Count(32); chosen more waits(&[Wait::Descriptors]),
        /// True: the engine begins with a descriptor as soon as it has it, and with a command of its own while the one
        /// before is on its way. False: it waits for all descriptors of a command, and for the end of the one before.
        overlap: bool = false; word("yes") waits(&[Wait::Command, Wait::Software]),
        /// What uses compiled gateware inside the FPGA.
        design: Design = Design::Streams,
        /// Clock of the core's datapath; `infinite` for one that never limits.
        core_clock: Cap<Frequency> = Cap::NONE; waits(&[Wait::Core, Wait::Credits, Wait::Tags]),
        /// True where that clock follows the trained link, as in soft cores and vendors' blocks: then `core_clock` is the
        /// least that it has (62.5 MHz in most blocks), and `infinite` is no least.
        clock_follows_link: bool = false,
        /// Bytes of payload a cycle.
        core_width: Bytes = Bytes(8); doubled of_build waits(&[Wait::Core, Wait::Credits, Wait::Tags]),
        /// Cycles lost with each TLP that carries data.
        idle_cycles: u64 = 0; less,
        /// True where TLPs and requests end at multiples of their largest size.
        aligned: bool = false,
        /// What the engine takes for a write command.
        write_command_time: Time = Time::ZERO,
        /// In which quanta a write command moves.
        write_quantum: Bytes = Bytes(64); more,
        /// What the engine takes for each begun quantum of a write command.
        write_quantum_time: Time = Time::ZERO,
        /// What the engine takes for a read command.
        read_command_time: Time = Time::ZERO,
        /// The same where the length of the command is no multiple of 4 bytes, if that is longer.
        read_odd_time: Time = Time::ZERO,
        /// What the engine takes for a read request.
        read_request_time: Time = Time::ZERO,
        /// From giving a command, where commands are timed one by one, to the decision of its first TLP or request.
        handover_latency: Time = Time::ZERO,
        /// From the end of a read command to the logic that gave it.
        read_done_latency: Time = Time::ZERO,
        /// What the engine takes, from the last byte of a read command on, to have it in the card's memory.
        read_store_latency: Time = Time::ZERO,
        /// The same for each begun `write_quantum` of its length.
        read_quantum_time: Time = Time::ZERO,
        /// From the decision of the last TLP of a write command, or from its last symbol, to the logic that gave it.
        write_done_latency: Time = Time::ZERO,
        /// What a write command that is timed has done when its end is told.
        write_done: WriteDone = WriteDone::HandedOver,
        /// What the engine takes to fetch the first data of a write command from the card's memory.
        write_fetch_latency: Time = Time::ZERO,
        /// True where the engine translates addresses itself (Address Translation Services).
        ats: bool = false; chosen,
        /// Pages in the Address Translation Cache of each channel.
        atc_entries: Count = Count(64); more waits(&[Wait::Memory]),
        /// Pages that a channel asks the translations of ahead: Translation Requests in flight at most.
        translation_requests: Count = Count(1); chosen more waits(&[Wait::Memory]),
        /// True where timed commands go to the link directly, past the DMA engine and its times.
        direct: bool = false; chosen,
        /// True where commands of a flow that reads and of a flow that writes start in turn: one of each.
        in_turn: bool = false,
        /// Buffer between the engine and the link, and of loopback.
        fifo: Bytes = Bytes(4096); holds(Holds::Payload) waits(&[Wait::Core]),
        /// Payload of the status write.
        status_bytes: Count = Count(4); less,
        /// From a read request of another part at the logic behind the core to the first data for it.
        target_read_latency: Time = Time::ZERO,
        /// The same in cycles of the core's clock, which come on top.
        target_read_latency_cycles: u64 = 0; less,
        /// Largest completion that it gives; MPS bounds it as well.
        target_completion_bytes: Count = Count(128); doubled,
    }
}

impl CardParams {
    /// The engine of a device with queues: its commands follow one another, and are divided at no pages.
    pub fn of_queues(read_requests: Count, tag_bits: TagBits, read_request: PayloadSize) -> CardParams {
        let page_bytes = Bytes(1 << 40);
        CardParams { read_requests, tag_bits, read_request, page_bytes, overlap: true, ..CardParams::default() }
    }
    /// True for a card with compiled gateware behind the vendor's block.
    pub fn is_compiled(&self) -> bool {
        self.gateware != Gateware::None
    }
    /// From the first TLP of a write command of `bytes` to that of the next one at the earliest.
    pub fn write_command(&self, bytes: u64) -> Time {
        self.write_command_time + self.write_quantum_time * bytes.div_ceil(self.write_quantum.0.max(1))
    }
    /// From the first request of a read command of `bytes` to that of the next one at the earliest.
    pub fn read_command(&self, bytes: u64) -> Time {
        if bytes.is_multiple_of(4) { self.read_command_time } else { self.read_command_time.max(self.read_odd_time) }
    }
    /// From giving a write command of `bytes`, timed one by one, to the decision of its first TLP: all its data is
    /// fetched before.
    pub fn write_handover(&self, bytes: u64) -> Time {
        let engine = self.write_fetch_latency + self.write_command(bytes);
        self.handover_latency + if self.direct { Time::ZERO } else { engine }
    }
    /// From the last byte of a read command of `bytes`, timed one by one, to the logic that gave it.
    pub fn read_done(&self, bytes: u64) -> Time {
        let engine = self.read_store_latency + self.read_quantum_time * bytes.div_ceil(self.write_quantum.0.max(1));
        self.read_done_latency + if self.direct { Time::ZERO } else { engine }
    }
    /// The longest latency in cycles, with its field.
    pub fn longest_in_cycles(&self) -> (&'static str, u64) {
        let all = [
            ("tx_latency_cycles", self.tx_latency_cycles),
            ("rx_latency_cycles", self.rx_latency_cycles),
            ("command_latency_cycles", self.command_latency_cycles),
            ("target_read_latency_cycles", self.target_read_latency_cycles),
        ];
        all.into_iter().max_by_key(|&(_, cycles)| cycles).unwrap_or(("tx_latency_cycles", 0))
    }
    /// The time that the core needs for a TLP with `payload` bytes.
    pub fn core_time(&self, payload: u64) -> Time {
        let Cap(Some(Frequency(hertz))) = self.core_clock else {
            return Time::ZERO;
        };
        let cycles = payload.div_ceil(self.core_width.0.max(1)) + self.idle_cycles;
        Time::from_fs((cycles as u128 * 1_000_000_000_000_000 / hertz as u128) as u64)
    }
}
