#!/usr/bin/env python3
"""Are symbol files read in each of their forms, and are those that are none refused with their place? The last line has the
counts."""

import io
import json
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import suite
from lanescope_symbols import Decoder, FormatError, read, symbol as s
from lanescope_symbols.code8b10b import _code
from sender import ACK, Sender12, crossed, delivered, draws, random_stream

PACKAGE = Path(__file__).resolve().parent.parent


def file(rows, of_generation, form, **changed):
    """A symbol file (docs/symbols.md) of what lanes give; those that end early are idle."""
    first = dict(format="lanescope symbols", version=1, generation=of_generation, lanes=len(rows[0]), form=form, name="hand-made") | changed
    disparity = [-1] * len(rows[0])
    words = []
    for row in rows:
        for lane, symbol in enumerate(row):
            if symbol is None or symbol & s.IDLE:
                word = 1 << 15
            elif form == "code":
                code, disparity[lane] = _code(symbol, disparity[lane])
                word = int(f"{code:010b}"[::-1], 2)
            elif form == "block":
                word = symbol & 0xFF | (1 << 8 | s.header(symbol) << 9 if symbol & s.START else 0)
            else:
                word = symbol & 0x1FF | (1 << 13 if symbol & s.DISPARITY else 0) if not symbol & s.BAD else 1 << 14
            words.append(word)
    return json.dumps(first).encode() + b"\n" + struct.pack(f"<{len(words)}H", *words)


def events(data):
    stream = read(io.BytesIO(data), "here")
    decoder = Decoder(stream.generation, stream.lanes, stream.form == "code")
    found = [event for row in stream.rows() for event in decoder.feed(row)]
    return found + decoder.finish()


class Files(unittest.TestCase):
    def test_is_each_form_read(self):
        for generation, form in ((1, "byte"), (2, "code"), (3, "block"), (5, "block")):
            sender = random_stream(draws(2), generation, 4, 20, 4)
            found = events(file(crossed(sender.rows, [0, 3, 20, 1]), generation, form))
            self.assertEqual(delivered(found), sender.sent, form)
            self.assertFalse([event for event in found if event.is_wrong], form)

    def test_are_violations_and_disparity_read(self):
        sender = Sender12(1).start()
        sender.rows[-1] = [s.BAD]
        sender.rows[-2] = [sender.rows[-2][0] | s.DISPARITY]
        names = [event.name for event in events(file(sender.rows, 1, "byte")) if event.is_wrong]
        self.assertEqual(names, ["disparity", "code-violation"])

    def test_is_an_unknown_field_no_matter(self):
        sender = Sender12(1).start()
        self.assertFalse([event for event in events(file(sender.rows, 1, "byte", later="x")) if event.is_wrong])

    def test_is_what_is_no_symbol_file_refused_with_a_reason(self):
        rows = [[0x100, 0]]
        for data, why in (
            (b"\x7fELF", "no JSON"), (b"[1]\n", 'no "format"'), (file(rows, 1, "byte", version=2), "version 2"),
            (file(rows, 1, "byte", generation=3), "form 'byte' with generation 3"), (file(rows, 1, "byte", lanes="two"), "lanes is 'two'"),
            (file(rows, 1, "byte") + b"\0", "inside symbol time 1: 1 of 4 bytes"),
            (file(rows, 1, "byte")[:-2] + b"\x01\xc0", "symbol time 0, lane 1: 0xc001 is no word"),
        ):
            with self.assertRaisesRegex((FormatError, ValueError), why):
                events(data)


class Program(unittest.TestCase):
    def run_it(self, *words, data=None):
        command = [sys.executable, "-m", "lanescope_symbols", *words]
        return subprocess.run(command, cwd=PACKAGE, input=data, capture_output=True, check=False)

    def test_does_it_print_a_line_an_event(self):
        sender = Sender12(1).start()
        sender.dllp(ACK)
        done = self.run_it("-", data=file(sender.rows, 1, "byte"))
        lines = done.stdout.decode().splitlines()
        self.assertEqual((done.returncode, lines[-2].split()), (0, ["70", "0", "Ack", "status=good", "sequence=5"]))
        self.assertIn("TS1 link=PAD lane=0 n_fts=32 rates=2.5/5", lines[0])
        self.assertIn("dllps_good=1", lines[-1])

    def test_is_json_one_object_a_line(self):
        sender = random_stream(draws(6), 4, 2, 5, 2)
        with tempfile.NamedTemporaryFile() as kept:
            kept.write(file(sender.rows, 4, "block"))
            kept.flush()
            done = self.run_it(kept.name, "--json")
        found = [json.loads(line) for line in done.stdout.splitlines()]
        got = [(event["kind"], bytes.fromhex(event["bytes"])) for event in found if event["kind"] in ("tlp", "dllp")]
        self.assertEqual(got, [(kind, body) for kind, _, body in sender.sent])
        self.assertEqual((done.returncode, found[-1]["kind"]), (0, "summary"))

    def test_are_errors_an_exit_status_and_bad_files_another(self):
        sender = Sender12(1).start()
        sender.tlp(bytes.fromhex("400000010000000f00001000") + b"abcd", bad=True)
        self.assertEqual(self.run_it("-", "--errors", data=file(sender.rows, 1, "byte")).returncode, 1)
        done = self.run_it("-", data=b"no")
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"standard input: the first line is no JSON object", done.stderr)
        self.assertEqual(self.run_it("/nowhere").returncode, 2)


if __name__ == "__main__":
    suite.main()
