# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does every state of the LTSSM that has a time leave by it, at that time, for Detect? The line is taken away from both ends of a pair at each state
of each end; what is on its way still arrives, so that a state that would go on by it is met by an earlier cut."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from clocked import number
from test_mac import STATES, TRAINING

MS = 100        # clocks of a millisecond, as the bench sets it
TIMES = {"PollActive": 24, "PollConfig": 48, "WidthStart": 24, "WidthAccept": 2, "NumWait": 2, "CfgComplete": 2, "CfgIdle": 2,
         "RcvrLock": 24, "RcvrCfg": 48, "RcvrIdle": 2}
INPUTS = ("flip_i", "hit_i", "swap_i", "cut_i", "odd_i", "retrain_i", "tx_valid_i", "tx_word_i", "tx_last_i", "tx_dllp_i", "tx_null_i")


class Run:
    """From reset to L0 and through Recovery; at clock `cut` both lines are gone."""

    def __init__(self, dut, cut=1 << 30):
        self.dut, self.cut = dut, cut

    async def go(self, clocks):
        """For each end: (state, clock at which it was entered), in turn."""
        dut, state = self.dut, number(self.dut.state_o)
        for name in (*INPUTS, "rst_ni"):
            getattr(dut, name).value = 0
        await FallingEdge(dut.clk0_i)
        await FallingEdge(dut.clk0_i)
        dut.rst_ni.value = 1
        entered, retrained = [[], []], False
        for clock in range(clocks):
            await FallingEdge(dut.clk0_i)
            both = state()
            for n in (0, 1):
                name = STATES[both >> 5 * n & 31]
                if not entered[n] or entered[n][-1][0] != name:
                    entered[n].append((name, clock))
            if clock == self.cut:
                dut.cut_i.value = 3
            if not retrained and all(one[-1][0] == "L0" and clock > one[-1][1] + 50 for one in entered):
                dut.retrain_i.value, retrained = 1, True
            elif retrained and both & 31 != STATES.index("L0"):
                dut.retrain_i.value = 0
            if clock > self.cut and all(one[-1][0] == "DetectQuiet" for one in entered):
                break
        return entered


@cocotb.test()
async def each_state_leaves_for_detect_in_its_time(dut):
    for clk in (dut.clk0_i, dut.clk1_i):
        cocotb.start_soon(Clock(clk, 8000, "ps").start())
    whole = await Run(dut).go(6000)
    for one in whole:
        assert [name for name, _ in one] == [*TRAINING, "RcvrLock", "RcvrCfg", "RcvrIdle", "L0"], one
    wanted = {(n, name) for n in (0, 1) for name in TIMES} - {(0, "WidthAccept")}       # which a downstream port leaves at once
    met = set()
    for n, name in sorted(wanted):
        clock = dict(whole[n])[name]
        for before in (0, 8, 16, 24, 40):
            if (n, name) in met:
                break
            entered = await Run(dut, clock - before).go(clock + 50 * MS + 200)
            for end, one in enumerate(entered):
                for (state, begun), (then, left) in zip(one, one[1:]):
                    if then == "DetectQuiet" and state in TIMES:
                        assert 0 <= left - begun - TIMES[state] * MS <= 2, (end, state, left - begun)
                        met.add((end, state))
    assert met == wanted, wanted - met

