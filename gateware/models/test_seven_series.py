# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does the model of the 7-series block speak as the block does? No gateware is involved."""

import logging
import random
import struct

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.pcie.core import RootComplex

from seven_series import SevenSeriesBlock


async def bench(dut, straddle=True):
    logging.getLogger("cocotb.pcie").setLevel(logging.ERROR)
    random.seed(1)
    cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
    dut.tx_tvalid_i.value = 0
    dut.rx_tready_i.value = 1
    block = SevenSeriesBlock(dut, dut.clk_i, straddle)
    block.function.configure_bar(0, 0x1000)
    block.function.configure_bar(2, 0x1000)
    rc = RootComplex()
    rc.log.setLevel(logging.ERROR)
    rc.make_port().connect(block.device)
    await rc.enumerate()
    dev = rc.find_device(block.function.pcie_id)
    await dev.enable_device()
    await dev.set_master()
    beats = []

    async def watch():
        while True:
            await RisingEdge(dut.clk_i)
            if dut.m_axis_rx_tvalid.value == 1 and dut.rx_tready_i.value == 1:
                beats.append((int(dut.m_axis_rx_tdata.value), int(dut.m_axis_rx_tkeep.value),
                              int(dut.m_axis_rx_tlast.value), int(dut.m_axis_rx_tuser.value)))
    cocotb.start_soon(watch())
    return rc, block, dev, beats


def unpack(beats, width):
    """TLPs as lists of DWs with their BAR hits, by the rules of the block's receive interface."""
    out, open_ = [], None
    for data, keep, last, user in beats:
        dws = [data >> (32 * i) & 0xffffffff for i in range(width // 32)]
        if width == 64:
            if open_ is None:
                open_ = ([], user >> 2 & 0xff)
            open_[0].extend(dws[:keep.bit_count() // 4])
            if last:
                out.append(open_)
                open_ = None
            continue
        end = (user >> 19 & 3) + 1 if user >> 21 & 1 else 4
        begin = (2 if user >> 13 & 1 else 0) if user >> 14 & 1 else None
        if open_ is not None:
            open_[0].extend(dws[:end])
            if user >> 21 & 1:
                out.append(open_)
                open_ = None
        if begin is not None:
            assert open_ is None, "a TLP begins inside another"
            stop = end if begin == 0 else 4
            open_ = (dws[begin:stop], user >> 2 & 0xff)
            if begin == 0 and user >> 21 & 1:
                out.append(open_)
                open_ = None
    assert open_ is None
    return out


@cocotb.test(timeout_time=100, timeout_unit="us")
async def received_writes_are_whole(dut):
    rc, block, dev, beats = await bench(dut)
    width, sent = len(dut.m_axis_rx_tdata), []
    for i in range(40):
        bar, at, data = random.choice([0, 2]), random.randrange(0, 0x800, 4), random.randbytes(4 * random.randint(1, 20))
        await rc.mem_write(dev.bar_addr[bar] + at, data)
        sent.append((bar, dev.bar_addr[bar] + at, data))
    await Timer(10, "us")
    got = unpack(beats, width)
    assert len(got) == len(sent)
    for (dws, bars), (bar, addr, data) in zip(got, sent):
        assert bars == 1 << bar and dws[0] >> 24 == 0x40 and dws[2] == addr
        assert dws[0] & 0x3ff == len(data) // 4
        assert b"".join(struct.pack(">I", d) for d in dws[3:]) == data
    straddled = sum(u >> 13 & 1 and u >> 14 & 1 for _, _, _, u in beats)
    assert (straddled > 0) == (width == 128), straddled


@cocotb.test(timeout_time=100, timeout_unit="us")
async def straddling_can_be_switched_off(dut):
    rc, block, dev, beats = await bench(dut, straddle=False)
    for i in range(20):
        await rc.mem_write(dev.bar_addr[0], random.randbytes(4 * random.randint(1, 20)))
    await Timer(10, "us")
    assert len(unpack(beats, len(dut.m_axis_rx_tdata))) == 20
    assert not any(u >> 13 & 1 for _, _, _, u in beats)


@cocotb.test(timeout_time=100, timeout_unit="us")
async def transmitted_writes_arrive(dut):
    rc, block, dev, beats = await bench(dut)
    addr, mem = rc.alloc_region(0x1000)
    data = random.randbytes(52)
    own = block.function.pcie_id
    dws = [0x40000000 | 13, int(own) << 16 | 0xff, addr + 8] + list(struct.unpack(">13I", data))
    step = len(dut.tx_tdata_i) // 32
    for at in range(0, len(dws), step):
        piece = dws[at:at + step]
        dut.tx_tdata_i.value = sum(d << (32 * i) for i, d in enumerate(piece))
        dut.tx_tkeep_i.value = (1 << 4 * len(piece)) - 1
        dut.tx_tlast_i.value = int(at + step >= len(dws))
        dut.tx_tvalid_i.value = 1
        await RisingEdge(dut.clk_i)
        while dut.tx_tready_o.value != 1:
            await RisingEdge(dut.clk_i)
    dut.tx_tvalid_i.value = 0
    await Timer(1, "us")
    assert mem[8:60] == data


@cocotb.test(timeout_time=100, timeout_unit="us", expect_error=AssertionError)
async def a_foreign_requester_is_refused(dut):
    rc, block, dev, beats = await bench(dut)
    block._take([0x40000001, 0x1234000f, 0x1000, 0])
