//! The kinds of part of this crate, and their declarations.
//!
//! A kind is a struct of fields (declared with [`params!`](crate::params)). The doc comments of the structs define the
//! behaviour that `limit` and `sim` both implement. These two share the fields and the sizes of `pcie`, and no code.

pub mod card;
pub mod host;
pub mod kind;
pub mod port;
pub mod queues;
pub mod row;
mod socket;
pub mod switch;

pub use card::CardParams;
pub use host::HostParams;
pub use port::PortParams;
pub use switch::SwitchParams;

use crate::field::{FieldType, Params};
use crate::kinds::kind::{Declaration, Declared, Kind, TreePosition, Wrong};
use crate::operation::Operation;
use std::borrow::Cow;

impl Declared for HostParams {
    const DECLARATION: Declaration = Declaration {
        word: "host",
        about: "CPU, memory and root complex",
        place: TreePosition::Root,
        operations: &[],
        fields: HostParams::FIELDS,
        catalogue: &[],
        machines: &[],
        causes: &[],
        default: || Kind::new(HostParams::default()),
    };

    fn check(&self) -> Option<Wrong> {
        let wrong = |field, value, help| Some(Wrong { field, value, help });
        if ![64, 128].contains(&self.rcb.0) {
            return wrong("rcb", self.rcb.print(), "the Read Completion Boundary is 64 or 128".into());
        }
        for (field, value) in [("socket", &self.socket), ("memory_socket", &self.memory_socket)] {
            if *value > 1 {
                return wrong(field, value.print(), "a host has the sockets 0 and 1".into());
            }
        }
        if let Some(ways) = self.iotlb_ways.0
            && !self.iotlb_entries.0.is_multiple_of(ways.0.max(1))
        {
            let help = format!("the IOTLB has {} entries: write a number that divides them", self.iotlb_entries.0);
            return wrong("iotlb_ways", self.iotlb_ways.print(), help);
        }
        if self.idle_cycles > 0 && self.core_width.0.is_none() {
            let help = "a cycle is known by the width of the datapath: write `core_width`, as in `core_width: 16 B`";
            return wrong("idle_cycles", self.idle_cycles.print(), help.into());
        }
        if !self.completion_bytes.0.is_multiple_of(self.rcb.0) {
            let help = format!("completions are cut at multiples of `rcb`: {}", self.rcb.0);
            return wrong("completion_bytes", self.completion_bytes.print(), help);
        }
        None
    }

    fn host(&self) -> Option<Cow<'_, HostParams>> {
        Some(Cow::Borrowed(self))
    }
}

impl Declared for SwitchParams {
    const DECLARATION: Declaration = Declaration {
        word: "switch",
        about: "a switch, or a chipset behind DMI",
        place: TreePosition::Switch,
        operations: &[],
        fields: SwitchParams::FIELDS,
        catalogue: &[],
        machines: &[],
        causes: &[],
        default: || Kind::new(SwitchParams::default()),
    };

    fn check(&self) -> Option<Wrong> {
        (self.latency_cycles > 0 && self.core_width.0.is_none()).then(|| Wrong {
            field: "latency_cycles",
            value: self.latency_cycles.print(),
            help: "a cycle is known by the width of the datapath: write `core_width`, as in `core_width: 16 B`".into(),
        })
    }
}

impl Declared for CardParams {
    const DECLARATION: Declaration = Declaration {
        word: "dma-card",
        about: "an endpoint with a DMA engine",
        place: TreePosition::Endpoint,
        operations: Operation::OWN,
        fields: CardParams::FIELDS,
        catalogue: &[],
        machines: &[],
        causes: &[],
        default: || Kind::new(CardParams::default()),
    };

    fn is_compiled(&self) -> bool {
        CardParams::is_compiled(self)
    }

    fn check(&self) -> Option<Wrong> {
        let wrong = |field, value, help: &str| Some(Wrong { field, value, help: help.into() });
        if self.payload.0.is_some_and(|payload| !payload.0.is_multiple_of(4)) {
            return wrong("payload", self.payload.print(), "payloads are whole double words: a multiple of 4");
        }
        let (field, cycles) = self.longest_in_cycles();
        if cycles > 0 && !self.clock_follows_link && self.core_clock.0.is_none() {
            let help =
                "a cycle is known by the clock: write `clock_follows_link: yes` and `core_width`, or `core_clock`";
            return wrong(field, cycles.print(), help);
        }
        if self.ats && self.is_compiled() {
            return wrong(
                "ats",
                self.ats.print(),
                "our engine does not translate addresses: take out `ats` or `gateware`",
            );
        }
        None
    }

    fn engine(&self) -> Option<CardParams> {
        Some(self.clone())
    }
}

/// The kinds of this crate, by their settings.
impl Kind {
    /// The settings of a host of this crate's kind. For any root complex, see [`Kind::host`].
    pub fn host_mut(&mut self) -> Option<&mut HostParams> {
        self.of_mut()
    }
    /// The settings of a switch.
    pub fn switch(&self) -> Option<&SwitchParams> {
        self.of()
    }
    /// The settings of a DMA card.
    pub fn card(&self) -> Option<&CardParams> {
        self.of()
    }
    /// See [`Kind::card`].
    pub fn card_mut(&mut self) -> Option<&mut CardParams> {
        self.of_mut()
    }
}
