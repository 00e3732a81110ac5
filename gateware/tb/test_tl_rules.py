# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What the transaction layer does at the edges: no credits, too much, what is malformed or for nobody, a link that goes down, a reset of the function."""

from cocotb import test

from test_tl import C, CA, NP, P, SC, UR, Traffic, completion, cost, ends, request, up

WRITE, READ = 0x40, 0x00
UNCOR, COR, DEVICE = 0x104, 0x110, 0x68
UNLIMITED = ((0, 0), (0, 0), (0, 0))


def kinds(bench, since=0):
    return [cost(tlp)[0] for tlp in bench.root.got[since:]]


@test()
async def no_write_goes_without_a_header_credit(dut):
    bench = await up(dut, 20, finite=((3, 0), (2, 0), (0, 0)))
    bench.root.hold = True
    for n in range(6):
        bench.card.write(0x9000_0000 + 64 * n, b"1234")
        bench.card.read(0x8000_0000 + 64 * n, 4, n)
    before = len(bench.root.got)
    await bench.wait(600)
    # Each class as far as it may; a class that waits holds up no other.
    assert kinds(bench, before).count(P) == 3 and kinds(bench, before).count(NP) == 2
    assert await bench.config(0) == 0x0001_1234
    bench.root.hold = False
    await bench.quiet()
    assert kinds(bench, before).count(P) == 6 == kinds(bench, before).count(NP)


@test()
async def data_credits_are_used_to_the_last(dut):
    bench = await up(dut, 21, finite=((0, 13), (0, 0), (0, 0)))
    bench.root.hold = True
    before = len(bench.root.got)
    for count in (128, 17, 33, 1):          # 8, 2, 3 credits: 13; and one more
        bench.card.write(0x9000_0000, bytes(count))
    await bench.wait(600)
    assert kinds(bench, before) == [P] * 3
    bench.root.hold = False
    await bench.quiet()
    assert kinds(bench, before) == [P] * 4


@test()
async def completions_wait_for_credits_and_nothing_else_does(dut):
    """One may go, with data for one: the second waits, and with it the requests that are not posted; posted ones pass them."""
    bench = await up(dut, 22, enumerate=False, finite=((0, 0), (0, 0), (3, 1)))
    bench.root.back = 0
    await bench.enumerate()
    bench.root.hold = True
    await bench.wait(60)
    before = len(bench.root.got)
    base = bench.bars[0]
    for n in range(3):
        bench.root.queue += [request(READ, base, 2, 0xF, 0xF, 0x80 + n), request(WRITE, base + 0x100 + 4 * n, 1, 0xF, 0, 0, data=b"abcd")]
    bench.card.write(0x9000_0000, bytes(64))
    await bench.wait(600)
    assert sorted(kinds(bench, before)) == [P, C], kinds(bench, before)
    assert bench.card.mem[0][0x100:0x10C] == b"abcd" * 3 and len([h for h in bench.card.seen if h["kind"] == 0]) == 2
    bench.root.hold = False
    await bench.quiet()
    assert kinds(bench, before).count(C) == 3


@test()
async def requests_that_are_not_posted_wait_for_those_before_them(dut):
    bench = await up(dut, 23)
    bench.card.dead = True
    bench.root.queue.append(request(WRITE, bench.bars[2], 1, 0xF, 0, 0, data=b"late"))
    tag = bench.tag()
    bench.root.queue.append(request(0x04, 0x0100_0000, 1, 0xF, 0, tag))
    await bench.wait(600)
    assert tag not in bench.root.answers and not bench.root.queue
    bench.card.dead = False
    await bench.answer(tag)
    assert bench.card.mem[2][:4] == b"late"
    await bench.quiet()


@test()
async def credits_go_round(dut):
    """More than 256 headers and 4,096 data credits either way, in classes that are bounded."""
    bench = await up(dut, 24, finite=((5, 40), (3, 0), (4, 4)))
    traffic = Traffic(bench, 128)
    bench.root.back = 10
    for n in range(600):
        at = 128 * n
        data = bench.draw.randbytes(128)
        bench.card.write(0x9000_0000 + at, data)
        traffic.expected.update((0x9000_0000 + at + i, byte) for i, byte in enumerate(data))
        bench.root.queue.append(request(WRITE, bench.bars[2] + at % 0x10000, 32, 0xF, 0xF, 0, data=data))
        traffic.shadow[2][at % 0x10000:at % 0x10000 + 128] = data
        if n % 2:
            traffic.host_read()
            traffic.look()
        await bench.until(lambda: len(bench.root.queue) <= 12 and len(bench.card.writes) <= 6, 20000)
    await traffic.run(1, (Traffic.host_read,))
    assert bench.root.used[P][0] > 512 and bench.root.used[P][1] > 4096 and bench.root.taken[P][1] > 4096 and bench.root.taken[C][0] > 256


@test()
async def what_comes_beyond_its_credits_is_dropped_and_told(dut):
    bench = await up(dut, 25)
    bench.card.dead, bench.root.cheats = True, True
    headers = bench.root.initial[P][0]
    for n in range(headers + 3):
        bench.root.queue.append(request(WRITE, bench.bars[0] + 4 * n, 1, 0xF, 0, 0, data=(n + 1).to_bytes(4, "little")))
    await bench.until(lambda: not bench.root.queue, 2000)
    await bench.wait(40)
    assert bench.errors["overflow"] == 3, bench.errors
    bench.card.dead = False
    await bench.wait(600)
    words = [int.from_bytes(bench.card.mem[0][4 * n:4 * n + 4], "little") for n in range(headers + 3)]
    assert words == [n + 1 for n in range(headers)] + [0, 0, 0]
    assert await bench.config(UNCOR) == 1 << 17 and await bench.config(DEVICE) >> 16 == 4          # fatal


@test()
async def data_beyond_its_credits_is_dropped_too(dut):
    bench = await up(dut, 26)
    bench.card.dead, bench.root.cheats = True, True
    credits = bench.root.initial[P][1]
    for n in range(credits // 8 + 2):
        bench.root.queue.append(request(WRITE, bench.bars[2] + 128 * n, 32, 0xF, 0xF, 0, data=bytes([n + 1]) * 128))
    await bench.until(lambda: not bench.root.queue, 4000)
    await bench.wait(200)
    assert bench.errors["overflow"] == 2, bench.errors
    bench.card.dead = False
    await bench.wait(4000)
    assert [bench.card.mem[2][128 * n] for n in range(credits // 8 + 2)] == [n + 1 for n in range(credits // 8)] + [0, 0]


@test()
async def what_is_malformed_is_dropped_and_gives_its_credits_back(dut):
    bench = await up(dut, 27)
    base = bench.bars[0]
    good = request(WRITE, base, 4, 0xF, 0xF, 0, data=b"good" * 4)
    wrong = [
        request(WRITE, base, 4, 0xF, 0xF, 0, data=b"long" * 5), request(WRITE, base, 4, 0xF, 0xF, 0, data=b"shrt" * 3),
        request(WRITE, base, 33, 0xF, 0xF, 0, data=b"over" * 33),                       # above Max_Payload_Size
        request(READ, base, 1, 0xF, 0, 0, data=b"data"), request(READ, base, 1, 0xF, 0, 0)[:8],
        request(0x04, 0x0100_0000, 1, 0xF, 0, 0) + bytes(4), request(0x44, 0x0100_0004, 1, 0xF, 0, 0),
        bytes([good[0], good[1], good[2] | 0x80]) + good[3:],                           # a digest that is not there
        bytes([0x1F]) + good[1:], bytes([0x60 | 0x04]) + good[1:], bytes([0x4D, *good[1:]]) + bytes(4), bytes([0x80]) + good[1:],
        completion(0x0100, 0, SC, 4, 0, b"long" * 2)[:-4], request(READ, base, 1, 0xF, 0, 0)[:2], good[:4],
    ]
    for n, tlp in enumerate(wrong):
        bench.root.queue += [tlp, good]
        await bench.wait(150)
        assert bench.errors["malformed"] == n + 1, (n, bench.errors)
        of, data = cost(tlp)
        if tlp[0] in (0x1F, 0x64, 0x80):        # of no class
            bench.root.used[of] = [bench.root.used[of][0] - 1, bench.root.used[of][1] - data]
    assert bench.card.mem[0][:16] == b"good" * 4 and len(bench.card.seen) == len(wrong)
    await bench.quiet()
    assert await bench.config(UNCOR) == 1 << 18
    await bench.config(UNCOR, 1 << 18)
    assert await bench.config(UNCOR) == 0


@test()
async def what_is_longer_than_any_tlp_hurts_no_other(dut):
    """Of each class one that never ends for long, while others wait in the buffer."""
    bench = await up(dut, 38)
    bench.card.dead, base = True, bench.bars[0]
    for n in range(20):
        bench.root.queue.append(request(WRITE, base + 4 * n, 1, 0xF, 0, 0, data=(n + 1).to_bytes(4, "little")))
    await bench.until(lambda: not bench.root.queue, 2000)
    for head, length in ((request(WRITE, base, 1, 0xF, 0, 0, data=bytes(4)), 5000), (request(0x44, 0x0100_003C, 1, 0xF, 0, 0, data=bytes(4)), 5000),
                         (completion(0x0100, 0, SC, 4, 0, bytes(4)), 5000)):
        bench.root.queue.append(head + bytes(length))
    tag = bench.tag()
    bench.root.queue.append(request(READ, base, 1, 0xF, 0, tag))
    await bench.until(lambda: not bench.root.queue and not bench.root.words, 20000)
    bench.card.dead = False
    await bench.answer(tag)
    await bench.quiet()
    assert [h["addr"] - base for h in bench.card.seen] == [4 * n for n in range(20)] + [0] and bench.errors["malformed"] == 3
    assert [int.from_bytes(bench.card.mem[0][4 * n:4 * n + 4], "little") for n in range(20)] == list(range(1, 21))


@test()
async def what_is_hit_costs_no_credit(dut):
    bench = await up(dut, 39)
    bench.root.hurt = 0.8
    for n in range(80):
        bench.root.queue.append(request(WRITE, bench.bars[2] + 64 * n, 16, 0xF, 0xF, 0, data=bytes([n]) * 64))
        bench.root.queue.append(request(0x04, 0x0100_0000, 1, 0xF, 0, bench.tag()))
    await bench.quiet(90000)
    assert [bench.card.mem[2][64 * n] for n in range(80)] == list(range(80)) and not any(bench.errors.values())


@test()
async def reads_of_4096_bytes(dut):
    bench = await up(dut, 40)
    bench.root.memory.update((0x8000_0000 + n, bench.draw.randrange(256)) for n in range(4096))
    bench.card.read(0x8000_0000, 4096, 1)
    await bench.quiet(30000)
    assert bench.card.done[1] == (0x8000_0000, bytes(bench.root.memory[0x8000_0000 + n] for n in range(4096)))


@test()
async def what_nothing_takes_is_answered_with_ur(dut):
    bench = await up(dut, 28)
    base, far = bench.bars[0], 0x4000_0000

    async def asks(tlp, status=UR, count=4, lower=0):
        at = bench.tag()
        tlp = tlp[:6] + bytes([at]) + tlp[7:]
        bench.root.queue.append(tlp)
        answer = await bench.answer(at)
        assert (answer["status"], answer["data"]) == (status, b""), (tlp.hex(), answer)
        assert (answer["count"], answer["lower"]) == (count, lower), (tlp.hex(), answer)
        assert answer["attr"] == (tlp[2] >> 4 & 3)

    for at, count in ((0, 1), (3, 1), (1, 2), (0, 4), (2, 5), (3, 128), (0, 512), (1, 30)):
        length, first, last = ends(far + at, count)
        await asks(request(READ, far + at, length, first, last, 0, attr=2), count=count, lower=at & 0x7F)
    await asks(request(READ, far + 0x78, 1, 0, 0, 0), count=1, lower=0x78)             # of no byte
    assert not bench.errors["posted_ur"] and bench.errors["ur"] == 9
    for tlp in (request(0x01, base, 1, 0xF, 0, 0), request(0x02, 0x100, 1, 0xF, 0, 0), request(0x42, 0x100, 1, 0xF, 0, 0, data=b"data"),
                request(0x05, 0x0100_0000, 1, 0xF, 0, 0), request(0x45, 0x0100_0000, 1, 0xF, 0, 0, data=b"data"),
                request(0x4C, base, 1, 0xF, 0, 0, data=b"atom"), request(0x4E, base, 4, 0xF, 0xF, 0, data=b"atom" * 4),
                request(0x44, 0x0100_003C, 1, 0xF, 0, 0, data=b"bad.", ep=1)):
        await asks(tlp)
    assert await bench.config(0x3C) == 0 and not bench.card.seen
    # Beside the BARs, and below and above by one.
    for at in (base - 4, base + 0x10000, bench.bars[2] - 4, bench.bars[2] + 0x100000, bench.bars[2] & 0xFFFF_FFFF, base | 1 << 32):
        await asks(request(READ, at, 1, 0xF, 0, 0), lower=at & 0x7F)
    for at in (base, base + 0xFFFC, bench.bars[2], bench.bars[2] + 0xFFFFC):
        bench.root.queue.append(request(READ, at, 1, 0xF, 0, bench.tag()))
        assert (await bench.answer(bench.tags))["status"] == SC
    assert [h["bar"] for h in bench.card.seen] == [0, 0, 2, 2]
    # Told as an error that is not fatal, and where it is made fatal as that.
    assert await bench.config(UNCOR) == 1 << 20 | 1 << 12 and await bench.config(COR) == 1 << 13 and await bench.config(DEVICE) >> 16 == 0b1011
    await bench.config(UNCOR, 0xFFFF_FFFF), await bench.config(COR, 0xFFFF_FFFF), await bench.config(DEVICE, 0xF_0000, 0xC)
    await bench.config(0x10C, 1 << 20)
    await asks(request(READ, far, 1, 0xF, 0, 0))
    assert await bench.config(UNCOR) == 1 << 20 and await bench.config(COR) == 0 and await bench.config(DEVICE) >> 16 == 0b1100
    # Memory is off, or the power state is not D0.
    for off, on in (((0x04, 4, 1), (0x04, 6, 1)), ((0x44, 3), (0x44, 0))):
        await bench.config(*off)
        for at in (base, bench.bars[2]):
            await asks(request(READ, at, 1, 0xF, 0, 0))
        await bench.config(*on)
    await bench.quiet()


@test()
async def posted_requests_for_nothing_are_dropped(dut):
    bench = await up(dut, 29)
    bench.root.queue += [request(WRITE, 0x4000_0000 + n, 32, 0xF, 0xF, 0, data=bytes(128)) for n in range(40)]
    bench.root.queue += [request(0x34, 0, 1, 0, 0, 0) + bytes(4), request(0x74, 0, 1, 0, 0x50 >> 4, 0, data=b"slot")[:12] + bytes(4) + b"slot"]
    await bench.quiet()
    assert bench.errors == dict(bench.errors, posted_ur=40, ur=0, malformed=0) and not bench.card.seen
    assert await bench.config(UNCOR) == 1 << 20 and await bench.config(DEVICE) >> 16 == 0b1010


@test()
async def what_is_poisoned_is_handed_on_and_told(dut):
    bench = await up(dut, 30)
    bench.root.queue.append(request(WRITE, bench.bars[0], 1, 0xF, 0, 0, data=b"bad.", ep=1))
    await bench.quiet()
    assert [h["ep"] for h in bench.card.seen] == [1] and bench.errors["poisoned"] == 1
    assert await bench.config(UNCOR) == 1 << 12 and await bench.config(0x04) >> 16 == 0x8010
    await bench.config(0x04, 0xFFFF_0006)
    assert await bench.config(0x04) == 0x0010_0006


@test()
async def completions_reach_who_asked(dut):
    bench = await up(dut, 31)
    bench.root.refuse = {5}
    bench.card.read(0x8000_0000, 64, 5)
    await bench.quiet()
    assert bench.card.done == {5: UR}
    # For another requester; nobody waits for it, which the engine sees; poisoned; with a digest.
    one = completion(0x0100, 9, SC, 4, 0, b"data")
    bench.root.queue += [completion(0x0108, 9, SC, 4, 0, b"data"), one, completion(0x0100, 9, SC, 4, 0, b"data", ep=1), one[:2] + b"\x80" + one[3:] + bytes(4),
                         completion(0x0100, 9, CA, 4, 0)]
    await bench.quiet()
    assert bench.errors["unexpected"] == 1 and [(h["ep"], h["status"], h["len_dw"]) for h in bench.card.cpls[1:]] == [(0, 0, 1), (1, 0, 1), (0, 0, 1), (0, CA, 0)]
    assert await bench.config(UNCOR) == 1 << 16 and await bench.config(COR) == 1 << 13


@test()
async def an_abort_of_the_engine_is_told(dut):
    bench = await up(dut, 32)
    bench.root.queue.append(request(READ, bench.bars[0], 3, 0xF, 0xF, bench.tag()))
    assert (await bench.answer(bench.tags))["status"] == CA
    await bench.wait(4)
    assert bench.errors["ca"] == 1 and await bench.config(UNCOR) == 1 << 15 and await bench.config(0x04) >> 16 == 0x0810


@test()
async def errors_of_the_link_are_in_the_registers(dut):
    bench = await up(dut, 33)
    for bit, uncor, cor, device in ((0, 1 << 4, 0, 4), (1, 0, 1 << 12, 1), (2, 0, 1 << 8, 1), (3, 0, 1 << 7, 1), (4, 0, 1 << 6, 1), (5, 0, 1, 1)):
        bench.link_errors = 1 << bit
        await bench.wait(4)
        assert (await bench.config(UNCOR), await bench.config(COR), await bench.config(DEVICE) >> 16) == (uncor, cor, device), bit
        for register in (UNCOR, COR, DEVICE):       # a 0 clears nothing
            was = await bench.config(register)
            await bench.config(register, was & 0xFFFF if register == DEVICE else 0)
            assert await bench.config(register) == was
        await bench.config(UNCOR, uncor), await bench.config(COR, cor), await bench.config(DEVICE, 0xF_0000, 0xC)
        assert (await bench.config(UNCOR), await bench.config(COR), await bench.config(DEVICE) >> 16) == (0, 0, 0)


async def set_all(bench):
    await bench.config(0x68, 0x79D0 & ~0x8000, 0x3)
    for register, value in ((0x0C, 0x10), (0x3C, 0x55), (0x50, 0xC000_0000), (0x70, 0xC8), (0x44, 3), (0x108, 0x10), (0x10C, 0x1000), (0x114, 1)):
        await bench.config(register, value)
    bench.link_errors = 0x3F
    await bench.wait(4)


STICKY = {0x104: 0x10, 0x108: 0x10, 0x10C: 0x1000, 0x110: 0x11C1, 0x114: 1}
RESET = {0x04: 0x0010_0000, 0x0C: 0, 0x10: 0, 0x18: 0xC, 0x1C: 0, 0x3C: 0, 0x44: 8, 0x50: 0x0003_6011}


@test()
async def a_function_level_reset_leaves_what_is_sticky(dut):
    bench = await up(dut, 34)
    await set_all(bench)
    await bench.config(DEVICE, 0x8000, 0x1)
    await bench.config(DEVICE, 0x8000, 0xD)
    assert bench.flrs == 0
    await bench.config(DEVICE, 0xF9D0, 0x3)
    assert bench.flrs == 1
    for register, value in {**STICKY, **RESET, 0x68: 0x28D0 & ~0x40 | 0xC0, 0x70: 0x1011_00C8}.items():
        assert await bench.config(register) == value, hex(register)
    await bench.enumerate()
    traffic = Traffic(bench, 128)
    await traffic.run(30, (Traffic.host_write, Traffic.host_read))


@test()
async def a_link_that_goes_down_resets_all_but_what_is_sticky(dut):
    bench = await up(dut, 36, finite=((4, 40), (4, 0), (0, 0)))
    for seed in range(12):
        await set_all(bench)
        await bench.config(0x44, 0)
        bench.root.hold = seed % 3 == 0
        for n in range(12):
            bench.card.write(0x9000_0000, bytes(128))
            bench.root.queue.append(request(WRITE, bench.bars[2], 32, 0xF, 0xF, 0, data=bytes(128)))
        bench.card.dead = bool(seed % 2)
        await bench.wait(30 + bench.draw.randrange(200))
        before, pause = bench.resets, bench.pause
        bench.state, bench.pause = 0, 0.0
        await bench.wait(2 + seed)
        bench.card.writes, bench.card.reads, bench.card.answers, bench.card.open, bench.card.dead = [], [], [], {}, False
        bench.root.forget(((4, 40), (4, 0), (0, 0)))
        await bench.wait(20)
        assert bench.resets > before and dut.flags_o.value is not None
        bench.state = 1
        await bench.wait(10)
        bench.state, bench.pause, bench.root.hold = 3, pause, False
        for register, value in {**STICKY, **RESET, 0x68: 0x2810, 0x70: 0x1011_0000}.items():
            assert await bench.config(register) == value, (hex(register), seed)
        await bench.enumerate()
        for bar, mem in bench.card.mem.items():
            mem[:] = bytes(len(mem))
        await Traffic(bench, 128).run(20, (Traffic.host_write, Traffic.host_read, Traffic.card_write, Traffic.card_read))


@test()
async def writes_follow_each_other_as_the_link_can_carry_them(dut):
    """Of 250 MB/s that the link has, STP, number, LCRC and END take eight symbols a TLP: no more is lost here. Either way."""
    bench = await up(dut, 37, mps=0, finite=UNLIMITED)
    bench.pause, bench.card.pace = 0.0, 1.0
    start = bench.clock
    for n in range(100):
        bench.card.write(0x9000_0000 + 128 * n, bytes(128))
    await bench.until(lambda: kinds(bench).count(P) == 100, 20000)
    words = 100 * (64 + 6)
    assert bench.clock - start <= words + 4 * 100, bench.clock - start
    start = bench.clock
    for n in range(100):
        bench.root.queue.append(request(WRITE, bench.bars[2] + 128 * n, 32, 0xF, 0xF, 0, data=bytes(128)))
    await bench.until(lambda: len(bench.card.seen) == 100, 20000)
    assert bench.clock - start <= 100 * (66 + 6 + 6) + 200, bench.clock - start
