# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does the whole engine work behind each vendor's block, on one clock and on two?"""

import logging
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiStreamBus
from cocotbext.pcie.core import RootComplex
from cocotbext.pcie.core.tlp import CplStatus, Tlp
from cocotbext.pcie.xilinx.us import UltraScalePlusPcieDevice

from card import Driver, Ring, UserSide
from seven_series import SevenSeriesBlock
from streams import frame_beats

TWO = os.environ.get("TWO_CLOCKS") == "1"


class UspCard(UserSide):
    def __init__(self, dut):
        super().__init__(dut, dut.user_clk_i)
        self.clock, width = dut.clk_i, len(dut.s_axis_rq_tdata)
        lanes = {64: (1, 8), 128: (2, 8), 256: (3, 8), 512: (3, 16)}[width]
        self.device = UltraScalePlusPcieDevice(
            pcie_generation=lanes[0], pcie_link_width=lanes[1], user_clk_frequency=250e6,
            alignment="dword", pf0_msix_enable=True, pf0_msix_table_size=3,
            pf0_msix_table_offset=0x1000, pf0_msix_pba_offset=0x1080, enable_extended_tag=True,
            max_payload_size=1024, user_clk=dut.clk_i,
            rq_bus=AxiStreamBus.from_prefix(dut, "s_axis_rq"),
            rc_bus=AxiStreamBus.from_prefix(dut, "m_axis_rc"),
            cq_bus=AxiStreamBus.from_prefix(dut, "m_axis_cq"),
            cc_bus=AxiStreamBus.from_prefix(dut, "s_axis_cc"),
            cfg_max_payload=dut.cfg_max_payload, cfg_max_read_req=dut.cfg_max_read_req)
        self.device.log.setLevel(logging.ERROR)
        for sink in (self.device.rq_sink, self.device.rc_source, self.device.cq_source, self.device.cc_sink):
            sink.log.setLevel(logging.ERROR)
        self.function = self.device.functions[0]
        self.function.configure_bar(0, 0x10000)
        self.function.configure_bar(2, 0x100000)
        dut.cfg_msix_mask.value = 0
        dut.cfg_msix_enable.value = 0
        cocotb.start_soon(self._msix())

    async def _msix(self):
        while True:
            await RisingEdge(self.clock)
            self.dut.cfg_msix_enable.value = int(self.function.msix_cap.msix_enable)

    def slow(self, rate):
        def some():
            while True:
                yield random.random() < rate
        for side in (self.device.rq_sink, self.device.rc_source, self.device.cq_source, self.device.cc_sink):
            side.set_pause_generator(some())


class SevenSeriesCard(UserSide):
    def __init__(self, dut):
        super().__init__(dut, dut.user_clk_i)
        self.clock = dut.clk_i
        self.block = SevenSeriesBlock(dut, dut.clk_i)
        self.device, self.function = self.block.device, self.block.function
        self.function.msix_cap.msix_table_size = 3
        self.function.msix_cap.msix_table_offset = 0x1000
        self.function.msix_cap.msix_pba_offset = 0x1080
        self.function.configure_bar(0, 0x10000)
        self.function.configure_bar(2, 0x100000)

    def slow(self, rate):
        self.block.rx_pause = self.block.tx_pause = rate


async def bench(dut, mps=1, mrrs=2):
    logging.getLogger("cocotb.pcie").setLevel(logging.ERROR)
    random.seed(int(os.environ.get("SEED", "1")))
    usp = hasattr(dut, "s_axis_rq_tdata")
    card = UspCard(dut) if usp else SevenSeriesCard(dut)
    rc = RootComplex()
    rc.log.setLevel(logging.ERROR)
    rc.max_payload_size = mps
    if usp:
        pass                                  # its model drives the clock
    else:
        cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
    cocotb.start_soon(Clock(dut.user_clk_i, 5.2 if TWO else 4, "ns").start())
    rc.make_port().connect(card.device)
    dut.rst_ni.value = dut.user_rst_ni.value = 0
    await Timer(100, "ns")
    dut.rst_ni.value = dut.user_rst_ni.value = 1
    await Timer(100, "ns")
    await rc.enumerate()
    card.function.pcie_cap.max_payload_size = mps
    card.function.pcie_cap.max_read_request_size = mrrs
    d = Driver(rc, card)
    await d.start()
    await Timer(200, "ns")
    return rc, card, d


@cocotb.test(timeout_time=400, timeout_unit="us")
async def registers_and_interrupts(dut):
    rc, card, d = await bench(dut)
    assert await d.read(0) & 0xffffffff == 0x5043534c
    model = bytearray(random.randbytes(0x100))
    await d.bar.write(0x8000, bytes(model))
    for _ in range(40):
        n = random.randint(1, 8)
        at = random.randrange(0x100 - n)
        data = random.randbytes(n)
        await d.bar.write(0x8000 + at, data)
        model[at:at + n] = data
        at = random.randrange(0x100 - 8)
        n = random.randint(1, 4)
        assert await d.bar.read(0x8000 + at, n) == model[at:at + n]
        at &= ~3
        assert await d.bar.read(0x8000 + at, 8) == model[at:at + 8]
    for bad in (0x4000, 0x8000):
        card.user_stuck = True
        try:
            await d.bar.read(bad, 4)
            assert False, "answered"
        except Exception as e:
            assert "Unsuccessful" in str(e), e
        card.user_stuck = False
        await Timer(1, "us")
    assert await d.bar.read(0x8000, 8) == model[0:8]
    vectors = rc.msi_alloc_vectors(4)
    hits = []

    async def hit():
        hits.append(1)
    vectors[3].cb.append(hit)
    await d.msix(vectors)
    await d.read(0)
    await RisingEdge(dut.user_clk_i)
    dut.user_irq_i.value = 8
    await RisingEdge(dut.user_clk_i)
    dut.user_irq_i.value = 0
    await Timer(1, "us")
    assert hits == [1]


@cocotb.test(timeout_time=1500, timeout_unit="us")
async def moves_data_both_ways(dut):
    """Any address and length, low and high memory, held back on every stream."""
    rc, card, d = await bench(dut, mps=random.choice([0, 1, 2]), mrrs=random.choice([0, 2, 3]))
    rc.split_on_all_rcb = True
    addr, mem = rc.alloc_region(0x10000)
    for rate in (0.0, 0.3):
        card.pauses(rate)
        card.slow(rate)
        for size, offset in [(64, 0), (1, 3), (4096, 0), (257, 1), (5000, 4093), (130, 126), (2, 2), (12, 4), (20, 8)]:
            data = random.randbytes(size)
            mem[offset:offset + size] = data
            card.command("h2c", addr + offset, size, ident=size)
            got, error = await card.h2c.frame()
            assert got == data and not error, (size, offset)
            assert (await card.done("h2c"))["id"] == size
            data = random.randbytes(size)
            card.c2h.put(frame_beats(data, card.width))
            card.command("c2h", addr + 0x8000 + offset, size)
            done = await card.done("c2h")
            assert done["len"] == size and done["cause"] == 0
            await Timer(1, "us")
            assert mem[0x8000 + offset:0x8000 + offset + size] == data, (size, offset)


@cocotb.test(timeout_time=1500, timeout_unit="us")
async def rings_and_window(dut):
    """Descriptor rings in both directions at once, while the host writes the window."""
    rc, card, d = await bench(dut)
    rings = [Ring(d, 0, log2=5), Ring(d, 1, log2=5)]
    for r in rings:
        await r.open(count=4, time=500)
    addr, mem = rc.alloc_region(0x20000)
    mem[0:0x8000] = src = random.randbytes(0x8000)
    back = [random.randbytes(random.choice([3, 64, 900, 1500])) for _ in range(16)]
    for f in back:
        card.c2h.put(frame_beats(f, card.width))
    await rings[1].post([(addr + 0x10000 + 0x800 * i + i, len(f), 1, 1, 0, i) for i, f in enumerate(back)])
    take = [(random.randrange(0x7000), random.choice([1, 64, 777, 2000])) for _ in range(16)]
    await rings[0].post([(addr + a, n, 1, 1, 0, i) for i, (a, n) in enumerate(take)])
    poured = random.randbytes(3000)
    await rc.mem_write(d.win + 5, poured[:2000])
    await rc.mem_write(d.win + 0x80000 + 2005, poured[2000:2100])
    for a, n in take:
        got, error = await card.h2c.frame()
        assert got == src[a:a + n] and not error
    for r in rings:
        done = 0
        while done < 16:
            rec = await r.record()
            assert rec["regular"], rec
            done += rec["count"]
    for i, f in enumerate(back):
        at = 0x10000 + 0x800 * i + i
        assert mem[at:at + len(f)] == f
    got, error = await card.win.frame()
    assert got == poured[:2100] and not error
    if hasattr(card, "block") and card.width == 128:
        assert card.block.straddled > 10, card.block.straddled


@cocotb.test(timeout_time=1500, timeout_unit="us", skip=os.environ.get("TOP") != "ls_top_7s")
async def faults_through_the_block(dut):
    rc, card, d = await bench(dut)
    addr, mem = rc.alloc_region(0x1000)
    state = dict(left=1)

    def ca(t):
        if not state["left"]:
            return t
        state["left"] = 0
        c = Tlp.create_ca_completion_for_tlp(t, t.completer_id)
        c.requester_id, c.tag, c.byte_count = t.requester_id, t.tag, t.byte_count
        return c
    card.block.damage = ca
    card.command("h2c", addr, 64)
    assert (await card.done("h2c"))["cause"] == 3
    assert (await card.h2c.frame())[1] == 1
    card.command("h2c", addr, 64)
    assert (await card.done("h2c"))["cause"] == 0
    assert (await card.h2c.frame()) == (mem[0:64], 0)


@cocotb.test(timeout_time=1500, timeout_unit="us", skip=os.environ.get("TOP") != "ls_top_7s" or TWO)
async def reaches_the_ceiling_of_the_block(dut):
    """A write of MPS is header and payload in whole beats, back to back."""
    rc, card, d = await bench(dut, mps=1)
    addr, mem = rc.alloc_region(0x10000)
    card.block.tx_room = 1000
    total = 0x4000
    card.c2h.put(frame_beats(random.randbytes(total), card.width))
    await Timer(300, "ns")
    b = card.block
    b.beats, b.payload, b.window = 0, 0, [None, 0]
    card.command("c2h", addr, total)
    await card.done("c2h")
    await Timer(200, "ns")
    dws = card.width // 32
    per_tlp = -(-(3 + 64) // dws)                # header of 3 DWs and 256 bytes
    ceiling = 256 / (per_tlp * card.width // 8)
    got = b.payload / ((b.window[1] - b.window[0] + 1) * card.width // 8)
    print(f"ceiling {ceiling:.4f} reached {got:.4f}", flush=True)
    assert b.payload == total and got >= 0.99 * ceiling, (got, ceiling)
