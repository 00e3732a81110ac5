//! The link section of `nvidia-smi -q` (its manual page, "GPU Link Info").

use crate::address::Address;
use crate::machine::Machine;
use crate::saying::{Saying, Told};
use pcie::config::Speed;
use std::collections::BTreeMap;

/// The class of a display controller: the tool lists graphics cards.
const DISPLAY: u16 = 0x0300;

/// The GPUs so far, and the one whose lines these are.
#[derive(Default)]
pub struct Section {
    at: Option<Address>,
    /// True below `PCIe Generation`, false below `Link Width`.
    generation: bool,
    found: BTreeMap<Address, Gpu>,
}

/// What is said of a GPU: generations, and numbers of lanes.
#[derive(Default)]
struct Gpu {
    name: Option<String>,
    now: Option<u32>,
    /// The maximum of card and host together, and of each.
    most: Option<u32>,
    own: Option<u32>,
    host: Option<u32>,
    width: Option<u32>,
    most_width: Option<u32>,
    replays: u64,
    rollovers: u64,
}

impl Section {
    /// Reads a line; false where it is none of the tool's.
    pub fn line(&mut self, line: &str) -> bool {
        let text = line.trim();
        if let Some(place) = line.strip_prefix("GPU ").and_then(|place| place.trim().parse().ok()) {
            self.at = Some(place);
            self.found.entry(place).or_default();
            return true;
        }
        if text.starts_with("===") && text.contains("NVSMI LOG") {
            return true;
        }
        let entry = text.split_once(" : ").map(|(name, value)| (name.trim(), value.trim()));
        let Some(gpu) = self.at.and_then(|at| self.found.get_mut(&at)) else {
            let of_all = ["Timestamp", "Driver Version", "CUDA Version", "Attached GPUs"];
            return entry.is_some_and(|(name, _)| of_all.contains(&name));
        };
        // All lines of a GPU are indented; its titles have no value.
        if !line.starts_with("    ") || text.is_empty() {
            self.at = None;
            return false;
        }
        match entry {
            Some((name, value)) => gpu.say(name, value, self.generation),
            None => self.generation = text == "PCIe Generation",
        }
        true
    }

    /// Adds the GPUs to a machine, and returns what else was said of each. What is known from registers stays.
    pub fn told(self, machine: &mut Machine) -> Vec<Told> {
        let mut all = Vec::new();
        for (at, gpu) in self.found {
            let known = machine.known(at);
            let link = &mut known.os.link;
            let speed = |generation: Option<u32>| generation.and_then(Speed::from_code);
            link.speed = link.speed.or(speed(gpu.now));
            link.max_speed = link.max_speed.or(speed(gpu.own.or(gpu.most)));
            link.width = link.width.or(gpu.width);
            link.max_width = link.max_width.or(gpu.most_width);
            known.header.class.get_or_insert(DISPLAY);
            known.names.device = known.names.device.take().or(gpu.name);
            let Gpu { replays, rollovers, host, .. } = gpu;
            all.push(Told { at, what: Saying::Gpu { replays, rollovers, host: speed(host) } });
        }
        all
    }
}

impl Gpu {
    fn say(&mut self, name: &str, value: &str, generation: bool) {
        let number = value.trim_end_matches('x').parse().ok();
        match (name, generation) {
            ("Product Name", _) => self.name = Some(value.to_string()),
            ("Current", true) => self.now = number,
            ("Max", true) => self.most = number,
            ("Device Max", true) => self.own = number,
            ("Host Max", true) => self.host = number,
            ("Current", false) => self.width = self.width.or(number),
            ("Max", false) => self.most_width = self.most_width.or(number),
            ("Replays Since Reset", _) => self.replays = value.parse().unwrap_or_default(),
            ("Replay Number Rollovers", _) => self.rollovers = value.parse().unwrap_or_default(),
            _ => {}
        }
    }
}
