# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Do two ends of the core, each from TLPs to symbols, bring every TLP over once, in order and unhurt: with clocks apart, with symbols that are hit, and
with a line that is gone for a while? The second decoder reads every symbol of the short runs."""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

from clocked import number
from lanescope_symbols import Decoder, symbol as s

SEED = int(os.environ.get("SEED", "1"))
L0 = 10


class Port:
    """One end: TLPs in and out, and what it sends, as the decoder reads it (`reads`)."""

    def __init__(self, dut, n, reads):
        self.dut, self.n, self.queue, self.got, self.partial = dut, n, [], [], bytearray()
        self.decoder, self.events = Decoder(1, 1) if reads else None, []
        self.timeouts = self.retrains = 0

    async def run(self, values):
        dut, n = self.dut, self.n
        edge = FallingEdge(dut.clk1_i if n else dut.clk0_i)
        names = ("sent_o", "sent_k_o", "quiet_o", "tlp_ready_o", "tlp_valid_o", "tlp_word_o", "tlp_end_o", "tlp_good_o", "timeout_o", "retrain_o", "up_o")
        sent, k, quiet, ready, valid, word, end, good, timeout, retrain, up = (number(getattr(dut, name)) for name in names)
        body, at = None, 0
        while True:
            await edge
            if self.decoder:
                if quiet() >> n & 1:
                    pair = (s.IDLE, s.IDLE)
                else:
                    data, ks = sent() >> 16 * n, k() >> 2 * n
                    pair = (data & 0xFF | (ks & 1) << 8, data >> 8 & 0xFF | (ks >> 1 & 1) << 8)
                for one in pair:
                    self.events += self.decoder.feed([one])
            self.timeouts += timeout() >> n & 1
            self.retrains += retrain() >> n & 1
            if not up() >> n & 1:
                self.partial.clear()
            if valid() >> n & 1:
                self.partial += (word() >> 16 * n & 0xFFFF).to_bytes(2, "little")
            if end() >> n & 1:
                if good() >> n & 1:
                    self.got.append(bytes(self.partial))
                self.partial.clear()
            if body is None and self.queue and up() >> n & 1:
                body, at = self.queue.pop(0), 0
            values.put("tlp_valid", n, body is not None)
            if body is not None:
                values.put("tlp_word", n, int.from_bytes(body[at:at + 2], "little"), 16)
                values.put("tlp_last", n, at + 2 == len(body))
                if ready() >> n & 1:
                    at += 2
                    if at == len(body):
                        body = None


class Values:
    """Of both ends, in one port each."""

    def __init__(self, dut):
        self.dut, self.now = dut, {}
        for name in ("flip", "hit", "cut", "odd", "tlp_valid", "tlp_word", "tlp_last"):
            self.put(name, 0, 0)

    def put(self, name, n, value, bits=1):
        mask = (1 << bits) - 1
        now = self.now.get(name, 0) & ~(mask << n * bits) | int(value) << n * bits
        if self.now.get(name) != now:
            self.now[name] = now
            getattr(self.dut, name + "_i").value = now


async def trained(dut, periods=(8000, 8000), reads=True, odd=0):
    dut.rst_ni.value = 0
    values = Values(dut)
    values.put("odd", 1, odd)
    for clk, period in zip((dut.clk0_i, dut.clk1_i), periods):
        cocotb.start_soon(Clock(clk, period, "ps").start())
    await Timer(100, "ns")
    dut.rst_ni.value = 1
    ports = [Port(dut, n, reads) for n in (0, 1)]
    for port in ports:
        cocotb.start_soon(port.run(values))
    await until(lambda: int(dut.up_o.value) == 3, 8000)
    return ports, values


async def until(what, clocks):
    for _ in range(clocks // 16):
        await Timer(128, "ns")
        if what():
            return
    assert what()


def tlps(draw, count, most=32):
    return [bytes([0x40, 0, 0, 0]) + at.to_bytes(4, "big") + draw.randbytes(4 + 4 * draw.randrange(most)) for at in range(count)]


async def carries(ports, count, clocks, seed=1, wrong=()):
    draw = random.Random(SEED + seed)
    before, made = [len(port.got) for port in ports], [tlps(draw, count) for _ in ports]
    for port, one in zip(ports, made):
        port.queue += one
    await until(lambda: all(len(port.got) - b >= count for port, b in zip(ports, before)), clocks)
    await Timer(8, "us")
    for port, b, one in zip(ports, before, reversed(made)):
        assert port.got[b:] == one
    for port in ports:
        bad = [str(e) for e in port.events if e.is_wrong and e.name not in wrong]
        assert bad == [], bad[:3]


@cocotb.test()
async def two_cores_carry_tlps_both_ways(dut):
    ports, _ = await trained(dut)
    await carries(ports, 120, 30000)
    for port in ports:
        names = [e.name for e in port.events if e.kind == "dllp"]
        assert names[:3] == ["InitFC1-P", "InitFC1-NP", "InitFC1-Cpl"] and "Ack" in names and "Nak" not in names
        read = [e for e in port.events if e.kind == "tlp"]
        assert [e.fields["status"] for e in read] == ["good"] * 120 and not port.timeouts


@cocotb.test()
async def acks_leave_in_their_time(dut):
    """As the line has them: from the end of a TLP at an end's PIPE to the beginning of its Ack, 237 symbols at most."""
    ports, _ = await trained(dut)
    await carries(ports, 80, 30000, seed=2)
    for n, port in enumerate(ports):
        acks = [(e.time, e.fields["sequence"]) for e in port.events if e.name == "Ack"]
        for one in (e for e in ports[1 - n].events if e.kind == "tlp"):
            length = len(one.fields["bytes"]) + 8
            ack = next(time for time, sequence in acks if sequence >= one.fields["sequence"])
            assert 0 < ack - (one.time + length) <= 237, (ack, one.time, length)


@cocotb.test()
async def clocks_apart_and_odd_symbols(dut):
    ports, _ = await trained(dut, (8000, 8006), odd=1)
    await carries(ports, 80, 30000, seed=3)
    assert not ports[0].timeouts + ports[1].timeouts


@cocotb.test()
async def hit_symbols_cost_replays_and_nothing_else(dut):
    ports, values = await trained(dut, reads=False, odd=1)
    draw, hits = random.Random(SEED), [0]

    async def hit():
        edge = FallingEdge(dut.clk0_i)
        while True:
            for _ in range(draw.randrange(20, 700)):
                await edge
            n = draw.randrange(2)
            hits[0] += 1
            if draw.random() < 0.5:
                values.put("flip", n, draw.randrange(1, 256), 8)
            else:
                values.put("hit", n, 1)
            await edge
            values.put("flip", n, 0, 8)
            values.put("hit", n, 0)
    cocotb.start_soon(hit())
    await carries(ports, 400, 120000, seed=4)
    assert hits[0] > 30


@cocotb.test()
async def a_line_that_is_gone_for_a_while(dut):
    """The endpoint does not hear. The root gets no Acks, trains the link again in vain, and goes to Detect; what the endpoint hears then, when
    the line is back, is no Recovery, so that it follows, and both begin anew."""
    ports, values = await trained(dut, reads=False)
    await carries(ports, 20, 10000, seed=5)
    values.put("cut", 1, 1)
    ports[0].queue += tlps(random.Random(SEED), 400)
    await until(lambda: not int(dut.up_o.value) & 1, 20000)
    assert ports[0].retrains and ports[0].timeouts == 4
    values.put("cut", 1, 0)
    ports[0].queue.clear()
    await until(lambda: int(dut.up_o.value) == 0, 20000)
    await until(lambda: int(dut.up_o.value) == 3, 20000)
    await Timer(20, "us")
    for port in ports:
        port.got.clear()
    await carries(ports, 20, 10000, seed=6)
