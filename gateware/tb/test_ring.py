# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does a ring of any size, 2 to 65,536 entries, fetch what was posted, all of it, once, and nothing else? And does a
pushed descriptor that finds no room leave the others as they are?"""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from clocked import high, number
from tlpbits import CMD, CONFIG, pack, unpack

SEED = int(os.environ.get("SEED", "1"))
FETCHES = int(os.environ["FETCHES"])
SIZES = [int(n) for n in os.environ["SIZES"].split()]     # their logarithms


class Host:
    """Answers fetches, and notes what is asked for and handed out. A descriptor's address is its number."""

    def __init__(self, dut):
        self.dut, self.width = dut, len(dut.data_i)
        for n in ("mrrs_i", "tick_i", "push_hold_i", "push_low_i", "push_high_i", "ask_ready_i", "ask_sent_i",
                  "rx_valid_i", "rx_sop_i", "rx_eop_i", "rx_len_i", "rx_bad_i", "rx_broken_i", "rx_last_i", "data_i",
                  "few_i", "rx_id_i", "rx_left_i"):
            getattr(dut, n).value = 0
        dut.cmd_ready_i.value = 1
        self.config = dict(ring=1)
        self.asked = self.handed = self.posted = self.size = 0
        self.held = False           # no answer comes
        self.out = {}                       # by the number of the fetch: first descriptor, how many
        self.set(enable=0)

    def set(self, **fields):
        self.config.update(fields)
        self.dut.cfg_i.value = pack(CONFIG, self.config)

    def desc(self, n):
        return n | 64 << 64 | 3 << 96

    async def hand_out(self):
        """Every command, one after the other."""
        edge, valid, command = FallingEdge(self.dut.clk_i), high(self.dut.cmd_valid_o), number(self.dut.cmd_o)
        of = pack(CMD, dict(addr=1 << 64 - 1, bad=1)) | pack(CMD, dict(addr=(1 << 63) - 1))
        one = pack(CMD, dict(addr=1))
        while True:
            await edge
            if valid():
                said = command()
                assert said & of == self.handed * one, (self.handed, unpack(CMD, said))
                self.handed += 1

    async def take(self):
        dut, edge, valid = self.dut, FallingEdge(self.dut.clk_i), high(self.dut.ask_valid_o)
        while True:
            await edge
            if not valid():
                continue
            slot, count, ident = int(dut.ask_slot_o.value), int(dut.ask_count_o.value), int(dut.ask_id_o.value)
            size = self.size
            assert slot == self.asked % size, (slot, self.asked)
            assert 1 <= count <= self.posted - self.asked, "more than was posted"
            assert slot + count <= size, "beyond the end of the ring"
            assert slot % 256 + count <= 256, "across 4 KiB"
            assert ident not in self.out, "a number that is out"
            dut.ask_ready_i.value = 1
            await RisingEdge(dut.clk_i)
            dut.ask_ready_i.value, dut.ask_sent_i.value = 0, 1
            self.out[ident] = (self.asked, count)
            assert len(self.out) <= FETCHES, "more fetches are out than may be"
            self.asked += count
            await RisingEdge(dut.clk_i)
            dut.ask_sent_i.value = 0

    async def answer(self):
        """Those that are out, in any order, cut at multiples of 64 bytes."""
        dut, step, edge = self.dut, self.width // 8, FallingEdge(self.dut.clk_i)
        while True:
            await edge
            if self.held or not self.out or random.random() < 0.3:
                continue
            ident = random.choice(list(self.out))
            first, left = self.out[ident]
            count = min(left, random.choice([4 - first % self.size % 4, 1000]))
            data = b"".join(self.desc(first + i).to_bytes(16, "little") for i in range(count))
            dut.rx_valid_i.value, dut.rx_last_i.value, dut.rx_len_i.value = 1, int(count == left), 4 * count
            dut.rx_id_i.value, dut.rx_left_i.value = ident, 4 * left
            if count == left:
                del self.out[ident]
            else:
                self.out[ident] = (first + count, left - count)
            for at in range(0, len(data), step):
                dut.rx_sop_i.value, dut.rx_eop_i.value = int(at == 0), int(at + step >= len(data))
                dut.data_i.value = int.from_bytes(data[at:at + step], "little")
                await RisingEdge(dut.clk_i)
            dut.rx_valid_i.value = 0


@cocotb.test()
async def rings_of_all_sizes(dut):
    """Each size, posted one by one, by random numbers and full, around its end; the small ones in every phase."""
    random.seed(SEED)
    host = Host(dut)
    cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
    dut.rst_ni.value = 0
    for _ in range(4):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    cocotb.start_soon(host.hand_out())
    cocotb.start_soon(host.take())
    cocotb.start_soon(host.answer())
    for log2 in SIZES:
        size = 1 << log2
        for way in ("one", "some", "full"):
            if way == "one" and size > 256:
                continue
            host.size = size
            host.set(enable=0, tail=0, size_log2=log2 % 16)     # 0 says 16
            for _ in range(8):
                await RisingEdge(dut.clk_i)
            host.asked = host.handed = host.posted = 0
            host.set(enable=1)
            dut.mrrs_i.value = random.choice([0, 1, 2, 5])
            goal = 3 * size + 1 if size <= 512 else size + 300
            while host.posted < goal:
                room = size - 1 - (host.posted - host.handed)
                n = min(room, 1 if way == "one" else room if way == "full" else random.randint(0, room))
                host.posted += n
                host.set(tail=host.posted % size)
                for _ in range(random.choice([1, 5, 40]) if way == "some" else 2):
                    await RisingEdge(dut.clk_i)
                while way == "full" and host.handed < host.posted:
                    await RisingEdge(dut.clk_i)
            for _ in range(4 * size + 2000):
                if host.handed == host.posted:
                    break
                await RisingEdge(dut.clk_i)
            assert host.handed == host.asked == host.posted, (size, way, host.handed, host.asked, host.posted)
            for _ in range(50):
                await RisingEdge(dut.clk_i)
            assert host.handed == host.posted and int(dut.fetched_o.value) == host.posted % size
    # While no answer comes, as many fetches are out as there may be, and no more.
    host.held = True
    host.posted += min(60000, size - 1)
    host.set(tail=host.posted % size)
    for _ in range(500):
        await RisingEdge(dut.clk_i)
    assert len(host.out) == FETCHES, host.out
    host.held = False
    while host.handed < host.posted:
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def pushes_beyond_the_queue_change_nothing(dut):
    """The taker stands: descriptors are pushed until one is refused, and on. One more comes while rows get free between
    its halves, and one while the channel is switched off and on again there. What was not refused comes out whole."""
    random.seed(SEED)
    host, got, width = Host(dut), [], len(dut.data_i)
    cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
    dut.rst_ni.value, dut.cmd_ready_i.value = 0, 0
    for _ in range(4):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    host.set(enable=1, ring=0)

    async def taken():
        while True:
            await FallingEdge(dut.clk_i)
            if dut.cmd_valid_o.value == 1 and dut.cmd_ready_i.value == 1:
                said = unpack(CMD, int(dut.cmd_o.value))
                got.append((said["addr"], said["len"], said["id"]))
    cocotb.start_soon(taken())

    async def rest(cycles):
        for _ in range(cycles):
            await RisingEdge(dut.clk_i)

    async def push(between=None):
        """A descriptor like no other, in two steps as ls_fetch makes them: what it is, or None where it was refused."""
        one = random.getrandbits(64), random.randrange(1, 5000), random.getrandbits(24)
        low, high = one[0], one[1] | 3 << 32 | one[2] << 40
        dut.push_low_i.value, dut.data_i.value = 1, low
        await rest(1)
        dut.push_low_i.value = 0
        if between:
            await between()
        dut.push_high_i.value, dut.data_i.value = 1, high if width == 64 else high << 64 | low
        await rest(1)
        dut.push_high_i.value = 0
        await FallingEdge(dut.clk_i)
        refused = dut.push_fail_o.value == 1
        await rest(random.randrange(1, 4))
        return None if refused else one

    async def frees():
        dut.cmd_ready_i.value = 1
        await rest(6)
        dut.cmd_ready_i.value = 0
        await rest(6)

    want = []
    for turn in range(3):
        await rest(20)
        while (one := await push()) is not None:
            want.append(one)
            assert len(want) < 3000, "none is ever refused"
        for _ in range(5):
            assert await push() is None
        want += filter(None, [await push(frees)])
        want += filter(None, [await push() for _ in range(turn)])
        dut.cmd_ready_i.value = 1
        await rest(3000)
        dut.cmd_ready_i.value = 0
        assert len(got) == len(want) >= 16 and got == want, (turn, len(got), len(want))
        got.clear()
        want.clear()

    async def off_and_on():
        host.set(enable=0)
        await rest(6)
        host.set(enable=1)
        await rest(6)
    for before in range(4):
        host.set(enable=0)
        await rest(6)
        host.set(enable=1)
        for _ in range(before):
            assert await push() is not None
        first, second = await push(off_and_on), await push()
        assert first and second, "what is dropped did find room"
        # Of one that came in two halves the first went with the queue, where that was not empty.
        want = [second] if width == 64 and before else [first, second]
        dut.cmd_ready_i.value = 1
        await rest(20)
        dut.cmd_ready_i.value = 0
        assert got == want, before
        got.clear()
