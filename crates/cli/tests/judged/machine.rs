//! A drawn machine: its description as a user writes it, and what hangs where.

use std::fmt::Write;

/// What moves data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Nvme,
    /// A controller with so many drives.
    Sata(usize),
    Card,
}

/// A part with a slot of its own: a drive, a controller with drives, a card.
#[derive(Clone, Debug)]
pub struct End {
    /// As descriptions and words call it: `ssd[2]`.
    pub name: String,
    /// The line of the description: `ssd`.
    pub part: String,
    pub class: Class,
    /// The port above it, as `switch.down[2]`.
    pub port: String,
    /// Its link: an index into [`Machine::links`].
    pub link: usize,
    /// Of its link.
    pub lanes: u8,
    /// The socket of its root port.
    pub socket: u8,
}

/// A switch or a chipset.
#[derive(Clone, Debug)]
pub struct Bridge {
    pub part: String,
    /// The port above it.
    pub port: String,
    pub link: usize,
    pub lanes: u8,
    pub chipset: bool,
    /// The ends below it: indices into [`Machine::ends`].
    pub below: Vec<usize>,
}

/// A link.
#[derive(Clone, Debug)]
pub struct Link {
    pub upper: String,
    pub lower: String,
    /// What holds it to less than both ports have: `lanes: 4` or `gen: 2`.
    pub held: Option<(&'static str, u8)>,
    /// How many both ports have.
    pub most: u8,
}

/// A machine.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    pub title: String,
    pub generation: u8,
    /// That of its links; 0 where they differ.
    pub of_links: u8,
    /// Root ports: their names and what they support, as `"m2[4]": gen4 x4`.
    pub slots: Vec<String>,
    /// Fields of the host.
    pub host: String,
    /// Other parts: name and body.
    pub parts: Vec<(String, String)>,
    pub links: Vec<Link>,
    pub ends: Vec<End>,
    pub bridges: Vec<Bridge>,
}

impl Machine {
    pub fn part(&mut self, name: &str, body: String) {
        self.parts.push((name.into(), body));
    }
    /// Adds a link, and gives its number.
    pub fn join(&mut self, upper: &str, lower: &str, most: u8) -> usize {
        self.links.push(Link { upper: upper.into(), lower: lower.into(), held: None, most });
        self.links.len() - 1
    }
    /// Adds an end at a port, and gives its number.
    pub fn end(&mut self, name: &str, class: Class, port: &str, lanes: u8, socket: u8) -> usize {
        let link = self.join(port, &format!("{name}.pcie"), lanes);
        let part = name.split('[').next().unwrap_or(name).to_string();
        self.ends.push(End { name: name.into(), part, class, port: port.into(), link, lanes, socket });
        self.ends.len() - 1
    }
    /// Adds a switch or a chipset at a port, and gives its number.
    pub fn bridge(&mut self, part: &str, port: &str, lanes: u8, chipset: bool) -> usize {
        let link = self.join(port, &format!("{part}.up"), lanes);
        let (part, port) = (part.into(), port.into());
        self.bridges.push(Bridge { part, port, link, lanes, chipset, below: Vec::new() });
        self.bridges.len() - 1
    }
    /// The description, without experiments.
    pub fn yaml(&self) -> String {
        let mut text = format!("title: {}\nparts:\n", self.title);
        let (generation, slots, host) = (self.generation, self.slots.join(", "), &self.host);
        let _ = writeln!(text, "  host: {{ part: generic/gen{generation}-host, slots: {{ {slots} }}{host} }}");
        for (name, body) in &self.parts {
            let _ = writeln!(text, "  {name}: {{ {body} }}");
        }
        text += "links:\n";
        for Link { upper, lower, held, .. } in &self.links {
            let _ = match held {
                Some((key, less)) => writeln!(text, "  - {{ join: \"{upper} - {lower}\", {key}: {less} }}"),
                None => writeln!(text, "  - \"{upper} - {lower}\""),
            };
        }
        text + "settings: { bars: above 4 GiB }\n"
    }
    /// The ends whose way to memory passes this port.
    pub fn behind(&self, port: &str) -> Vec<usize> {
        let bridge = self.bridges.iter().find(|bridge| bridge.port == port);
        let own = self.ends.iter().position(|end| end.port == port);
        bridge.map(|bridge| bridge.below.clone()).or(own.map(|end| vec![end])).unwrap_or_default()
    }
    /// Parts of the same model as this one: those of the same line of the catalogue.
    pub fn of_the_model(&self, part: &str) -> Vec<&str> {
        let model = |body: &str| body.split(',').next().map(str::to_string);
        let own = self.parts.iter().find(|(name, _)| name == part).and_then(|(_, body)| model(body));
        self.parts.iter().filter(|(_, body)| model(body) == own).map(|(name, _)| name.as_str()).collect()
    }
    /// Ports of this part that face down and are used: port and lanes.
    pub fn ports_of(&self, part: &str) -> Vec<(&str, u8)> {
        let ends = self.ends.iter().map(|end| (end.port.as_str(), end.lanes));
        let bridges = self.bridges.iter().map(|bridge| (bridge.port.as_str(), bridge.lanes));
        ends.chain(bridges).filter(|(port, _)| port.split('.').next() == Some(part)).collect()
    }
}
