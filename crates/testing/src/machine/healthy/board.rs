//! Boards: their root ports, and what may be connected below them.

use super::{Below, Build};
use crate::machine::function::{PortType, class};

impl Build {
    pub(super) fn client(&mut self) {
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

    pub(super) fn server(&mut self) {
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

    pub(super) fn amd(&mut self) {
        self.integrated((0, 0, 0), class::HOST, (0x1022, 0x14d8));
        self.root((0, 1, 1), (0x1022, 0x14db), (5, 16), Below::Gpu, 2);
        self.root((0, 1, 2), (0x1022, 0x14db), (5, 4), Below::Ssd, 2);
        self.internal();
        self.chipset_switch();
    }

    pub(super) fn small(&mut self) {
        let ports = 1 + self.rng.below(2);
        for domain in 0..ports {
            (self.domain, self.bus) = (domain as u32, 0);
            let (vendor, able) = self.rng.of(&[(0x16c3, (2, 1)), (0x1d87, (3, 4)), (0x1556, (2, 1)), (0x16c3, (3, 2))]);
            let below = self.rng.of(&[Below::Ssd, Below::Usb, Below::Nic, Below::Nothing]);
            self.root((0, 0, 0), (vendor, if vendor == 0x1d87 { 0x3588 } else { 0xabcd }), able, below, 0);
        }
    }

    /// AMD's internal links between root complex and integrated devices, which report x16.
    pub(super) fn internal(&mut self) {
        let bus = self.next_bus();
        self.port((0, 8, 1), (0x1022, 0x14dd), PortType::Root, (4, 16), (4, 16), (bus, bus), None);
        let mut usb = self.endpoint((bus, 0, 0), (0x1022, 0x15b6), class::USB, (4, 16), (4, 16));
        usb.driver = Some("xhci_hcd");
        self.machine.functions.push(usb);
    }

    /// A chipset that is a switch: Gen4 x4 upstream, with few devices below it.
    pub(super) fn chipset_switch(&mut self) {
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
}
