# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does a stream come out of ls_axi_fifo as it went in, however the memory takes and answers, is all of it used and no more,
does nothing stay behind, and does what the memory refuses stop it with a right beginning?"""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiBus, AxiRam
from cocotbext.axi.constants import AxiResp

import axi_memory
from streams import Sink, Source

WIDTH, SIZE, BASE, BURST = (int(os.environ[k]) for k in ("WIDTH", "SIZE", "BASE", "BURST"))
STEP = WIDTH // 8
QUEUES = 12 * BURST                 # bytes of both queues in block RAM


class Fifo:
    """The queue between a source, a sink and an AxiRam whose answers (B, R) can be late and can refuse."""

    def __init__(self, dut, order=None):
        self.dut, self.got, self.refuse_w, self.refuse_r, self.lengths = dut, [], None, None, []
        self.b_late = lambda: 0
        cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
        dut.rst_ni.value = dut.high_clear_i.value = 0
        self.s = Source(dut.clk_i, dut.s_valid_i, dut.s_ready_o, dict(data=dut.s_data_i))
        self.m = Sink(dut.clk_i, dut.m_valid_o, dut.m_ready_i, dict(data=dut.m_data_o), lambda b: self.got.append(b["data"]))
        self.ram = AxiRam(AxiBus.from_prefix(dut, "m_axi"), dut.clk_i, size=BASE + 2 * SIZE)
        axi_memory.order(dut, self.ram, order)
        self.ram.write(0, bytes([0xa5]) * (BASE + 2 * SIZE))
        w, r = self.ram.write_if, self.ram.read_if
        self.number = dict(w=-1, r=-1)
        self._hook(w.aw_channel, w.b_channel, "w", "bresp")
        self._hook(r.ar_channel, r.r_channel, "r", "rresp")

    def _hook(self, requests, answers, kind, field):
        recv, send = requests.recv, answers.send

        async def asked():
            a = await recv()
            self.number[kind] += 1
            if kind == "w":
                self.lengths.append(int(a.awlen) + 1)
            return a

        async def answered(x):
            for _ in range(self.b_late() if kind == "w" else 0):
                await RisingEdge(self.dut.clk_i)
            at, resp = (self.refuse_w if kind == "w" else self.refuse_r) or (None, None)
            if at == self.number[kind]:
                setattr(x, field, resp)
            await send(x)
        requests.recv, answers.send = asked, answered

    def slow(self, rate):
        axi_memory.slow(self.ram, rate)

    async def start(self):
        for _ in range(4):
            await RisingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1
        await RisingEdge(self.dut.clk_i)

    def put(self, n):
        words = [random.getrandbits(WIDTH) for _ in range(n)]
        self.s.put([dict(data=w) for w in words])
        return words

    async def come(self, n, us=400):
        for _ in range(us * 10):
            if len(self.got) >= n:
                return
            await Timer(100, "ns")
        raise AssertionError(f"{len(self.got)} of {n} beats have come out")

    def outside(self):
        """Nothing but the region is written."""
        assert bytes(self.ram.read(0, BASE)) == bytes([0xa5]) * BASE
        assert bytes(self.ram.read(BASE + SIZE, SIZE)) == bytes([0xa5]) * SIZE


@cocotb.test(timeout_time=3, timeout_unit="ms")
async def comes_out_as_it_went_in(dut):
    """Several times around the region; source, sink and memory hold back at random, and change places in who is slower."""
    f = Fifo(dut)
    f.b_late = lambda: random.choice([0, 0, 3, 40])
    await f.start()
    want = []
    for source, sink, memory in ((0, 0, 0), (0.5, 0, 0.3), (0, 0.8, 0.1), (0.9, 0, 0), (0, 0.5, 0.6)):
        f.s.pause.rate, f.m.pause.rate = source, sink
        f.slow(memory)
        want += f.put(2 * SIZE // STEP + random.randrange(BURST // STEP))
        await f.come(len(want))
        assert f.got == want
    assert int(dut.level_o.value) == 0 and int(dut.wr_bad_o.value) == int(dut.rd_bad_o.value) == 0
    assert max(f.lengths) == BURST // STEP and min(f.lengths) < BURST // STEP
    f.outside()


@cocotb.test(timeout_time=1, timeout_unit="ms")
@cocotb.parametrize(order=[1, 2, 3])
async def a_memory_may_take_either_first(dut, order):
    """Address first, all of the data first, or both at once: none waits for ever, and what comes out is what went in."""
    f = Fifo(dut, order)
    await f.start()
    want = f.put(SIZE // STEP) + f.put(3)
    await f.come(len(want), us=100)
    f.slow(0.3)
    want += f.put(SIZE // STEP)
    await f.come(len(want), us=100)
    assert f.got == want
    f.outside()


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def fills_to_the_last_beat_and_empties(dut):
    """With nobody taking: all of the memory and of both queues, and what the last register holds; then no beat is lost."""
    f = Fifo(dut)
    await f.start()
    f.m.pause.stuck = True
    await RisingEdge(dut.clk_i)
    want = f.put((SIZE + QUEUES) // STEP + 20)
    last = -1
    while last != len(f.s.queue):
        last = len(f.s.queue)
        await Timer(4, "us")
    level = int(dut.level_o.value)
    assert SIZE + QUEUES <= level <= SIZE + QUEUES + 2 * STEP, level
    assert level == int(dut.high_o.value) and dut.s_ready_o.value == 0
    f.m.pause.stuck = False
    await f.come(len(want))
    assert f.got == want and int(dut.level_o.value) == 0
    dut.high_clear_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.high_clear_i.value = 0
    await Timer(20, "ns")
    assert int(dut.high_o.value) == 0
    f.outside()


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def nothing_stays_behind(dut):
    """Any number of beats, and then a pause: all of them come out."""
    f = Fifo(dut)
    await f.start()
    want = []
    for n in (1, 1, 2, BURST // STEP - 1, BURST // STEP + 1, 3 * BURST // STEP, 5):
        want += f.put(n)
        await f.come(len(want), us=3)
        assert f.got == want
    f.outside()


async def refused(dut, kind, number, resp):
    f = Fifo(dut)
    await f.start()
    setattr(f, f"refuse_{kind}", (number, resp))
    want = f.put(40 * BURST // STEP)
    await Timer(20, "us")
    bad = dict(w=dut.wr_bad_o, r=dut.rd_bad_o)
    assert int(bad[kind].value) == int(resp) and int(bad["r" if kind == "w" else "w"].value) == 0
    # What came out is what went in before the burst that was refused: bursts are whole, the stream does not pause.
    assert f.got == want[:number * BURST // STEP], len(f.got)
    assert dut.s_ready_o.value == 0 and f.s.queue
    dut.rst_ni.value = 0
    f.s.drop()
    f.got.clear()
    f.refuse_w = f.refuse_r = None
    await f.start()
    assert int(dut.wr_bad_o.value) == int(dut.rd_bad_o.value) == 0
    want = f.put(100)
    await f.come(100)
    assert f.got == want


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_write_that_is_refused_stops_it(dut):
    await refused(dut, "w", 7, AxiResp.SLVERR)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_read_that_is_refused_stops_it(dut):
    await refused(dut, "r", 5, AxiResp.DECERR)
