# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""ls_nvme_stripe between its user and its drives: each drive has the port of nvme_bench, on its part of the packed
ports; the user's command port and streams are plain calls. A frame is a list of rows, (bytes, error)."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

from clocked import bits
from nvme_bench import DONE, SEED, STEP_RUN, WHY_NONE, StreamPort, UserEnd
from streams import FrameSink, Source, stream

STRIPE_DONE = DONE + [("own", 1), ("drive", 3)]
FAULT_NONE, FAULT_DEAD, FAULT_BLOCK, FAULT_CHUNK, FAULT_SMALL, FAULT_CHANGED = range(6)


def place(lba, drives, chunk):
    """(drive, its LBA) of a block of the stripe's, with chunks of so many bytes."""
    number, offset = divmod(lba, chunk // 512)
    return number % drives, number // drives * (chunk // 512) + offset


class Part:
    """One of several equal parts of a packed port, as a port of its own. What is written to the parts of an input is
    put together here."""

    whole = {}      # of an input: its bits as last written

    def __init__(self, handle, index, parts):
        self.handle, self.bits = handle, len(handle) // parts
        self.at, self.mask = index * self.bits, (1 << self.bits) - 1
        self.read, self.here = bits(handle), slice((parts - 1 - index) * self.bits, (parts - index) * self.bits)

    def __len__(self):
        return self.bits

    def bits_as_text(self):
        return self.read()[self.here]

    @property
    def value(self):
        return int(self.bits_as_text(), 2)

    @value.setter
    def value(self, new):
        bits = self.whole.get(self.handle, 0) & ~(self.mask << self.at) | (int(new) & self.mask) << self.at
        self.whole[self.handle] = bits
        self.handle.value = bits


class Lane:
    """What belongs to one drive of a stripe's ports."""

    def __init__(self, dut, index, drives):
        self._dut, self._index, self._drives = dut, index, drives

    def __getattr__(self, name):
        part = Part(getattr(self._dut, name), self._index, self._drives)
        setattr(self, name, part)
        return part


class RowSink(FrameSink):
    """Frames as lists of rows, with the error of each."""

    def __init__(self, *args):
        self.rows = []
        super().__init__(*args)

    def _beat(self, b):
        n = b["keep"].bit_count()
        self.rows.append((b["data"].to_bytes(self.width // 8, "little")[:n], b["error"]))
        self.total += n
        if b["last"]:
            self.frames.append(self.rows)
            self.rows = []
        self.event.set()


class StripeBench(UserEnd):
    report = STRIPE_DONE

    def __init__(self, dut, drives, chunk):
        random.seed(SEED)
        Part.whole.clear()
        self.dut, self.clock, self.drives, self.chunk = dut, dut.clk_i, drives, chunk
        dut.rst_ni.value = dut.link_i.value = dut.restart_i.value = dut.health_ask_i.value = dut.trail_i.value = dut.shut_ask_i.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
        self.lanes = [Lane(dut, i, drives) for i in range(drives)]
        self.ports = [StreamPort(lane, dut.clk_i) for lane in self.lanes]
        self.s = Source(dut.clk_i, *stream(dut, "s", ("data",)))
        self.m = RowSink(dut.clk_i, dut, "m")
        self.width = self.m.width
        self.user_port()

    def pauses(self, rate):
        """Of everything at the drives' ends and the reader; `reports` is apart."""
        self.m.pause.rate = rate
        for port in self.ports:
            port.pauses(rate)

    def link(self, i, up):
        self.lanes[i].link_i.value = up

    async def start(self, controllers, up=True):
        """Reset, links up, and until there is a stripe, where one is expected."""
        self.controllers = controllers
        for port, controller in zip(self.ports, controllers):
            port.controller, port.mps = controller, controller.mps
        await Timer(40, "ns")
        self.dut.rst_ni.value = 1
        await Timer(20, "ns")
        for i in range(self.drives):
            self.link(i, 1)
        if up:
            await self.until(lambda: self.dut.run_o.value == 1)
            assert all(lane.step_o.value == STEP_RUN and lane.why_o.value == WHY_NONE for lane in self.lanes)
            self.settings()

    def settings(self):
        """What each drive was told, its end of the link does."""
        for port in self.ports:
            port.mps, port.mrrs = port.controller.mps, port.controller.mrrs

    async def until(self, true, us=3000):
        for _ in range(us * 5):
            await Timer(200, "ns")
            if true():
                return
        raise AssertionError(f"neither running nor failed: steps {[int(lane.step_o.value) for lane in self.lanes]}")

    def fault(self):
        return int(self.dut.fault_o.value), int(self.dut.which_o.value)

    async def restart(self, i):
        self.lanes[i].restart_i.value = 1
        await RisingEdge(self.clock)
        self.lanes[i].restart_i.value = 0
        await Timer(40, "ns")

    def stored(self, lba, blocks=1):
        places = [place(lba + i, self.drives, self.chunk) for i in range(blocks)]
        return b"".join(self.controllers[d].stored(at) for d, at in places)

    # ---- the user ----------------------------------------------------------------------------------
    async def frame(self):
        """(bytes, whether a row of it is in error)."""
        rows = await self.m.frame()
        return b"".join(data for data, _ in rows), any(error for _, error in rows)

    def clean(self):
        """Nobody broke a rule."""
        for port in self.ports:
            assert not port.wrong, port.wrong[:5]
            assert not port.controller.wrong, port.controller.wrong[:5]
