# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does every TLP arrive once, in order and unhurt, whatever happens to packets between two data link layers: TLPs that are hurt or lost,
Acks and Naks that are, numbers that are wrong, timers that end, a link that trains again or goes down? And does it take no more replays than it has to?"""

import os
import random

import cocotb

from link_bench import ACTIVE, BAD, EDB, INACTIVE, Link, dllp, nullified, whole
from test_link import all_arrive, up

SEED = int(os.environ.get("SEED", "1"))
REPLAY = 711        # symbols from a TLP to its replay at least, of a Max_Payload_Size of 128; twice that at most
HURTS = (dict(flip=(0, 0x0100)), dict(flip=(0, 0x8000)), dict(flip=(3, 1)), dict(flip=(-1, 0x8000)), dict(bad=1), dict(edb=1), dict(cut=5), dict(cut=2), dict(drop=1))
ACKED = (0x00, 0x10)


def once(link, n, which, what):
    """Does `what` to the packet of end n for which `which` is true first."""
    done = []

    def fault(packet):
        if not done and which(packet):
            done.append(packet)
            return what
        return None
    link.wires[n].fault = fault
    return done


def nth(count):
    """The count-th TLP on the wire."""
    seen = iter(range(1 << 30))
    return lambda packet: packet.kind == "tlp" and next(seen) == count


@cocotb.test()
async def a_tlp_that_is_hurt_is_sent_again_at_once(dut):
    """By a Nak, and it and those behind it once."""
    for at, hurt in enumerate(HURTS):
        link = await up(dut, at, odd=at & 1)
        done = once(link, 0, nth(7), hurt)
        sent = [link.tlp(12) for _ in range(40)]
        await all_arrive(link, [sent, [link.tlp(12) for _ in range(20)]], 10000)
        again = [p.event.fields["sequence"] for p in link.wires[0].packets if p.event.fields["status"] == "duplicate"]
        assert done and link.count(1, "Nak") == 1 and again == list(range(7, 7 + len(again))) and 1 <= len(again) <= 8, (hurt, again)
        nak = next(p for p in link.wires[1].packets if p.event.name == "Nak")
        assert nak.event.fields["sequence"] == 6
        assert not link.ends[0].errors["timeout"] and link.ends[1].errors["bad_tlp"] >= 1, hurt


@cocotb.test()
async def the_last_tlp_that_is_lost_is_sent_again_in_its_time(dut):
    for at, name in enumerate(("tlp", "ack")):
        link = await up(dut, 20 + at)
        done = once(link, at, nth(0) if at == 0 else lambda p: p.type == 0, dict(drop=1))
        await all_arrive(link, [[link.tlp(12)], []], 3000)
        await link.wait(800)
        first, *rest = [p for p in link.wires[0].packets if p.event.name == "MWr"]
        assert done and len(rest) == 1 and REPLAY // 2 <= rest[0].time - first.end <= REPLAY, (name, len(rest), rest[0].time - first.end)
        assert link.ends[0].errors["timeout"] == 1
        acks = [p for p in link.wires[1].packets if p.event.name == "Ack"]
        if name == "ack":       # the second follows at once: what comes twice is acknowledged, and not told again
            assert len(acks) == 2 and acks[1].time - rest[0].end < 30
        assert not link.count(1, "Nak")


@cocotb.test()
async def the_timer_is_that_of_the_oldest(dut):
    """TLPs that follow do not put it off; what an Ack leaves has a timer of its own."""
    link = await up(dut, 25)
    link.wires[1].fault = lambda p: dict(drop=1) if p.type == 0 else None
    for _ in range(6):
        link.ends[0].queue.append((link.tlp(2), 0))
        await link.wait(50)
    await link.wait(200)
    packets = [p for p in link.wires[0].packets if p.event.name == "MWr"]
    assert REPLAY // 2 <= packets[6].time - packets[0].end <= REPLAY // 2 + 20 and packets[6].event.fields["sequence"] == 0
    link.wires[1].fault = None
    await link.until(lambda: len(link.ends[1].got) == 6, 1000)
    link = await up(dut, 26)
    done = once(link, 0, nth(1), dict(drop=1))
    await all_arrive(link, [[link.tlp(2) for _ in range(2)], []], 2000)
    assert done and link.ends[0].errors["timeout"] == 1


@cocotb.test()
async def what_is_acknowledged_in_the_middle_of_a_replay_is_not_sent_again(dut):
    link = await up(dut, 27)
    link.wires[1].fault = lambda p: dict(drop=1) if p.type == 0 else None
    sent = [link.tlp(31, least=31) for _ in range(6)]
    link.ends[0].queue += [(one, 0) for one in sent]
    again = lambda: [p.event.fields["sequence"] for p in link.wires[0].packets if p.event.fields["status"] == "duplicate"]
    await link.until(lambda: len(again()) == 1, 2000)
    link.wires[1].insert("dllp", dllp(0, 0, 0, 4))
    await link.until(lambda: len(link.ends[1].got) == 6, 1000)
    await link.wait(250)
    assert again() in ([0, 1, 5], [0, 1]), again()
    link.wires[1].fault = None
    await all_arrive(link, [[link.tlp(12) for _ in range(30)], []], 10000)


@cocotb.test()
async def lost_acks_and_naks_are_made_good(dut):
    for at, kind in enumerate(ACKED):
        link = await up(dut, 30 + at)
        if kind:
            once(link, 0, nth(5), dict(flip=(2, 4)))
        done = once(link, 1, lambda p: p.type == kind, dict(drop=1) if at else dict(flip=(1, 0x100)))
        await all_arrive(link, [[link.tlp(12) for _ in range(40)], []], 10000)
        assert done
        if kind == 0:           # the next Ack is for both: no replay
            assert link.count(0, "MWr", "duplicate") == 0
        else:                   # one Nak is sent, and then the timer
            assert link.ends[0].errors["timeout"] == 1 and link.count(1, "Nak") == 1


@cocotb.test()
async def the_timer_begins_anew_with_each_ack(dut):
    """TLPs for longer than its time, each acknowledged: no replay. Without L0 it stands still."""
    link = await up(dut, 40)
    link.ends[0].gap = 0.98
    await all_arrive(link, [[link.tlp(2) for _ in range(120)], []], 20000)
    assert link.count(0, "MWr", "duplicate") == 0
    link.wires[1].fault = lambda p: dict(drop=1) if p.type == 0 else None
    link.ends[0].queue.append((link.tlp(2), 0))
    await link.wait(200)
    link.recovery = 1000
    await link.wait(1100)
    assert link.ends[0].errors["timeout"] == 0
    link.wires[1].fault = None
    await link.wait(400)
    assert link.ends[0].errors["timeout"] == 1


@cocotb.test()
async def what_is_nullified_on_the_way_is_dropped_and_not_asked_for(dut):
    link = await up(dut, 50)
    wire = link.wires[0]
    await all_arrive(link, [[link.tlp(4) for _ in range(3)], []], 2000)
    body = link.tlp(4)
    wire.insert("tlp", nullified(3, body), EDB)
    await link.wait(200)
    assert len(link.ends[1].got) == 3 and not link.count(1, "Nak") and not link.ends[1].errors["bad_tlp"]
    await all_arrive(link, [[link.tlp(4) for _ in range(3)], []], 2000)
    assert not link.count(1, "Nak") and not link.count(0, "MWr", "duplicate")


@cocotb.test()
async def each_way_to_be_no_tlp_is_asked_for(dut):
    link = await up(dut, 55)
    wire, body = link.wires[0], link.tlp(4)
    for at in range(7):
        packet, bits = ((nullified(at, body), 0), (whole(at, body), EDB), (whole(at, body), BAD), (whole(at, b""), 0), (b"\0\0\0\0", 0), (b"\0\6", 0),
                        (nullified(at, body)[:-1] + b"\0", EDB))[at]
        wire.insert("tlp", packet, bits)
        await link.wait(250)
        assert link.count(1, "Nak") == at + 1 and len(link.ends[1].got) == at, packet.hex()
        await all_arrive(link, [[link.tlp(4)], []], 2000)       # which ends it: the next may be asked for


@cocotb.test()
async def a_number_that_was_is_acknowledged_and_one_that_is_to_come_is_not(dut):
    link = await up(dut, 60)
    wire, sink = link.wires[0], link.ends[1]
    await all_arrive(link, [[link.tlp(4) for _ in range(5)], []], 2000)
    body = link.tlp(4)
    for sequence, name in ((4, "Ack"), (0, "Ack"), (5 - 2048 & 4095, "Ack"), (6, "Nak"), (5 + 2047, None)):
        acks, naks = link.count(1, "Ack"), link.count(1, "Nak")
        wire.insert("tlp", whole(sequence, body))
        await link.wait(60)
        assert (link.count(1, "Ack") - acks, link.count(1, "Nak") - naks) == ((name == "Ack"), (name == "Nak")), sequence
        assert len(sink.got) == 5 and sink.errors["bad_tlp"] == (sequence in (6, 5 + 2047)) + (sequence == 5 + 2047)
    await all_arrive(link, [[link.tlp(4) for _ in range(5)], []], 2000)


@cocotb.test()
async def acks_of_what_was_never_sent_are_told_and_do_nothing(dut):
    link = await up(dut, 70)
    wire, end = link.wires[1], link.ends[0]
    await all_arrive(link, [[link.tlp(4) for _ in range(6)], []], 2000)
    link.wires[1].fault = lambda p: dict(drop=1) if p.type == 0 else None
    sent = [link.tlp(4) for _ in range(3)]
    end.queue += [(one, 0) for one in sent]
    await link.wait(75)
    for sequence, wrong in ((9, 1), (8 + 2047, 1), (4, 0), (8 - 2048 & 4095, 0)):
        for kind in (0x00, 0x10):
            before, tlps = end.errors["protocol"], link.count(0, "MWr")
            wire.insert("dllp", dllp(kind, 0, sequence >> 8, sequence & 255))
            await link.wait(26)
            assert end.errors["protocol"] - before == wrong, sequence
            assert link.count(0, "MWr") == tlps, sequence
    wire.insert("dllp", dllp(0x10, 0, 0, 7))        # acknowledges two, and asks for the third
    await link.wait(60)
    assert [p.event.fields["sequence"] for p in link.wires[0].packets if p.event.fields["status"] == "duplicate"] == [8]
    link.wires[1].fault = None
    await all_arrive(link, [[link.tlp(4) for _ in range(20)], []], 4000)


@cocotb.test()
async def four_replays_without_an_ack_train_the_link_again(dut):
    link = await up(dut, 80)
    end = link.ends[0]
    await all_arrive(link, [[link.tlp(4) for _ in range(3)], []], 2000)
    link.wires[0].fault = lambda p: dict(drop=1) if p.kind == "tlp" else None
    sent = [link.tlp(4) for _ in range(3)]
    end.queue += [(one, 0) for one in sent]
    await link.until(lambda: end.retrains, 4 * REPLAY)
    assert end.errors["timeout"] == 4 and end.errors["rollover"] == 1
    assert [p.event.fields["sequence"] for p in link.wires[0].packets if p.event.name == "MWr"] == [0, 1, 2] + 4 * [3, 4, 5]
    link.wires[0].fault = None
    await link.until(lambda: len(link.ends[1].got) == 6, link.recovers + 200)
    assert link.ends[1].got[3:] == sent and end.errors["timeout"] == 4
    await link.wait(60)         # and nothing went out between, where it would have been lost
    assert [p.event.fields["sequence"] for p in link.wires[0].packets if p.event.name == "MWr"] == [0, 1, 2] + 5 * [3, 4, 5]
    await all_arrive(link, [[link.tlp(4) for _ in range(20)], []], 4000)


@cocotb.test()
async def an_ack_between_ends_the_count_of_replays(dut):
    """Each TLP is lost three times, one after the other."""
    link = await up(dut, 90)
    lost = {}

    def fault(packet):
        if packet.kind == "tlp":
            sequence = packet.words[1]
            lost[sequence] = lost.get(sequence, 0) + 1
            return dict(drop=1) if lost[sequence] <= 3 else None
    link.wires[0].fault = fault
    for _ in range(4):
        await all_arrive(link, [[link.tlp(4)], []], 2000)
    assert link.ends[0].errors["timeout"] == 12 and link.ends[0].errors["rollover"] == 0


@cocotb.test()
async def nothing_is_overwritten_while_acks_do_not_come(dut):
    for at, most in enumerate((0, 31)):
        link = await up(dut, 100 + at)
        link.wires[1].fault = lambda p: dict(drop=1) if p.type in ACKED else None
        sent = [link.tlp(most, least=most) for _ in range(40)]
        link.ends[0].queue += [(one, 0) for one in sent]
        await link.wait(900)            # a replay among them
        held = 40 - len(link.ends[0].queue) - 1
        size = len(sent[0])
        assert held == min(8, 1024 // size), held
        link.wires[1].fault = None
        await link.until(lambda: len(link.ends[1].got) >= 40, 12000)
        await link.wait(300)
        assert link.ends[1].got == sent


@cocotb.test()
async def a_link_that_goes_down_begins_anew(dut):
    link = await up(dut, 110)
    for at in range(12):
        for end in link.ends:
            end.queue += [(link.tlp(20), 0) for _ in range(12)]
        await link.wait(60 + 37 * at)               # in the middle of something
        for end in link.ends:
            end.up = 0
            end.queue.clear()
        await link.wait(300)                        # what is left of TLPs goes nowhere
        for end in link.ends:
            assert end.states[-1] == INACTIVE and end.words is None
            end.up = 1
            end.got.clear()
        for wire in link.wires:
            wire.reader.expected = None
        await link.until(link.active, 300)
        await all_arrive(link, [[link.tlp(8) for _ in range(6)] for _ in "01"], 2000)
    assert not link.ends[0].errors["protocol"] + link.ends[1].errors["protocol"]
    # A TLP that was on its way was nullified, and is nothing that its receiver could take for a whole one.
    assert sum(p.event.fields["status"] == "nullified" for wire in link.wires for p in wire.packets) >= 3


@cocotb.test()
async def a_tlp_that_began_while_the_link_was_down_is_dropped_whole(dut):
    link = Link(dut, random.Random(SEED))
    link.ends[0].gap = 0.9
    await link.start()
    first = link.tlp(31, least=31)
    link.ends[0].queue.append((first, 0))
    await link.until(lambda: link.ends[0].at, 200)
    assert link.ends[0].states[-1] != ACTIVE
    await link.until(link.active, 500)
    link.ends[0].gap = 0.5
    sent = [link.tlp(4) for _ in range(5)]
    await all_arrive(link, [sent, []], 3000)


@cocotb.test()
async def random_faults(dut):
    """Any packet, either way, in any of these ways; the link trains again where it is asked to."""
    for run in range(6):
        rate = (0.02, 0.1, 0.25)[run % 3]
        link = await up(dut, 200 + run, odd=run & 1, latency=(3, 12, 40)[run % 3])
        draw = random.Random(SEED + run)
        hurts = [0]

        def fault(packet):
            if draw.random() >= rate:
                return None
            hurts[0] += 1
            return draw.choice(HURTS if packet.kind == "tlp" else (dict(drop=1), dict(bad=1), dict(flip=(1, 1 << draw.randrange(16)))))
        for wire, end in zip(link.wires, link.ends):
            wire.fault, end.gap = fault, draw.choice((0.0, 0.5))
        await all_arrive(link, [[link.tlp(12) for _ in range(200)] for _ in "01"], 200000)
        assert hurts[0] > 10 and not link.ends[0].errors["protocol"] + link.ends[1].errors["protocol"]
