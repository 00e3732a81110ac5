//! What software brings to a controller: stores to its registers, and the commands that it then fetches.

use super::controller::Controller;
use super::face::PortPlace;
use super::params::{HEADER_BYTES, Protocol};
use super::port::{Command, Event, number, of_number};
use super::table::{MOST_TABLE, transfer};
use queues::Asked;
use sim::parts::{PartContext, Payload};
use std::collections::VecDeque;

impl Controller {
    /// Software has given the command `tag` of a port.
    fn given(&mut self, context: &mut PartContext<'_>, port: u32, tag: u32) {
        let of = &mut self.ports[port as usize];
        let Some(command) = of.commands.get_mut(tag as usize) else {
            return context.refuse(|| format!("software gave a command with tag {tag}, which it has not"));
        };
        let (header, table) = of.place.of_tag(tag);
        let steps = match of.place.protocol {
            Protocol::Ahci => VecDeque::from([(header, HEADER_BYTES), (table, of.place.table_bytes)]),
            Protocol::Sas => VecDeque::from([(table, of.place.table_bytes)]),
        };
        *command = Command { steps, came: context.now(), ..Command::default() };
        self.fetch(context, port, tag);
    }

    /// Reads the next step of a command, or lets it go to its drive.
    fn fetch(&mut self, context: &mut PartContext<'_>, port: u32, tag: u32) {
        let of = &mut self.ports[port as usize];
        let (flow, command) = (of.place.flows.reads, &mut of.commands[tag as usize]);
        let Some(step) = command.steps.pop_front() else {
            command.transfer = transfer(&command.table, of.place.protocol);
            if command.transfer.is_none() {
                return context.refuse(|| "it fetched a command that is no queued read or write".to_string());
            }
            of.waiting.push_back(tag);
            return self.take(context, port);
        };
        command.table.clear();
        self.mover.fetch(context, flow, step, number(port, tag));
    }

    /// Lets commands go to a drive, as many as it works on at once.
    pub(super) fn take(&mut self, context: &mut PartContext<'_>, port: u32) {
        let slots = self.params.slots() * self.params.members.0;
        let latency = self.params.command_latency;
        loop {
            let of = &mut self.ports[port as usize];
            if of.working >= slots {
                return;
            }
            let Some(tag) = of.waiting.pop_front() else { return };
            of.working += 1;
            self.at(context, context.now() + self.params.rx_latency + latency, Event::Begin(port, tag));
        }
    }

    pub(super) fn answered(&mut self, context: &mut PartContext<'_>, tag: u16, data: &Payload, last: bool) {
        let now = context.now();
        match self.mover.answered(context, tag, last) {
            Some(Asked::Beside(command)) => {
                let (port, tag) = of_number(command);
                let table = &mut self.ports[port as usize].commands[tag as usize].table;
                match data {
                    Payload::Bytes(data) => table.extend_from_slice(&data[..data.len().min(MOST_TABLE)]),
                    Payload::Length(_) => {
                        return context.refuse(|| "it fetched a command without its bytes".to_string());
                    }
                }
                if last {
                    self.fetch(context, port, tag);
                }
            }
            Some(Asked::Data { command, bytes, .. }) => {
                if last {
                    let (port, of) = of_number(command);
                    self.at(context, now + self.params.rx_latency, Event::Data(tag, port, of, bytes));
                }
            }
            _ => context.refuse(|| format!("it got an answer with the tag {tag}, which it has not asked with")),
        }
    }

    /// Software has stored `value` to a register.
    pub(super) fn stored(&mut self, context: &mut PartContext<'_>, address: u64, value: u32) {
        let Some((port, given)) = PortPlace::accessed(self.registers, address) else { return };
        let Some(of) = self.ports.get_mut(port as usize) else { return };
        match (of.place.protocol, given) {
            (Protocol::Ahci, false) => of.active |= value,
            (Protocol::Ahci, true) => self.given(context, port, value.trailing_zeros()),
            (Protocol::Sas, true) => self.given(context, port, value),
            (Protocol::Sas, false) => {}
        }
    }
}
