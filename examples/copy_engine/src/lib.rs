//! A copy engine: an endpoint that reads a buffer in the memory of its host and writes it to another one there. Software gives it
//! copies in two rings of descriptors.

mod engine;

use engine::{Engine, Ring, Stream};
use pcie::{Bytes, PayloadSize, Time};
use queues::{Job, Moderation, Mover, Numbered, NumberedFace, Transfer, Wiring};
use sim::Resources;
use sim::parts::{Built, KindError, Provider, Registration};
use std::collections::VecDeque;
use system::field::{Cap, Count, Holds, Params};
use system::kind::{Declaration, Declared, Kind, TreePosition, Wrong};
use system::kinds::card::TagBits;
use system::kinds::host::Notice;
use system::kinds::queues::{Beside, Queues, Told, Working};
use system::kinds::{CardParams, HostParams};
use system::operation::{End, Moves};
use system::{Demand, Operation, PartId, Scenario, Wait};

/// From memory to memory: the engine reads and writes.
pub const COPY: Operation = Operation::new(
    "memory-copy",
    (End::Host, End::Card),
    Moves::Both,
    "the host to a copy engine (and back): `host -> engine`",
)
.queued();

/// Rings that an engine has.
pub const QUEUES: u64 = 2;

/// Bytes of a descriptor that are used: source, destination, length.
const DESCRIPTOR: u64 = 24;

system::params! {
    /// An engine with two rings of descriptors, one for each job, which copies within the memory of its host.
    ///
    /// A command is a copy with one descriptor. The engine fetches `fetched` descriptors with one read and works on `cached` of a
    /// ring at most. Both rings take turns, one read request each. Data that was asked for has a place in `read_buffer`, which is
    /// free when its write has gone to `write_buffer`. After the last write of a copy follow its completion of
    /// `completion_bytes`, and an interrupt after `moderated` completions of a ring, or `moderation_time` after the first
    /// one without an interrupt.
    pub struct CopyParams {
        /// Entries of a ring at most.
        ring: Count = Count(1024); chosen more,
        /// Size of a descriptor.
        descriptor_bytes: Count = Count(32); less,
        /// Descriptors fetched with one read.
        fetched: Count = Count(8); more waits(&[Wait::Descriptors]),
        /// Copies of a ring that are not complete: their descriptors are there or have been asked for.
        cached: Count = Count(16); more waits(&[Wait::Descriptors]),
        /// Size of a completion.
        completion_bytes: Count = Count(16); less,
        /// Completions for each interrupt.
        moderated: Count = Count(4); chosen either,
        /// From the first completion without an interrupt to the interrupt.
        moderation_time: Time = Time::from_us(10); chosen,
        /// Read requests in flight.
        read_requests: Count = Count(64); more waits(&[Wait::Tags]),
        /// Width of the tag field that the function supports.
        tag_bits: TagBits = TagBits::Eight; settled,
        /// Largest read request; MRRS bounds it as well.
        read_request: PayloadSize = PayloadSize::MAX; chosen,
        /// Room for data that was asked for.
        read_buffer: Bytes = Bytes(65536); holds(Holds::Requests) waits(&[Wait::Tags]),
        /// Room for writes that wait for the link.
        write_buffer: Bytes = Bytes(8192); holds(Holds::Payload),
    }
}

impl Declared for CopyParams {
    const DECLARATION: Declaration = Declaration {
        word: "copy-engine",
        about: "an engine that copies within host memory, with two rings of descriptors",
        place: TreePosition::Endpoint,
        operations: &[COPY],
        fields: CopyParams::FIELDS,
        catalogue: &[("copy", include_str!("catalogue.yaml"))],
        machines: &[("copy-server", include_str!("../server.yaml"))],
        causes: &[],
        default: || Kind::new(CopyParams::default()),
    };

    fn check(&self) -> Option<Wrong> {
        let (bytes, fetched) = (self.descriptor_bytes.0, self.fetched.0);
        let most = 4096 / bytes;
        let (field, help) = match () {
            _ if !(DESCRIPTOR..=128).contains(&bytes) => {
                ("descriptor_bytes", "write 24 to 128: it has two addresses and a length".into())
            }
            _ if fetched > most => ("fetched", format!("a read asks for 4096 B at most: write {most} or less")),
            _ if self.cached.0 < fetched => {
                ("cached", format!("it has room for what one read brings: write {fetched} or more"))
            }
            _ if self.read_buffer.0 < 4096 => ("read_buffer", "it holds a read request: write 4 KiB or more".into()),
            _ => return None,
        };
        Some(Wrong { field, value: self.get(field).unwrap_or_default(), help })
    }

    fn engine(&self) -> Option<CardParams> {
        Some(CardParams {
            fifo: self.write_buffer,
            completion_buffer: Cap(Some(self.read_buffer)),
            ..CardParams::of_queues(self.read_requests, self.tag_bits, self.read_request)
        })
    }

    fn queues(&self, demand: &Demand, host: &HostParams) -> Option<Queues> {
        let together = self.fetched.0.min(demand.work.depth).max(1);
        let mut written = vec![Beside { each: 1.0, bytes: self.completion_bytes.0 }];
        let interrupts = host.notice == Notice::Interrupt;
        if interrupts {
            written.push(Beside { each: 1.0 / self.moderated.0.max(1) as f64, bytes: 4 });
        }
        let is_late = interrupts && demand.work.depth < self.moderated.0;
        Some(Queues {
            written,
            fetched: vec![Beside { each: 1.0 / together as f64, bytes: together * self.descriptor_bytes.0 }],
            stored: vec![Beside { each: 1.0, bytes: 8 }],
            entries: Working::InEachQueue(self.cached.0 * demand.work.jobs),
            jobs: QUEUES,
            told: if is_late { Told::Late(self.moderation_time) } else { Told::AtOnce },
            ..Queues::default()
        })
    }
}

/// The descriptor of a copy between the halves of a block's memory, `half` bytes each.
fn descriptor(copy: Transfer, half: u64, bytes: u64) -> Vec<u8> {
    let mut entry = [copy.address, copy.address + half, copy.bytes].map(u64::to_le_bytes).concat();
    entry.resize(bytes as usize, 0);
    entry
}

/// Who builds copy engines.
#[derive(Debug)]
struct Engines;

impl Provider for Engines {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.of::<CopyParams>().is_some()
    }

    fn build(&self, scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        let Some(params) = scenario.system.part(id).kind.of::<CopyParams>() else {
            return Err(KindError { what: "this is no copy engine".into(), help: "take it out".into() });
        };
        let mut wiring = Wiring::new(scenario, id, resources)?;
        let (mut jobs, mut rings, mut streams) = (Vec::new(), Vec::new(), Vec::new());
        for (number, flow) in wiring.flows() {
            if rings.len() as u64 + flow.work.jobs > QUEUES {
                let what = format!("`{}`: a copy engine has two queues, one for each job", flow.name);
                return Err(KindError { what, help: "write two `jobs` at most, of all its flows together".into() });
            }
            let (half, bytes) = (flow.command.0.next_multiple_of(4096), params.descriptor_bytes.0);
            let (reads, writes, left) = (number as u32, wiring.counted(number), flow.whole_volume().0);
            streams.push(Stream { reads, writes, left });
            for first in 0..flow.work.jobs {
                let entries = (flow.work.depth.saturating_add(1), params.ring.0);
                let pair = wiring.pair(number, entries, (bytes, params.completion_bytes.0))?;
                let face = NumberedFace::new(pair, 1, move |copy, _| descriptor(copy, half, bytes));
                jobs.push(Job::new(face, wiring.blocks(number, first, true, 2 * half)?));
                let moderation = Moderation::new(params.moderated.0, params.moderation_time);
                let queue = Numbered::new(reads, pair, (params.fetched.0, params.cached.0), moderation);
                let (offset, step) = (first * flow.command.0, flow.work.jobs * flow.command.0);
                rings.push(Ring { queue, stream: streams.len() - 1, copies: VecDeque::new(), offset, step });
            }
        }
        let mover = Mover::new(scenario, id, wiring.host(), &scenario.system.engine(id).unwrap_or_default());
        let engine = Engine::new(params.read_buffer.0, rings, streams, mover);
        Ok(Built { part: Box::new(engine), software: wiring.software(jobs) })
    }
}

/// The line that a program registers.
pub const COPY_ENGINE: Registration = Registration { kind: &CopyParams::DECLARATION, provider: &Engines };
