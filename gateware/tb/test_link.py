# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Do two data link layers come up, tell each other their credits, and give every TLP on once and in order, with Acks and UpdateFCs in
the time that the standard gives them?"""

import os
import random

import cocotb

from lanescope_symbols.crc import dllp_crc
from link_bench import ACTIVE, INACTIVE, INIT1, INIT2, Link, credits, dllp

SEED = int(os.environ.get("SEED", "1"))
ACK = (237, 416, 559)       # symbols, of a Max_Payload_Size of 128, 256, 512
MPS = (128, 256, 512)


async def up(dut, seed=0, **how):
    link = await Link(dut, random.Random(SEED + seed), **how).start()
    await link.until(link.active, 500)
    return link


def limit(dut, n):
    return int(dut.limit_o.value) >> 60 * n & (1 << 60) - 1


async def all_arrive(link, sent, clocks):
    """`sent`: for each end the TLPs that it is given. At the other end each arrives once, in order."""
    before = [len(end.got) for end in link.ends]
    for end, tlps in zip(link.ends, sent):
        end.queue += [(one, 0) for one in tlps]
    other = lambda n: link.ends[1 - n].got[before[1 - n]:]
    await link.until(lambda: all(len(other(n)) >= len(sent[n]) for n in (0, 1)), clocks)
    await link.wait(300)
    for n in (0, 1):
        assert other(n) == sent[n], next((at, a[:8].hex(), b[:8].hex()) for at, (a, b) in enumerate(zip(other(n), sent[n])) if a != b)
    assert link.wrong() == [], link.wrong()[:3]


@cocotb.test()
async def two_come_up_and_tell_their_credits(dut):
    link = await up(dut)
    for n, end in enumerate(link.ends):
        assert end.states == [INACTIVE, INIT1, INIT2, ACTIVE], end.states
        names = [p.event.name for p in link.wires[n].packets]
        first = [name for name in names if name.startswith("InitFC1")]
        for which in (first, names[len(first):]):
            assert which == ([f"{which[0][:7]}-{of}" for of in ("P", "NP", "Cpl")] * len(which))[:len(which)] and len(which) >= 3, names
        told = {p.event.name[8:]: (p.event.fields["header"], p.event.fields["data"]) for p in link.wires[n].packets}
        assert told == ({"P": (32, 256), "NP": (16, 16), "Cpl": (0, 0)}, {"P": (8, 128), "NP": (4, 0), "Cpl": (0, 0)})[n]
        assert limit(dut, 1 - n) == link.grants[n]
    # Without bound, by class from bit 0 on: data, then headers three bits above.
    assert int(dut.free_o.value) == (0b100 << 3 | 0b110) | (0b100 << 3 | 0b100) << 6
    assert link.wrong() == []


@cocotb.test()
async def an_end_that_is_not_there_is_waited_for(dut):
    """One side alone stays where it is, and repeats what it says; when the other comes, both are soon active."""
    link = Link(dut, random.Random(SEED))
    link.ends[1].up = 0
    await link.start()
    await link.wait(600)
    assert link.ends[0].states == [INACTIVE, INIT1] and link.count(0, "InitFC1-P") > 20
    link.ends[1].up = 1
    await link.until(link.active, 100)
    await link.wait(20)
    for n in (0, 1):
        assert all(link.count(n, f"InitFC2-{of}") for of in ("P", "NP", "Cpl")), n


@cocotb.test()
async def a_tlp_says_as_much_as_an_initfc2(dut):
    """Where all of those are lost: the other end is active, and what it sends is taken."""
    link = Link(dut, random.Random(SEED))
    link.wires[1].fault = lambda packet: dict(drop=1) if packet.kind == "dllp" and packet.type >> 4 in (0xC, 0xD, 0xE, 8, 9) else None
    await link.start()
    await link.wait(300)
    assert [end.states[-1] for end in link.ends] == [INIT2, ACTIVE]
    sent = [link.tlp(4) for _ in range(3)]
    await all_arrive(link, [[], sent], 300)
    assert link.active() and not link.count(0, "Nak")


@cocotb.test()
async def tlps_cross_both_ways(dut):
    link = await up(dut, 1)
    await all_arrive(link, [[link.tlp() for _ in range(300)] for _ in "01"], 60000)
    for n, end in enumerate(link.ends):
        assert link.count(n, "MWr", "good") == 300 == link.count(n, "MWr") and not link.count(n, "Nak")
        assert not any(end.errors.values()), end.errors
        assert link.count(n, "Ack") < 200           # one for several
        # A packet behind a packet, without a clock between: its last symbols, then the first of the next.
        gaps = [b.time - a.end for a, b in zip(link.wires[n].packets, link.wires[n].packets[1:])][20:300]
        assert gaps.count(2) > 0.9 * len(gaps), sorted(set(gaps))


@cocotb.test()
async def odd_packets_and_pauses_change_nothing(dut):
    link = await up(dut, 2, odd=1)
    for end in link.ends:
        end.gap = 0.3
    await all_arrive(link, [[link.tlp(8) for _ in range(300)] for _ in "01"], 60000)
    assert not link.count(0, "Nak") + link.count(1, "Nak")


@cocotb.test()
async def acks_come_in_their_time(dut):
    for mps in (0, 1, 2):
        link = await up(dut, 3, mps=mps)
        both = [[link.tlp(MPS[mps] // 4 - 1, least=0 if n % 3 else MPS[mps] // 4 - 1) for n in range(90)] for _ in "01"]
        await all_arrive(link, both, 60000)
        for n in (0, 1):
            acks = [(p.time, p.event.fields["sequence"]) for p in link.wires[n].packets if p.event.name == "Ack"]
            for at, arrived in enumerate(link.ends[n].arrived):     # three clocks behind its last word
                first = next(time for time, sequence in acks if sequence >= at)
                # 16 clocks are left for the MAC. A TLP of 512 bytes on its way leaves less.
                assert 0 <= first - (arrived - 3) <= max(ACK[mps] // 2 - 16, MPS[mps] // 2 + 16), (mps, at, first - arrived)


@cocotb.test()
async def an_ack_waits_for_others_where_it_can(dut):
    link = await up(dut, 4)
    await all_arrive(link, [[link.tlp(0) for _ in range(120)], []], 20000)
    acks = [p.time for p in link.wires[1].packets if p.event.name == "Ack"]
    # Nothing else is sent there: only the time says when.
    gaps = [b - a for a, b in zip(acks, acks[1:-1])]
    assert min(gaps) >= ACK[0] // 2 - 24 and max(gaps) <= ACK[0] // 2, gaps


@cocotb.test()
async def numbers_go_round(dut):
    link = await up(dut, 5)
    await all_arrive(link, [[link.tlp(0) for _ in range(4200)], []], 80000)
    assert link.count(0, "MWr") == 4200


@cocotb.test()
async def what_is_nullified_is_not_sent(dut):
    link = await up(dut, 6)
    sent = [link.tlp(12) for _ in range(200)]
    link.ends[0].queue += [(one, n % 5 == 2) for n, one in enumerate(sent)]
    left = [one for n, one in enumerate(sent) if n % 5 != 2]
    await link.until(lambda: len(link.ends[1].got) >= len(left), 20000)
    await link.wait(200)
    assert link.ends[1].got == left and link.count(0, "MWr") == len(left)


@cocotb.test()
async def credits_are_told_when_they_are_freed_and_every_30_us(dut):
    link = await up(dut, 7)
    await link.wait(20)
    seen = len(link.wires[1].packets)
    assert not any(p.event.name.startswith("UpdateFC") for p in link.wires[1].packets)
    link.grants[1] = credits((9, 160), (4, 0), (0, 0))
    link.grant()
    begun = link.clock
    await link.until(lambda: len(link.wires[1].packets) > seen, 200)
    told = link.wires[1].packets[-1]
    assert (told.event.name, told.event.fields["header"], told.event.fields["data"]) == ("UpdateFC-P", 9, 160)
    assert told.time - begun <= ACK[0] // 2
    await link.wait(40)
    assert limit(dut, 0) == link.grants[1] and len(link.wires[1].packets) == seen + 1
    # All that changes while others are told is told.
    for n in range(200):
        link.grants[1] = credits((9 + n & 255, 160 + 16 * n & 4095), (4 + n & 255, n), (0, 0))
        link.grant()
        await link.wait(3)
    await link.wait(200)
    assert limit(dut, 0) == link.grants[1]
    # What is without bound is never told of.
    await link.wait(12000)
    for n in (0, 1):
        times = [p.time for p in link.wires[n].packets if p.event.name == "UpdateFC-NP" and p.time > 1000]
        gaps = [b - a for a, b in zip(times, times[1:])]
        assert len(gaps) >= 2 and all(3750 - 20 <= gap <= 3750 + 200 for gap in gaps), gaps
        assert not link.count(n, "UpdateFC-Cpl")
    assert link.wrong() == []


@cocotb.test()
async def updates_come_in_their_time_beside_tlps(dut):
    link = await up(dut, 8)
    sent = [[link.tlp(31, least=31) for _ in range(120)] for _ in "01"]
    changed = []

    def change():
        if link.clock % 300 == 0:
            link.grants[1] = credits((link.clock // 300 & 255, 64), (4, 0), (0, 0))
            link.grant()
            changed.append((link.clock, link.clock // 300 & 255))
    link.every.append(change)
    await all_arrive(link, sent, 30000)
    told = [(p.time, p.event.fields["header"]) for p in link.wires[1].packets if p.event.name == "UpdateFC-P"]
    for clock, value in changed[:-1]:
        assert any(clock < time <= clock + ACK[0] // 2 and header == value for time, header in told), (clock, value, told)


@cocotb.test()
async def other_dllps_and_damaged_ones_are_passed_over(dut):
    link = await up(dut, 9)
    before, wire = limit(dut, 1), link.wires[0]
    for kind in (0x02, 0x20, 0x21, 0x23, 0x24, 0x30, 0x31, 0x81, 0x98, 0xB0, 0x70, 0xF0, 0x41, 0x40, 0xC0, 0x01, 0x11):
        wire.insert("dllp", dllp(kind, 1, 2, 3))
    good = dllp(0x80, 2, 0x40, 0x80)
    # Of another length, with a CRC that is right for it.
    hurt = [good[:2] + dllp_crc(good[:2]), good + dllp_crc(good), dllp_crc(b"")] + [good[:at] + bytes([good[at] ^ 1 << at]) + good[at + 1:] for at in range(6)] + [good + b"\0\0", good[:4]]
    for one in hurt:
        wire.insert("dllp", one)
    wire.insert("dllp", good, 1 << 36)
    wire.insert("dllp", good, 1 << 35)
    await link.until(lambda: not wire.inserted, 1000)
    await link.wait(40)
    errors = link.ends[1].errors
    assert limit(dut, 1) == before and errors["bad_dllp"] == len(hurt) + 2 and not errors["protocol"] and not errors["bad_tlp"], errors
    wire.insert("dllp", good)
    await link.wait(40)
    assert limit(dut, 1) & (1 << 20) - 1 == 9 << 12 | 0x80
