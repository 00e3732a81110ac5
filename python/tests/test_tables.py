"""Answers, machines and systems as people use them: as tables of pandas, polars and Arrow, copied, pickled, compared, and read in a
notebook. Run by test_package.py."""

from __future__ import annotations

import copy
import inspect
import io
import pickle
import subprocess
import sys
import unittest

import lanescope as ls

DUMP = b"00:00.0 Host bridge: Intel Corporation Device 1234\n00:1c.0 PCI bridge: Intel Corporation Device 5678\n"
# In a new process: what comes by standard input goes back by standard output.
BACK = "import pickle, sys; one = pickle.load(sys.stdin.buffer); sys.stdout.buffer.write(pickle.dumps(one))"


def elsewhere(one: object) -> object:
    """The same thing, after it was in another process."""
    command = [sys.executable, "-c", BACK]
    return pickle.loads(subprocess.run(command, input=pickle.dumps(one), capture_output=True, check=True).stdout)


def asked() -> list[ls.Answer]:
    """An answer of every kind that is quick."""
    system = ls.load("gen4-workstation").told_in("GB/s")
    axes = {"lanes": 8, "requests": [8, 64]}
    machine = ls.Machine.from_bytes("two", DUMP)
    over = {"host.read_latency": ["300 ns", "600 ns"]}
    return [
        system.run("dma-read", progress=False, **axes),
        system.limit("dma-read", **axes),
        system.what_if("dma-read", **axes),
        system.show(),
        system.sweep("dma-read", over=over, by="limit", progress=False),
        ls.load("kfcr-5400").fit("kfcr.csv", "host.read_latency", rows="dma-read core=p", by="limit", progress=False),
        ls.load("bit-nvme-vc707").stream("low-link", bytes="4 GB", op="read", second="gen1", progress=False),
        ls.calibrate(),
        ls.advise("database", progress=False),
        machine.functions,
        machine.links,
        machine.limits,
    ]


class Kept(unittest.TestCase):
    """Is what comes back from a file, a copy or another process the same?"""

    def same(self, one, other):
        self.assertIsNot(one, other)
        self.assertEqual(one, other)
        self.assertEqual(repr(one), repr(other))

    def test_answers(self):
        for answer in asked():
            with self.subTest(answer._native.kind):
                for other in (elsewhere(answer), copy.copy(answer), copy.deepcopy(answer)):
                    self.same(answer, other)
                    self.assertEqual((answer.columns, answer.rows, answer.units), (other.columns, other.rows, other.units))
                    self.assertEqual((answer.json(), answer.complete), (other.json(), other.complete))
        run = asked()[0]
        self.assertEqual(run.pictures(), elsewhere(run).pictures())
        self.assertEqual(run._repr_html_(), elsewhere(run)._repr_html_())

    def test_systems(self):
        system = ls.load("gen4-workstation")
        changed = system.set("card.rx_latency", "90 ns").told_in("GB/s")
        for one in (system, changed):
            for other in (elsewhere(one), copy.copy(one), copy.deepcopy(one)):
                self.same(one, other)
                self.assertEqual(hash(one), hash(other))
                self.assertEqual(one.limit("dma-read", lanes=8).rows, other.limit("dma-read", lanes=8).rows)
        self.assertEqual(len({system, changed, system.told_in("GB/s"), ls.load("gen4-workstation"), elsewhere(changed)}), 3)
        self.assertNotEqual(system, "gen4-workstation")

    def test_machines(self):
        machine = ls.Machine.from_bytes("two", DUMP)
        for other in (elsewhere(machine), copy.copy(machine), copy.deepcopy(machine)):
            self.same(machine, other)
            self.assertEqual((hash(machine), machine._repr_html_()), (hash(other), other._repr_html_()))
            self.assertEqual(machine.functions, other.functions)
        self.assertNotEqual(machine, ls.Machine.from_bytes("one", DUMP.splitlines()[0]))


class Frames(unittest.TestCase):
    """Is the table the same wherever it is read, and are its columns what they say?"""

    def frames(self):
        try:
            import pandas
            import polars
            import pyarrow
        except ImportError:
            self.skipTest("pandas, polars or pyarrow is not installed")
        return pandas, polars, pyarrow

    def test_a_row_is_a_point_and_flow_with_its_axes(self):
        run = asked()[0]
        row = dict(zip(run.columns, run.rows[1]))
        flow, figure = run[1]["flows"][0], run[1]["figures"][0]
        self.assertEqual((row["lanes"], row["requests"], row["flow"]), (8, 64, "host -> card"))
        self.assertEqual(row["bottleneck_what"], flow["bottleneck"]["what"])
        self.assertAlmostEqual(row["rate_gb_per_s"], flow["stream_mb_per_s"] / 1e3, places=12)
        self.assertAlmostEqual(row["limit_rate_gb_per_s"], flow["limit"]["stream_mb_per_s"] / 1e3, places=12)
        self.assertEqual((row["metric"], row["metric_unit"]), (figure["metric"], "GB/s"))
        self.assertEqual((row["metric_simulated"], row["metric_published"]), (figure["simulated"], figure["published"]))
        published = ls.load("rosta-rb8v7").run("p2p-write", flows=2, payload=128, progress=False)
        at = published.columns.index("metric_published")
        self.assertEqual([row[at] for row in published.rows], [1549.0, 1549.0])

    def test_the_unit_is_the_one_that_was_asked_for_and_stands_in_the_name(self):
        for unit, word, worth in [("GB/s", "gb_per_s", 1e3), ("MiB/s", "mib_per_s", 1.048576), ("Gbit/s", "gbit_per_s", 125.0)]:
            answer = ls.load("gen4-workstation").told_in(unit).limit("dma-read", lanes=8, requests=8)
            name = f"fair_rate_{word}"
            self.assertEqual(answer.units[name], unit)
            rate = answer.rows[0][answer.columns.index(name)]
            self.assertAlmostEqual(rate, answer[0]["flows"][0]["fair"]["stream_mb_per_s"] / worth, places=9)
            self.assertIn(name, repr(answer))
            self.assertIn(f"{rate:.4g}" if rate < 1000 else f"{rate:.0f}", repr(answer))
            self.assertFalse([column for column in answer.columns if column.endswith("bytes_per_s")])

    def test_pandas_polars_and_arrow_have_the_same_table(self):
        pandas, polars, pyarrow = self.frames()
        for answer in asked():
            with self.subTest(answer._native.kind):
                frame, rows = answer.to_pandas(), answer.rows
                self.assertEqual(list(frame.columns), answer.columns)
                self.assertEqual(answer.to_polars().columns, answer.columns)
                self.assertEqual([list(row) for row in answer.to_polars().rows()], rows)
                self.assertEqual(pyarrow.table(answer).to_pylist(), [dict(zip(answer.columns, row)) for row in rows])
                for at, name in enumerate(answer.columns):
                    cells = [None if pandas.isna(cell) else cell for cell in frame[name]]
                    self.assertEqual(cells, [row[at] for row in rows], name)
                self.assertEqual(frame.attrs["units"], answer.units)
                again = pyarrow.table(answer).to_pandas()
                for name in answer.columns:
                    kinds = {frame[name].dtype.kind, again[name].dtype.kind}
                    self.assertTrue(len(kinds) == 1 or again[name].isna().any(), f"{name}: {kinds}")

    def test_what_people_do_with_a_frame(self):
        pandas, *_ = self.frames()
        system = ls.load("gen4-workstation").told_in("GB/s")
        frames = [
            system.set("host.read_latency", latency).run("dma-read", lanes=[4, 8], requests=[8, 64], progress=False)
            .to_pandas().assign(latency=latency)
            for latency in ("300 ns", "900 ns")
        ]  # fmt: skip
        both = pandas.concat(frames, ignore_index=True)
        self.assertEqual(str(both["lanes"].dtype), "int64")
        best = both.groupby(["latency", "lanes"])["rate_gb_per_s"].max()
        self.assertEqual(len(best), 4)
        self.assertGreater(best["300 ns", 8], best["900 ns", 4])
        self.assertEqual(len(both[both.requests > 8].sort_values("lanes")), 4)
        wide = both[both.latency == "300 ns"].pivot(index="requests", columns="lanes", values="rate_gb_per_s")
        self.assertEqual(wide.shape, (2, 2))
        file = io.BytesIO()
        both.to_parquet(file)
        pandas.testing.assert_frame_equal(pandas.read_parquet(io.BytesIO(file.getvalue())), both)

    def test_what_makes_no_table_says_which_call_does(self):
        pandas, *_ = self.frames()
        answer = ls.load("gen4-workstation").limit("dma-read", lanes=8, requests=8)
        import numpy

        for wrong in (pandas.DataFrame, pandas.Series, numpy.asarray, numpy.array):
            with self.assertRaisesRegex(TypeError, r"answer\.to_pandas\(\)"):
                wrong(answer)

    def test_axes_are_numbers_truths_or_words(self):
        answer = ls.load("kfcr-5400").limit("dma-read", core=["p", "kf"], lanes=[1, 4], size=512)
        at = answer.columns.index("core")
        self.assertEqual(answer.columns[at : at + 3], ["core", "lanes", "size"])
        self.assertEqual(answer.rows[0][at : at + 3], ["p", 1, 512])

    def test_a_long_table_is_not_shown_in_full(self):
        stream = ls.load("bit-nvme-zcu106").stream("sequential", gen=3, op="write", drives=1, progress=False)
        self.assertLess(len(repr(stream).splitlines()), 70)
        self.assertIn("and 940 rows more", repr(stream))
        self.assertIn("and 940 rows more", stream._repr_html_())


class Words(unittest.TestCase):
    """Does every call say what it takes and gives?"""

    def test_every_parameter_is_told(self):
        # What several questions have in common is told once, at `System`.
        common = inspect.getdoc(ls.System)
        for name in ls.__all__:
            one = getattr(ls, name)
            members = [(name, one)] if not inspect.isclass(one) else [
                (f"{name}.{key}", member) for key, member in vars(one).items() if not key.startswith("_")
            ]  # fmt: skip
            for called, member in members:
                member = getattr(member, "__func__", member)
                if not inspect.isfunction(member):
                    continue
                doc = inspect.getdoc(member)
                self.assertTrue(doc, called)
                for parameter in inspect.signature(member).parameters:
                    if parameter not in ("self", "cls"):
                        with self.subTest(called, parameter=parameter):
                            self.assertRegex(doc + common, rf"\b{parameter}\b")


class Pictures(unittest.TestCase):
    def test_pictures_are_the_commands(self):
        import os
        import tempfile
        from pathlib import Path

        run = ls.load("gen4-workstation").run("dma-read", lanes=8, requests=[8, 64], progress=False)
        with tempfile.TemporaryDirectory() as folder:
            mine, its = Path(folder, "mine"), Path(folder, "its")
            self.assertEqual(sorted(run.pictures(mine)), sorted(path.name for path in mine.iterdir()))
            words = ["run", "gen4-workstation", "dma-read", "--axis", "lanes=8", "--axis", "requests=8,64", "--svg", str(its)]
            subprocess.run([os.environ["LANESCOPE"], *words], check=True, capture_output=True)
            read = lambda at: {path.name: path.read_text() for path in at.iterdir()}  # noqa: E731
            self.assertEqual(read(mine), read(its))
        with self.assertRaisesRegex(ls.LanescopeError, "has no pictures"):
            ls.calibrate().pictures()
