//! The user side of the engine: streams, commands and their pins.

use super::Card;
use super::payload::{Drain, Feeding};
use crate::design::{Beat, Commander, Fifo};
use crate::wiring::FedBy;
use pcie::Time;
use sim::parts::PartContext;
use system::Drive;

/// The largest value of `tx_buf_av`, which has six bits.
const TX_BUFFERS: u8 = 63;

impl Card {
    /// Sets all input pins.
    pub(super) fn drive(&mut self, now: Time) {
        let pins = &mut self.pins;
        self.block.show(now, pins);
        pins.tx_ready =
            self.block.in_tlp() || self.buffered == 0 || self.buffered + self.wiring.mps <= self.wiring.fifo;
        // As the block tells it: all of its buffers while it is idle, else what has room for TLPs of MPS.
        let room = self.wiring.fifo.saturating_sub(self.buffered) / self.wiring.mps.max(1);
        pins.tx_buf_av = if self.buffered == 0 { TX_BUFFERS } else { room.min(u64::from(TX_BUFFERS)) as u8 };
        let bytes = self.wiring.build.width as usize / 8;
        let room = |fifo: &Option<Fifo>| fifo.as_ref().is_none_or(|fifo| fifo.has_room(bytes));
        pins.h2c_ready = room(&self.fifos[0]);
        pins.win_ready = room(&self.fifos[1]);
        let mut beat = |feeding: &mut Option<Feeding>| {
            let feeding = feeding.as_mut()?;
            let fifo = feeding.stream.fed_by.map(|by| if by == FedBy::Reads { 0 } else { 1 });
            feeding.source.show(fifo.and_then(|fifo| self.fifos[fifo].as_mut()))
        };
        let (c2h, p2p) = (beat(&mut self.writes), beat(&mut self.sends));
        pins.c2h_valid = c2h.is_some();
        if let Some(beat) = c2h {
            (pins.c2h_data, pins.c2h_keep, pins.c2h_last) = (beat.data, beat.keep(), beat.last);
        }
        pins.p2p_valid = p2p.is_some();
        if let Some(beat) = p2p {
            (pins.p2p_data, pins.p2p_keep, pins.p2p_last) = (beat.data, beat.keep(), beat.last);
        }
        for (channel, commander) in self.commanders.iter().enumerate() {
            let open = self.gates[channel] <= now;
            let command = commander.as_ref().filter(|_| open).and_then(Commander::offered);
            pins.cmd_valid[channel] = command.is_some();
            if let Some(command) = command {
                pins.cmd_addr[channel] = command.address;
                pins.cmd_len[channel] = command.bytes;
                pins.cmd_eof[channel] = command.last;
            }
        }
    }

    /// Advances streams and commands by what the engine has taken. True where it has taken anything.
    pub(super) fn streams_in(&mut self, now: Time) -> bool {
        let mut moved = false;
        let taken = [self.pins.c2h_valid && self.out.c2h_ready, self.pins.p2p_valid && self.out.p2p_ready];
        for (feeding, taken) in [&mut self.writes, &mut self.sends].into_iter().zip(taken) {
            if let Some(feeding) = feeding.as_mut().filter(|_| taken) {
                feeding.source.taken();
                moved = true;
            }
        }
        let mut feedings = [None, Some(&mut self.writes), Some(&mut self.sends)];
        for (channel, commander) in self.commanders.iter_mut().enumerate() {
            if let Some(commander) = commander.as_mut().filter(|_| self.pins.cmd_valid[channel])
                && self.out.cmd_ready[channel]
            {
                if self.wiring.pause > Time::ZERO {
                    self.gates[channel] = Time::NEVER;
                    if let Some(feeding) = feedings[channel].as_mut().and_then(|feeding| feeding.as_mut()) {
                        feeding.starts.push_back((commander.offset(), now));
                    }
                }
                commander.taken();
                moved = true;
            }
        }
        moved
    }

    /// Puts data from the engine into its FIFO, or compares it.
    pub(super) fn streams_out(&mut self, context: &mut PartContext<'_>, now: Time) {
        if self.out.h2c_valid && self.pins.h2c_ready {
            let (bytes, count) = Beat::bytes_of(self.out.h2c_data, self.out.h2c_keep);
            drained(&mut self.reads, &mut self.fifos[0], context, &bytes[..count], now);
            let got = self.reads.as_ref().map(|reads| reads.got);
            if self.commanders[0].as_ref().is_some_and(|c| got == Some(c.offset())) {
                self.gates[0] = now + self.wiring.pause;
            }
        }
        if self.out.win_valid && self.pins.win_ready {
            let (bytes, count) = Beat::bytes_of(self.out.win_data, self.out.win_keep);
            drained(&mut self.arrives, &mut self.fifos[1], context, &bytes[..count], now);
        }
    }
}

/// Puts bytes of a stream into its FIFO, or delivers them.
fn drained(drain: &mut Option<Drain>, fifo: &mut Option<Fifo>, context: &mut PartContext<'_>, bytes: &[u8], now: Time) {
    let Some(drain) = drain else { return };
    let stream = &drain.stream;
    if drain.stream.is_compared {
        context.compare(stream.flow, drain.got, bytes);
    }
    drain.got += bytes.len() as u64;
    while let Some(&(end, born)) = drain.marks.front()
        && end <= drain.got
    {
        drain.marks.pop_front();
        context.timed(stream.flow, now - born);
    }
    context.deliver(stream.flow, bytes.len() as u64, now);
    if drain.reads && drain.got == stream.volume && stream.drive == Drive::Card {
        context.ended(stream.flow, now);
    }
    if let Some(fifo) = fifo {
        fifo.put(bytes);
    }
}
