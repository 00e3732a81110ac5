# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does QEMU's NVMe controller take what the host does: the bring-up, reads, writes and flushes of all sizes, and do its error
statuses arrive?"""

import random

import cocotb

import nvme_bench as nb
import nvme_controller as nc
from nvme_bench import FLUSH, FORMAT, FORMAT_KEY, READ, TRIM, ZERO, Bench
from qemu_nvme import NvmeBridge, Qemu, available
from test_nvme_faults import works

SIZE = 4 << 20


async def with_qemu(dut, body, **more):
    qemu = Qemu(SIZE, **more)
    try:
        bench = Bench(dut)
        bridge = NvmeBridge(bench.port, qemu)
        await bench.start(bridge)
        await body(bench, bridge, qemu)
        bench.clean()
    finally:
        qemu.close()


@cocotb.test(skip=not available())
async def qemu_brings_up_and_moves_blocks(dut):
    async def body(bench, bridge, qemu):
        assert int(dut.size_o.value) == SIZE // 512
        assert bridge.command == 6 and bridge.bar == 0xe000_0000
        image = bytearray(SIZE)
        for n in range(12):
            lba, blocks = random.randrange(4000), random.choice((1, 2, 8, 9, 15, 64, 65, 100))
            data = random.randbytes(512 * blocks)
            bench.write(lba, data, tag=n, fua=n & 1)
            image[512 * lba:512 * (lba + blocks)] = data
            await bench.ok(n)
        bench.give(FLUSH, tag=99)
        await bench.ok(99)
        assert qemu.image.read_bytes() == image
        bench.give(ZERO, 1200, 300, tag=100)
        bench.give(TRIM, 1600, 1000, tag=101)
        bench.give(FLUSH, tag=102)
        for n in range(100, 103):
            await bench.ok(n)
        image[512 * 1200:512 * 1500] = bytes(512 * 300)
        trimmed = qemu.image.read_bytes()
        place = slice(512 * 1600, 512 * 2600)              # QEMU may leave it as it was
        assert trimmed[place] in (bytes(image[place]), bytes(512 * 1000))
        image[place] = trimmed[place]
        assert trimmed == image
        reads = [(random.randrange(4000), random.choice((1, 7, 8, 40, 130))) for _ in range(20)]
        for n, (lba, blocks) in enumerate(reads):
            bench.give(READ, lba, blocks, tag=n)
        for n, (lba, blocks) in enumerate(reads):
            assert await bench.m.frame() == (bytes(image[512 * lba:512 * (lba + blocks)]), 0), n
            await bench.ok(n)
        assert bridge.most > 4, bridge.most
    await with_qemu(dut, body)


@cocotb.test(skip=not available())
async def qemu_says_what_is_wrong(dut):
    async def body(bench, bridge, qemu):
        bench.give(READ, SIZE // 512 - 2, 4, tag=1)
        assert await bench.m.frame() == (b"\0", 1)
        done = await bench.done()
        assert done["why"] == nb.WHY_STATUS and done["status"] & 0x7ff == nc.LBA_RANGE, done
        bench.write(SIZE // 512 + 5, bytes(512), tag=2)
        done = await bench.done()
        assert done["why"] == nb.WHY_STATUS and done["status"] & 0x7ff == nc.LBA_RANGE, done
        bench.give(ZERO, SIZE // 512 - 1, 2, tag=2)
        done = await bench.done()
        assert done["why"] == nb.WHY_STATUS and done["status"] & 0x7ff == nc.LBA_RANGE, done
        await works(bench)
    await with_qemu(dut, body)


async def ends_with(bench, tag, status):
    """The next report is an error status, of these."""
    done = await bench.done()
    assert done["tag"] == tag and done["why"] == nb.WHY_STATUS and done["status"] & 0x7ff in status, hex(done["status"])


@cocotb.test(skip=not available())
async def qemu_with_blocks_that_fail(dut):
    """Of its medium: a read of one, a write of one, each flush. The others are as they should be."""
    async def body(bench, bridge, qemu):
        data = random.randbytes(512 * 8)
        bench.write(96, data, tag=1)
        await bench.ok(1)
        bench.give(READ, 96, 8, tag=2)
        bench.give(READ, 80, 8, tag=3)
        assert await bench.m.frame() == (b"\0", 1)
        await ends_with(bench, 2, (nc.READ_ERROR,))
        assert await bench.m.frame() == (bytes(512 * 8), 0)
        await bench.ok(3)
        bench.write(200, data, tag=4)
        await ends_with(bench, 4, (nc.WRITE_FAULT,))
        bench.write(208, data, tag=5)
        await bench.ok(5)
        bench.give(FLUSH, tag=6)
        await ends_with(bench, 6, (nc.INTERNAL, nc.WRITE_FAULT))
        await works(bench)
    await with_qemu(dut, body, errors=[("read_aio", 100), ("write_aio", 200), ("flush_to_disk", None)], drive=",cache=writeback")


@cocotb.test(skip=not available())
async def qemu_with_a_namespace_that_is_only_read(dut):
    async def body(bench, bridge, qemu):
        bench.give(READ, 7, 20, tag=1)
        assert await bench.m.frame() == (bytes(512 * 20), 0)
        await bench.ok(1)
        for n, give in enumerate((lambda tag: bench.write(7, bytes(1024), tag=tag), lambda tag: bench.give(ZERO, 7, 4, tag=tag))):
            give(2 + n)
            await ends_with(bench, 2 + n, (nc.WRITE_FAULT, nc.INTERNAL, nc.READ_ONLY))
        bench.give(READ, 0, 1, tag=9)
        assert await bench.m.frame() == (bytes(512), 0)
        await bench.ok(9)
    await with_qemu(dut, body, drive=",cache=unsafe,readonly=on")


@cocotb.test(skip=not available())
async def qemu_with_a_zoned_namespace(dut):
    """Which wants its zones written in order: what is not is named, and what is comes back."""
    async def body(bench, bridge, qemu):
        data = random.randbytes(512 * 16)
        bench.write(0, data, tag=1)
        await bench.ok(1)
        bench.write(64, data, tag=2)
        await ends_with(bench, 2, (nc.ZONE_INVALID_WRITE,))
        bench.write(16, data, tag=3)
        await bench.ok(3)
        bench.write(120, data, tag=4)
        await ends_with(bench, 4, (nc.ZONE_BOUNDARY, nc.ZONE_INVALID_WRITE))
        bench.give(READ, 0, 32, tag=5)
        assert await bench.m.frame() == (data + data, 0)
        await bench.ok(5)
    await with_qemu(dut, body, namespace=",zoned=true,zoned.zone_size=64K,zoned.zone_capacity=64K")


@cocotb.test(skip=not available())
async def qemu_with_a_small_mdts(dut):
    async def body(bench, bridge, qemu):
        data = random.randbytes(512 * 50)
        bench.write(9, data, tag=1)
        await bench.ok(1)
        assert bridge.log.count(1) == 4, bridge.log           # 8 KiB at most
        bench.give(READ, 9, 50, tag=2)
        assert await bench.m.frame() == (data, 0)
        await bench.ok(2)
    await with_qemu(dut, body, options=",mdts=1")


@cocotb.test(skip=not available())
async def qemu_gives_its_health(dut):
    """Read and written are counted in units of 1000 blocks, rounded up; commands are counted one by one."""
    async def body(bench, bridge, qemu):
        why, status, before, page = await bench.health()
        assert (why, status, len(page)) == (nb.WHY_NONE, 0, 512) and page[5] == 0, page[:8]
        commands = int.from_bytes(page[80:96], "little")
        for n in range(3):
            bench.write(100 * n, random.randbytes(512 * 16), tag=n)
            await bench.ok(n)
        why, status, figures, page = await bench.health()
        assert (why, status) == (nb.WHY_NONE, 0)
        assert int.from_bytes(page[80:96], "little") == commands + 3, page[64:112]
        assert figures["kelvin"] == int.from_bytes(page[1:3], "little") == 323, figures      # QEMU's, in kelvin
        assert bridge.answers[-1] == (0, 0)
    await with_qemu(dut, body)


@cocotb.test(skip=not available())
async def qemu_formats_with_blocks_of_another_size(dut):
    """And refuses a format that it does not have."""
    async def body(bench, bridge, qemu):
        bench.write(5, random.randbytes(512 * 8), tag=1)
        await bench.ok(1)
        bench.give(FORMAT, FORMAT_KEY, 1 + 15, tag=2)
        done = await bench.done()
        assert (done["why"], done["status"] & 0x7ff) == (nb.WHY_STATUS, nc.INVALID_FORMAT), done
        bench.give(FORMAT, FORMAT_KEY, 1 + 4, tag=3)
        await bench.ok(3)
        bridge.block = 4096
        assert not any(qemu.image.read_bytes())
        data = random.randbytes(4096 * 5)
        bench.write(70, data, block=4096, tag=4)
        await bench.ok(4)
        bench.give(READ, 70, 5, tag=5)
        assert await bench.m.frame() == (data, 0)
        await bench.ok(5)
        bench.give(FLUSH, tag=6)
        await bench.ok(6)
        assert qemu.image.read_bytes()[4096 * 70:4096 * 75] == data
        assert int(dut.size_o.value) == SIZE // 4096
    await with_qemu(dut, body)


@cocotb.test(skip=not available())
async def qemu_is_asked_to_abort(dut):
    """A completion is lost: QEMU takes the Abort, and says that there is nothing to abort; then it is reset, and works."""
    async def body(bench, bridge, qemu):
        bridge.lost = True
        bench.give(FLUSH, tag=1)
        done = await bench.done()
        assert (done["why"], done["tag"]) == (nb.WHY_ABORT, 1), done
        assert bridge.answers[-1] == (0, 1), bridge.answers[-3:]
        bridge.lost = False
        await bench.settled_running()
        await works(bench)
    await with_qemu(dut, body)
