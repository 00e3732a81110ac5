#!/usr/bin/env python3
"""Holds the reader of symbols against streams whose packets are known: a symbol file and, beside it, the packets as they were sent
(docs/symbols.md).

`judge.py FILE PACKETS` compares one; `judge.py --program LANESCOPE [COUNT] [SEED]` lets the program make random ones, and holds what
its own receiver reads, ordered sets too, against it; `judge.py --long LANESCOPE [TIMES]` does so with one of a million symbol times
for each generation and width, with SKPs as often as a real link has them; `judge.py --damaged LANESCOPE [COUNT] [SEED]` flips a bit,
loses or doubles a symbol of a lane, and holds what both receivers take against each other and against what was sent. Each
disagreement is a line; the last has the counts."""

import json
import random
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from lanescope_symbols import Decoder, open_stream

SETS = {"TS1": "ts1", "TS2": "ts2", "SKP": "skp", "SKP-control": "skp", "SDS": "sds", "EIEOS": "eieos", "EIOS": "eios", "FTS": "fts"}
CLOCKS = 64
IDLE = 1 << 15
MOST_SKEW = 20


def read(path):
    """(what was on the link, what was wrong, how many rules were broken, the summary) of a file."""
    stream = open_stream(Path(path))
    decoder = Decoder(stream.generation, stream.lanes, stream.form == "code")
    events = []
    for count, row in enumerate(stream.rows()):
        decoder.put(row)
        if count % CLOCKS == CLOCKS - 1:
            events += decoder.run()
    events += decoder.run() + decoder.finish()
    seen = [packet for packet in map(as_packet, events) if packet is not None]
    wrong = [str(event) for event in events if event.is_wrong and event.kind != "rule"]
    return seen, wrong, sum(event.kind == "rule" for event in events), events[-1].fields


def as_packet(event):
    """(time, what): `what` can be compared with what was sent. A TLP that is taken but not due counts: the other receiver has no
    sequence numbers."""
    if event.kind == "ordered-set":
        return event.time, (SETS.get(event.name, event.name),)
    status = event.fields.get("status")
    if event.kind == "dllp" and status == "good":
        return event.time, ("dllp", event.fields["bytes"].hex())
    if event.kind == "tlp" and status in ("good", "nullified", "out-of-sequence", "duplicate"):
        return event.time, ("tlp", event.fields["sequence"], event.fields["bytes"].hex(), status == "nullified")
    return None


def sent(lines):
    """(time, what) of each line of a file of packets."""
    found = []
    for line in lines:
        packet = json.loads(line)
        kind, what = packet["kind"], (packet["kind"],)
        if kind == "tlp" and packet.get("nullified") and "bytes" not in packet:
            what = ("nullified",)  # all that a receiver says of one
        elif kind == "tlp":
            what = kind, packet["sequence"], packet["bytes"], bool(packet.get("nullified"))
        elif kind == "dllp":
            what = kind, packet["bytes"]
        found.append((packet["at"], what))
    return found


def differing(ours, theirs):
    """(time, what) that only one has."""
    ours, theirs = Counter(ours), Counter(theirs)
    return list((ours - theirs) + (theirs - ours))


def disagreements(seen, told, whose):
    """A line for each packet that is only on one side, or at another time: all times may differ by the skew of the first lane."""
    shifts = Counter(a[0] - b[0] for a, b in zip(seen, told) if a[1] == b[1])
    shift = shifts.most_common(1)[0][0] if shifts else 0
    if abs(shift) > MOST_SKEW:
        yield f"{whose}: times differ by {shift}"
    ours, theirs = Counter((time - shift, what) for time, what in seen), Counter(told)
    for (time, what), count in sorted((ours - theirs).items(), key=str):
        yield f"{time}: read, not {whose}: {what} ({count})"
    for (time, what), count in sorted((theirs - ours).items(), key=str):
        yield f"{time}: {whose}, not read: {what} ({count})"


@dataclass
class Score:
    streams: int = 0
    right: int = 0
    broken: int = 0  # streams in which a rule that is assumed was broken
    packets: int = 0
    times: int = 0

    def compare(self, name, file, packets, other=None):
        """Holds one file against the packets as sent and, with `other`, against what another receiver read; prints what differs."""
        seen, wrong, rules, summary = read(file)
        told = sent(Path(packets).read_text(encoding="utf-8").splitlines())
        lines = [*disagreements([one for one in seen if one[1][0] in ("tlp", "dllp")], told, "sent"), *wrong]
        if other is not None:
            short = [(time, ("nullified",) if what[-1] is True else what) for time, what in seen]
            lines += disagreements(short, sent(other), "by the other")
        for line in lines[:10]:
            print(f"{name}: {line[:300]}")
        if len(lines) > 10:
            print(f"{name}: {len(lines) - 10} more")
        self.streams += 1
        self.right += not lines
        self.broken += rules > 0
        self.packets += len(told)
        self.times += summary["symbol_times"]

    def damaged(self, name, file, packets, other, chance=range(0)):
        """Both receivers take the same of a damaged stream, nothing that was not sent, and a loss is never silent. Of what begins in
        the symbol times of `chance`, one may take more."""
        seen, wrong, rules, summary = read(file)
        told = [what for _, what in sent(Path(packets).read_text(encoding="utf-8").splitlines())]
        seen = [(time, what) for time, what in seen if what[0] in ("tlp", "dllp")]
        read_by_other = sent(line for line in other if json.loads(line)["kind"] in ("tlp", "dllp"))
        ours, theirs = ([what for _, what in taken] for taken in (seen, read_by_other))
        lines = ["a loss is silent"] if len(ours) < len(told) and not wrong else []
        for whose, taken in (("this", ours), ("the other", theirs)):
            rest = iter(told)
            lines += [f"{whose} receiver takes what was not sent"] * (not all(what in rest for what in taken))
        if ours != theirs and not all(time in chance for time, _ in differing(seen, read_by_other)):
            lines.append(f"of {len(told)} packets this receiver takes {len(ours)}, the other {len(theirs)}: {'; '.join(wrong[:3])}")
        for line in lines:
            print(f"{name}: {line[:300]}")
        self.streams += 1
        self.right += not lines
        self.broken += rules > 0
        self.packets += len(told)
        self.times += summary["symbol_times"]

    def __str__(self):
        end = f"{self.broken} have tokens or packets where an assumed rule has none"
        return f"{self.packets} packets, {self.times} symbol times: {self.right} of {self.streams} streams read as they should be; {end}"


LINKS = [f"gen{generation}x{lanes}" for generation in range(1, 6) for lanes in (1, 2, 4, 8, 16)]


def words_of(draw):
    """What to ask the program for: a link, crossed in a way that is drawn, with SKPs denser than real ones."""
    link = draw.choice(LINKS)
    words = ["--link", link, "--packets", draw.randrange(20, 201), "--seed", draw.randrange(1 << 30), "--skew", draw.randrange(21)]
    words += ["--skp-interval", draw.randrange(60, 1200)] if draw.random() < 0.8 else []
    words += [word for word in ("--nullified", "--reversed", "--inverted") if draw.random() < 0.5]
    if link[3] in "12":
        words += ["--form", draw.choice(("code", "byte"))]
    return [str(word) for word in words]


def made(score, program, words):
    """A stream that the program makes, and what its receiver reads of it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "one.symbols")
        subprocess.run([program, "symbols", "make", file, *words], stdout=subprocess.DEVNULL, check=True)
        other = subprocess.run([program, "symbols", "read", file], capture_output=True, text=True, check=True)
        score.compare(" ".join(words), file, f"{file}.packets", other.stdout.splitlines())


def random_streams(score, program, count=500, seed=1):
    draw = random.Random(int(seed))
    for _ in range(int(count)):
        made(score, program, words_of(draw))


def long_streams(score, program, times=1_000_000):
    for link in LINKS:
        made(score, program, ["--link", link, "--times", str(times), "--packets", "1000000000", "--skew", "20", "--inverted", "--reversed"])
        print(f"{link}: {score}", flush=True)


def damaged(file, draw):
    """One error of a lane, behind the training: what was done, and the symbol times in which it is left to chance what a receiver takes.
    Those are the two blocks from a symbol on that came twice or not at all: what is at the place of the next sync header may look like
    one. A receiver that has bits alone goes on then; one that is told where blocks begin does not."""
    first, words = file.read_bytes().split(b"\n", 1)
    head = json.loads(first)
    lanes = head["lanes"]
    each = struct.unpack(f"<{len(words) // 2}H", words)
    columns = [list(each[lane::lanes]) for lane in range(lanes)]
    lane, kind = draw.randrange(lanes), draw.choice(("flipped", "lost", "doubled"))
    column = columns[lane]
    at = draw.randrange(head["data_at"], len(column) - 30)
    if kind == "flipped":
        column[at] ^= 1 << draw.randrange(10 if head["form"] == "code" else 8)
    elif kind == "lost":
        column.append(IDLE)
        del column[at]
    else:
        column.insert(at, column[at])
        column.pop()
    rows = [word for row in zip(*columns) for word in row]
    file.write_bytes(first + b"\n" + struct.pack(f"<{len(rows)}H", *rows))
    slips = head["form"] == "block" and kind != "flipped"
    return f"{kind} at {at} of lane {lane}", range(at // 16 * 16, at // 16 * 16 + 32 if slips else 0)


def damaged_streams(score, program, count=300, seed=1):
    draw = random.Random(int(seed))
    for number in range(int(count)):
        words = ["--link", draw.choice(LINKS), "--packets", "60", "--seed", str(number), "--skp-interval", str(draw.randrange(300, 700))]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "one.symbols")
            subprocess.run([program, "symbols", "make", file, *words], stdout=subprocess.DEVNULL, check=True)
            what, chance = damaged(file, draw)
            told = subprocess.run([program, "symbols", "read", file], capture_output=True, text=True, check=False)
            if told.returncode not in (0, 1):
                sys.exit(told.stderr)
            score.damaged(f"{' '.join(words)}: {what}", file, f"{file}.packets", told.stdout.splitlines(), chance)


def main():
    words, score = sys.argv[1:], Score()
    ways = {"--program": random_streams, "--long": long_streams, "--damaged": damaged_streams}
    if words[:1] and words[0] in ways and len(words) > 1:
        ways[words[0]](score, *words[1:])
    elif len(words) == 2:
        score.compare(words[0], *words)
    else:
        sys.exit("usage: judge.py FILE PACKETS | --program LANESCOPE [COUNT] [SEED] | --long LANESCOPE [TIMES] | --damaged LANESCOPE [COUNT] [SEED]")
    print(score)
    return int(score.right != score.streams)


if __name__ == "__main__":
    sys.exit(main())
