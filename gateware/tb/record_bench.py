# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""ls_nvme_recorder between its user and a drive: asks, what it tells, and the figures as this bench counts them by
itself at the ports."""

import os
from collections import deque

import cocotb
from cocotb.triggers import RisingEdge, Timer

from nvme_bench import Bench
from streams import frame_beats
from tlpbits import pack, unpack

GIG = int(os.environ.get("GIG", "0"))
ASK = [("play", 1), ("skip", 1), ("first", 48), ("blocks", 48), ("offset", 48), ("count", 48), ("chunk", 16)]
PLACE = [("at", 48), ("blocks", 48), ("wraps", 32), ("pad", 13), ("errors", 32), ("lost", 48)]
FAIL = [("why", 4), ("status", 15), ("flush", 1), ("lba", 48), ("blocks", 16)]
FIG = [("number", 32), ("bytes", 40), ("cycles", 48), ("stalled", 48), ("longest", 48), ("high", 40)]
END_STOP, END_COUNT, END_ERROR, END_DEAD, END_REGION, END_CHUNK, END_BUFFER = range(7)


class Count:
    """One piece, counted at the ports."""

    def __init__(self):
        self.bytes = self.cycles = self.stalled = self.longest = self.high = 0


class RecordBench(Bench):
    def user_port(self):
        dut = self.dut
        for pin in (dut.start_i, dut.ask_i, dut.stop_i, dut.b_ready_i, dut.h_valid_i, dut.h_data_i, dut.h_bad_i,
                    dut.mm_i, dut.mm_rdata_i):
            pin.value = 0
        self.figures, self.fails, self.counted = [], [], []
        self.block_bytes, self.taken, self.ended = 512, 0, None
        self.playing = self.begun = self.stopped = False
        self.pieces, self.run, self.frames_left = Count(), 0, 0
        cocotb.start_soon(self.watch())

    def place(self):
        return unpack(PLACE, int(self.dut.place_o.value))

    async def ask(self, first=0, blocks=1, **more):
        """Begins, with what was told of the one before forgotten."""
        self.figures, self.fails, self.counted, self.ended = [], [], [], None
        self.taken, self.pieces, self.run, self.begun = 0, Count(), 0, False
        ask = dict(dict(play=0, skip=0, first=first, blocks=blocks, offset=0, count=0, chunk=8), **more)
        self.playing = bool(ask["play"])
        edge = RisingEdge(self.dut.clk_i)
        await edge
        self.dut.ask_i.value, self.dut.start_i.value = pack(ASK, ask), 1
        await edge
        self.dut.start_i.value = 0

    async def stop(self):
        edge = RisingEdge(self.dut.clk_i)
        self.dut.stop_i.value = 1
        await edge
        await edge
        self.dut.stop_i.value = 0

    async def end(self, us=3000):
        for _ in range(us * 5):
            if self.ended is not None:
                return self.ended
            await Timer(200, "ns")
        raise AssertionError(f"does not end: {self.place()}, busy {self.dut.busy_o.value}")

    def feed(self, data):
        self.s.put([dict(data=b["data"]) for b in frame_beats(data, self.width)])

    async def fed(self):
        await self.s.idle.wait()

    async def watch(self):
        """Reads every cycle as it is before its edge, as the design does."""
        dut, edge, step = self.dut, RisingEdge(self.dut.clk_i), self.width // 8
        rst, fail, fig, ended, busy, s_valid, s_ready, place = (
            dut.rst_ni, dut.fail_valid_o, dut.fig_valid_o, dut.ended_o, dut.busy_o, dut.s_valid_i, dut.s_ready_o, dut.place_o)
        raw, blocks = None, 0
        while True:
            await edge
            if rst.value != 1:
                continue
            if fail.value == 1:
                self.fails.append(unpack(FAIL, int(dut.fail_o.value)))
            if fig.value == 1:
                self.figures.append(unpack(FIG, int(dut.fig_o.value)))
            if ended.value == 1:
                self.ended = int(dut.end_o.value)
            if self.playing or busy.value != 1:
                continue
            valid, ready = s_valid.value == 1, s_ready.value == 1
            self.begun |= valid and ready           # it runs from the first beat on: none is refused before
            now = self.pieces
            if not self.begun:
                continue
            if place.value != raw:
                raw = place.value
                blocks = unpack(PLACE, int(raw))["blocks"]
            now.high = max(now.high, self.taken - blocks * self.block_bytes)
            now.cycles += 1
            self.run = self.run + 1 if valid and not ready else 0
            now.stalled += bool(self.run)
            now.longest = max(now.longest, self.run)
            if valid and ready:
                self.taken += step
                now.bytes += step
                if now.bytes == GIG:
                    self.counted.append(now)
                    self.pieces = Count()
