# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""A MAC of the bench at the symbol port (docs/symbol-port.md): its PIPE as the frames of side MAC, a step a clock. What arrives in a
step in which the other side has no clock is not clocked in."""

from cocotb.triggers import Timer

from lanescope_symbols import port as p


class Bridge:
    """`dut` is an ls_mac whose clocks the bridge drives; a clock of the MAC is left out in one of `every` steps."""

    def __init__(self, dut, port, every=1 << 30):
        self.dut, self.port, self.every, self.steps = dut, port, every, 0

    def said(self):
        dut = self.dut
        wires = p.wires(int(dut.power_down_o.value), int(dut.rate_o.value), bool(int(dut.tx_detect_rx_o.value)), bool(int(dut.tx_elec_idle_o.value)),
                        bool(int(dut.tx_compliance_o.value)), bool(int(dut.rx_polarity_o.value)))
        data, k = int(dut.tx_data_o.value), int(dut.tx_data_k_o.value)
        symbols = [data & 0xFF | (k & 1) << 8, data >> 8 | k >> 1 << 8]
        return p.Lane(wires, [0, 0] if wires & p.ELEC_IDLE else symbols)

    def heard(self, lane):
        dut, symbols = self.dut, lane.symbols
        dut.rx_data_i.value = symbols[0] & 0xFF | (symbols[1] & 0xFF) << 8
        dut.rx_data_k_i.value = symbols[0] >> 8 | symbols[1] >> 8 << 1
        dut.rx_valid_i.value, dut.rx_elec_idle_i.value = int(bool(lane.wires & p.RX_VALID)), int(bool(lane.wires & p.ELEC_IDLE))
        dut.rx_status_i.value, dut.phy_status_i.value = lane.wires & p.RX_STATUS, int(bool(lane.wires & p.PHY_STATUS))

    async def step(self):
        """One step: frames are exchanged, then each clock that there is rises and falls."""
        dut, mine = self.dut, self.steps % self.every != self.every - 1
        self.steps += 1
        told = self.port.step(p.Frame([self.said()], reset=not int(dut.rst_ni.value)) if mine else p.NO_CLOCK)
        if told.lanes is not None:
            self.heard(told.lanes[0])
        await Timer(4, "ns")
        dut.clk_i.value, dut.rx_clk_i.value = int(mine), int(told.lanes is not None)
        await Timer(4, "ns")
        dut.clk_i.value = dut.rx_clk_i.value = 0
