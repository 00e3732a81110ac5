//! A run: builds fabric and parts from a scenario, runs the event loop, and computes the outcome.

mod assemble;
mod balance;
mod conclusion;
pub(crate) mod error;
mod loopback;
pub(crate) mod options;
pub(crate) mod outcome;
mod prolong;

use crate::engine::flows::{Flows, Until};
use crate::engine::queue::Event;
use crate::engine::trace::{Nobody, Sink, Tracer};
use crate::engine::window::{Need, Starvation, needs};
use crate::link::fabric::Fabric;
use crate::parts::{Provider, Seated};
use crate::run::assemble::assemble;
use crate::run::conclusion::{outcome, with_window};
use crate::run::error::SimError;
use crate::run::loopback::whole;
use crate::run::options::{Brief, Options, Told};
use crate::run::outcome::Outcome;
use crate::run::prolong::{Patience, prolonged};
use pcie::{Bytes, Time};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use system::Scenario;
use system::loopback::Halves;

/// Longer runs are given up. The range of [`Time`](pcie::Time) is five hours, which leaves room for what parts decide
/// ahead of the events.
const LONGEST: Time = Time::from_us(100_000_000);

/// Events between two checks for interruption, which are also the reports of progress.
const LOOK_EVERY: u64 = 1 << 16;

/// Runs `scenario` until every flow has moved its volume. Where the flows are then not active together for long enough,
/// a second run extends them until they are, and gives the rates.
///
/// # Errors
/// [`SimError::Stuck`] where a flow can never end, [`SimError::TooLong`] where it would take more than 100 s of
/// simulated time, [`SimError::NoBar`] where a flow has no target memory, [`SimError::Kind`] where a part is not
/// possible as described, [`SimError::Part`] where a part breaks its contract. [`SimError::Unbalanced`] is an internal
/// error.
pub fn run(scenario: &Scenario, options: &Options<'_>) -> Result<Outcome, SimError> {
    run_any(scenario, options, None, &mut Nobody)
}

/// Refuses what [`run`] would refuse before it starts, at the cost of building the parts. Parts that neither `kinds` nor a
/// registered provider builds are not looked at.
///
/// # Errors
/// [`SimError::NoBar`] where a flow has no target memory, [`SimError::Kind`] where a part or its software is not possible
/// as described.
pub fn check(scenario: &Scenario, kinds: &[&dyn Provider]) -> Result<(), SimError> {
    let halves = Halves::new(&scenario.flows);
    assemble::check(&halves.scenario(scenario), kinds)
}

/// Runs `scenario` as [`run`] does, with the same outcome, and gives all records to `sink` until the flows have moved
/// their volumes.
///
/// # Errors
/// Those of [`run`].
pub fn run_traced(scenario: &Scenario, options: &Options<'_>, sink: &mut impl Sink) -> Result<Outcome, SimError> {
    run_any(scenario, options, Some(Box::default()), sink)
}

fn run_any(
    scenario: &Scenario,
    options: &Options<'_>,
    trace: Option<Box<Tracer>>,
    sink: &mut impl Sink,
) -> Result<Outcome, SimError> {
    if let Some(brief) = options.brief {
        return run_briefly(scenario, options, brief);
    }
    let halves = Halves::new(&scenario.flows);
    let expanded = halves.scenario(scenario);
    let needs = needs(scenario, &halves, Need::within);
    let mut course = Course::new(&expanded, &needs, Until::FirstEnds, options)?;
    course.fabric.flip = options.flip;
    course.fabric.trace = trace;
    let end = course.go(sink)?;
    let partial = end == RunEnd::Interrupted;
    let ended = outcome(&expanded, &mut course.fabric, partial, |delivered| Starvation::Interrupted { delivered })?;
    if partial || ended.window.is_ok() {
        return Ok(whole(ended, &halves));
    }
    // What the first run took is given back before the second begins.
    let Course { fabric, nodes, .. } = course;
    let flows = fabric.flows;
    drop((nodes, fabric.directions, fabric.opened, fabric.closed, fabric.tlps, fabric.queue));
    let went_on = go_on(scenario, options, &flows)?;
    Ok(whole(with_window(ended, went_on), &halves))
}

/// Runs `scenario` until its window closes.
fn run_briefly(scenario: &Scenario, options: &Options<'_>, brief: Brief) -> Result<Outcome, SimError> {
    let extended = brief.prolonged.then(|| prolonged(scenario, options.kinds));
    let of = if brief.prolonged { Need::beyond } else { Need::within };
    let run = extended.as_ref().unwrap_or(scenario);
    let halves = Halves::new(&run.flows);
    let mut needs = needs(scenario, &halves, of);
    needs.iter_mut().for_each(|need| *need = need.part(brief.warm_part, brief.part));
    let run = halves.scenario(run);
    let mut course = Course::new(&run, &needs, Until::AllHaveEnough, options)?;
    let partial = course.go(&mut Nobody)? != RunEnd::Done;
    let ended = outcome(&run, &mut course.fabric, partial, |delivered| Starvation::Interrupted { delivered })?;
    Ok(whole(ended, &halves))
}

/// Runs the same flows again, extended until each has moved enough while all others were active. `ended` is what they
/// did in the first run.
fn go_on(scenario: &Scenario, options: &Options<'_>, ended: &Flows) -> Result<Outcome, SimError> {
    let endless = prolonged(scenario, options.kinds);
    let halves = Halves::new(&endless.flows);
    let needs = needs(scenario, &halves, Need::beyond);
    let endless = halves.scenario(&endless);
    let mut course = Course::new(&endless, &needs, Until::AllHaveEnough, options)?;
    course.patience = Some(Patience::after(ended, &needs));
    let end = course.go(&mut Nobody)?;
    let flows = &course.fabric.flows;
    let (others, time) = (flows.all_delivered, course.fabric.now);
    let ended_early = flows.ended_early().and_then(|flow| endless.flows.get(flow)).map(|flow| flow.name.clone());
    outcome(&endless, &mut course.fabric, end == RunEnd::Interrupted, |delivered| match (end, ended_early) {
        (RunEnd::Interrupted, _) => Starvation::Interrupted { delivered },
        (_, Some(ended)) => Starvation::Ended { delivered, ended },
        (RunEnd::Stuck, None) => Starvation::Stuck { delivered },
        _ => Starvation::Outrun { delivered, others: Bytes(others - delivered.0), time },
    })
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RunEnd {
    /// All flows have ended, or have moved enough, or one of them starves.
    Done,
    Interrupted,
    /// Nothing moves any more.
    Stuck,
    /// It would take more simulated time than allowed.
    TooLong,
    /// A part broke its contract.
    Fault,
}

/// One run.
struct Course<'a> {
    scenario: &'a Scenario,
    fabric: Fabric,
    nodes: Vec<Option<Seated>>,
    options: &'a Options<'a>,
    /// For extended flows: when a flow counts as starving.
    patience: Option<Patience>,
}

impl<'a> Course<'a> {
    fn new(
        scenario: &'a Scenario,
        needs: &[Need],
        until: Until,
        options: &'a Options<'a>,
    ) -> Result<Course<'a>, SimError> {
        let (fabric, nodes) = assemble(scenario, needs, until, options)?;
        Ok(Course { scenario, fabric, nodes, options, patience: None })
    }

    fn is_done(&self) -> bool {
        let flows = &self.fabric.flows;
        match &self.patience {
            None => flows.are_done() || (self.options.brief.is_some() && flows.closed.is_some()),
            Some(patience) => flows.closed.is_some() || patience.is_over(flows, self.fabric.now),
        }
    }

    fn go(&mut self, sink: &mut impl Sink) -> Result<RunEnd, SimError> {
        sink.begin(self.scenario);
        if let Some(trace) = &mut self.fabric.trace {
            trace.only_packets = sink.only_packets();
        }
        for node in self.nodes.iter_mut().flatten() {
            node.with(&mut self.fabric, |part, context| part.start(context));
        }
        let end = self.events(sink);
        let _ = tell(&mut self.fabric, sink, true);
        match end {
            RunEnd::Fault => Err(fault(self.scenario, &mut self.fabric)),
            RunEnd::Stuck if self.patience.is_none() => Err(stuck(self.scenario, &self.fabric)),
            RunEnd::TooLong if self.patience.is_none() => Err(too_long(self.scenario, &self.fabric)),
            end => Ok(end),
        }
    }

    /// Reports progress. True where the run was interrupted.
    fn look(&self) -> bool {
        if self.options.brief.is_some_and(|brief| self.fabric.queue.handled > brief.most_events) {
            return true;
        }
        if let Some(watch) = self.options.watch {
            let flows = &self.fabric.flows;
            (watch.0)(match &self.patience {
                None => {
                    let (done, of) = flows.delivered();
                    Told { done, of, at_first: of }
                }
                Some(Patience { before, .. }) => {
                    let (done, of) = flows.fulfilled();
                    Told { done: before.saturating_add(done), of: before.saturating_add(of), at_first: *before }
                }
            });
        }
        self.options.interrupted.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    fn events(&mut self, sink: &mut impl Sink) -> RunEnd {
        let every = self.options.brief.map_or(LOOK_EVERY, |brief| brief.most_events.clamp(1, LOOK_EVERY));
        let mut to_look = every;
        while !self.is_done() {
            let fabric = &mut self.fabric;
            if fabric.fault.is_some() {
                return RunEnd::Fault;
            }
            let Some((now, event)) = fabric.queue.pop() else { return RunEnd::Stuck };
            if now > LONGEST {
                return RunEnd::TooLong;
            }
            fabric.now = now;
            handle(fabric, &mut self.nodes, event);
            if tell(fabric, sink, false).is_break() {
                return RunEnd::Interrupted;
            }
            to_look -= 1;
            if to_look == 0 {
                to_look = every;
                if self.look() {
                    return RunEnd::Interrupted;
                }
            }
        }
        if self.fabric.fault.is_some() { RunEnd::Fault } else { RunEnd::Done }
    }
}

/// Gives records to `sink`: a full batch, or all of them where `all`.
#[inline]
fn tell(fabric: &mut Fabric, sink: &mut impl Sink, all: bool) -> ControlFlow<()> {
    fabric.trace.as_mut().map_or(ControlFlow::Continue(()), |trace| trace.pass_on(sink, all))
}

// The loop is there twice, for a sink and for none: without this, neither would have it inside.
#[inline(always)]
fn handle(fabric: &mut Fabric, nodes: &mut [Option<Seated>], event: Event) {
    match event {
        Event::Transmit(direction) => fabric.on_transmit(direction),
        Event::Dllp(direction) => fabric.on_dllp(direction),
        Event::Receive { tlp } => {
            let direction = fabric.tlps[tlp].came_by;
            let part = fabric.directions[direction as usize].to;
            if let Some(node) = &mut nodes[part as usize] {
                node.receive(fabric, tlp);
            }
        }
        Event::Wake { part, token } => {
            if let Some(node) = &mut nodes[part as usize] {
                node.with(fabric, |part, context| part.wake(context, token));
            }
        }
        Event::Delivered => fabric.count_deliveries(),
    }
    while let Some(sent) = fabric.sent.pop() {
        if let Some(node) = &mut nodes[sent.from as usize] {
            node.with(fabric, |part, context| part.sent(context, sent.into()));
        }
    }
}

fn stuck(scenario: &Scenario, fabric: &Fabric) -> SimError {
    let waiting = scenario.flows.iter().zip(&fabric.flows.accounts).find(|(_, account)| !account.is_done());
    let what = waiting.map_or_else(String::new, |(flow, account)| {
        format!("{} has {} of its bytes, and nothing is on its way: a credit pool is too small for one TLP, or a part does not answer", flow.name, account.delivered)
    });
    SimError::Stuck { at: fabric.now, what }
}

fn fault(scenario: &Scenario, fabric: &mut Fabric) -> SimError {
    let (part, what) = fabric.fault.take().map_or_else(Default::default, |fault| *fault);
    let part = scenario.system.parts.get(part as usize).map_or_else(String::new, |part| part.name.clone());
    SimError::Part { part, what }
}

fn too_long(scenario: &Scenario, fabric: &Fabric) -> SimError {
    let waiting = scenario.flows.iter().zip(&fabric.flows.accounts).find(|(_, account)| !account.is_done());
    let (flow, moved) = waiting.map_or_else(Default::default, |(flow, account)| (flow.name.clone(), account.delivered));
    SimError::TooLong { longest: LONGEST, flow, moved: Bytes(moved) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::fabric::Fabric;
    use crate::parts::{self, Arrived, Built, KindError, Label, Leaving, PartContext, Payload, Provider, Purpose};
    use crate::software::resources::Resources;
    use pcie::tlp::Header;
    use system::PartId;
    use system::description::Description;
    use system::experiment::Point;

    /// A machine with `cards` cards below switches of 32, each of which writes `volume` to the host.
    fn machine(cards: usize, volume: &str) -> Scenario {
        let text = format!(
            "title: many cards\n\
             parts:\n\
             \x20 host: {{ part: generic/gen5-host, slots: {{ 'pcie[{leaves}]': gen4 x8 }} }}\n\
             \x20 leaf: {{ part: generic/gen4-switch, count: {leaves}, ports: {{ up: gen4 x8, 'down[{below}]': gen4 x4 }} }}\n\
             \x20 card: {{ part: generic/gen4-card, count: {cards} }}\n\
             links:\n\
             \x20 - host.pcie[i] - leaf[i].up\n\
             \x20 - leaf[i].down[j] - card[{below}*i + j].pcie\n\
             settings: {{ bars: above 4 GiB, segments: root-port }}\n\
             experiments:\n\
             \x20 write: {{ operation: dma-write, drive: card, command: {volume}, volume: {volume}, flows: ['card[i] -> host'] }}\n",
            leaves = cards.div_ceil(32),
            below = cards.min(32),
        );
        let description = Description::from_text("many.yaml", &text).unwrap();
        description.scenario(description.experiment("write").unwrap(), &Point::default()).unwrap()
    }

    /// A card that sends its whole volume at once.
    struct Burst {
        volume: u64,
        base: u64,
        flow: u32,
    }

    impl parts::Part for Burst {
        fn start(&mut self, context: &mut PartContext<'_>) {
            for offset in (0..self.volume).step_by(128) {
                let (address, requester) = (self.base + offset % 4096, pcie::Bdf::default());
                let header = Header::Request { write: true, address, bytes: 128, requester, tag: 0 };
                let label = Label { flow: self.flow, purpose: Purpose::Payload, offset };
                let tell = offset + 128 == self.volume;
                context.send(Leaving { tell, ..Leaving::new(context.now(), header, Payload::Length(128), label) });
            }
        }
        fn receive(&mut self, _: &mut PartContext<'_>, _: Arrived) {}
        fn wake(&mut self, _: &mut PartContext<'_>, _: u32) {}
        fn sent(&mut self, context: &mut PartContext<'_>, sent: parts::Sent) {
            context.ended(sent.flow, sent.end);
        }
    }

    #[derive(Debug)]
    struct Bursts;

    impl Provider for Bursts {
        fn builds(&self, part: &system::Node) -> bool {
            part.kind.is_endpoint()
        }
        fn build(&self, scenario: &Scenario, id: PartId, resources: &mut Resources) -> Result<Built, KindError> {
            let flow = scenario.flows.iter().position(|flow| flow.initiator == id).unwrap();
            let volume = scenario.flows[flow].whole_volume().0;
            let base = resources.payload(scenario, flow)?.base;
            Ok(Built::alone(Burst { volume, base, flow: flow as u32 }))
        }
    }

    fn ran(scenario: &Scenario) -> Fabric {
        let needs = needs(scenario, &Halves::new(&scenario.flows), Need::within);
        let options = Options { kinds: &[&Bursts], ..Options::default() };
        let mut course = Course::new(scenario, &needs, Until::FirstEnds, &options).unwrap();
        course.go(&mut Nobody).unwrap();
        course.fabric
    }

    #[test]
    fn is_what_is_owed_bounded_where_nobody_waits_for_it() {
        let mut scenario = machine(1, "16 MiB");
        scenario.system.remake(|graph| {
            for part in &mut graph.parts {
                let habits = &mut part.habits;
                (habits.posted_headers, habits.posted_data) = (system::field::Cap(None), system::field::Cap(None));
            }
        });
        let fabric = ran(&scenario);
        assert!(fabric.tlp_hops > 100_000, "{}", fabric.tlp_hops);
        for direction in &fabric.directions {
            let room = direction.owed.room();
            assert!(room <= 256, "room for {room} that are owed");
        }
    }

    /// Entries by flow and source over all directions.
    fn entries(cards: usize) -> usize {
        let fabric = ran(&machine(cards, "4 KiB"));
        fabric.directions.iter().map(|d| d.meter.flows.flows().len() + d.sources.used()).sum()
    }

    #[test]
    fn does_what_a_machine_takes_grow_with_its_cards_and_not_with_their_square() {
        let (some, twice) = (entries(128), entries(256));
        assert!(twice <= 2 * some + 64, "{some} entries for 128 cards, {twice} for 256");
    }
}
