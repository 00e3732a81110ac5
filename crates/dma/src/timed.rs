//! A channel whose commands are given one by one: each when the one before has ended, and timed as a whole.

use crate::command::Progress;
use crate::orders::Orders;
use crate::reader::Reader;
use crate::writer::Writer;
use pcie::Time;
use sim::parts::{PartContext, Sent};
use system::kinds::CardParams;
use system::kinds::card::WriteDone;

/// What the next wake-up of a channel begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// A command.
    Command,
    /// The read of a command, whose write has been given.
    Read,
    /// Nothing: the command is on its way.
    Nothing,
}

/// See the module.
pub struct Single {
    /// Where each command writes before it reads.
    writer: Option<Writer>,
    pub reader: Reader,
    next: Next,
    /// When the present command was given.
    given: Time,
}

impl Single {
    /// The channel of `reader`; `writes` are the bytes of a TLP where each command writes first.
    pub fn new(reader: Reader, writes: Option<u64>, params: &CardParams) -> Single {
        let writer =
            writes.map(|payload| Writer::new(Progress::new(reader.progress.orders.clone(), None), payload, params));
        Single { writer, reader, next: Next::Command, given: Time::ZERO }
    }

    /// The wake-up that [`Single`] asked for: a command, or the read of one, begins. Returns when it has to be woken
    /// again.
    pub fn go_on(&mut self, context: &mut PartContext<'_>, params: &CardParams) -> Option<Time> {
        match std::mem::replace(&mut self.next, Next::Nothing) {
            Next::Nothing => None,
            Next::Read => self.read(context, params),
            Next::Command => {
                self.given = context.now();
                let Some(writer) = &mut self.writer else {
                    self.next = Next::Read;
                    return Some(self.given + params.handover_latency);
                };
                let first = self.given + params.write_handover(writer.progress.orders.command);
                writer.begin(context, params, first);
                writer.pump(context, params, None);
                self.handed_over(params)
            }
        }
    }

    fn read(&mut self, context: &mut PartContext<'_>, params: &CardParams) -> Option<Time> {
        self.reader.begin(context, context.now() + params.tx_latency);
        self.reader.pump(context, params, None);
        None
    }

    /// When the read can be decided, where all TLPs of the write have been, and that is the end of the write.
    fn handed_over(&mut self, params: &CardParams) -> Option<Time> {
        let writer = self.writer.as_ref().filter(|_| params.write_done == WriteDone::HandedOver)?;
        let (is_all, end) = (writer.progress.at_command_end(), writer.last_decided);
        (is_all && self.next == Next::Nothing).then(|| self.written(params, end))
    }

    /// A write ended at `end`: when the read can be decided.
    fn written(&mut self, params: &CardParams, end: Time) -> Time {
        self.next = Next::Read;
        end + params.write_done_latency + params.handover_latency
    }

    /// A TLP of the write, or the last request of a page, starts to leave. Returns when the channel has to be woken.
    pub fn sent(&mut self, context: &mut PartContext<'_>, params: &CardParams, sent: Sent) -> Option<Time> {
        if sent.payload == 0 {
            self.reader.sent(context, params, sent, None);
            return None;
        }
        let writer = self.writer.as_mut()?;
        let were_all = writer.progress.at_command_end();
        writer.sent(context, params, sent, None);
        let (are_all, is_last) = (writer.progress.at_command_end(), writer.progress.awaits.is_none());
        match params.write_done {
            WriteDone::HandedOver if !were_all => self.handed_over(params),
            WriteDone::Sent if are_all && is_last => Some(self.written(params, sent.end)),
            _ => None,
        }
    }

    /// Data is known to the engine. Returns when the next command is given.
    pub fn known(&mut self, context: &mut PartContext<'_>, params: &CardParams) -> Option<Time> {
        let had_all = self.reader.has_all();
        self.reader.known(context, params, None);
        if had_all || !self.reader.has_all() {
            return None;
        }
        let Orders { flow, command, .. } = self.reader.progress.orders;
        let end = context.now() + params.read_done(command);
        context.timed(flow, end - self.given);
        if self.reader.progress.is_last() {
            context.ended(flow, end);
            return None;
        }
        self.next = Next::Command;
        Some(end)
    }
}
