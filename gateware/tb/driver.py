# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The host's software: registers, descriptor rings, records, interrupts."""

from cocotb.triggers import Timer

from rules import Rules


class Driver:
    """The host's side: registers, rings, records, interrupts."""

    def __init__(self, rc, card):
        self.rc, self.card = rc, card
        self.dev = None
        self.alias = 0xf                # of a vector's number, where the host has granted fewer
        # The rules, on what the card sends and on what it is answered: whoever has a driver has them.
        cap = card.function.pcie_cap
        card.link.rules = Rules(lambda: (128 << cap.max_payload_size, 128 << cap.max_read_request_size,
                                         bool(cap.extended_tag_field_enable)),
                                lambda: 128 if rc.read_completion_boundary else 64)

    async def start(self):
        self.dev = self.rc.find_device(self.card.function.pcie_id)
        await self.dev.enable_device()
        await self.dev.set_master()
        self.bar = self.dev.bar_window[0]
        self.win = self.dev.bar_addr[2]

    async def write(self, addr, value, size=8):
        await self.bar.write(addr, value.to_bytes(size, "little"))

    async def read(self, addr, size=8):
        return int.from_bytes(await self.bar.read(addr, size), "little")

    async def msix(self, vectors):
        """Point the table at the root complex's interrupt region."""
        for i, v in enumerate(vectors):
            self.card.link.rules.vector(i, v.addr, v.data)
            await self.write(0x1000 + 16 * i, v.addr)
            await self.write(0x1008 + 16 * i, v.data)
        self.card.function.msix_cap.msix_enable = True

    async def interrupts(self, count=4):
        """The table set up, MSI-X on: how often each vector has come, a list that counts on."""
        vectors = self.rc.msi_alloc_vectors(count)
        hits = [0] * count

        def counter(i):
            async def came():
                hits[i] += 1
            return came
        for i, v in enumerate(vectors):
            v.cb.append(counter(i))
        await self.msix(vectors)
        return hits


    async def msi(self, granted):
        """MSI with so many vectors granted, a power of two: how often each has come."""
        cap, vectors = self.card.function.msi_cap, self.rc.msi_alloc_vectors(32)
        hits, self.alias = [0] * granted, granted - 1
        self.card.link.rules.late = 2

        def counter(i):
            async def came():
                hits[i] += 1
            return came
        for i, v in enumerate(vectors[:granted]):
            v.cb.append(counter(i))
            self.card.link.rules.vector(i, v.addr, v.data)
        cap.msi_message_address, cap.msi_message_data = vectors[0].addr, vectors[0].data
        cap.msi_multiple_message_enable = granted.bit_length() - 1
        cap.msi_enable = True
        await Timer(50, "ns")           # the block has told the engine
        return hits


class Ring:
    """A descriptor ring and its records in host memory."""

    DESC, RECORD = 16, 16

    def __init__(self, driver, channel, log2=6):
        self.d, self.base, self.log2, self.size = driver, 0x100 * (channel + 1), log2, 1 << log2
        self.tail = self.seen = self.slot = 0
        self.phase = 1

    async def open(self, count=1, time=200, attr=0, vector=0, record=True, ring=True, first=False):
        size = max(self.size * 16, 4096)
        region = self.d.rc.mem_pool.alloc_region(2 * size)
        self.ring_addr, self.mem = region.get_absolute_address(0), region
        self.rec_addr = self.ring_addr + size
        self.rec_off = size
        if record:
            self.d.card.link.rules.ring(self.rec_addr, 16 * self.size, vector & self.d.alias)
        await self.d.write(self.base + 0x08, self.ring_addr)
        await self.d.write(self.base + 0x10, self.rec_addr)
        await self.d.write(self.base + 0x18, 0)
        self.control = (1 | ring << 2 | record << 3 | attr << 4 | self.log2 << 8 | vector << 12
                        | count << 16 | first << 24 | time << 32)
        await self.d.write(self.base, self.control)

    async def post(self, descs):
        """descs: (addr, length, sof, eof, irq, ident)"""
        for addr, length, sof, eof, irq, ident in descs:
            raw = addr | (length | sof << 32 | eof << 33 | irq << 34 | ident << 40) << 64
            self.mem[self.tail * 16:self.tail * 16 + 16] = raw.to_bytes(16, "little")
            self.tail = (self.tail + 1) % self.size
        await self.d.write(self.base + 0x18, self.tail)

    async def record(self):
        """The next completion record, as a dict."""
        while True:
            at = self.rec_off + 16 * self.slot
            raw = int.from_bytes(self.mem[at:at + 16], "little")
            if raw & 1 == self.phase:
                break
            await Timer(100, "ns")
        self.slot += 1
        if self.slot == self.size:
            self.slot, self.phase = 0, self.phase ^ 1
        return dict(sof=raw >> 1 & 1, eof=raw >> 2 & 1, irq=raw >> 3 & 1, regular=raw >> 4 & 1,
                    cause=raw >> 8 & 15, count=raw >> 16 & 0xffff, length=raw >> 32 & 0xffffffff,
                    total=raw >> 64 & 0xffffffff, ident=raw >> 96)

    async def abort(self, keep=False, tell=False):
        await self.d.write(self.base, (self.control | 2 | keep << 25 | tell << 26) & 0xffffffff, 4)
        for _ in range(2000):
            if not await self.d.read(self.base + 0x40) & 1:
                break
        else:
            raise AssertionError("abort does not end")
        await self.d.write(self.base, 0, 4)
        await self.d.read(0)                 # it has arrived
        self.tail = self.slot = 0
        self.phase = 1
