# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What cocotbext-pcie's UltraScale+ block lacks where it straddles, by PG213 (*Straddle Option* of RQ,
RC, CQ; the tables of `tuser` at 512 bit):

* CQ gives byte enables in the order in which TLPs begin in a beat, not by the half in which they do;
* RC and CQ show `tkeep` all ones and `tlast` 0;
* RQ has rules, and who breaks them is told (`RequestRules`, `watch_requests`).

How many beats brought the end of a TLP and the beginning of another is counted on each."""

import cocotb
from cocotb.triggers import RisingEdge
from cocotbext.pcie.xilinx.us import usp_model
from cocotbext.pcie.xilinx.us.interface import CqSource, RcSource


class StraddlingCqSource(CqSource):
    straddled = 0

    async def _drive(self, beat):
        if self.seg_count > 1:
            beat.tkeep, beat.tlast = (1 << self.byte_lanes) - 1, 0
            user = beat.tuser
            if user >> 80 & 3 == 1 and user >> 82 & 3 == 2:     # one begins, in the upper half
                self.straddled += user >> 86 & 1
                enables = (user >> 4 & 15) | (user >> 12 & 15) << 8
                user = (user & ~0xffff) | enables
            beat.tuser = user
        await super()._drive(beat)


class StraddlingRcSource(RcSource):
    straddled = 0

    async def _drive(self, beat):
        if self.seg_count > 1:
            beat.tkeep, beat.tlast = (1 << self.byte_lanes) - 1, 0
            begins, ends = (64, 76) if self.width == 512 else (32, 34)
            self.straddled += beat.tuser >> begins & beat.tuser >> ends & 1
        await super()._drive(beat)


usp_model.CqSource, usp_model.RcSource = StraddlingCqSource, StraddlingRcSource


class RequestRules:
    """Beats of RQ at 512 bit, straddling on: `beat` and `pause` raise AssertionError where a rule is broken."""

    def __init__(self):
        self.open = None        # DWs of the request that has begun
        self.straddled = self.requests = 0

    def pause(self):
        assert self.open is None, "RQ: valid falls inside a request"

    def beat(self, data, user):
        begins, ends = user >> 20 & 3, user >> 26 & 3
        assert begins != 2 and ends != 2, f"RQ: the second of one begins or ends ({begins}, {ends})"
        places = [4 * (user >> 22 + 2 * i & 3) for i in range(begins.bit_count())]
        stops = [user >> 28 + 4 * i & 15 for i in range(ends.bit_count())]
        assert all(p in (0, 8) for p in places), f"RQ: a request begins at DW {places}"
        assert self.open is not None or places[:1] == [0], "RQ: the lower half is empty"
        self.straddled += int(8 in places)
        for i in range(16):
            if i in places:
                assert self.open is None, "RQ: a request begins before the last one has ended"
                self.open = []
                places.remove(i)
            if self.open is not None:
                self.open.append(data >> 32 * i & 0xffffffff)
            if i in stops:
                assert self.open is not None, "RQ: nothing is open that could end"
                self.whole()
                self.open = None
                stops.remove(i)
        assert not places and not stops, "RQ: two begin or end in the same place"

    def whole(self):
        assert len(self.open) >= 4, "RQ: a request ends inside its descriptor"
        length = self.open[2] & 0x7ff if self.open[2] >> 11 & 15 == 1 else 0
        assert len(self.open) == 4 + length, f"RQ: {len(self.open)} DWs of a request that says {4 + length}"
        self.requests += 1


def watch_requests(clock, bus, reset_n=None):
    """Puts every beat to the rules; a beat that waits must not change either. A reset begins anew."""
    rules = RequestRules()

    async def run():
        held = None
        while True:
            await RisingEdge(clock)
            if reset_n is not None and reset_n.value != 1:
                held = rules.open = None
                continue
            if bus.tvalid.value != 1:
                assert held is None, "RQ: valid falls before the beat is taken"
                rules.pause()
                continue
            shown = int(bus.tdata.value), int(bus.tuser.value)
            assert held is None or shown == held, "RQ: a beat changes while it waits"
            held = shown
            if bus.tready.value == 1:
                rules.beat(*shown)
                held = None
    cocotb.start_soon(run())
    return rules
