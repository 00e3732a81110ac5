//! The free slots of a real machine as a described one.
//!
//! A slot is free if its port says that it has one ([`SltCap`]) and nothing is below it. What is above it is described as it
//! was seen: root port, switches, the chipset where its link is known, each with the speed and width that its link has now.
//! Everything else is the host that is usual for the fastest of its root ports, and other devices are idle.
//!
//! [`SltCap`]: pcie::config::slot::SltCap

use lab::{DescribedMachine, Error};
use pcie::config::PortType;
use pcie::{Generation, LinkSpeed};
use probe::chipset::Chipset;
use probe::{Address, LinkRate, Machine, Tree};
use std::fmt::Write;
use system::Description;

/// The part of the catalogue for a host of each generation, and the software that is usual.
fn host(generation: Generation) -> String {
    let number = generation.number().clamp(3, 5);
    format!(
        "part: generic/gen{number}-host\n    memory_above_4g: yes\n    notice: {{ value: interrupt, assumed: usual }}\n    \
         interrupt_latency: {{ value: 2 us, assumed: usual }}\n    command_cost: {{ value: 600 ns, assumed: usual }}\n    \
         call_cost: {{ value: 600 ns, assumed: usual }}\n"
    )
}

/// A name for what is at an address.
fn named(word: &str, at: Address) -> String {
    let text: String = at.to_string().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    format!("{word}_{text}")
}

/// What is told of a port with such a name: `slot 00:1c.4`.
pub(crate) fn told(port: &str) -> Option<String> {
    let text = port.rsplit_once('.').map_or(port, |(_, name)| name).strip_prefix("slot_")?;
    let [domain, bus, device, function] = text.split('_').collect::<Vec<_>>()[..] else { return None };
    let domain = if domain == "0000" { String::new() } else { format!("{domain}:") };
    Some(format!("slot {domain}{bus}:{device}.{function}"))
}

/// A text in which such ports are told so.
pub(crate) fn told_in(text: &str) -> String {
    let word = |word: &str| {
        let end = word.find([':', ',']).unwrap_or(word.len());
        told(&word[..end]).map_or_else(|| word.to_string(), |told| told + &word[end..])
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// What is described so far.
struct Text<'m> {
    machine: &'m Machine,
    tree: &'m Tree,
    parts: String,
    links: String,
}

impl Text<'_> {
    fn is_free(&self, at: Address) -> bool {
        let Some(function) = self.machine.function(at) else { return false };
        let down = matches!(function.port_type(), Some(PortType::RootPort | PortType::DownstreamPort));
        let slot = function.express().and_then(|express| express.flags.slot()) == Some(true);
        let below = self.tree.link_below(at).is_some_and(|link| link.lower.is_some());
        down && slot && !below && self.tree.children(at).is_empty() && self.able(at).is_some()
    }

    fn able(&self, at: Address) -> Option<LinkSpeed> {
        self.machine.function(at)?.link_max().and_then(LinkRate::modelled)
    }

    /// Describes a port and what is below it, and gives its line among the ports of its part. `None` where no slot is free.
    fn port(&mut self, at: Address, part: &str) -> Option<String> {
        if self.is_free(at) {
            return Some(format!("{}: {}", named("slot", at), lower(self.able(at)?)));
        }
        let link = self.tree.link_below(at)?;
        let (below, now) = (link.lower?, link.now.and_then(LinkRate::modelled)?);
        let name = named("switch", below);
        let down: Vec<Address> = self.tree.children(below).to_vec();
        let ports: Vec<String> = down.into_iter().filter_map(|port| self.port(port, &name)).collect();
        if ports.is_empty() {
            return None;
        }
        let port = named("port", at);
        self.switch(&name, now, &ports);
        let _ = writeln!(self.links, "  - {part}.{port} - {name}.up");
        Some(format!("{port}: {}", lower(now)))
    }

    fn switch(&mut self, name: &str, up: LinkSpeed, down: &[String]) {
        let ports = down.join(", ");
        let _ = writeln!(self.parts, "  {name}:\n    kind: switch\n    ports: {{ up: {}, {ports} }}", lower(up));
    }
}

fn lower(speed: LinkSpeed) -> String {
    speed.to_string().to_lowercase()
}

/// The free slots of `machine`, with what is above them.
///
/// # Errors
/// No slot is free.
pub fn described(machine: &Machine, tree: &Tree) -> Result<DescribedMachine, Error> {
    let chipset = Chipset::of(machine);
    let mut text = Text { machine, tree, parts: String::new(), links: String::new() };
    let (mut slots, mut behind) = (Vec::new(), Vec::new());
    for &root in tree.roots() {
        let held = chipset.as_ref().is_some_and(|chipset| chipset.holds(root));
        let line = text.port(root, if held { "chipset" } else { "host" });
        if held { &mut behind } else { &mut slots }.extend(line);
    }
    if let Some(chipset) = chipset.filter(|_| !behind.is_empty()) {
        text.switch("chipset", chipset.link, &behind);
        text.links += "  - host.chipset - chipset.up\n";
        slots.push(format!("chipset: {}", lower(chipset.link)));
    }
    if slots.is_empty() {
        let what = format!("{} has no free slot that its registers show", machine.name);
        let right = "a machine with an empty slot, or a description of it: `lanescope advise --help`";
        return Err(Error::asked(what, right));
    }
    let roots = tree.roots().iter().filter_map(|&root| text.able(root)).map(|able| able.generation);
    let host = host(roots.max().unwrap_or(Generation::Gen3));
    let Text { parts, links, .. } = text;
    let links = if links.is_empty() { String::new() } else { format!("links:\n{links}") };
    let text = format!(
        "title: The free slots of a machine\nparts:\n  host:\n    {host}    slots: {{ {} }}\n{parts}{links}settings: {{ bars: above 4 GiB, \
         mps_policy: tree-minimum }}\n",
        slots.join(", ")
    );
    DescribedMachine::described(&machine.name, Description::from_text("machine.yaml", &text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_is_a_slot_of_a_real_machine_told() {
        assert_eq!(told("host.slot_0000_00_1c_4").as_deref(), Some("slot 00:1c.4"));
        assert_eq!(told("chipset.slot_10000_e1_00_0").as_deref(), Some("slot 10000:e1:00.0"));
        assert_eq!(told("host.m2[0]"), None);
        let link = "drive[0].pcie -> host.slot_0000_00_1c_4: Gen1 x1, transmit";
        assert_eq!(told_in(link), "drive[0].pcie -> slot 00:1c.4: Gen1 x1, transmit");
    }
}
