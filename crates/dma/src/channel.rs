//! A channel of a card: what it does for one flow.

use crate::ats::Ats;
use crate::command::Progress;
use crate::memory::ChannelMemory;
use crate::orders::Orders;
use crate::reader::Reader;
use crate::ring::Ring;
use crate::timed::Single;
use crate::writer::Writer;
use sim::parts::{Exit, KindError, Region};
use system::kinds::CardParams;
use system::kinds::card::Descriptors;
use system::{Drive, Flow, Scenario};

/// What the card does for a flow.
pub enum Channel {
    Writer(Writer),
    Reader(Reader),
    Single(Box<Single>),
}

impl Channel {
    #[inline(always)]
    pub fn reader(&mut self) -> Option<&mut Reader> {
        match self {
            Channel::Writer(_) => None,
            Channel::Reader(reader) => Some(reader),
            Channel::Single(single) => Some(&mut single.reader),
        }
    }

    /// Its progress within its commands.
    pub fn progress(&mut self) -> &mut Progress {
        match self {
            Channel::Writer(writer) => &mut writer.progress,
            Channel::Reader(reader) => &mut reader.progress,
            Channel::Single(single) => &mut single.reader.progress,
        }
    }

    /// The channel of flow `number`, which uses `memory`. It gets a queue of its own at the port by which it sends.
    ///
    /// # Errors
    /// No link leads to the target of the flow.
    pub fn new(
        scenario: &Scenario,
        number: usize,
        memory: &ChannelMemory,
        params: &CardParams,
        queues: &mut [u32],
    ) -> Result<Channel, KindError> {
        let (system, flow) = (&scenario.system, &scenario.flows[number]);
        let part = system.part(flow.initiator);
        // What the card sends goes to the target, and where that is another card, status writes to the host: by the port
        // that leads to it.
        let way = system.path(flow.initiator, flow.target);
        let by = way.first().map(|&on| system.ends(on).0);
        let Some(port) = part.ports.iter().position(|&port| Some(port) == by) else {
            let what = format!("{}: no link leads there", flow.name);
            return Err(KindError { what, help: "join the two in `links`".into() });
        };
        let exit = Exit { port, queue: queues[port], requester: system.bdf_towards(flow.initiator, flow.target) };
        queues[port] += 1;
        let orders = Orders {
            flow: number as u32,
            exit,
            region: memory.payload,
            pattern: flow.pattern,
            aligned: params.aligned,
            command: flow.command.0.max(1),
            volume: flow.whole_volume().0,
            drive: flow.drive,
            stride: stride(params, flow),
            status_address: memory.status.base,
            integrity: scenario.integrity,
            timed: flow.timed,
        };
        let ring = memory
            .ring
            .filter(|_| !flow.timed.is_by_command())
            .map(|ring| Ring::new(number as u32, exit, Region::new(ring)));
        let mut progress = Progress::new(orders, ring);
        progress.ats = Ats::new(scenario, flow, params, Exit { queue: queues[port], ..exit });
        queues[port] += u32::from(progress.ats.is_some());
        if !flow.operation.is_read() {
            return Ok(Channel::Writer(Writer::new(progress, part.write_bytes(), params)));
        }
        let (request, tags) = (part.request_bytes(), part.requests_in_flight());
        #[cfg(feature = "planted")]
        let tags = tags + u64::from(sim::planted::is(sim::planted::ONE_MORE_TAG));
        let reader = Reader::new(progress, request, tags, params);
        if !flow.timed.is_by_command() {
            return Ok(Channel::Reader(reader));
        }
        let writes = flow.timed.writes_first().then(|| part.write_bytes());
        Ok(Channel::Single(Box::new(Single::new(reader, writes, params))))
    }
}

/// How many bytes the engine of `flow` is given at once.
fn stride(params: &CardParams, flow: &Flow) -> u64 {
    match flow.drive {
        Drive::Card if params.overlap && !flow.timed.is_by_command() => flow.whole_volume().0,
        Drive::Software if params.overlap && params.descriptors == Descriptors::Pushed => {
            params.page_bytes.0.clamp(1, flow.command.0.max(1))
        }
        _ => flow.command.0.max(1),
    }
}
