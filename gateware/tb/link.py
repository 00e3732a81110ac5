# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The link of one card as a test bench's knob: what happens to completions on their way to it, what
it has sent, and how many credits it has. It sits at the device's port, so it is the same for every
block."""

import random
from collections import deque

import cocotb
from cocotb.triggers import Event, RisingEdge, Timer


class Link:
    """`lost` hears of every completion that is dropped; `busy` says when to hold back shuffled ones."""

    def __init__(self, device, clock, lost=lambda tlp: None, busy=lambda: False):
        self.port, self.clock, self.lost, self.busy = device.upstream_port, clock, lost, busy
        self.shuffle, self.delay_ns, self.damage = False, 0, None
        self.sent, self.waiting, self.some = [], {}, Event()
        self.rules = None                   # set by the bench that makes the card
        self._recv, self._send = self.port.rx_handler, self.port.send
        self.port.rx_handler, self.port.send = self._receive, self._transmit
        cocotb.start_soon(self._deal())

    async def _transmit(self, tlp):
        self.sent.append(tlp)
        if self.rules is not None:
            self.rules.out(tlp)
        await self._send(tlp)

    async def _receive(self, tlp):
        if not tlp.is_completion():
            await self._recv(tlp)
            return
        tlp.release_fc()
        if self.rules is not None:
            self.rules.into(tlp)
        was = tlp
        if self.damage is not None:
            tlp = self.damage(tlp)
        if tlp is None:
            self.lost(was)
        elif self.delay_ns:
            cocotb.start_soon(self._later(tlp))
        else:
            await self._put(tlp)

    async def _later(self, tlp):
        await Timer(self.delay_ns, "ns")
        await self._put(tlp)

    async def _put(self, tlp):
        if self.shuffle:
            self.waiting.setdefault(tlp.tag, deque()).append(tlp)
            self.some.set()
        else:
            await self._recv(tlp)

    async def _deal(self):
        edge = RisingEdge(self.clock)
        while True:
            if not self.waiting:
                self.some.clear()
                await self.some.wait()
            await edge
            if self.waiting and not self.busy() and random.random() < 0.3:
                tag = random.choice(list(self.waiting))
                tlp = self.waiting[tag].popleft()
                if not self.waiting[tag]:
                    del self.waiting[tag]
                await self._recv(tlp)

    async def inject(self, tlp):
        """A TLP that nobody sent."""
        await self._recv(tlp)

    # ---- credits -------------------------------------------------------------------------------
    def starve(self, posted_only=False):
        """From now on the card has no credits for requests but those that `feed` gives."""
        fc = self.port.fc_state[0]
        for kind, data in ((fc.ph, fc.pd), (fc.nph, fc.npd))[:1 if posted_only else 2]:
            kind.tx_initial_allocation = data.tx_initial_allocation = 1      # no longer without limit
            kind.tx_credit_limit = kind.tx_credits_consumed = 0
            data.tx_credit_limit = data.tx_credits_consumed = 0
        other = fc.handle_fc_dllp
        fc.handle_fc_dllp = lambda dllp: None if fc.fi2 else other(dllp)

    def feed(self, headers=1, data=16):
        """Room for `headers` posted and as many non-posted TLPs, and for their payload in 16 bytes."""
        fc = self.port.fc_state[0]
        for kind, payload, event in ((fc.ph, fc.pd, fc.fc_p_update), (fc.nph, fc.npd, fc.fc_np_update)):
            kind.tx_credit_limit = (kind.tx_credits_consumed + headers) & kind.tx_field_mask
            payload.tx_credit_limit = (payload.tx_credits_consumed + data) & payload.tx_field_mask
            event.set()

    async def trickle(self, period_ns=300):
        while True:
            await Timer(period_ns, "ns")
            self.feed()
