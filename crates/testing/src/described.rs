//! Random descriptions of machines of all bundled kinds, as YAML: a host, or an NVMe host in logic, switches, cards, drives
//! and their controllers, with one experiment `e` of one to six flows.
//!
//! What comes out may be refused (a flow that a kind has not, a queue too deep): what refuses it, and whether all do, is for
//! the tests that use it.

mod rare;

use crate::machine::rng::Rng;
use std::fmt::Write;

/// The first number of the parts of the second tree.
const TREE: usize = 50;
/// Seeds of wide machines are others than those of [`described`].
const WIDE: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a part is to the flows.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Card,
    Drive,
    Usb,
}

/// The ports that are free below a part.
struct Free {
    part: String,
    ports: Vec<String>,
}

struct Maker {
    dice: Rng,
    parts: String,
    links: String,
    free: Vec<Free>,
    ends: Vec<End>,
    /// Whose tree is being made, and whether it has fields that few machines have.
    host: String,
    is_wide: bool,
}

/// A part at which flows begin or end, and the host of its tree.
#[derive(Clone)]
struct End {
    name: String,
    role: Role,
    host: String,
}

/// The description of `seed`.
pub fn described(seed: u64) -> String {
    Maker::new(seed, false).whole(seed)
}

/// The description of `seed` with what [`described`] has not: odd tags and payloads, cores that limit, loopbacks, commands
/// of any length, IOMMUs, sockets, memory that takes its time, caps of ports, DRAM, zones, caches and SLC of drives, and
/// two hosts.
pub fn wide(seed: u64) -> String {
    Maker::new(seed, true).whole(seed)
}

impl Maker {
    fn new(seed: u64, is_wide: bool) -> Maker {
        let (parts, links, free, ends) = Default::default();
        let dice = Rng::new(if is_wide { seed.wrapping_mul(WIDE) } else { seed });
        let mut maker = Maker { dice, parts, links, free, ends, host: "h0".into(), is_wide };
        maker.tree(0);
        if is_wide && maker.dice.one_in(6) {
            (maker.host, maker.free) = ("h1".into(), Vec::new());
            maker.tree(TREE);
        }
        maker
    }

    /// A host with what is below it; its parts have numbers from `first` on.
    fn tree(&mut self, first: usize) {
        let logic = self.dice.one_in(12);
        self.root(logic);
        for number in 0..self.dice.below(if logic { 1 } else { 5 }) {
            self.switch(first + number);
        }
        let most = if logic { 2 } else { 7 };
        for number in 0..1 + self.dice.below(most) {
            self.end(first + number, logic);
        }
    }

    /// Fields of which few machines have any, each with a probability of one in `often`.
    fn some(&mut self, often: usize, all: &[(&str, &[&str])]) -> String {
        let mut text = String::new();
        for (field, values) in all {
            if self.is_wide && self.dice.one_in(often) {
                text += &format!(", {field}: {}", self.dice.of(values));
            }
        }
        text
    }

    fn link(&mut self) -> String {
        format!("gen{} x{}", 1 + self.dice.below(5), self.dice.of(&[1, 1, 2, 4, 4, 8, 8, 16]))
    }

    /// Fields of any port, each with some probability.
    fn habits(&mut self) -> String {
        let all: [(&str, &[&str]); 9] = [
            ("posted_headers", &["16", "32", "64", "127"]),
            ("posted_data", &["128", "512", "1024"]),
            ("nonposted_headers", &["8", "16", "32", "64"]),
            ("completion_headers", &["32", "128"]),
            ("completion_data", &["256", "1024", "2048"]),
            ("update_fc", &["each"]),
            ("tlps_per_ack", &["1", "2", "4", "7"]),
            ("replay_buffer", &["4 KiB", "8 KiB", "32 KiB"]),
            ("start_alignment", &["lane 0", "8 B"]),
        ];
        let mut text = String::new();
        for (field, values) in all {
            if self.dice.one_in(4) {
                text += &format!(", {field}: {}", self.dice.of(values));
            }
        }
        text
    }

    fn fields(&mut self, all: &[(&str, &[&str])]) -> String {
        all.iter().map(|(field, values)| format!(", {field}: {}", self.dice.of(values))).collect()
    }

    fn root(&mut self, logic: bool) {
        let count = 1 + self.dice.below(3);
        let ports: Vec<String> = (0..count).map(|port| format!("p{port}: {}", self.link())).collect();
        let own = if logic {
            self.fields(&[("read_cycles", &["20", "60"]), ("idle_cycles", &["0", "2"]), ("core_width", &["16 B"])])
        } else {
            self.fields(&[
                ("read_latency", &["200 ns", "250 ns", "500 ns", "900 ns"]),
                ("completion_bytes", &["128", "256"]),
                ("rcb", &["64", "128"]),
                ("serve_reads", &["in-turn", "in-order"]),
                ("notice", if self.is_wide { &["interrupt"] } else { &["interrupt", "polling"] }),
            ]) + &self.memory()
        };
        let (kind, habits) = (if logic { "nvme-host" } else { "host" }, self.habits());
        let mps = self.dice.of(&["128 B", "256 B", "512 B"]);
        let _ = writeln!(
            self.parts,
            "  {}: {{ kind: {kind}, ports: {{ {} }}, mps: {mps}{own}{habits} }}",
            self.host,
            ports.join(", ")
        );
        self.free.push(Free { part: self.host.clone(), ports: (0..count).map(|port| format!("p{port}")).collect() });
    }

    fn switch(&mut self, number: usize) {
        let Some(above) = self.take() else { return };
        let (up, down, count) = (self.link(), self.link(), 2 + self.dice.below(4));
        let own = self.fields(&[
            ("latency", &["80 ns", "110 ns", "150 ns", "300 ns"]),
            ("forwarding", &["cut-through", "store-and-forward"]),
        ]);
        let (habits, mps) = (self.habits(), self.dice.of(&["128 B", "256 B", "512 B"]));
        let name = format!("w{number}");
        let _ = writeln!(
            self.parts,
            "  {name}: {{ kind: switch, ports: {{ up: {up}, \"down[{count}]\": {down} }}, mps: {mps}{own}{habits} }}"
        );
        self.join(&above, &format!("{name}.up"));
        self.free.push(Free { part: name, ports: (0..count).map(|port| format!("down[{port}]")).collect() });
    }

    fn end(&mut self, number: usize, logic: bool) {
        let Some(above) = self.take() else { return };
        let kind = if logic { 2 } else { self.dice.below(6) };
        let (name, role, own) = match kind {
            0 | 1 => ("c", Role::Card, self.card()),
            2 | 3 => ("n", Role::Drive, self.nvme()),
            4 => ("s", Role::Drive, self.sata()),
            _ => ("u", Role::Usb, self.usb()),
        };
        let (name, link, habits) = (format!("{name}{number}"), self.link(), self.habits());
        let mps = self.dice.of(&["128 B", "256 B", "512 B"]);
        let _ = writeln!(self.parts, "  {name}: {{ {own}, ports: {{ pcie: {link} }}, mps: {mps}{habits} }}");
        self.join(&above, &format!("{name}.pcie"));
        self.ends.push(End { name, role, host: self.host.clone() });
    }

    /// What else the memory of a host may have.
    fn memory(&mut self) -> String {
        let mut text = self.some(6, &rare::MEMORY);
        if self.is_wide && self.dice.one_in(4) {
            text += ", iommu: yes";
            text += &self.some(2, &rare::IOMMU);
        }
        if self.is_wide && self.dice.one_in(4) {
            text += &format!(", memory_socket: 1, socket_rate: {}", self.dice.of(&["900 MB/s", "6 GB/s", "20 GB/s"]));
            text += &self.some(2, &[("socket_latency", &["60 ns"]), ("far_cache", &["no"])]);
        }
        if self.is_wide && self.dice.one_in(4) {
            text += ", warm: no";
            text += &self.some(2, &rare::DRAM);
        }
        text
    }

    fn card(&mut self) -> String {
        let rare = self.some(5, &rare::CARD);
        let requests: &[&str] = match self.is_wide {
            true => &["1", "3", "7", "11", "24", "32", "56"],
            false => &["1", "4", "16", "32", "64"],
        };
        "kind: dma-card".to_string()
            + &rare
            + &self.fields(&[
                ("read_requests", requests),
                ("tag_bits", &["5", "8", "10"]),
                ("read_request", &["256 B", "512 B", "4096 B"]),
                ("tx_latency", &["0 ns", "80 ns", "200 ns"]),
                ("rx_latency", &["80 ns", "200 ns"]),
                ("fifo", &["1 KiB", "4 KiB", "32 KiB"]),
                ("target_read_latency", &["100 ns", "300 ns"]),
                ("overlap", &["yes", "no"]),
            ])
    }

    fn nvme(&mut self) -> String {
        let rare = self.some(5, &rare::NVME);
        "kind: nvme-ssd".to_string()
            + &rare
            + &self.fields(&[
                ("dies", &["8", "32", "64", "128"]),
                ("channels", &["4", "8"]),
                ("channel_rate", &["400 MB/s", "1200 MB/s"]),
                ("page", &["4 KiB", "16 KiB"]),
                ("read_time", &["40 us", "70 us"]),
                ("program_time", &["200 us", "600 us"]),
                ("read_requests", &["8", "32", "64"]),
                ("data_pointer", &["prp", "sgl"]),
                ("queues_in", &["host", "drive"]),
                ("read_ahead", &["0 MiB", "1 MiB"]),
            ])
    }

    fn sata(&mut self) -> String {
        let rare = self.some(5, &rare::SATA);
        "kind: sata-controller".to_string()
            + &rare
            + &self.fields(&[
                ("protocol", &["ahci", "sas"]),
                ("device", &["disk", "ssd"]),
                ("sata_rate", &["300 MB/s", "600 MB/s"]),
                ("media_rate", &["90 MB/s", "180 MB/s", "500 MB/s"]),
                ("fifo", &["8 KiB", "32 KiB"]),
            ])
    }

    fn usb(&mut self) -> String {
        "kind: usb2-bulk".to_string()
            + &self.fields(&[("controller", &["ehci", "xhci"]), ("reserve", &["nothing", "microframe", "frames"])])
    }

    /// A free port of the tree; `None` where there is none.
    fn take(&mut self) -> Option<String> {
        let some: Vec<usize> = (0..self.free.len()).filter(|&at| !self.free[at].ports.is_empty()).collect();
        let at = *some.get(self.dice.below(some.len()))?;
        let port = self.dice.below(self.free[at].ports.len());
        let port = self.free[at].ports.remove(port);
        Some(format!("{}.{port}", self.free[at].part))
    }

    fn join(&mut self, above: &str, below: &str) {
        let own = match self.dice.below(5) {
            0 => format!("gen: {}, ", 1 + self.dice.below(3)),
            1 => format!("lanes: {}, ", self.dice.of(&[1, 2, 4])),
            2 => format!("propagation: {} ns, ", self.dice.of(&[1, 5, 25])),
            _ => String::new(),
        };
        let _ = writeln!(self.links, "  - {{ join: \"{above} - {below}\", {} }}", own.trim_end_matches(", "));
    }

    /// Most machines have flows of one sort: with a queue depth, there are no others beside those of drives.
    fn keep_one_role(&mut self) {
        let Some(role) = self.ends.get(self.dice.below(self.ends.len())).map(|end| end.role) else { return };
        self.ends.retain(|end| end.role == role);
    }

    fn flow(&mut self) -> Option<String> {
        let End { name, role, host } = self.ends.get(self.dice.below(self.ends.len()))?.clone();
        let is_beside = |other: &&End| other.role == Role::Card && other.host == host;
        let cards: Vec<String> = self.ends.iter().filter(is_beside).map(|end| end.name.clone()).collect();
        let other = cards.get(self.dice.below(cards.len())).filter(|other| **other != name).cloned();
        let (flow, operation) = match (role, other) {
            (Role::Drive, _) if self.dice.one_in(2) => (format!("{host} -> {name}"), "disk-write"),
            (Role::Drive, _) => (format!("{name} -> {host}"), "disk-read"),
            (Role::Usb, _) => (format!("{name} -> {host}"), "bulk-in"),
            (Role::Card, Some(other)) if self.dice.one_in(3) => {
                (format!("{name} -> {other}"), self.dice.of(&["p2p-write", "p2p-read"]))
            }
            (Role::Card, _) => match self.dice.below(if self.is_wide { 8 } else { 6 }) {
                0 => (format!("{host} -> {name}"), "pio-write"),
                1 | 2 | 6 => (format!("{host} -> {name}"), "dma-read"),
                7 => (format!("{host} -> {name}"), "loopback"),
                _ => (format!("{name} -> {host}"), "dma-write"),
            },
        };
        Some(format!("      - {{ flow: \"{flow}\", operation: {operation} }}\n"))
    }

    fn whole(&mut self, seed: u64) -> String {
        let count = 1 + self.dice.below(6);
        if self.is_wide && !self.dice.one_in(3) {
            self.keep_one_role();
        }
        let flows: String = (0..count).filter_map(|_| self.flow()).collect();
        let settings = self.fields(&[
            ("mrrs", &["128 B", "256 B", "512 B", "4096 B"]),
            ("bars", &["below 4 GiB", "above 4 GiB"]),
            ("mps_policy", &["path", "tree-minimum"]),
        ]);
        let is_of_cards = self.ends.iter().all(|end| end.role == Role::Card);
        let commands: &[&str] = match (self.is_wide, is_of_cards) {
            (true, true) => &["512 B", "1000 B", "4 KiB", "6000 B", "64 KiB", "200 KiB"],
            (true, false) => &["512 B", "4 KiB", "8 KiB", "64 KiB", "200 KiB"],
            (false, _) => &["4 KiB", "64 KiB", "128 KiB"],
        };
        let mut of = self.fields(&[("command", commands), ("volume", &["256 KiB", "512 KiB"])]);
        if is_of_cards {
            of += &self.some(3, &[("offset", &["4 B", "64 B", "300 B"]), ("pattern", &["random"])]);
        }
        let mut work = self.fields(&[("queue_depth", &["1", "4", "16", "32"]), ("jobs", &["1", "1", "1", "2"])]);
        if self.is_wide && !self.ends.iter().all(|end| end.role == Role::Drive) {
            work = ", queue_depth: 1".into();
        }
        let drive = if self.is_wide && is_of_cards { self.dice.of(&["software", "card", "card"]) } else { "software" };
        let lines = |fields: &str| fields.trim_start_matches(", ").replace(", ", "\n    ");
        format!(
            "title: random machine {seed}\nparts:\n{}links:\n{}settings: {{ {} }}\nexperiments:\n  e:\n    {}\n    \
             drive: {drive}\n    {}\n    flows:\n{flows}    measures: [throughput_per_flow]\n",
            self.parts,
            self.links,
            settings.trim_start_matches(", "),
            lines(&of),
            lines(&work),
        )
    }
}
