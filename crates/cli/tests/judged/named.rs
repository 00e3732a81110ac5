//! Causes as `explain` names them: which planted cause a name is, and what it is in a description.

use super::answer::Fitted;
use super::case::Case;
use super::machine::{Class, End};
use super::plant::{Family, Place, Plant};

/// A cause by its name.
#[derive(Clone, Debug, PartialEq)]
pub enum Named {
    /// At one port.
    Cap(String),
    /// Of one device or its slot.
    Device(String),
    /// Of all devices of a model: the text that lists them.
    Devices(String),
    /// At each port of a part, of some width.
    EachPort(String, Option<u8>),
    /// For each lane of the ports of a part.
    Lane(String),
    Sockets,
    Core,
    Thread,
    Memory,
    Iommu,
    InFlight,
    ReadRequest,
    Payload,
    /// A link that is full or was trained to less: the text that says which.
    Link(String),
    /// What a part does by its description: `ssd[0]: the flash`.
    Own,
    Other(String),
}

/// A name as a cause.
pub fn named(text: &str) -> Named {
    let lower = text.to_lowercase();
    let after = |head: &str| lower.split_once(head).map(|(_, rest)| rest.trim().to_string());
    let word = |rest: String| rest.split([' ', ',', ':']).next().unwrap_or_default().to_string();
    if let Some(rest) = after("wired lane of the ports of ") {
        return Named::Lane(word(rest));
    }
    if let Some(rest) = after("a cap at each ") {
        let lanes = rest.split(' ').next().and_then(|width| width.strip_prefix('x')?.parse().ok());
        return Named::EachPort(word(rest.rsplit(" of ").next().unwrap_or_default().into()), lanes);
    }
    if let Some(rest) = after("a cap at ") {
        return Named::Cap(word(rest));
    }
    if lower.starts_with("each device") {
        return Named::Devices(lower);
    }
    if let Some(rest) = after("the device itself (") {
        return Named::Device(rest.split([')', ',']).next().unwrap_or_default().into());
    }
    if let Some(rest) = after("the device ") {
        return Named::Device(word(rest));
    }
    if lower.contains("in flight") || lower.contains("queue depth") {
        return Named::InFlight;
    }
    match () {
        () if lower.contains("between the sockets") => Named::Sockets,
        () if lower.contains("one core") => Named::Core,
        () if lower.contains("thread") => Named::Thread,
        () if lower.contains("iommu") => Named::Iommu,
        () if lower.starts_with("memory") => Named::Memory,
        () if lower.contains("max_read_request") => Named::ReadRequest,
        () if lower.contains("max_payload") => Named::Payload,
        () if lower.contains("the link") => Named::Link(lower),
        () if lower.contains(": ") => Named::Own,
        () => Named::Other(text.into()),
    }
}

/// True if a text has this port in it.
pub fn names(text: &str, port: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '[' || c == '.');
    text.match_indices(port).any(|(at, _)| ends(&text[at + port.len()..]))
}

impl Named {
    /// True for what no register and no description shows.
    pub fn hidden(&self) -> bool {
        !matches!(
            self,
            Named::Link(_) | Named::Own | Named::ReadRequest | Named::Payload | Named::InFlight | Named::Other(_)
        )
    }
    /// True if this is the planted cause.
    pub fn is(&self, plant: &Plant, case: &Case) -> bool {
        let machine = &case.machine;
        let at = |end: usize| {
            let (end, port) = (&machine.ends[end], &machine.ends[end].port);
            matches!(self, Named::Device(name) if *name == end.name)
                || self.caps(port, case)
                || self.all_but_planted(end, case)
        };
        match (plant.family, &plant.place) {
            (Family::NarrowSeen, Place::End(end)) => self.link_below(&machine.ends[*end].port),
            (Family::NarrowSeen, Place::Bridge(port)) => self.link_below(port),
            (_, Place::Bridge(port)) => self.caps(port, case),
            (_, Place::End(end)) => at(*end),
            (Family::AllDrives, Place::Part(part)) => {
                let parts = machine.of_the_model(part);
                let of = |end: &usize| parts.contains(&machine.ends[*end].part.as_str());
                let of: Vec<usize> = (0..machine.ends.len()).filter(of).collect();
                let has = |text: &String| parts.iter().any(|part| text.contains(&format!("({part}")));
                matches!(self, Named::Devices(text) if has(text)) || of.len() == 1 && at(of[0])
            }
            (Family::LaneCap, Place::Part(part)) => *self == Named::Lane(part.clone()),
            (Family::InFlight, _) => {
                let card = machine.ends[0].class == Class::Card;
                // A longer request mends too few of them.
                *self == Named::InFlight || card && *self == Named::ReadRequest
            }
            (Family::Sockets, _) => *self == Named::Sockets,
            (Family::Core, _) if case.loads[0].one_thread => *self == Named::Core,
            (Family::Core, _) => *self == Named::Thread,
            _ => false,
        }
    }
    /// True for all devices of the model of `end`, where each other one has a planted cause of its own.
    fn all_but_planted(&self, end: &End, case: &Case) -> bool {
        let Named::Devices(text) = self else { return false };
        let parts = case.machine.of_the_model(&end.part);
        let planted = |other: usize| case.plants.iter().any(|plant| plant.place == Place::End(other));
        let mut others = case.machine.ends.iter().enumerate().filter(|(_, other)| parts.contains(&other.part.as_str()));
        parts.iter().any(|part| text.contains(&format!("({part}"))) && others.all(|(n, _)| planted(n))
    }
    /// True for a cap at this port, or at each port of a part that has only this one in use.
    fn caps(&self, port: &str, case: &Case) -> bool {
        match self {
            Named::Cap(at) => at == port,
            Named::EachPort(part, lanes) => {
                let ports = case.machine.ports_of(part);
                let of: Vec<_> = ports.iter().filter(|(_, width)| lanes.is_none_or(|lanes| lanes == *width)).collect();
                of.len() == 1 && of[0].0 == port
            }
            _ => false,
        }
    }
    fn link_below(&self, port: &str) -> bool {
        matches!(self, Named::Link(text) if names(text, port))
    }
    /// True for a link that is in fact full.
    pub fn is_full_link(&self, case: &Case) -> bool {
        case.nearly_full.iter().any(|port| self.link_below(port))
    }
    /// The settings that make it true in a description; `None` where that cannot be said.
    pub fn sets(&self, fitted: &Fitted, case: &Case) -> Option<Vec<String>> {
        let machine = &case.machine;
        let cap = |port: &str| Some(format!("{port}.port_cap={:.1} MB/s", fitted.mb_per_s?));
        let ports = |wanted: &dyn Fn(&End) -> bool| {
            machine.ends.iter().filter(|end| wanted(end)).map(|end| cap(&end.port)).collect::<Option<Vec<_>>>()
        };
        match self {
            Named::Cap(port) => Some(vec![cap(port)?]),
            Named::Device(name) => ports(&|end| end.name == *name),
            Named::Devices(text) => {
                // `each device itself (boot[0] to ssd[2])`: all of that model.
                let first = text.split(['(', '[', ' ', ')']).skip_while(|word| *word != "itself").nth(2)?;
                let parts = machine.of_the_model(first);
                ports(&|end| parts.contains(&end.part.as_str()))
            }
            Named::EachPort(part, lanes) => {
                let all = machine.ports_of(part).into_iter();
                all.filter(|(_, width)| lanes.is_none_or(|lanes| lanes == *width)).map(|(port, _)| cap(port)).collect()
            }
            Named::Lane(part) => Some(vec![format!("{part}.lane_cap={:.2} MB/s", fitted.mb_per_s?)]),
            Named::Sockets => Some(vec![format!("host.socket_rate={:.1} MB/s", fitted.mb_per_s?)]),
            Named::Core | Named::Thread => Some(vec![format!("host.command_cost={:.1} ns", fitted.time_ns?)]),
            // Writes take it at memory, reads at the channel of DRAM, where no cache has the line.
            Named::Memory => Some(vec![
                format!("host.line_service={:.4} ns", fitted.time_ns?),
                format!("host.dram_line_service={:.4} ns", fitted.time_ns?),
                "host.cache=0 B".into(),
            ]),
            // Fewer pages than all buffers have, and more than are written at once, so that each page is looked up once.
            Named::Iommu => Some(vec![
                "host.iommu=yes".into(),
                format!("host.iotlb_entries={}", 2 * machine.ends.len() as u64 * case.loads[0].depth.max(4)),
                format!("host.walk_gap={:.2} ns", fitted.time_ns?),
            ]),
            _ => None,
        }
    }
}
