# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does the UltraScale+ block of cocotbext-pcie, with what is added to it, straddle as the block does, and
does it tell who breaks the rules of RQ? No gateware is involved."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer
from cocotbext.axi import AxiStreamBus
from cocotbext.pcie.xilinx.us.interface import UsPcieFrame

from straddling_block import RequestRules, StraddlingCqSource, StraddlingRcSource, watch_requests


def request(tag, length, write=True):
    """DWs of an RQ request."""
    return [0x1000, 0, length | (1 << 11 if write else 0), tag] + ([tag << 16 | i for i in range(length)] if write else [])


def beats(requests, shift=0):
    """Laid into beats as the rules allow; `shift` moves the second and later ones up by DWs, which they do not."""
    half, out = [], []
    for r in requests:
        pieces = [r[i:i + 8] for i in range(0, len(r), 8)]
        half += [(p, i == 0, i == len(pieces) - 1) for i, p in enumerate(pieces)]
    half += [([], False, False)] * (len(half) % 2)
    for low, high in zip(half[::2], half[1::2]):
        data, begins, ends = 0, [], []
        for at, (piece, first, last) in ((0, low), (8, high)):
            data |= sum(d << 32 * (at + i) for i, d in enumerate(piece))
            begins += [at // 4 + (shift if at else 0)] * first
            ends += [at + len(piece) - 1] * last
        user = sum(1 << 20 + i | b << 22 + 2 * i for i, b in enumerate(begins))
        out.append((data, user | sum(1 << 26 + i | e << 28 + 4 * i for i, e in enumerate(ends))))
    return out


def told(sequence):
    """What the rules say of a sequence of beats; None in it is a cycle without one."""
    rules = RequestRules()
    try:
        for b in sequence:
            rules.pause() if b is None else rules.beat(*b)
    except AssertionError as e:
        return str(e)
    return rules


@cocotb.test()
async def rules_of_requests_hold_and_are_told(dut):
    """Good streams pass and are counted; each kind of broken one is told."""
    random.seed(1)
    for _ in range(50):
        some = [request(i, random.choice([1, 4, 5, 12, 16, 17, 64]), random.random() < 0.7) for i in range(20)]
        said = told(beats(some))
        assert not isinstance(said, str), said
        assert said.requests == 20 and said.straddled
    good = beats([request(1, 16), request(2, 16)])                      # 20 DWs each: 3 half beats
    assert "the lower half" in told([(good[0][0], 1 << 20 | 2 << 22)])
    assert "begins at DW" in told(beats([request(1, 16), request(2, 16)], shift=-1))
    assert "inside a request" in told([good[0], None])
    assert "before the last one has ended" in told([good[0], (good[1][0], good[1][1] & ~(3 << 26))])
    assert "DWs of a request" in told([good[0], (good[1][0], good[1][1] + (1 << 28))])
    assert "the second of one" in told([(good[0][0], 2 << 20)])
    assert "inside its descriptor" in told([(good[0][0], 1 << 20 | 1 << 26 | 2 << 28)])
    read = beats([request(1, 16, False)])[0][0]
    assert "nothing is open" in told([(read, 1 << 20 | 3 << 26 | 3 << 28 | 7 << 32)])
    assert "in the same place" in told([(read, 1 << 20 | 3 << 26 | 3 << 28 | 3 << 32)])


@cocotb.test()
async def the_watcher_sees_the_wires(dut):
    """A beat that waits and changes ends the watch with an error; one that stands still is counted once."""
    cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
    rq = AxiStreamBus.from_prefix(dut, "s_axis_rq")
    dut.rq_tvalid_i.value = dut.rq_tready_i.value = 0
    rules = watch_requests(dut.clk_i, rq)
    for data, user in beats([request(1, 16), request(2, 16), request(3, 4, False)]):
        dut.rq_tdata_i.value, dut.rq_tuser_i.value, dut.rq_tvalid_i.value = data, user, 1
        for ready in (0, 0, 1):
            dut.rq_tready_i.value = ready
            await RisingEdge(dut.clk_i)
    dut.rq_tvalid_i.value = 0
    await Timer(20, "ns")
    assert rules.requests == 3 and rules.straddled == 1, (rules.requests, rules.straddled)


@cocotb.test(expect_fail=True)
async def the_watcher_tells_of_a_beat_that_changes(dut):
    cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
    watch_requests(dut.clk_i, AxiStreamBus.from_prefix(dut, "s_axis_rq"))
    dut.rq_tready_i.value, dut.rq_tvalid_i.value = 0, 1
    for data in (1, 2):
        dut.rq_tdata_i.value = data
        await Timer(20, "ns")


def frame(length, first_be, last_be=15, tag=0):
    f = UsPcieFrame()
    f.data = [0x10, 0, length | 1 << 11, tag] + list(range(length))
    f.byte_en = [15] * len(f.data)
    f.first_be, f.last_be = first_be, last_be
    f.update_parity()
    return f


@cocotb.test()
async def byte_enables_come_in_the_order_of_tlps(dut):
    """CQ: of the only one that begins in a beat in [3:0], wherever it begins; of a second in [7:4]."""
    cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
    source = StraddlingCqSource(AxiStreamBus.from_prefix(dut, "m_axis_cq"), dut.clk_i, segments=2)
    for n, be in ((16, 1), (16, 2), (4, 4), (4, 8)):             # half beats 0-2, 3-5, 6, 7
        source.send_nowait(frame(n, be, be))
    seen = []
    for _ in range(12):
        await RisingEdge(dut.clk_i)
        if dut.m_axis_cq_tvalid.value == 1:
            user = int(dut.m_axis_cq_tuser.value)
            seen.append((user >> 80 & 3, user >> 82 & 15, user & 0xff, user >> 8 & 0xff))
            assert int(dut.m_axis_cq_tkeep.value) == 0xffff and dut.m_axis_cq_tlast.value == 0
    assert seen == [(1, 0, 1, 1), (1, 2, 2, 2), (0, 0, 0, 0), (3, 8, 0x84, 0x84)], seen
    assert source.straddled == 1


@cocotb.test()
async def four_completions_come_in_a_beat(dut):
    """RC: completions of a DW begin at DW 0, 4, 8 and 12 of one beat, with their ends."""
    cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
    source = StraddlingRcSource(AxiStreamBus.from_prefix(dut, "m_axis_rc"), dut.clk_i, segments=4)
    for i in range(4):
        f = UsPcieFrame()
        f.data, f.byte_en = [0x40000, 1, i, 0xda7a0000 + i], [0, 0, 0, 15]
        f.update_parity()
        source.send_nowait(f)
    seen = []
    for _ in range(6):
        await RisingEdge(dut.clk_i)
        if dut.m_axis_rc_tvalid.value == 1:
            seen.append((int(dut.m_axis_rc_tdata.value), int(dut.m_axis_rc_tuser.value)))
            assert int(dut.m_axis_rc_tkeep.value) == 0xffff and dut.m_axis_rc_tlast.value == 0
    (data, user), = seen
    assert user >> 64 & 15 == 15 and user >> 68 & 0xff == 0b11100100 and user >> 76 & 15 == 15
    assert [user >> 80 + 4 * i & 15 for i in range(4)] == [3, 7, 11, 15] and source.straddled == 1
    assert [data >> 96 + 128 * i & 0xffffffff for i in range(4)] == [0xda7a0000 + i for i in range(4)]
