//! Is a part of a crate above held to its contract, and does payload travel for it as lengths and as bytes?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_sim::parts::{
    Arrived, Built, KindError, Label, Leaving, Part, PartContext, Payload, Provider, Purpose, Sent, pattern,
};
use lanescope_sim::{Options, Resources, SimError, run};
use pcie::tlp::Header;
use pcie::{Bdf, Time};
use system::{Description, PartId, Point, Scenario};

/// What the part under test sends when it starts.
#[derive(Clone, Copy, Debug)]
enum Sends {
    /// So many TLPs, of lengths or of bytes.
    Lengths(u32),
    Bytes(u32),
    /// One that is too long.
    TooLong,
    /// One by a port that it does not have.
    ByAnother,
    /// One of a flow that there is not.
    OfAnother,
    /// One that carries less than its header says.
    Short,
    /// One in a queue that it does not have.
    InAnother,
    /// One that leaves before it was decided.
    Early,
    /// A read of nothing.
    AsksNothing,
    /// Nothing, and its flow ends twice at the first instant.
    EndsTwice,
}

const PAYLOAD: u32 = 128;

const MACHINE: &str = "
title: one card
parts:
  host: { part: generic/gen3-host, slots: { pcie: gen3 x4 } }
  card: { part: generic/gen3-card }
links: [host.pcie - card.pcie]
experiments:
  write:
    { operation: dma-write, drive: card, flows: [card -> host], command: 4 KiB, volume: 4 KiB, integrity: yes }
";

struct Sender {
    sends: Sends,
    base: u64,
    left: u32,
}

impl Sender {
    fn send(&mut self, context: &mut PartContext<'_>, offset: u64, port: usize, data: Payload) {
        let bytes = u64::from(data.bytes());
        let header =
            Header::Request { write: true, address: self.base + offset, bytes, requester: Bdf::default(), tag: 0 };
        let label = Label { flow: 0, purpose: Purpose::Payload, offset };
        context.send(Leaving { port, tell: true, ..Leaving::new(context.now(), header, data, label) });
    }
}

impl Sender {
    /// A write of 64 bytes with something changed.
    fn other(&self, context: &mut PartContext<'_>, change: impl FnOnce(&mut Leaving)) {
        let header = Header::Request { write: true, address: self.base, bytes: 64, requester: Bdf::default(), tag: 0 };
        let label = Label { flow: 0, purpose: Purpose::Payload, offset: 0 };
        let mut one = Leaving::new(context.now(), header, Payload::Length(64), label);
        change(&mut one);
        context.send(one);
    }
}

impl Part for Sender {
    fn start(&mut self, context: &mut PartContext<'_>) {
        let all = |n: u32| (0..n).map(|n| u64::from(n * PAYLOAD));
        match self.sends {
            Sends::Lengths(n) => all(n).for_each(|at| self.send(context, at, 0, Payload::Length(PAYLOAD))),
            Sends::Bytes(n) => all(n).for_each(|at| {
                let bytes = (at..at + u64::from(PAYLOAD)).map(|at| pattern(0, at)).collect();
                self.send(context, at, 0, Payload::Bytes(bytes));
            }),
            Sends::TooLong => self.send(context, 0, 0, Payload::Length(8192)),
            Sends::ByAnother => self.send(context, 0, 1, Payload::Length(PAYLOAD)),
            Sends::OfAnother => context.ended(9, context.now()),
            Sends::InAnother => self.other(context, |one| one.queue = 1),
            Sends::Early => self.other(context, |one| one.born = one.ready + Time::from_ns(1)),
            Sends::AsksNothing => self.other(context, |one| {
                one.header = Header::Request { write: false, address: 0, bytes: 0, requester: Bdf::default(), tag: 0 };
                one.data = Payload::Length(0);
            }),
            Sends::EndsTwice => (0..2).for_each(|_| context.ended(0, context.now())),
            Sends::Short => {
                let header =
                    Header::Request { write: true, address: self.base, bytes: 64, requester: Bdf::default(), tag: 0 };
                let label = Label { flow: 0, purpose: Purpose::Payload, offset: 0 };
                context.send(Leaving::new(context.now(), header, Payload::Length(PAYLOAD), label));
            }
        }
    }
    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        context.release(arrived.hold, context.now());
    }
    fn wake(&mut self, _: &mut PartContext<'_>, _: u32) {}
    fn sent(&mut self, context: &mut PartContext<'_>, sent: Sent) {
        self.left += 1;
        if matches!(self.sends, Sends::Lengths(n) | Sends::Bytes(n) if n == self.left) {
            context.ended(sent.flow, sent.end);
        }
    }
}

#[derive(Debug)]
struct Senders(Sends);

impl Provider for Senders {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.is_endpoint()
    }
    fn build(&self, scenario: &Scenario, _: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        let base = resources.payload(scenario, 0)?.base;
        Ok(Built::alone(Sender { sends: self.0, base, left: 0 }))
    }
}

fn ran(sends: Sends) -> Result<lanescope_sim::Outcome, SimError> {
    let description = Description::from_text("one.yaml", MACHINE).unwrap();
    let scenario = description.scenario(description.experiment("write").unwrap(), &Point::default()).unwrap();
    run(&scenario, &Options { kinds: &[&Senders(sends)], ..Options::default() })
}

#[test]
fn do_lengths_and_bytes_travel_alike() {
    let (lengths, bytes) = (ran(Sends::Lengths(32)).unwrap(), ran(Sends::Bytes(32)).unwrap());
    assert_eq!(lengths.flows[0].bytes, 4096);
    assert_eq!((lengths.flows[0].stream, lengths.end), (bytes.flows[0].stream, bytes.end));
    let integrity = bytes.flows[0].integrity.unwrap();
    assert_eq!((integrity.compared, integrity.wrong), (4096, 0));
}

#[test]
fn is_a_part_that_breaks_its_contract_an_error_of_the_run() {
    let ended = ran(Sends::TooLong);
    assert!(
        matches!(&ended, Err(SimError::Part { part, what }) if part == "card" && what.contains("8192 bytes")),
        "{ended:?}"
    );
    let ended = ran(Sends::ByAnother);
    assert!(matches!(&ended, Err(SimError::Part { what, .. }) if what.contains("port 1")), "{ended:?}");
    let ended = ran(Sends::OfAnother);
    assert!(matches!(&ended, Err(SimError::Part { what, .. }) if what.contains("flow 9")), "{ended:?}");
    for (sends, told) in [
        (Sends::InAnother, "queue 1"),
        (Sends::Early, "before it was decided"),
        (Sends::AsksNothing, "asks for 0 bytes"),
        (Sends::EndsTwice, "ends flow 0 twice"),
    ] {
        let ended = ran(sends);
        assert!(matches!(&ended, Err(SimError::Part { what, .. }) if what.contains(told)), "{ended:?}");
    }
    let ended = ran(Sends::Short);
    assert!(matches!(&ended, Err(SimError::Part { what, .. }) if what.contains("says 64 bytes")), "{ended:?}");
}
