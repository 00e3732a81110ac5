"""The package against the command line: equal answers, equal errors. Standard library only; run by tools/python.py.

LANESCOPE names the program. LANESCOPE_DUMPS names a folder of captured machines.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import lanescope as ls
from test_extending import Extending  # noqa: F401 (they run with the others)
from test_long import Long, Progress  # noqa: F401
from test_tables import Frames, Kept, Pictures, Words  # noqa: F401

PROGRAM = os.environ["LANESCOPE"]
ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "crates" / "cli" / "tests" / "data" / "explain"
MODULES = ["lanescope", *(f"lanescope._{name}" for name in ["answers", "machine", "questions", "system", "yaml"])]


def said(*words: str) -> subprocess.CompletedProcess[str]:
    """What the program prints. An error is printed in as many columns as the package has."""
    environment = {**os.environ, "COLUMNS": "120", "NO_COLOR": "1"}
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, env=environment, check=False)


def told(*words: str):
    return json.loads(said(*words).stdout)


def simulated(system: ls.System) -> list[tuple[str, dict[str, str]]]:
    """An experiment and the last value of each of its axes: of a block's lengths, the first take the longest to simulate."""
    chosen = []
    for experiment in system.experiments:
        axes = {name: values[-1] for name, values in experiment["axes"].items() if values}
        chosen.append((experiment["name"], axes))
    return chosen


def options(axes: dict[str, str]) -> list[str]:
    return [word for name, value in axes.items() for word in ("--axis", f"{name}={value}")]


def captured() -> Path:
    """The folder of captured machines."""
    folder = os.environ.get("LANESCOPE_DUMPS")
    if folder is None:
        raise unittest.SkipTest("LANESCOPE_DUMPS names no folder")
    return Path(folder)


class Answers(unittest.TestCase):
    """Is an answer in Python the JSON of the command, for every bundled machine?"""

    def each(self):
        for name in ls.bundled():
            with self.subTest(name):
                yield name, ls.load(name)

    def test_show(self):
        for name, system in self.each():
            self.assertEqual(system.show(all=True), told("show", name, "--all", "--json"))

    def test_limit(self):
        for name, system in self.each():
            limit = system.limit()
            self.assertEqual(limit, told("limit", name, "--json"))
            self.assertTrue(all(point["schema"] == 1 for point in limit))

    def test_what_if(self):
        for name, system in self.each():
            experiment, axes = next(pair for pair in simulated(system) if system.limit(pair[0], **pair[1]).value)
            asked = told("limit", name, experiment, "--what-if", "--json", *options(axes))
            self.assertEqual(system.what_if(experiment, **axes), asked)

    def test_run(self):
        for name, system in self.each():
            experiment, axes = simulated(system)[0]
            answer = system.run(experiment, progress=False, **axes)
            self.assertEqual(answer, told("run", name, experiment, "--json", *options(axes)))
            self.assertTrue(answer.complete)

    def test_run_of_a_changed_machine(self):
        answer = ls.load("gen4-workstation").set("card.rx_latency", "90 ns").run("dma-read", lanes=8, requests=8)
        asked = ["--axis", "lanes=8", "--axis", "requests=8", "--set", "card.rx_latency=90 ns"]
        self.assertEqual(answer, told("run", "gen4-workstation", "dma-read", "--json", *asked))
        self.assertEqual(answer[0]["changed_by"], ["card.rx_latency=90 ns"])

    def test_tune(self):
        answer = ls.load("gen4-workstation").tune("dma-read", lanes=8, progress=False)
        self.assertEqual(answer, told("tune", "gen4-workstation", "dma-read", "--axis", "lanes=8", "--json"))

    def test_fit(self):
        answer = ls.load("kfcr-5400").fit("kfcr.csv", "host.read_latency", rows="dma-read core=p", by="limit")
        asked = ["--params", "host.read_latency", "--on", "kfcr.csv", "--rows", "dma-read core=p", "--by", "limit"]
        self.assertEqual(answer, told("fit", "kfcr-5400", *asked, "--json"))

    def test_validate(self):
        for file in sorted(map(str, (ROOT / "reference").glob("*.csv"))):
            with self.subTest(file):
                self.assertEqual(ls.validate(file, progress=False), told("validate", "--reference", file, "--json"))

    def test_sweep(self):
        over = {"host.read_latency": ["400ns", "800ns"], "lanes": [4, 8], "requests": [8]}
        words = [word for name, v in over.items() for word in ("--over", f"{name}={','.join(map(str, v))}")]
        with tempfile.TemporaryDirectory() as folder:
            mine, its = Path(folder, "mine.json"), Path(folder, "its.json")
            answer = ls.load("gen4-workstation").sweep("dma-read", over=over, out=mine, progress=False)
            said("sweep", "gen4-workstation", "dma-read", *words, "--out", str(its))
            self.assertEqual(answer, json.loads(its.read_text()))
            self.assertEqual(mine.read_bytes(), its.read_bytes())

    def test_stream(self):
        answer = ls.load("bit-nvme-zcu106").stream("sequential", gen=3, op="write", drives=1, progress=False)
        axes = ["--axis", "gen=3", "--axis", "op=write", "--axis", "drives=1"]
        self.assertEqual(answer, told("stream", "bit-nvme-zcu106", "sequential", *axes, "--json"))
        self.assertEqual(len(answer.rows), 1000)

    def test_advise(self):
        answer = ls.advise("database", "gen4-workstation", progress=False)
        self.assertEqual(answer, told("advise", "database", "--machine", "gen4-workstation", "--json"))
        self.assertEqual(len(answer.rows), len(answer["candidates"]))

    def test_explain(self):
        answer = ls.explain(on="ahci", progress=False)
        self.assertEqual(answer, told("explain", "--on", "ahci", "--json"))
        self.assertEqual(len(answer.rows), len(answer["hypotheses"]))
        machine, rates = str(CASES / "three-gpus.yaml"), ["from=gpu[0] to=gpu[1] rate=13GB/s", "from=gpu[0] to=gpu[2] rate=6.5GB/s"]
        words = [word for rate in rates for word in ("--measured", rate)]
        answer = ls.explain(measured=rates, machine=machine, noise=4.0, progress=False)
        self.assertEqual(answer, told("explain", "--machine", machine, *words, "--noise", "4", "--json"))
        with self.assertRaisesRegex(ls.LanescopeError, "there is nothing to explain"):
            ls.explain(progress=False)

    def test_calibrate(self):
        self.assertEqual(ls.calibrate(), told("calibrate", "--json"))
        rows = "system,experiment,at,metric,value,unit,source,note\n" + "".join(
            f"bench,dma-read,size={size};requests=1,throughput,{rate},MB/s,made,\n" for size, rate in [(512, 800), (1024, 1300)]
        )
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "mine.csv")
            file.write_text(rows)
            asked = said("calibrate", "--on", str(file), "--by", "limit", "--json")
            try:
                self.assertEqual(ls.calibrate(file, by="limit", progress=False), json.loads(asked.stdout))
            except ls.LanescopeError as error:
                self.assertEqual(str(error).strip(), asked.stderr.strip())

    def test_a_trace_is_the_commands(self):
        with tempfile.TemporaryDirectory() as folder:
            for ending in ("pcapng", "perfetto"):
                mine, its = Path(folder, f"mine.{ending}"), Path(folder, f"its.{ending}")
                axes = {"core": "p", "lanes": 1, "size": 4096}
                found = ls.load("kfcr-5400").trace(mine, "dma-read", links="card", progress=False, **axes)
                asked = [*options({name: str(value) for name, value in axes.items()}), "--trace-links", "card"]
                said("run", "kfcr-5400", "dma-read", *asked, "--trace", str(its))
                self.assertEqual(mine.read_bytes(), its.read_bytes())
                self.assertEqual(found.size_bytes, mine.stat().st_size)
            with self.assertRaises(ls.LanescopeError):
                ls.load("kfcr-5400").trace(Path(folder, "all.pcapng"), "dma-read")
            self.assertEqual(len(list(Path(folder).iterdir())), 4, "an error leaves no file")

    def test_a_unit(self):
        over, system = {"requests": [8], "lanes": [8]}, ls.load("gen4-workstation").told_in("GB/s")
        with tempfile.TemporaryDirectory() as folder:
            its = Path(folder, "its.json")
            said("sweep", "gen4-workstation", "dma-read", "--over", "requests=8", "--over", "lanes=8", "--unit", "GB/s",
                 "--out", str(its))  # fmt: skip
            self.assertEqual(system.sweep("dma-read", over=over, progress=False), json.loads(its.read_text()))
        asked = ["--params", "host.read_latency", "--on", "kfcr.csv", "--rows", "dma-read core=p", "--by", "limit"]
        fit = ls.load("kfcr-5400").told_in("GB/s").fit(
            "kfcr.csv", "host.read_latency", rows="dma-read core=p", by="limit", progress=False
        )
        self.assertEqual(fit, told("fit", "kfcr-5400", *asked, "--json", "--unit", "GB/s"))
        axes = ["--axis", "requests=8", "--axis", "lanes=8"]
        run = told("run", "gen4-workstation", "dma-read", *axes, "--json", "--unit", "GB/s")
        self.assertEqual(system.run("dma-read", requests=8, lanes=8, progress=False), run)

    def test_inspect(self):
        dumps = sorted(captured().glob("*.txt"))
        self.assertTrue(dumps)
        for dump in dumps:
            with self.subTest(dump.name):
                self.assertEqual(ls.inspect(dump).value, told("inspect", str(dump), "--json"))


class Descriptions(unittest.TestCase):
    def test_a_dict_a_text_and_a_file_are_one_machine(self):
        parts = {"host": {"part": "generic/gen3-host", "slots": {"a": "gen3 x8"}}, "card": {"part": "generic/gen3-card"}}
        experiments = {"write": {"operation": "dma-write", "volume": "1 MiB", "flows": ["card -> host"]}}
        given = {"title": "One: card", "parts": parts, "links": ["host.a - card.pcie"], "experiments": experiments}
        text = ls.described(given)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "mine.yaml")
            file.write_text(text)
            names = ("system",)
            answers = [ls.load(source).limit("write").value for source in (given, text, file)]
            for answer in answers:
                for point in answer:
                    for name in names:
                        del point[name]
            self.assertEqual(answers[0], answers[1])
            self.assertEqual(answers[0], answers[2])
        self.assertEqual(ls.load(given).title, "One: card")

    def test_a_figure_has_its_provenance(self):
        figures = ls.load("rosta-rb8v7").figures
        self.assertTrue(all(figure.origin and figure.provenance for figure in figures))


class Errors(unittest.TestCase):
    """Are errors those of the command, and is no panic seen?"""

    def test_the_text_is_the_commands(self):
        for words, asked in [
            (["limit", "rosta"], lambda: ls.load("rosta")),
            (["limit", "rosta-rb8v7", "write"], lambda: ls.load("rosta-rb8v7").limit("write")),
            (["show", "rosta-rb8v7", "--set", "host.latency=1"], lambda: ls.load("rosta-rb8v7").set("host.latency", 1)),
            (["inspect", "/nowhere"], lambda: ls.inspect("/nowhere")),
        ]:
            with self.subTest(words), self.assertRaises(ls.LanescopeError) as caught:
                asked()
            self.assertEqual(str(caught.exception).strip(), said(*words).stderr.strip())

    def test_an_error_has_its_place(self):
        with self.assertRaises(ls.LanescopeError) as caught:
            ls.load("title: x\nparts:\n  host: { part: generic/no-host }\n")
        error = caught.exception
        self.assertEqual((error.file, error.line), ("text.yaml", 3))
        self.assertTrue(error.help)

    def test_mangled_input_raises_nothing_else(self):
        random.seed(1)
        machines = [path.read_bytes() for path in (ROOT / "crates/probe/tests/machines").glob("*.txt")]
        systems = [path.read_bytes() for path in (ROOT / "systems").glob("*.yaml")]
        for corpus, read in [(machines, read_machine), (systems, read_system)]:
            for number in range(300):
                data = bytearray(corpus[number % len(corpus)])
                for _ in range(random.randint(1, 8)):
                    at = random.randrange(len(data))
                    if random.random() < 0.5:
                        data[at] = random.randrange(256)
                    else:
                        del data[at : at + random.randint(1, 200)]
                try:
                    read(bytes(data))
                except ls.InternalError:
                    raise
                except ls.LanescopeError:
                    pass

    def test_fuzzed_input_raises_nothing_else(self):
        folder = os.environ.get("LANESCOPE_FUZZED")
        if folder is None:
            self.skipTest("LANESCOPE_FUZZED names no folder of inputs")
        inputs = sorted(Path(folder).iterdir())
        self.assertGreater(len(inputs), 100)
        for path in inputs:
            try:
                ls.inspect(path)
            except ls.InternalError:
                raise
            except ls.LanescopeError:
                pass


def read_machine(data: bytes) -> None:
    ls.Machine.from_bytes("mangled", data)


def read_system(data: bytes) -> None:
    ls.load("\n" + data.decode("utf-8", "replace"))


class Tables(unittest.TestCase):
    def test_rates_are_bytes_a_second(self):
        answer = ls.load("rosta-rb8v7").limit("host-write-many", devices=8)
        at = answer.columns.index("fair_rate_bytes_per_s")
        flow = answer[0]["flows"][0]
        self.assertEqual(answer.rows[0][at], flow["fair"]["stream_mb_per_s"] * 1e6)

    def test_a_real_machine(self):
        dump = ls.inspect(captured() / "server-epyc-genoa-11nvme.txt")
        limit = dump.limits.rows[0]
        first = dump["limits"]["devices"][0]
        self.assertEqual(dump.limits.columns[:3], ["address", "role", "to_memory_rate_bytes_per_s"])
        self.assertEqual(limit[:3], [first["at"], "SSD", first["to_memory_mb_per_s"] * 1e6])
        links = dump.links
        for name, column in (("lower", dump["links"][1]["lower"]), ("width", 4), ("gt_per_s", 16.0), ("why", "device-limited")):
            self.assertEqual(links.rows[1][links.columns.index(name)], column)
        functions = dump.functions
        for name in functions.columns:
            at = functions.columns.index(name)
            self.assertTrue(any(row[at] is not None for row in functions.rows), f"column {name} is empty")

    def test_arrow(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("pyarrow is not installed")
        answer = ls.load("rosta-rb8v7").limit("host-write-many", devices=8)
        table = pyarrow.table(answer)
        self.assertEqual(table.num_rows, 8)
        self.assertEqual(table.schema.field("latency_ns").metadata, {b"unit": b"ns"})
        self.assertEqual(table.to_pylist(), [dict(zip(answer.columns, row)) for row in answer.rows])

    def test_polars_and_duckdb_take_an_answer(self):
        try:
            import duckdb
            import polars
        except ImportError:
            self.skipTest("polars or duckdb is not installed")
        answer = ls.load("rosta-rb8v7").limit("host-write-many", devices=8)
        frame = polars.DataFrame(answer)
        self.assertEqual((frame.columns, frame.rows()), (answer.columns, [tuple(row) for row in answer.rows]))
        found = duckdb.sql("select count(*), max(latency_ns) from answer").fetchall()
        self.assertEqual(found, [(8, max(frame["latency_ns"]))])


class Package(unittest.TestCase):
    def test_it_is_imported_and_called_quickly(self):
        asked = [sys.executable, str(Path(__file__).with_name("called.py"))]
        answer = subprocess.run(asked, capture_output=True, text=True, check=False)
        print(answer.stdout.strip())
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)

    def test_every_block_of_the_page_runs(self):
        page = (ROOT / "docs" / "python.md").read_text()
        names: dict[str, object] = {}
        blocks = [block.split("```")[0] for block in page.split("```python\n")[1:]]
        for block in blocks:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(block, names)
        self.assertGreaterEqual(len(blocks), 2)

    def test_every_example_runs(self):
        flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
        for name in MODULES:
            failed, _ = doctest.testmod(importlib.import_module(name), optionflags=flags)
            self.assertEqual(failed, 0, name)


if __name__ == "__main__":
    result = unittest.main(verbosity=1, exit=False).result
    bad = len(result.failures) + len(result.errors)
    skipped = len(result.skipped)
    for test, why in result.skipped:
        print(f"{test}: skipped: {why}")
    print(f"python: {result.testsRun - bad - skipped} passed, {bad} failed, {skipped} skipped", flush=True)
    sys.exit(1 if bad else 0)
