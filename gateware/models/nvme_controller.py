# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""An NVMe controller by the base specification, as far as a host needs it, with one namespace. It knows
nothing of a simulator but for time: who uses it gives it a port with `read`, `write` (host memory) and
`wait`. It remembers what must be on the drive, checks what the host does, and can misbehave.

What the host does wrong is an AssertionError in `wrong`, with the rule."""

import random
from collections import deque

import nvme_prp

# Status Field without the phase: {DNR, More, CRD, SCT, SC}
INVALID_OPCODE, INVALID_FIELD, INVALID_NS, LBA_RANGE, INTERNAL, READ_ERROR = 0x01, 0x02, 0x0b, 0x80, 0x06, 0x281
INVALID_CQ, INVALID_QID, INVALID_SIZE, INVALID_LOG, INVALID_FORMAT = 0x100, 0x101, 0x102, 0x109, 0x10a
ABORT_REQUESTED, READ_ONLY, WRITE_FAULT, ZONE_BOUNDARY, ZONE_INVALID_WRITE = 0x07, 0x20, 0x280, 0x1b8, 0x1bc
FLUSH, WRITE, READ, ZEROES, DATASET = 0, 1, 2, 8, 9
DELETE_SQ, CREATE_SQ, GET_LOG, DELETE_CQ, CREATE_CQ, IDENTIFY, ABORT, SET_FEATURES, FORMAT = 0, 1, 2, 4, 5, 6, 8, 9, 0x80


class Queue:
    def __init__(self, base, size, cq=None):
        self.base, self.size, self.cq = base, size, cq
        self.head = self.tail = 0
        self.phase = 1
        self.posting = False


class NvmeController:
    def __init__(self, port, blocks=1 << 20, lbads=9, mdts=5, mqes=1023, dstrd=0, mps_supported=1, bar_size=0x4000,
                 bar64=True, vwc=1, seed=1):
        self.port, self.random = port, random.Random(seed)
        self.blocks, self.block, self.lbads, self.mdts, self.mqes, self.dstrd, self.vwc = blocks, 1 << lbads, lbads, mdts, mqes, dstrd, vwc
        self.bar_size, self.bar64 = bar_size, bar64
        self.media, self.cache = {}, {}     # what is durable, and what may be lost; block: bytes
        self.wrong = []
        self.ranges = []                    # (LBA, blocks) that were deallocated
        self.log = []                       # (opcode, LBA, blocks) of I/O commands as they are fetched
        self.most = 0                       # commands at once
        self.doorbells = 0
        # what can be chosen: nanoseconds a command takes; what it does amiss
        self.latency = lambda command: 1000
        self.status = lambda command: 0
        self.ready_ns = 2000
        self.crs = 0                        # answers with CRS before the first that is none
        self.frozen = False                 # takes no command
        self.health = bytes(self.random.randrange(256) for _ in range(512))     # the SMART / Health Information log
        self.formats = [9, 9]               # LBADS of each LBA format; the second is in use
        self.format = 1
        self.states = 3                     # power states
        self.formatted = []                 # Command Dword 10 of each Format
        self.aborted = []                   # identifiers
        self.aborts = True                  # an Abort ends its command
        self.out = {}                       # identifier of an I/O command: its queue
        self.admin_ns = lambda opcode: 500  # of an admin command; None: it is never completed
        self.silent = set()                 # numbers of I/O commands that never get an answer
        self.double = set()                 # that get two
        self.bad_cid = set()                # whose answer has another identifier
        self.poison = set()                 # whose data is poisoned
        self.poison_log = False             # the log page is
        self.shut_ns = 3000                 # a shutdown takes so long; None: it never ends
        self.shutdowns = []                 # of each that was asked for: the identifiers of the queues that were left
        self.dead_regs = False              # reads of registers are not answered
        self.gone = False                   # all registers read as ones
        self.never_ready = self.stays_ready = self.fatal = False
        self.io_count = 0
        self.life = 0                       # counts resets: what was begun before does nothing any more
        self.config(mps_supported)
        self.registers()

    def rule(self, ok, text):
        if not ok:
            self.wrong.append(text)

    # ---- configuration space -------------------------------------------------------------------
    def config(self, mps_supported):
        c = self.space = bytearray(256)
        c[0:4] = (0x1c09_1234).to_bytes(4, "little")
        c[6] = 0x10                         # capabilities
        c[8:12] = (0x01080200).to_bytes(4, "little")
        c[0x10] = 4 if self.bar64 else 0
        c[0x34] = 0x40
        c[0x40:0x44] = bytes([0x01, 0x50, 3, 0])        # power management
        c[0x50:0x54] = bytes([0x11, 0x70, 0, 0])        # MSI-X
        c[0x70:0x74] = bytes([0x10, 0x00, 2, 0])
        c[0x74:0x78] = (0x8000 | 0x20 | mps_supported).to_bytes(4, "little")
        c[0x7c:0x80] = (4 << 4 | 2).to_bytes(4, "little")   # 5 GT/s, 4 lanes

    def cfg_read(self, reg):
        if self.crs:
            self.crs -= 1
            return 2, 0
        if self.gone:
            return 1, 0
        return 0, int.from_bytes(self.space[reg:reg + 4], "little")

    def cfg_write(self, reg, be, value):
        if self.gone:
            return 1
        masks = {0x04: 0x0000_0406, 0x10: 0xffff_ffff & -self.bar_size, 0x14: 0xffff_ffff if self.bar64 else 0,
                 0x78: 0x0000_ffef}
        mask = masks.get(reg, 0)
        for i in range(4):
            if be >> i & 1:
                m = mask >> 8 * i & 0xff
                self.space[reg + i] = self.space[reg + i] & ~m | value >> 8 * i & m
        return 0

    command = property(lambda self: self.space[4])
    bar = property(lambda self: int.from_bytes(self.space[0x10:0x18], "little") & ~0xf
                   if self.bar64 else int.from_bytes(self.space[0x10:0x14], "little") & ~0xf)
    mps = property(lambda self: 128 << (self.space[0x78] >> 5 & 7))
    mrrs = property(lambda self: 128 << (self.space[0x79] >> 4 & 7))

    # ---- registers -----------------------------------------------------------------------------
    def registers(self):
        cap = self.mqes | 1 << 16 | 20 << 24 | self.dstrd << 32 | 1 << 37
        self.regs = {0x00: cap & 0xffffffff, 0x04: cap >> 32, 0x08: 0x10400, 0x14: 0, 0x1c: 0, 0x24: 0, 0x28: 0, 0x2c: 0,
                     0x30: 0, 0x34: 0}
        self.sqs, self.cqs, self.out = {}, {}, {}
        self.caches, self.state = True, 0   # the write cache is on; the power state

    def mem_read(self, address, length):
        self.rule(self.command & 2, "a memory read while Memory Space Enable is off")
        at = address - self.bar
        if self.gone:
            return b"\xff" * length
        self.rule(length == 4 and at in self.regs, f"a read of register {at:#x}, {length} bytes")
        return self.regs.get(at, 0).to_bytes(4, "little")

    def mem_write(self, address, data):
        if self.gone:
            return
        at, value = address - self.bar, int.from_bytes(data, "little")
        self.rule(len(data) == 4, f"a write of {len(data)} bytes to a register")
        if at >= 0x1000:
            self.rule((at - 0x1000) % (4 << self.dstrd) == 0, f"a write between doorbells, at {at:#x}")
            self.doorbell((at - 0x1000) // (4 << self.dstrd), value)
        elif at == 0x14:
            self.cc(value)
        else:
            self.rule(at in (0x24, 0x28, 0x2c, 0x30, 0x34), f"a write to register {at:#x}")
            self.rule(not self.regs[0x14] & 1, f"register {at:#x} written while enabled")
            self.regs[at] = value

    def cc(self, value):
        was, self.regs[0x14] = self.regs[0x14], value
        if value & 1 and not was & 1:
            self.rule(not self.regs[0x1c] & 1, "CC.EN set while CSTS.RDY is still set")
            self.rule(value >> 16 & 0xff == 0x46, "IOSQES and IOCQES")
            self.rule(value >> 14 & 3 == 0, "CC.EN set together with a shutdown")
            aqa = self.regs[0x24]
            self.sqs = {0: Queue(self.regs[0x28] | self.regs[0x2c] << 32, (aqa & 0xfff) + 1, 0)}
            self.cqs = {0: Queue(self.regs[0x30] | self.regs[0x34] << 32, (aqa >> 16 & 0xfff) + 1)}
            self.rule(self.sqs[0].base % 4096 == 0 and self.cqs[0].base % 4096 == 0, "admin queues on a page")
            self.port.spawn(self.becomes_ready(self.life))
        elif was & 1 and not value & 1:
            self.life += 1
            self.sqs, self.cqs, self.out = {}, {}, {}
            self.port.spawn(self.stops(self.life))
        elif value >> 14 & 3 and not was >> 14 & 3:
            self.rule(value & ~0xc000 == was, "CC changed beside SHN")
            self.rule(value >> 14 & 3 == 1, "a shutdown that is not a normal one")
            self.rule(not self.out, "a shutdown while commands are out")
            self.shutdowns.append((sorted(self.sqs), sorted(self.cqs)))
            self.regs[0x1c] |= 1 << 2
            self.port.spawn(self.shuts(self.life))

    async def becomes_ready(self, life):
        await self.port.wait(self.ready_ns)
        if life == self.life and not self.never_ready:
            self.regs[0x1c] = 2 if self.fatal else 1

    async def stops(self, life):
        await self.port.wait(self.ready_ns)
        if life == self.life and not self.stays_ready:
            self.regs[0x1c] &= ~0xf

    async def shuts(self, life):
        if self.shut_ns is not None:
            await self.port.wait(self.shut_ns)
            if life == self.life:
                self.media.update(self.cache)
                self.cache.clear()
                self.regs[0x1c] = self.regs[0x1c] & ~0xc | 2 << 2

    # ---- queues --------------------------------------------------------------------------------
    def doorbell(self, index, value):
        self.doorbells += 1
        qid = index // 2
        self.rule(not self.regs[0x14] >> 14 & 3, "a doorbell after a shutdown was asked for")
        queue = (self.cqs if index & 1 else self.sqs).get(qid)
        if queue is None:
            self.rule(False, f"doorbell {index} of a queue that is not there")
            return
        self.rule(value < queue.size, f"doorbell {index} beyond its queue")
        if index & 1:
            self.rule((value - queue.head) % queue.size <= (queue.tail - queue.head) % queue.size,
                      "a completion queue head beyond what was posted")
            queue.head = value
        else:
            self.rule((value - queue.head) % queue.size >= (queue.tail - queue.head) % queue.size,
                      "a submission queue tail that goes back")
            queue.tail = value
            self.port.spawn(self.fetch(qid, queue, self.life))

    async def fetch(self, qid, queue, life):
        if queue.posting:
            return
        queue.posting = True
        while life == self.life and queue.head != queue.tail and not self.frozen:
            count = min((queue.tail - queue.head) % queue.size, queue.size - queue.head, 4)
            raw = await self.port.read(queue.base + 64 * queue.head, 64 * count)
            if raw is None or life != self.life:
                break
            queue.head = (queue.head + count) % queue.size
            for i in range(count):
                entry = raw[64 * i:64 * i + 64]
                self.port.spawn((self.io if qid else self.admin)(entry, queue, life))
        queue.posting = False

    async def post(self, queue, cid, status, result=0, life=0):
        cq = self.cqs.get(queue.cq) if life == self.life else None
        if cq is None:
            return
        slot, phase = cq.tail, cq.phase
        self.rule((cq.tail + 1) % cq.size != cq.head, "a completion queue that is full")
        cq.tail = (cq.tail + 1) % cq.size
        if cq.tail == 0:
            cq.phase ^= 1
        sqid = next((i for i, q in self.sqs.items() if q is queue), 0)
        entry = result.to_bytes(4, "little") + bytes(4) + queue.head.to_bytes(2, "little") + sqid.to_bytes(2, "little") \
            + cid.to_bytes(2, "little") + (status << 1 | phase).to_bytes(2, "little")
        await self.port.write(cq.base + 16 * slot, entry)

    @staticmethod
    def fields(entry):
        dw = [int.from_bytes(entry[4 * i:4 * i + 4], "little") for i in range(16)]
        return dw, dw[0] & 0xff, dw[0] >> 16, dw[1], dw[6] | dw[7] << 32, dw[8] | dw[9] << 32

    async def admin(self, entry, queue, life):
        dw, opcode, cid, nsid, prp1, _ = self.fields(entry)
        took = self.admin_ns(opcode)
        await self.port.wait(took or 500)
        if took is None or life != self.life:
            return
        status = self.status(dict(admin=True, opcode=opcode, cdw10=dw[10]))
        result = 0
        if status:
            pass
        elif opcode == IDENTIFY:
            page = self.identify(dw[10] & 0xff, nsid)
            status = INVALID_FIELD if page is None else 0
            if page is not None:
                await self.port.write(prp1, page)
        elif opcode == GET_LOG:
            self.rule(nsid == 0xffffffff and dw[11:16] == [0] * 5, "a log of the controller")
            if dw[10] & 0xff == 2:
                await self.port.write(prp1, self.health[:4 * ((dw[10] >> 16) + 1)], poisoned=self.poison_log)
            else:
                status = INVALID_LOG
        elif opcode == ABORT:
            self.rule(dw[10] & 0xffff == 1 and dw[6:10] == [0] * 4, "an Abort of the I/O queue")
            self.aborted.append(dw[10] >> 16)
            result = 0 if self.aborts else 1
            if self.aborts and dw[10] >> 16 in self.out:
                await self.post(self.out.pop(dw[10] >> 16), dw[10] >> 16, ABORT_REQUESTED, life=life)
        elif opcode == FORMAT:
            self.rule(nsid == 1 and dw[6:10] == [0] * 4, "a Format of the namespace")
            self.rule(not self.out, "a Format while commands are out")
            if dw[10] & 0xf >= len(self.formats):
                status = INVALID_FORMAT
            else:
                self.formatted.append(dw[10])
                self.media, self.cache = {}, {}
                was, self.lbads = self.block, self.formats[dw[10] & 0xf]
                self.block, self.format = 1 << self.lbads, dw[10] & 0xf
                self.blocks = self.blocks * was // self.block
        elif opcode == SET_FEATURES and dw[10] & 0xff == 7:
            result = 0x000f000f
        elif opcode == SET_FEATURES and dw[10] & 0xff == 6 and self.vwc:
            self.caches = bool(dw[11] & 1)
        elif opcode == SET_FEATURES and dw[10] & 0xff == 2 and dw[11] & 31 < self.states:
            self.state = dw[11] & 31
        elif opcode == SET_FEATURES:
            status = INVALID_FIELD
        elif opcode == DELETE_SQ:
            status = 0 if dw[10] & 0xffff and self.sqs.pop(dw[10] & 0xffff, None) else INVALID_QID
            self.rule(not self.out, "a queue deleted while commands are out")
        elif opcode == DELETE_CQ:
            self.rule(all(q.cq != dw[10] & 0xffff for i, q in self.sqs.items() if i), "a completion queue deleted before its submission queue")
            status = 0 if dw[10] & 0xffff and self.cqs.pop(dw[10] & 0xffff, None) else INVALID_QID
        elif opcode == CREATE_CQ:
            size, qid = (dw[10] >> 16) + 1, dw[10] & 0xffff
            if qid == 0 or qid in self.cqs:
                status = INVALID_QID
            elif size - 1 > self.mqes or size < 2:
                status = INVALID_SIZE
            else:
                self.rule(dw[11] & 1 and prp1 % 4096 == 0, "a contiguous queue on a page")
                self.cqs[qid] = Queue(prp1, size)
        elif opcode == CREATE_SQ:
            size, qid = (dw[10] >> 16) + 1, dw[10] & 0xffff
            if dw[11] >> 16 not in self.cqs:
                status = INVALID_CQ
            elif qid == 0 or qid in self.sqs:
                status = INVALID_QID
            elif size - 1 > self.mqes or size < 2:
                status = INVALID_SIZE
            else:
                self.rule(dw[11] & 1 and prp1 % 4096 == 0, "a contiguous queue on a page")
                self.sqs[qid] = Queue(prp1, size, dw[11] >> 16)
        else:
            status = INVALID_OPCODE
        await self.post(queue, cid, status, result, life)

    def identify(self, cns, nsid):
        page = bytearray(4096)
        if cns == 1:
            page[77], page[525] = self.mdts, self.vwc
            page[512], page[513] = 0x66, 0x44
            page[516:520] = (1).to_bytes(4, "little")
        elif cns == 0 and nsid == 1:
            for at in (0, 8, 16):
                page[at:at + 8] = self.blocks.to_bytes(8, "little")
            page[25], page[26] = len(self.formats) - 1, self.format
            for i, lbads in enumerate(self.formats):
                page[128 + 4 * i:132 + 4 * i] = ((self.lbads if i == self.format else lbads) << 16).to_bytes(4, "little")
        else:
            return None
        return bytes(page)

    # ---- data ----------------------------------------------------------------------------------
    def stored(self, lba):
        return self.cache.get(lba) or self.media.get(lba) or bytes(self.block)

    def store(self, lba, block, fua):
        self.cache.pop(lba, None)
        (self.media if fua or not self.vwc or not self.caches else self.cache)[lba] = block

    async def deallocate(self, dw, prp1):
        """Dataset Management: what was deallocated reads as zeroes from then on."""
        if not dw[11] & 4:
            return 0
        ranges = 16 * ((dw[10] & 0xff) + 1)
        self.rule(prp1 % 4096 + ranges <= 4096, "the ranges cross a page")
        data = await self.port.read(prp1, ranges)
        for at in range(0, len(data or b""), 16):
            blocks, lba = int.from_bytes(data[at + 4:at + 8], "little"), int.from_bytes(data[at + 8:at + 16], "little")
            self.rule(data[at:at + 4] == bytes(4), "context attributes that nobody set")
            if lba + blocks > self.blocks:
                return LBA_RANGE
            self.ranges.append((lba, blocks))
            for i in range(blocks):
                self.store(lba + i, bytes(self.block), False)
        return 0

    async def io(self, entry, queue, life):
        dw, opcode, cid, nsid, prp1, prp2 = self.fields(entry)
        lba, blocks = dw[10] | dw[11] << 32, (dw[12] & 0xffff) + 1
        number = self.io_count
        self.io_count += 1
        at_once = getattr(self, "now", 0) + 1
        self.now, self.most = at_once, max(self.most, at_once)
        self.out[cid] = queue
        command = dict(admin=False, opcode=opcode, lba=lba, blocks=blocks, number=number)
        self.log.append((opcode, lba, blocks))
        await self.port.wait(self.latency(command))
        self.now -= 1
        length = blocks * self.block
        status = self.status(command)
        if life != self.life:
            return
        if status:
            pass
        elif nsid != 1:
            status = INVALID_NS
        elif opcode == FLUSH:
            self.media.update(self.cache)
            self.cache.clear()
        elif opcode == DATASET:
            status = await self.deallocate(dw, prp1)
        elif opcode not in (READ, WRITE, ZEROES):
            status = INVALID_OPCODE
        elif lba + blocks > self.blocks:
            status = LBA_RANGE
        elif opcode == ZEROES:
            for i in range(blocks):
                self.store(lba + i, bytes(self.block), dw[12] >> 30 & 1)
        elif self.mdts and length > 4096 << self.mdts:
            status = INVALID_FIELD
        else:
            pages = await nvme_prp.pages(self.port.read, self.rule, prp1, prp2, length)
            if pages is None or life != self.life:
                return
            if opcode == READ:
                data = b"".join(self.stored(lba + i) for i in range(blocks))
                for address, n in pages:
                    await self.port.write(address, data[:n], poisoned=number in self.poison)
                    data = data[n:]
                    if life != self.life:
                        return
            else:
                data = b""
                for address, n in pages:
                    piece = await self.port.read(address, n)
                    if piece is None or life != self.life:
                        return
                    data += piece
                for i in range(blocks):
                    self.store(lba + i, data[i * self.block:(i + 1) * self.block], dw[12] >> 30 & 1)
        if number in self.silent or (life == self.life and self.out.pop(cid, None) is None):      # aborted
            return
        await self.post(queue, 0x7fff if number in self.bad_cid else cid, status, life=life)
        if number in self.double:
            await self.post(queue, cid, status, life=life)
