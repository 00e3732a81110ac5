//! The knobs of a machine, and their values.

use crate::at::At;
use crate::error::Error;
use crate::machine::DescribedMachine;
use crate::path::base;
use pcie::PayloadSize;
use system::{Experiment, FieldType, Nature, Node, PartId, Scale, Scenario, System};

/// One setting that can be changed.
#[derive(Clone, Debug)]
pub struct Knob {
    /// The knob, as in `Max_Payload_Size`, `card.read_requests`.
    pub what: String,
    /// Each value with the overrides that set it. The present value has no overrides.
    pub values: Vec<(String, Vec<String>)>,
    /// The index of the present value.
    pub now: usize,
}

/// All knobs of the flows of a scenario that have more than one value. What an axis of the experiment sets at the point
/// is not a knob.
pub(crate) fn knobs(
    machine: &DescribedMachine,
    experiment: &Experiment,
    at: &At,
    scenario: &Scenario,
) -> Result<Vec<Knob>, Error> {
    let system = &scenario.system;
    let mut all = Vec::new();
    let payload = experiment.axes.iter().any(|axis| axis.is_payload() && at.get(&axis.name).is_some());
    if !payload {
        all.extend(mps(scenario));
    }
    all.extend(mrrs(scenario));
    let initiators = initiators(scenario);
    all.extend(tags(system, &initiators));
    for &part in &initiators {
        all.extend(chosen(system, part));
    }
    let of_axis = |axis: &system::Axis| axis.decides(at.get(&axis.name).unwrap_or_default(), &experiment.name);
    let decided: Vec<String> =
        experiment.axes.iter().filter(|axis| at.get(&axis.name).is_some()).flat_map(of_axis).collect();
    all.retain(|knob: &Knob| knob.values.len() > 1 && !decided.contains(&knob.what));
    let mut seen = std::collections::BTreeSet::new();
    all.retain(|knob| seen.insert(knob.what.clone()));
    // Remove values that the machine does not accept.
    for knob in &mut all {
        let mut number = 0;
        let mut now = 0;
        knob.values.retain(|(_, sets)| {
            let legal = sets.is_empty() || machine.with(sets).and_then(|m| m.job(experiment, at.clone())).is_ok();
            if legal && sets.is_empty() {
                now = number;
            }
            number += usize::from(legal);
            legal
        });
        knob.now = now;
    }
    all.retain(|knob| knob.values.len() > 1);
    Ok(all)
}

/// The cards that make the requests of the flows.
fn initiators(scenario: &Scenario) -> Vec<PartId> {
    let mut all: Vec<PartId> = scenario.flows.iter().map(|flow| flow.initiator).collect();
    all.sort_unstable();
    all.dedup();
    all.retain(|&part| scenario.system.part(part).kind.is_endpoint());
    all
}

/// The parts that the flows' TLPs pass.
pub(crate) fn on_the_way(scenario: &Scenario) -> Vec<PartId> {
    let system = &scenario.system;
    let mut all: Vec<PartId> = Vec::new();
    for flow in &scenario.flows {
        all.push(flow.initiator);
        let path = system.path(flow.initiator, flow.target);
        all.extend(path.into_iter().map(|direction| system.port(system.ends(direction).1).part));
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Max_Payload_Size of the parts on the way. Sizes that all parts of the system support are set in all parts. Larger
/// sizes that all parts on the way support are set in those only.
fn mps(scenario: &Scenario) -> Option<Knob> {
    let system = &scenario.system;
    let way = on_the_way(scenario);
    let everywhere = (0..system.parts.len()).map(|part| system.least_mps(PartId(part)).0).min()?;
    let here = way.iter().map(|&part| system.least_mps(part).0).min()?;
    let now = way.iter().map(|&part| system.least_mps(part).1).min()?;
    let value = |size: PayloadSize| {
        let text = size.print();
        let sets = match () {
            () if size == now => Vec::new(),
            () if size <= everywhere => system.parts.iter().map(|p| format!("{}.setpci.mps={text}", p.name)).collect(),
            () => way.iter().map(|&part| format!("{}.setpci.mps={text}", system.part(part).name)).collect(),
        };
        (text, sets)
    };
    Some(knob("Max_Payload_Size".into(), sizes(here).map(value).collect()))
}

/// Max_Read_Request_Size of the cards that read.
fn mrrs(scenario: &Scenario) -> Option<Knob> {
    let reads = |part: &PartId| {
        let flows = scenario.flows.iter().filter(|flow| flow.initiator == *part);
        flows.into_iter().any(|flow| flow.operation.reads())
    };
    let readers: Vec<&Node> =
        initiators(scenario).into_iter().filter(reads).map(|part| scenario.system.part(part)).collect();
    let now = readers.first()?.mrrs;
    let value = |size: PayloadSize| {
        let text = size.print();
        let sets = readers.iter().map(|part| format!("{}.setpci.mrrs={text}", part.name));
        let sets = if size == now { Vec::new() } else { sets.collect() };
        (text, sets)
    };
    Some(knob("Max_Read_Request_Size".into(), sizes(PayloadSize::MAX).map(value).collect()))
}

/// The width of the tag field, as far as the cards and the host support it.
fn tags(system: &System, initiators: &[PartId]) -> Option<Knob> {
    let Scale::Words(widths) = system::kinds::card::TagBits::SCALE else { return None };
    let has_tags = |part: &&PartId| system.part(**part).value("tag_bits").is_some();
    let initiators: Vec<PartId> = initiators.iter().filter(has_tags).copied().collect();
    let card = system.part(*initiators.first()?);
    let widths: Vec<(&str, u64)> = widths
        .iter()
        .filter_map(|width| Some((*width, system::kinds::card::TagBits::parse(width)?.tags())))
        .filter(|(_, tags)| *tags <= card.tags)
        .collect();
    let value = |(width, tags): (&str, u64)| {
        let sets = initiators.iter().map(|&part| format!("{}.tag_bits={width}", system.part(part).name));
        (format!("{tags} ({width} bit)"), if tags == card.tags { Vec::new() } else { sets.collect() })
    };
    Some(knob("tags".into(), widths.into_iter().map(value).collect()))
}

/// Counts that a driver chooses: the described value, and its halves down to one.
fn chosen(system: &System, part: PartId) -> Vec<Knob> {
    let part = system.part(part);
    let fields = part.fields().filter(|field| field.nature == Nature::Chosen && matches!(field.scale, Scale::Whole(_)));
    let of_field = |field: &system::Field| {
        let alike = system.parts.iter().filter(|other| base(&other.name) == base(&part.name));
        let alike = alike.into_iter().all(|other| other.value(field.name) == part.value(field.name));
        let what = format!("{}.{}", if alike { base(&part.name) } else { &part.name }, field.name);
        let most = field.scale.number(&part.value(field.name)?)? as u64;
        let halves = std::iter::successors(Some(most), |n| (n / 2 > 0).then_some(n / 2)).collect::<Vec<_>>();
        let value = |n: u64| (n.to_string(), if n == most { Vec::new() } else { vec![format!("{what}={n}")] });
        Some(knob(what.clone(), halves.into_iter().rev().map(value).collect()))
    };
    fields.filter_map(of_field).collect()
}

fn knob(what: String, values: Vec<(String, Vec<String>)>) -> Knob {
    let now = values.iter().position(|(_, sets)| sets.is_empty()).unwrap_or(0);
    Knob { what, values, now }
}

/// All payload sizes up to `most`.
fn sizes(most: PayloadSize) -> impl Iterator<Item = PayloadSize> {
    PayloadSize::ALL.into_iter().filter(move |&size| size <= most)
}
