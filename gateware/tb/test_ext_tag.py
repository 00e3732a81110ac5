# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Extended Tag Field Enable, read through the Configuration Management interface of the
UltraScale+ block of cocotbext-pcie."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge
from cocotbext.pcie.xilinx.us import UltraScalePlusPcieDevice
from cocotbext.pcie.xilinx.us.usp_model import UltraScalePlusPcieFunction

EVERY = 16      # cycles, as the bench sets it
ROUND = EVERY + 10


class Wire:
    """A port of the block that the module does not drive."""

    def __init__(self, value=0):
        self.value = value


class Management(UltraScalePlusPcieDevice):
    """Of the block its configuration space and that interface, without the streams."""

    def __init__(self, dut):
        self.user_clk, self.functions = dut.clk_i, [UltraScalePlusPcieFunction()]
        self.cfg_mgmt_addr, self.cfg_mgmt_read = dut.cfg_mgmt_addr, dut.cfg_mgmt_read
        self.cfg_mgmt_read_data, self.cfg_mgmt_read_write_done = dut.cfg_mgmt_read_data, dut.cfg_mgmt_read_write_done
        self.cfg_mgmt_function_number = self.cfg_mgmt_write = self.cfg_mgmt_write_data = Wire()
        self.cfg_mgmt_byte_enable = Wire(15)
        cocotb.start_soon(self._run_cfg_mgmt_logic())


async def block(dut):
    cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
    dut.rst_ni.value = dut.cfg_mgmt_read_write_done.value = dut.cfg_mgmt_read_data.value = 0
    await ClockCycles(dut.clk_i, 4)
    cap = Management(dut).functions[0].pcie_cap
    cap.extended_tag_supported = True
    return cap


@cocotb.test(timeout_time=100, timeout_unit="us")
async def it_is_off_until_it_was_read(dut):
    cap = await block(dut)
    cap.extended_tag_field_enable = True
    dut.rst_ni.value = 1
    reads = 0
    while not int(dut.ext_tag_o.value):
        await RisingEdge(dut.clk_i)
        reads += int(dut.cfg_mgmt_read_write_done.value)
    assert reads == 1


@cocotb.test(timeout_time=100, timeout_unit="us")
async def it_follows_the_host_both_ways(dut):
    cap = await block(dut)
    dut.rst_ni.value = 1
    for want in (False, True, False, True, True, False):
        cap.extended_tag_field_enable = want
        # Every other bit of Device Control: none of them may be taken for it.
        cap.max_payload_size = cap.max_read_request_size = 0 if want else 7
        cap.no_snoop_enable = cap.relaxed_ordering_enable = cap.phantom_functions_enable = not want
        await ClockCycles(dut.clk_i, 2 * ROUND)
        assert int(dut.ext_tag_o.value) == want


@cocotb.test(timeout_time=100, timeout_unit="us")
async def a_reset_turns_it_off(dut):
    cap = await block(dut)
    cap.extended_tag_field_enable = True
    dut.rst_ni.value = 1
    await ClockCycles(dut.clk_i, 2 * ROUND)
    assert int(dut.ext_tag_o.value) == 1
    dut.rst_ni.value = 0
    await ClockCycles(dut.clk_i, 2)
    assert int(dut.ext_tag_o.value) == 0 and int(dut.cfg_mgmt_read.value) == 0


@cocotb.test(timeout_time=100, timeout_unit="us")
async def a_read_stands_until_it_is_done(dut):
    await block(dut)
    dut.rst_ni.value = 1
    before = done = reads = 0
    for _ in range(20 * ROUND):
        await RisingEdge(dut.clk_i)
        read = int(dut.cfg_mgmt_read.value)
        assert read or not before or done, "taken back"
        reads += read and not before
        before, done = read, int(dut.cfg_mgmt_read_write_done.value)
        assert int(dut.cfg_mgmt_addr.value) == 0x78 // 4
    assert reads >= 15
