//! What devices are given of their hosts while they are built: memory, and the messages of their interrupts. What one has been
//! given no other gets.

use crate::engine::refusal::KindError;
use crate::software::driver::Software;
use crate::software::message::{MESSAGES, Message};
use system::{PartId, Scenario, Window};

/// What is free of the memory below 4 GiB from `System::memory_address` on.
const LOW_BYTES: u64 = 2 << 30;
/// Where the memory above 4 GiB ends: prefetchable BARs are placed from there on.
const HIGH_END: u64 = 1 << 45;
/// An application goes through so much memory, again and again, at most; it is a power of two.
const MOST_BYTES: u64 = 16 << 20;
/// What memory is given in.
const PAGE_BYTES: u64 = 4096;

/// See the module.
pub struct Resources {
    /// By part; nothing where that is no host.
    hosts: Vec<Option<Free>>,
    /// How many flows share what there is.
    flows: u64,
    /// Software of devices that no host has yet, and whose it is.
    software: Vec<(PartId, Software)>,
    /// By flow: the part that moves it works on bytes.
    bytes: Vec<bool>,
}

/// What a host has not given yet.
#[derive(Debug)]
struct Free {
    memory: Window,
    /// What it had.
    all: u64,
    messages: u32,
}

impl Resources {
    /// All that the hosts of `scenario` have.
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

    /// `device` has software, which its host gets when that is built.
    pub(crate) fn install(&mut self, device: PartId, software: Vec<Software>) {
        self.software.extend(software.into_iter().map(|own| (device, own)));
    }

    /// All software that no host has yet.
    pub(crate) fn installed(&self) -> &[(PartId, Software)] {
        &self.software
    }

    /// The part that moves flow `number` works on bytes.
    pub(crate) fn moves_bytes(&mut self, number: usize) {
        if let Some(bytes) = self.bytes.get_mut(number) {
            *bytes = true;
        }
    }

    /// The software that runs on `host`, in the order of the devices, each with its device: for who builds the host, which is
    /// built after all devices. Each is given once.
    pub fn software(&mut self, host: PartId) -> Vec<(PartId, Software)> {
        self.software.extract_if(.., |(_, own)| own.host == host).collect()
    }

    /// True where the bytes of flow `number` in the memory of its host are real: the part that moves it works on bytes.
    pub fn works_on_bytes(&self, number: usize) -> bool {
        self.bytes.get(number).is_some_and(|&real| real)
    }

    fn of(&mut self, host: PartId) -> Result<&mut Free, KindError> {
        let none = || KindError { what: "it has no host".into(), help: "link it to one".into() };
        self.hosts.get_mut(host.0).and_then(Option::as_mut).ok_or_else(none)
    }

    /// `bytes` of the memory of `host` or a few more, from the beginning of a page on.
    ///
    /// # Errors
    /// There is no such host, or it has no more.
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

    /// Memory for the payload of flow `number`, at the host of that flow: as long as its volume, or 16 MiB that it goes through
    /// again and again; less where half of the host's memory is not enough for that many flows.
    ///
    /// # Errors
    /// As [`Resources::memory`], or there is no such flow.
    pub fn payload(&mut self, scenario: &Scenario, number: usize) -> Result<Window, KindError> {
        let none = || KindError { what: "there is no such flow".into(), help: "name one of the scenario's".into() };
        let flow = scenario.flows.get(number).ok_or_else(none)?;
        let host = scenario.system.host_for(flow.initiator, flow.target);
        let share = (self.of(host)?.all / 2 / self.flows.max(1)).max(PAGE_BYTES);
        let most = MOST_BYTES.min(1 << share.ilog2());
        self.memory(host, flow.whole_volume().0.min(most))
    }

    /// A message that interrupts `host`, and that no other device has.
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
