# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Is every read that the standard allows a drive answered as the standard says, wherever in a beat it begins and ends: Byte
Count, Lower Address, length and the bytes, and a read of no bytes too? Are the doorbells of every CAP.DSTRD where the drive
looks for them?"""

import random

import cocotb
from cocotb.triggers import Timer

from nvme_bench import Bench
from nvme_controller import NvmeController
from test_nvme_faults import works
from tlpbits import CPLD, MRD

MEM_BASE, REGION, WRITE_DATA = 0x1_0000_0000, 16, 2         # regions of 64 KiB, as the buffers are


def legal(dws, aligned):
    """Pairs of First and Last DW Byte Enables of a memory request; those with holes only of one DW, or of two from a multiple of 8 bytes on."""
    if dws == 1:
        return [(first, 0) for first in range(16)]
    if dws == 2 and aligned:
        return [(first, last) for first in range(1, 16) for last in range(1, 16)]
    return [(first, last) for first in (0xf, 0xe, 0xc, 0x8) for last in (0xf, 0x7, 0x3, 0x1)]


def span(dws, first, last):
    """(Byte Count, the first byte's place in its DW); by bytes, and not by the standard's table."""
    enables = [first] + [0xf] * (dws - 2) + ([last] if dws > 1 else [])
    bytes_ = [4 * i + n for i, be in enumerate(enables) for n in range(4) if be >> n & 1]
    return (bytes_[-1] - bytes_[0] + 1, bytes_[0] % 4) if bytes_ else (1, 0)


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
async def every_read_of_a_drive_is_answered_as_asked(dut):
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    await bench.start(drive)
    held = random.randbytes(4096)           # write data without a command: it stays in its buffer
    step = bench.width // 8
    bench.s.put([dict(data=int.from_bytes(held[at:at + step], "little")) for at in range(0, len(held), step)])
    await Timer(5, "us")
    port, lanes, got = bench.port, bench.width // 32, {}
    port.answer = lambda hdr, data: got.setdefault(hdr["tag"], []).append((hdr, bytes(data)))
    asked = [(at, dws, first, last) for dws in range(1, lanes + 3) for at in range(lanes) for first, last in legal(dws, at % 2 == 0)]
    for begin in range(0, len(asked), 16):
        batch = asked[begin:begin + 16]
        for tag, (at, dws, first, last) in enumerate(batch):        # each at a place of its own
            port.send_request(dict(kind=MRD, addr=MEM_BASE + (WRITE_DATA << REGION) + 128 * tag + 4 * at, len_dw=dws, first_be=first,
                                   last_be=last, tag=tag, requester_id=port.bdf), b"", None)
        for _ in range(100):
            await Timer(40, "ns")
            if len(got) == len(batch):
                break
        for tag, (at, dws, first, last) in enumerate(batch):
            want = f"{dws} DWs from lane {at}, byte enables {first:04b} {last:04b}"
            assert len(got.get(tag, [])) == 1, (want, got.get(tag))
            (hdr, data), = got.pop(tag)
            place, (count, lead) = 128 * tag + 4 * at, span(dws, first, last)
            assert hdr["kind"] == CPLD and hdr["len_dw"] == dws, want
            assert hdr["byte_count"] == count, f"Byte Count {hdr['byte_count']} for {count}: {want}"
            assert hdr["addr"] == place % 128 + lead, f"Lower Address {hdr['addr']:#x}: {want}"
            assert data[:4 * dws] == held[place:place + 4 * dws], want
    assert not bench.port.wrong, bench.port.wrong[:5]


@cocotb.test(timeout_time=3, timeout_unit="ms")      # of simulated time
@cocotb.parametrize(dstrd=range(16))
async def doorbells_are_where_the_drive_has_them(dut, dstrd):
    """4 << DSTRD bytes apart, of the admin queue and of the I/O queue; the registers go as far as they do."""
    bench = Bench(dut)
    drive = NvmeController(bench.port, dstrd=dstrd, bar_size=max(0x4000, 1 << 5 + dstrd))
    await bench.start(drive)
    for _ in range(3):
        await works(bench)
    bench.clean()
