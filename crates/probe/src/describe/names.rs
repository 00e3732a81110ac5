//! Names of parts and ports in a description: letters, digits and `_`.

use crate::model::{Device, Model};
use std::collections::BTreeSet;
use system::graph::PortRole;
use system::{LinkId, PartId, PortId, System};

/// The names, by part and by port.
pub(super) struct Names {
    parts: Vec<String>,
    ports: Vec<String>,
}

impl Names {
    pub fn of(model: &Model) -> Names {
        let system = &model.system;
        let mut known = BTreeSet::new();
        let parts = (0..system.parts.len()).map(|number| unique(part(model, PartId(number)), &mut known));
        let parts = parts.collect();
        let mut ports = vec![String::new(); system.ports.len()];
        for part in &system.parts {
            let mut known = BTreeSet::new();
            for &id in &part.ports {
                ports[id.0] = unique(port(system, id), &mut known);
            }
        }
        Names { parts, ports }
    }
    /// The name of a part.
    pub fn part(&self, part: PartId) -> &str {
        &self.parts[part.0]
    }
    /// The name of a port in its part.
    pub fn port(&self, port: PortId) -> &str {
        &self.ports[port.0]
    }
    /// As in `host.p00_01_1`.
    pub fn whole(&self, system: &System, port: PortId) -> String {
        format!("{}.{}", self.part(system.port(port).part), self.port(port))
    }
    /// As in `host.p00_01_1 - gpu_01_00_0.pcie`.
    pub fn join(&self, system: &System, link: LinkId) -> String {
        let link = system.link(link);
        format!("{} - {}", self.whole(system, link.upper), self.whole(system, link.lower))
    }
    /// The name of a device.
    pub fn device(&self, device: &Device) -> &str {
        self.part(device.part)
    }
}

fn part(model: &Model, id: PartId) -> String {
    let part = model.system.part(id);
    let plain = letters(&part.name);
    match model.devices.iter().find(|device| device.part == id) {
        Some(device) => format!("{}_{plain}", device.role.to_string().to_lowercase()),
        None if part.kind.is_switch() && part.name.starts_with(|c: char| c.is_ascii_digit()) => {
            format!("switch_{plain}")
        }
        None => plain,
    }
}

fn port(system: &System, id: PortId) -> String {
    let port = system.port(id);
    match port.role {
        PortRole::Upstream => "up".into(),
        PortRole::Endpoint => "pcie".into(),
        _ if port.name.starts_with(|c: char| c.is_ascii_digit()) => format!("p{}", letters(&port.name)),
        _ => letters(&port.name),
    }
}

/// The letters and digits of a name, with `_` between them.
fn letters(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("_")
}

fn unique(name: String, known: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| !known.contains(name)).unwrap_or(name);
    known.insert(free.clone());
    free
}
