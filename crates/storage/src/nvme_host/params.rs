//! The figures of an NVMe host in logic, and the host that it is expressed as.

use crate::block::BLOCK_BYTES;
use pcie::{Bytes, Time};
use std::borrow::Cow;
use system::field::{Cap, Count, Frequency, Params};
use system::kind::{Declaration, Declared, Kind, TreePosition, Wrong};
use system::kinds::HostParams;
use system::kinds::host::{LINE_BYTES, Notice};
use system::{Demand, Work};

system::words! {
    /// What the logic of an NVMe host is.
    pub enum HostGateware {
        /// Behaviour: the logic that the fields describe.
        None = "none",
        /// The NVMe host of `gateware/`, compiled, behind root ports and before a memory port that the fields describe.
        NvmeHost = "nvme_host",
    }
}

system::params! {
    /// An NVMe host in FPGA logic.
    ///
    /// **Memory**: one port of `memory_width` at `clock` serves what drives write and what they read, in bursts of
    /// `burst`, each of which costs `burst_gap` cycles more: row changes, turns between reads and writes, refresh. Data
    /// that is read is ready `read_cycles` after the request has arrived; of the requests of one root port, `reads_at_once`
    /// are under way there. Completions have `completion_bytes` at most and begin at multiples of `rcb`.
    ///
    /// **Root ports**: a TLP with data takes whole cycles of a datapath of `core_width`, and `idle_cycles` more, in each
    /// direction. Its clock is what such a datapath needs for the slot as it is described, and is the same where the link
    /// trains to less: the user clock of a vendor's block has the frequency that it was built for (AMD PG156, signal
    /// `user_clk`; PG343, "Lane Becomes Faulty").
    ///
    /// **Logic**: for each block, `command_cycles` pass before its doorbell. A completion entry is seen `notice_cycles`
    /// after it is in memory, and `completion_cycles` later the block has ended.
    ///
    /// **With `gateware`** the logic is compiled, one instance for each drive. It has queues and buffers of its own, so
    /// that drives reach no memory port: that is on the user's side of the buffers, and serves all instances. Its clock
    /// follows the link of its port, as it trains. `core_width` chooses the build, and the fields of the logic in
    /// cycles, `completion_bytes` and `rcb` describe nothing of it; the limit reads them as they are. A block of the
    /// flow is a user command, which the logic divides into commands of 16 KiB at most; as many of them are in flight
    /// as its buffer of 64 KiB holds.
    pub struct NvmeHostParams {
        /// What the logic is.
        gateware: HostGateware = HostGateware::None; chosen,
        /// Clock of the memory port and of the logic.
        clock: Frequency = Frequency(250_000_000),
        /// What the memory port carries in a cycle.
        memory_width: Bytes = Bytes(64); more,
        /// Bytes of a burst.
        burst: Bytes = Bytes(128); doubled,
        /// Cycles that the port loses with each burst.
        burst_gap: u64 = 1; less,
        /// From a read request to its data.
        read_cycles: u64 = 60; less,
        /// Read requests of one root port whose data is fetched at once; none: all.
        reads_at_once: Cap<Count> = Cap::NONE; more,
        /// Payload that the datapath of a root port takes in a cycle of its clock.
        core_width: Bytes = Bytes(16); port doubled of_build,
        /// Cycles that it loses with each TLP that carries data.
        idle_cycles: u64 = 1; port less,
        /// Largest completion; MPS bounds it as well.
        completion_bytes: Count = Count(64); port doubled,
        /// Read Completion Boundary: 64 or 128.
        rcb: Count = Count(64); neither,
        /// Before the doorbell of a block.
        command_cycles: u64 = 20; less,
        /// From a completion entry in memory to the logic that looks for it.
        notice_cycles: u64 = 8; less,
        /// After a completion entry has been seen.
        completion_cycles: u64 = 20; less,
        /// Where its memory lies in the address space of the drives: at or above 4 GiB takes 4 DW headers.
        memory_above_4g: bool = false; chosen word("no"),
    }
}

/// Machines whose drives hang on an NVMe host in logic.
const MACHINES: &[(&str, &str)] = &[
    ("bit-nvme-vc707", include_str!("../../../../systems/bit-nvme-vc707.yaml")),
    ("bit-nvme-zc706", include_str!("../../../../systems/bit-nvme-zc706.yaml")),
    ("bit-nvme-zcu106", include_str!("../../../../systems/bit-nvme-zcu106.yaml")),
];

/// What compiled gateware gives a drive at most: bytes of a command, commands at once, and bytes at once (`CmdBytes`, `Cmds`
/// and the size of a buffer of `ls_nvme_host`, as they are built).
pub const COMMAND_BYTES: u64 = 16 << 10;
/// See [`COMMAND_BYTES`].
pub const COMMANDS: u64 = 32;
/// See [`COMMAND_BYTES`].
pub const BUFFER_BYTES: u64 = 64 << 10;

impl NvmeHostParams {
    /// True where the logic is compiled gateware.
    pub fn is_compiled(&self) -> bool {
        self.gateware != HostGateware::None
    }

    /// How long the memory port is busy with a burst.
    pub fn burst_time(&self) -> Time {
        self.time(self.burst.0.div_ceil(self.memory_width.0.max(1)) + self.burst_gap, 1)
    }

    /// From a request at the memory port to its data.
    pub fn read_time(&self) -> Time {
        self.time(self.read_cycles, 1)
    }

    /// The time of a number of cycles, in 64-byte lines of a burst for a fraction of one.
    fn time(&self, cycles: u64, lines: u64) -> Time {
        let per = u128::from(self.clock.0.max(1)) * u128::from(lines.max(1));
        Time::from_fs((u128::from(cycles) * 1_000_000_000_000_000 / per) as u64)
    }

    /// How long the port needs for a 64-byte line, with its part of what the burst loses.
    fn line(&self) -> Time {
        let cycles = self.burst.0.div_ceil(self.memory_width.0.max(1)) + self.burst_gap;
        self.time(cycles, self.burst.0 / LINE_BYTES)
    }
}

impl Declared for NvmeHostParams {
    const DECLARATION: Declaration = Declaration {
        word: "nvme-host",
        about: "an NVMe host in FPGA logic: root ports, memory and logic",
        place: TreePosition::Root,
        operations: &[],
        fields: NvmeHostParams::FIELDS,
        catalogue: &[],
        machines: MACHINES,
        causes: &[],
        default: || Kind::new(NvmeHostParams::default()),
    };

    fn is_compiled(&self) -> bool {
        NvmeHostParams::is_compiled(self)
    }

    fn check(&self) -> Option<Wrong> {
        let wrong = |field, value: String, help: &str| Some(Wrong { field, value, help: help.into() });
        if !self.burst.0.is_multiple_of(LINE_BYTES) || self.burst.0 == 0 {
            return wrong("burst", self.burst.to_string(), "write a multiple of 64 B");
        }
        if self.memory_width.0 == 0 {
            return wrong("memory_width", self.memory_width.to_string(), "the port carries a byte at least");
        }
        self.expressed().check()
    }

    fn host(&self) -> Option<Cow<'_, HostParams>> {
        Some(Cow::Owned(self.expressed()))
    }

    fn gives(&self, demand: &Demand) -> Demand {
        if !self.is_compiled() {
            return *demand;
        }
        let pieces = demand.command.0.div_ceil(COMMAND_BYTES).max(1);
        let command = demand.command.0.div_ceil(pieces).next_multiple_of(BLOCK_BYTES);
        let most = (BUFFER_BYTES / command.max(1)).min(COMMANDS);
        let depth = demand.work.depth.saturating_mul(pieces).min(most);
        let work = Work { depth, ..demand.work };
        Demand { command: Bytes(command), commands: demand.commands * pieces, work, ..*demand }
    }
}

impl NvmeHostParams {
    /// The host that it is expressed as: memory without a cache, and logic that looks for completions. Compiled gateware has
    /// a datapath of its own, whose cycles nobody else counts, and buffers that are read at once.
    fn expressed(&self) -> HostParams {
        let datapath = (!self.is_compiled()).then_some((self.core_width, self.idle_cycles));
        let reads = self.reads_at_once.0.filter(|_| !self.is_compiled());
        HostParams {
            read_latency: self.time(self.read_cycles, 1),
            read_gap: reads.map_or(Time::ZERO, |reads| self.time(self.read_cycles, reads.0)),
            core_width: Cap(datapath.map(|(width, _)| width)),
            idle_cycles: datapath.map_or(0, |(_, cycles)| cycles),
            completion_bytes: self.completion_bytes,
            rcb: self.rcb,
            warm: false,
            direct_io: Cap(Some(Bytes(0))),
            dram_channels: Count(1),
            dram_line_service: self.line(),
            memory_above_4g: self.memory_above_4g,
            notice: Notice::Polling,
            command_cost: self.time(self.command_cycles, 1),
            poll_interval: self.time(self.notice_cycles, 1),
            call_cost: self.time(self.completion_cycles, 1),
            ..HostParams::default()
        }
    }
}
