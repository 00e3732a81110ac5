//! A network card: packets from the wire into the buffers of a receive ring, and packets of a transmit ring to the wire.
//!
//! A command of a flow is a batch that software posts with one doorbell. It has as many packets as its bytes need, each with
//! a descriptor and a completion.

mod part;

use part::{Card, Queue};
use pcie::{Bytes, PayloadSize, Rate, Time};
use queues::{Job, Moderation, Mover, Numbered, NumberedFace, Transfer, Wiring};
use sim::Resources;
use sim::parts::{Built, KindError, Provider, Registration};
use std::collections::VecDeque;
use system::field::{Count, Frequency, Holds, Params};
use system::kind::{Declaration, Declared, Kind, Row, Shared, TreePosition, Wrong};
use system::kinds::card::TagBits;
use system::kinds::host::Notice;
use system::kinds::queues::{Beside, Queues, Told, Working};
use system::kinds::{CardParams, HostParams};
use system::operation::{End, Moves};
use system::{Demand, Operation, PartId, Scenario};

/// What packets wait for, in the limit and in the loss budget: the rate that the network offers.
const WIRE: &str = "the wire";

/// Packets from the network into memory: the card writes them.
pub const RECEIVE: Operation =
    Operation::new("nic-receive", (End::Card, End::Host), Moves::Writes, "a network card to the host: `nic -> host`")
        .queued();
/// Packets from memory to the network: the card reads them.
pub const TRANSMIT: Operation =
    Operation::new("nic-transmit", (End::Host, End::Card), Moves::Reads, "the host to a network card: `host -> nic`")
        .queued();

system::params! {
    /// A network card with a receive ring or a transmit ring for each job, in the memory of its host.
    ///
    /// A command is a batch: software writes a descriptor for each packet into the ring, then the doorbell. The card fetches
    /// `fetched` descriptors with one read and keeps `cached` at most. A packet of the network comes in each direction every
    /// 1 / `packet_rate`; one that finds no room in `fifo` stops the network (pause frames). The card writes a completion of
    /// `completion_bytes` for each packet, and an interrupt after `moderated` completions, or `moderation_time` after the first
    /// one without an interrupt.
    pub struct NicParams {
        /// Packets a second that the network offers, and takes.
        packet_rate: Frequency = Frequency(2_030_000),
        /// Bytes of a packet; the last one of a batch may be shorter.
        packet_size: Bytes = Bytes(1500); chosen more,
        /// Entries of a ring at most.
        ring: Count = Count(4096); chosen more,
        /// Size of a descriptor.
        descriptor_bytes: Count = Count(16); less,
        /// Descriptors fetched with one read.
        fetched: Count = Count(8); more,
        /// Descriptors of a ring that the card has, or has asked for, and has not used yet.
        cached: Count = Count(64); more,
        /// Size of a completion.
        completion_bytes: Count = Count(16); less,
        /// Completions for each interrupt.
        moderated: Count = Count(16); chosen either,
        /// From the first completion without an interrupt to the interrupt.
        moderation_time: Time = Time::from_us(20); chosen,
        /// Room for packets in each direction.
        fifo: Bytes = Bytes(65536); holds(Holds::Payload),
        /// Read requests in flight.
        read_requests: Count = Count(32); more,
        /// Width of the tag field that the function supports.
        tag_bits: TagBits = TagBits::Eight; settled,
        /// Largest read request; MRRS bounds it as well.
        read_request: PayloadSize = PayloadSize::MAX,
    }
}

impl NicParams {
    /// Packets of a batch of `bytes`.
    fn packets(&self, bytes: u64) -> u64 {
        bytes.max(1).div_ceil(self.packet_size.0.max(1))
    }
    /// Bytes of packet `number` of batches of `bytes`.
    fn packet(&self, bytes: u64, number: u64) -> u64 {
        self.packet_size.0.min(bytes - number % self.packets(bytes) * self.packet_size.0)
    }
    /// From one packet of the network to the next.
    fn period(&self) -> Time {
        Time::from_secs_f64(1.0 / self.packet_rate.0.max(1) as f64).unwrap_or(Time::FAR)
    }
}

impl Declared for NicParams {
    const DECLARATION: Declaration = Declaration {
        word: "nic",
        about: "a network card with rings in host memory",
        place: TreePosition::Endpoint,
        operations: &[RECEIVE, TRANSMIT],
        fields: NicParams::FIELDS,
        catalogue: &[("nic", include_str!("catalogue.yaml"))],
        machines: &[("nic-server", include_str!("../server.yaml"))],
        causes: &[WIRE],
        default: || Kind::new(NicParams::default()),
    };

    fn check(&self) -> Option<Wrong> {
        let wrong = |field, value: String, help: &str| Some(Wrong { field, value, help: help.into() });
        if !(16..=16384).contains(&self.packet_size.0) {
            return wrong("packet_size", self.packet_size.to_string(), "write 16 B to 16384 B");
        }
        if self.fifo.0 < self.packet_size.0 {
            return wrong(
                "fifo",
                self.fifo.to_string(),
                "it holds a packet of `packet_size`: write as many bytes or more",
            );
        }
        if !(8..=64).contains(&self.descriptor_bytes.0) {
            return wrong("descriptor_bytes", self.descriptor_bytes.0.to_string(), "write 8 to 64: it has an address");
        }
        if self.fetched.0 * self.descriptor_bytes.0 > 4096 {
            return wrong("fetched", self.fetched.0.to_string(), "a read asks for 4096 B at most");
        }
        None
    }

    fn engine(&self) -> Option<CardParams> {
        Some(CardParams {
            fifo: self.fifo,
            ..CardParams::of_queues(self.read_requests, self.tag_bits, self.read_request)
        })
    }

    fn rows(&self, demand: &Demand) -> Vec<Row> {
        let (bytes, packets) = (demand.command.0.max(1), self.packets(demand.command.0));
        let offered = Rate(bytes as f64 * self.packet_rate.0 as f64 / packets as f64);
        vec![Row::new(WIRE, offered, Shared::Way(0))]
    }

    fn queues(&self, demand: &Demand, host: &HostParams) -> Option<Queues> {
        let (packets, transmits) = (self.packets(demand.command.0), demand.operation == TRANSMIT);
        let each = packets as f64;
        let together = self.fetched.0.clamp(1, (demand.work.in_flight() * packets).max(1));
        let mut written = vec![Beside { each, bytes: self.completion_bytes.0 }];
        let interrupts = host.notice == Notice::Interrupt;
        if interrupts {
            written.push(Beside { each: each / self.moderated.0.max(1) as f64, bytes: 4 });
        }
        let is_late = interrupts && demand.work.depth * packets < self.moderated.0;
        Some(Queues {
            written,
            fetched: vec![Beside { each: each / together as f64, bytes: together * self.descriptor_bytes.0 }],
            stored: vec![Beside { each: 1.0, bytes: 8 }],
            after: if transmits { self.period() } else { Time::ZERO },
            most: Working::InEachQueue(self.cached.0.max(1)),
            told: if is_late { Told::Late(self.moderation_time) } else { Told::AtOnce },
            ..Queues::default()
        })
    }
}

/// Who builds network cards.
#[derive(Debug)]
struct Cards;

impl Provider for Cards {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.of::<NicParams>().is_some()
    }

    fn build(&self, scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        let Some(params) = scenario.system.part(id).kind.of::<NicParams>() else {
            return Err(KindError { what: "this is no network card".into(), help: "take it out".into() });
        };
        let mut wiring = Wiring::new(scenario, id, resources)?;
        let (mut queues, mut jobs) = (Vec::new(), Vec::new());
        for (number, flow) in wiring.flows() {
            let (packets, stride) = (params.packets(flow.command.0), params.packet_size.0.next_multiple_of(64));
            let receives = flow.operation == RECEIVE;
            for first in 0..flow.work.jobs {
                let entries = flow.work.depth.saturating_mul(packets).saturating_add(1);
                let bytes = (params.descriptor_bytes.0, params.completion_bytes.0);
                let pair = wiring.pair(number, (entries, params.ring.0), bytes)?;
                let buffer =
                    move |batch: Transfer, packet: u64| (batch.address + packet * stride).to_le_bytes().to_vec();
                let blocks = wiring.blocks(number, first, receives, packets * stride)?;
                jobs.push(Job::new(NumberedFace::new(pair, packets, buffer), blocks));
                let moderation = Moderation::new(params.moderated.0, params.moderation_time);
                let cached = (params.fetched.0, params.cached.0);
                queues.push(Queue {
                    numbered: Numbered::new(number as u32, pair, cached, moderation),
                    flow: number as u32,
                    receives,
                    batch: flow.command.0.max(1),
                    first,
                    jobs: flow.work.jobs,
                    buffers: VecDeque::new(),
                    begun: 0,
                    missing: VecDeque::new(),
                });
            }
        }
        let mover = Mover::new(scenario, id, wiring.host(), &scenario.system.engine(id).unwrap_or_default());
        Ok(Built { part: Box::new(Card::new(params, queues, mover)), software: wiring.software(jobs) })
    }
}

/// The line that a program registers.
pub const NIC: Registration = Registration { kind: &NicParams::DECLARATION, provider: &Cards };
