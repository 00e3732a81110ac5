# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Does QEMU's NVMe controller take what the host does: the bring-up, reads, writes and flushes of all sizes, and do its error
statuses arrive?"""

import random

import cocotb

import nvme_bench as nb
import nvme_controller as nc
from nvme_bench import FLUSH, READ, TRIM, WRITE, ZERO, Bench
from qemu_nvme import NvmeBridge, Qemu, available

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
        bench.give(TRIM, 7000, 1000, tag=101)              # beyond what was written: QEMU may leave it as it was
        bench.give(FLUSH, tag=102)
        for n in range(100, 103):
            await bench.ok(n)
        image[512 * 1200:512 * 1500] = bytes(512 * 300)
        assert qemu.image.read_bytes() == image
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
        data = random.randbytes(512)
        bench.write(3, data, tag=3)
        await bench.ok(3)
        bench.give(READ, 3, tag=4)
        assert await bench.m.frame() == (data, 0)
        await bench.ok(4)
    await with_qemu(dut, body)


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
