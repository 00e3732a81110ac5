# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""A board's whole top, with a model of the vendor's block in the place of the block."""

import logging
import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiStreamBus
from cocotbext.pcie.xilinx.us import UltraScalePlusPcieDevice

from bench import SEED, host, settings
from driver import Driver, Ring
from first_transfer import BUFFER, RECORDS, SINK, SOURCE, has_record, transfer
from link import Link
from seven_series import SevenSeriesBlock

SEVEN = os.environ.get("TOP") == "ls_board_7s"


class Seven:
    """The 7-series block: what it does with PERST# and its user reset is done here."""

    def __init__(self, dut):
        self.dut, u = dut, dut.u_block
        cocotb.start_soon(Clock(u.user_clk_out, 8, "ns").start())
        self.clock, self.block = u.user_clk_out, SevenSeriesBlock(u, u.user_clk_out)
        self.device, self.function = self.block.device, self.block.function
        self.device.log.setLevel(logging.CRITICAL)
        cocotb.start_soon(self._resets())

    async def _resets(self):
        u = self.dut.u_block
        u.user_reset_out.value, u.user_lnk_up.value = 1, 0
        while True:
            await RisingEdge(u.user_clk_out)
            up = int(u.sys_rst_n.value)
            u.user_reset_out.value, u.user_lnk_up.value = not up, up


class Usp:
    """The UltraScale+ block, resets and Configuration Management included."""

    def __init__(self, dut):
        self.dut, u = dut, dut.u_block
        self.clock = u.user_clk
        one = ("user_clk", "user_reset", "user_lnk_up", "sys_reset", "cfg_max_payload", "cfg_max_read_req",
               "cfg_function_status", "cfg_mgmt_addr", "cfg_mgmt_function_number", "cfg_mgmt_write",
               "cfg_mgmt_write_data", "cfg_mgmt_byte_enable", "cfg_mgmt_read", "cfg_mgmt_read_data",
               "cfg_mgmt_read_write_done", "cfg_interrupt_msix_enable", "cfg_interrupt_msix_mask", "pcie_cq_np_req")
        width = len(u.s_axis_rq_tdata)
        two, four = width >= 256, width == 512
        self.device = UltraScalePlusPcieDevice(
            rc_straddle=two, rc_4tlp_straddle=four, rq_straddle=four, cq_straddle=four, cc_straddle=False,
            pcie_generation=3, pcie_link_width=len(u.pci_exp_rxp), user_clk_frequency=250e6 if len(u.pci_exp_rxp) > 4 else 125e6,
            alignment="dword", pf0_msix_enable=True, pf0_msix_table_size=3, pf0_msix_table_offset=0x1000,
            pf0_msix_pba_offset=0x1080, enable_extended_tag=True, max_payload_size=512,
            **{f"{s}_bus": self.bus(u, s) for s in ("rq", "rc", "cq", "cc")},
            **{name: getattr(u, name) for name in one})
        for log in (self.device, self.device.rq_sink, self.device.rc_source, self.device.cq_source, self.device.cc_sink):
            log.log.setLevel(logging.CRITICAL)
        self.function = self.device.functions[0]
        u.cfg_function_power_state.value = 1            # D0 active


    @staticmethod
    def bus(u, name):
        """A stream; of `tready` towards the block there are four copies, which the stub makes of one."""
        side = "m" if name in ("rc", "cq") else "s"
        bus = AxiStreamBus.from_prefix(u, f"{side}_axis_{name}")
        if side == "s":
            bus.tready = getattr(u, f"s_axis_{name}_tready_one")
        return bus


async def board(dut, ext_tag=True):
    random.seed(SEED)
    rc, card = host(), (Seven if SEVEN else Usp)(dut)
    card.link = Link(card.device, card.clock)
    card.function.configure_bar(0, 0x10000)
    card.function.configure_bar(2, 0x100000)
    rc.make_port().connect(card.device)
    dut.perst_ni.value = 0
    await Timer(200, "ns")
    assert not int(dut.led_o.value) & 1, "the link is up in reset"
    dut.perst_ni.value = 1
    await Timer(500, "ns")
    await rc.enumerate()
    settings(rc, card, 1, 2, ext_tag)
    card.function.msix_cap.msix_table_size = 3
    driver = Driver(rc, card)
    await driver.start()
    await Timer(10, "us")           # longer than ls_usp_ext_tag waits
    return rc, card, driver


async def first(d, addr, mem, length):
    """boards/first_transfer.py"""
    mem[RECORDS:RECORDS + 16] = bytes(16)
    mem[SOURCE:SOURCE + length] = src = random.randbytes(length)
    steps, answer = transfer(addr, length), None
    try:
        while True:
            what, *args = steps.send(answer)
            if what == "load":
                answer = await d.read(*args)
            elif what == "store":
                answer = await d.write(*args)
            else:
                while not has_record(mem):
                    await Timer(1, "us")
                answer = bytes(mem[RECORDS:RECORDS + 16])
    except StopIteration as end:
        assert end.value == length
    assert mem[SINK:SINK + length] == src, length


@cocotb.test(timeout_time=500, timeout_unit="us")
async def the_first_transfer_comes_back(dut):
    rc, card, d = await board(dut)
    assert int(dut.led_o.value) & 1, "no LED"
    addr, mem = rc.alloc_region(BUFFER)
    for length in (64, 5000, 16384):
        await first(d, addr, mem, length)


@cocotb.test(timeout_time=500, timeout_unit="us")
async def perst_in_the_middle_leaves_a_card_that_works(dut):
    rc, card, d = await board(dut)
    addr, mem = rc.alloc_region(BUFFER)
    await first(d, addr, mem, 1000)
    await d.write(0x210, 0x5000)
    assert await d.read(0x210) == 0x5000
    dut.perst_ni.value = 0
    await Timer(500, "ns")
    assert not int(dut.led_o.value) & 1
    dut.perst_ni.value = 1
    await Timer(10, "us")
    assert await d.read(0x200) == 0 and await d.read(0x240) >> 32 == 0      # control, descriptors done
    await first(d, addr, mem, 1000)


@cocotb.test(timeout_time=500, timeout_unit="us")
async def records_and_interrupts_come(dut):
    rc, card, d = await board(dut)
    hits = await d.interrupts()
    card.function.msix_cap.msix_enable = False
    await Timer(1, "us")
    ring = Ring(d, 0, log2=5)
    await ring.open(count=1, time=50, vector=2)
    addr, mem = rc.alloc_region(0x1000)
    await ring.post([(addr, 0, 1, 1, 1, 7)])                 # of no length: its cause is 5, and nothing moves
    rec = await ring.record()
    assert rec["cause"] == 5 and rec["ident"] == 7, rec
    await Timer(3, "us")
    assert hits == [0] * 4, "an interrupt while MSI-X is off"
    card.function.msix_cap.msix_enable = True
    await Timer(3, "us")
    assert hits == [0, 0, 1, 0], hits


async def fetch(dut, ext_tag):
    """The tags of what the card asks for when it fetches a descriptor."""
    rc, card, d = await board(dut, ext_tag)
    link = Link(card.device, card.clock)
    ring = Ring(d, 0, log2=5)
    await ring.open(count=1, time=50)
    addr, _ = rc.alloc_region(0x1000)
    await ring.post([(addr, 0, 1, 1, 0, 0)])
    await ring.record()
    return {t.tag for t in link.sent if not t.is_completion() and not t.has_data()}


@cocotb.test(timeout_time=500, timeout_unit="us")
async def tags_have_five_bits_where_the_host_allows_no_more(dut):
    tags = await fetch(dut, False)
    assert tags and max(tags) < 32, tags


@cocotb.test(timeout_time=500, timeout_unit="us")
async def tags_have_eight_bits_where_the_host_allows_them(dut):
    tags = await fetch(dut, True)
    assert tags and min(tags) > 31, tags


@cocotb.test(timeout_time=500, timeout_unit="us")
async def nothing_is_asked_for_while_bus_mastering_is_off(dut):
    rc, card, d = await board(dut)
    card.function.bus_master_enable = False
    await Timer(2, "us")
    link = Link(card.device, card.clock)
    ring = Ring(d, 0, log2=5)
    await ring.open(count=1, time=50)
    addr, _ = rc.alloc_region(0x1000)
    await ring.post([(addr, 0, 1, 1, 0, 0)])
    await Timer(5, "us")
    assert not [t for t in link.sent if not t.is_completion()]
    card.function.bus_master_enable = True
    assert (await ring.record())["cause"] == 5


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def a_card_without_the_engine_is_told_in_the_first_transfer(dut):
    steps = transfer(0x1000, 64)
    assert next(steps) == ("load", 0)
    try:
        steps.send(0xffffffffffffffff)      # what a load reads where nothing answers
    except OSError as e:
        assert "no engine" in str(e)
    else:
        raise AssertionError("taken for the engine")
