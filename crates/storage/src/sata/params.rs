//! The figures of a controller with SATA drives, and what it declares.
use crate::faults::Fault;
use crate::operations::{DISK_READ, DISK_WRITE};
use pcie::{Bytes, PayloadSize, Rate, Time};
use system::Demand;
use system::field::{Cap, Count, FieldType, Holds, Params};
use system::kind::{Declaration, Declared, Kind, Row, Shared, TreePosition, Wrong};
use system::kinds::card::TagBits;
use system::kinds::host::Notice;
use system::kinds::queues::{Beside, Queues, Working};
use system::kinds::{CardParams, HostParams};
use system::pattern::Order;

/// What data waits for, in the limit and in the loss budget.
pub(crate) const WIRE: &str = "the drive's SATA link";
pub(crate) const DEVICE: &str = "the drive";
const EXPANDER: &str = "the lanes to the expander";

/// Bytes of a command header, of a command FIS with what follows it up to the list of regions, and of a region (AHCI,
/// Command List Structure and Command Table).
pub(crate) const HEADER_BYTES: u64 = 32;
pub(crate) const TABLE_BYTES: u64 = 128;
pub(crate) const REGION_BYTES: u64 = 16;
/// Bytes of a region at most: its byte count has 22 bits.
pub(crate) const MOST_REGION: u64 = 4 << 20;
/// Bytes of the FIS that tells of completions (Set Device Bits), and of a register.
pub(crate) const TOLD_BYTES: u64 = 8;
pub(crate) const REGISTER_BYTES: u64 = 4;
/// Of a reply, and of the FIS that tells of an error: set beside the tag where the command has failed.
pub(crate) const FAILED: u64 = 1 << 31;
/// Data of a FIS at most, and the bytes around it: SOF, FIS header, CRC, EOF (Serial ATA, Data FIS and Frame Structure).
pub(crate) const FIS_BYTES: u64 = 8192;
pub(crate) const AROUND_BYTES: u64 = 16;
/// Bytes of a register FIS with what is around it.
pub(crate) const COMMAND_FIS_BYTES: u64 = 20 + 12;
/// Commands of a drive (Native Command Queueing: 32 tags).
pub(crate) const MOST_SLOTS: u64 = 32;
/// Drives of an array at most.
pub(crate) const MOST_MEMBERS: u64 = 16;

system::words! {
    /// How software gives commands to a controller.
    pub enum Protocol {
        /// AHCI: a header and a table of each command in memory, registers that say which are given and which have ended.
        Ahci = "ahci",
        /// A SAS adapter: a message of each command in memory, and a queue of replies.
        Sas = "sas",
    }
}

system::words! {
    /// What is behind the SATA link.
    pub enum Device {
        /// A hard disk: one arm, tracks that turn.
        Disk = "disk",
        /// A solid-state drive.
        Ssd = "ssd",
    }
}

system::params! {
    /// A controller with SATA drives, an AHCI controller or a SAS adapter, one drive of the same model at each port.
    ///
    /// **A command**: software writes it to memory and stores to a register. An AHCI controller reads the header and then
    /// the table of the command; a SAS adapter reads one message of `message_bytes`. After `command_latency` the command
    /// goes over the SATA link of its drive. Data goes in FISes of up to 8192 bytes at `sata_rate`, each with 16 bytes
    /// around it and `fis_gap` before the next. When all data of a command has moved, the drive tells the controller, which
    /// writes 8 bytes to memory and interrupts the host after `completion_latency`. Software of an AHCI controller then
    /// loads a register to learn which commands have ended.
    ///
    /// **A drive** works on `commands` at once. It moves data at `media_rate` (`write_rate` for writes, where that is
    /// not `infinite`). A disk that does not go on where it was first moves its arm, between `seek_least` and
    /// `seek_most` with the square root of the distance on `capacity`, and waits for half a `turn` on average. An SSD
    /// reads what is not in order after `ssd_latency`, in `units` places at once, and writes what is not in order in
    /// `ssd_write_time` at least. Writes take room in `cache`, which is full at the start of a run, as in a run that
    /// has lasted. A disk has `zones` of equal size; from the first to the last, the rate falls from `media_rate` to
    /// `inner_rate` in equal steps.
    ///
    /// **Arrays**: with `members`, there is a RAID 0 of so many drives at each port, of which each takes `chunk` in turn.
    /// With `expander_lanes`, the drives hang at an expander. What goes to or from any of them takes one of so many lanes
    /// for as long as it takes the link of its drive.
    ///
    /// **Faults**: of the drive at port `fault_port`, after `fault_after` commands, one ends with an error, one is answered
    /// `fault_delay` late, or none is answered any more (`fault`). What a command with an error should have moved does not
    /// move. The others in flight go on: what software does to restart the queue of an AHCI port is not modelled.
    pub struct SataParams {
        /// How software gives commands.
        protocol: Protocol = Protocol::Ahci,
        /// Ports with a drive.
        sata_ports: Count = Count(4); neither,
        /// What a SATA link carries, after 8b/10b: 150, 300 or 600 MB/s.
        sata_rate: Rate = Rate(600e6),
        /// From a FIS to the next: primitives of flow control, and the turn of the link.
        fis_gap: Time = Time::from_ns(300),
        /// Commands in flight at a drive.
        commands: Count = Count(32); more,
        /// Bytes of a message of a SAS adapter.
        message_bytes: Count = Count(128); less,
        /// From the last byte of a command at the controller to its FIS on the SATA link.
        command_latency: Time = Time::from_us(1),
        /// From the end of a command to what the controller writes of it.
        completion_latency: Time = Time::from_us(1),
        /// Largest transfer of a command.
        most_transfer: Bytes = Bytes(1 << 20); doubled,
        /// Read requests in flight.
        read_requests: Count = Count(8); more,
        /// Width of the tag field that the function supports.
        tag_bits: TagBits = TagBits::Five; settled,
        /// Largest read request; MRRS bounds it as well.
        read_request: PayloadSize = PayloadSize::MAX,
        /// From a decision of the controller to the first symbol on the link.
        tx_latency: Time = Time::from_ns(300),
        /// From the last symbol on the link to the controller.
        rx_latency: Time = Time::from_ns(300),
        /// Buffer between the controller and the link.
        fifo: Bytes = Bytes(8192); holds(Holds::Payload),
        /// What the drives are.
        device: Device = Device::Disk,
        /// What a drive moves in order.
        media_rate: Rate = Rate(180e6),
        /// The same of writes; `infinite` for that of reads.
        write_rate: Cap<Rate> = Cap::NONE,
        /// Zones of a disk, each with a rate of its own.
        zones: Count = Count(1); neither,
        /// What a disk moves in order in its last zone; `infinite` for `media_rate`.
        inner_rate: Cap<Rate> = Cap::NONE,
        /// Bytes of a drive before the place where a run begins.
        written: Bytes = Bytes(0); chosen neither,
        /// Drives at each port, over which the controller stripes (RAID 0).
        members: Count = Count(1); more,
        /// Bytes that each of them takes in turn.
        chunk: Bytes = Bytes(65536); neither,
        /// Lanes between a SAS adapter and an expander that all drives hang at; `infinite` where each has a port of its own.
        expander_lanes: Cap<Count> = Cap::NONE; more,
        /// Room for data that is not written yet.
        cache: Bytes = Bytes(32 << 20); more,
        /// Bytes of the drive, over which its arm moves.
        capacity: Bytes = Bytes(1 << 40); neither,
        /// The shortest movement of the arm, to the next track.
        seek_least: Time = Time::from_us(600),
        /// The longest, over all tracks.
        seek_most: Time = Time::from_us(18_000),
        /// One turn of a disk.
        turn: Time = Time::from_us(8333),
        /// From a read out of order to its data, in an SSD.
        ssd_latency: Time = Time::from_us(80),
        /// Places of an SSD that read at once.
        units: Count = Count(32); more,
        /// Least time from a write out of order to the next one, in an SSD.
        ssd_write_time: Time = Time::ZERO,
        /// What goes wrong in one of the drives.
        fault: Fault = Fault::Nothing; chosen,
        /// The port of that drive, from 0.
        fault_port: u64 = 0; chosen neither,
        /// Its commands before that.
        fault_after: u64 = 100; chosen neither,
        /// How much later a late command is answered.
        fault_delay: Time = Time::from_us(2_000_000); chosen neither,
    }
}

impl SataParams {
    /// Commands that software makes of a block, and the bytes of the largest.
    pub(crate) fn split(&self, block: u64) -> (u64, u64) {
        let most = self.most_transfer.0.max(crate::block::BLOCK_BYTES);
        (block.div_ceil(most).max(1), block.min(most))
    }

    /// Commands in flight at a drive.
    pub(crate) fn slots(&self) -> u64 {
        self.commands.0.clamp(1, if self.protocol == Protocol::Ahci { MOST_SLOTS } else { 1024 })
    }

    /// What the drive moves in its first zone.
    fn rate(&self, reads: bool) -> Rate {
        self.write_rate.0.filter(|_| !reads).unwrap_or(self.media_rate)
    }

    /// What the drive moves at `at`.
    pub(crate) fn rate_at(&self, at: u64, reads: bool) -> Rate {
        let (outer, zones) = (self.rate(reads), self.zones.0.max(1));
        let Some(inner) = self.inner_rate.0.filter(|_| zones > 1 && self.device == Device::Disk) else { return outer };
        // What was written before the first byte is at places below 0, in the zone where the run begins.
        let place = (at as i64).saturating_add_unsigned(self.written.0).max(0) as u64;
        let place = u128::from(place % self.capacity.0.max(1));
        let zone = (place * u128::from(zones) / u128::from(self.capacity.0.max(1))) as f64;
        let lost = 1.0 - inner.0 / self.media_rate.0;
        Rate(outer.0 * (1.0 - lost * zone / (zones - 1) as f64))
    }

    /// How long FISes with `bytes` of data take on the SATA link.
    pub(crate) fn on_wire(&self, bytes: u64) -> Time {
        let all = bytes + bytes.div_ceil(FIS_BYTES) * AROUND_BYTES;
        let time = Time::from_secs_f64(all as f64 / self.sata_rate.0).unwrap_or(Time::FAR);
        time + self.fis_gap * bytes.div_ceil(FIS_BYTES)
    }

    /// Bytes that the controller reads for a command of `bytes`, in steps one after another.
    pub(crate) fn fetched(&self, bytes: u64) -> Vec<u64> {
        match self.protocol {
            Protocol::Ahci => vec![HEADER_BYTES, TABLE_BYTES + bytes.div_ceil(MOST_REGION).max(1) * REGION_BYTES],
            Protocol::Sas => vec![self.message_bytes.0],
        }
    }

    /// The shortest time from a command at the drive to its first data, where it does not go on where it was.
    fn least_position(&self) -> Time {
        match self.device {
            Device::Disk => self.seek_least,
            Device::Ssd => self.ssd_latency,
        }
    }
}

impl Declared for SataParams {
    const DECLARATION: Declaration = Declaration {
        word: "sata-controller",
        about: "an AHCI controller or a SAS adapter with SATA drives",
        place: TreePosition::Endpoint,
        operations: &[DISK_READ, DISK_WRITE],
        fields: SataParams::FIELDS,
        catalogue: &[("sata", include_str!("../catalogue/sata.yaml"))],
        machines: MACHINES,
        causes: &[WIRE, DEVICE, EXPANDER],
        default: || Kind::new(SataParams::default()),
    };

    fn check(&self) -> Option<Wrong> {
        let wrong = |field, value: String, help: &str| Some(Wrong { field, value, help: help.into() });
        if !self.most_transfer.0.is_multiple_of(4096) || self.most_transfer.0 == 0 || self.most_transfer.0 > 32 << 20 {
            return wrong("most_transfer", self.most_transfer.to_string(), "write a multiple of 4 KiB, up to 32 MiB");
        }
        if self.cache.0 < self.most_transfer.0 {
            return wrong(
                "cache",
                self.cache.to_string(),
                "it holds a command of `most_transfer`: write as much or more",
            );
        }
        if self.seek_least > self.seek_most {
            return wrong("seek_least", self.seek_least.to_string(), "write no more than `seek_most`");
        }
        if self.fault_port >= self.sata_ports.0 && self.fault != Fault::Nothing {
            return wrong("fault_port", self.fault_port.to_string(), "write a port below `sata_ports`");
        }
        if !(1..=MOST_MEMBERS).contains(&self.members.0) {
            return wrong("members", self.members.0.to_string(), "write 1 to 16 drives");
        }
        if self.members.0 > 1 && (!self.chunk.0.is_multiple_of(FIS_BYTES) || self.chunk.0 == 0) {
            return wrong("chunk", self.chunk.to_string(), "write a multiple of 8 KiB");
        }
        if let Some(inner) = self.inner_rate.0.filter(|inner| inner.0 > self.media_rate.0) {
            return wrong("inner_rate", inner.print(), "write no more than `media_rate`");
        }
        if self.protocol == Protocol::Ahci
            && let Some(lanes) = self.expander_lanes.0
        {
            return wrong("expander_lanes", lanes.0.to_string(), "an expander is of SAS: write `protocol: sas`");
        }
        let unlike = self.protocol == Protocol::Ahci && self.commands.0 > MOST_SLOTS;
        unlike.then(|| Wrong {
            field: "commands",
            value: self.commands.0.to_string(),
            help: "an AHCI port has 32 command slots".into(),
        })
    }

    fn engine(&self) -> Option<CardParams> {
        Some(CardParams {
            tx_latency: self.tx_latency,
            rx_latency: self.rx_latency,
            fifo: self.fifo,
            ..CardParams::of_queues(self.read_requests, self.tag_bits, self.read_request)
        })
    }

    fn turns(&self, _: bool) -> Vec<Bytes> {
        let zones = if self.device == Device::Disk && self.inner_rate.0.is_some() { self.zones.0.max(1) } else { 1 };
        // An array is at the end of a zone when all of its drives are.
        let end = |zone: u64| u128::from(self.capacity.0) * u128::from(zone) / u128::from(zones);
        (1..zones).map(|zone| Bytes((end(zone) * u128::from(self.members.0.max(1))) as u64)).collect()
    }

    fn rows(&self, demand: &Demand) -> Vec<Row> {
        let lanes = |lanes: Count| Rate(lanes.0 as f64 * FIS_BYTES as f64 / self.on_wire(FIS_BYTES).as_secs());
        let expander = self.expander_lanes.0.map(|count| Row::new(EXPANDER, lanes(count), Shared::Part(0)));
        expander.into_iter().chain(self.drive_rows(demand)).collect()
    }

    fn queues(&self, demand: &Demand, host: &HostParams) -> Option<Queues> {
        let reads = demand.operation == DISK_READ;
        let (commands, bytes) = self.split(demand.command.0.max(1));
        let each = commands as f64;
        let mut written = vec![Beside { each, bytes: TOLD_BYTES }];
        if host.notice == Notice::Interrupt {
            written.push(Beside { each: each / self.slots() as f64, bytes: REGISTER_BYTES });
        }
        let fetched = self.fetched(bytes);
        let stored = if self.protocol == Protocol::Ahci { 2.0 } else { 1.0 };
        let fis = Time::from_secs_f64(COMMAND_FIS_BYTES as f64 / self.sata_rate.0).unwrap_or_default();
        let chunk = self.on_wire(bytes.min(FIS_BYTES));
        // The first FIS of a read goes when the drive has its data.
        let first = self.mean_moved(demand, bytes.min(FIS_BYTES), true);
        let position = if reads && demand.work.order == Order::Random { self.least_position() } else { Time::ZERO };
        Some(Queues {
            written,
            steps: fetched.len() as u64,
            // The next step begins as soon as the data of one is there.
            received: 1,
            fetched: fetched.into_iter().map(|bytes| Beside { each, bytes }).collect(),
            stored: vec![Beside { each: each * stored, bytes: REGISTER_BYTES }],
            latency: self.command_latency + fis + position + if reads { first + chunk } else { Time::ZERO },
            after: self.completion_latency + if reads { Time::ZERO } else { chunk },
            pace: reads.then(|| self.pace(demand, bytes, true)),
            paced: Bytes(bytes.saturating_sub(FIS_BYTES)),
            most: Working::InEachQueue(self.slots() * self.members.0.max(1)),
            jobs: 1,
            loaded: u64::from(self.protocol == Protocol::Ahci),
            ..Queues::default()
        })
    }
}

/// Machines with SATA drives that come with the program.
const MACHINES: &[(&str, &str)] = &[
    ("ahci-x1-cards", include_str!("../../../../systems/ahci-x1-cards.yaml")),
    ("e5-2600-storage", include_str!("../../../../systems/e5-2600-storage.yaml")),
];
