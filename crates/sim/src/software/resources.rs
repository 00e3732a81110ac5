//! The host memory and interrupt messages that devices are given while they are built. Nothing is given twice.

use crate::engine::refusal::KindError;
use crate::software::driver::Software;
use crate::software::message::{MESSAGES, Message};
use system::{PartId, Scenario, Window};

/// Bytes of memory to give below 4 GiB, from `System::memory_address` on.
const LOW_BYTES: u64 = 2 << 30;
/// The end of the memory above 4 GiB; prefetchable BARs are placed from here on.
const HIGH_END: u64 = 1 << 45;
/// The largest buffer of a flow, bytes; longer flows use it repeatedly. A power of two.
const MOST_BYTES: u64 = 16 << 20;
/// Memory is given in pages of this many bytes.
const PAGE_BYTES: u64 = 4096;

/// See the module.
pub struct Resources {
    /// By part; `None` where it is not a host.
    hosts: Vec<Option<Free>>,
    /// How many flows share the memory.
    flows: u64,
    /// Software that no host has taken yet, with its device.
    software: Vec<(PartId, Software)>,
    /// By flow: true where the part that moves it works on bytes.
    bytes: Vec<bool>,
}

/// What a host has left to give.
#[derive(Debug)]
struct Free {
    memory: Window,
    /// Bytes that it had at the start.
    all: u64,
    messages: u32,
}

impl Resources {
    /// All memory and messages of the hosts of `scenario`.
    pub fn new(scenario: &Scenario) -> Resources {
        let system = &scenario.system;
        let of = |(index, part): (usize, &system::Node)| {
            let host = part.kind.host()?;
            let base = system.memory_address(PartId(index));
            let bytes = if host.memory_above_4g { HIGH_END - base } else { LOW_BYTES };
            Some(Free { memory: Window { base, bytes }, all: bytes, messages: 0 })
        };
        let hosts = system.parts.iter().enumerate().map(of).collect();
        let flows = scenario.flows.len();
        Resources { hosts, flows: flows as u64, software: Vec::new(), bytes: vec![false; flows] }
    }

    /// Adds the software of `device`. Its host takes it when that is built.
    pub(crate) fn install(&mut self, device: PartId, software: Vec<Software>) {
        self.software.extend(software.into_iter().map(|own| (device, own)));
    }

    /// All software that no host has taken yet.
    pub(crate) fn installed(&self) -> &[(PartId, Software)] {
        &self.software
    }

    /// Marks flow `number` as moved by a part that works on bytes.
    pub(crate) fn moves_bytes(&mut self, number: usize) {
        if let Some(bytes) = self.bytes.get_mut(number) {
            *bytes = true;
        }
    }

    /// The software that runs on `host`, in order of the devices, each with its device. The provider of the host calls
    /// it; hosts are built after all devices. Each software is returned once.
    pub fn software(&mut self, host: PartId) -> Vec<(PartId, Software)> {
        self.software.extract_if(.., |(_, own)| own.host == host).collect()
    }

    /// True where the memory of flow `number` has real bytes, because the part that moves it works on bytes.
    pub fn works_on_bytes(&self, number: usize) -> bool {
        self.bytes.get(number).is_some_and(|&real| real)
    }

    fn of(&mut self, host: PartId) -> Result<&mut Free, KindError> {
        let none = || KindError { what: "it has no host".into(), help: "link it to one".into() };
        self.hosts.get_mut(host.0).and_then(Option::as_mut).ok_or_else(none)
    }

    /// At least `bytes` of the memory of `host`, from the start of a page on.
    ///
    /// # Errors
    /// There is no such host, or it has no memory left.
    pub fn memory(&mut self, host: PartId, bytes: u64) -> Result<Window, KindError> {
        let free = &mut self.of(host)?.memory;
        let bytes = bytes.max(1).checked_next_multiple_of(PAGE_BYTES).filter(|&bytes| bytes <= free.bytes);
        let none = || KindError {
            what: "its host has no memory left for it".into(),
            help: "write `memory_above_4g: yes`, or fewer flows".into(),
        };
        let bytes = bytes.ok_or_else(none)?;
        let given = Window { base: free.base, bytes };
        *free = Window { base: free.base + bytes, bytes: free.bytes - bytes };
        Ok(given)
    }

    /// Memory for the payload of flow `number` at its host: as long as its volume, at most 16 MiB, which the flow then
    /// uses repeatedly; less where half of the host's memory is not enough for all flows. A flow with a pattern gets all of its window.
    ///
    /// # Errors
    /// Those of [`Resources::memory`], or there is no such flow.
    pub fn payload(&mut self, scenario: &Scenario, number: usize) -> Result<Window, KindError> {
        let none = || KindError { what: "there is no such flow".into(), help: "name one of the scenario's".into() };
        let flow = scenario.flows.get(number).ok_or_else(none)?;
        let host = scenario.system.host_for(flow.initiator, flow.target);
        let share = (self.of(host)?.all / 2 / self.flows.max(1)).max(PAGE_BYTES);
        let most = MOST_BYTES.min(1 << share.ilog2());
        if let Some(pattern) = flow.pattern {
            return self.memory(host, pattern.bytes(flow.command.0.max(1)));
        }
        self.memory(host, flow.whole_volume().0.min(most))
    }

    /// An interrupt message to `host` that no other device has.
    ///
    /// # Errors
    /// There is no such host.
    pub fn message(&mut self, host: PartId) -> Result<Message, KindError> {
        let free = self.of(host)?;
        let data = free.messages;
        free.messages += 1;
        Ok(Message { address: MESSAGES.base, data })
    }
}
