//! The registers of healthy ports and endpoints, with the values that firmware and probing leave.

use super::Build;
use crate::machine::function::{Aer, Express, Function, Link, Other, PortType, Slot, class};

impl Build {
    pub(super) fn endpoint(
        &mut self,
        bdf: (u8, u8, u8),
        id: (u16, u16),
        class: u32,
        own: (u8, u8),
        now: (u8, u8),
    ) -> Function {
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
    pub(super) fn port(
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

    pub(super) fn integrated(&mut self, bdf: (u8, u8, u8), class: u32, id: (u16, u16)) {
        let function = self.function(bdf, id, class, vec![Other::Power, Other::Msi]);
        self.machine.functions.push(function);
    }

    pub(super) fn function(&mut self, bdf: (u8, u8, u8), id: (u16, u16), class: u32, others: Vec<Other>) -> Function {
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
    pub(super) fn others(&mut self, extended: &[Other]) -> Vec<Other> {
        let mut all = vec![Other::Power, self.rng.of(&[Other::Msi, Other::MsiX])];
        if self.rng.one_in(4) {
            all.push(Other::Vendor);
        }
        all.extend(extended.iter().filter(|_| self.rng.one_in(2)));
        all
    }
}
