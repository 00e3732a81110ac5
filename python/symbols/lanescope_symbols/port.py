"""The symbol port, version 1: one side of PIPE over a socket, a step at a time (docs/symbol-port.md)."""

import socket
import struct
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

VERSION = 1
MAC, PHY = 0, 1
WIDTHS = (1, 2, 4)
GREETING = struct.Struct("<4sBBBBH6s")
CLOCK, LAST, RESET = 1, 2, 4
K = 0x100

# Wires of a lane, of the MAC.
POWER_DOWN, RATE_SHIFT, RATE, DETECT, ELEC_IDLE, COMPLIANCE, POLARITY = 3, 2, 12, 16, 32, 64, 128
# Of the PHY; electrical idle has the same bit.
RX_STATUS, PHY_STATUS, RX_VALID = 7, 8, 16
RECEIVER_DETECTED = 3
WIRES = (0xFF, 0x3F)  # the bits that there are, by side


class PortError(Exception):
    """The other side broke a rule of the protocol, or went away."""


@dataclass
class Lane:
    """One lane in one clock: the wires of its side, and its symbols (a byte, `K` for a control symbol)."""

    wires: int = 0
    symbols: list[int] = field(default_factory=list)


@dataclass
class Frame:
    """What one side says in one step; `lanes` is None where it has no clock in it."""

    lanes: list[Lane] | None
    reset: bool = False
    last: bool = False


NO_CLOCK = Frame(None)


class Port:
    """`side` is this one's; `connection` is a stream socket, closed with the port."""

    def __init__(self, connection: socket.socket, side: int, lanes: int, symbols: int, delay: int = 1) -> None:
        if not 1 <= lanes <= 32 or symbols not in WIDTHS or not 1 <= delay <= 0xFFFF or side not in (MAC, PHY):
            raise ValueError(f"side {side}, {lanes} lanes, {symbols} symbols, delay {delay}")
        self.side, self.lanes, self.symbols = side, lanes, symbols
        self._socket, self._frame = connection, struct.Struct("<H" + f"{1 + symbols}H" * lanes)
        self._ended = False
        self._wait: deque[Frame] = deque()
        connection.sendall(GREETING.pack(b"LSSP", VERSION, side, lanes, symbols, delay, bytes(6)))
        self.delay = max(delay, self._greeted())
        # What arrived before the first frame of the other side can.
        self._wait.extend([NO_CLOCK] * (self.delay - 1))

    def _greeted(self) -> int:
        magic, version, side, lanes, symbols, delay, rest = GREETING.unpack(self._read(GREETING.size))
        if magic != b"LSSP":
            raise PortError("the other side speaks no symbol port")
        for name, theirs, ours in (
            ("version", version, VERSION), ("side", side, 1 - self.side), ("lanes", lanes, self.lanes), ("symbols", symbols, self.symbols),
        ):
            if theirs != ours:
                raise PortError(f"greeting: {name} {theirs}, not {ours}")
        if not delay or any(rest):
            raise PortError("greeting: delay 0, or bytes that are not known")
        return int(delay)

    def step(self, frame: Frame) -> Frame:
        """Sends the frame of this step; the frame of the other side that is known with it."""
        self._socket.sendall(self._packed(frame))
        self._wait.append(NO_CLOCK if self._ended else self._unpacked(self._read(self._frame.size)))
        return self._wait.popleft()

    def close(self) -> None:
        """Sends the last frame and reads up to that of the other side."""
        self._socket.sendall(self._packed(Frame(None, last=True)))
        while not self._ended:
            self._unpacked(self._read(self._frame.size))
        self._socket.close()

    def _packed(self, frame: Frame) -> bytes:
        words = [LAST * frame.last]
        if frame.lanes is None:
            return self._frame.pack(*words, *[0] * (self.lanes * (1 + self.symbols)))
        words[0] |= CLOCK | RESET * frame.reset
        for lane in frame.lanes:
            words += [lane.wires, *(lane.symbols or [0] * self.symbols)]
        return self._frame.pack(*words)

    def _unpacked(self, raw: bytes) -> Frame:
        flags, *words = self._frame.unpack(raw)
        if flags & ~(CLOCK | LAST | (RESET if self.side == PHY else 0)):
            raise PortError(f"flags {flags:#x}")
        self._ended = bool(flags & LAST)
        if not flags & CLOCK:
            if flags & RESET or any(words):
                raise PortError("a frame without a clock has more in it")
            return Frame(None, last=self._ended)
        size = 1 + self.symbols
        lanes = [Lane(words[at], words[at + 1 : at + size]) for at in range(0, len(words), size)]
        for lane in lanes:
            if lane.wires & ~WIRES[1 - self.side] or any(symbol > 0x1FF for symbol in lane.symbols):
                raise PortError(f"bits that are not known: wires {lane.wires:#x}, symbols {lane.symbols}")
        return Frame(lanes, bool(flags & RESET), self._ended)

    def _read(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            part = self._socket.recv(count - len(data))
            if not part:
                raise PortError("the other side has gone without a last frame")
            data += part
        return bytes(data)


def address(text: str) -> tuple[socket.AddressFamily, str | tuple[str, int]]:
    """`HOST:PORT` or `unix:PATH`."""
    if text.startswith("unix:"):
        return socket.AF_UNIX, text[5:]
    host, _, number = text.rpartition(":")
    return socket.AF_INET, (host, int(number))


def listener(text: str) -> socket.socket:
    family, where = address(text)
    server = socket.socket(family, socket.SOCK_STREAM)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(where)
    server.listen(1)
    return server


def _quick(connection: socket.socket) -> socket.socket:
    if connection.family == socket.AF_INET:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def accept(server: socket.socket, side: int, lanes: int, symbols: int, delay: int = 1) -> Port:
    connection, _ = server.accept()
    return Port(_quick(connection), side, lanes, symbols, delay)


def listen(text: str, side: int, lanes: int, symbols: int, delay: int = 1) -> Port:
    with listener(text) as server:
        return accept(server, side, lanes, symbols, delay)


def connect(text: str, side: int, lanes: int, symbols: int, delay: int = 1) -> Port:
    family, where = address(text)
    connection = socket.socket(family, socket.SOCK_STREAM)
    connection.connect(where)
    return Port(_quick(connection), side, lanes, symbols, delay)


def wires(
    power_down: int = 0, rate: int = 0, detect: bool = False, idle: bool = False, compliance: bool = False, polarity: bool = False
) -> int:
    """The wires of the MAC."""
    named = ((detect, DETECT), (idle, ELEC_IDLE), (compliance, COMPLIANCE), (polarity, POLARITY))
    return power_down | rate << RATE_SHIFT | sum(bit for on, bit in named if on)


class LanePhy:
    """The wires of one lane's PHY, from those of its MAC: PhyStatus at the end of a reset, for receiver detection and for each change
    of PowerDown and Rate. A receiver is there, or is not."""

    def __init__(self, receiver: bool = True) -> None:
        self.receiver = receiver
        self._settled: int | None = None  # PowerDown and Rate as they were answered; None in reset
        self._detecting = False

    def answer(self, mac: int, reset: bool) -> int:
        """PhyStatus and RxStatus, to be sent with RxValid and RxElecIdle."""
        settled = mac & (POWER_DOWN | RATE)
        detect = bool(mac & DETECT) and mac & POWER_DOWN == 2
        if reset:
            self._settled, self._detecting = None, False
            return PHY_STATUS
        if settled != self._settled:
            self._settled = settled
            return PHY_STATUS
        begun = detect and not self._detecting
        self._detecting = detect
        return PHY_STATUS | RECEIVER_DETECTED * self.receiver if begun else 0


def loopback(port: Port) -> int:
    """A PHY that sends back what it is sent, until the MAC ends; how many clocks it had."""
    phys, said, clocks = [LanePhy() for _ in range(port.lanes)], NO_CLOCK, 0
    while not said.last:
        said = port.step(Frame(None if said.lanes is None else list(_back(phys, said.lanes, said.reset))))
        clocks += said.lanes is not None
    port.close()
    return clocks


def _back(phys: list[LanePhy], lanes: Iterable[Lane], reset: bool) -> Iterable[Lane]:
    for phy, lane in zip(phys, lanes, strict=True):
        idle = bool(lane.wires & ELEC_IDLE)
        yield Lane(phy.answer(lane.wires, reset) | (ELEC_IDLE if idle else RX_VALID), [] if idle else lane.symbols)
