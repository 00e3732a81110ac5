# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""QEMU's NVMe controller as a judge that this project did not write: a process without a running CPU, its
configuration space and registers reached through the test socket, its memory a file that both map.

It has the face of `nvme_controller.NvmeController`, so that a bench takes the one or the other. What QEMU reads from
or writes to host memory it does in the file; `NvmeBridge` therefore carries, by TLPs, what a command names: entries of
the submission queue and the data of writes into the file before the doorbell is rung there, the data of reads and then
the completion out of it. QEMU's time is wall time: while it works, simulated time stands still."""

import mmap
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAM = "qemu-system-x86_64"
MEMORY = 64 << 20
SLOT = 4                    # device number on bus 0


def available():
    return shutil.which(PROGRAM) is not None


class Qemu:
    def __init__(self, size=4 << 20, options="", drive="", namespace=None, errors=None):
        """`options` of the controller, `drive` of what is behind it; `namespace` has options of its namespace. `errors`: what
        ends with an error there, (event, sector or None) as blkdebug knows them."""
        self.folder = Path(tempfile.mkdtemp(prefix="nvme"))
        self.image, memory, path = self.folder / "drive", self.folder / "memory", self.folder / "socket"
        self.image.write_bytes(bytes(size))
        memory.write_bytes(b"")
        os.truncate(memory, MEMORY)
        file = self.image
        if errors:
            (self.folder / "errors").write_text("".join(
                f'[inject-error]\nevent = "{event}"\nerrno = "5"\n' + (f'sector = "{sector}"\n' if sector is not None else "")
                for event, sector in errors))
            file = f"blkdebug:{self.folder / 'errors'}:{self.image}"
        devices = ["-device", f"nvme,serial=N0,addr={SLOT}{'' if namespace else ',drive=d0'}{options}"]
        if namespace:
            devices += ["-device", f"nvme-ns,drive=d0,nsid=1{namespace}"]
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(path))
        listening.listen(1)
        listening.settimeout(60)
        self.process = subprocess.Popen(
            [PROGRAM, "-machine", "q35,memory-backend=m", "-accel", "tcg", "-S", "-display", "none", "-m", f"{MEMORY >> 20}",
             "-object", f"memory-backend-file,id=m,size={MEMORY},share=on,mem-path={memory}", "-nodefaults", "-qtest",
             f"unix:{path}", "-qtest-log", "none", "-drive", f"if=none,id=d0,file={file},format=raw{drive or ',cache=unsafe'}",
             *devices], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=open(self.folder / "said", "w"))
        try:
            self.socket = listening.accept()[0]
        except TimeoutError as e:
            raise AssertionError("QEMU did not start: " + (self.folder / "said").read_text()) from e
        self.lines = self.socket.makefile("rw")
        with open(memory, "r+b") as f:
            self.memory = mmap.mmap(f.fileno(), MEMORY)

    def say(self, text):
        self.lines.write(text + "\n")
        self.lines.flush()
        while True:
            answer = self.lines.readline()
            assert answer, "QEMU is gone: " + (self.folder / "said").read_text()
            if answer.startswith("OK"):
                return answer.split()[1:]
            assert answer.startswith("IRQ"), answer

    def cfg(self, reg, value=None):
        self.say(f"outl 0xcf8 {0x80000000 | SLOT << 11 | reg:#x}")
        if value is None:
            return int(self.say("inl 0xcfc")[0], 16)
        self.say(f"outl 0xcfc {value:#x}")

    def close(self):
        self.lines.close()
        self.socket.close()
        self.process.terminate()
        self.process.wait(20)
        self.memory.close()
        shutil.rmtree(self.folder)


class NvmeBridge:
    """Between the port of a bench and QEMU."""

    def __init__(self, port, qemu):
        self.port, self.qemu = port, qemu
        self.wrong, self.log = [], []
        self.dead_regs = False
        self.queues = {}                    # number: (base, entries, tail that was carried), submission
        self.cqs = {}                       # number: [base, entries, head, phase], completion
        self.reads = {}                     # (queue, identifier): pages that the drive fills
        self.aqa = self.asq = self.acq = 0
        self.most = self.out = 0
        self.block = 512
        self.lost = False                   # completions of the I/O queue do not arrive
        self.answers = []                   # (status, bit 0 of the result) of admin commands
        self.ringing, self.bells = False, []

    command = property(lambda self: self.qemu.cfg(4) & 0xff)
    bar = property(lambda self: self.qemu.cfg(0x10) & ~0xf)
    mps = property(lambda self: 128)
    mrrs = property(lambda self: 512)

    def cfg_read(self, reg):
        return 0, self.qemu.cfg(reg)

    def cfg_write(self, reg, be, value):
        assert be == 15
        self.qemu.cfg(reg, value)
        return 0

    def mem_read(self, address, length):
        assert length == 4
        return int(self.qemu.say(f"readl {address:#x}")[0], 16).to_bytes(4, "little")

    def mem_write(self, address, data):
        at, value = address - self.bar, int.from_bytes(data, "little")
        if at >= 0x1000:
            self.bells.append((address, (at - 0x1000) // 4, value))
            if not self.ringing:
                self.ringing = True
                self.port.spawn(self.ring())
            return
        if at == 0x24:
            self.aqa = value
        elif at == 0x28:
            self.asq = value
        elif at == 0x30:
            self.acq = value
        elif at == 0x14 and value & 1:
            self.queues = {0: [self.asq, (self.aqa & 0xfff) + 1, 0]}
            self.cqs = {0: [self.acq, (self.aqa >> 16 & 0xfff) + 1, 0, 1]}
            self.qemu.memory[self.acq:self.acq + 16 * self.cqs[0][1]] = bytes(16 * self.cqs[0][1])
        self.qemu.say(f"writel {address:#x} {value:#x}")

    async def ring(self):
        while self.bells:
            address, index, value = self.bells.pop(0)
            if not index & 1:
                await self.carry_in(index // 2, value)
            self.qemu.say(f"writel {address:#x} {value:#x}")
            await self.carry_out()
        self.ringing = False

    async def bring(self, address, length):
        data = await self.port.read(address, length)
        assert data is not None, f"host memory at {address:#x} cannot be read"
        self.qemu.memory[address:address + length] = data
        return data

    async def carry_in(self, number, tail):
        queue = self.queues[number]
        while queue[2] != tail:
            at = queue[0] + 64 * queue[2]
            queue[2] = (queue[2] + 1) % queue[1]
            entry = await self.bring(at, 64)
            dw = [int.from_bytes(entry[4 * i:4 * i + 4], "little") for i in range(16)]
            opcode, cid = dw[0] & 0xff, dw[0] >> 16
            prp1, prp2 = dw[6] | dw[7] << 32, dw[8] | dw[9] << 32
            self.out += 1
            self.most = max(self.most, self.out)
            if number:
                self.log.append(opcode)
                if opcode in (1, 2):
                    pages = await self.pages(prp1, prp2, ((dw[12] & 0xffff) + 1) * self.block)
                    if opcode == 1:
                        for address, n in pages:
                            await self.bring(address, n)
                    else:
                        self.reads[number, cid] = pages
                elif opcode == 9:
                    await self.bring(prp1, 16 * ((dw[10] & 0xff) + 1))
            elif opcode == 6:
                self.reads[0, cid] = [(prp1, 4096)]
            elif opcode == 2:
                self.reads[0, cid] = await self.pages(prp1, prp2, ((dw[10] >> 16) + 1) * 4)
            elif opcode == 5:
                self.cqs[dw[10] & 0xffff] = [prp1, (dw[10] >> 16) + 1, 0, 1]
                self.qemu.memory[prp1:prp1 + 16 * ((dw[10] >> 16) + 1)] = bytes(16 * ((dw[10] >> 16) + 1))
            elif opcode == 1:
                self.queues[dw[10] & 0xffff] = [prp1, (dw[10] >> 16) + 1, 0]

    async def pages(self, prp1, prp2, length):
        """Where the data is; a PRP list is carried into the file, where QEMU reads it for itself."""
        first = min(length, 4096 - prp1 % 4096)
        out, length = [(prp1, first)], length - first
        if 0 < length <= 4096:
            out.append((prp2, length))
        elif length:
            count = -(-length // 4096)
            raw = await self.bring(prp2, 8 * count)
            for i in range(count):
                out.append((int.from_bytes(raw[8 * i:8 * i + 8], "little"), min(length, 4096)))
                length -= min(length, 4096)
        return out

    async def carry_out(self):
        """Completions, while there are commands out; the simulation waits for QEMU meanwhile."""
        until = time.monotonic() + 20
        while self.out and not self.bells:
            for number, cq in self.cqs.items():
                while True:
                    at = cq[0] + 16 * cq[2]
                    entry = self.qemu.memory[at:at + 16]
                    if entry[14] & 1 != cq[3]:
                        break
                    cq[2] += 1
                    if cq[2] == cq[1]:
                        cq[2], cq[3] = 0, cq[3] ^ 1
                    self.out -= 1
                    if number == 0:
                        self.answers.append((entry[14] >> 1 | entry[15] << 7, entry[0] & 1))
                    pages = self.reads.pop((number, int.from_bytes(entry[12:14], "little")), [])
                    if entry[14] & 0xfe == 0 and entry[15] == 0:
                        for address, n in pages:
                            await self.port.write(address, self.qemu.memory[address:address + n])
                    if number == 0 or not self.lost:
                        await self.port.write(at, entry)
                    until = time.monotonic() + 20
            if self.out:
                assert time.monotonic() < until, "QEMU does not answer"
                self.qemu.say(f"readl {self.bar + 0x1c:#x}")       # lets its main loop run
                time.sleep(0.0005)
