//! Software that drives a DMA engine: a thread for each flow, command by command (`docs/model.md`, section A host).

use pcie::Time;
use sim::parts::KindError;
use sim::{Ask, HostMemory, Seen, Signal, Software, Thread};
use std::collections::VecDeque;
use system::kinds::CardParams;
use system::kinds::card::Descriptors;
use system::kinds::{HostParams, host::PAGE_BYTES};
use system::{Flow, PartId, Scenario, Window};

/// The threads of one card on one host.
#[derive(Debug, Default)]
pub struct Threads {
    all: Vec<Commands>,
    /// Where the card writes the status of each thread's commands. That write also stands for the interrupt, where the
    /// host uses interrupts.
    status: Vec<Window>,
}

impl Threads {
    /// Adds a thread for flow `number`, whose initiator is a card with `params` that writes status into `status`.
    ///
    /// # Errors
    /// Those of [`Commands::new`].
    pub fn add(
        &mut self,
        scenario: &Scenario,
        number: usize,
        params: &CardParams,
        status: Window,
    ) -> Result<(), KindError> {
        self.all.push(Commands::new(scenario, number, params)?);
        self.status.push(status);
        Ok(())
    }

    /// These threads as software of `host`.
    pub fn on(self, host: PartId) -> Software {
        let threads = self.all.iter().map(|thread| thread.flow).collect();
        let signals = self.status.into_iter().map(Signal::Written).zip(0..).collect();
        Software { host, driver: Box::new(self.all), threads, signals }
    }
}

/// The state of a thread.
#[derive(Clone, Debug)]
struct Commands {
    flow: u32,
    host: HostParams,
    doorbell_address: u64,
    /// Commands, and those not started yet.
    commands: u64,
    left: u64,
    /// Descriptors that software writes for each command; zero where the card fetches them or needs none.
    descriptors: u64,
    /// Bytes of a descriptor, where the engine starts with each one written: then each descriptor is a doorbell.
    each: Option<u64>,
    plan: VecDeque<Ask>,
    begun: bool,
}

impl Commands {
    /// The software of flow `number`, whose initiator is a card with `params`.
    ///
    /// # Errors
    /// The card has no BAR for doorbells, or no host.
    fn new(scenario: &Scenario, number: usize, params: &CardParams) -> Result<Commands, KindError> {
        let (system, flow) = (&scenario.system, &scenario.flows[number]);
        let refused = |what: &str, help: &str| KindError { what: format!("{}: {what}", flow.name), help: help.into() };
        let root = system.host_for(flow.initiator, flow.target);
        let Some(host) = system.part(root).kind.host() else {
            return Err(refused("it has no host", "link the card to one"));
        };
        let bar = system.largest_bar_from(root, flow.initiator).filter(|bar| bar.bytes >= PAGE_BYTES.0);
        let Some(bar) = bar else { return Err(refused("its card has no BAR for doorbells", "give it one in `bars`")) };
        let pushed = params.descriptors == Descriptors::Pushed;
        Ok(Commands {
            flow: number as u32,
            host: host.into_owned(),
            doorbell_address: bar.base,
            commands: flow.commands(),
            left: flow.commands(),
            descriptors: if pushed { descriptors(params, flow) } else { 0 },
            each: (pushed && params.overlap).then_some(params.descriptor_bytes.0),
            plan: VecDeque::new(),
            begun: false,
        })
    }

    /// Prepares the next command and writes the doorbell, after `before` of CPU time.
    fn ring(&mut self, before: Time) {
        let unmapped = self.host.invalidation(self.commands - self.left);
        self.left -= 1;
        if unmapped > Time::ZERO {
            self.plan.push_back(Ask::Invalidate { flow: self.flow });
        }
        self.spend(before + unmapped + self.host.command_cost);
        let each = self.host.descriptor_cost;
        let cost = each * self.descriptors;
        if cost > Time::ZERO && self.host.descriptors_in_turn {
            self.plan.push_back(Ask::Turn(cost));
        }
        let address = self.doorbell_address;
        match self.each {
            Some(bytes) => {
                for _ in 0..self.descriptors {
                    self.spend(each);
                    self.plan.push_back(Ask::Ring { address, bytes });
                }
            }
            None => {
                self.spend(cost);
                self.plan.push_back(Ask::Ring { address, bytes: self.host.doorbell_bytes.0 });
            }
        }
        self.plan.push_back(Ask::Sleep);
    }

    fn spend(&mut self, time: Time) {
        if time > Time::ZERO {
            self.plan.push_back(Ask::Spend(time));
        }
    }
}

impl Thread for Commands {
    fn next(&mut self, _: Seen, _: &mut HostMemory) -> Ask {
        if self.plan.is_empty() {
            // The end of a command is seen.
            let before = if std::mem::replace(&mut self.begun, true) { self.host.call_cost } else { Time::ZERO };
            match self.left {
                0 => {
                    self.spend(before);
                    self.plan.extend([Ask::End { flow: self.flow, wrong: 0 }, Ask::Leave]);
                }
                _ => self.ring(before),
            }
        }
        self.plan.pop_front().unwrap_or(Ask::Leave)
    }
}

/// Descriptors for one command of `flow`: one for each page.
fn descriptors(params: &CardParams, flow: &Flow) -> u64 {
    flow.command.0.div_ceil(params.page_bytes.0.max(1))
}
