//! Is the software of a device one thing: several threads and flows at one device, interrupts that find their thread by their
//! message, memory that nobody else has?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_sim::parts::{
    Arrived, Built, KindError, Label, Leaving, Part, PartContext, Payload, Provider, Purpose, Sent, patterns,
};
use lanescope_sim::{
    Ask, Driver, HostMemory, Message, Options, Outcome, Resources, Seen, Signal, SimError, Software, run,
};
use pcie::tlp::Header;
use pcie::{Bdf, Time};
use system::{Description, PartId, Point, Scenario, Window};

const MACHINE: &str = "
title: one device with two queues
parts:
  host: { part: generic/gen3-host, slots: { pcie: gen3 x4 }, notice: interrupt }
  card: { part: generic/gen3-card }
links: [host.pcie - card.pcie]
experiments:
  write:
    { operation: dma-write, drive: software, flows: [card -> host, { flow: card -> host }], command: 128 B, volume: 128 B,
      integrity: yes }
";
const BYTES: u64 = 128;

/// What the device and its software agree on: of each queue its memory, its record, its message, and how long it takes.
#[derive(Clone, Copy, Debug)]
struct Queue {
    data: Window,
    record: Window,
    message: Message,
    takes: Time,
}

/// Writes a queue's data, its record, then the message, a while after its doorbell.
struct Device {
    queues: Vec<Queue>,
    /// Where the doorbells are, 8 bytes each.
    registers: u64,
    /// Messages that it sends in the place of its own.
    says: Vec<Message>,
}

impl Device {
    fn write(context: &mut PartContext<'_>, flow: u32, purpose: Purpose, address: u64, data: Box<[u8]>) {
        let header =
            Header::Request { write: true, address, bytes: data.len() as u64, requester: Bdf::default(), tag: 0 };
        let label = Label { flow, purpose, offset: 0 };
        context.send(Leaving::new(context.now(), header, Payload::Bytes(data), label));
    }
}

impl Part for Device {
    fn start(&mut self, _: &mut PartContext<'_>) {}
    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        context.release(arrived.hold, context.now());
        if let Header::Request { write: true, address, .. } = arrived.header {
            let queue = (address - self.registers) / 8;
            context.wake(queue as u32, context.now() + self.queues[queue as usize].takes);
        }
    }
    fn wake(&mut self, context: &mut PartContext<'_>, token: u32) {
        let queue = self.queues[token as usize];
        let message = self.says[token as usize];
        Device::write(context, token, Purpose::Payload, queue.data.base, patterns(token, 0, BYTES));
        Device::write(context, token, Purpose::Status, queue.record.base, Box::new(1u64.to_le_bytes()));
        Device::write(context, token, Purpose::Interrupt, message.address, Box::new(message.data.to_le_bytes()));
    }
    fn sent(&mut self, _: &mut PartContext<'_>, _: Sent) {}
}

/// Rings for both queues in its first thread; the second only waits.
#[derive(Debug)]
struct Both {
    queues: Vec<Queue>,
    registers: u64,
    at: [u32; 2],
    /// What it asks for again and again instead.
    first: Option<Ask>,
}

impl Driver for Both {
    fn next(&mut self, thread: u32, _: Seen, memory: &mut HostMemory) -> Ask {
        if let Some(first) = &self.first {
            return first.clone();
        }
        let step = &mut self.at[thread as usize];
        *step += 1;
        let queue = self.queues[thread as usize];
        let ring = |queue: u64| Ask::Store { address: self.registers + 8 * queue, data: Box::new([0; 8]) };
        match (thread, *step) {
            (0, 1) => ring(0),
            (0, 2) => ring(1),
            (0, 3) | (1, 1) => Ask::Sleep,
            (0, 4) | (1, 2) => {
                let wrong = if memory.word(queue.record.base) == 1 { 0 } else { BYTES };
                Ask::End { flow: thread, wrong }
            }
            _ => Ask::Leave,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Says {
    Own,
    /// Each the other's message.
    Crossed,
    /// A message that nobody has.
    Nobody,
    /// One message for two threads.
    Shared,
    /// Software on a part that is no host.
    Nowhere,
    /// A load of more than 8 bytes.
    Greedy,
    /// Steps without an end.
    Endless,
}

#[derive(Debug)]
struct Devices(Says);

impl Provider for Devices {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.is_endpoint()
    }
    fn works_on_bytes(&self) -> bool {
        true
    }
    fn build(&self, scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        let host = scenario.system.host();
        let mut queue = |takes| -> Result<Queue, KindError> {
            let (data, record) = (resources.memory(host, BYTES)?, resources.memory(host, 8)?);
            Ok(Queue { data, record, message: resources.message(host)?, takes })
        };
        let queues = vec![queue(Time::from_us(5))?, queue(Time::from_us(2))?];
        let registers = scenario.system.bar_address(id).unwrap();
        let mut says: Vec<Message> = queues.iter().map(|queue| queue.message).collect();
        match self.0 {
            Says::Crossed => says.reverse(),
            Says::Nobody => says[0].data = 99,
            _ => {}
        }
        let mut signals: Vec<(Signal, u32)> =
            queues.iter().map(|queue| Signal::Message(queue.message)).zip(0..).collect();
        if self.0 == Says::Shared {
            signals[1].0 = signals[0].0;
        }
        let host = if self.0 == Says::Nowhere { PartId(999) } else { host };
        let first = match self.0 {
            Says::Greedy => Some(Ask::Load { address: registers, bytes: 9 }),
            Says::Endless => Some(Ask::Turn(Time::ZERO)),
            _ => None,
        };
        let driver = Box::new(Both { queues: queues.clone(), registers, at: [0; 2], first });
        let software = Software { host, driver, threads: vec![0, 1], signals };
        Ok(Built { part: Box::new(Device { queues, registers, says }), software: vec![software] })
    }
}

fn ran(says: Says) -> Result<Outcome, SimError> {
    ran_on(says, &[])
}

fn ran_on(says: Says, settings: &[&str]) -> Result<Outcome, SimError> {
    let mut description = Description::from_text("one.yaml", MACHINE).unwrap();
    settings.iter().for_each(|setting| description.set(setting).unwrap());
    let scenario = description.scenario(description.experiment("write").unwrap(), &Point::default()).unwrap();
    run(&scenario, &Options { kinds: &[&Devices(says)], ..Options::default() })
}

#[test]
fn does_each_interrupt_wake_the_thread_that_has_its_message() {
    let own = ran(Says::Own).unwrap();
    assert!(own.flows[0].app < own.flows[1].app, "the first takes 5 us, the second 2 us: {:?}", own.flows);
    assert!(own.flows.iter().all(|flow| flow.bytes == BYTES && flow.integrity.is_some_and(|whole| whole.wrong == 0)));
    let crossed = ran(Says::Crossed).unwrap();
    assert!(crossed.flows[0].app > crossed.flows[1].app, "each is woken by the other's: {:?}", crossed.flows);
}

#[test]
fn does_an_interrupt_wait_for_the_writes_before_it() {
    let took = |settings: &[&str]| BYTES as f64 / ran_on(Says::Own, settings).unwrap().flows[0].app.0 * 1e6;
    let alone = took(&[]);
    // Both queues send through the cap. The record waits for the 128 bytes of data, the message for both.
    let capped = took(&["host.port_cap=10 MB/s"]);
    assert!(capped - alone > 12.8 && capped - alone < 28.0, "{alone} us, {capped} us behind a cap");
    let walked = took(&["host.iommu=yes", "host.walk_latency=100 us"]);
    assert!(walked - alone > 99.0 && walked - alone < 101.0, "{alone} us, {walked} us after a walk");
    // Memory takes 100 us for each of data and record, of both queues.
    let served = took(&["host.write_service=100 us"]);
    assert!(served - alone > 199.0 && served - alone < 401.0, "{alone} us, {served} us after the writes are served");
}

#[test]
fn does_a_message_that_nobody_has_wake_nobody() {
    let ended = ran(Says::Nobody);
    assert!(matches!(ended, Err(SimError::Stuck { .. })), "{ended:?}");
}

#[test]
fn is_software_that_breaks_its_contract_an_error_of_the_run_that_names_its_part() {
    for (says, told) in [
        (Says::Shared, "tells two threads"),
        (Says::Nowhere, "runs on no host"),
        (Says::Greedy, "a load of no bytes or of more than the 8"),
        (Says::Endless, "no end at one instant"),
    ] {
        let error = ran(says).unwrap_err().to_string();
        assert!(error.contains("`card`") && error.contains(told), "{says:?}: {error}");
    }
}

#[test]
fn is_memory_given_once_and_no_more_than_there_is() {
    let text = MACHINE.replace("notice: interrupt", "memory_above_4g: no");
    let description = Description::from_text("one.yaml", &text).unwrap();
    let scenario = description.scenario(description.experiment("write").unwrap(), &Point::default()).unwrap();
    let (host, mut resources) = (scenario.system.host(), Resources::new(&scenario));
    let (a, b) = (resources.memory(host, 100).unwrap(), resources.memory(host, 5000).unwrap());
    assert!(a.bytes >= 100 && b.base >= a.base + a.bytes && b.base.is_multiple_of(4096), "{a:?} {b:?}");
    assert!(resources.memory(host, 3 << 30).is_err(), "there are 2 GiB below 4 GiB");
    assert!(resources.memory(host, u64::MAX).is_err());
    assert!(resources.memory(PartId(1), 1).is_err(), "a card has no memory to give");
    assert_ne!(resources.message(host).unwrap(), resources.message(host).unwrap());
}

/// 32-bit buffers for more flows than 2 GiB has room for at 16 MiB each, also where they go on beyond their volumes.
#[test]
fn do_224_flows_fit_below_4_gib() {
    let text = "
title: many flows
parts:
  host: { part: generic/gen3-host, slots: { 'pcie[7]': gen3 x4 }, memory_above_4g: no }
  leaf: { part: generic/gen3-switch, count: 7, ports: { up: gen3 x4, 'down[32]': gen3 x1 } }
  card: { part: generic/gen3-card, count: 224 }
links: ['host.pcie[i] - leaf[i].up', 'leaf[i].down[j] - card[32*i + j].pcie']
settings: { bars: above 4 GiB, segments: root-port }
experiments:
  write: { operation: dma-write, drive: card, flows: ['card[i] -> host'], command: 4 KiB, volume: 4 KiB }
";
    let description = Description::from_text("many.yaml", text).unwrap();
    let scenario = description.scenario(description.experiment("write").unwrap(), &Point::default()).unwrap();
    let mut resources = Resources::new(&scenario);
    let mut endless = scenario.clone();
    for flow in &mut endless.flows {
        flow.volume = pcie::Bytes(1 << 50);
    }
    let windows: Vec<Window> = (0..224).map(|flow| resources.payload(&endless, flow).unwrap()).collect();
    assert!(windows.iter().all(|window| window.bytes >= 1 << 20), "{windows:?}");
    let outcome = run(&scenario, &dma::options()).unwrap();
    assert!(outcome.flows.iter().all(|flow| flow.bytes >= 4096));
}
