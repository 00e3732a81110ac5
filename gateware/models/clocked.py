# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""What runs at every edge of a clock, at a fraction of the cost of a task of cocotb. A task costs several microseconds at
each edge, and a bench has some twenty: most of the time of a simulation. Here one task per clock waits for the edge, and
resumes all that run at it, in the order in which they began.

A coroutine that is given to `clocked` awaits `EDGE`, or a `Sleep` of its own, and nothing else. `high`, `number` and `Shown` read and write ports
as often as that without the objects that cocotb makes for each value."""

import cocotb
from cocotb.triggers import RisingEdge


class _Edge:
    def __await__(self):
        yield


EDGE = _Edge()


class Sleep:
    """Awaited: no edge until `wake` is called."""

    clock = one = None

    def __await__(self):
        yield self

    def wake(self):
        if self.one is not None:
            self.clock.woken.append(self.one)
            self.one = None


_clocks = {}            # by clock, of the test that runs


class _Clock:
    def __init__(self, clock):
        self.running, self.woken = [], []
        self.task = cocotb.start_soon(self._run(RisingEdge(clock)))

    async def _run(self, edge):
        while True:
            await edge
            if self.woken:
                self.running += self.woken
                self.woken = []
            gone = None
            for one in self.running:
                try:
                    sleep = one.send(None)
                except StopIteration:
                    sleep = Sleep()
                if sleep is not None:
                    sleep.clock, sleep.one = self, one
                    gone = (gone or []) + [one]
            if gone:
                self.running = [one for one in self.running if one not in gone]

    async def begin(self, one):
        """Up to its first edge, as a task of its own would."""
        try:
            sleep = one.send(None)
        except StopIteration:
            return
        if sleep is not None:
            sleep.clock, sleep.one = self, one
        else:
            self.running.append(one)


def clocked(clock, coroutine):
    """Runs it from now on; it goes on at each rising edge. An exception fails the test."""
    of = _clocks.get(clock)
    if of is None or of.task.done():        # those of the test before ended with it
        of = _clocks[clock] = _Clock(clock)
    cocotb.start_soon(of.begin(coroutine))


def bits(port):
    """A function: a port's bits as text, the uppermost first. What stands for a part of a port has one of its own."""
    return port.bits_as_text if hasattr(port, "bits_as_text") else port._handle.get_signal_val_binstr


def high(port):
    """A function: whether a port of one bit is 1."""
    read = bits(port)
    return lambda: read() == "1"


def number(port):
    """A function: the value of a port as a number."""
    read = bits(port)
    return lambda: int(read(), 2)


class Shown:
    """A port to which a value is written where it is another than the last, which may have been `last`."""

    def __init__(self, port, last=None):
        self.port, self.last = port, last

    def __call__(self, value):
        if value != self.last:
            self.port.value = self.last = value
