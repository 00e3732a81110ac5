//! Causes that are planted into the true system.

use super::dice::Dice;
use super::machine::{Class, Machine};
use super::measure::Load;

/// What kind of cause it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    Nothing,
    BridgeCap,
    OnlyUplink,
    PortCap,
    LaneCap,
    NarrowUnseen,
    NarrowSeen,
    Chipset,
    OneDrive,
    AllDrives,
    Sockets,
    Core,
    InFlight,
}

impl Family {
    pub const PLANTED: [Family; 12] = [
        Family::BridgeCap,
        Family::OnlyUplink,
        Family::PortCap,
        Family::LaneCap,
        Family::NarrowUnseen,
        Family::NarrowSeen,
        Family::Chipset,
        Family::OneDrive,
        Family::AllDrives,
        Family::Sockets,
        Family::Core,
        Family::InFlight,
    ];
    pub fn name(self) -> &'static str {
        match self {
            Family::Nothing => "nothing planted",
            Family::BridgeCap => "cap of a bridge",
            Family::OnlyUplink => "cap of the only uplink",
            Family::PortCap => "cap of a port",
            Family::LaneCap => "cap of each lane",
            Family::NarrowUnseen => "narrow link, not described",
            Family::NarrowSeen => "narrow link, described",
            Family::Chipset => "cap of the chipset",
            Family::OneDrive => "one slow drive",
            Family::AllDrives => "all drives slower",
            Family::Sockets => "link between sockets",
            Family::Core => "a thread whose core is full",
            Family::InFlight => "requests in flight x latency",
        }
    }
}

/// Where it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// A port to a bridge, as `host.pcie`.
    Bridge(String),
    /// An index into [`Machine::ends`].
    End(usize),
    /// A part, as `ssd` or `switch`.
    Part(String),
    Host,
}

/// A planted cause.
#[derive(Clone, Debug)]
pub struct Plant {
    pub family: Family,
    pub place: Place,
    /// What the true system has and the description has not. Empty where the description has it too.
    pub sets: Vec<String>,
    /// What takes a cause away that the description has.
    pub relief: Vec<String>,
    /// How many times as deep queues have to be for that.
    pub deeper: u64,
}

impl Plant {
    fn hidden(family: Family, place: Place, sets: Vec<String>) -> Plant {
        Plant { family, place, sets, relief: Vec::new(), deeper: 1 }
    }
    pub fn told(&self, machine: &Machine) -> String {
        let place = match &self.place {
            Place::End(end) => machine.ends[*end].name.clone(),
            Place::Bridge(port) | Place::Part(port) => port.clone(),
            Place::Host => "host".into(),
        };
        let sets = [self.sets.join(", "), self.relief.iter().map(|set| format!("without: {set}")).collect()].concat();
        format!("{} at {place} ({sets})", self.family.name())
    }
}

/// A place for a cause of this family in this machine, if there is one.
pub fn place(dice: &mut Dice, machine: &Machine, family: Family) -> Option<Place> {
    let ends = 0..machine.ends.len();
    let nvme = |end: &usize| machine.ends[*end].class == Class::Nvme;
    let all_below = |bridge: &&super::machine::Bridge| bridge.below.len() == machine.ends.len();
    let bridges = |wanted: &dyn Fn(&&super::machine::Bridge) -> bool| {
        machine.bridges.iter().filter(wanted).map(|bridge| Place::Bridge(bridge.port.clone())).collect::<Vec<_>>()
    };
    let places: Vec<Place> = match family {
        Family::Nothing => vec![Place::Host],
        Family::BridgeCap => bridges(&|b| !b.chipset && !all_below(b)),
        Family::OnlyUplink => bridges(&all_below),
        Family::Chipset => bridges(&|b| b.chipset),
        Family::PortCap => ends.map(Place::End).collect(),
        Family::NarrowUnseen | Family::NarrowSeen => {
            let wide = ends.filter(|&end| machine.ends[end].lanes > 1).map(Place::End);
            wide.chain(bridges(&|_| true)).collect()
        }
        Family::LaneCap => {
            let mixed = |part: &str| {
                let lanes: Vec<u8> =
                    machine.ends.iter().filter(|e| e.port.starts_with(part)).map(|e| e.lanes).collect();
                lanes.iter().any(|&one| one != lanes[0])
            };
            machine.bridges.iter().filter(|b| mixed(&b.part)).map(|b| Place::Part(b.part.clone())).collect()
        }
        Family::OneDrive => ends.filter(nvme).map(Place::End).collect(),
        Family::AllDrives => {
            let first = machine.ends.first().filter(|end| end.class != Class::Card);
            first.map(|end| Place::Part(end.part.clone())).into_iter().collect()
        }
        Family::Sockets => machine.ends.iter().any(|end| end.socket == 1).then_some(Place::Host).into_iter().collect(),
        Family::Core => ends.clone().all(|end| nvme(&end)).then_some(Place::Host).into_iter().collect(),
        Family::InFlight => {
            let card = machine.ends.iter().any(|end| end.class == Class::Card);
            let drives = ends.clone().all(|end| nvme(&end));
            (card || drives).then_some(Place::Part(machine.ends[0].part.clone())).into_iter().collect()
        }
    };
    (!places.is_empty()).then(|| places[dice.below(places.len())].clone())
}

/// The cause itself. `base` gives what ends give together in the system as described, in MB/s; the machine is changed
/// where the description has the cause too.
pub fn plant(
    dice: &mut Dice,
    machine: &mut Machine,
    family: Family,
    place: Place,
    base: &dyn Fn(&Machine, &[usize]) -> Option<f64>,
    load: &Load,
) -> Option<Plant> {
    let share = dice.between(0.3, 0.8);
    let all: Vec<usize> = (0..machine.ends.len()).collect();
    let cap = |ends: &[usize]| base(machine, ends).map(|rate| (rate * share).round());
    let sets = match (family, &place) {
        (Family::Nothing, _) => return None,
        (Family::BridgeCap | Family::OnlyUplink | Family::Chipset, Place::Bridge(port)) => {
            vec![format!("{port}.port_cap={} MB/s", cap(&machine.behind(port))?)]
        }
        (Family::PortCap, Place::End(end)) => {
            vec![format!("{}.port_cap={} MB/s", machine.ends[*end].port, cap(&[*end])?)]
        }
        (Family::OneDrive, Place::End(end)) => {
            vec![format!("{}.datapath={} MB/s", machine.ends[*end].name, cap(&[*end])?)]
        }
        (Family::AllDrives, Place::Part(part)) => {
            let end = machine.ends.iter().position(|end| end.part == *part)?;
            let field = if machine.ends[end].class == Class::Nvme { "datapath" } else { "media_rate" };
            let slower = cap(&[end])?;
            machine.of_the_model(part).iter().map(|part| format!("{part}.{field}={slower} MB/s")).collect()
        }
        (Family::LaneCap, Place::Part(part)) => {
            let below: Vec<usize> = all.into_iter().filter(|&end| machine.ends[end].port.starts_with(part)).collect();
            let each = |&end: &usize| base(machine, &[end]).map(|rate| rate / f64::from(machine.ends[end].lanes));
            let rates: Vec<f64> = below.iter().filter_map(each).collect();
            let most = rates.iter().copied().fold(0.0, f64::max);
            vec![format!("{part}.lane_cap={} MB/s", (most * share).round())]
        }
        (Family::Sockets, _) => {
            let far: Vec<usize> = all.into_iter().filter(|&end| machine.ends[end].socket == 1).collect();
            vec![format!("host.socket_rate={} MB/s", cap(&far)?)]
        }
        (Family::Core, _) => {
            // One thread gives the commands of all, or each drive has a thread of its own.
            let ns = load.block as f64 * 1e3 / cap(if load.one_thread { &all } else { &all[..1] })?;
            vec![format!("host.command_cost={ns:.0} ns")]
        }
        (Family::NarrowUnseen | Family::NarrowSeen, place) => return narrow(dice, machine, family, place.clone()),
        (Family::InFlight, Place::Part(part)) => return in_flight(dice, machine, part.clone()),
        _ => return None,
    };
    Some(Plant::hidden(family, place, sets))
}

fn narrow(dice: &mut Dice, machine: &mut Machine, family: Family, place: Place) -> Option<Plant> {
    let link = match &place {
        Place::End(end) => machine.ends[*end].link,
        Place::Bridge(port) => machine.bridges.iter().find(|bridge| bridge.port == *port)?.link,
        _ => return None,
    };
    let (full, full_lanes) = (machine.of_links, machine.links[link].most);
    let slower = full > 1 && dice.percent(40);
    let (key, full, less) = if slower {
        ("gen", full, full - 1 - dice.below(usize::from(full.min(3) - 1)) as u8)
    } else {
        let less: Vec<u8> = [1, 2, 4, 8].into_iter().filter(|&lanes| lanes < full_lanes).collect();
        ("lanes", full_lanes, less[less.len() - 1 - dice.below(less.len().min(2))])
    };
    if family == Family::NarrowUnseen {
        return Some(Plant::hidden(family, place, vec![format!("links.{link}.{key}={less}")]));
    }
    machine.links[link].held = Some((key, less));
    let relief = vec![format!("links.{link}.{key}={full}")];
    Some(Plant { family, place, sets: Vec::new(), relief, deeper: 1 })
}

fn in_flight(dice: &mut Dice, machine: &mut Machine, part: String) -> Option<Plant> {
    let card = machine.ends.iter().any(|end| end.class == Class::Card);
    let (family, place, sets) = (Family::InFlight, Place::Part(part.clone()), Vec::new());
    if !card {
        return Some(Plant { family, place, sets, relief: Vec::new(), deeper: 8 });
    }
    let requests = dice.of(&[2, 4, 8]);
    let body = machine.parts.iter_mut().find(|(name, _)| *name == part)?;
    body.1 += &format!(", read_requests: {requests}");
    Some(Plant { family, place, sets, relief: vec![format!("{part}.read_requests=64")], deeper: 1 })
}
