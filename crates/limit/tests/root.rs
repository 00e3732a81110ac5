//! A root complex whose kind another crate defines follows its fields, in the limit and in the simulation, both with
//! the behaviour of a host and with a behaviour of its own.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_limit::limit;
use pcie::tlp::Header;
use pcie::{Bytes, Rate, Time};
use sim::Resources;
use sim::parts::{Arrived, Built, KindError, Part, PartContext, Provider, Registration, Sent, completions, register};
use std::borrow::Cow;
use system::field::Params;
use system::kinds::HostParams;
use system::kinds::kind::{Declaration, Declared, Kind, TreePosition};
use system::{Description, PartId, Point, Scenario};

system::params! {
    /// Memory of an accelerator, and the root ports in front of it.
    pub struct AcceleratorParams {
        /// Payload rate that the memory accepts.
        memory_rate: Rate = Rate(500e6),
        /// From a read request to its data.
        memory_latency: Time = Time::from_ns(300),
        /// True where the memory accepts all that the links deliver.
        direct: bool = false,
    }
}

impl Declared for AcceleratorParams {
    const DECLARATION: Declaration = Declaration {
        word: "accelerator",
        about: "memory of an accelerator behind root ports",
        place: TreePosition::Root,
        operations: &[],
        fields: AcceleratorParams::FIELDS,
        catalogue: &[],
        machines: &[],
        causes: &[],
        default: || Kind::new(AcceleratorParams::default()),
    };

    fn host(&self) -> Option<Cow<'_, HostParams>> {
        let line = if self.direct { Time::ZERO } else { Time::from_secs_f64(64.0 / self.memory_rate.0).unwrap() };
        Some(Cow::Owned(HostParams {
            line_service: line,
            partial_line_service: line,
            read_latency: self.memory_latency,
            ..HostParams::default()
        }))
    }
}

/// Accepts everything at once, and answers reads in the order of arrival.
struct Direct {
    latency: Time,
    asked: std::collections::VecDeque<Arrived>,
    forwards: bool,
}

impl Part for Direct {
    fn start(&mut self, _: &mut PartContext<'_>) {}
    fn receive(&mut self, context: &mut PartContext<'_>, arrived: Arrived) {
        let now = context.now();
        // Traffic for the card below the other port is forwarded there.
        if self.forwards {
            let to = 1 - arrived.port;
            return context.forward(arrived, to, 0, now + self.latency);
        }
        match arrived.header {
            Header::Request { write: true, .. } => {
                context.release(arrived.hold, now);
                context.deliver(arrived.label.flow, u64::from(arrived.data.bytes()), now);
            }
            Header::Request { write: false, .. } => {
                self.asked.push_back(arrived);
                context.wake(0, now + self.latency);
            }
            Header::Completion { .. } => context.refuse(|| "nobody asks for anything".into()),
        }
    }
    fn wake(&mut self, context: &mut PartContext<'_>, _: u32) {
        let request = self.asked.pop_front().unwrap();
        let answers = completions(&request, 64, 64, context.now());
        context.release(request.hold, context.now());
        for completion in answers {
            context.send(completion);
        }
    }
    fn sent(&mut self, _: &mut PartContext<'_>, _: Sent) {}
}

#[derive(Debug)]
struct Accelerators;

impl Provider for Accelerators {
    fn builds(&self, part: &system::Node) -> bool {
        part.kind.of::<AcceleratorParams>().is_some_and(|params| params.direct)
    }
    fn build(&self, scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Built, KindError> {
        let latency = scenario.system.part(id).kind.of::<AcceleratorParams>().unwrap().memory_latency;
        assert!(resources.software(id).is_empty(), "cards drive themselves");
        let forwards = scenario.flows.iter().all(|flow| flow.target != id);
        Ok(Built::alone(Direct { latency, asked: Default::default(), forwards }))
    }
}

const MACHINE: &str = "
title: cards below an accelerator
parts:
  accelerator: { kind: accelerator, mps: 256, slots: { 'root[2]': gen3 x4 } }
  card: { part: generic/gen3-card, count: 2 }
links: ['accelerator.root[i] - card[i].pcie']
experiments:
  write: { operation: dma-write, drive: card, command: 1 MiB, volume: 4 MiB, flows: ['card[0] -> accelerator'] }
  read: { operation: dma-read, drive: card, command: 256 KiB, volume: 4 MiB, flows: ['accelerator -> card[1]'] }
  across: { operation: p2p-write, drive: card, command: 1 MiB, volume: 4 MiB, flows: ['card[0] -> card[1]'] }
";

/// The limit and the simulated rate of `experiment`, in bytes a second.
fn rates(experiment: &str, direct: &str) -> (f64, f64) {
    let text = MACHINE.replace("kind: accelerator,", &format!("kind: accelerator, direct: {direct},"));
    let description = Description::from_text("accelerator.yaml", &text).unwrap();
    let scenario = description.scenario(description.experiment(experiment).unwrap(), &Point::default()).unwrap();
    let outcome = sim::run(&scenario, &dma::options()).unwrap();
    assert_eq!(outcome.flows[0].bytes, Bytes(4 << 20).0);
    (limit(&scenario).together[0].stream.0, outcome.flows[0].stream.unwrap().0)
}

#[test]
fn is_it_limited_by_its_memory_or_by_the_link_alone() {
    register(&[Registration { kind: &AcceleratorParams::DECLARATION, provider: &Accelerators }]).unwrap();
    let near = |(limit, ran): (f64, f64)| ran <= 1.001 * limit && ran > 0.97 * limit;
    let slow = rates("write", "no");
    assert!(near(slow) && (slow.1 / 500e6 - 1.0).abs() < 0.01, "its memory takes 500 MB/s: {slow:?}");
    let quick = rates("write", "yes");
    assert!(near(quick) && quick.1 > 3e9, "a Gen3 x4 carries more than 3 GB/s: {quick:?}");
    for direct in ["no", "yes"] {
        let (read, across) = (rates("read", direct), rates("across", direct));
        assert!(near(read) && read.1 > 2.5e9, "{direct}: {read:?}");
        assert!(near(across) && across.1 > 3e9, "{direct}: {across:?}");
    }
}
