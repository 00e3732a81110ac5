#!/usr/bin/env python3
"""Does the symbol port carry what it is given, clock by clock, to clients in Python and in C, and does it refuse what breaks its
rules? The last line has the counts."""

import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import suite
from lanescope_symbols import port
from lanescope_symbols.port import Frame, Lane, PortError

ROOT = Path(__file__).resolve().parents[3]
CLIENTS = ROOT / "examples/symbol-port"
COMPILER = shutil.which("cc")


def random_frames(draw, lanes, symbols, count, every):
    """Frames of a MAC in P0, without a clock in one of `every` steps."""
    for step in range(count):
        if step % every == every - 1:
            yield port.NO_CLOCK
        else:
            yield Frame([Lane(0, [draw.randrange(512) for _ in range(symbols)]) for _ in range(lanes)])


def symbols_of(frame):
    return None if frame.lanes is None else [lane.symbols for lane in frame.lanes]


class Loop:
    """A client at the other end; how it ended is `status` and `said`."""

    def __init__(self, command, lanes, symbols, delay=1):
        server = port.listener("127.0.0.1:0")
        where = "127.0.0.1:%d" % server.getsockname()[1]
        environment = dict(os.environ, PYTHONPATH=str(ROOT / "python/symbols"))
        self.client = subprocess.Popen([*command, "connect", where, str(lanes), str(symbols)], env=environment, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        server.settimeout(20)
        self.port = port.accept(server, port.MAC, lanes, symbols, delay)
        server.close()

    def end(self):
        self.port.close()
        said, wrong = self.client.communicate(timeout=20)
        return self.client.returncode, said.strip(), wrong


class Clients:
    """The questions to either client; `command` starts it."""

    def looped(self, lanes, symbols, delay, every, count=2000):
        loop = Loop(self.command, lanes, symbols, delay)
        sent = list(random_frames(random.Random(lanes), lanes, symbols, count, every))
        back = [loop.port.step(frame) for frame in sent]
        status, said, wrong = loop.end()
        self.assertEqual((status, wrong), (0, ""))
        self.assertEqual(said, f"{sum(frame.lanes is not None for frame in sent)} clocks")
        late = 2 * delay - 1  # there and back: the first comes with the step in which it can
        self.assertEqual([symbols_of(frame) for frame in back[late:]], [symbols_of(frame) for frame in sent[:-late]])
        self.assertTrue(all(lane.wires & port.RX_VALID for frame in back[late + 1:] for lane in frame.lanes or []))

    def test_does_a_stream_come_back_symbol_by_symbol(self):
        for lanes, symbols in ((1, 2), (4, 1), (16, 4)):
            self.looped(lanes, symbols, 1, 1 << 30, 300)

    def test_do_clocks_that_are_left_out_come_back_as_such(self):
        self.looped(1, 2, 1, 1667, 4000)
        self.looped(1, 2, 1, 7)

    def test_does_a_longer_wire_only_delay(self):
        self.looped(1, 2, 5, 11)

    def test_is_a_receiver_detected(self):
        """PhyStatus falls behind the reset, is high for one clock for P1 and for one with RxStatus 3."""
        loop = Loop(self.command, 1, 2)
        idle = port.wires(2, idle=True)
        says = [(idle, True)] * 3 + [(idle, False)] * 3 + [(port.wires(2, idle=True, detect=True), False)] * 4
        says += [(port.wires(0), False)] * 3
        heard = [loop.port.step(Frame([Lane(wires)], reset)).lanes for wires, reset in says]
        loop.end()
        told = [lanes and lanes[0].wires & (port.PHY_STATUS | port.RX_STATUS) for lanes in heard]
        p, detected = port.PHY_STATUS, port.PHY_STATUS | port.RECEIVER_DETECTED
        self.assertEqual(told, [None, p, p, p, p, 0, 0, detected, 0, 0, 0, p, 0])


class Python(Clients, unittest.TestCase):
    command = [sys.executable, str(CLIENTS / "loopback.py")]


@unittest.skipUnless(COMPILER, "no C compiler is installed")
class C(Clients, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.command = [cls.folder.name + "/loopback"]
        subprocess.run([COMPILER, "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-O1", "-o", cls.command[0],
                        str(CLIENTS / "loopback.c")], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_is_what_breaks_a_rule_refused_by_name(self):
        good = port.GREETING.pack(b"LSSP", 1, port.MAC, 1, 2, 1, bytes(6))
        for raw, why in (
            (b"HTTP" + good[4:], "no symbol port"), (good[:4] + b"\2" + good[5:], "version"), (good[:5] + b"\1" + good[6:], "side"),
            (good[:6] + b"\2" + good[7:], "lanes"), (good[:8] + b"\0" + good[9:], "delay 0"), (good + b"\1\0\0\1" + bytes(4), "not known"),
            (good + b"\0\0\1\0" + bytes(4), "without a clock"), (good, "gone without"),
        ):
            with port.listener("127.0.0.1:0") as server:
                client = subprocess.Popen([*self.command, "connect", "127.0.0.1:%d" % server.getsockname()[1]], stderr=subprocess.PIPE,
                                          stdout=subprocess.PIPE, text=True)
                connection, _ = server.accept()
                connection.sendall(raw)
                connection.shutdown(socket.SHUT_WR)
                _, wrong = client.communicate(timeout=20)
                connection.close()
            self.assertEqual(client.returncode, 1)
            self.assertIn(why, wrong)


class Refusals(unittest.TestCase):
    def refused(self, raw, side=port.PHY):
        """What a port of that side says of these bytes."""
        ours, theirs = socket.socketpair()
        theirs.sendall(raw)
        theirs.shutdown(socket.SHUT_WR)
        try:
            with ours, theirs, self.assertRaises(PortError) as caught:
                opened = port.Port(ours, side, 1, 2)
                while True:
                    opened.step(port.NO_CLOCK)
        finally:
            ours.close()
        return str(caught.exception)

    def test_is_each_broken_rule_named(self):
        good = port.GREETING.pack(b"LSSP", 1, port.MAC, 1, 2, 1, bytes(6))
        phy = port.GREETING.pack(b"LSSP", 1, port.PHY, 1, 2, 1, bytes(6))
        frame = bytes(8)
        self.assertIn("no symbol port", self.refused(b"GET " + good[4:]))
        self.assertIn("version 2", self.refused(good[:4] + b"\2" + good[5:]))
        self.assertIn("side 1", self.refused(phy))
        self.assertIn("symbols 4", self.refused(good[:7] + b"\4" + good[8:]))
        self.assertIn("not known", self.refused(good[:15] + b"\1"))
        self.assertIn("flags 0x8", self.refused(good + frame + b"\10" + frame[1:]))
        self.assertIn("flags 0x5", self.refused(phy + b"\5" + frame[1:], port.MAC))
        self.assertIn("wires 0x40", self.refused(phy + b"\1\0\x40\0" + frame[4:], port.MAC))
        self.assertIn("symbols [512", self.refused(good + b"\1\0\0\0\0\2\0\0"))
        self.assertIn("without a clock", self.refused(good + b"\0\0\1" + frame[3:]))
        self.assertIn("without a last frame", self.refused(good + frame[:5]))

    def test_do_both_ends_take_an_address_of_each_kind(self):
        with tempfile.TemporaryDirectory() as folder:
            where = f"unix:{folder}/port"
            server = port.listener(where)
            client = threading.Thread(target=lambda: port.loopback(port.connect(where, port.PHY, 1, 2)))
            client.start()
            opened = port.accept(server, port.MAC, 1, 2)
            opened.step(Frame([Lane(0, [0x1BC, 0x11C])]))
            self.assertEqual(opened.step(Frame([Lane()])).lanes[0].symbols, [0x1BC, 0x11C])
            opened.close()
            client.join()
            server.close()


if __name__ == "__main__":
    suite.main()
