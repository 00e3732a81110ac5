//! Builds a scenario from a description and a point.

use crate::amend::Change;
use crate::description::{Description, put_together};
use crate::error::{Error, Problem};
use crate::experiment::axis::Effect;
use crate::experiment::flows::Maker;
use crate::experiment::line::{Take, read_operation};
use crate::experiment::{Axis, Experiment, Point};
use crate::figure::Origin;
use crate::flow::{Flow, Scenario};
use crate::graph::{PartId, PortId, System};
use crate::settle::raise;
use crate::source::Text;
use crate::work::Work;
use crate::written::write::{Target, Write};
use pcie::Bytes;

/// What a choice of an axis writes besides paths of parts: the operation of all flows, which then go the way that it
/// goes.
const OPERATION: &str = "operation";

impl Description {
    /// The machine and its flows at a point of an experiment. Axes without a value in the point keep their described
    /// values; an axis of flows takes its first listed value.
    ///
    /// # Errors
    /// An illegal axis or value, with what would be legal; and those of [`Description::system`].
    pub fn scenario(&self, experiment: &Experiment, point: &Point) -> Result<Scenario, Error> {
        if let Some(formula) = &experiment.formula {
            let problem = Problem::Experiment(format!("`{}` is a formula (`{formula}`), no run", experiment.name));
            return Err(Error::new(&experiment.at.place, problem, "ask for its reference values instead"));
        }
        experiment.check(point)?;
        let writes = self.writes(experiment, point)?;
        let mut spec = self.spec.clone();
        for (path, value) in &experiment.set {
            spec.set(path, value.clone(), Origin::Override(format!("experiment {}", experiment.name)))?;
        }
        let (mut command, mut pattern, mut work) = (experiment.command, experiment.pattern, experiment.work);
        let mut operation = None;
        for (name, value) in &point.0 {
            let axis = experiment.axis(name)?;
            let origin = || Origin::Override(format!("{name}={value}"));
            match &axis.effect {
                Effect::Size => command = axis.size(value)?,
                Effect::Pattern => axis.pattern(value, pattern.get_or_insert_default())?,
                Effect::Work => axis.work(value, &mut work)?,
                Effect::Choice(choices) => {
                    for (path, value) in &axis.choice(choices, value)?.set {
                        match path.text.as_str() {
                            OPERATION => operation = Some(read_operation(value)?),
                            key if Work::KEYS.contains(&key) => axis.work_of(path, value, &mut work)?,
                            _ => spec.set(path, value.clone(), origin())?,
                        }
                    }
                }
                Effect::Set(paths) => {
                    for path in paths {
                        spec.set(path, axis.written(value), origin())?;
                    }
                }
                Effect::Payload | Effect::Flows | Effect::Formula => {}
            }
        }
        self.overrides.iter().try_for_each(|o| o.apply(&mut spec))?;
        let mut system = put_together(&spec)?;
        let payload = experiment.axes.iter().find(|axis| matches!(axis.effect, Effect::Payload));
        let payload = payload.and_then(|axis| Some((axis, point.value(&axis.name)?)));
        if experiment.one_tlp {
            let least = system.parts.iter().map(|part| part.mps.bytes()).min().unwrap_or(128);
            command = Bytes(payload.map_or(Ok(least), |(axis, value)| axis.payload(value))?);
        }
        let maker = Maker { experiment, spec: &spec, system: &system, command, pattern, work, operation };
        let flows = chosen(&maker, point)?;
        if let Some((axis, value)) = payload {
            for (flow, text) in &flows {
                Payer { axis, value, writes: &writes }.pay(&mut system, flow, text)?;
            }
        }
        let flows = match (experiment.chain, work.read_share) {
            (true, _) => chained(flows)?,
            (false, Some(share)) => mixed(&system, flows, share)?,
            (false, None) => flows.into_iter().map(|(flow, _)| flow).collect(),
        };
        Ok(Scenario { system, flows, integrity: experiment.integrity })
    }

    /// Refuses a point at which two settings change one field, as far as possible without the machine.
    /// [`Description::scenario`] checks what a payload changes.
    ///
    /// # Errors
    /// The two settings, and what would be right.
    pub fn agree(&self, experiment: &Experiment, point: &Point) -> Result<(), Error> {
        self.writes(experiment, point).map(drop)
    }

    /// The settings that axes and command line make at a point.
    fn writes(&self, experiment: &Experiment, point: &Point) -> Result<Vec<Write>, Error> {
        let mut all: Vec<Write> = Vec::new();
        for (name, value) in &point.0 {
            let axis = experiment.axis(name)?;
            for path in axis.decides(value, &experiment.name) {
                let write = Write::by_axis(&axis.at, value, &path);
                write.beside(all.iter())?;
                all.push(write);
            }
        }
        self.asked().try_for_each(|asked| asked.beside(all.iter()))?;
        all.extend(self.asked().cloned());
        Ok(all)
    }
}

/// Chains flows: each sends on the data of the flow before it, and starts at the card where that ends.
fn chained(flows: Vec<(Flow, Text)>) -> Result<Vec<Flow>, Error> {
    let mut chain: Vec<Flow> = Vec::new();
    for (flow, text) in flows {
        let fed_by = chain.len().checked_sub(1);
        if let Some(before) = fed_by.map(|from| &chain[from]) {
            let arrives = if before.operation.is_read() { before.initiator } else { before.target };
            if flow.operation.is_read() || flow.operation.is_pio() || flow.initiator != arrives {
                let problem = Problem::Flow(format!("`{}` does not pass on what `{}` brings", flow.name, before.name));
                let help = "write a chain as `host -> card[0]` (dma-read), `card[0] -> card[1]` (p2p-write), `card[1] -> host` (dma-write)";
                return Err(Error::new(&text.place, problem, help));
            }
        }
        chain.push(Flow { fed_by, ..flow });
    }
    Ok(chain)
}

/// Divides flows that read drives into two each, of which the second writes, where `share` percent of the commands read.
fn mixed(system: &System, flows: Vec<(Flow, Text)>, share: u64) -> Result<Vec<Flow>, Error> {
    let mut all: Vec<Flow> = Vec::new();
    for (flow, text) in flows {
        let declared = system.part(flow.initiator).kind.declaration().operations;
        let writes = declared.iter().find(|other| other.is_queued() && other.is_read());
        let reads = flow.operation.is_queued() && flow.operation.shape().writes;
        let Some(&writes) = writes.filter(|_| reads) else {
            let what =
                format!("`{}`: `read_share` is for flows that read a drive, the rest of which then writes", flow.name);
            let help = "write `operation: disk-read`, or leave `read_share` out";
            return Err(Error::new(&text.place, Problem::Flow(what), help));
        };
        // The second of two flows alike has a number, which its other half has too.
        let number = flow.name.find(" #").map_or("", |at| &flow.name[at..]);
        let name = |from, to| format!("{} -> {}{number}", system.part(from).name, system.part(to).name);
        let of = |operation, name, share: u64| {
            let commands = (flow.commands() * share).div_ceil(100).max(1);
            Flow { operation, name, volume: Bytes(flow.command.0 * commands), ..flow.clone() }
        };
        let read = of(flow.operation, flow.name.clone(), share);
        let write = of(writes, name(flow.target, flow.initiator), 100 - share);
        let at = all.len();
        match share {
            0 => all.push(write),
            100 => all.push(read),
            _ => all.extend([Flow { mixed_with: Some(at + 1), ..read }, Flow { mixed_with: Some(at), ..write }]),
        }
    }
    Ok(all)
}

/// The flows that a point selects: those of the set that one axis names, or all, and of these the first ones.
fn chosen(maker: &Maker<'_>, point: &Point) -> Result<Vec<(Flow, Text)>, Error> {
    let experiment = maker.experiment;
    let axes = experiment.axes.iter().filter(|axis| matches!(axis.effect, Effect::Flows));
    let mut asked: Vec<(&Axis, &str)> =
        axes.clone().filter_map(|axis| Some((axis, point.value(&axis.name)?))).collect();
    if asked.is_empty() {
        let first = axes.clone().take(1);
        asked.extend(first.map(|axis| (axis, axis.values.first().map_or("1", String::as_str))));
    }
    let (mut lines, mut most) = (&experiment.flows[..], None);
    for (axis, value) in asked {
        match experiment.take(axis, value)? {
            Take::Set(set) => lines = set,
            Take::First(number) => most = Some((axis, value, number as usize)),
        }
    }
    let mut all = maker.all(lines)?;
    if let Some((axis, value, number)) = most {
        if number > all.len() {
            let names: String = experiment.flow_sets.iter().map(|(name, _)| format!(", `{}`", name.text)).collect();
            let why = format!("there are {} flows", all.len());
            return Err(axis.illegal(value, why, format!("write 1 to {}{names}", all.len())));
        }
        all.truncate(number);
    }
    Ok(all)
}

/// Applies a value of the axis `payload`, and knows all other settings of the point.
struct Payer<'a> {
    axis: &'a Axis,
    value: &'a str,
    writes: &'a [Write],
}

impl Payer<'_> {
    /// Sets the TLP payload of a flow, and the MPS on its path.
    fn pay(&self, system: &mut System, flow: &Flow, text: &Text) -> Result<(), Error> {
        let bytes = self.axis.payload(self.value)?;
        if flow.operation.is_pio() {
            let problem = Problem::Flow(format!("`{}` is PIO: its TLPs are as long as the CPU's stores", flow.name));
            return Err(Error::new(&text.place, problem, "leave the axis `payload` out"));
        }
        let why = self.why();
        let raised = raise(system, (flow.initiator, flow.target), bytes, &why).map_err(|(who, most)| {
            let least = format!("`{}` passes `{who}`, which supports {most} bytes", flow.name);
            self.axis.illegal(self.value, least, format!("write a multiple of 4 from 4 to {most}"))
        })?;
        for name in raised {
            self.free(&Target::of("settings.mps"))?;
            self.free(&Target::of_part(&name, "setpci.mps"))?;
        }
        let carries_reads = flow.operation.reads();
        let carries_writes = flow.operation.shape().writes;
        if carries_reads {
            self.completions(system, flow, bytes)?;
        }
        if carries_writes {
            self.free(&Target::of_part(&system.part(flow.initiator).name, "payload"))?;
            self.set(system, flow.initiator, "payload", bytes)?;
        }
        Ok(())
    }

    /// Sets the completion size of the target of a read: completions carry the payload.
    fn completions(&self, system: &mut System, flow: &Flow, bytes: u64) -> Result<(), Error> {
        let (rcb, field) = match system.part(flow.target).kind.host() {
            Some(host) => (host.rcb.0, "completion_bytes"),
            None => (pcie::tlp::RCB_ENDPOINT_BYTES, "target_completion_bytes"),
        };
        if !bytes.is_multiple_of(rcb) {
            let why = format!("`{}` reads, and completions are cut at multiples of {rcb} bytes (RCB)", flow.name);
            return Err(self.axis.illegal(self.value, why, format!("write a multiple of {rcb}")));
        }
        let target = system.part(flow.target);
        let has_own = |port: &PortId| system.port(*port).own.iter().any(|own| own.field == field);
        let port = system.port_towards(flow.target, flow.initiator).filter(|_| target.ports.iter().any(has_own));
        let Some(port) = port else {
            self.free(&Target::of_part(&target.name, field))?;
            return self.set(system, flow.target, field, bytes);
        };
        self.free(&Target::of_part(&system.port(port).name, field))?;
        self.change(system, Change::PortField(port, field, bytes.to_string()))
    }

    /// Sets a field, where the kind has it.
    fn set(&self, system: &mut System, part: PartId, field: &'static str, bytes: u64) -> Result<(), Error> {
        self.change(system, Change::Field(part, field, bytes.to_string()))
    }

    fn change(&self, system: &mut System, change: Change) -> Result<(), Error> {
        let amended = system.amend(change, Origin::Override(self.why()));
        amended.map_err(|no| self.axis.illegal(self.value, no.to_string(), "leave the axis `payload` out".into()))
    }

    /// Refuses a field that another setting changes.
    fn free(&self, target: &Target) -> Result<(), Error> {
        let old = self.writes.iter().find(|write| write.target.covers(target));
        old.map_or(Ok(()), |old| Err(Write::by_axis(&self.axis.at, self.value, "").against(old)))
    }

    fn why(&self) -> String {
        format!("{}={}", self.axis.name, self.value)
    }
}
