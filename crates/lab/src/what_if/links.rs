//! Changes of links: the next generation, twice the lanes of a part if its slot has them, a part moved to a free port of any part.

use crate::at::At;
use crate::error::Error;
use crate::machine::DescribedMachine;
use crate::path::base;
use crate::takes::Takes;
use crate::what_if::change::{Improvement, Sort};
use pcie::{Generation, LinkSpeed, Width};
use system::graph::Port;
use system::{Experiment, LinkId, PortId, System};

/// The links of one line of the description that trained to the same speed and width.
struct Group {
    line: usize,
    ports: [PortId; 2],
    speed: LinkSpeed,
    /// What limits the generation.
    held: String,
    /// The number of lanes that are wired, if it is given.
    wired: Option<Width>,
}

pub(crate) fn changes(
    machine: &DescribedMachine,
    experiment: &Experiment,
    at: &At,
    system: &System,
) -> Result<Vec<Improvement>, Error> {
    let lines = machine.description().link_lines()?;
    let wired = machine.description().wired()?;
    let of_axis = |axis: &system::Axis| axis.decides(at.get(&axis.name).unwrap_or_default(), &experiment.name);
    let decided: Vec<String> =
        experiment.axes.iter().filter(|axis| at.get(&axis.name).is_some()).flat_map(of_axis).collect();
    let mut groups: Vec<Group> = Vec::new();
    for (number, &line) in lines.iter().enumerate() {
        let link = system.link(LinkId(number));
        let known = groups.iter().any(|group| group.line == line && group.speed == link.speed);
        if !known {
            let ports = [link.upper, link.lower];
            let by_axis = decided.contains(&format!("links.{line}.lanes")).then_some(link.speed.width);
            let wired = by_axis.or(wired.get(line).copied().flatten());
            groups.push(Group {
                line,
                ports,
                speed: link.speed,
                held: link.why.generation.clone().unwrap_or_default(),
                wired,
            });
        }
    }
    Ok(groups.iter().flat_map(|group| of_group(group, system)).collect())
}

fn of_group(group: &Group, system: &System) -> Vec<Improvement> {
    let LinkSpeed { generation, width } = group.speed;
    let [upper, lower] = group.ports.map(|port| system.port(port).able);
    let latest = upper.generation.max(lower.generation);
    let name = group.ports.map(|port| plain(&system.port(port).name)).join(" - ");
    let later = Generation::from_number(generation.number() + 1).filter(|&next| next != latest);
    let freed = (latest != generation).then(|| (format!("{name}, freed ({})", group.held), latest));
    let generations = later.map(|next| (format!("{name}, generation"), next)).into_iter().chain(freed);
    let change = |(what, sort, speed): (String, Sort, LinkSpeed)| Improvement {
        what,
        sort,
        from: group.speed.to_string(),
        to: speed.to_string(),
        sets: sets(group, [upper, lower], speed, system),
        axis: None,
    };
    // A port that is slower than the link would be is that of a part that has to be another.
    let sort = |next: Generation| if next > upper.generation.min(lower.generation) { Sort::Part } else { Sort::Link };
    let generations = generations.map(|(what, generation)| (what, sort(generation), LinkSpeed { generation, width }));
    // The number of lanes of a slot is fixed. A part may have more lanes, the slot may not.
    let slot = group.wired.map_or(upper.width, |wired| wired.min(upper.width));
    let wider = Width::new(width.lanes() * 2).filter(|&wider| wider <= slot);
    let wider = wider.map(|width| {
        let part = plain(&system.port(group.ports[1]).name);
        (format!("{name}, width of {part}"), Sort::Part, LinkSpeed { generation, width })
    });
    generations.chain(wider).map(change).chain(of_free(group, system)).collect()
}

/// Moves the part to each free port that takes it, of any part that is not below it.
fn of_free(group: &Group, system: &System) -> Vec<Improvement> {
    let [upper, lower] = group.ports.map(|port| system.port(port));
    let several = system.ports.iter().filter(|port| base(&port.name) == base(&lower.name)).count() > 1;
    if several {
        return Vec::new();
    }
    let own = Takes::of(&upper.name);
    let goes = |free: &&Port| {
        let takes = Takes::of(&free.name);
        let is_below = free.part == lower.part
            || system.ways_up(free.part).iter().flatten().any(|&(_, above)| above == lower.part);
        free.role.faces_down() && free.link.is_none() && !is_below && (takes == Takes::Card || takes == own)
    };
    let free: Vec<&Port> = system.ports.iter().filter(goes).collect();
    // Ports of one array are alike: the first of them stands for all.
    let first = |(place, port): (usize, &&Port)| {
        let alike =
            |other: &&Port| other.part == port.part && base(&other.name) == base(&port.name) && other.able == port.able;
        !free[..place].iter().any(alike)
    };
    let change = |free: &Port| {
        let speed = free.able.min(lower.able);
        Improvement {
            what: format!("{} in {}, which is free", plain(&lower.name), free.name),
            sort: Sort::Slot,
            from: group.speed.to_string(),
            to: speed.to_string(),
            sets: vec![
                format!("links.{}.join={} - {}", group.line, free.name, lower.name),
                format!("links.{}.lanes={}", group.line, speed.width.lanes()),
                format!("links.{}.gen={}", group.line, speed.generation.number()),
            ],
            axis: None,
        }
    };
    free.iter().enumerate().filter(|one| first((one.0, one.1))).map(|(_, port)| change(port)).collect()
}

/// The overrides that make both ports support `speed` and set the line of the description to it.
fn sets(group: &Group, able: [LinkSpeed; 2], speed: LinkSpeed, system: &System) -> Vec<String> {
    let ports = group.ports.iter().zip(able).filter_map(|(&port, able)| {
        let wanted =
            LinkSpeed { generation: able.generation.max(speed.generation), width: able.width.max(speed.width) };
        let (part, port) = system.port(port).name.split_once('.')?;
        let text = format!("{}.ports.{}={}", base(part), base(port), written(wanted));
        (wanted != able).then_some(text)
    });
    let wired = format!("links.{}.lanes={}", group.line, speed.width.lanes());
    let held = format!("links.{}.gen={}", group.line, speed.generation.number());
    ports.chain([wired, held]).collect()
}

fn written(speed: LinkSpeed) -> String {
    format!("gen{} x{}", speed.generation.number(), speed.width.lanes())
}

/// A port's name without indices in arrays.
fn plain(name: &str) -> String {
    name.split('.').map(base).collect::<Vec<_>>().join(".")
}
