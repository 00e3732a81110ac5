//! When the clock of a card runs: up to the next event, or until nothing more can happen.

use super::Card;
use crate::ledger::Ledger;
use pcie::Time;
use sim::parts::PartContext;

/// The only wake-up token: a clock edge.
const EDGE: u32 = 0;
/// The largest number of clocks between two checks for events.
const BATCH: u32 = 64;
/// After this many clocks without a change at the pins, nothing is in progress in the engine, except records that wait
/// for others.
const DEEP: u64 = 64;

impl Card {
    /// Runs clocks up to the next event, or until nothing more can happen.
    pub(super) fn run(&mut self, context: &mut PartContext<'_>) {
        for _ in 0..BATCH {
            self.clock(context);
            self.edge += self.wiring.period;
            if self.can_sleep() {
                self.asleep = true;
                self.armed = Time::NEVER;
                if let Some(at) = self.block.next_at() {
                    self.wake_for(context, at);
                }
                return;
            }
            if self.edge >= context.next_event() {
                break;
            }
        }
        self.arm(context, self.edge);
    }

    pub(super) fn arm(&mut self, context: &mut PartContext<'_>, at: Time) {
        self.armed = at;
        context.wake(EDGE, at);
    }

    /// Restarts the clock at the first edge not before `at`.
    pub(super) fn wake_for(&mut self, context: &mut PartContext<'_>, at: Time) {
        let periods = at.as_fs().div_ceil(self.wiring.period.as_fs());
        let edge = Time::from_fs(periods * self.wiring.period.as_fs()).max(self.edge);
        if edge < self.armed {
            self.arm(context, edge);
        }
    }

    /// True where further clocks cannot change anything visible before something arrives: no pin has changed for longer
    /// than any operation inside takes; the block has sent all that it accepted (TLPs may wait for its buffers); no
    /// read is in flight (the engine's timeout would count); no register access is open; no record is held back; and no
    /// timer of the design runs. The engine's counter of idle cycles and the phase of its timeout stop as well, but
    /// appear in no record and move no TLP.
    fn can_sleep(&self) -> bool {
        self.skip
            && self.still > DEEP
            && self.ledgers.iter().all(Ledger::is_settled)
            && self.in_flight == 0
            && self.buffered == 0
            && self.answers.is_empty()
            && !self.block.in_tlp()
            && (self.block.is_empty() || self.block.next_at().is_some_and(|at| at > self.edge))
            && self.asked.iter().all(Option::is_none)
            && !self.out.pingpong_busy
            && self.gates.iter().all(|gate| *gate == Time::NEVER || *gate + self.wiring.period * DEEP <= self.edge)
    }

    /// Runs one clock, with its rising edge at `self.edge`.
    fn clock(&mut self, context: &mut PartContext<'_>) {
        let now = self.edge;
        self.drive(now);
        let (ps, half) = (now.as_fs() / 1000, self.wiring.period.as_fs() / 2000);
        self.model.step(&self.pins, &mut self.out, ps, half);
        self.ran += 1;
        let moves = self.out.tx_valid || self.out.h2c_valid || self.out.win_valid || self.pins.rx_valid;
        let moves = self.streams_in(now) || moves;
        self.still = if moves { 0 } else { self.still + 1 };
        if self.pins.rx_valid {
            self.take_tickets(context, now);
        }
        if self.out.tx_valid
            && let Some(Ok(taken)) = self.block.collect(now, &self.pins, &self.out)
        {
            self.send(context, now, taken);
        }
        self.streams_out(context, now);
    }
}
