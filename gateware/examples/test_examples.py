# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Source, sink and loopback, each as a whole card on a bus."""

import os
import random
import struct

import cocotb
from cocotb.triggers import Timer

from bench import bench
from driver import Ring

TOP = os.environ.get("TOP")


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=TOP != "ex_source_top")
async def source_counts_in_host_memory(dut):
    rc, card, d = await bench(dut)
    ring = Ring(d, 1, log2=5)
    await ring.open(count=1, time=50)
    addr, mem = rc.alloc_region(0x10000)
    await ring.post([(addr + 0x1000 * i, 0x1000, 1, 1, 0, i) for i in range(8)])
    await d.write(0x8000, 1000)
    want = 0
    for i in range(8):
        rec = await ring.record()
        assert rec["length"] == 1000 and rec["eof"] and rec["cause"] == 0, rec
        words = struct.unpack("<250I", mem[0x1000 * i:0x1000 * i + 1000])
        assert list(words) == list(range(want, want + 250)), i
        want += -(-1000 // (card.width // 8)) * card.width // 32
    assert await d.read(0x8008) >= 8


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=TOP != "ex_sink_top")
async def sink_sums_what_came(dut):
    rc, card, d = await bench(dut)
    ring = Ring(d, 0, log2=5)
    await ring.open(count=8, time=50)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x8000] = src = random.randbytes(0x8000)
    await ring.post([(addr + 0x1000 * i, 0x1000, 1, 1, 0, i) for i in range(8)])
    count = 0
    while count < 8:
        count += (await ring.record())["count"]
    await Timer(5, "us")
    assert await d.read(0x8000) == 0x8000 and await d.read(0x8008) == 8
    total = sum(struct.unpack("<8192I", src)) & 0xffffffff
    assert await d.read(0x8010) == total << 32


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=TOP != "ex_loopback_top")
async def loopback_returns_every_byte(dut):
    rc, card, d = await bench(dut)
    rings = [Ring(d, c, log2=5) for c in (0, 1)]
    for r in rings:
        await r.open(count=1, time=50)
    addr, mem = rc.alloc_region(0x20000)
    sizes = [1, 64, 333, 4096, 0x2001]
    mem[0:0x8000] = src = random.randbytes(0x8000)
    await rings[1].post([(addr + 0x10000 + 0x2100 * i + i, 0x2100, 1, 1, 0, i) for i in range(len(sizes))])
    await rings[0].post([(addr + 3 * i, n, 1, 1, 0, i) for i, n in enumerate(sizes)])
    for i, n in enumerate(sizes):
        rec = await rings[1].record()
        assert rec["length"] == n and rec["eof"], rec
        at = 0x10000 + 0x2100 * i + i
        assert mem[at:at + n] == src[3 * i:3 * i + n], i
