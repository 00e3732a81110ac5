//! The data of commands: lists of pages, the flash, the buffer, and where in host memory it goes or comes from.

use super::command::{Command, Event, Fetched};
use super::controller::Controller;
use super::entry::Submission;
use crate::block::PAGE_BYTES;
use crate::faults::Fate;
use crate::flash::Piece;
use queues::Span;
use sim::parts::{Held, PartContext};
use system::Wait;

impl Controller {
    /// Asks for the list of pages of a command.
    pub(super) fn fetch_list(&mut self, context: &mut PartContext<'_>, place: u32) {
        let (most, flow) = (self.mover.most_read(), self.flow(place));
        let command = &mut self.commands[place as usize];
        let bytes = command.entry.list_bytes();
        let begin = command.entry.prp[1];
        if let Some(pages) = &mut self.pages {
            if begin % PAGE_BYTES + bytes > PAGE_BYTES {
                return context.refuse(|| format!("a list of pages at {begin:#x} goes on in another page"));
            }
            pages.expect(place, bytes);
        }
        let mut at = begin;
        let end = at + bytes;
        while at < end {
            let asked = (end - at).min(most - at % most);
            self.mover.fetch(context, flow, (at, asked), Fetched::List { command: place, at: (at - begin) as u32 });
            command.lists += 1;
            at += asked;
        }
    }

    /// The data of a command begins to move.
    pub(super) fn begin(&mut self, context: &mut PartContext<'_>, place: u32) {
        let Command { queue, entry: Submission { reads, at, bytes, .. }, .. } = self.commands[place as usize];
        let pair = &self.queues[queue as usize].pair;
        let joins = pair.in_order.then(|| pair.flows.of(reads));
        if self.commands[place as usize].fate == Fate::Fails {
            return self.at(context, context.now() + self.params.completion_latency, Event::Complete(place));
        }
        if !reads {
            self.for_room.push_back(place);
            return self.take_room(context);
        }
        let mut done = 0;
        while done < bytes {
            let piece = Piece { command: place, offset: done, bytes: self.flash.piece(at + done, bytes - done) };
            if let Some(flow) = joins.filter(|_| self.flash.reads_ahead()) {
                let mut ends = std::mem::take(&mut self.ends);
                let there = self.flash.read_ahead(context.now(), at + done, piece, flow, &mut ends);
                self.dies(context, ends);
                if let Some(there) = there {
                    self.at(context, there, Event::Read(place, done, piece.bytes));
                }
            } else {
                let end = self.flash.read(context.now(), at + done, piece, joins);
                self.die(context, end);
            }
            done += piece.bytes;
        }
    }

    /// Commands that write take room in the buffer, and read their data from host memory.
    pub(super) fn take_room(&mut self, context: &mut PartContext<'_>) {
        while let Some(&place) = self.for_room.front() {
            let bytes = self.commands[place as usize].entry.bytes;
            if !self.flash.reserve(bytes) {
                return;
            }
            self.for_room.pop_front();
            let mut done = 0;
            while done < bytes {
                let span = self.span(context, place, done, bytes - done);
                done += span.bytes;
                self.mover.read(context, span);
            }
        }
    }

    /// Data of a command that lies together, `bytes` at most, from `offset` on.
    pub(super) fn span(&self, context: &PartContext<'_>, place: u32, offset: u64, bytes: u64) -> Span {
        let command = &self.commands[place as usize];
        let held = Held { by: Wait::Software, until: command.came.min(context.now()), then: self.wait };
        let Some(pages) = &self.pages else {
            let address = command.entry.prp[0] + offset;
            return Span { flow: self.flow(place), offset: address, address, bytes, command: place, held };
        };
        let (address, room) = pages.find(place, &command.entry, offset);
        // What a block holds is what the flow has at the place of the block.
        let offset = command.entry.at + offset;
        Span { flow: self.flow(place), offset, address, bytes: bytes.min(room), command: place, held }
    }

    /// `bytes` of a command have moved.
    pub(super) fn has_moved(&mut self, context: &mut PartContext<'_>, place: u32, bytes: u64) {
        let command = &mut self.commands[place as usize];
        command.left = command.left.saturating_sub(bytes);
        if command.left == 0 {
            let ends = context.now() + self.params.completion_latency;
            let Fate::Late(late) = command.fate else { return self.at(context, ends, Event::Complete(place)) };
            context.was_late(self.flow(place));
            self.at(context, ends + late, Event::Complete(place));
        }
    }

    /// A request for data of a command has been answered.
    pub(super) fn data(&mut self, context: &mut PartContext<'_>, place: u32, bytes: u64) {
        let mut ends = std::mem::take(&mut self.ends);
        self.flash.write(context.now(), bytes, &mut ends);
        self.dies(context, ends);
        self.has_moved(context, place, bytes);
    }
}
