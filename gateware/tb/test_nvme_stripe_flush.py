# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does a stripe take the word of a drive that has come back for blocks that were lost with its power?"""

import random

import cocotb
from cocotb.triggers import Event, Timer

import nvme_bench as nb
from nvme_bench import FLUSH, USER, pack
from nvme_controller import NvmeController
from test_nvme_stripe import CHUNK, DRIVES, stripe, works

FLUSHES = 60       # more than the stripe and its hosts keep


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
async def a_flush_that_waited_for_a_failed_drive_has_failed(dut):
    """The user takes no reports, so that flushes wait in the stripe; the drive loses what was acknowledged, comes back and
    could carry them out."""
    bench, drives = await stripe(dut)
    bad = DRIVES - 1
    bench.write(0, random.randbytes(CHUNK * DRIVES))
    await bench.ok()
    assert drives[bad].cache
    bench.reports.pause.rate = 1
    taken = [Event() for _ in range(FLUSHES)]
    for n, event in enumerate(taken):
        bench.cmd.put([dict(cmd=pack(USER, dict(op=FLUSH, lba=0, nlb=0, tag=n, fua=0)))], event)
    drives[bad].latency = lambda c: 1_000_000       # the first one is out
    await Timer(5, "us")
    drives[bad].gone = True
    bench.link(bad, 0)
    await bench.until(lambda: bench.lanes[bad].dead_o.value == 1)
    drives[bad] = bench.ports[bad].controller = NvmeController(bench.ports[bad])
    bench.ports[bad].mps = 128
    await Timer(20, "us")
    before = sum(event.is_set() for event in taken)
    assert 0 < before < FLUSHES, before             # else none waits
    bench.link(bad, 1)
    await bench.restart(bad)
    await Timer(100, "us")                          # in which a drive is brought up, unless something waits
    bench.reports.pause.rate = 0
    done = [await bench.done() for _ in range(FLUSHES)]
    assert [d["tag"] for d in done] == list(range(FLUSHES))
    assert all(d["why"] != nb.WHY_NONE for d in done[:before]), (before, [d["why"] for d in done])
    await bench.until(lambda: bench.lanes[bad].drive_run_o.value == 1)
    bench.settings()
    await works(bench)
    bench.clean()
