//! The figures of a USB host controller with its device, and what it declares.
use super::layout::Layout;
use super::wire::{BusReserve, MICROFRAME, PACKET_BYTES, transaction};
use pcie::{Bytes, PayloadSize, Time};
use system::field::{Count, Holds, Params};
use system::kind::{Declaration, Declared, Kind, Row, Shared, TreePosition, Wrong};
use system::kinds::card::TagBits;
use system::kinds::queues::{Beside, Queues, Told, Working};
use system::kinds::{CardParams, HostParams};
use system::operation::{End, Moves};
use system::{Demand, Operation};

/// Device to host memory: the controller writes it.
pub const BULK_IN: Operation =
    Operation::new("bulk-in", (End::Card, End::Host), Moves::Writes, "a USB device to the host: `usb -> host`")
        .queued();

/// Host memory to device: the controller reads it.
pub const BULK_OUT: Operation =
    Operation::new("bulk-out", (End::Host, End::Card), Moves::Reads, "the host to a USB device: `host -> usb`")
        .queued();

/// What data waits for, in the limit and in the loss budget: the packets on the bus, and the next microframe.
pub(crate) const BUS: &str = "the packets of the USB bus";
pub(crate) const NEXT_MICROFRAME: &str = "the next USB microframe";

/// Bytes of an event, of a status word and of a message.
pub(crate) const EVENT_BYTES: u64 = 16;
pub(crate) const TOKEN_BYTES: u64 = 4;
pub(crate) const MESSAGE_BYTES: u64 = 4;

system::words! {
    /// The interface between controller and software.
    pub enum Interface {
        /// EHCI: qTDs of at most 20 KiB, interrupts at microframes.
        Ehci = "ehci",
        /// xHCI: TRBs of at most 64 KiB, doorbells, an event ring.
        Xhci = "xhci",
    }
}

impl Interface {
    /// The most bytes of a piece of a transfer (EHCI 3.5: five pages; xHCI 4.11.1: TRB Transfer Length).
    pub(crate) fn piece_bytes(self) -> u64 {
        match self {
            Interface::Ehci => 5 * 4096,
            Interface::Xhci => 64 << 10,
        }
    }

    /// Bytes of an entry for one piece (EHCI 3.5; xHCI 4.11).
    pub(crate) fn entry_bytes(self) -> u64 {
        match self {
            Interface::Ehci => 32,
            Interface::Xhci => 16,
        }
    }
}

system::params! {
    /// A USB host controller with one high-speed bulk device behind it.
    ///
    /// **The bus**: a packet of up to 512 bytes is a transaction of 55 byte times more at 480 Mb/s, and ends in the
    /// microframe of 125 us where it begins: 13 packets of 512 bytes fit. A controller that keeps a part for periodic
    /// traffic leaves `bulk_percent` of it: with `reserve: microframe` the end of each microframe, with `reserve: frames`
    /// that share of the microframes.
    ///
    /// **A transfer**: software writes a piece for every 20 KiB (EHCI) or 64 KiB (xHCI) into host memory. An xHCI fetches
    /// pieces after its doorbell; an EHCI has none, and looks every `idle_poll` when it has nothing to do. It fetches
    /// `fetch_ahead` pieces before it needs them. The device is ready `device_latency` after its last transfer. What it sends
    /// goes to host memory packet by packet; what it gets is read into `buffer` before. A packet that is not full ends
    /// the transfer; with `zero_packet`, a transfer of full packets ends with one that is empty. `completion_latency` after the
    /// last packet, an EHCI writes the state of the piece, and interrupts at the next multiple of `interrupt_threshold`
    /// microframes; an xHCI writes an event, and interrupts `moderation` after its last interrupt at the soonest.
    pub struct UsbParams {
        /// The interface between controller and software.
        controller: Interface = Interface::Xhci,
        /// What is kept for periodic traffic.
        reserve: BusReserve = BusReserve::Nothing,
        /// Percent of the bus that are left for bulk transfers, where a part is kept.
        bulk_percent: Count = Count(80); more,
        /// From the end of a transfer to the first packet of the next, at the device.
        device_latency: Time = Time::ZERO,
        /// True where transfers of whole packets end with an empty packet.
        zero_packet: bool = false; chosen,
        /// Pieces that are fetched before the one before has been done.
        fetch_ahead: Count = Count(2); more,
        /// How often an EHCI without work looks for some (Asynchronous Schedule Sleep Time).
        idle_poll: Time = Time::from_us(10),
        /// From the last packet of a piece to its state or event.
        completion_latency: Time = Time::from_ns(500),
        /// Microframes from one time for interrupts to the next, of an EHCI (Interrupt Threshold Control).
        interrupt_threshold: Count = Count(1); chosen less,
        /// From one interrupt to the next at least, of an xHCI (Interrupter Moderation Interval).
        moderation: Time = Time::from_us(40); chosen,
        /// Data between host memory and the bus.
        buffer: Bytes = Bytes(4096); holds(Holds::Payload),
        /// Read requests in flight.
        read_requests: Count = Count(8); more,
        /// Width of the tag field that the function supports.
        tag_bits: TagBits = TagBits::Five; settled,
        /// Largest read request; MRRS bounds it as well.
        read_request: PayloadSize = PayloadSize::MAX,
        /// From a decision of the controller to the first symbol on the link.
        tx_latency: Time = Time::from_ns(200),
        /// From the last symbol on the link to the controller.
        rx_latency: Time = Time::from_ns(200),
    }
}

/// How a transfer is divided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TransferPieces {
    /// Bytes of the transfer, and of a piece at most.
    pub bytes: u64,
    pub most: u64,
    /// True where a piece without data follows.
    pub zero: bool,
}

impl TransferPieces {
    /// How many pieces there are.
    pub fn count(self) -> u64 {
        self.bytes.div_ceil(self.most).max(1) + u64::from(self.zero)
    }

    /// Offset and bytes of a piece.
    pub fn piece(self, number: u64) -> (u64, u64) {
        let offset = (number * self.most).min(self.bytes);
        (offset, (self.bytes - offset).min(self.most))
    }
}

impl UsbParams {
    /// How a transfer of `bytes` is divided.
    pub(crate) fn pieces(&self, bytes: u64) -> TransferPieces {
        let zero = self.zero_packet && bytes.is_multiple_of(PACKET_BYTES);
        TransferPieces { bytes, most: self.controller.piece_bytes(), zero }
    }

    fn layout(&self, bytes: u64) -> Layout {
        Layout::new(bytes, (self.reserve, self.bulk_percent.0), self.zero_packet, self.device_latency)
    }

    /// At which times software is told of ends.
    fn told(&self, demand: &Demand, host: &HostParams) -> Told {
        let layout = self.layout(demand.command.0.max(1));
        match self.controller {
            Interface::Ehci => {
                let period = Time::from_fs(MICROFRAME.as_fs() * self.interrupt_threshold.0);
                Told::Every(period, layout.least_round())
            }
            // Only while it works can a driver see an event without an interrupt.
            Interface::Xhci => {
                let software = (host.command_cost + host.call_cost).as_fs().saturating_mul(demand.work.in_flight());
                let meets = demand.work.in_flight() > 1 && software >= (layout.alone() + self.device_latency).as_fs();
                Told::Apart(if meets { Time::ZERO } else { self.moderation })
            }
        }
    }
}

impl Declared for UsbParams {
    const DECLARATION: Declaration = Declaration {
        word: "usb2-bulk",
        about: "a USB 2.0 host controller with a bulk device",
        place: TreePosition::Endpoint,
        operations: &[BULK_IN, BULK_OUT],
        fields: UsbParams::FIELDS,
        catalogue: &[],
        machines: &[("usb2-bulk", include_str!("../../../../systems/usb2-bulk.yaml"))],
        causes: &[BUS, NEXT_MICROFRAME],
        default: || Kind::new(UsbParams::default()),
    };

    fn check(&self) -> Option<Wrong> {
        let wrong = |field, value: String, help: &str| Some(Wrong { field, value, help: help.into() });
        if !(10..=100).contains(&self.bulk_percent.0) {
            return wrong("bulk_percent", self.bulk_percent.0.to_string(), "write 10 to 100, as in `bulk_percent: 80`");
        }
        if self.buffer.0 < 2 * PACKET_BYTES {
            return wrong("buffer", self.buffer.to_string(), "it holds two packets: write 1024 B or more");
        }
        if self.controller == Interface::Ehci && self.idle_poll == Time::ZERO {
            return wrong(
                "idle_poll",
                "0 s".into(),
                "an EHCI that looks all the time does nothing else: write `10 us`",
            );
        }
        if ![1, 2, 4, 8, 16, 32, 64].contains(&self.interrupt_threshold.0) {
            let help = "Interrupt Threshold Control is 1, 2, 4, 8, 16, 32 or 64 microframes";
            return wrong("interrupt_threshold", self.interrupt_threshold.0.to_string(), help);
        }
        None
    }

    fn engine(&self) -> Option<CardParams> {
        Some(CardParams {
            tx_latency: self.tx_latency,
            rx_latency: self.rx_latency,
            fifo: self.buffer,
            ..CardParams::of_queues(self.read_requests, self.tag_bits, self.read_request)
        })
    }

    fn rows(&self, demand: &Demand) -> Vec<Row> {
        vec![Row::new(BUS, self.layout(demand.command.0.max(1)).rate(), Shared::Part(0))]
    }

    fn queues(&self, demand: &Demand, host: &HostParams) -> Option<Queues> {
        let bytes = demand.command.0.max(1);
        let pieces = self.pieces(bytes).count() as f64;
        // One interrupt can be that of all transfers that are queued.
        let interrupt = Beside { each: 1.0 / demand.work.in_flight().max(1) as f64, bytes: MESSAGE_BYTES };
        let (written, stored) = match self.controller {
            Interface::Ehci => {
                let token = |each| Beside { each, bytes: TOKEN_BYTES };
                (vec![token(1.0), interrupt, token(pieces - 1.0)], Vec::new())
            }
            Interface::Xhci => {
                let doorbell = Beside { each: 1.0, bytes: 4 };
                (vec![Beside { each: 1.0, bytes: EVENT_BYTES }, interrupt], vec![doorbell])
            }
        };
        // The first packet, and then the others: both on a bus that is free.
        let first = transaction(bytes.min(PACKET_BYTES));
        let rest = self.layout(bytes).alone().saturating_sub(first);
        let paced = bytes.saturating_sub(PACKET_BYTES);
        let pace = (paced > 0 && rest > Time::ZERO).then(|| pcie::Rate(paced as f64 / rest.as_secs()));
        Some(Queues {
            written,
            fetched: vec![Beside { each: pieces, bytes: self.controller.entry_bytes() }],
            stored,
            received: 1,
            latency: first,
            after: self.completion_latency,
            pace,
            paced: Bytes(paced),
            most: Working::InEachQueue(MOST_TRANSFERS),
            jobs: 1,
            told: self.told(demand, host),
            ..Queues::default()
        })
    }
}

/// Transfers in a ring at most: more than `queue_depth` can be.
pub(crate) const MOST_TRANSFERS: u64 = 1 << 16;
