//! The bus side of the engine: which flow each TLP belongs to, and what happens with it.

use super::ticket::{Asked, What};
use super::{ASIDE, Card};
use crate::block::Taken;
use crate::wiring::Stream;
use pcie::Time;
use pcie::tlp::{Header, TlpKind};
use sim::parts::{Held, Label, Leaving, PartContext, Payload, Purpose};
use system::Wait;

/// The tags of descriptor reads: host to card, card to host.
const FETCH_TAGS: [u16; 2] = [254, 255];

impl Card {
    pub(super) fn take_tickets(&mut self, context: &mut PartContext<'_>, now: Time) {
        for ticket in self.block.taken(&self.pins, &self.out) {
            context.release(ticket.hold, now);
            match ticket.what {
                What::Read => self.answers.push_back(ticket.label),
                What::Write => {}
                What::Completion { tag, bytes } => {
                    let Some(slot) = self.asked.get_mut(tag as usize) else { continue };
                    let Some(asked) = slot else { continue };
                    asked.left = asked.left.saturating_sub(bytes);
                    if asked.left > 0 {
                        continue;
                    }
                    if asked.label.purpose.is_payload() {
                        context.timed(asked.label.flow, now - asked.born);
                        self.in_flight -= 1;
                        self.waits = Wait::Tags;
                    } else {
                        self.waits = Wait::Descriptors;
                    }
                    *slot = None;
                }
            }
        }
    }

    /// Sends the TLP that the engine has given to the block at the edge at `now`.
    pub(super) fn send(&mut self, context: &mut PartContext<'_>, now: Time, taken: Taken) {
        let Some(label) = self.label(&taken) else { return };
        let waited = match taken.header {
            Header::Request { write: false, bytes, tag, .. } => self.ask(label, bytes, tag, taken.began),
            _ if label.purpose.is_payload() => std::mem::replace(&mut self.waits, Wait::Core),
            _ => Wait::Core,
        };
        if matches!(taken.header, Header::Request { write: true, .. }) {
            self.buffered += taken.data.len() as u64;
        }
        let ready = now + self.wiring.tx_latency;
        let born = self.started(label).unwrap_or(taken.began);
        let data = Payload::Bytes(taken.data);
        let held = Held { by: waited, until: ready, then: if waited == Wait::Tags { waited } else { Wait::Core } };
        let tell = taken.header.kind() == TlpKind::MemoryWrite;
        context.send(Leaving { born, ready, held, tell, ..Leaving::new(now, taken.header, data, label) });
    }

    /// When the engine took the command that starts with this TLP, where commands run one at a time.
    fn started(&mut self, label: Label) -> Option<Time> {
        let feedings = [&mut self.writes, &mut self.sends].into_iter().flatten();
        let feeding = feedings.into_iter().find(|feeding| feeding.stream.flow == label.flow)?;
        let (offset, at) = *feeding.starts.front()?;
        (offset == label.offset).then(|| feeding.starts.pop_front())?;
        Some(at)
    }

    fn ask(&mut self, label: Label, bytes: u64, tag: u16, born: Time) -> Wait {
        if let Some(slot) = self.asked.get_mut(tag as usize) {
            *slot = Some(Asked { label, born, left: bytes });
        }
        if !label.purpose.is_payload() {
            return Wait::Descriptors;
        }
        self.in_flight += 1;
        let most = self.in_flight >= self.wiring.build.tags
            || (self.in_flight + 1) * bytes > self.wiring.build.completion_buffer;
        match std::mem::replace(&mut self.waits, Wait::Core) {
            Wait::Tags | Wait::Core if most => Wait::Tags,
            other => other,
        }
    }

    /// The flow of a TLP, derived from its address or tag, as the engine's registers define it.
    fn label(&mut self, taken: &Taken) -> Option<Label> {
        let Header::Request { write, address, bytes, tag, .. } = taken.header else {
            return self.answers.pop_front();
        };
        if !write {
            if let Some(channel) = FETCH_TAGS.iter().position(|&fetch| fetch == tag) {
                let flow = if channel == 0 { self.wiring.reads?.flow } else { self.wiring.writes?.flow };
                return Some(Label { flow, purpose: Purpose::Descriptors, offset: ASIDE });
            }
            let reads = self.wiring.reads?;
            return Some(Label {
                flow: reads.flow,
                purpose: Purpose::Payload,
                offset: address.wrapping_sub(reads.memory.data.base),
            });
        }
        let of_host = [self.wiring.reads, self.wiring.writes];
        let data = taken.data.get(..4).and_then(|data| data.try_into().ok()).map(u32::from_le_bytes);
        let sends = |stream: &Stream| {
            stream.memory.message.is_some_and(|message| message.address == address && Some(message.data) == data)
        };
        if let Some(stream) = of_host.into_iter().flatten().find(sends) {
            return Some(Label { flow: stream.flow, purpose: Purpose::Interrupt, offset: ASIDE });
        }
        if let Some(stream) = of_host.into_iter().flatten().find(|s| s.memory.records.holds(address)) {
            let channel = usize::from(self.wiring.reads.is_none_or(|reads| reads.flow != stream.flow));
            self.ledgers[channel].recorded(&taken.data);
            return Some(Label { flow: stream.flow, purpose: Purpose::Status, offset: ASIDE });
        }
        let to_memory = self.writes.as_mut().filter(|w| w.stream.memory.data.holds(address));
        let feeding = match to_memory {
            Some(writes) => writes,
            None => self.sends.as_mut()?,
        };
        let offset = feeding.cut;
        feeding.cut += bytes;
        Some(Label { flow: feeding.stream.flow, purpose: Purpose::Payload, offset })
    }
}
