#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""The first transfer of a board: bytes from host memory through the card's loopback and back, then
compared. It uses Linux's VFIO, so the card must be bound to vfio-pci and the IOMMU be on:

    sudo ./first_transfer.py 0000:01:00.0 [BYTES]

The registers are those of docs/driver.md, "Without a ring". What is stored and loaded is one
function, which the simulation runs too; VFIO itself is used here only."""

import ctypes
import fcntl
import mmap
import os
import struct
import sys
import time

MAGIC = 0x5043534c          # "LSCP"
H2C, C2H = 0x100, 0x200     # registers of the channels
RECORDS, SOURCE, SINK = 0x0000, 0x1000, 0x80000     # where in the buffer
BUFFER, MOST = 0x100000, SINK - SOURCE              # bytes
LOG2 = 4                    # records, 16 bytes each


def transfer(bus, length):
    """Yields ("store", register, value), ("load", register) and ("record",), which waits until the
    first record is there; takes the value of a load, or the record's 16 bytes. `bus` is the buffer's
    address on the bus; bytes at SOURCE go to SINK. Returns how many came."""
    assert 0 < length <= MOST
    identity = yield ("load", 0x000)
    if identity & 0xffffffff != MAGIC:
        raise OSError(f"register 0 reads {identity:#x}: no engine, or no access")
    yield ("store", C2H + 0x10, bus + RECORDS)
    yield ("store", C2H, 1 | 1 << 3 | LOG2 << 8 | 1 << 16)      # enable, records, one for each descriptor
    yield ("store", C2H + 0x20, bus + SINK)
    yield ("store", C2H + 0x28, length | 3 << 32)               # starts and ends a frame
    yield ("store", H2C, 1)
    yield ("store", H2C + 0x20, bus + SOURCE)
    yield ("store", H2C + 0x28, length | 3 << 32)
    record = yield ("record",)
    flags, came, _, _ = struct.unpack("<4I", record)
    for channel, name in ((C2H, "card to host"), (H2C, "host to card")):
        status = yield ("load", channel + 0x40)
        if status >> 4 & 15:
            raise OSError(f"{name}: cause {status >> 4 & 15}")
    if flags >> 8 & 15:
        raise OSError(f"record: cause {flags >> 8 & 15}")
    yield ("store", C2H, 0)
    yield ("store", H2C, 0)
    return came


def has_record(buffer):
    return buffer[RECORDS] & 1 == 1


# ---- Linux ---------------------------------------------------------------------------------------
def vfio(number):
    """An ioctl of <linux/vfio.h>: _IO(';', 100 + number)."""
    return ord(";") << 8 | 100 + number


SET_IOMMU, GROUP_STATUS, SET_CONTAINER, DEVICE_FD, REGION_INFO, MAP_DMA = (vfio(n) for n in (2, 3, 4, 6, 8, 13))
TYPE1, BAR0, CONFIG = 1, 0, 7
BUS = 0x1000000             # the buffer's address on the bus


class Card:
    """The function `name` through VFIO: its registers and a buffer that it may reach."""

    def __init__(self, name):
        group = os.path.basename(os.readlink(f"/sys/bus/pci/devices/{name}/iommu_group"))
        self.container = os.open("/dev/vfio/vfio", os.O_RDWR)
        self.group = os.open(f"/dev/vfio/{group}", os.O_RDWR)
        status = bytearray(struct.pack("II", 8, 0))
        fcntl.ioctl(self.group, GROUP_STATUS, status)
        if not struct.unpack("II", status)[1] & 1:
            raise OSError(f"group {group}: another device of it is not bound to vfio-pci")
        fcntl.ioctl(self.group, SET_CONTAINER, struct.pack("i", self.container))
        fcntl.ioctl(self.container, SET_IOMMU, TYPE1)
        self.device = fcntl.ioctl(self.group, DEVICE_FD, bytearray(name.encode() + b"\0"))
        size, offset = self.region(BAR0)
        self.registers = memoryview(mmap.mmap(self.device, size, offset=offset)).cast("Q")
        self.buffer = mmap.mmap(-1, BUFFER)
        at = ctypes.addressof(ctypes.c_char.from_buffer(self.buffer))
        fcntl.ioctl(self.container, MAP_DMA, struct.pack("IIQQQ", 32, 3, at, BUS, BUFFER))
        _, config = self.region(CONFIG)
        command, = struct.unpack("<H", os.pread(self.device, 2, config + 4))
        os.pwrite(self.device, struct.pack("<H", command | 6), config + 4)     # memory space, bus master

    def region(self, index):
        info = bytearray(struct.pack("IIIIQQ", 32, 0, index, 0, 0, 0))
        fcntl.ioctl(self.device, REGION_INFO, info)
        return struct.unpack("IIIIQQ", info)[4:]

    def do(self, what, register=0, value=0):
        if what == "load":
            return self.registers[register // 8]
        if what == "store":
            self.registers[register // 8] = value
            return None
        end = time.monotonic() + 1
        while not has_record(self.buffer):
            if time.monotonic() > end:
                raise TimeoutError("no record after a second: bus mastering, IOMMU or link; see the board's page")
        return self.buffer[RECORDS:RECORDS + 16]


def main():
    card = Card(sys.argv[1])
    length = int(sys.argv[2], 0) if len(sys.argv) > 2 else 65536
    card.buffer[SOURCE:SOURCE + length] = data = os.urandom(length)
    steps, answer = transfer(BUS, length), None
    try:
        while True:
            answer = card.do(*steps.send(answer))
    except StopIteration as end:
        came = end.value
    if came != length or card.buffer[SINK:SINK + length] != data:
        sys.exit(f"{came} of {length} bytes came, or other ones")
    print(f"{length} bytes went to the card and came back as they were")


if __name__ == "__main__":
    main()
