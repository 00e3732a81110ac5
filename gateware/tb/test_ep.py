# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The same on a link: does an endpoint, from symbols to the streams of the engine, keep every byte and every credit, with symbols that are hit
and a line that is gone for a while?"""

from cocotb import start_soon, test

from test_tl import ALL, SC, Traffic, up


@test()
async def an_endpoint_is_enumerated_and_carries_everything(dut):
    bench = await up(dut, 50, finite=((8, 32), (4, 0), (0, 0)))
    traffic = Traffic(bench, 128)
    await traffic.run(250, ALL)
    assert traffic.checked > 60 and bench.errors == dict(bench.errors, malformed=0, overflow=0, unexpected=0, posted_ur=0)
    assert await bench.config(0x110) & ~(1 << 13) == 0        # no error of the link


@test()
async def payloads_of_512_bytes(dut):
    bench = await up(dut, 51, mps=2, finite=((4, 40), (0, 0), (0, 0)))
    traffic = Traffic(bench, 512)
    await traffic.run(120, ALL)
    assert bench.mps == 2 and traffic.checked > 20


@test()
async def hit_symbols_cost_no_byte_and_no_credit(dut):
    bench = await up(dut, 52, finite=((4, 20), (2, 0), (3, 6)))
    draw, hits, ends = bench.draw, [0], []

    async def hit():
        while not ends:
            await bench.wait(draw.randrange(50, 600))
            dut.hit_i.value = draw.choice((1, 2))
            hits[0] += 1
            await bench.wait(1)
            dut.hit_i.value = 0
    start_soon(hit())
    traffic = Traffic(bench, 128)
    bench.card.slow = 0.5
    await traffic.run(250, ALL)
    ends.append(1)
    assert hits[0] > 20 and traffic.checked > 60
    assert await bench.config(0x110) & 1 << 6 and await bench.config(0x104) & ~(1 << 20) == 0     # bad TLPs; nothing that a retry does not mend


@test()
async def a_line_that_is_gone_resets_the_endpoint(dut):
    bench = await up(dut, 53, finite=((100, 1000), (2, 0), (0, 0)))       # more than the replay buffer holds: one is half taken when the link is given up
    for n in range(80):
        bench.card.write(0x9000_0000 + 128 * n, bytes(128))
    await bench.wait(150)
    dut.cut_i.value = 1
    before = bench.resets
    await bench.until(lambda: not bench.up, 30000)
    await bench.until(lambda: bench.resets > before, 30000)
    card = bench.card
    card.writes, card.reads, card.answers, card.open = [], [], [], {}
    bench.root.forget(((4, 20), (2, 0), (0, 0)))
    dut.cut_i.value = 0
    await bench.until(lambda: bench.up, 30000)
    assert await bench.config(0x10) == 0 and await bench.config(0x04) == 0x0010_0000
    await bench.enumerate()
    traffic = Traffic(bench, 128)
    await traffic.run(60, ALL)
