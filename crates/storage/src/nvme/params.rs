//! The figures of an NVMe SSD, and what it declares.
use crate::block::{BLOCK_BYTES, PAGE_BYTES};
use crate::faults::Fault;
use crate::flash::FlashFigures;
use crate::operations::{DISK_READ, DISK_WRITE};
use pcie::{Bytes, PayloadSize, Rate, Time};
use system::Demand;
use system::field::{Cap, Count, Holds, Params};
use system::kind::{Declaration, Declared, Kind, Row, Shared, TreePosition, Wrong};
use system::kinds::card::TagBits;
use system::kinds::host::Notice;
use system::kinds::queues::{Beside, Places, Queues, Told, Working};
use system::kinds::{CardParams, HostParams};
use system::pattern::Order;

/// What data waits for in the flash of a drive, in the limit and in the loss budget.
pub(crate) const FLASH: &str = "the flash";

/// What processes the commands of a drive, in the limit.
const CONTROLLER: &str = "commands in the controller";

/// Bytes of a submission entry, and of a completion entry (NVM Express Base Specification, Queue Entries).
pub(crate) const SUBMISSION_BYTES: u64 = 64;
pub(crate) const COMPLETION_BYTES: u64 = 16;
/// Bytes of an interrupt message, and of a doorbell.
pub(crate) const MESSAGE_BYTES: u64 = 4;
pub(crate) const DOORBELL_BYTES: u64 = 4;
/// Bytes of a PRP entry, which names a page.
pub(crate) const PRP_BYTES: u64 = 8;
/// Where the doorbells begin in the BAR, and where the controller memory buffer does.
pub(crate) const DOORBELLS: u64 = 0x1000;
pub(crate) const CONTROLLER_MEMORY: u64 = 0x4000;
/// The largest number of entries in a queue (NVM Express Base Specification, Queue Size), as a power of two.
pub(crate) const MOST_ENTRIES: u64 = 1 << 15;
/// log2 of the bytes of a logical block.
pub(crate) const BLOCK_SHIFT: u8 = 9;

system::words! {
    /// How an entry says where data lies in host memory.
    pub enum DataPointer {
        /// Two pages, or a page and a list of all others.
        Prp = "prp",
        /// One descriptor of contiguous memory (Scatter Gather List).
        Sgl = "sgl",
    }
}

system::words! {
    /// Where submission queues lie.
    pub enum QueuesIn {
        /// In host memory, from where the drive fetches entries.
        Host = "host",
        /// In the controller memory buffer: the CPU stores entries to the drive.
        Drive = "drive",
    }
}

system::params! {
    /// An NVMe SSD.
    ///
    /// **A command**: software writes its entry of 64 bytes into a queue in host memory and stores the new tail in a
    /// doorbell. The drive fetches entries, `fetch_entries` at most with one read and `fetches` reads at a time. It works on
    /// `commands` at once, which it takes up one after another, `command_time` apart at least. `command_latency` after its
    /// entry has arrived, and after the list of its pages where it has more than two, a read of the drive takes its data
    /// from the flash and writes it to host memory, page by page as it comes; a write of the drive takes room in `write_buffer` and reads the data from host memory. `completion_latency`
    /// after all data has moved, the drive writes a completion entry, and an interrupt message where the host is
    /// interrupted: for every `coalesced` completions, or `coalescing_time` after the first.
    ///
    /// With `data_pointer: sgl`, an entry has one descriptor of all of its data, and no list is read. With
    /// `queues_in: drive`, submission queues lie in the controller memory buffer: the CPU stores each entry there, before the
    /// doorbell, and the drive fetches none. Flows of a drive have its `namespaces` in turn, each of which is a part of it.
    ///
    /// **Bring-up**: with `bring_up`, software first does what a driver does (NVM Express Base Specification, Controller
    /// Initialization): it reads the capabilities, disables the controller, sets up the admin queues, enables it, waits
    /// `ready_latency` for it, identifies controller and namespaces, and creates the queues of all jobs.
    ///
    /// **Software** splits blocks that are longer than `mdts`. Of each block, the host spends `command_cost` of CPU time
    /// before its doorbell and `call_cost` after its completion.
    ///
    /// **Flash**: `dies` read a page of `page` bytes in `read_time`, or program one in `program_time`, each one page at a
    /// time. Pages pass `channels` of `channel_rate`, and what is read passes the controller's `datapath`. Page number n is on die n modulo their
    /// number; what is written goes to the dies in turn. The buffer is full at the start of a run, as in a run that has
    /// lasted. What is read in order is read `read_ahead` bytes ahead of the commands, at the rate of all dies.
    ///
    /// **Faults**: after `fault_after` commands, one ends with an error, one is answered `fault_delay` late, or none is
    /// answered any more (`fault`). What a command with an error should have moved does not move.
    ///
    /// **State**: the first `slc_cache` bytes that are written go to cells with one bit, in `slc_program_time` a page. From
    /// `clean` bytes on, garbage collection reads and programs `collected` pages for each page that is written in random
    /// order; in sequential order it finds blocks without valid pages. `written` bytes have been written before the run.
    pub struct NvmeParams {
        /// Entries fetched with one read.
        fetch_entries: Count = Count(8); more,
        /// Reads of entries in flight.
        fetches: Count = Count(4); more,
        /// Commands that the drive works on at once.
        commands: Count = Count(1024); more,
        /// The least time between two commands that it takes up: what its controller processes, of all queues.
        command_time: Time = Time::ZERO,
        /// From the last byte of an entry (and of its list of pages) at the drive to the start of its work.
        command_latency: Time = Time::from_us(2),
        /// From the last byte of data to the completion entry.
        completion_latency: Time = Time::from_us(1),
        /// Largest data transfer of a command (Maximum Data Transfer Size).
        mdts: Bytes = Bytes(1 << 20); doubled,
        /// How entries say where data lies.
        data_pointer: DataPointer = DataPointer::Prp; chosen,
        /// Where submission queues lie.
        queues_in: QueuesIn = QueuesIn::Host; chosen,
        /// Namespaces of the drive.
        namespaces: Count = Count(1); chosen neither,
        /// True where a run begins with the bring-up of the controller.
        bring_up: bool = false; chosen,
        /// From the enabling of the controller until it is ready (CSTS.RDY).
        ready_latency: Time = Time::from_us(2000); neither,
        /// Completions for each interrupt (Interrupt Coalescing, Aggregation Threshold).
        coalesced: Count = Count(1); chosen either,
        /// From the first completion without an interrupt to the interrupt (Aggregation Time).
        coalescing_time: Time = Time::from_us(100); chosen,
        /// Read requests in flight.
        read_requests: Count = Count(64); more,
        /// Width of the tag field that the function supports.
        tag_bits: TagBits = TagBits::Eight; settled,
        /// Largest read request; MRRS bounds it as well.
        read_request: PayloadSize = PayloadSize::MAX,
        /// From a decision of the drive to the first symbol on the link.
        tx_latency: Time = Time::from_ns(200),
        /// From the last symbol on the link to the drive.
        rx_latency: Time = Time::from_ns(200),
        /// Buffer between the drive and the link.
        fifo: Bytes = Bytes(16384); holds(Holds::Payload),
        /// Dies, each of which reads or programs one page at a time.
        dies: Count = Count(64); more,
        /// Channels between dies and controller.
        channels: Count = Count(8); more,
        /// What a channel carries.
        channel_rate: Rate = Rate(1.2e9),
        /// Bytes that a die reads or programs at once, over all its planes.
        page: Bytes = Bytes(16384); neither,
        /// How long a die takes to read a page.
        read_time: Time = Time::from_us(50),
        /// How long it takes to program one.
        program_time: Time = Time::from_us(200),
        /// What the controller's own datapath passes of what is read.
        datapath: Cap<Rate> = Cap::NONE,
        /// Room for data that is not programmed yet.
        write_buffer: Bytes = Bytes(16 << 20); more,
        /// Bytes read ahead of commands in sequential order.
        read_ahead: Bytes = Bytes(0); more,
        /// Bytes that go to cells with one bit (pSLC) before all others.
        slc_cache: Bytes = Bytes(0); more,
        /// How long a die takes to program a page of them.
        slc_program_time: Time = Time::from_us(100),
        /// Bytes that are written before garbage collection begins.
        clean: Cap<Bytes> = Cap::NONE; more,
        /// Pages that it reads and programs for each page that is written in random order.
        collected: u64 = 0; less,
        /// Bytes that were written since the cache was empty and the drive erased.
        written: Bytes = Bytes(0); chosen neither,
        /// What goes wrong in it.
        fault: Fault = Fault::Nothing; chosen,
        /// Commands before that.
        fault_after: u64 = 100; chosen neither,
        /// How much later a late command is answered.
        fault_delay: Time = Time::from_us(2_000_000); chosen neither,
    }
}

impl NvmeParams {
    /// True where what a flow with this demand reads comes from the buffer that is read ahead.
    fn reads_ahead(&self, demand: &Demand) -> bool {
        demand.operation == DISK_READ && demand.work.order == Order::Sequential && self.read_ahead >= self.page
    }

    /// The figures of its flash, as it is after `written`. In random order, garbage collection may be at work.
    pub fn flash(&self, order: Order) -> FlashFigures {
        let dirty = self.clean.0.is_some_and(|clean| self.written >= clean);
        FlashFigures {
            dies: self.dies.0.max(1),
            channels: self.channels.0.max(1),
            channel_rate: self.channel_rate,
            page: self.page,
            read_time: self.read_time,
            program_time: self.program_time,
            datapath: self.datapath.0,
            buffer: self.write_buffer,
            cache: (Bytes(self.slc_cache.0.saturating_sub(self.written.0)), self.slc_program_time),
            ahead: self.read_ahead,
            collected: if dirty && order == Order::Random { self.collected } else { 0 },
        }
    }

    /// Commands that software makes of a block of `bytes`, and the bytes of the largest.
    pub fn split(&self, bytes: u64) -> (u64, u64) {
        let most = self.mdts.0.max(BLOCK_BYTES);
        (bytes.div_ceil(most).max(1), bytes.min(most))
    }
}

/// Namespaces at most: more have no place in the address space of the model.
const MOST_NAMESPACES: u64 = 256;
/// Dies and channels at most: more have no drive.
const MOST_DIES: u64 = 1 << 16;
/// What a drive reads ahead at most: the memory of its controller is no larger.
const MOST_AHEAD: u64 = 1 << 30;
/// Bytes a second of a channel at least: a page is then carried within the time that a run can have.
const LEAST_CHANNEL: f64 = 1e3;
/// The part of a drive that a namespace has.
pub(crate) const NAMESPACE_BYTES: u64 = 1 << 48;

impl NvmeParams {
    /// Bytes of the list of pages of a command.
    pub(crate) fn list_bytes(&self, bytes: u64) -> u64 {
        if self.data_pointer == DataPointer::Sgl { 0 } else { list_bytes(bytes) }
    }

    /// Where byte `at` of a namespace is on the drive.
    pub(crate) fn of_namespace(namespace: u32, at: u64) -> u64 {
        (u64::from(namespace.max(1)) - 1) * NAMESPACE_BYTES + at % NAMESPACE_BYTES
    }
}

/// Bytes of the list of pages of a command whose data ends `bytes` after the start of its first page; 0 where its entry has
/// room for them (NVM Express Base Specification, PRP Entry and PRP List).
pub(super) fn list_bytes(bytes: u64) -> u64 {
    match bytes.div_ceil(PAGE_BYTES) {
        0..=2 => 0,
        pages => (pages - 1) * PRP_BYTES,
    }
}

/// Machines with NVMe SSDs that come with the program.
const MACHINES: &[(&str, &str)] = &[
    ("nvme-workstation", include_str!("../../../../systems/nvme-workstation.yaml")),
    ("nvme-server-24", include_str!("../../../../systems/nvme-server-24.yaml")),
];

impl Declared for NvmeParams {
    const DECLARATION: Declaration = Declaration {
        word: "nvme-ssd",
        about: "an NVMe SSD: queues, controller and flash",
        place: TreePosition::Endpoint,
        operations: &[DISK_READ, DISK_WRITE],
        fields: NvmeParams::FIELDS,
        catalogue: &[("ssd", include_str!("../catalogue/ssd.yaml"))],
        machines: MACHINES,
        causes: &[FLASH, CONTROLLER],
        default: || Kind::new(NvmeParams::default()),
    };

    fn check(&self) -> Option<Wrong> {
        let wrong = |field, value: String, help: &str| Some(Wrong { field, value, help: help.into() });
        if !self.page.0.is_multiple_of(BLOCK_BYTES) || self.page.0 == 0 {
            return wrong("page", self.page.to_string(), "a page has whole blocks of 512 B");
        }
        if !self.mdts.0.is_multiple_of(PAGE_BYTES) || self.mdts.0 == 0 || self.mdts.0 > 32 << 20 {
            return wrong("mdts", self.mdts.to_string(), "write a multiple of 4 KiB, up to 32 MiB");
        }
        if self.write_buffer.0 < self.mdts.0.max(self.page.0) {
            let help = "it holds a command of `mdts` and a page: write as many bytes or more";
            return wrong("write_buffer", self.write_buffer.to_string(), help);
        }
        if self.fetch_entries.0 * SUBMISSION_BYTES > PAGE_BYTES {
            return wrong(
                "fetch_entries",
                self.fetch_entries.0.to_string(),
                "a read asks for 4096 B, 64 entries, at most",
            );
        }
        let times = [
            ("read_time", self.read_time),
            ("program_time", self.program_time),
            ("slc_program_time", self.slc_program_time),
        ];
        if let Some((field, _)) = times.into_iter().find(|(_, time)| *time == Time::ZERO) {
            return wrong(field, "0 s".into(), "flash takes time to read and to program");
        }
        if self.namespaces.0 > MOST_NAMESPACES {
            return wrong("namespaces", self.namespaces.0.to_string(), "write 256 at most");
        }
        if self.dies.0 > MOST_DIES || self.channels.0 > MOST_DIES {
            let (field, value) =
                if self.dies.0 > MOST_DIES { ("dies", self.dies.0) } else { ("channels", self.channels.0) };
            return wrong(field, value.to_string(), "write 65536 at most");
        }
        if self.read_ahead.0 > MOST_AHEAD {
            return wrong("read_ahead", self.read_ahead.to_string(), "write 1 GiB at most");
        }
        if self.channel_rate.0 < LEAST_CHANNEL {
            let value = format!("{} B/s", self.channel_rate.0);
            return wrong("channel_rate", value, "write 1 kB/s or more");
        }
        if self.collected > 64 {
            return wrong("collected", self.collected.to_string(), "write 64 pages at most");
        }
        None
    }

    fn engine(&self) -> Option<CardParams> {
        Some(CardParams {
            tx_latency: self.tx_latency,
            rx_latency: self.rx_latency,
            fifo: self.fifo,
            ..CardParams::of_queues(self.read_requests, self.tag_bits, self.read_request)
        })
    }

    fn turns(&self, written: bool) -> Vec<Bytes> {
        if !written {
            return Vec::new();
        }
        [Some(self.slc_cache), self.clean.0].into_iter().flatten().filter(|turn| turn.0 > 0).collect()
    }

    fn rows(&self, demand: &Demand) -> Vec<Row> {
        let flash = self.flash(demand.work.order);
        let rates = match (demand.operation == DISK_READ, demand.work.order) {
            (false, _) => flash.write_rates(),
            (true, Order::Random) => flash.read_rates(demand.command.0),
            // Blocks in order that lie on one page are read together, as are the ends of blocks that share one.
            (true, Order::Sequential) => flash.read_rates(self.page.0),
        };
        let row = |(number, rate): (u8, Rate)| Row::new(FLASH, rate, Shared::Part(number));
        let mut rows: Vec<Row> = (0..).zip(rates).filter(|(_, rate)| rate.0.is_finite()).map(row).collect();
        if self.command_time > Time::ZERO {
            let block = demand.command.0.max(1);
            let rate = Rate(block as f64 / (self.split(block).0 as f64 * self.command_time.as_secs()));
            rows.push(Row::new(CONTROLLER, rate, Shared::Part(rates.len() as u8)));
        }
        rows
    }

    fn ready(&self, demand: &Demand) -> Bytes {
        if self.reads_ahead(demand) { self.read_ahead } else { Bytes(0) }
    }

    fn grain(&self, _: &Demand) -> Bytes {
        self.page
    }

    fn queues(&self, demand: &Demand, host: &HostParams) -> Option<Queues> {
        let (block, reads) = (demand.command.0.max(1), demand.operation == DISK_READ);
        let (commands, bytes) = self.split(block);
        let each = commands as f64;
        let list = self.list_bytes(bytes);
        let in_flight = (demand.work.in_flight() * commands).max(1);
        let mut written = vec![Beside { each, bytes: COMPLETION_BYTES }];
        if host.notice == Notice::Interrupt {
            let each = each / self.coalesced.0.max(1) as f64;
            written.push(Beside { each, bytes: MESSAGE_BYTES });
        }
        // Entries of commands that are given together come together.
        let entries = self.fetch_entries.0.clamp(1, in_flight);
        let mut stored = vec![Beside { each, bytes: DOORBELL_BYTES }];
        let mut fetched = Vec::new();
        match self.queues_in {
            QueuesIn::Host => {
                fetched.push(Beside { each: each / entries as f64, bytes: entries * SUBMISSION_BYTES });
            }
            QueuesIn::Drive => stored.push(Beside { each, bytes: SUBMISSION_BYTES }),
        }
        if list > 0 {
            fetched.push(Beside { each, bytes: list });
        }
        let flash = self.flash(demand.work.order);
        let ahead = self.reads_ahead(demand);
        let first = if reads && !ahead { flash.first(bytes) } else { Time::ZERO };
        let page = self.page.0.max(1);
        // Blocks in random order meet at dies and at channels by chance. A block of several pages has so many dies that follow
        // one another, and meets another one at all of them: after that, they are apart at their channels. Where it has all
        // dies, chance decides nothing.
        let random = reads && demand.work.order == Order::Random;
        let carried = flash.first(bytes).saturating_sub(self.read_time);
        let pages = bytes.div_ceil(page).max(1);
        let channels = if pages == 1 { self.channels.0 } else { 0 };
        let met_at = [(self.dies.0, self.read_time), (channels, carried)];
        let met_at = met_at.into_iter().map(|(count, time)| Places { count: count / pages, time });
        let places = met_at.filter(|places| random && places.count > 1).collect();
        let is_late = host.notice == Notice::Interrupt && demand.work.depth * commands < self.coalesced.0;
        let told = if is_late { Told::Late(self.coalescing_time) } else { Told::AtOnce };
        Some(Queues {
            written,
            steps: fetched.len() as u64,
            received: fetched.len() as u64,
            fetched,
            stored,
            latency: self.command_latency + first,
            after: self.completion_latency,
            pace: (reads && !ahead).then_some(Rate(self.channels.0.max(1) as f64 * self.channel_rate.0)),
            paced: Bytes(bytes.saturating_sub(page * self.channels.0.max(1))),
            places,
            most: Working::InAllQueues(self.commands.0.max(1)),
            told,
            ..Queues::default()
        })
    }
}
