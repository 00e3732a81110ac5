# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Of the UltraScale+ block as a root port: is what it drops told, and does what comes on CQ beside memory requests do no harm?"""

import random
from collections import deque

import cocotb
from cocotb.triggers import Timer
from cocotbext.pcie.core.tlp import CplStatus
from cocotbext.pcie.xilinx.us.interface import UsPcieFrame
from cocotbext.pcie.xilinx.us.tlp import ReqType
from cocotbext.pcie.xilinx.us.usp_model import LocalError

import nvme_bench as nb
from nvme_bench import READ, Bench
from nvme_controller import NvmeController
from test_nvme_faults import works


@cocotb.test()
@cocotb.parametrize(error=[e.name for e in (LocalError.RX_P_REQ_BUF_OVF_ERR, LocalError.AXI4ST_CQ_EP_DROP, LocalError.CPL_TIMEOUT,
                                            LocalError.LINK_RX_BAD_TLP, LocalError.RX_UNEXPECTED_CPL)])
async def what_the_block_says_it_dropped(dut, error):
    """A write that is missing ends what was in flight; errors that lose none do not."""
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    await bench.start(drive)
    drive.latency = lambda c: 4000
    for n in range(4):
        bench.give(READ, 8 * n, 8, tag=n)
    await Timer(2, "us")
    bench.block.local_error.put_nowait(LocalError[error])
    why = nb.WHY_POISON if "P_REQ" in error or "EP_DROP" in error else nb.WHY_NONE
    for n in range(4):
        await bench.m.frame()
        assert await bench.done() == dict(why=why, status=0, tag=n)
    drive.latency = lambda c: 500
    await works(bench)
    assert bench.state()[1] == why


def request(kind, payload, tag):
    """A request on CQ: descriptor and payload, whose DWs it counts; of a read, those that are asked for."""
    f = UsPcieFrame()
    length = payload if kind >= ReqType.MSG else max(payload, 1)
    f.data = [0x1234_0000, 0, length | kind << 11 | 0x0100 << 16, tag, *(random.getrandbits(32) for _ in range(payload))]
    f.byte_en = [0] * 4 + [15] * payload
    f.first_be, f.last_be = 15, 15 if length > 1 else 0
    f.update_parity()
    return f


@cocotb.test()
async def what_is_no_memory_request(dut):
    """Between reads of the drive: messages are dropped, I/O and atomic requests are answered with UR, once."""
    bench = Bench(dut)
    drive = NvmeController(bench.port)
    bench.port.free = deque(range(0xc0))        # tags of the drive's own
    await bench.start(drive)
    data = random.randbytes(64 * 512)
    bench.write(0, data)
    await bench.ok()
    want = []
    for n in range(24):
        bench.give(READ, n, 16, tag=n)
        kind, payload = random.choice([(ReqType.MSG, 0), (ReqType.MSG, 3), (ReqType.MSG_VENDOR, 9), (ReqType.IO_READ, 0), (ReqType.IO_WRITE, 1),
                                       (ReqType.MEM_FETCH_ADD, 1), (ReqType.MEM_SWAP, 2), (ReqType.MEM_CAS, 4)])
        if kind < ReqType.MSG:
            want.append(0xc0 + n)
        await bench.block.cq_source.send(request(kind, payload, 0xc0 + n))
        assert await bench.m.frame() == (data[512 * n:512 * (n + 16)], 0)
        await bench.ok(n)
    await Timer(5, "us")
    got = [t for t in bench.block.bridge.sent if t.is_completion() and t.tag >= 0xc0 and t.status == CplStatus.UR]
    assert [t.tag for t in got] == want and want, ([t.tag for t in got], want)
    # The drive has asked for none of them.
    assert bench.port.wrong == ["a completion that nobody asked for"] * len(want), bench.port.wrong
    bench.port.wrong.clear()
    await works(bench)
    bench.clean()
