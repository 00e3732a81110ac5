"""Sweeps on Dask's workers: the bytes of one machine, whatever is lost on the way. Run by tools/python.py; needs `distributed`."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

from distributed import Client, LocalCluster

import lanescope as ls

PROGRAM = os.environ["LANESCOPE"]
OVER = {"host.read_latency": [f"{n} ns" for n in range(300, 360)], "requests": [8, 16]}
WORDS = [word for name, values in OVER.items() for word in ("--over", f"{name}={','.join(map(str, values))}")]
SYSTEM, EXPERIMENT = "gen4-workstation", "dma-read"
POINTS = 240


def whole(folder: Path, name: str = "whole.csv") -> bytes:
    """The sweep by the command, on this machine."""
    words = [PROGRAM, "sweep", SYSTEM, EXPERIMENT, *WORDS, "--out", str(folder / name)]
    subprocess.run(words, check=True, capture_output=True)
    return (folder / name).read_bytes()


def swept(client: Client, out: Path, **options) -> ls.Answer:
    return ls.load(SYSTEM).sweep(EXPERIMENT, over=OVER, out=out, client=client, progress=False, **options)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class OnWorkers(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = Path(kept.name)

    def cluster(self):
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None)
        self.addCleanup(cluster.close)
        client = Client(cluster)
        self.addCleanup(client.close)
        return client

    def test_the_bytes_are_those_of_one_machine(self):
        client = self.cluster()
        answer = swept(client, self.folder / "far.csv")
        self.assertTrue(answer.complete)
        self.assertEqual((self.folder / "far.csv").read_bytes(), whole(self.folder))
        self.assertFalse((self.folder / "far.csv.part").exists())
        # Without a file, the answer is that of one machine; and a changed machine is the same one there.
        changed = ls.load(SYSTEM).set("host.read_latency", "500 ns")
        over = {"requests": [4, 8]}
        far = changed.sweep(EXPERIMENT, over=over, client=client, progress=False)
        self.assertEqual(far.value, changed.sweep(EXPERIMENT, over=over, progress=False).value)

    def test_a_described_machine_need_not_be_at_the_workers(self):
        client = self.cluster()
        parts = {"host": {"part": "generic/gen3-host", "slots": {"a": "gen3 x8"}}, "card": {"part": "generic/gen3-card"}}
        one = {"operation": "dma-read", "command": "4 KiB", "volume": "1 MiB", "flows": ["host -> card"]}
        system = ls.load({"parts": parts, "links": ["host.a - card.pcie"], "experiments": {"read": one}})
        over = {"card.read_requests": [4, 8]}
        far = system.sweep("read", over=over, client=client, progress=False)
        self.assertEqual(far.value, system.sweep("read", over=over, progress=False).value)

    def test_a_point_that_is_wrong_is_told_at_once(self):
        with self.assertRaisesRegex(ls.LanescopeError, "requets"):
            ls.load(SYSTEM).sweep(EXPERIMENT, over={"requets": [1]}, client=self.cluster(), progress=False)

    def test_a_worker_that_is_killed_costs_no_point(self):
        client = self.cluster()
        pids = [worker["pid"] for worker in client.run(lambda dask_worker: {"pid": os.getpid()}).values()]
        killed = []

        def watch(done: int, total: int):
            if done >= 20 and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        answer = ls.load(SYSTEM).sweep(EXPERIMENT, over=OVER, out=self.folder / "far.csv", client=client, progress=watch)
        self.assertTrue(killed and answer.complete)
        self.assertEqual((self.folder / "far.csv").read_bytes(), whole(self.folder))

    def test_a_scheduler_that_is_started_again_costs_no_point(self):
        port = free_port()
        address = f"tcp://127.0.0.1:{port}"
        running = []

        def start():
            python = [sys.executable, "-m", "distributed.cli"]
            quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
            scheduler = ["dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
            worker = ["dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny"]
            for words in (scheduler, worker, worker):
                words = [sys.executable, "-m", f"distributed.cli.{words[0]}", *words[1:]]
                running.append(subprocess.Popen(words, **quiet))

        def stop():
            for process in running:
                process.kill()
                process.wait()
            running.clear()

        self.addCleanup(stop)
        start()
        restarted = []

        def watch(done: int, total: int):
            if done >= 20 and not restarted:
                restarted.append(done)
                stop()
                threading.Timer(1, start).start()

        client = Client(address, timeout=60)
        self.addCleanup(client.close, timeout=1)
        client.wait_for_workers(2, timeout=60)
        answer = ls.load(SYSTEM).sweep(EXPERIMENT, over=OVER, out=self.folder / "far.csv", client=client, progress=watch)
        self.assertTrue(restarted and answer.complete)
        self.assertEqual((self.folder / "far.csv").read_bytes(), whole(self.folder))

    def test_it_goes_on_where_it_stopped(self):
        client = self.cluster()
        out = self.folder / "far.csv"

        def stop(done: int, total: int):
            if done >= 20:
                raise KeyboardInterrupt

        partial = ls.load(SYSTEM).sweep(EXPERIMENT, over=OVER, out=out, client=client, progress=stop)
        self.assertFalse(partial.complete)
        kept = len(out.with_name("far.csv.part").read_text().splitlines()) - 1
        self.assertTrue(20 <= kept < POINTS, kept)
        seen = []
        answer = ls.load(SYSTEM).sweep(
            EXPERIMENT, over=OVER, out=out, client=client, resume=True, progress=lambda done, total: seen.append(total)
        )
        self.assertTrue(answer.complete and seen[-1] == POINTS - kept, (seen[-1:], kept))
        self.assertEqual(out.read_bytes(), whole(self.folder))

    def test_the_command_asks_the_package(self):
        client = self.cluster()
        environment = {**os.environ, "LANESCOPE_PYTHON": sys.executable}
        words = [PROGRAM, "sweep", SYSTEM, EXPERIMENT, *WORDS, "--dask", client.scheduler.address]
        printed = subprocess.run(words, capture_output=True, env=environment, check=True).stdout
        self.assertEqual(printed, whole(self.folder))
        out = self.folder / "far.parquet"
        subprocess.run([*words, "--out", str(out)], env=environment, check=True, capture_output=True)
        import pyarrow.parquet

        self.assertEqual(pyarrow.parquet.read_table(out).num_rows, len(printed.splitlines()) - 1)


if __name__ == "__main__":
    result = unittest.main(verbosity=1, exit=False).result
    bad = len(result.failures) + len(result.errors)
    print(f"dask: {result.testsRun - bad} passed, {bad} failed, 0 skipped", flush=True)
    sys.exit(1 if bad else 0)
