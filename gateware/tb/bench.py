# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""A host, and one card or two: the bare engine or the engine behind a vendor's block, by what ports
the top has. The tests are the same for all of them."""

import logging
import os
import random

from cocotb.triggers import Timer
from cocotbext.pcie.core import RootComplex

from card import Card
from driver import Driver

SEED = int(os.environ.get("SEED", "1"))


def make(dut):
    if hasattr(dut, "s_axis_rq_tdata"):
        from vendor import UspCard
        return UspCard(dut)
    if hasattr(dut, "s_axis_tx_tdata"):
        from vendor import SevenSeriesCard
        return SevenSeriesCard(dut)
    if hasattr(dut, "tlp_word_o"):
        from core_card import CoreCard
        return CoreCard(dut)
    return Card(dut)


async def bench(dut, mps=1, mrrs=2, ext_tag=True):
    """Reset, enumerate, and set what firmware would set; MPS and MRRS as Device Control encodes them."""
    random.seed(SEED)
    rc, card = host(), make(dut)
    rc.make_port().connect(card.device)
    driver, = await settle(rc, card, mps=mps, mrrs=mrrs, ext_tag=ext_tag)
    return rc, card, driver


def host():
    logging.getLogger("cocotb.pcie").setLevel(logging.ERROR)
    rc = RootComplex()
    rc.log.setLevel(logging.ERROR)
    return rc


async def settle(rc, *cards, mps=None, mrrs=None, ext_tag=True):
    for card in cards:
        card.reset(0)
    cards[0].start()
    await Timer(60, "ns")
    for card in cards:
        card.forget()
        card.reset(1)
    await Timer(60, "ns")
    await rc.enumerate()
    drivers = []
    for card in cards:
        settings(rc, card, mps, mrrs, ext_tag)
        drivers.append(Driver(rc, card))
        await drivers[-1].start()
    await Timer(100, "ns")              # the block has told the engine
    return drivers


def settings(rc, card, mps=None, mrrs=None, ext_tag=True):
    cap = card.function.pcie_cap
    cap.extended_tag_field_enable = ext_tag
    if mps is not None:
        cap.max_payload_size = rc.max_payload_size = mps
    if mrrs is not None:
        cap.max_read_request_size = mrrs


def memory(rc, size, high=False):
    """Host memory: (bus address, bytes), below 4 GiB or above."""
    if not high:
        return rc.alloc_region(size)
    pool = rc.mem_address_space.create_pool(0x10_0000_0000, 0x1_0000_0000)
    region = pool.alloc_region(size)
    return region.get_absolute_address(0), region.mem
