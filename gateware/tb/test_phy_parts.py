# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Do scrambler, finder of ordered sets, receiver of packets and elastic buffer each do what a few lines of Python say, at
whichever half of a pair things begin?"""

import os
import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, Timer

from clocked import number
from lanescope_symbols import symbol as s
from lanescope_symbols.scramble import SEQUENCE_16

SEED = int(os.environ.get("SEED", "1"))
# Behind COM: a public DisplayPort scrambler's header (docs/coding.md).
VECTOR = bytes.fromhex("FF17C014B2E70282726E28A6BE6DBF8D")


async def begun(dut, wr=8000, rd=8000):
    for clk, period in ((dut.clk_i, wr), (dut.rd_clk_i, rd)):
        cocotb.start_soon(Clock(clk, period, "ps").start())
    for name in ("off_i", "valid_i", "bad_i", "pair_i", "rst_ni"):
        getattr(dut, name).value = 0
    await Timer(80, "ns")
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1


async def through(dut, symbols, look, gaps=None):
    """Gives the symbols two a clock, and calls `look` behind each; in clocks that `gaps` draws there are none."""
    symbols = symbols + [0] * (len(symbols) % 2 + 4)
    dut.valid_i.value = 1
    for at in range(0, len(symbols), 2):
        while gaps and gaps.random() < 0.2:
            dut.valid_i.value = 0
            dut.pair_i.value = gaps.randrange(1 << 18)
            await FallingEdge(dut.clk_i)
            look()
        dut.valid_i.value = 1
        dut.pair_i.value = symbols[at] | symbols[at + 1] << 9
        await FallingEdge(dut.clk_i)
        look()
    dut.valid_i.value = 0
    await FallingEdge(dut.clk_i)
    look()


def training(draw, identifier=None):
    link, lane = (s.PAD if draw.random() < 0.5 else draw.randrange(32) for _ in "12")
    fields = [link, lane, draw.randrange(256), draw.randrange(256), draw.randrange(256)]
    return [s.COM, *fields, *[identifier or draw.choice((0x4A, 0x45))] * 10]


def drawn(draw, count):
    """Symbols of a link: training, SKP, packets and idle, so that things begin in either half."""
    out = []
    for _ in range(count):
        kind = draw.randrange(4)
        if kind == 0:
            out += training(draw)
        elif kind == 1:
            out += [s.COM] + [s.SKP] * draw.randrange(1, 6)
        elif kind == 2:
            out += [s.STP, *draw.randbytes(draw.randrange(1, 40)), s.END]
        else:
            out += [0] * draw.randrange(1, 9)
    return out


def scrambled(symbols):
    """By the second decoder's sequence."""
    at, left, out = 0, 0, []
    for one, before in zip(symbols, [0, *symbols]):
        if before == s.COM and (not one & s.K or one == s.PAD):
            left = 15
        plain = one & s.K or left > 0
        out.append(one if plain else one ^ SEQUENCE_16[at % 65535])
        left = max(left - 1, 0)
        if one == s.COM:
            at = 0
        elif one != s.SKP:
            at += 1
    return out


@cocotb.test()
async def the_scrambler_gives_what_others_have_printed(dut):
    await begun(dut)
    pair, out = number(dut.key_pair_o), []
    await through(dut, [s.COM, s.SKP] + [0] * 16, lambda: out.extend((pair() & 0x1FF, pair() >> 9)))
    at = out.index(s.COM)
    assert bytes(out[at + 2:at + 18]) == VECTOR


@cocotb.test()
async def the_scrambler_follows_the_second_decoder(dut):
    await begun(dut)
    draw = random.Random(SEED)
    symbols = [s.COM, s.SKP] + drawn(draw, 400)
    pair, valid, out = number(dut.key_pair_o), number(dut.key_valid_o), []
    await through(dut, symbols, lambda: out.extend((pair() & 0x1FF, pair() >> 9)) if valid() else None, draw)
    assert out[:len(symbols)] == scrambled(symbols)
    back = []
    await through(dut, out[:len(symbols)], lambda: back.extend((pair() & 0x1FF, pair() >> 9)) if valid() else None, draw)
    assert back[:len(symbols)] == symbols


@cocotb.test()
async def ordered_sets_are_found_and_damaged_ones_are_not(dut):
    await begun(dut)
    draw = random.Random(SEED + 1)
    symbols, wanted = [0], []
    for _ in range(300):
        kind = draw.randrange(7)
        if kind < 3:
            one = training(draw, draw.choice((0x4A, 0x45, 0xB5, 0xBA)))
            hit = draw.randrange(64)
            if hit < 10:        # an identifier that is another, a control symbol where none may be, or COM that is none
                at, to = ((6 + hit, one[6] ^ 0xF), (3 + hit % 3, s.SKP), (0, 0x1FE))[hit % 3]
                one[at] = to
            else:
                wanted.append(("ts", tuple(one[1:6]), one[6] in (0x45, 0xBA), one[6] in (0xB5, 0xBA)))
            symbols += one
        elif kind == 3:
            symbols += [s.COM] + [s.SKP] * draw.randrange(1, 6)
            wanted.append(("skp",))
        elif kind == 4:
            symbols += [s.COM] + [s.IDL] * 3
            wanted.append(("eios",))
        else:
            symbols += [draw.randrange(256) for _ in range(draw.randrange(5))]
    got = []
    valid, inverted, ts, skp, eios = (number(x) for x in (dut.ts_valid_o, dut.inverted_o, dut.ts_o, dut.skp_o, dut.eios_o))

    def look():
        if skp():
            got.append(("skp",))
        if eios():
            got.append(("eios",))
        if valid():
            word = ts()
            fields = (word >> 33 & 511, word >> 24 & 511, word >> 16 & 255, word >> 8 & 255, word & 255)
            got.append(("ts", fields, bool(word >> 42), bool(inverted())))
    await through(dut, symbols, look, draw)
    assert got == wanted, next((n, a, b) for n, (a, b) in enumerate(zip(got, wanted)) if a != b)


@cocotb.test()
async def packets_come_out_whole_and_what_is_cut_is_told(dut):
    await begun(dut)
    draw = random.Random(SEED + 2)
    symbols, wanted = [0], []
    for _ in range(300):
        body = draw.randbytes(2 * draw.randrange(1, 30) + (draw.random() < 0.1))
        first, last = draw.choice((s.STP, s.SDP)), draw.choice((s.END, s.END, s.EDB, s.COM, s.STP))
        cut = last in (s.COM, s.STP)
        symbols += [first, *body, last]
        if last == s.STP:       # the packet that cuts is there, too
            symbols += [1, 2, s.END]
        wanted.append((first == s.SDP, body[:len(body) // 2 * 2], cut or len(body) % 2 == 1, last == s.EDB))
        if last == s.STP:
            wanted.append((False, b"\1\2", False, False))
        symbols += [0] * draw.randrange(3)
    got, packet = [], [None, b""]
    start, dllp, valid, word, ends, bad, edb = (number(x) for x in (
        dut.start_o, dut.dllp_o, dut.word_valid_o, dut.word_o, dut.end_o, dut.end_bad_o, dut.edb_o))

    def look():
        if valid():
            packet[1] += word().to_bytes(2, "little")
        if ends():
            got.append((packet[0], packet[1], bool(bad()), bool(edb())))
        if start():
            packet[:] = bool(dllp()), b""
    await through(dut, symbols, look, draw)
    assert got == wanted, next((n, a, b) for n, (a, b) in enumerate(zip(got, wanted)) if a != b)


async def elastic(dut, periods, pairs, odd):
    """Numbered data with SKP ordered sets, written and read; what came out."""
    await begun(dut, *periods)
    out, seen = [], {"added": 0, "empty": 0}
    valid, pair, added, empty = (number(x) for x in (dut.el_valid_o, dut.el_pair_o, dut.added_o, dut.empty_o))

    async def read():
        while True:
            await FallingEdge(dut.rd_clk_i)
            seen["added"] += added()
            seen["empty"] += empty()
            if valid():
                out.extend((pair() & 0x1FF, pair() >> 9))
    cocotb.start_soon(read())
    symbols, at = [0] * odd, 0
    while len(symbols) < 2 * pairs:
        symbols += [s.COM, s.SKP, s.SKP, s.SKP]
        for _ in range(1538 + 540):     # the most between two ordered sets
            at = at % 250 + 1
            symbols.append(at)
    await through(dut, symbols, lambda: None)
    await Timer(300, "ns")
    return symbols, out, seen


def without_skips(symbols):
    return [one for one in symbols if one != s.SKP]


async def holds(dut, periods, odd):
    symbols, out, seen = await elastic(dut, periods, 12000, odd)
    length = min(len(without_skips(out)), len(without_skips(symbols)))
    assert length > 20000 and without_skips(out)[:length] == without_skips(symbols)[:length]
    runs = []
    for one, before in zip(out, [0, *out]):
        if one == s.SKP:
            runs.append(1) if before != s.SKP else runs.append(runs.pop() + 1)
    assert set(runs[:-1]) <= {1, 3, 5}, set(runs)
    return runs[:-1], seen


@cocotb.test()
async def equal_clocks_change_nothing(dut):
    runs, seen = await holds(dut, (8000, 8000), 1)
    assert set(runs) == {3} and not seen["added"] and seen["empty"] <= 1


@cocotb.test()
async def a_quick_writer_loses_skips_alone(dut):
    runs, _ = await holds(dut, (8000, 8006), 1)
    assert 1 in runs and 5 not in runs, runs


@cocotb.test()
async def a_slow_writer_gains_skips_alone(dut):
    runs, seen = await holds(dut, (8006, 8000), 0)
    assert 5 in runs and 1 not in runs and seen["added"] and seen["empty"] <= 1, (runs, seen)
