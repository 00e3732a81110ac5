//! A machine in which nothing is wrong, made at random: one or two sockets, root ports, switches, chipsets, drives,
//! accelerators, network cards, and the odd things that look wrong and are not.

use super::Machine;
use super::function::{Aer, Express, Function, Link, Other, PortType, Slot, class};
use super::rng::Rng;

/// A board that a machine is made after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Board {
    /// Intel desktop: chipset root ports beside those of the CPU, with nothing between them in the registers.
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
pub fn healthy(seed: u64) -> Machine {
    let mut rng = Rng::new(seed);
    let board = rng.of(&[Board::Client, Board::Server, Board::Server, Board::Amd, Board::Small]);
    let nodes = if board == Board::Server { 2 } else { 1 };
    let group_type = rng.of(&["DMA-FQ", "identity"]);
    let machine = Machine { functions: Vec::new(), nodes, group_type };
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
    machine: Machine,
    domain: u32,
    /// The last bus that was given out.
    bus: u8,
    node: i32,
    /// Max_Payload_Size of all that hangs below the present root port, as encoded.
    payload: u8,
    drives: usize,
    group: u32,
}

impl Build {
    fn client(&mut self) {
        self.integrated((0, 0, 0), class::HOST, (0x8086, 0xa700));
        let payload = 1;
        let graphics = if self.rng.one_in(3) { Below::Nothing } else { Below::Gpu };
        self.root((0, 1, 0), (0x8086, 0xa70d), (5, 16), graphics, payload);
        let first = self.rng.of(&[Below::Ssd, Below::Nothing]);
        self.root((0, 6, 0), (0x8086, 0xa74d), (4, 4), first, payload);
        self.integrated((0, 0x14, 0), class::USB, (0x8086, 0x7a60));
        self.integrated((0, 0x17, 0), class::SATA, (0x8086, 0x7a62));
        // Behind the chipset: at most one drive, so that its uplink is enough for all.
        let mut behind = [Below::Ssd, Below::Usb, Below::Nothing, Below::Nothing];
        for i in 0..behind.len() {
            let other = self.rng.below(behind.len());
            behind.swap(i, other);
        }
        for (i, below) in behind.into_iter().enumerate() {
            let able = if below == Below::Ssd { (4, 4) } else { (3, 1) };
            self.root((0, 0x1c, i as u8), (0x8086, 0x7a38 + i as u16), able, below, payload);
        }
        if self.rng.one_in(3) {
            self.root((0, 0x1d, 0), (0x8086, 0x7a30), (3, 4), Below::Thunderbolt, payload);
        }
        self.integrated((0, 0x1f, 0), class::ISA, (0x8086, 0x7a04));
    }

    fn server(&mut self) {
        for (socket, base) in [(0, 0x00u8), (1, 0x80)] {
            (self.node, self.bus) = (socket, base);
            self.integrated((base, 0, 0), class::HOST, (0x8086, 0x09a2));
            self.integrated((base, 5, 0), class::SYSTEM, (0x8086, 0x09a4));
            // An accelerator has its drive or its network card on its own socket.
            let own = self.rng.of(&[Below::Ssd, Below::Nic]);
            let gpu = if self.rng.one_in(2) { Below::Gpu } else { Below::Hba };
            let more = self.rng.of(&[Below::Nothing, Below::Switch, Below::Accelerators, Below::Ssd, Below::Nic]);
            let payload = self.rng.of(&[1, 2]);
            self.root((base, 1, 0), (0x8086, 0x347a), (4, 16), gpu, payload);
            self.root((base, 2, 0), (0x8086, 0x347b), (4, 8), own, payload);
            self.root((base, 3, 0), (0x8086, 0x347c), (4, 16), more, payload);
            self.root((base, 4, 0), (0x8086, 0x347d), (4, 4), Below::Nothing, payload);
        }
    }

    fn amd(&mut self) {
        self.integrated((0, 0, 0), class::HOST, (0x1022, 0x14d8));
        self.root((0, 1, 1), (0x1022, 0x14db), (5, 16), Below::Gpu, 2);
        self.root((0, 1, 2), (0x1022, 0x14db), (5, 4), Below::Ssd, 2);
        self.internal();
        self.chipset_switch();
    }

    fn small(&mut self) {
        let ports = 1 + self.rng.below(2);
        for domain in 0..ports {
            (self.domain, self.bus) = (domain as u32, 0);
            let (vendor, able) = self.rng.of(&[(0x16c3, (2, 1)), (0x1d87, (3, 4)), (0x1556, (2, 1)), (0x16c3, (3, 2))]);
            let below = self.rng.of(&[Below::Ssd, Below::Usb, Below::Nic, Below::Nothing]);
            self.root((0, 0, 0), (vendor, if vendor == 0x1d87 { 0x3588 } else { 0xabcd }), able, below, 0);
        }
    }

    /// AMD's links between root complex and integrated devices, which read x16.
    fn internal(&mut self) {
        let bus = self.next_bus();
        self.port((0, 8, 1), (0x1022, 0x14dd), PortType::Root, (4, 16), (4, 16), (bus, bus), None);
        let mut usb = self.endpoint((bus, 0, 0), (0x1022, 0x15b6), class::USB, (4, 16), (4, 16));
        usb.driver = Some("xhci_hcd");
        self.machine.functions.push(usb);
    }

    /// A chipset that is a switch: Gen4 x4 up, with little below it.
    fn chipset_switch(&mut self) {
        let first = self.next_bus();
        let at = self.machine.functions.len();
        self.port((0, 2, 1), (0x1022, 0x14db), PortType::Root, (4, 4), (4, 4), (first, first), None);
        let inner = self.next_bus();
        self.port((first, 0, 0), (0x1022, 0x43f4), PortType::Upstream, (4, 4), (4, 4), (inner, inner), None);
        for (device, below, able) in [(0u8, Below::Usb, (3, 1)), (4, Below::Nothing, (3, 4)), (8, Below::Ssd, (3, 4))] {
            self.below_port((inner, device, 0), (0x1022, 0x43f5), PortType::Downstream, able, below);
        }
        self.close(at, 2);
    }

    /// A root port with what is below it.
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

    /// Subordinate buses of `count` bridges from `at` on, now that all below is numbered.
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

    fn ssd(&mut self, bus: u8, able: (u8, u8)) -> (u8, u8) {
        // Some drives can do more than their slot: by design, no fault.
        let own = (self.rng.of(&[3, 4, able.0.max(3)]), 4);
        let id = self.rng.of(&[(0x144d, 0xa80a), (0x15b7, 0x5030), (0x8086, 0x0a54)]);
        let trained = self.card(bus, able, own, id, class::NVME, Some("nvme"));
        let name = format!("nvme{}n1", self.drives);
        self.drives += 1;
        self.last().blocks.push(name);
        trained
    }

    fn gpu(&mut self, bus: u8, able: (u8, u8)) -> (u8, u8) {
        let own = (self.rng.of(&[3, 4]), 16);
        let id = self.rng.of(&[(0x10de, 0x2684), (0x10de, 0x20b5), (0x1002, 0x7550)]);
        let kind = if id.1 == 0x20b5 { class::GPU_3D } else { class::VGA };
        let trained = self.card(bus, able, own, id, kind, Some("vfio-pci"));
        if kind == class::VGA {
            self.last().multi = true;
            let mut audio = self.endpoint((bus, 0, 1), (id.0, id.1 ^ 0x0f00), class::AUDIO, own, trained);
            audio.multi = true;
            self.machine.functions.push(audio);
        }
        trained
    }

    fn nic(&mut self, bus: u8, able: (u8, u8)) -> (u8, u8) {
        let own = self.rng.of(&[(3, 8), (4, 8)]);
        self.card(bus, able, own, (0x15b3, 0x101d), class::ETHERNET, Some("mlx5_core"))
    }

    fn hba(&mut self, bus: u8, able: (u8, u8)) -> (u8, u8) {
        self.card(bus, able, (3, 8), (0x1000, 0x00af), class::SAS, Some("mpt3sas"))
    }

    /// A switch whose uplink is enough for what is below it.
    fn switch(&mut self, bus: u8, able: (u8, u8), ports: (u8, u8), what: Below) -> (u8, u8) {
        let trained = (able.0.min(4), able.1.min(16));
        let up = self.machine.functions.len();
        let inner = self.next_bus();
        self.port((bus, 0, 0), (0x10b5, 0x9797), PortType::Upstream, (4, 16), trained, (inner, inner), None);
        let used = if what == Below::Ssd { 2 + self.rng.below(2) } else { 2 };
        for device in 0..used as u8 + 1 {
            let below = if usize::from(device) < used { what } else { Below::Nothing };
            self.below_port((inner, device, 0), (0x10b5, 0x9797), PortType::Downstream, ports, below);
        }
        // ACS among drives alone costs nobody anything: the kernel switches it on wherever an IOMMU is.
        if what == Below::Ssd && self.rng.one_in(2) {
            for function in self.machine.functions[up + 1..].iter_mut().filter(|f| f.buses.is_some()) {
                function.acs = Some((0x005f, 0x001d));
            }
        }
        self.close(up, 1);
        trained
    }

    /// A Thunderbolt controller: its downstream ports read 2.5 GT/s x4 whatever the cable does.
    fn thunderbolt(&mut self, bus: u8, able: (u8, u8)) -> (u8, u8) {
        let trained = (able.0.min(3), able.1.min(4));
        let up = self.machine.functions.len();
        let inner = self.next_bus();
        self.port((bus, 0, 0), (0x8086, 0x15ea), PortType::Upstream, (3, 4), trained, (inner, inner), None);
        for device in [0u8, 1, 4] {
            let secondary = self.next_bus();
            let at = self.machine.functions.len();
            let slot = Some(Slot { hot_plug: true, present: device == 0, number: u16::from(device) });
            let id = (0x8086, 0x15ea);
            self.port((inner, device, 0), id, PortType::Downstream, (1, 4), (1, 4), (secondary, secondary), slot);
            self.set_link(at, (1, 4), 1);
            if device == 0 {
                let nhi = self.endpoint((secondary, 0, 0), (0x8086, 0x15eb), class::SYSTEM, (1, 4), (1, 4));
                self.machine.functions.push(nhi);
            }
        }
        for function in self.machine.functions[up..].iter_mut().filter(|f| f.id.1 == 0x15ea) {
            function.others.push(Other::Thunderbolt);
        }
        self.close(up, 1);
        trained
    }

    /// An endpoint at its best below a port that is `able`; what the link trained to.
    fn card(
        &mut self,
        bus: u8,
        able: (u8, u8),
        own: (u8, u8),
        id: (u16, u16),
        class: u32,
        driver: Option<&'static str>,
    ) -> (u8, u8) {
        let trained = (able.0.min(own.0), able.1.min(own.1));
        let mut function = self.endpoint((bus, 0, 0), id, class, own, trained);
        function.driver = driver;
        self.machine.functions.push(function);
        trained
    }

    fn last(&mut self) -> &mut Function {
        let last = self.machine.functions.len() - 1;
        &mut self.machine.functions[last]
    }

    fn endpoint(&mut self, bdf: (u8, u8, u8), id: (u16, u16), class: u32, own: (u8, u8), now: (u8, u8)) -> Function {
        let others = self.others(&[Other::L1Substates, Other::Ltr, Other::Serial, Other::Secondary, Other::Unknown]);
        let mut function = self.function(bdf, id, class, others);
        let supported = self.payload.max(self.rng.of(&[1, 2, 5]));
        function.subsystem = (id.0, 0x1234);
        function.express = Some(Express {
            port_type: PortType::Endpoint,
            slot: None,
            payload: (supported, self.payload),
            read_request: self.rng.of(&[2, 2, 5]),
            ext_tag: (true, true),
            relaxed: true,
            // Firmware's probing leaves correctable errors and unsupported requests behind: no fault.
            status: self.rng.of(&[0, 0, 0x09]),
            link: Some(Link {
                max_speed: own.0,
                max_width: own.1,
                speed: now.0,
                width: now.1,
                target: own.0,
                active: false,
                aspm: (2, 0),
                port: 0,
            }),
        });
        // An advisory error of the same probing.
        let correctable = self.rng.of(&[0, 0, 0, 1 << 13]);
        function.aer = Some(Aer { uncorrectable: 0, correctable, counted: Vec::new() });
        function
    }

    #[allow(clippy::too_many_arguments, reason = "a port has that many registers")]
    fn port(
        &mut self,
        bdf: (u8, u8, u8),
        id: (u16, u16),
        kind: PortType,
        able: (u8, u8),
        now: (u8, u8),
        buses: (u8, u8),
        slot: Option<Slot>,
    ) {
        let others = self.others(&[Other::Secondary, Other::Dpc, Other::Physical16, Other::DataLinkFeature]);
        let mut function = self.function(bdf, id, class::BRIDGE, others);
        function.buses = Some(buses);
        function.driver = Some("pcieport");
        function.express = Some(Express {
            port_type: kind,
            slot,
            // Firmware settles the least of a tree: here that of its ports.
            payload: (self.payload, self.payload),
            read_request: 0,
            ext_tag: (true, true),
            relaxed: true,
            status: 0,
            link: Some(Link {
                max_speed: able.0,
                max_width: able.1,
                speed: now.0,
                width: now.1,
                target: able.0,
                active: now.1 > 0,
                aspm: (2, 0),
                port: bdf.1,
            }),
        });
        function.aer = Some(Aer::default());
        // Root ports: redirection to the root is where they are already.
        function.acs = (kind == PortType::Root).then_some((0x001f, 0x001d));
        self.machine.functions.push(function);
    }

    fn integrated(&mut self, bdf: (u8, u8, u8), class: u32, id: (u16, u16)) {
        let function = self.function(bdf, id, class, vec![Other::Power, Other::Msi]);
        self.machine.functions.push(function);
    }

    fn function(&mut self, bdf: (u8, u8, u8), id: (u16, u16), class: u32, others: Vec<Other>) -> Function {
        self.group += 1;
        Function {
            domain: self.domain,
            bdf,
            id,
            subsystem: (id.0, 0),
            class,
            buses: None,
            express: None,
            aer: None,
            acs: None,
            others,
            multi: bdf.2 > 0,
            node: self.node,
            group: Some(self.group),
            driver: None,
            blocks: Vec::new(),
        }
    }

    /// Power management, interrupts and some of `extended`.
    fn others(&mut self, extended: &[Other]) -> Vec<Other> {
        let mut all = vec![Other::Power, self.rng.of(&[Other::Msi, Other::MsiX])];
        if self.rng.one_in(4) {
            all.push(Other::Vendor);
        }
        all.extend(extended.iter().filter(|_| self.rng.one_in(2)));
        all
    }

    fn next_bus(&mut self) -> u8 {
        self.bus += 1;
        self.bus
    }
}
