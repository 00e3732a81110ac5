//! Every link a generation later, twice as wide, or in a slot that lets both ends run at their best.

use crate::error::Error;
use crate::machine::Machine;
use crate::path::base;
use crate::what_if::{Change, Sort};
use pcie::{Generation, LinkSpeed, Width};
use system::{LinkId, PortId, System};

/// Links of one line of the description that trained to the same.
struct Group {
    line: usize,
    ports: [PortId; 2],
    speed: LinkSpeed,
    why: String,
}

pub(crate) fn changes(machine: &Machine, system: &System) -> Result<Vec<Change>, Error> {
    let lines = machine.description().link_lines()?;
    let mut groups: Vec<Group> = Vec::new();
    for (number, &line) in lines.iter().enumerate() {
        let link = system.link(LinkId(number));
        let known = groups.iter().any(|group| group.line == line && group.speed == link.speed);
        if !known {
            let ports = [link.upper, link.lower];
            groups.push(Group { line, ports, speed: link.speed, why: link.why.clone() });
        }
    }
    Ok(groups.iter().flat_map(|group| of_group(group, system)).collect())
}

fn of_group(group: &Group, system: &System) -> Vec<Change> {
    let LinkSpeed { generation, width } = group.speed;
    let able = group.ports.map(|port| system.port(port).able);
    let best =
        LinkSpeed { generation: able[0].generation.max(able[1].generation), width: able[0].width.max(able[1].width) };
    let name = group.ports.map(|port| plain(&system.port(port).name)).join(" - ");
    let later = Generation::from_number(generation.number() + 1).map(|generation| LinkSpeed { generation, width });
    let wider = Width::new(width.lanes() * 2).map(|width| LinkSpeed { generation, width });
    let freed = (best != group.speed).then(|| (format!("{name}, freed ({})", group.why), best));
    // A slot that only has to let the link go is the better word for the same speed.
    let other = |speed: &LinkSpeed| freed.as_ref().is_none_or(|(_, best)| best != speed);
    let steps = [
        later.filter(other).map(|speed| (format!("{name}, generation"), speed)),
        wider.filter(other).map(|speed| (format!("{name}, width"), speed)),
        freed.clone(),
    ];
    let change = |(what, speed): (String, LinkSpeed)| Change {
        what,
        sort: Sort::Link,
        from: group.speed.to_string(),
        to: speed.to_string(),
        sets: sets(group, able, speed, system),
        axis: None,
    };
    steps.into_iter().flatten().map(change).collect()
}

/// Both ports at least so able, and the line with so many lanes wired.
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

/// A port's name without places in arrays.
fn plain(name: &str) -> String {
    name.split('.').map(base).collect::<Vec<_>>().join(".")
}
