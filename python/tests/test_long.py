"""Calls that take their time: interrupted, beside other threads, and telling how far they are. Run by test_package.py."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import types
import unittest

import lanescope as ls
from lanescope import _progress


class Long(unittest.TestCase):
    OVER = {"host.read_latency": "200ns..2us/4000log"}

    def test_ctrl_c_ends_with_what_is_done(self):
        # A program that a shell starts in the background ignores SIGINT.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        began = time.monotonic()
        answer = ls.load("gen4-workstation").sweep("dma-read", over=self.OVER, progress=False)
        self.assertFalse(answer.complete)
        self.assertLess(time.monotonic() - began, 20)

    def test_other_threads_go_on(self):
        counted = 0
        running = True

        def count() -> None:
            nonlocal counted
            while running:
                counted += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        ls.load("rosta-rb8v7").run("host-write-many", devices=8, progress=False)
        running = False
        thread.join()
        self.assertGreater(counted, 5)

    def test_progress_is_told_and_its_errors_are_raised(self):
        def refuse(_done: int, _total: int) -> None:
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            ls.load("gen4-workstation").sweep("dma-read", over=self.OVER, progress=refuse)


class Progress(unittest.TestCase):
    def test_a_bar_is_fed_and_closed(self):
        seen: list[tuple[str, int]] = []

        class Bar:
            n = 0

            def __init__(self, total: int | None, **_: object) -> None:
                seen.append(("total", total or 0))

            def update(self, more: int) -> None:
                self.n += more
                seen.append(("update", self.n))

            def close(self) -> None:
                seen.append(("close", self.n))

        module = types.ModuleType("tqdm.auto")
        module.tqdm = Bar  # type: ignore[attr-defined]
        before = {name: sys.modules.get(name) for name in ("tqdm", "tqdm.auto")}
        sys.modules.update({"tqdm": types.ModuleType("tqdm"), "tqdm.auto": module})
        try:
            over = {"host.read_latency": "200ns..2us/120log"}
            answer = ls.load("gen4-workstation").sweep("dma-read", over=over, threads=1)
        finally:
            for name, old in before.items():
                sys.modules.pop(name)
                if old is not None:
                    sys.modules[name] = old
        self.assertTrue(answer.complete)
        self.assertEqual([seen[0][0], seen[-1][0]], ["total", "close"])
        counts = [count for what, count in seen if what == "update"]
        self.assertEqual(counts, sorted(counts))
        self.assertGreaterEqual(seen[0][1], max(counts))

    def test_no_bar_where_none_is_wanted(self):
        with _progress.shown(False) as told:
            self.assertIsNone(told)
