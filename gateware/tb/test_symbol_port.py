# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does a MAC train through the symbol port, with a client at its other end that sends its own symbols back?"""

import subprocess
import sys
from pathlib import Path

import cocotb

from lanescope_symbols import port as p
from symbol_bridge import Bridge
from test_mac import STATES

PROJECT = Path(__file__).resolve().parents[2]
CLIENT = [sys.executable, str(PROJECT / "examples/symbol-port/loopback.py")]


async def bridged(dut, every=1 << 30):
    """The MAC in reset, with the client; `.client` is to end with status 0."""
    for name in ("clk_i", "rx_clk_i", "rst_ni", "rx_rst_ni", "rx_data_i", "rx_data_k_i", "rx_valid_i", "rx_status_i", "phy_status_i", "tx_valid_i", "tx_word_i",
                 "tx_last_i", "tx_dllp_i", "tx_null_i", "retrain_i"):
        getattr(dut, name).value = 0
    dut.rx_elec_idle_i.value = 1
    with p.listener("127.0.0.1:0") as server:
        server.settimeout(20)
        client = subprocess.Popen([*CLIENT, "connect", "127.0.0.1:%d" % server.getsockname()[1]], env={"PYTHONPATH": str(PROJECT / "python/symbols")})
        bridge = Bridge(dut, p.accept(server, p.MAC, 1, 2), every)
    bridge.client = client
    for _ in range(4):
        await bridge.step()
    dut.rst_ni.value = dut.rx_rst_ni.value = 1
    return bridge


async def trains(dut, every):
    bridge, states = await bridged(dut, every), []
    for _ in range(4000):
        await bridge.step()
        state = STATES[int(dut.state_o.value)]
        if not states or states[-1] != state:
            states.append(state)
        if state == "L0":
            break
    assert states == STATES[:11], states
    for _ in range(2 * max(every % (1 << 30), 500)):    # and stays there
        await bridge.step()
        assert STATES[int(dut.state_o.value)] == "L0" and not int(dut.error_o.value)
    bridge.port.close()
    assert bridge.client.wait(20) == 0


@cocotb.test()
async def a_root_trains_with_itself(dut):
    await trains(dut, 1 << 30)


@cocotb.test()
async def clocks_that_are_left_out_lose_nothing(dut):
    """The client's clock is the MAC's, so that what comes back has as many as the MAC, later."""
    await trains(dut, 100)
