//! Expands a line of flows into flows.

use crate::error::{Error, Problem};
use crate::experiment::Experiment;
use crate::experiment::line::{FlowSpec, Names};
use crate::field::FieldType;
use crate::flow::{Drive, Flow};
use crate::graph::{PartId, System};
use crate::operation::{End, Operation, OperationShape};
use crate::pattern::{MOST_IN_MEMORY, Pattern};
use crate::registry;
use crate::source::Text;
use crate::work::Work;
use crate::written::spec::Spec;
use pcie::Bytes;
use std::collections::HashMap;

/// Expands lines of flows, with the wording of their operation.
pub(crate) struct Maker<'a> {
    pub experiment: &'a Experiment,
    pub spec: &'a Spec,
    pub system: &'a System,
    pub command: Bytes,
    pub pattern: Option<Pattern>,
    pub work: Work,
    /// The operation of all flows, whatever their lines say.
    pub operation: Option<Operation>,
}

impl Maker<'_> {
    /// All flows of some lines.
    pub fn all(&self, lines: &[FlowSpec]) -> Result<Vec<(Flow, Text)>, Error> {
        let mut flows: Vec<(Flow, Text)> = Vec::new();
        let parts = self.system.parts.iter().enumerate().map(|(n, part)| (part.name.as_str(), PartId(n)));
        let counts = self.spec.parts.iter().map(|part| (part.name.text.as_str(), part.count));
        let names = Names { parts: parts.collect(), counts: counts.collect() };
        let mut known: HashMap<String, usize> = HashMap::new();
        for line in lines {
            for (from, to) in line.ends(self.spec, &names)? {
                let mut flow = self.flow(line, from, to)?;
                let same = known.entry(flow.name.clone()).or_default();
                *same += 1;
                if *same > 1 {
                    flow.name = format!("{} #{}", flow.name, *same);
                }
                flows.push((flow, line.text.clone()));
            }
        }
        Ok(flows)
    }

    fn flow(&self, line: &FlowSpec, from: PartId, to: PartId) -> Result<Flow, Error> {
        let Some(operation) = self.operation.or(line.operation).or(self.experiment.operation) else {
            let problem = Problem::Missing { what: format!("experiment `{}`", self.experiment.name), key: "operation" };
            let help = format!(
                "write `operation: ` and {}, for the experiment, or for one flow `{{ flow: \"{}\", operation: dma-write }}`",
                registry::expected_operations(),
                line.text.text
            );
            return Err(Error::new(&line.text.place, problem, help));
        };
        let OperationShape { ends, reads, ways, .. } = operation.shape();
        let is = |part: PartId, end: End| match end {
            End::Host => self.system.part(part).kind.is_root(),
            End::Card => self.system.part(part).kind.is_endpoint(),
        };
        let goes = |from: PartId, to: PartId| is(from, ends.0) && is(to, ends.1) && from != to;
        let (from, to) =
            if self.operation.is_some() && !goes(from, to) && goes(to, from) { (to, from) } else { (from, to) };
        let right = goes(from, to);
        let (initiator, target) = if reads { (to, from) } else { (from, to) };
        let name = format!("{} -> {}", self.system.part(from).name, self.system.part(to).name);
        let word = operation.word();
        if !right {
            let problem = Problem::Flow(format!("`{name}` is no {word}"));
            return Err(Error::new(&line.text.place, problem, format!("the data of a {word} goes from {ways}")));
        }
        self.is_declared(line, operation, [initiator, target])?;
        if from != to && self.system.path(from, to).is_empty() {
            let problem = Problem::Flow(format!(
                "`{name}`: its ends hang below different hosts, and no TLP goes from one to the other"
            ));
            return Err(Error::new(&line.text.place, problem, "name parts of one tree"));
        }
        if let Some(root) = self.system.closed_root(from, to) {
            let what = format!("`{name}`: `{root}` sends no requests from one root port to another (`{root}.p2p: no`)");
            return Err(Error::new(&line.text.place, Problem::Flow(what), "put both below one switch"));
        }
        let drive = if operation.is_pio() { Drive::Software } else { self.experiment.drive };
        self.needs_bar(line, initiator, target, drive)?;
        let (command, experiment) = (self.command, self.experiment);
        let (pattern, work) = match operation.is_queued() {
            true => (None, self.work.in_order_of(self.pattern)),
            false => (self.pattern, Work::default()),
        };
        self.is_worked(line, operation)?;
        let is_dma = [Operation::DmaRead, Operation::DmaWrite].contains(&operation);
        if pattern.is_some() && (!is_dma || experiment.chain) {
            let what = format!("`{name}`: only dma-read and dma-write outside chains take their commands by a pattern");
            let help = "leave `offset`, `stride`, `window` and `pattern` out";
            return Err(Error::new(&line.text.place, Problem::Flow(what), help));
        }
        if let Some(window) = pattern.map(|pattern| pattern.window).filter(|&window| window > MOST_IN_MEMORY) {
            let what = format!("`{name}`: a window of {window} in memory");
            return Err(Error::new(&line.text.place, Problem::Flow(what), format!("{MOST_IN_MEMORY} at most")));
        }
        // The window that nobody gave has room for one command, however long that is.
        let given = pattern.filter(|pattern| pattern.window != Pattern::default().window);
        if let Some(short) = given.filter(|pattern| pattern.window.0 < command.0.saturating_add(pattern.offset.0)) {
            let what = format!(
                "`{name}`: a window of {} has no room for a command of {command} at offset {}",
                short.window, short.offset
            );
            let help = format!("a window of {} or more", Bytes(command.0.saturating_add(short.offset.0)));
            return Err(Error::new(&line.text.place, Problem::Flow(what), help));
        }
        self.is_timed(line, operation, initiator)?;
        if command > experiment.volume {
            let what = format!(
                "`{}`: a command of {command} is larger than the volume of {}",
                experiment.name, experiment.volume
            );
            let help = format!(
                "a flow moves whole commands: write a command of {} at most, or a volume of {command} or more \
                 (`--set \"experiments.{}.volume={command}\"`)",
                experiment.volume, experiment.name
            );
            return Err(Error::new(&experiment.at.place, Problem::Experiment(what), help));
        }
        let commands = experiment.volume.0.div_ceil(command.0.max(1)).clamp(1, experiment.max_commands.max(1));
        let volume = Bytes(command.0.saturating_mul(commands));
        Ok(Flow {
            name,
            operation,
            initiator,
            target,
            command,
            volume,
            drive,
            fed_by: None,
            mixed_with: None,
            pattern,
            timed: experiment.timed,
            work,
        })
    }

    /// Checks that what only drives have queues for is not asked of others, and that software drives a drive.
    fn is_worked(&self, line: &FlowSpec, operation: Operation) -> Result<(), Error> {
        let refuse = |what: String, help: &str| Err(Error::new(&line.text.place, Problem::Flow(what), help));
        let (name, word, drive) = (&line.text.text, operation.word(), self.experiment.drive);
        match operation.is_queued() {
            true if drive == Drive::Card => {
                refuse(format!("`{name}`: software gives a drive the commands of a {word}"), "write `drive: software`")
            }
            false if self.work != Work::default() => refuse(
                format!("`{name}`: a {word} has no queues"),
                "leave `queue_depth`, `jobs`, `cores` and `read_share` out: they are of drives",
            ),
            _ => Ok(()),
        }
    }

    /// Checks that commands that are timed one by one are those of a card which can give them so.
    fn is_timed(&self, line: &FlowSpec, operation: Operation, initiator: PartId) -> Result<(), Error> {
        let experiment = self.experiment;
        let behaves = self.system.part(initiator).kind.card().is_some_and(|card| !card.is_compiled());
        let right = operation == Operation::DmaRead && behaves && experiment.drive == Drive::Card && !experiment.chain;
        if right || !experiment.timed.is_by_command() {
            return Ok(());
        }
        let what = format!(
            "`{}`: `timed: {}` is for reads that a DMA card drives itself",
            line.text.text,
            experiment.timed.print()
        );
        let help = "take `operation: dma-read` and `drive: card` without `chain` and `gateware`, or leave `timed` out";
        Err(Error::new(&line.text.place, Problem::Flow(what), help))
    }

    /// Checks that the kind of the endpoint which moves the data, or which a CPU accesses, declares the operation.
    /// Another endpoint of the flow only answers.
    fn is_declared(&self, line: &FlowSpec, operation: Operation, ends: [PartId; 2]) -> Result<(), Error> {
        let ends = ends.map(|part| self.system.part(part));
        let Some(mover) = ends.iter().find(|part| part.kind.is_endpoint()) else { return Ok(()) };
        let kind = mover.kind.declaration();
        if let Some(silent) = ends.iter().find(|part| part.kind.is_endpoint() && part.kind.engine().is_none())
            && !operation.is_pio()
        {
            let what = format!("`{}` is a {}, which other cards do not reach", silent.name, silent.kind.word());
            return Err(Error::new(&line.text.place, Problem::Flow(what), "let a CPU store to it or load from it"));
        }
        if kind.operations.contains(&operation) {
            return Ok(());
        }
        let problem = Problem::Flow(format!("`{}` is a {}, which does no {}", mover.name, kind.word, operation.word()));
        let words: Vec<&str> = kind.operations.iter().map(|operation| operation.word()).collect();
        let help =
            if words.is_empty() { "it has no flows".to_string() } else { format!("one of {}", words.join(", ")) };
        Err(Error::new(&line.text.place, problem, help))
    }

    /// Checks that the target of writes (doorbells included) has a BAR.
    fn needs_bar(&self, line: &FlowSpec, initiator: PartId, target: PartId, drive: Drive) -> Result<(), Error> {
        let rung = (drive == Drive::Software).then_some(initiator);
        let bare = [Some(target), rung].into_iter().flatten().map(|p| self.system.part(p));
        let bare = bare.filter(|p| p.kind.is_endpoint()).find(|p| p.bars.is_empty());
        bare.map_or(Ok(()), |part| {
            let problem = Problem::Flow(format!("`{}` has no BAR to write to", part.name));
            Err(Error::new(&line.text.place, problem, "give it one: `bars: 64 KiB`"))
        })
    }
}
