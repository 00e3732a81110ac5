//! What is connected below a port: drives, cards, and switches with more of them.

use super::{Below, Build};
use crate::machine::function::{Other, PortType, Slot, class};

impl Build {
    pub(super) fn ssd(&mut self, bus: u8, able: (u8, u8)) -> (u8, u8) {
        // Some drives can do more than their slot: by design, no fault.
        let own = (self.rng.of(&[3, 4, able.0.max(3)]), 4);
        let id = self.rng.of(&[(0x144d, 0xa80a), (0x15b7, 0x5030), (0x8086, 0x0a54)]);
        let trained = self.card(bus, able, own, id, class::NVME, Some("nvme"));
        let name = format!("nvme{}n1", self.drives);
        self.drives += 1;
        self.last().blocks.push(name);
        trained
    }

    pub(super) fn gpu(&mut self, bus: u8, able: (u8, u8)) -> (u8, u8) {
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

    pub(super) fn nic(&mut self, bus: u8, able: (u8, u8)) -> (u8, u8) {
        let own = self.rng.of(&[(3, 8), (4, 8)]);
        self.card(bus, able, own, (0x15b3, 0x101d), class::ETHERNET, Some("mlx5_core"))
    }

    pub(super) fn hba(&mut self, bus: u8, able: (u8, u8)) -> (u8, u8) {
        self.card(bus, able, (3, 8), (0x1000, 0x00af), class::SAS, Some("mpt3sas"))
    }

    /// An endpoint with the best link that a port with `able` allows; returns what the link trained to.
    pub(super) fn card(
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

    /// A switch with an uplink that is fast enough for the devices below it.
    pub(super) fn switch(&mut self, bus: u8, able: (u8, u8), ports: (u8, u8), what: Below) -> (u8, u8) {
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

    /// A Thunderbolt controller: its downstream ports report 2.5 GT/s x4 whatever the cable carries.
    pub(super) fn thunderbolt(&mut self, bus: u8, able: (u8, u8)) -> (u8, u8) {
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
}
