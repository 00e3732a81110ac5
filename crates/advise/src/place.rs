//! A candidate in slots of a machine.

use crate::candidate::Candidate;
use crate::experiment::{self, Room};
use crate::slot::{Slot, is_own};
use crate::workload::Stream;
use lab::{DescribedMachine, Error};
use pcie::LinkSpeed;
use std::fmt::Write;
use system::{Description, Point};

/// The port of a drive or of its controller.
const PORT: &str = "pcie";
/// The name of the file of what is added.
const ADDED: &str = "what is advised";
/// The field that says what is behind a SATA link, and its word for something with an arm.
const DEVICE: (&str, &str) = ("device", "disk");

/// The machine with a candidate in slots, and experiments of all streams.
pub(crate) struct Placed {
    pub machine: DescribedMachine,
    /// For each stream, what the queues take.
    pub rooms: Vec<Room>,
    /// True if it has an arm, and several streams move it.
    pub moves_arm: bool,
}

/// A name for the parts that no part of the machine has.
fn free_name(description: &Description) -> Result<String, Error> {
    let system = description.system()?;
    let taken = |name: &String| system.parts.iter().any(|part| lab::path::base(&part.name) == name);
    let names = (0..).map(|number| if number == 0 { "drive".to_string() } else { format!("drive_{number}") });
    Ok(names.into_iter().find(|name| !taken(name)).unwrap_or_default())
}

/// Puts a candidate into `slots`, one for each of its parts; `held` holds their links to less than they can.
///
/// # Errors
/// A part that is not in the catalogue, or does not go there.
pub(crate) fn place(
    machine: &DescribedMachine,
    candidate: &Candidate,
    slots: &[&Slot],
    held: Option<LinkSpeed>,
    streams: &[Stream],
) -> Result<Placed, Error> {
    let description = machine.description();
    let name = free_name(description)?;
    let mut text = format!("parts:\n  {name}:\n    part: {}\n    count: {}\n", candidate.part, slots.len());
    if let Some(slot) = slots.first().filter(|_| slots.iter().all(|slot| is_own(slot, candidate))) {
        let _ = writeln!(text, "    ports: {{ {PORT}: {} }}", slot.able.to_string().to_lowercase());
    }
    text += "links:\n";
    for (number, slot) in slots.iter().enumerate() {
        let join = format!("{} - {name}[{number}].{PORT}", slot.name);
        let held = held.map(|held| format!(", gen: {}, lanes: {}", held.generation.number(), held.width.lanes()));
        let _ = writeln!(text, "  - {{ join: \"{join}\"{} }}", held.unwrap_or_default());
    }
    let bare = description.joined(ADDED, &text)?;
    let system = bare.system()?;
    let own = system.parts.iter().filter(|part| lab::path::base(&part.name) == name);
    let arm = own.flat_map(|part| &part.figures).any(|figure| (figure.field, figure.value.as_str()) == DEVICE);
    let several = streams.iter().map(|stream| stream.count).sum::<u64>() > 1;
    let moves_arm = arm && several;
    let host = &system.part(system.host()).name;
    let experiments = |rooms: &[Room]| {
        let streams: Vec<(&Stream, Room)> = streams.iter().zip(rooms.iter().copied()).collect();
        experiment::all(&streams, candidate, (&name, host), moves_arm)
    };
    let first = format!("{text}{}", experiments(&vec![Room { in_flight: 1, jobs: 1 }; streams.len()]));
    let first = description.joined(ADDED, &first)?;
    let rooms = streams.iter().enumerate().map(|(number, stream)| room(&first, number, stream, candidate));
    let rooms = rooms.collect::<Result<Vec<_>, Error>>()?;
    text += &experiments(&rooms);
    let called = format!("{} with {}", machine.name(), candidate.name);
    let machine = DescribedMachine::described(&called, description.joined(ADDED, &text)?)?;
    Ok(Placed { machine, rooms, moves_arm })
}

/// What the queues of the drives take of a stream.
fn room(description: &Description, number: usize, stream: &Stream, candidate: &Candidate) -> Result<Room, Error> {
    let experiment = description.experiment(&experiment::name(number, 1))?;
    let scenario = description.scenario(experiment, &Point::default())?;
    let all = Room { in_flight: stream.in_flight, jobs: stream.threads };
    let Some(flow) = scenario.flows.first() else { return Ok(all) };
    let part = |id| &scenario.system.part(id).kind;
    let queues = part(flow.target).host().and_then(|host| part(flow.initiator).queues(&flow.demand(), &host));
    let Some(queues) = queues else { return Ok(all) };
    let commands = queues.written.first().map_or(1.0, |beside| beside.each).ceil().max(1.0) as u64;
    let each = (queues.most.commands() / commands).max(1);
    let most = experiment::in_flight(stream, candidate.drives, each);
    Ok(Room { in_flight: stream.in_flight.min(most), jobs: stream.threads.min(queues.jobs) })
}
