//! How software gives commands to a controller with SATA drives, and learns of their ends.

use super::params::{FAILED, HEADER_BYTES, Protocol, REGISTER_BYTES, TOLD_BYTES};
use super::table::table;
use queues::{Ended, Face, Flows, Transfer};
use sim::{Ask, HostMemory, Message, Seen};
use std::collections::VecDeque;
use system::Window;

/// Registers of an AHCI port (AHCI, Port Registers), the first at 100h, 80h each: active commands, and commands given. A
/// SAS adapter has one pair for each drive in the same place: the request that is given, and the replies that are seen.
const PORTS: u64 = 0x100;
const PORT_BYTES: u64 = 0x80;
const ACTIVE: u64 = 0x34;
const GIVEN: u64 = 0x38;

/// What the software of a port and its controller agree on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PortPlace {
    /// The flows of its commands.
    pub flows: Flows,
    /// Its number.
    pub port: u32,
    pub protocol: Protocol,
    /// Where the registers of the controller are.
    pub registers: u64,
    /// Headers or messages, and tables, by tag.
    pub headers: Window,
    pub tables: Window,
    /// Bytes of a table, or of a message.
    pub table_bytes: u64,
    /// Where the controller writes ends: one FIS, or a ring of replies.
    pub told: Window,
    pub entries: u32,
    /// The message of its interrupt; `None` where its software polls.
    pub message: Option<Message>,
}

impl PortPlace {
    fn register(&self, which: u64) -> u64 {
        self.registers + PORTS + u64::from(self.port) * PORT_BYTES + which
    }

    /// The port and the register of it that `address` is: true for that of commands given.
    pub fn accessed(registers: u64, address: u64) -> Option<(u32, bool)> {
        let at = address.checked_sub(registers + PORTS)?;
        let which = at % PORT_BYTES;
        [ACTIVE, GIVEN].contains(&which).then_some(((at / PORT_BYTES) as u32, which == GIVEN))
    }

    /// Bytes of registers for so many ports.
    pub fn register_bytes(ports: u64) -> u64 {
        PORTS + ports * PORT_BYTES
    }

    /// The address of the header and of the table of a tag; of its message, for both.
    pub fn of_tag(&self, tag: u32) -> (u64, u64) {
        let table = self.tables.base + u64::from(tag) * self.table_bytes;
        match self.protocol {
            Protocol::Ahci => (self.headers.base + u64::from(tag) * HEADER_BYTES, table),
            Protocol::Sas => (table, table),
        }
    }

    /// Where the end number `number` of a SAS adapter is told, or any of an AHCI port.
    pub fn told_at(&self, number: u32) -> u64 {
        match self.protocol {
            Protocol::Ahci => self.told.base,
            Protocol::Sas => self.told.base + u64::from(number % self.entries) * TOLD_BYTES,
        }
    }

    /// Where an AHCI port tells which command has failed.
    pub fn failed_at(&self) -> u64 {
        self.told.base + TOLD_BYTES
    }

    /// Bytes that the controller writes ends to.
    pub fn told_bytes(entries: u32) -> u64 {
        u64::from(entries.max(2)) * TOLD_BYTES
    }
}

/// See the module.
#[derive(Debug)]
pub(crate) struct PortFace {
    place: PortPlace,
    /// Tags of commands in flight, and of those that have ended and are not taken yet (AHCI).
    active: u32,
    over: u32,
    /// True after the thread was woken, until it has loaded the register; and while it does.
    is_due: bool,
    loads: bool,
    /// Replies that have been seen, and told (SAS).
    head: u32,
    told: u32,
    /// True after a command has failed: one does (AHCI).
    knows: bool,
}

impl PortFace {
    /// The software of `place`.
    pub fn new(place: PortPlace) -> PortFace {
        PortFace { place, active: 0, over: 0, is_due: false, loads: false, head: 0, told: 0, knows: false }
    }

    fn store(&self, which: u64, value: u32, plan: &mut VecDeque<Ask>) {
        plan.push_back(Ask::Store { address: self.place.register(which), data: Box::new(value.to_le_bytes()) });
    }
}

impl Face for PortFace {
    fn give(&mut self, identifier: u64, transfer: Transfer, memory: &mut HostMemory, plan: &mut VecDeque<Ask>) {
        let tag = identifier as u32;
        let (_, at) = self.place.of_tag(tag);
        memory.write(at, &table(&transfer, tag, self.place.protocol));
        match self.place.protocol {
            Protocol::Ahci => {
                self.active |= 1 << tag;
                self.store(ACTIVE, 1 << tag, plan);
                self.store(GIVEN, 1 << tag, plan);
            }
            Protocol::Sas => self.store(GIVEN, tag, plan),
        }
    }

    fn ended(&mut self, seen: &Seen, memory: &HostMemory, plan: &mut VecDeque<Ask>) -> Option<Ended> {
        if self.place.protocol == Protocol::Sas {
            let word = memory.word(self.place.told_at(self.head));
            let pass = u64::from(self.head / self.place.entries) + 1;
            if word >> 32 != pass {
                return None;
            }
            self.head = self.head.wrapping_add(1);
            let word = word & u64::from(u32::MAX);
            return Some(Ended { identifier: word & !FAILED, failed: word & FAILED != 0 });
        }
        if let (true, Seen::Loaded(active)) = (std::mem::take(&mut self.loads), seen) {
            let active = active.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte));
            self.over = self.active & !active;
            self.active &= active;
        }
        if self.over == 0 {
            if std::mem::take(&mut self.is_due) {
                self.loads = true;
                plan.push_back(Ask::Load { address: self.place.register(ACTIVE), bytes: REGISTER_BYTES });
            }
            return None;
        }
        let tag = u64::from(self.over.trailing_zeros());
        self.over &= self.over - 1;
        let failed = !self.knows && memory.word(self.place.failed_at()) == FAILED | tag;
        self.knows |= failed;
        Some(Ended { identifier: tag, failed })
    }

    fn tell(&mut self, plan: &mut VecDeque<Ask>) {
        if self.told != self.head {
            self.told = self.head;
            self.store(ACTIVE, self.head, plan);
        }
    }

    fn woken(&mut self) {
        self.is_due = true;
    }
}
