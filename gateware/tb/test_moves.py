# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does every byte get to its place, at any address and size?"""

import os
import random

import cocotb
from cocotb.triggers import RisingEdge, Timer

from bench import bench, memory
from streams import frame_beats


@cocotb.test(timeout_time=400, timeout_unit="us")
async def writes_to_host_at_any_address(dut):
    rc, card, d = await bench(dut)
    for high in (False, True):
        addr, mem = memory(rc, 0x10000, high)
        for size, offset in [(64, 0), (1, 0), (1, 3), (4096, 0), (257, 1), (5000, 4093), (130, 126), (3, 126)]:
            data = random.randbytes(size)
            mem[offset:offset + size] = bytes(size)
            card.c2h.put(frame_beats(data, card.width))
            card.command("c2h", addr + offset, size)
            done = await card.done("c2h")
            assert done["cause"] == 0 and done.get("regular", True) and done["len"] == size, done
            await Timer(300, "ns")
            assert mem[offset:offset + size] == data, (size, offset)


@cocotb.test(timeout_time=400, timeout_unit="us")
async def reads_from_host_at_any_address(dut):
    rc, card, d = await bench(dut)
    for high in (False, True):
        addr, mem = memory(rc, 0x10000, high)
        for size, offset in [(64, 0), (1, 0), (1, 3), (4096, 0), (257, 1), (5000, 4093), (130, 126), (3, 126)]:
            data = random.randbytes(size)
            mem[offset:offset + size] = data
            card.command("h2c", addr + offset, size, ident=size)
            got, error = await card.h2c.frame()
            assert got == data and not error, (size, offset)
            done = await card.done("h2c")
            assert done["cause"] == 0 and done.get("regular", True) and done["id"] == size


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def both_directions_at_once(dut):
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x20000)
    src = random.randbytes(0x8000)
    mem[0:0x8000] = src
    back = random.randbytes(0x8000)
    card.pauses(0.1)
    card.link.shuffle = True
    card.c2h.put(frame_beats(back, card.width))
    card.command("h2c", addr, 0x8000)
    card.command("c2h", addr + 0x10001, 0x8000)
    got, _ = await card.h2c.frame()
    await card.done("c2h")
    await Timer(1, "us")
    assert got == src
    assert mem[0x10001:0x18001] == back


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def attributes_are_settings(dut):
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x1000)
    for attr in range(8):
        for ch, name in enumerate(("h2c", "c2h", "p2p")):
            await d.write(0x100 * (ch + 1), attr << 4, 4)
        await d.read(0)                      # the writes have arrived
        card.seen.clear()
        for name in ("h2c", "c2h", "p2p"):
            if name != "h2c":
                getattr(card, name).put(frame_beats(bytes(64), card.width))
            card.command(name, addr, 64, eof=0 if name == "p2p" else 1)
        for name in ("h2c", "c2h", "p2p"):
            await card.done(name)
        await Timer(500, "ns")
        own = [t for t in card.seen if not t.is_completion()]
        assert [int(t.attr) for t in own] == [attr] * 3, own


@cocotb.test(timeout_time=100, timeout_unit="us", skip=bool(os.environ.get("TOP")))
async def a_lone_command_is_a_tlp_in_no_more_cycles_than_is_said(dut):
    """From the command at the engine's port to the first beat of its first TLP: what docs/performance.md says, at each width."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x1000)
    for name, shown, said in (("h2c", dut.rq_valid_o, 2 if card.width == 512 else 3), ("c2h", dut.tx_valid_o, 6 if card.width == 512 else 7)):
        if name == "c2h":
            card.c2h.put(frame_beats(random.randbytes(64), card.width))
            await Timer(1, "us")                     # the stream's data waits
        valid, ready, cycles, began = getattr(dut, f"{name}_cmd_valid_i"), getattr(dut, f"{name}_cmd_ready_o"), 0, None
        card.command(name, addr, 64)
        while shown.value != 1:
            await RisingEdge(dut.clk_i)
            cycles += 1
            if began is None and valid.value == 1 and ready.value == 1:
                began = cycles
            assert cycles < 100, "no TLP"
        assert cycles - began == said, (name, cycles - began, said)


@cocotb.test(timeout_time=100, timeout_unit="us", skip=bool(os.environ.get("TOP")))
async def short_transfers_follow_each_other_without_a_gap(dut):
    """Six of 64 bytes at once: beats of writes in every cycle; reads as often as docs/ls_read_engine.md says, which is oftener
    than their data can come."""
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x1000)
    beats = 512 // card.width
    card.c2h.put([b for _ in range(6) for b in frame_beats(random.randbytes(64), card.width)])
    await Timer(1, "us")                             # the stream's data waits
    for name, way, said in (("c2h", "tx", 6 * beats), ("h2c", "rq", 5 * {512: 1, 256: 2}.get(card.width, 3) + 1)):
        valid, ready, cycles, seen = getattr(dut, f"{way}_valid_o"), getattr(dut, f"{way}_ready_i"), 0, []
        for i in range(6):
            card.command(name, addr + 64 * i, 64)
        while len(seen) < (6 * beats if way == "tx" else 6):
            await RisingEdge(dut.clk_i)
            cycles += 1
            if valid.value == 1 and ready.value == 1:
                seen.append(cycles)
            assert cycles < 500, (name, seen)
        assert seen[-1] - seen[0] + 1 == said, (name, seen)
