//! Generates a random machine without any fault: one or two sockets, root ports, switches, chipsets, drives,
//! accelerators and network cards, including unusual things that are not faults.

mod below;
mod board;
mod registers;

use super::function::{Function, PortType, Slot, class};
use super::generated::GeneratedMachine;
use super::rng::Rng;

/// The type of board that a machine imitates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Board {
    /// Intel desktop: root ports of the chipset beside those of the CPU. No register shows the link between them.
    Client,
    /// Two sockets.
    Server,
    /// AMD desktop: the chipset is a switch.
    Amd,
    /// A small board with a root port or two, each in its own domain.
    Small,
}

/// What may hang below a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Below {
    Nothing,
    Ssd,
    Gpu,
    Nic,
    Hba,
    Usb,
    Switch,
    Accelerators,
    Thunderbolt,
}

/// A healthy machine; the same for the same seed.
pub fn healthy(seed: u64) -> GeneratedMachine {
    let mut rng = Rng::new(seed);
    let board = rng.of(&[Board::Client, Board::Server, Board::Server, Board::Amd, Board::Small]);
    let nodes = if board == Board::Server { 2 } else { 1 };
    let group_type = rng.of(&["DMA-FQ", "identity"]);
    let machine = GeneratedMachine { functions: Vec::new(), nodes, group_type };
    let mut build = Build {
        rng,
        machine,
        domain: 0,
        bus: 0,
        node: if nodes == 1 { -1 } else { 0 },
        payload: 1,
        drives: 0,
        group: 0,
    };
    match board {
        Board::Client => build.client(),
        Board::Server => build.server(),
        Board::Amd => build.amd(),
        Board::Small => build.small(),
    }
    build.machine.functions.sort_by_key(|f| (f.domain, f.bdf));
    build.machine
}

struct Build {
    rng: Rng,
    machine: GeneratedMachine,
    domain: u32,
    /// The last bus number assigned.
    bus: u8,
    node: i32,
    /// Max_Payload_Size of everything below the present root port, as encoded.
    payload: u8,
    drives: usize,
    group: u32,
}

impl Build {
    /// A root port with everything below it.
    fn root(&mut self, bdf: (u8, u8, u8), id: (u16, u16), able: (u8, u8), below: Below, payload: u8) {
        self.payload = payload;
        self.below_port(bdf, id, PortType::Root, able, below);
    }

    fn below_port(&mut self, bdf: (u8, u8, u8), id: (u16, u16), kind: PortType, able: (u8, u8), below: Below) {
        let at = self.machine.functions.len();
        let secondary = self.next_bus();
        let hot = matches!(below, Below::Nothing) && self.rng.one_in(2);
        let slot = Some(Slot { hot_plug: hot, present: below != Below::Nothing, number: u16::from(bdf.1) });
        self.port(bdf, id, kind, able, (1, 0), (secondary, secondary), slot);
        let trained = match below {
            Below::Nothing => {
                // An empty port shows its slowest speed or none; its target is what firmware left.
                let link = self.rng.of(&[(1, 0), (0, 0)]);
                self.set_link(at, link, self.rng.clone().of(&[1, able.0]));
                return;
            }
            Below::Ssd => self.ssd(secondary, able),
            Below::Gpu => self.gpu(secondary, able),
            Below::Nic => self.nic(secondary, able),
            Below::Hba => self.hba(secondary, able),
            Below::Usb => self.card(secondary, able, (2, 1), (0x1b21, 0x1242), class::USB, Some("xhci_hcd")),
            Below::Switch => self.switch(secondary, able, (4, 4), Below::Ssd),
            Below::Accelerators => self.switch(secondary, able, (4, 8), Below::Gpu),
            Below::Thunderbolt => self.thunderbolt(secondary, able),
        };
        self.set_link(at, trained, able.0);
        self.close(at, 1);
    }

    /// Sets the subordinate bus numbers of `count` bridges from `at` on, once everything below is numbered.
    fn close(&mut self, at: usize, count: usize) {
        for function in self.machine.functions.iter_mut().skip(at).take(count) {
            if let Some(buses) = &mut function.buses {
                buses.1 = self.bus;
            }
        }
    }

    fn set_link(&mut self, at: usize, (speed, width): (u8, u8), target: u8) {
        if let Some(link) = self.machine.functions[at].link_mut() {
            (link.speed, link.width, link.target, link.active) = (speed, width, target, width > 0);
        }
    }

    fn last(&mut self) -> &mut Function {
        let last = self.machine.functions.len() - 1;
        &mut self.machine.functions[last]
    }

    fn next_bus(&mut self) -> u8 {
        self.bus += 1;
        self.bus
    }
}
