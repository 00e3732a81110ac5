//! A host: CPUs with their software, memory, and the root complex between them and the links.

use crate::cause::Wait;
use crate::field::{Cap, Count, Ppm};
use pcie::{Bytes, Rate, Time};

crate::words! {
    /// In which order read requests from several requesters are answered.
    pub enum ServeReads {
        /// All completions of one request, then those of the next, in the order the requests came.
        InOrder = "in-order",
        /// A completion for each waiting requester in turn.
        InTurn = "in-turn",
    }
}

crate::words! {
    /// How software learns that a transfer has ended.
    pub enum Notice {
        /// It polls a status word that the card writes into memory.
        Polling = "polling",
        /// The card's interrupt (a posted write) wakes it.
        Interrupt = "interrupt",
    }
}

crate::params! {
    /// CPU, memory and root complex.
    ///
    /// **Writes** from all ports are served by memory one after another, in order of arrival. A write takes
    /// `write_service`, plus `line_service` for each 64-byte line that it fills completely, plus `partial_line_service`
    /// once if it fills a line partly, plus `page_service` if its 4 KiB page differs from that of the previous write of
    /// the same requester. The credits of a write are freed when it has been served.
    ///
    /// **Reads**: the data is ready `read_latency` after the request has arrived, and at least `read_gap` after that of
    /// the previous request. The request's credits are freed then. Completions of at most `completion_bytes` (and at
    /// most MPS, divided at multiples of RCB) wait for the link in the order of `serve_reads`. A request whose lines
    /// have at least `combine_from` bytes is answered with completions of up to `combined_bytes`.
    ///
    /// **The cache**: a request with a line that is not in the last-level cache takes `miss_latency` more. All lines of
    /// a buffer are in the cache up to `cache` bytes of it, none where `warm` is `no`. Of a longer buffer in random
    /// order, that share of its lines is there, and in sequential order none. A request that begins or ends inside a
    /// line and touches more than one line is split, and takes `split_latency` more. Data that is ready sooner than
    /// that of an older request leaves before it.
    ///
    /// **Direct I/O**: a line that a device has written completely is in the cache when it is read back. A line that it
    /// has written partly is there only if it was there before: all lines of a buffer of at most `direct_io` are, that
    /// share of a longer one in random order, and none of a longer one in sequential order.
    ///
    /// **Lines**: a line of a read request holds one of the `read_table` places from its turn until its data is ready. A
    /// line that is not in the cache, or that does not stay there when it is written, occupies one of the
    /// `dram_channels` for `dram_line_service`.
    ///
    /// **Datapath**: a root port with `core_width` takes a TLP with data in whole cycles of the clock that such a datapath
    /// needs for what the port can do, and `idle_cycles` more, in each direction. Where the link trains to less, the clock stays.
    ///
    /// **Sockets**: root ports belong to socket 0 or 1 (`socket`), and DMA buffers lie in the memory of one
    /// (`memory_socket`). What goes to memory at the other socket, or to a root port there, takes `socket_latency`
    /// more in each direction, and its payload passes the link between the sockets at `socket_rate`. Without
    /// `far_cache` no read of memory at the other socket finds its lines in a cache, except lines that the device has
    /// just written: they are at its own socket as far as `direct_io` holds them.
    ///
    /// **I/O hub**: payload of root ports with `hub` takes `hub_latency` in each direction to and from the CPU, and
    /// passes the hub's link at `hub_rate`, all such ports together.
    ///
    /// **The IOMMU** translates the addresses of requests, where `iommu` is `yes`. Its IOTLB has `iotlb_entries` pages of
    /// `iommu_page` bytes, those used last; with `iotlb_ways`, those used last of each set, and a page belongs to the set
    /// that a hash of its number gives. A request for another page waits for a walk, which takes `walk_latency`, and
    /// `table_latency` more where its page table is not among the `walk_cache` tables used last. Requests pass one pipeline,
    /// which a walk occupies for `walk_gap` and each 64-byte line of a read request for `line_lookup`; `walkers` walks run
    /// at once. Reads that have passed it overtake one another; a write also waits for the writes before it.
    /// A Translation Request (see `dma-card`) takes `translation_latency` and is translated as a read of one line; requests
    /// with translated addresses pass the IOMMU.
    /// Software then invalidates the IOTLB after every `invalidation_commands` commands of a flow, in `invalidation_cost`
    /// of CPU time before the next one. The pages of the flow are no longer in the IOTLB then.
    ///
    /// **DMA software** runs one thread for each flow. A command costs `command_cost` of CPU time; then a doorbell
    /// write of `doorbell_bytes` goes to the card. A pushed descriptor costs `descriptor_cost`, before the doorbell.
    /// The next command starts when the end of the last one is known (`notice`). Polling sees a status write
    /// `poll_interval` after it is in memory; an interrupt takes `interrupt_latency`
    /// from then on: it does not pass the writes before it. A call of the
    /// application adds `call_cost` once.
    ///
    /// **PIO writes**: the CPU fills a 64-byte line in `pio_line_fill`, after `pio_call_cost` for each call, and waits
    /// while all `pio_buffers` line buffers are full. A filled line is one TLP. It occupies the root port's pipeline
    /// for its slot on the link plus `pio_gap`. Before the first TLP of a call that fits into the buffers completely,
    /// the pipeline also waits `pio_restart`. **PIO reads** are made `pio_loads` at a time, `pio_read_bytes`
    /// each, with `pio_read_cost` of CPU time between the data of one and the next one in its place. The calls of a flow
    /// are those of one CPU: one ends with the data of its last load, and the first loads of the next one come
    /// `pio_call_cost` later. Several CPUs are several flows. Loads, their data and stores take `core_latency` between
    /// the CPU's core and the root port.
    pub struct HostParams {
        /// From the last symbol of a read request to the first completion ready to leave.
        read_latency: Time = Time::from_ns(250); waits(&[Wait::Tags, Wait::Memory, Wait::Command]),
        /// Least time between the data of two read requests of one port.
        read_gap: Time = Time::ZERO; waits(&[Wait::Memory, Wait::Tags]),
        /// From the last symbol of a TLP that goes from one root port to another to its start there.
        p2p_latency: Time = Time::from_ns(250),
        /// Whether requests from one root port to another go on. The standard leaves this to the root complex.
        p2p: bool = true,
        /// Requests from one root port to another end at multiples of so many bytes at most; longer ones are divided.
        p2p_bytes: Cap<Bytes> = Cap::NONE; more,
        /// Largest completion; MPS bounds it as well.
        completion_bytes: Count = Count(64); port doubled,
        /// Read Completion Boundary: 64 or 128.
        rcb: Count = Count(64); neither,
        /// Requests that touch lines of at least so many bytes get completions of up to `combined_bytes`.
        combine_from: Cap<Bytes> = Cap::NONE; less,
        /// Largest completion of such a request; MPS bounds it as well.
        combined_bytes: Count = Count(4096); more,
        /// How much of a buffer the last-level cache holds.
        cache: Cap<Bytes> = Cap::NONE; more,
        /// True where buffers have been touched before, so that the cache holds what it can of them.
        warm: bool = true; chosen,
        /// How much of a buffer the ways hold that a device's writes may fill (direct I/O).
        direct_io: Cap<Bytes> = Cap::NONE; more,
        /// Lines that are read at once: the table of outstanding requests of the root complex.
        read_table: Cap<Count> = Cap::NONE; more waits(&[Wait::Credits, Wait::Memory, Wait::Tags]),
        /// Channels of DRAM; lines lie in them in turn.
        dram_channels: Count = Count(1); more waits(&[Wait::Credits, Wait::Memory, Wait::Tags]),
        /// How long a line occupies its channel: one that is read and is not in the cache, or that is written and does not
        /// stay there.
        dram_line_service: Time = Time::ZERO; waits(&[Wait::Credits, Wait::Memory, Wait::Tags]),
        /// What a read request takes longer where a line is not in the cache.
        miss_latency: Time = Time::ZERO,
        /// What a read request takes longer that fills its first or last line partly and touches more than one.
        split_latency: Time = Time::ZERO,
        /// True where an IOMMU translates the addresses of requests.
        iommu: bool = false; chosen,
        /// Pages in the IOTLB.
        iotlb_entries: Count = Count(64); more waits(&[Wait::Credits, Wait::Memory, Wait::Tags]),
        /// Ways of the IOTLB, whose sets have so many pages of 4 KiB each. Without, and of superpages: any page in any entry.
        iotlb_ways: Cap<Count> = Cap::NONE; more waits(&[Wait::Credits, Wait::Memory, Wait::Tags]),
        /// How long each 64-byte line of a read request occupies the pipeline.
        line_lookup: Time = Time::ZERO; waits(&[Wait::Credits, Wait::Memory, Wait::Tags]),
        /// Bytes of a page of the IOMMU: 4 KiB, or 2 MiB and 1 GiB for superpages.
        iommu_page: Bytes = Bytes(4096); chosen more,
        /// From a request whose page is not in the IOTLB to the translated address.
        walk_latency: Time = Time::from_ns(200); waits(&[Wait::Credits, Wait::Memory, Wait::Tags]),
        /// How long a walk occupies the pipeline: the least time between the starts of two walks.
        walk_gap: Time = Time::ZERO; waits(&[Wait::Credits, Wait::Memory, Wait::Tags]),
        /// Walks at once.
        walkers: Cap<Count> = Cap::NONE; more waits(&[Wait::Credits, Wait::Memory, Wait::Tags]),
        /// Page tables in the page-walk cache, each for 512 pages.
        walk_cache: Cap<Count> = Cap::NONE; more waits(&[Wait::Credits, Wait::Memory, Wait::Tags]),
        /// What a walk takes longer where its page table is not in the page-walk cache.
        table_latency: Time = Time::ZERO; waits(&[Wait::Credits, Wait::Memory, Wait::Tags]),
        /// From a Translation Request to its completion, beside a walk.
        translation_latency: Time = Time::from_ns(100),
        /// CPU time to invalidate the IOTLB where software unmaps what commands have used.
        invalidation_cost: Time = Time::ZERO,
        /// Commands after which it does so: 1 for strict, more for deferred invalidation.
        invalidation_commands: Count = Count(1); more,
        /// In which order read requests are answered.
        serve_reads: ServeReads = ServeReads::InOrder,
        /// Memory time of each write.
        write_service: Time = Time::ZERO; waits(&[Wait::Credits, Wait::Memory]),
        /// Memory time of each whole 64-byte line of a write.
        line_service: Time = Time::ZERO; waits(&[Wait::Credits, Wait::Memory]),
        /// Memory time of a write that leaves a line partly filled.
        partial_line_service: Time = Time::ZERO; waits(&[Wait::Credits, Wait::Memory]),
        /// Memory time of a write that enters another 4 KiB page.
        page_service: Time = Time::ZERO; waits(&[Wait::Credits, Wait::Memory]),
        /// Payload that one root port passes in each direction, whatever its link could.
        port_cap: Cap<Rate> = Cap::NONE; port waits(&[Wait::Memory, Wait::Arbitration, Wait::Credits]),
        /// The same for each wired lane of a root port.
        lane_cap: Cap<Rate> = Cap::NONE; port waits(&[Wait::Memory, Wait::Arbitration, Wait::Credits]),
        /// Payload that the datapath of a root port takes in a cycle of its clock; `infinite` for one that never limits.
        core_width: Cap<Bytes> = Cap::NONE; port more,
        /// Cycles that it loses with each TLP that carries data.
        idle_cycles: u64 = 0; port less,
        /// The socket of a root port: 0 or 1.
        socket: u64 = 0; port neither,
        /// The socket whose memory has the DMA buffers: 0 or 1.
        memory_socket: u64 = 0; chosen neither,
        /// From one socket to the other.
        socket_latency: Time = Time::ZERO,
        /// Payload that the link between the sockets passes in each direction.
        socket_rate: Cap<Rate> = Cap::NONE,
        /// True where reads of memory at the other socket find lines in its cache.
        far_cache: bool = true,
        /// True for a root port of an I/O hub; false for one of the CPU.
        hub: bool = false; port,
        /// From the I/O hub to the CPU, or back.
        hub_latency: Time = Time::ZERO,
        /// Payload that the link between I/O hub and CPU passes in each direction.
        hub_rate: Cap<Rate> = Cap::NONE,
        /// Where DMA buffers lie: at or above 4 GiB takes 4 DW headers.
        memory_above_4g: bool = true; chosen word("no"),
        /// How much later than nominal a symbol comes on average: a spread-spectrum clock spread down by 0.5 % is 0.25 % slow.
        clock_slow: Ppm = Ppm(0); settled,
        /// CPU time of one DMA command.
        command_cost: Time = Time::ZERO,
        /// CPU time to write one descriptor into the card.
        descriptor_cost: Time = Time::ZERO,
        /// CPU time of one call of the application.
        call_cost: Time = Time::ZERO,
        /// True where threads write descriptors one after another, not side by side.
        descriptors_in_turn: bool = true; word("no"),
        /// Payload of the doorbell write.
        doorbell_bytes: Count = Count(4); less,
        /// How software learns of an end.
        notice: Notice = Notice::Polling; chosen,
        /// From a status word in memory to the software that polls it.
        poll_interval: Time = Time::ZERO,
        /// From an interrupt at the root complex to the software that waits for it.
        interrupt_latency: Time = Time::from_us(3),
        /// From a CPU's core to a root port, and from there to the core: what its loads and stores take on that way.
        core_latency: Time = Time::ZERO,
        /// CPU time to fill one 64-byte write-combining line.
        pio_line_fill: Time = Time::from_ns(20),
        /// Write-combining line buffers of a CPU.
        pio_buffers: Count = Count(8); more waits(&[Wait::Software]),
        /// CPU time of one PIO call besides its stores.
        pio_call_cost: Time = Time::ZERO,
        /// Time that the root port's pipeline takes for a PIO TLP beyond its slot on the link.
        pio_gap: Time = Time::ZERO; waits(&[Wait::RootPort, Wait::Software]),
        /// Time that it waits before the first TLP of a call that fits into the line buffers.
        pio_restart: Time = Time::ZERO; waits(&[Wait::RootPort, Wait::Software]),
        /// Bytes of one PIO read: 8 by a general register, 16 to 64 by a vector register, 64 from a write-combining BAR.
        pio_read_bytes: Count = Count(8); doubled,
        /// PIO reads in flight: one for plain loads of uncacheable memory by one core.
        pio_loads: Count = Count(1); more,
        /// CPU time of one PIO read besides its wait.
        pio_read_cost: Time = Time::ZERO,
    }
}

impl HostParams {
    /// What software spends on invalidation after `done` commands of a flow, before the next one.
    pub fn invalidation(&self, done: u64) -> Time {
        let due = self.iommu && done > 0 && done.is_multiple_of(self.invalidation_commands.0.max(1));
        if due { self.invalidation_cost } else { Time::ZERO }
    }

    /// True where software invalidates the IOTLB.
    pub fn invalidates(&self) -> bool {
        self.iommu && self.invalidation_cost > Time::ZERO
    }

    /// The same for each command on average.
    pub fn mean_invalidation(&self) -> Time {
        if self.iommu { self.invalidation_cost / self.invalidation_commands.0.max(1) } else { Time::ZERO }
    }

    /// True where a table of reads or DRAM channels bound what is read and written.
    pub fn bounds_lines(&self) -> bool {
        self.read_table.0.is_some() || self.dram_line_service > Time::ZERO
    }

    /// True where requests take different times.
    pub fn varies(&self) -> bool {
        self.iommu
            || self.split_latency > Time::ZERO
            || self.miss_latency > Time::ZERO && (!self.warm || self.cache.0.is_some())
    }

    /// The lines that `bytes` at `address` touch.
    pub fn lines_of(address: u64, bytes: u64) -> std::ops::Range<u64> {
        address / LINE_BYTES..(address + bytes).div_ceil(LINE_BYTES)
    }

    /// True where a request fills its first or last line partly and touches more than one.
    pub fn is_split(address: u64, bytes: u64) -> bool {
        let partly = !address.is_multiple_of(LINE_BYTES) || !(address + bytes).is_multiple_of(LINE_BYTES);
        partly && address / LINE_BYTES != (address + bytes).saturating_sub(1) / LINE_BYTES
    }

    /// The lines that `bytes` at `address` fill partly.
    pub fn partly_filled(address: u64, bytes: u64) -> impl Iterator<Item = u64> {
        let end = address + bytes;
        let partly = move |line: &u64| line * LINE_BYTES < address || (line + 1) * LINE_BYTES > end;
        HostParams::lines_of(address, bytes).filter(partly)
    }

    /// The largest completion for a request of `bytes` at `address`, where a port gives at most `single` to others and its
    /// MPS is `combined`.
    pub fn completion_most(&self, address: u64, bytes: u64, (single, combined): (u64, u64)) -> u64 {
        let Cap(Some(from)) = self.combine_from else { return single };
        let lines = HostParams::lines_of(address, bytes);
        if (lines.end - lines.start) * LINE_BYTES < from.0 {
            return single;
        }
        combined.min(self.combined_bytes.0)
    }
}

/// Bytes of a memory line and of a write-combining buffer.
pub const LINE_BYTES: u64 = 64;

/// Bytes of a CPU page, and of the largest request.
pub const PAGE_BYTES: Bytes = Bytes(4096);

/// The number of 64-byte lines that a write of `bytes` at `address` fills completely, and whether it fills any line
/// partly.
pub fn lines(address: u64, bytes: u64) -> (u64, bool) {
    let (first, end) = (address.div_ceil(LINE_BYTES), (address + bytes) / LINE_BYTES);
    let whole = end.saturating_sub(first);
    (whole, whole * LINE_BYTES != bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_as_whole_only_when_all_of_it_is_written() {
        assert_eq!(lines(0, 128), (2, false));
        assert_eq!(lines(4, 128), (1, true));
        assert_eq!(lines(64, 32), (0, true));
        assert_eq!(lines(36, 36), (0, true));
        assert_eq!(lines(128, 64), (1, false));
    }
}
