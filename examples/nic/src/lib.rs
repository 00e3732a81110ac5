//! A network card: packets from the wire into the buffers of a receive ring, and packets of a transmit ring to the wire.
//!
//! A command of a flow is a batch that software posts with one doorbell. It has as many packets as its bytes need, each with
//! a descriptor and a completion.

mod face;
mod part;

use face::RingFace;
use part::{Card, Queue};
use pcie::{Bytes, PayloadSize, Rate, Time};
use queues::{Blocks, Flows, Job, Jobs, Moderation, Mover, Reader, Ring, blocks_of};
use sim::parts::{Built, KindError, Provider, Registration};
use sim::{Resources, Signal, Software};
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
            loaded: 0,
            steps: 1,
            received: 0,
            latency: Time::ZERO,
            after: if transmits { self.period() } else { Time::ZERO },
            pace: None,
            paced: Bytes(0),
            places: Vec::new(),
            most: Working::InEachQueue(self.cached.0.max(1)),
            jobs: u64::MAX,
            told: if is_late { Told::Late(self.moderation_time) } else { Told::AtOnce },
        })
    }
}

/// Who builds network cards.
#[derive(Debug)]
struct Cards;

fn refuse<T>(what: String, help: &str) -> Result<T, KindError> {
    Err(KindError { what, help: help.into() })
}

impl Provider for Cards {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.of::<NicParams>().is_some()
    }

    fn build(&self, scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        let (system, part) = (&scenario.system, scenario.system.part(id));
        let Some(params) = part.kind.of::<NicParams>() else {
            return refuse("this is no network card".into(), "take it out");
        };
        let own = || scenario.flows.iter().enumerate().filter(|(_, flow)| flow.initiator == id);
        let host = own().next().map_or(system.host(), |(_, flow)| flow.target);
        let (Some(registers), Some(figures)) = (system.largest_bar_from(host, id), system.part(host).kind.host())
        else {
            return refuse("it has no BAR for its doorbells, or no host".into(), "write `bars: 16 KiB`");
        };
        let (mut queues, mut jobs, mut signals) = (Vec::new(), Vec::new(), Vec::new());
        for (number, flow) in own() {
            if flow.target != host {
                return refuse(
                    format!("`{}` goes to another host than its other flows", flow.name),
                    "give a card one host",
                );
            }
            if flow.mixed_with.is_some() {
                return refuse(
                    format!("`{}` both receives and sends", flow.name),
                    "leave `read_share` out: a ring does one of them",
                );
            }
            let (batch, packets) = (flow.command.0.max(1), params.packets(flow.command.0));
            let entries = flow.work.depth.saturating_mul(packets).saturating_add(1);
            if entries > params.ring.0 {
                let what = format!("`{}`: {entries} packets are more than a ring has entries", flow.name);
                return refuse(what, "write a lower `queue_depth`, shorter commands, or a longer `ring`");
            }
            for first in 0..flow.work.jobs {
                let doorbell = registers.base + 8 * queues.len() as u64;
                if doorbell + 8 > registers.base + registers.bytes {
                    return refuse(
                        format!("`{}`: its BAR has no doorbell for so many jobs", flow.name),
                        "write larger `bars`",
                    );
                }
                let mut ring =
                    |bytes| Ok::<_, KindError>(Ring::new(resources.memory(host, entries * bytes)?, entries, bytes));
                let (ring, completions) = (ring(params.descriptor_bytes.0)?, ring(params.completion_bytes.0.max(8))?);
                let message = match figures.notice {
                    Notice::Interrupt => Some(resources.message(host)?),
                    Notice::Polling => None,
                };
                let written = Signal::Written(system::Window {
                    base: completions.at(0),
                    bytes: entries * completions.entry_bytes(),
                });
                signals.push((message.map_or(written, Signal::Message), queues.len() as u32));
                let packet = params.packet_size.0.next_multiple_of(64);
                let flows = Flows { reads: number as u32, writes: number as u32 };
                let (in_flight, reads) = (VecDeque::new(), flow.operation == RECEIVE);
                let face =
                    RingFace { ring, completions, doorbell, stride: packet, packets, posted: 0, seen: 0, in_flight };
                let stride = packets * packet;
                let memory = resources.memory(host, Blocks::memory_bytes(flow.work.depth, stride))?;
                let costs = (figures.command_cost, figures.call_cost);
                let (bytes, most, work) = (batch, batch, flow.work);
                jobs.push(Job::new(
                    face,
                    Blocks { flows, reads, bytes, most, parts: 1, memory, stride, work, first, costs },
                ));
                queues.push(Queue {
                    flow: number as u32,
                    receives: reads,
                    batch,
                    first,
                    jobs: flow.work.jobs,
                    ring,
                    completions,
                    doorbell,
                    message,
                    moderation: Moderation::new(params.moderated.0, params.moderation_time),
                    reader: Reader::default(),
                    buffers: VecDeque::new(),
                    begun: 0,
                    done: 0,
                    missing: VecDeque::new(),
                });
            }
        }
        let threads: Vec<u32> = queues.iter().map(|queue| queue.flow).collect();
        let driver = Box::new(Jobs::new(jobs, own().map(blocks_of).collect()));
        let software = (!threads.is_empty()).then(|| Software { host, driver, threads, signals });
        let mover = Mover::new(scenario, id, host, &system.engine(id).unwrap_or_default());
        Ok(Built { part: Box::new(Card::new(params, queues, mover)), software: software.into_iter().collect() })
    }
}

/// The line that a program registers.
pub const NIC: Registration = Registration { kind: &NicParams::DECLARATION, provider: &Cards };
