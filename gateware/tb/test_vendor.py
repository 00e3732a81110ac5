# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What is asked of one vendor's block alone."""

import os
import random

import cocotb
from cocotb.triggers import Timer
from cocotb.utils import get_sim_time
from cocotbext.pcie.core.tlp import CplStatus, Tlp, TlpType
from cocotbext.pcie.core.utils import PcieId
from cocotbext.pcie.xilinx.us.tlp import Tlp_us as UspTlp

from bench import bench
from driver import Ring
from seven_series import to_dws
from streams import frame_beats

SEVEN = os.environ.get("TOP") == "ls_top_7s"
STRADDLE = os.environ.get("STRADDLE") == "1"


@cocotb.test(timeout_time=1500, timeout_unit="us")
async def rings_and_window(dut):
    """Descriptor rings in both directions at once, while the host writes the window."""
    rc, card, d = await bench(dut)
    rings = [Ring(d, 0, log2=5), Ring(d, 1, log2=5)]
    for r in rings:
        await r.open(count=4, time=500)
    addr, mem = rc.alloc_region(0x20000)
    mem[0:0x8000] = src = random.randbytes(0x8000)
    back = [random.randbytes(random.choice([3, 64, 900, 1500])) for _ in range(16)]
    for f in back:
        card.c2h.put(frame_beats(f, card.width))
    await rings[1].post([(addr + 0x10000 + 0x800 * i + i, len(f), 1, 1, 0, i) for i, f in enumerate(back)])
    take = [(random.randrange(0x7000), random.choice([1, 64, 777, 2000])) for _ in range(16)]
    await rings[0].post([(addr + a, n, 1, 1, 0, i) for i, (a, n) in enumerate(take)])
    poured = random.randbytes(3000)
    await rc.mem_write(d.win + 5, poured[:2000])
    await rc.mem_write(d.win + 0x80000 + 2005, poured[2000:2100])
    for a, n in take:
        got, error = await card.h2c.frame()
        assert got == src[a:a + n] and not error
    for r in rings:
        done = 0
        while done < 16:
            rec = await r.record()
            assert rec["regular"], rec
            done += rec["count"]
    for i, f in enumerate(back):
        at = 0x10000 + 0x800 * i + i
        assert mem[at:at + len(f)] == f
    got, error = await card.win.frame()
    assert got == poured[:2100] and not error
    if SEVEN and card.width == 128:
        assert card.block.straddled > 10, card.block.straddled


@cocotb.test(timeout_time=1500, timeout_unit="us", skip=not STRADDLE)
async def tlps_that_share_a_beat_keep_their_bytes(dut):
    """Completions and window writes that have piled up in the block, requests of both kinds close together:
    many TLPs begin where others end, of all sizes, and the byte enables stay with their own."""
    rc, card, d = await bench(dut)
    rq, completions, requests, _ = card.sides
    addr, mem = rc.alloc_region(0x20000)
    mem[0:0x8000] = src = random.randbytes(0x8000)
    for _ in range(8):
        take = [(random.randrange(0x7000), random.choice([1, 4, 5, 16, 52, 64, 100, 256])) for _ in range(16)]
        completions.pause = requests.pause = True
        for a, n in take:
            card.command("h2c", addr + a, n)
        poured, at = random.randbytes(600), 0
        while at < len(poured):
            n = min(random.choice([1, 2, 3, 4, 5, 16, 17, 64, 130]), len(poured) - at)
            await rc.mem_write(d.win + (0x80000 if at + n == len(poured) else 0) + at, poured[at:at + n])
            at += n
        back = [random.randbytes(random.choice([1, 16, 48, 64, 256])) for _ in range(8)]
        for i, f in enumerate(back):
            card.c2h.put(frame_beats(f, card.width))
            card.command("c2h", addr + 0x10000 + 0x400 * i, len(f))
        await Timer(3, "us")
        completions.pause = requests.pause = False
        for a, n in take:
            assert await card.h2c.frame() == (src[a:a + n], 0)
        assert await card.win.frame() == (poured, 0)
        for _ in back:
            assert (await card.done("c2h"))["cause"] == 0
        await Timer(2, "us")                         # posted
        for i, f in enumerate(back):
            assert mem[0x10000 + 0x400 * i:0x10000 + 0x400 * i + len(f)] == f
    assert completions.straddled > 20, completions.straddled
    if card.width == 512:
        assert requests.straddled > 20 and card.rules.straddled > 20, (requests.straddled, card.rules.straddled)


@cocotb.test(timeout_time=1500, timeout_unit="us", skip=not SEVEN or os.environ.get("TWO_CLOCKS") == "1")
async def reaches_the_ceiling_of_the_block(dut):
    """A write of MPS is header and payload in whole beats, back to back."""
    rc, card, d = await bench(dut, mps=1)
    addr, mem = rc.alloc_region(0x10000)
    card.block.tx_room = 1000
    total = 0x4000
    card.c2h.put(frame_beats(random.randbytes(total), card.width))
    await Timer(300, "ns")
    b = card.block
    b.beats, b.payload, b.window = 0, 0, [None, 0]
    card.command("c2h", addr, total)
    await card.done("c2h")
    await Timer(200, "ns")
    dws = card.width // 32
    per_tlp = -(-(3 + 64) // dws)                # header of 3 DWs and 256 bytes
    ceiling = 256 / (per_tlp * card.width // 8)
    got = b.payload / ((b.window[1] - b.window[0] + 1) * card.width // 8)
    print(f"ceiling {ceiling:.4f} reached {got:.4f}", flush=True)
    assert b.payload == total and got >= 0.99 * ceiling, (got, ceiling)


@cocotb.test(timeout_time=1, timeout_unit="ms", skip=not SEVEN)
async def a_bar_of_64_bit_has_its_lower_number(dut):
    """The 7-series block shows both of its bits with each request (PG054, rx_bar_hit): BAR 0 and BAR 2 of 64 bit are
    registers and window as those of 32 bit are."""
    rc, card, d = await bench(dut)
    card.block.bar_bits = 3
    await d.write(0x8000, 0x1234)
    assert await d.read(0x8000) == 0x1234
    await rc.mem_write(d.win + 0x80000, b"a" * 20)
    assert await card.win.frame() == (b"a" * 20, 0)


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def an_atomic_request_is_answered_once(dut):
    """Operands are no second request: FetchAdd (4, 8 bytes) and CAS (8, 16) to BAR 0 get UR each."""
    rc, card, d = await bench(dut)
    await d.write(0x8000, 0x1234)

    def request(kind, size, tag):
        t = Tlp()
        t.fmt_type, t.requester_id, t.tag = kind, PcieId(0, 0, 0), tag
        t.address, t.length, t.data = d.dev.bar_addr[0] + 0x8000, size // 4, bytearray(random.randbytes(size))
        t.first_be, t.last_be = 15, 15 if size > 4 else 0
        return t
    asked = [request(TlpType.FETCH_ADD, 4, 1), request(TlpType.FETCH_ADD, 8, 2), request(TlpType.CAS, 8, 3),
             request(TlpType.CAS, 16, 4)]
    before = len(card.seen)
    for t in asked:
        if SEVEN:
            card.block.rx.append((to_dws(t), 1, None))
        else:
            card.device.cq_queue.put_nowait(UspTlp(t))
    await Timer(2, "us")
    answers = [t for t in card.seen[before:] if t.is_completion()]
    assert [t.tag for t in answers] == [1, 2, 3, 4], answers
    assert all(t.status == CplStatus.UR for t in answers), answers
    assert await d.read(0x8000) == 0x1234


def split(tlp, at):
    """A completion in two, as a completer may send it."""
    first, second = Tlp(tlp), Tlp(tlp)
    first.data, second.data = tlp.data[:at], tlp.data[at:]
    first.length, second.length = at // 4, (len(tlp.data) - at) // 4
    second.byte_count = tlp.byte_count - at
    second.lower_address = (tlp.lower_address + at) & 0x7f
    return first, second


def late_pieces(card, wanted):
    """Keeps completions that `wanted` chooses, and gives the list of them."""
    kept = []

    def damage(t):
        if not wanted(t):
            return t
        kept.append(t)
        return None
    card.link.damage = damage
    return kept


@cocotb.test(timeout_time=2, timeout_unit="ms", skip=SEVEN)
async def what_fits_no_request_ends_none(dut):
    """Later than the block's own timeout, the block says `invalid tag`: that ends nothing, so the tag is
    not used again and a piece that is later still finds no request to land in."""
    rc, card, d = await bench(dut, mps=0, mrrs=0)
    await d.write(0x18, 16, 4)                       # a tick of 4096 cycles, 16 us
    addr, mem = rc.alloc_region(0x1000)
    mem[0:0x1000] = b"\x11" * 0x1000
    kept = late_pieces(card, lambda t: t.tag == 0)
    card.command("h2c", addr, 128, ident=1)
    await Timer(1, "us")
    assert len(kept) == 1
    halves = split(kept[0], 64)
    card.link.damage = None
    await Timer(card.TIMEOUT_NS, "ns")               # the block has given the request up
    await card.link.inject(halves[0])
    await Timer(1, "us")
    mem[0:0x1000] = new = b"\x22" * 0x1000
    card.link.delay_ns = 2000
    for i in range(40):                              # more than there are tags
        card.command("h2c", addr + 64, 64, ident=2 + i)
    await Timer(1500, "ns")
    await card.link.inject(halves[1])
    first = await card.done("h2c")
    assert first["cause"] == 1 and first["id"] == 1, first
    assert (await card.h2c.frame())[1], "the first frame has no error"
    for i in range(40):
        done = await card.done("h2c")
        got, error = await card.h2c.frame()
        assert error == bool(done["cause"]) and (error or got == new[:64]), (i, done, got)
        assert not done["cause"], done


@cocotb.test(timeout_time=2, timeout_unit="ms", skip=SEVEN)
async def what_the_block_breaks_off_is_not_delivered_as_good(dut):
    """`discontinue` with the last beat: of data, of descriptors, of a register write, of the window."""
    rc, card, d = await bench(dut, mps=0)
    addr, mem = rc.alloc_region(0x10000)
    mem[0:0x1000] = src = random.randbytes(0x1000)
    broken = dict(rc=lambda t: False, cq=lambda t: False)
    for name in broken:
        queue = getattr(card.device, f"{name}_queue")
        put = queue.put_nowait

        def breaks(t, put=put, name=name):
            t.discontinue = broken[name](t)
            put(t)
        queue.put_nowait = breaks
    for n in range(3):                               # each piece of a request of three
        seen = []
        broken["rc"] = lambda t: t.tag < 128 and (seen.append(t) or len(seen) - 1 == n)
        card.command("h2c", addr, 384)
        done = await card.done("h2c")
        assert done["cause"] == 4, (n, done)
        assert (await card.h2c.frame())[1]
    broken["rc"] = lambda t: False
    card.command("h2c", addr, 384)
    assert (await card.done("h2c"))["cause"] == 0
    assert await card.h2c.frame() == (src[:384], 0)
    for ch in (0, 1):
        ring = Ring(d, ch, log2=5)
        await ring.open(count=1, time=10)
        broken["rc"] = lambda t: t.tag >= 128
        before = len(card.seen)
        await ring.post([(addr + 64 * i, 64, 1, 1, 0, i) for i in range(8)])
        said = await ring.record()
        assert said["cause"] == 7 and said["total"] == 1, said
        await Timer(1, "us")
        assert all(t.tag >= 128 or t.length == 4 for t in card.seen[before:] if not t.is_completion()), \
            "a descriptor of a broken completion was used"
        broken["rc"] = lambda t: False
        await d.write(ring.base, 0, 4)
    await d.write(0x10, 0xfff)
    await d.write(0x8000, 0x1111)
    await d.read(0x8000)
    broken["cq"] = lambda t: t.has_data()
    await d.write(0x8000, 0x2222)
    await rc.mem_write(d.win, b"a" * 100)
    await Timer(500, "ns")                           # they are posted
    broken["cq"] = lambda t: False
    assert await d.read(0x8000) == 0x1111
    assert await d.read(0x10) == 1 << 6
    await rc.mem_write(d.win + 0x80000, b"b" * 10)
    got, error = await card.win.frame()
    assert error, (got, error)


@cocotb.test(timeout_time=2, timeout_unit="ms")
async def a_function_level_reset_is_as_a_reset(dut):
    """In the middle of everything: no request leaves, completions of old ones are dropped, the block is told in
    time, registers are as after reset, and all of it works again."""
    rc, card, d = await bench(dut)
    rest_ns = 4 * int(os.environ["FLR_REST"])
    fresh = {a: await d.read(a) for a in range(0x00, 0x400, 8) if a & 0xff < 0x50}
    addr, mem = rc.alloc_region(0x40000)
    mem[0:0x20000] = src = random.randbytes(0x20000)
    for round in range(3):
        await d.write(0x18, 8, 4)
        await d.msix(rc.msi_alloc_vectors(4))
        await d.write(0x100c, 0, 4)
        await d.write(0x1018, 0x1234, 4)
        rings = [Ring(d, 0, log2=5), Ring(d, 1, log2=5)]
        for r in rings:
            await r.open(count=1, time=10)
        card.link.delay_ns = 4000                    # completions come while the reset is under way
        card.c2h.put(frame_beats(random.randbytes(0x4000), card.width))
        card.h2c.pause.stuck = round == 1
        card.win.pause.stuck = round == 2
        await rings[0].post([(addr + 0x1000 * i, 0x1000, 1, 1, 1, i) for i in range(12)])
        await rings[1].post([(addr + 0x20000 + 0x1000 * i, 0x1000, 1, i == 3, 1, i) for i in range(4)])
        cocotb.start_soon(rc.mem_write(d.win + 8, bytes(0x1800 if round == 2 else 100)))  # a frame without end
        await Timer(random.randint(4500, 9000), "ns")
        began = get_sim_time("ns")
        ended = cocotb.start_soon(card.reset_function())
        await Timer(1, "us")
        before = len(card.seen)
        await ended
        took = get_sim_time("ns") - began
        assert rest_ns <= took < rest_ns + 2000, took
        assert len(card.seen) == before, card.seen[before:]
        card.link.delay_ns = 0
        card.h2c.pause.stuck = card.win.pause.stuck = False
        for s in (card.c2h, card.p2p):
            s.drop()
        await Timer(200, "ns")
        for s in (card.h2c, card.win):
            s.frames.clear()
            s.open.clear()
        await d.start()
        await Timer(100, "ns")
        now = {a: await d.read(a) for a in fresh}
        assert now == fresh, {hex(a): (hex(now[a]), hex(fresh[a])) for a in fresh if now[a] != fresh[a]}
        for a in (0x1000, 0x1008, 0x1018):
            assert await d.read(a) == (1 << 32 if a & 8 else 0), hex(a)
        rings = [Ring(d, 0, log2=5), Ring(d, 1, log2=5)]
        for r in rings:
            await r.open(count=1, time=10)
        back = random.randbytes(2000)
        card.c2h.put(frame_beats(back, card.width))
        await rings[0].post([(addr + 0x40 * i, 3000, 1, 1, 0, i) for i in range(8)])
        await rings[1].post([(addr + 0x30000, 4000, 1, 1, 0, 5)])
        await rc.mem_write(d.win + 0x80000, src[:10])
        for i in range(8):
            assert await card.h2c.frame() == (src[0x40 * i:0x40 * i + 3000], 0), i
            assert (await rings[0].record())["regular"]
        said = await rings[1].record()
        assert said["length"] == 2000 and mem[0x30000:0x30000 + 2000] == back, said
        assert await card.win.frame() == (src[:10], 0)
        assert await d.read(0x10) == 0
        for r in rings:
            await r.abort()
