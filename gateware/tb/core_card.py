# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The engine on the transaction layer of the core (tb/core_card.sv), as a device on the bus of the other benches. The model of a function answers the
host's configuration requests; what it is set to is written into the core by configuration requests of the bench's own."""

from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import Event
from cocotbext.pcie.core import Device
from cocotbext.pcie.core.tlp import Tlp

from card import CardFunction, UserSide
from clocked import EDGE, Shown, clocked, high, number
from link import Link
from tl_bench import C, NP, P, cost, request

OWN = 0xFFFF                # the requester of these requests
HDR, DATA = (8, 8, 0), (256, 0, 0)      # credits for the card: posted, non-posted


class CoreCard(UserSide):
    def __init__(self, dut):
        super().__init__(dut, dut.clk_i)
        self.clock = dut.clk_i
        self.function = CardFunction(self)
        self.function.pcie_cap.max_payload_size_supported = 2
        self.device = Device(eps=[self.function])
        self.completions, self.requests, self.own = deque(), deque(), deque()
        self.link = Link(self.device, self.clock, busy=lambda: len(self.completions) >= 4)
        self.queues, self.more, self.room, self.rate = [deque() for _ in range(3)], Event(), 8, 0.0
        self.sent = self.queues[P]
        self.fresh()
        for of, queue in enumerate(self.queues):
            cocotb.start_soon(self._send(of, queue))
        clocked(self.clock, self._run())

    @property
    def seen(self):
        return self.link.sent

    def fresh(self):
        self.limit, self.used, self.initial, self.mirrored, self.waits = [[h, d] for h, d in zip(HDR, DATA)], [[0, 0] for _ in range(3)], None, {}, False

    def reset(self, value):
        super().reset(value)
        self.fresh()

    def start(self):
        cocotb.start_soon(Clock(self.clock, 4, "ns").start())

    def pauses(self, rate):
        super().pauses(rate)
        self.rate = rate

    async def receive(self, tlp):
        if tlp.is_completion():
            self.completions.append(bytes(tlp.pack()))
            return
        gone = Event()
        self.requests.append((bytes(tlp.pack()), gone))
        await gone.wait()
        tlp.release_fc()

    async def _send(self, of, queue):
        while True:
            while not queue:
                self.more.clear()
                await self.more.wait()
            await self.function.upstream_send(queue[0])
            _, data = cost(bytes(queue.popleft().pack()))
            self.limit[of][0] += 1
            self.limit[of][1] += data

    def _settings(self):
        """Registers of the core and what they are to be, by which bytes."""
        f, cap, msix = self.function, self.function.pcie_cap, self.function.msix_cap
        control = 0x0810 | cap.max_payload_size << 5 | cap.max_read_request_size << 12 | bool(cap.extended_tag_field_enable) << 8
        return {0x10: (f.bar[0] & ~0xF, 0xF), 0x18: (f.bar[2] & ~0xF, 0xF), 0x68: (control, 0x3), 0x3C: (int(f.pcie_id) >> 8 & 0xFF, 0x1),
                0x50: ((bool(msix.msix_enable) << 31 | bool(msix.msix_function_mask) << 30), 0x8),
                0x04: (bool(f.memory_space_enable) << 1 | bool(f.bus_master_enable) << 2, 0x1)}

    def _next(self, grant):
        """What the host's end of the link sends next."""
        if not self.waits:
            for register, (value, enables) in self._settings().items():
                if self.mirrored.get(register) != value:
                    self.mirrored[register], self.waits = value, True
                    return request(0x44, int(self.function.pcie_id) << 16 | register, 1, enables, 0, 0, requester=OWN, data=value.to_bytes(4, "little"))
        if self.completions:
            return self.completions.popleft()
        if self.requests and not self.waits:
            tlp, gone = self.requests[0]
            of, data = cost(tlp)
            if (grant[of][0] - self.used[of][0]) % 256 and (grant[of][1] - self.used[of][1] - data) % 4096 <= 2048:
                self.requests.popleft()
                gone.set()
                return tlp
        return None

    async def _run(self):
        dut = self.dut
        valid, last, word, grants, errors = high(dut.tlp_valid_o), high(dut.tlp_last_o), number(dut.tlp_word_o), number(dut.grant_o), number(dut.error_o)
        give, what, end, ready, limit = (Shown(getattr(dut, name)) for name in ("tlp_valid_i", "tlp_word_i", "tlp_end_i", "tlp_ready_i", "limit_i"))
        dut.state_i.value = 3
        out, takes, now, at, gap = bytearray(), 0, None, 0, 0
        import random
        while True:
            await EDGE
            if dut.rst_ni.value != 1:
                out.clear()
                give(0), end(0), ready(0)
                takes, now, gap = 0, None, 8
                continue
            if takes and valid():
                out += word().to_bytes(2, "little")
                if last():
                    self._out(bytes(out))
                    out.clear()
            takes = int(random.random() >= self.rate)
            ready(takes)
            limit(sum((hdr & 0xFF) << 20 * n + 12 | (data & 0xFFF) << 20 * n for n, (hdr, data) in enumerate(self.limit)))
            end(int(now is not None and at == len(now)))
            if now is not None and at == len(now):
                now, gap = None, 4
            give(0)
            if now is None and gap:
                gap -= 1
            elif now is None:
                raw = grants()
                now, at = self._next([((raw >> 20 * n + 12) & 0xFF, (raw >> 20 * n) & 0xFFF) for n in range(3)]), 0
                if now is not None:
                    of, data = cost(now)
                    self.used[of][0] += 1
                    self.used[of][1] += data
            if now is not None and at < len(now):
                give(1)
                what(int.from_bytes(now[at:at + 2], "little"))
                at += 2

    def _out(self, body):
        of = cost(body)[0]
        if of == C and int.from_bytes(body[8:10], "big") == OWN:
            assert body[6] >> 5 == 0
            self.waits = False
            return
        tlp = Tlp.unpack(body)
        self.queues[of].append(tlp)
        self.more.set()
