# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Do two MACs, a root's and an endpoint's, train to L0 and carry packets, by the second decoder's reading of every symbol:
with clocks apart, wires exchanged, symbols hit and the line taken away?"""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

from clocked import number
from lanescope_symbols import Decoder, symbol as s
from lanescope_symbols.crc import dllp_crc, lcrc

STATES = ("DetectQuiet DetectActive PollActive PollConfig WidthStart WidthAccept NumWait NumAccept CfgComplete CfgIdle L0 "
          "RcvrLock RcvrCfg RcvrIdle").split()
TRAINING = STATES[:11]
MS = 1000       # cycles, as the bench sets it


class Port:
    """One end: its transcript of what it sends, by the decoder; the packets it sent and received; its states."""

    def __init__(self, pair, n):
        self.pair, self.n, self.dut = pair, n, pair.dut
        self.decoder, self.events, self.states = Decoder(1, 1), [], []
        self.queue, self.got, self.errors = [], [], 0

    async def watch(self):
        dut, n = self.dut, self.n
        edge = FallingEdge(dut.clk1_i if n else dut.clk0_i)
        sent, k, quiet, state, bits = (number(x) for x in (dut.sent_o, dut.sent_k_o, dut.quiet_o, dut.state_o, dut.error_o))
        start, valid, word, ends = (number(x) for x in (dut.rx_start_o, dut.rx_valid_o, dut.rx_word_o, dut.rx_end_o))
        dllp, bad, edb = (number(x) for x in (dut.rx_dllp_o, dut.rx_bad_o, dut.rx_edb_o))
        packet, kind = None, None
        while True:
            await edge
            is_state = STATES[state() >> 5 * n & 31]
            if not self.states or self.states[-1] != is_state:
                self.states.append(is_state)
            self.errors += bits() >> n & 1
            if quiet() >> n & 1:
                pairs = (s.IDLE, s.IDLE)
            else:
                data, ks = sent() >> 16 * n, k() >> 2 * n
                pairs = (data & 0xFF | (ks & 1) << 8, data >> 8 & 0xFF | (ks >> 1 & 1) << 8)
            for one in pairs:
                self.events += self.decoder.feed([one])
            if valid() >> n & 1:
                packet += (word() >> 16 * n & 0xFFFF).to_bytes(2, "little")
            if ends() >> n & 1:
                self.got.append((kind, bytes(packet), bool(bad() >> n & 1), bool(edb() >> n & 1)))
            if start() >> n & 1:
                packet, kind = bytearray(), "dllp" if dllp() >> n & 1 else "tlp"

    async def send(self):
        """The packets of the queue, in turn. Driven at the falling edge; whether a word is taken is seen before the next rising one."""
        pair, n = self.pair, self.n
        fall, ready, settled = FallingEdge(self.dut.clk1_i if n else self.dut.clk0_i), number(self.dut.tx_ready_o), Timer(1, "ns")
        while True:
            await fall
            while self.queue:
                kind, body, null = self.queue.pop(0)
                for at in range(0, len(body), 2):
                    last = at + 2 == len(body)
                    pair.drive(n, 1, int.from_bytes(body[at:at + 2], "little"), last, kind == "dllp", null and last)
                    await settled
                    while not ready() >> n & 1:
                        await fall
                        await settled
                    await fall
            pair.drive(n, 0, 0, 0, 0, 0)

    def named(self, name):
        return [e for e in self.events if e.name == name]

    def wrong(self):
        return [str(e) for e in self.events if e.is_wrong]


class Pair:
    """The bench. Values of both ends are in one signal each."""

    def __init__(self, dut):
        self.dut, self.values = dut, {}
        for name in ("flip", "hit", "swap", "cut", "odd", "retrain", "tx_valid", "tx_word", "tx_last", "tx_dllp", "tx_null"):
            self.put(name, 0, 0)
        self.ports = [Port(self, n) for n in (0, 1)]

    def put(self, name, n, value, bits=1):
        mask = (1 << bits) - 1
        now = self.values.get(name, 0) & ~(mask << n * bits) | value << n * bits
        if self.values.get(name) != now:
            self.values[name] = now
            getattr(self.dut, name + "_i").value = now

    def drive(self, n, valid, word, last, dllp, null):
        self.put("tx_valid", n, valid)
        self.put("tx_word", n, word, 16)
        self.put("tx_last", n, int(last))
        self.put("tx_dllp", n, int(dllp))
        self.put("tx_null", n, int(null))

    async def start(self, periods=(8000, 8000)):
        dut = self.dut
        dut.rst_ni.value = 0
        for clk, period in zip((dut.clk0_i, dut.clk1_i), periods):
            cocotb.start_soon(Clock(clk, period, "ps").start())
        await Timer(100, "ns")
        dut.rst_ni.value = 1
        for port in self.ports:
            cocotb.start_soon(port.watch())
            cocotb.start_soon(port.send())

    async def until(self, what, cycles):
        for _ in range(cycles // 8):
            await Timer(64, "ns")
            if what():
                return
        assert what(), [port.states for port in self.ports]

    def in_l0(self):
        return all(port.states and port.states[-1] == "L0" for port in self.ports)


def tlp(draw, sequence):
    body = bytes([0x40, 0, 0, 0]) + draw.randbytes(8) + draw.randbytes(4 * draw.randrange(1, 33))
    return "tlp", sequence.to_bytes(2, "big") + body + lcrc(sequence, body), False


def dllp(draw):
    body = bytes([0x00, 0, draw.randrange(16), draw.randrange(256)])
    return "dllp", body + dllp_crc(body), False


async def trained(dut, periods=(8000, 8000), **set_):
    pair = Pair(dut)
    for name, (n, value) in set_.items():
        pair.put(name, n, value)
    await pair.start(periods)
    await pair.until(pair.in_l0, 30000)
    return pair


async def carries(pair, count, seed=1):
    """Packets both ways, each as it was sent and in their order; and so the decoder has read them."""
    draw, sent = random.Random(seed), []
    before = [len(port.got) for port in pair.ports]
    for port in pair.ports:
        sequence = getattr(port, "sequence", 0)
        made = []
        for _ in range(count):
            made.append(dllp(draw) if draw.random() < 0.4 else tlp(draw, sequence))
            sequence = sequence + (made[-1][0] == "tlp") & 0xFFF
        port.sequence = sequence
        port.queue += made
        sent.append(made)
    await pair.until(lambda: all(len(port.got) - b == count for port, b in zip(pair.ports, before)), 400 * count)
    for port, b, made in zip(pair.ports, before, reversed(sent)):
        assert port.got[b:] == [(kind, body, False, False) for kind, body, _ in made]
    await Timer(1, "us")
    for port, made in zip(pair.ports, sent):
        read = [e for e in port.events if e.kind in ("tlp", "dllp")][-count:]
        assert [e.fields["status"] for e in read] == ["good"] * count
        assert port.wrong() == [], port.wrong()


@cocotb.test()
async def two_train_to_l0_by_each_state(dut):
    pair = await trained(dut)
    assert pair.ports[0].states == TRAINING and pair.ports[1].states == TRAINING, [p.states for p in pair.ports]
    for port in pair.ports:
        assert port.wrong() == [], port.wrong()
        ts1 = [e.fields for e in port.named("TS1")]
        assert len([f for f in ts1 if f["link"] == "PAD"]) >= 1024
        assert {f["rates"] for f in ts1} == {"2.5"}
        assert [f for f in ts1 if f["link"] != "PAD"][-1] | {"link": 5, "lane": "0"} == [f for f in ts1 if f["link"] != "PAD"][-1]
        pads, numbered = (len([e for e in port.named("TS2") if (e.fields["lane"] == "PAD") == pad]) for pad in (True, False))
        assert pads >= 16 and numbered >= 16


@cocotb.test()
async def packets_cross_both_ways(dut):
    pair = await trained(dut)
    await carries(pair, 120)
    assert [port.errors for port in pair.ports] == [0, 0]
    for port in pair.ports:         # SKP ordered sets are due every 1180 symbols, and wait for the end of a packet
        times = [e.time for e in port.named("SKP")]
        assert all(late - early <= 1538 for early, late in zip(times, times[1:]))
        assert 1180 * (len(times) - 1) - 140 <= times[-1] - times[0] <= 1180 * (len(times) - 1) + 140


@cocotb.test()
async def clocks_apart_lose_nothing(dut):
    """750 ppm, more than two clocks at their limits may be; one way, and in the next test the other."""
    pair = await trained(dut, (8000, 8006))
    await carries(pair, 80)
    assert [port.errors for port in pair.ports] == [0, 0]


@cocotb.test()
async def the_other_clock_is_slower(dut):
    pair = await trained(dut, (8006, 8000))
    await carries(pair, 80)
    assert [port.errors for port in pair.ports] == [0, 0]


@cocotb.test()
async def exchanged_wires_are_found(dut):
    pair = await trained(dut, swap=(1, 1))
    await carries(pair, 20)


@cocotb.test()
async def symbols_may_begin_in_either_half(dut):
    pair = await trained(dut, odd=(1, 1))
    await carries(pair, 60)
    assert [port.errors for port in pair.ports] == [0, 0]


@cocotb.test()
async def a_link_that_is_told_to_trains_again(dut):
    pair = await trained(dut)
    await carries(pair, 5)
    pair.put("retrain", 1, 1)
    await pair.until(lambda: pair.ports[1].states[-1] != "L0", 100)
    pair.put("retrain", 1, 0)
    await pair.until(pair.in_l0, 3000)
    for port in pair.ports:
        assert port.states == [*TRAINING, "RcvrLock", "RcvrCfg", "RcvrIdle", "L0"], port.states
    assert int(dut.up_o.value) == 3
    await carries(pair, 20, 2)


@cocotb.test()
async def a_hit_symbol_costs_its_packet_alone(dut):
    """A symbol that is none, and one that has become another."""
    pair = await trained(dut)
    a, b = pair.ports
    draw = random.Random(3)
    a.queue += [tlp(draw, n) for n in range(12)]
    await pair.until(lambda: len(b.got) == 4, 4000)
    for hit in (1, 0):
        await FallingEdge(dut.clk0_i)
        pair.put("hit", 1, hit)
    await pair.until(lambda: len(b.got) == 8, 4000)
    for flip in (0x10, 0):
        await FallingEdge(dut.clk0_i)
        pair.put("flip", 1, flip, 8)
    await pair.until(lambda: len(b.got) == 12, 4000)
    sent = [bytes(e.fields["sequence"].to_bytes(2, "big") + e.fields["bytes"] + lcrc(e.fields["sequence"], e.fields["bytes"]))
            for e in a.events if e.kind == "tlp"]
    assert [bad for _, _, bad, _ in b.got].count(True) == 1 and b.errors > 0
    assert sum(body != was for (_, body, bad, _), was in zip(b.got, sent) if not bad) == 1


@cocotb.test()
async def a_line_that_is_gone_leads_to_detect_and_back(dut):
    pair = await trained(dut)
    for n in (0, 1):
        pair.put("cut", n, 1)
    pair.put("retrain", 0, 1)
    pair.put("retrain", 1, 1)
    await pair.until(lambda: all("DetectQuiet" in port.states[1:] for port in pair.ports), 60 * MS)
    assert int(dut.up_o.value) == 0
    for n in (0, 1):
        pair.put("cut", n, 0)
        pair.put("retrain", n, 0)
    await pair.until(pair.in_l0, 100 * MS)
    await carries(pair, 10)
