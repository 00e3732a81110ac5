# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Each rule of ls_axi_check is broken once, and nothing else is said; legal bursts say nothing."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from tlpbits import pack

OUT = [("aw_valid", 1), ("aw_addr", 32), ("aw_len", 8), ("w_valid", 1), ("w_last", 1), ("b_ready", 1), ("ar_valid", 1),
       ("ar_addr", 32), ("ar_len", 8), ("r_ready", 1)]
IN = [("aw_ready", 1), ("w_ready", 1), ("b_valid", 1), ("b_resp", 2), ("ar_ready", 1), ("r_valid", 1), ("r_last", 1),
      ("r_resp", 2)]
RULES = ["AwMoves", "WMoves", "ArMoves", "Page", "Early", "Last", "Strobes", "Waits", "Answer", "Reset"]
WAIT = 8        # as the bench has it


@cocotb.test(timeout_time=100, timeout_unit="us")
async def each_rule_finds_what_breaks_it(dut):
    cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())

    async def said(*cycles):
        """What was said in these cycles after a reset: (master, memory's ready, data, strobes) each."""
        dut.here_i.value = 1
        dut.rst_ni.value = dut.mm_i.value = dut.mm_o.value = dut.wdata_i.value = dut.wstrb_i.value = 0
        for _ in range(2):
            await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        bad = 0
        for out, ready, data, strobes, *more in cycles:
            dut.mm_o.value = pack(OUT, dict(out, b_ready=1))
            dut.mm_i.value = pack(IN, dict(dict(aw_ready=ready, w_ready=ready, ar_ready=ready), **dict(*more)))
            dut.wdata_i.value, dut.wstrb_i.value = data, strobes
            await FallingEdge(dut.clk_i)
            bad |= int(dut.bad_o.value)
            await RisingEdge(dut.clk_i)
        return [n for i, n in enumerate(RULES) if bad >> i & 1]
    aw = dict(aw_valid=1, aw_addr=0x1000, aw_len=1)
    w, last = dict(w_valid=1), dict(w_valid=1, w_last=1)
    w_ready, answer = dict(w_ready=1), ({}, 0, 0, 0, dict(b_valid=1))
    ar = dict(ar_valid=1, ar_addr=0x2000, ar_len=3)
    assert await said((aw, 0, 0, 0), (aw, 1, 0, 0), (w, 0, 5, 255), (w, 1, 5, 255), (last, 1, 6, 15), (ar, 0, 0, 0), (ar, 1, 0, 0)) == []
    # A memory may take the data first, and then its address; nothing is answered before both.
    first = (aw, 0, 0, 0), (dict(aw, **w), 0, 5, 255, w_ready), (dict(aw, **last), 0, 6, 255, w_ready)
    assert await said(*first, (aw, 1, 0, 0), answer) == []
    assert await said(*first, (aw, 0, 0, 0, dict(b_valid=1))) == ["Answer"]
    assert await said((aw, 1, 0, 0), (w, 1, 5, 255), answer) == ["Answer"]
    assert await said(*first, (aw, 1, 0, 0), answer, answer) == ["Answer"]
    assert await said(*[(aw, 0, 0, 0)] * (WAIT + 1)) == []
    assert await said(*[(aw, 0, 0, 0)] * (WAIT + 2)) == ["Waits"]
    assert await said(*first, *[(aw, 0, 0, 0)] * 2 * WAIT) == []
    assert await said((aw, 0, 0, 0), ({}, 0, 0, 0)) == ["AwMoves"]
    assert await said((aw, 0, 0, 0), (dict(aw, aw_len=2), 0, 0, 0)) == ["AwMoves"]
    assert await said((aw, 1, 0, 0), (w, 0, 5, 255), (w, 0, 6, 255)) == ["WMoves"]
    assert await said((aw, 1, 0, 0), (w, 0, 5, 255), ({}, 0, 5, 255)) == ["WMoves"]
    assert await said((ar, 0, 0, 0), (dict(ar, ar_addr=0x2008), 0, 0, 0)) == ["ArMoves"]
    assert await said((dict(aw, aw_addr=0x1ff8), 0, 0, 0)) == ["Page"]
    assert await said((dict(ar, ar_addr=0x2fe9), 0, 0, 0)) == ["Page"]
    assert await said((dict(ar, ar_addr=0x2fe7), 0, 0, 0)) == []
    assert await said((w, 1, 0, 255)) == ["Early"]
    assert await said((aw, 1, 0, 0), (last, 1, 0, 255)) == ["Last"]
    assert await said((aw, 1, 0, 0), (w, 1, 0, 255), (w, 1, 0, 255)) == ["Last"]
    assert await said((dict(aw, aw_addr=0x1003), 1, 0, 0), (w, 1, 0, 0xfc)) == ["Strobes"]
    assert await said((dict(aw, aw_addr=0x1003), 1, 0, 0), (w, 1, 0, 0xf8), (last, 1, 0, 0xff)) == []
    for shown in ("aw_valid", "w_valid", "ar_valid"):
        await said()
        dut.rst_ni.value = 0
        await RisingEdge(dut.clk_i)
        dut.mm_o.value = pack(OUT, {shown: 1})
        await FallingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert int(dut.bad_o.value) == 1 << RULES.index("Reset")
