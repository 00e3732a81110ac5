# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does each rule find what breaks it? The rules at the link are given TLPs, those of the internal interface signals."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge
from cocotbext.pcie.core.tlp import Tlp, TlpType

from rules import Broken, Rules
from tlpbits import CPLD, HDR, MRD, MWR, SETTINGS, pack

# bits of ls_traffic_check
RULES = ["too_long", "asks_too_much", "page", "enables", "tag_range", "tag_reused", "boundary", "answer", "lost", "unasked",
         "too_early", "not_requested", "not_enabled"]


def request(kind, address=0x1000, dws=32, first=0xf, last=0xf, tag=0):
    t = Tlp()
    t.fmt_type, t.address, t.length, t.first_be, t.last_be, t.tag = kind, address, dws, first, last, tag
    if kind == TlpType.MEM_WRITE:
        t.data = bytearray(4 * dws)
    return t


def completion(dws, byte_count, lower=0, tag=0):
    t = Tlp()
    t.fmt_type, t.length, t.byte_count, t.lower_address, t.tag = TlpType.CPL_DATA, dws, byte_count, lower, tag
    t.data = bytearray(4 * dws)
    return t


def broken(rules, *tlps, into=False):
    """The rule that the last of these breaks; those before it break none."""
    for t in tlps[:-1]:
        rules.out(t)
    try:
        (rules.into if into else rules.out)(tlps[-1])
    except Broken as e:
        return str(e).split(":")[0]
    return None


@cocotb.test()
async def rules_at_the_link_find_what_breaks_them(dut):
    READ, WRITE = TlpType.MEM_READ, TlpType.MEM_WRITE
    limits, time = [128, 128, True], [0]
    fresh = lambda boundary=64: Rules(lambda: tuple(limits), lambda: boundary, lambda: time[0])
    good = [request(WRITE), request(READ), request(WRITE, dws=1, first=6, last=0), request(READ, dws=1, first=0, last=0, tag=1),
            request(WRITE, 0x1ff8, 2, 0xc, 0x3), completion(2, 8, 8)]
    assert broken(fresh(), *good) is None
    bad = {
        "a payload is longer than MPS": request(WRITE, dws=33),
        "a request is longer than MRRS": request(READ, dws=33),
        "a request crosses 4 KiB": request(WRITE, 0x1ffc, 2),
        "byte enables": request(READ, dws=2, first=0x7),
        "byte enables of one DW": request(WRITE, dws=1, first=0xf, last=1),
        "a completion is longer than MPS": completion(33, 132),
        "a completion that is not the last ends at no RCB": completion(2, 16, 0),
    }
    for rule, tlp in bad.items():
        assert broken(fresh(), tlp) == rule, rule
    assert broken(fresh(), request(WRITE, dws=2, last=0xe)) == "byte enables"
    assert broken(fresh(), request(WRITE, dws=1, first=9, last=0)) == "byte enables of one DW"
    # tags
    assert broken(fresh(), request(READ), request(READ)) == "a tag is used again while it is out"
    rules = fresh()
    rules.out(request(READ, dws=32, tag=7))
    rules.into(completion(16, 128, 0, 7))
    assert broken(rules, request(READ, tag=7)) == "a tag is used again while it is out"
    rules.into(completion(16, 64, 64, 7))
    assert broken(rules, request(READ, tag=7)) is None
    limits[2] = False
    assert broken(fresh(), request(READ, tag=32)) == "a tag of 8 bits without Extended Tag Field Enable"
    limits[2] = True
    # what the host answers
    for boundary, dws in ((64, 8), (128, 16)):
        rules = fresh(boundary)
        rules.out(request(READ))
        assert broken(rules, completion(dws, 128), into=True) == "the host splits at no RCB"
    # settings that change on the way
    rules = fresh()
    assert broken(rules, request(WRITE, dws=33)) is not None
    limits[:2] = [256, 256]
    assert broken(rules, request(WRITE, dws=64), request(READ, dws=64)) is None
    limits[:2] = [128, 128]
    assert broken(rules, request(WRITE, dws=64), request(READ, dws=64, tag=1)) is None
    time[0] += 10000
    assert broken(rules, request(WRITE, dws=64)) == "a payload is longer than MPS"
    assert broken(rules, request(READ, dws=64, tag=2)) == "a request is longer than MRRS"
    # records and interrupts
    rules = fresh()
    rules.ring(0x8000, 64, 1)
    rules.vector(1, 0xfee0, 0)
    message, record = request(WRITE, 0xfee0, 1, last=0), request(WRITE, 0x8010, 4)
    asks, fails = request(WRITE, 0x8010, 4), request(WRITE, 0x8020, 4)
    asks.data[0], fails.data[1] = 9, 5
    assert broken(rules, record, message) == "an interrupt before its record, or without one"
    assert broken(rules, asks, message, fails, message) is None and not rules.owed()
    assert broken(rules, asks) is None and rules.owed() == {1}
    assert broken(rules, message, message) == "an interrupt before its record, or without one"
    rules.user_interrupt(1)
    assert broken(rules, message) is None
    # Those that are coalesced by count: two may come after the records of both, but of many no third.
    assert broken(rules, asks, asks, message, message) is None
    assert broken(rules, message) == "an interrupt before its record, or without one"
    assert broken(rules, asks, asks, asks, fails, message, message) is None
    assert broken(rules, message) == "an interrupt before its record, or without one"


@cocotb.test()
async def rules_of_the_internal_interface_find_what_breaks_them(dut):
    cocotb.start_soon(Clock(dut.clk_i, 4, "ns").start())
    inputs = ["msi_i", "tick_i", "tx_valid_i", "tx_ready_i", "tx_sop_i", "tx_hdr_i", "rq_valid_i", "rq_ready_i", "rq_hdr_i",
              "cpl_valid_i", "cpl_hdr_i", "rx_cpl_valid_i", "rx_cpl_sop_i", "rx_cpl_hdr_i", "irq_i", "mask_i", "irq_valid_i",
              "irq_vector_i", "ch_irq_i", "rec_sent_i"]
    host = dict(mps=0, mrrs=0, ext_tag=1, master=1, msix=1)

    async def fresh():
        for n in inputs:
            getattr(dut, n).value = 0
        dut.set_i.value = pack(SETTINGS, host)
        dut.rst_ni.value = 0
        for _ in range(4):
            await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        for _ in range(4):
            await RisingEdge(dut.clk_i)

    async def cycle(**values):
        """One cycle; the rules that it breaks."""
        for n in inputs:
            if n != "mask_i":
                getattr(dut, n).value = values.get(n, 0)
        await FallingEdge(dut.clk_i)
        bits = int(dut.bad_o.value)
        await RisingEdge(dut.clk_i)
        return [r for i, r in enumerate(RULES) if bits >> i & 1]

    def write(**f):
        f = dict(dict(kind=MWR, addr=0x1000, len_dw=32, first_be=15, last_be=15), **f)
        return dict(tx_valid_i=1, tx_ready_i=1, tx_sop_i=1, tx_hdr_i=pack(HDR, f))

    def read(**f):
        f = dict(dict(kind=MRD, addr=0x1000, len_dw=32, first_be=15, last_be=15), **f)
        return dict(rq_valid_i=1, rq_ready_i=1, rq_hdr_i=pack(HDR, f))

    def comes(**f):
        return dict(rx_cpl_valid_i=1, rx_cpl_sop_i=1, rx_cpl_hdr_i=pack(HDR, dict(dict(kind=CPLD), **f)))

    def answer(**f):
        return dict(cpl_valid_i=1, cpl_hdr_i=pack(HDR, dict(dict(kind=CPLD), **f)))

    await fresh()
    for good in (write(), read(), write(len_dw=1, first_be=6, last_be=0), read(len_dw=1, first_be=0, last_be=0, tag=31),
                 write(addr=0x1ff8, len_dw=2, first_be=12, last_be=3), read(tag=254), read(tag=255),
                 comes(len_dw=16, byte_count=128), answer(len_dw=2, byte_count=5, addr=3)):
        assert await cycle(**good) == [], good
    for rule, bad in (("too_long", write(len_dw=33)), ("asks_too_much", read(len_dw=33, tag=2)),
                      ("page", write(addr=0x1ffc, len_dw=2)), ("page", read(addr=0x1ffc, len_dw=2, tag=3)),
                      ("enables", write(len_dw=1)), ("enables", write(len_dw=2, first_be=7)),
                      ("enables", read(len_dw=2, last_be=14, tag=4)), ("enables", write(len_dw=1, first_be=9, last_be=0)),
                      ("tag_range", read(tag=32)), ("tag_range", read(tag=253)), ("not_requested", write(kind=CPLD)),
                      ("not_requested", read(kind=MWR, tag=5)), ("boundary", comes(len_dw=8, byte_count=128)),
                      ("boundary", comes(len_dw=16, byte_count=124, addr=4)),
                      ("answer", answer(len_dw=1, byte_count=5)), ("answer", answer(len_dw=2, byte_count=0)),
                      ("answer", answer(len_dw=3, byte_count=12))):
        assert await cycle(**bad) == [rule], (rule, bad)
    # a tag: again while it is out; after its completion; after two ticks
    await fresh()
    assert await cycle(**read(tag=9)) == []
    assert await cycle(**comes(len_dw=16, byte_count=128, tag=9)) == []
    assert await cycle(**read(tag=9)) == ["tag_reused"]
    assert await cycle(**comes(len_dw=16, byte_count=64, tag=9)) == []
    assert await cycle(**read(tag=9)) == []
    assert await cycle(tick_i=1) == []
    assert await cycle(**read(tag=9)) == ["tag_reused"]
    for _ in range(2):
        assert await cycle(tick_i=1) == []
    assert await cycle(**read(tag=9)) == []
    # tags of 5 bits
    host["ext_tag"] = 0
    await fresh()
    for tag in (30, 31, 29):
        assert await cycle(**read(tag=tag)) == [], tag
    assert await cycle(**read(tag=254)) == ["tag_range"]
    host["ext_tag"] = 1
    # settings: larger at once, smaller when all is quiet
    await fresh()
    dut.set_i.value = pack(SETTINGS, dict(host, mps=2, mrrs=3))
    assert await cycle(**write(len_dw=128)) == [] and await cycle(**read(len_dw=256, tag=1)) == []
    dut.set_i.value = pack(SETTINGS, host)
    assert await cycle(**write(len_dw=128)) == [] and await cycle(**read(len_dw=256, tag=2)) == []
    for tag in (1, 2):
        await cycle(**comes(len_dw=16, byte_count=64, tag=tag))
    for _ in range(70):
        await cycle()
    assert await cycle(**write(len_dw=33)) == ["too_long"] and await cycle(**read(len_dw=33)) == ["asks_too_much"]
    # interrupts
    await fresh()
    assert await cycle(rec_sent_i=1) == [] and await cycle(ch_irq_i=1) == [] and await cycle(ch_irq_i=1) == ["too_early"]
    assert await cycle(rec_sent_i=2) == [] and await cycle(ch_irq_i=1) == ["too_early"]
    assert await cycle(irq_valid_i=1, irq_vector_i=1) == ["unasked"]
    await cycle()
    assert await cycle(irq_i=2) == [] and await cycle() == []
    assert await cycle(irq_valid_i=1, irq_vector_i=1) == [] and await cycle() == []
    assert await cycle(irq_valid_i=1, irq_vector_i=1) == ["unasked"]
    await cycle()
    # none while the host has disabled them, nor while the card may not write
    for off in (dict(msix=0), dict(master=0)):
        await fresh()
        dut.set_i.value = pack(SETTINGS, dict(host, **off))
        assert await cycle(irq_i=2) == [] and await cycle() == []
        assert await cycle(irq_valid_i=1, irq_vector_i=1) == ["not_enabled"], off
    for first, second, masked, found in ((4, 0, 0, True), (4, 4, 0, True), (4, 0, 4, False), (4, 0, 15, False)):
        await fresh()
        dut.mask_i.value = masked
        assert await cycle(irq_i=first) == []
        seen = await cycle(irq_i=second)        # as the vector is chosen: one more
        if second:
            seen += await cycle(irq_valid_i=1, irq_vector_i=2)
        for _ in range(300):
            seen += await cycle()
        assert ("lost" in seen) == found and set(seen) <= {"lost"}, (first, second, masked, seen)
