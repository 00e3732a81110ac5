//! What one card needs for a scenario: its build, its settings, and a stream for each of its flows.

use crate::bars::bars;
use crate::builds::{BUILDS, Build, MAX_PAYLOAD, MAX_REQUEST, WINDOW_BITS};
use crate::pingpong;
use crate::refusal::refuse;
use pcie::{Bdf, Time};
use sim::parts::{KindError, MOST_REAL_BYTES, origin};
use sim::{Message, Resources};
use system::field::Cap;
use system::kinds::CardParams;
use system::kinds::card::{Design, Gateware};
use system::kinds::host::Notice;
use system::{Drive, Flow, Operation, PartId, Scenario, System, Window};

/// Bytes of a stream's descriptor ring, and of its record ring.
const RING_BYTES: u64 = 64 << 10;

/// The host memory of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// Of the application.
    pub data: Window,
    /// The descriptor ring.
    pub ring: Window,
    /// The record ring.
    pub records: Window,
    /// Its interrupt message, where the host uses interrupts.
    pub message: Option<Message>,
}

/// The origin of the data of a stream into the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FedBy {
    /// Data that the engine reads from host memory.
    Reads,
    /// Data that other cards write into the window.
    Window,
}

/// A flow at this card.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    pub flow: u32,
    pub origin: u32,
    /// Bytes of one command, and of all.
    pub frame: u64,
    pub volume: u64,
    pub drive: Drive,
    /// The largest number of bytes of a command at the engine's port.
    pub most: u64,
    /// Host memory, for flows to or from it; empty for others.
    pub memory: Memory,
    /// The target of its commands.
    pub target: Window,
    pub fed_by: Option<FedBy>,
    /// True where a FIFO sends its data on.
    pub feeds: bool,
    /// True where its bytes are those of the flow. The ping-pong sends its own.
    pub is_compared: bool,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Wiring {
    pub build: Build,
    pub design: Design,
    pub period: Time,
    pub id: Bdf,
    /// Device Control: MPS and MRRS.
    pub control: u16,
    pub mps: u64,
    pub msix: bool,
    pub tx_latency: Time,
    pub rx_latency: Time,
    /// Time between the end of a command that the design gives and the next one.
    pub pause: Time,
    pub fifo: u64,
    /// BAR 0 and BAR 2.
    pub bars: [Window; 2],
    pub reads: Option<Stream>,
    pub writes: Option<Stream>,
    pub sends: Option<Stream>,
    pub arrives: Option<Stream>,
}

impl Wiring {
    /// The wiring of card `id`.
    ///
    /// # Errors
    /// Something that this engine does not support.
    pub fn new(scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Wiring, KindError> {
        let part = scenario.system.part(id);
        let engine = scenario.system.engine(id).filter(|_| part.kind.card().is_some());
        let Some(params) = &engine else { return refuse("only a card has gateware", "take it out") };
        if part.ports.len() != 1 {
            return refuse("the engine has one port", "describe it with one: `ports: { pcie: gen3 x8 }`");
        }
        let build = build(params)?;
        let Cap(Some(clock)) = params.core_clock else {
            return refuse("an engine has a clock", "write `core_clock: 250 MHz`");
        };
        let mps = part.mps.bytes().min(MAX_PAYLOAD);
        if params.payload.0.is_some_and(|payload| payload.0 < mps) {
            return refuse(
                format!("the engine writes TLPs of MPS, which is {mps} bytes here"),
                format!("write a payload of {mps} bytes or more"),
            );
        }
        let mrrs = part.request_bytes().min(MAX_REQUEST);
        let code = |bytes: u64| (bytes / 128).max(1).ilog2() as u16;
        let host = scenario.system.hosts_of(id).next().and_then(|host| scenario.system.part(host).kind.host());
        let mut wiring = Wiring {
            build,
            design: params.design,
            period: Time::from_fs(1_000_000_000_000_000 / clock.0.max(1)),
            id: part.ports.first().map(|&port| scenario.system.port(port).bdf).unwrap_or_default(),
            control: code(mps) << 5 | 1 << 8 | code(mrrs) << 12,
            mps,
            msix: host.is_some_and(|host| host.notice == Notice::Interrupt),
            tx_latency: params.tx_latency,
            rx_latency: params.rx_latency,
            pause: params.command_latency,
            fifo: params.fifo.0,
            bars: bars(part)?,
            reads: None,
            writes: None,
            sends: None,
            arrives: None,
        };
        for (number, flow) in scenario.flows.iter().enumerate() {
            wiring.add(scenario, id, number, flow, resources)?;
        }
        wiring.join(scenario)?;
        Ok(wiring)
    }

    fn add(
        &mut self,
        scenario: &Scenario,
        id: PartId,
        number: usize,
        flow: &Flow,
        resources: &mut Resources,
    ) -> Result<(), KindError> {
        let part = scenario.system.part(id);
        let Some(params) = part.kind.card() else { return Ok(()) };
        let (frame, volume) = (flow.command.0.max(1), flow.whole_volume().0);
        let is_host = |part: PartId| scenario.system.part(part).kind.is_root();
        let most = MOST_REAL_BYTES.0;
        if is_host(flow.target) && flow.initiator == id && volume > most {
            return refuse(
                format!("`{}` moves {volume} bytes, and real bytes have room for {most}", flow.name),
                "write a smaller volume",
            );
        }
        let memory = match is_host(flow.target) && flow.initiator == id {
            true => Memory {
                data: resources.memory(flow.target, volume)?,
                ring: resources.memory(flow.target, RING_BYTES)?,
                records: resources.memory(flow.target, RING_BYTES)?,
                message: if self.msix { Some(resources.message(flow.target)?) } else { None },
            },
            false => Memory::default(),
        };
        let target = if is_host(flow.target) { memory.data } else { peer(&scenario.system, id, flow.target)? };
        let stream = Stream {
            flow: number as u32,
            origin: origin(scenario, number) as u32,
            frame,
            volume,
            drive: if pingpong::is_echo(scenario, number) { Drive::Card } else { flow.drive },
            most: params.page_bytes.0,
            memory,
            target,
            fed_by: None,
            feeds: false,
            is_compared: params.design != Design::PingPong,
        };
        let (mine, theirs) = (flow.initiator == id, flow.target == id);
        let slot = match flow.operation {
            Operation::DmaRead if mine => &mut self.reads,
            Operation::DmaWrite if mine => &mut self.writes,
            Operation::P2pWrite if mine => &mut self.sends,
            Operation::P2pWrite | Operation::PioWrite if theirs => &mut self.arrives,
            Operation::P2pRead | Operation::PioRead if mine || theirs => {
                return refuse(
                    format!("`{}`: nobody reads from this engine's window", flow.name),
                    "write to the card, or let the card write",
                );
            }
            _ => return Ok(()),
        };
        if slot.is_some() {
            return refuse(
                format!("`{}` is the second flow of its kind at `{}`", flow.name, part.name),
                "the engine has one stream of each kind: give it one flow of each",
            );
        }
        if params.design == Design::PingPong {
            pingpong::check(scenario, number)?;
        } else if flow.operation == Operation::P2pWrite && mine && flow.drive == Drive::Software {
            return refuse(
                format!("`{}`: the engine's card-to-card port belongs to the design, not to software", flow.name),
                "write `drive: card`",
            );
        }
        *slot = Some(stream);
        Ok(())
    }

    /// Connects streams that feed one another.
    fn join(&mut self, scenario: &Scenario) -> Result<(), KindError> {
        for stream in [&mut self.writes, &mut self.sends].into_iter().flatten() {
            let Some(from) = scenario.flows.get(stream.flow as usize).and_then(|flow| flow.fed_by) else { continue };
            let fed = [(&mut self.reads, FedBy::Reads), (&mut self.arrives, FedBy::Window)];
            let found =
                fed.into_iter().find_map(|(slot, by)| Some((slot.as_mut().filter(|s| s.flow == from as u32)?, by)));
            let Some((feeder, by)) = found else {
                return refuse("a flow is fed by one that does not come here", "write the chain in order");
            };
            if feeder.feeds {
                return refuse("two flows are fed by one", "the FIFO has one end");
            }
            feeder.feeds = true;
            stream.fed_by = Some(by);
        }
        Ok(())
    }
}

/// The build selected by the fields of the card.
fn build(params: &CardParams) -> Result<Build, KindError> {
    let fits = |build: &&Build| {
        build.width == params.core_width.0 * 8
            && build.tags == params.read_requests.0
            && params.completion_buffer.0.is_none_or(|bytes| bytes.0 == build.completion_buffer)
    };
    if let Some(build) = BUILDS.iter().find(fits) {
        return Ok(*build);
    }
    let all = BUILDS.map(|b| {
        format!(
            "core_width {} B with read_requests {} and completion_buffer {} KiB",
            b.width / 8,
            b.tags,
            b.completion_buffer >> 10
        )
    });
    refuse("no build of the engine has these parameters", format!("these are compiled in: {}", all.join("; ")))
}

/// The target of writes to another card. The top address bit of an engine's window ends a frame.
fn peer(system: &System, from: PartId, target: PartId) -> Result<Window, KindError> {
    let part = system.part(target);
    if let Some(params) = part.kind.card()
        && params.gateware == Gateware::PcieDma
    {
        let [_, window] = bars(part)?;
        return Ok(Window { bytes: window.bytes / 2, ..window });
    }
    match system.largest_bar_from(from, target) {
        // The bit that ends a frame stays within the BAR.
        Some(window) if window.bytes >= 1 << WINDOW_BITS => Ok(Window { bytes: 1 << (WINDOW_BITS - 1), ..window }),
        _ => refuse(format!("`{}` has no BAR of 1 MiB", part.name), "give it one"),
    }
}
