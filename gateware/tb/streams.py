# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Drivers and monitors of the engine's streams, with back-pressure as a knob on each."""

import random
from collections import deque

from cocotb.triggers import Event

from clocked import EDGE, Shown, Sleep, clocked, high, number


class Pause:
    """How often a side holds back: 0 never, 0.5 half of all cycles; or a function."""

    def __init__(self):
        self.rate = 0.0
        self.stuck = False

    def __call__(self):
        return self.stuck or (self.rate > 0 and random.random() < self.rate)


class Source:
    """Beats out of a queue: each is a dict of signal name to value."""

    def __init__(self, clock, valid, ready, signals):
        self.clock, self.valid, self.ready, self.signals = clock, valid, ready, signals
        self.queue, self.pause, self.idle = deque(), Pause(), Event()
        self.done = []          # events to set when a marked beat has gone
        self.dropped, self.empty = False, Sleep()
        valid.value = 0
        for s in signals.values():
            s.value = 0
        self.show = {n: Shown(s, 0) for n, s in signals.items()}
        clocked(clock, self._run())

    def put(self, beats, event=None):
        beats = list(beats)
        for i, beat in enumerate(beats):
            self.queue.append((beat, event if i == len(beats) - 1 else None))
        self.idle.clear()
        self.empty.wake()

    def drop(self):
        """All that it has: what drives it is reset."""
        self.dropped = self.empty.one is None       # else it has nothing

    async def _run(self):
        shown, valid = None, Shown(self.valid, 0)
        ready = high(self.ready) if self.ready is not None else None
        while True:
            await (EDGE if self.queue or shown else self.empty)
            if self.dropped:
                self.queue.clear()
                shown, self.dropped = None, False
                valid(0)
            if shown is not None and (ready is None or ready()):
                if shown[1] is not None:
                    shown[1].set()
                shown = None
                if not self.queue:
                    self.idle.set()
            if shown is None and self.queue and not self.pause():
                shown = self.queue.popleft()
                for name, value in shown[0].items():
                    self.show[name](value)
            valid(int(shown is not None))


class Sink:
    """Takes beats while there is room, and hands each to a function."""

    def __init__(self, clock, valid, ready, signals, take, room=lambda: True):
        self.clock, self.valid, self.ready, self.signals = clock, valid, ready, signals
        self.take, self.room, self.pause = take, room, Pause()
        ready.value = 0
        clocked(clock, self._run())

    async def _run(self):
        was, valid = 0, high(self.valid)
        signals = {n: number(s) for n, s in self.signals.items()}
        while True:
            await EDGE
            if was and valid():
                self.take({n: read() for n, read in signals.items()})
            now = int(self.room() and not self.pause())
            if now != was:
                self.ready.value = now
                was = now


AXIS = dict(valid="tvalid", ready="tready", data="tdata", keep="tkeep", last="tlast", error="tuser")


def stream(dut, name, parts, out=False):
    """valid, ready and these parts of a stream: `m_axis_h2c_tdata` at a vendor's top, `h2c_data_o` at a module within."""
    def port(part):
        if "_axis_" in name:
            return getattr(dut, f"{name}_{AXIS[part]}")
        return getattr(dut, f"{name}_{part}_{'o' if out != (part == 'ready') else 'i'}")
    return port("valid"), port("ready"), {part: port(part) for part in parts}


def frame_beats(data, width, last=True):
    """An AXI4-Stream frame as beats."""
    step = width // 8
    beats = []
    for at in range(0, len(data), step):
        piece = data[at:at + step]
        beats.append(dict(data=int.from_bytes(piece, "little"), keep=(1 << len(piece)) - 1,
                          last=int(last and at + step >= len(data))))
    return beats


class FrameSink:
    """An AXI4-Stream sink that collects frames: (bytes, error)."""

    def __init__(self, clock, dut, name):
        self.sink = Sink(clock, *stream(dut, name, ("data", "keep", "last", "error"), out=True), self._beat)
        self.frames, self.open, self.width = deque(), bytearray(), len(self.sink.signals["data"])
        self.event, self.total = Event(), 0
        self.pause = self.sink.pause

    def _beat(self, b):
        n = b["keep"].bit_count()
        self.open += b["data"].to_bytes(self.width // 8, "little")[:n]
        self.total += n
        if b["last"]:
            self.frames.append((bytes(self.open), b["error"]))
            self.open = bytearray()
        self.event.set()

    def forget(self):
        self.frames.clear()
        self.open, self.total = bytearray(), 0

    async def frame(self):
        while not self.frames:
            self.event.clear()
            await self.event.wait()
        return self.frames.popleft()
