# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""MSI as a block makes it: the message, and what the UltraScale+ block's model lacks (a refusal, the time it
takes, masks). Messages go a way of their own, past whatever waits on RQ."""

import random

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.pcie.core.caps import MsiCapability
from cocotbext.pcie.core.tlp import Tlp, TlpType

from clocked import EDGE, Shown, clocked, high, number


def msi_capability():
    """All that the engine can make use of."""
    cap = MsiCapability()
    cap.msi_64bit_address_capable = cap.msi_per_vector_mask_capable = 1
    cap.msi_multiple_message_capable = 5
    return cap


def message(function, number):
    """The write that an MSI is."""
    cap, tlp = function.msi_cap, Tlp()
    assert number >> cap.msi_multiple_message_enable == 0, "a vector that the host has not granted"
    tlp.fmt_type = TlpType.MEM_WRITE_64 if cap.msi_message_address >> 32 else TlpType.MEM_WRITE
    tlp.requester_id, tlp.address, tlp.length = function.pcie_id, cap.msi_message_address, 1
    tlp.first_be, tlp.last_be = 0xf, 0
    low = (1 << cap.msi_multiple_message_enable) - 1
    tlp.data = bytearray((cap.msi_message_data & ~low | number).to_bytes(4, "little"))
    return tlp


def allowed(function):
    return bool(function.msi_cap.msi_enable and function.bus_master_enable)


class UspMsi:
    """The ports `cfg_interrupt_msi_*` of `dut`, of function 0."""

    def __init__(self, dut, clock, function):
        self.dut, self.clock, self.function = dut, clock, function
        self.most, self.fails = 20, 0.0     # cycles until the answer; share of what fails
        self.asked = self.refused = 0
        clocked(clock, self._tell())
        cocotb.start_soon(self._serve())

    async def _tell(self):
        dut, cap = self.dut, self.function.msi_cap
        enable, granted, mask = map(Shown, (dut.cfg_interrupt_msi_enable, dut.cfg_interrupt_msi_mmenable, dut.cfg_interrupt_msi_data))
        runs, select, pends = high(dut.rst_ni), number(dut.cfg_interrupt_msi_select), high(dut.cfg_interrupt_msi_pending_status_data_enable)
        while True:
            enable(int(cap.msi_enable))
            granted(cap.msi_multiple_message_enable)
            assert select() == 0 or not runs()
            mask(cap.msi_mask_bits)
            await EDGE
            if runs() and pends():
                cap.msi_pending_bits = int(dut.cfg_interrupt_msi_pending_status.value)

    async def _serve(self):
        dut, edge = self.dut, RisingEdge(self.clock)
        dut.cfg_interrupt_msi_sent.value = dut.cfg_interrupt_msi_fail.value = 0
        while True:
            await edge
            asked = int(dut.cfg_interrupt_msi_int.value) if dut.rst_ni.value == 1 else 0
            if not asked:
                continue
            assert asked.bit_count() == 1, f"cfg_interrupt_msi_int {asked:x}"
            assert int(dut.cfg_interrupt_msi_function_number.value) == 0
            self.asked += 1
            for _ in range(random.randrange(self.most)):
                await edge
                assert int(dut.cfg_interrupt_msi_int.value) == 0, "a second before the answer to the first"
            good = allowed(self.function) and random.random() >= self.fails
            self.refused += not good
            if good:
                await self.function.upstream_send(message(self.function, asked.bit_length() - 1))
            done = dut.cfg_interrupt_msi_sent if good else dut.cfg_interrupt_msi_fail
            done.value = 1
            await edge
            done.value = 0
            assert int(dut.cfg_interrupt_msi_int.value) == 0, "a second before the answer to the first"


class SevenSeriesMsi:
    """The ports `cfg_interrupt*` of the 7-series block; `put` takes a TLP that the block itself sends. They enter
    its transmit buffers between those of the user, as its own completions do."""

    def __init__(self, dut, clock, function, put):
        self.dut, self.clock, self.function, self.put = dut, clock, function, put
        self.most = 20
        self.asked = self.refused = 0
        clocked(clock, self._tell())
        clocked(clock, self._serve())

    async def _tell(self):
        cap = self.function.msi_cap
        enable, granted = Shown(self.dut.cfg_interrupt_msienable), Shown(self.dut.cfg_interrupt_mmenable)
        while True:
            enable(int(cap.msi_enable))
            granted(cap.msi_multiple_message_enable)
            await EDGE

    async def _serve(self):
        dut, asks, runs = self.dut, high(self.dut.cfg_interrupt), high(self.dut.rst_ni)
        dut.cfg_interrupt_rdy.value = 0
        while True:
            await EDGE
            if not runs() or not asks():
                continue
            number = int(dut.cfg_interrupt_di.value)
            self.asked += 1
            for _ in range(random.randrange(self.most)):
                await EDGE
                assert dut.cfg_interrupt.value == 1 and int(dut.cfg_interrupt_di.value) == number, "withdrawn"
            if allowed(self.function):          # else it is taken for an INTx
                self.put(message(self.function, number))
            else:
                self.refused += 1
            dut.cfg_interrupt_rdy.value = 1
            await EDGE
            dut.cfg_interrupt_rdy.value = 0
            await EDGE
