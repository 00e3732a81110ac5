#!/usr/bin/env python3
"""Holds the reader of symbols against streams whose packets are known: a symbol file and, beside it, the packets as they were sent
(docs/symbols.md).

`judge.py FILE PACKETS` compares one; `judge.py --program LANESCOPE [COUNT] [SEED]` lets the program make random ones. Each disagreement is a
line; the last has the counts."""

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from lanescope_symbols import Decoder, open_stream

SETS = {"TS1": "ts1", "TS2": "ts2", "SKP": "skp", "SKP-control": "skp", "SDS": "sds", "EIEOS": "eieos", "EIOS": "eios", "FTS": "fts"}
CLOCKS = 64


def read(path):
    """(what was on the link, what was wrong, the summary) of a file."""
    stream = open_stream(Path(path))
    decoder = Decoder(stream.generation, stream.lanes, stream.form == "code")
    events = []
    for count, row in enumerate(stream.rows()):
        decoder.put(row)
        if count % CLOCKS == CLOCKS - 1:
            events += decoder.run()
    events += decoder.run() + decoder.finish()
    seen = [packet for packet in map(as_packet, events) if packet is not None]
    return seen, [str(event) for event in events if event.is_wrong], events[-1].fields


def as_packet(event):
    """(time, what): `what` can be compared with what was sent."""
    if event.kind == "ordered-set":
        return event.time, (SETS.get(event.name, event.name),)
    status = event.fields.get("status")
    if event.kind == "dllp" and status == "good":
        return event.time, ("dllp", event.fields["bytes"].hex())
    if event.kind == "tlp" and status in ("good", "nullified"):
        return event.time, ("tlp", event.fields["sequence"], event.fields["bytes"].hex(), status == "nullified")
    return None


def sent(path):
    """(time, what) of each line of the packets' file."""
    found = []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        packet = json.loads(line)
        kind, what = packet["kind"], (packet["kind"],)
        if kind == "tlp":
            what = kind, packet["sequence"], packet["bytes"], bool(packet.get("nullified"))
        elif kind == "dllp":
            what = kind, packet["bytes"]
        found.append((packet["at"], what))
    return found


def disagreements(seen, told):
    """A line for each packet that is only on one side, or at another time: all times may differ by the skew of the first lane."""
    shifts = Counter(a[0] - b[0] for a, b in zip(seen, told) if a[1] == b[1])
    shift = shifts.most_common(1)[0][0] if shifts else 0
    ours, theirs = Counter((time - shift, what) for time, what in seen), Counter(told)
    for (time, what), count in sorted((ours - theirs).items(), key=str):
        yield f"{time}: read, not sent: {what} ({count})"
    for (time, what), count in sorted((theirs - ours).items(), key=str):
        yield f"{time}: sent, not read: {what} ({count})"
    if [what for _, what in sorted(seen, key=lambda one: one[0])] and not 0 <= shift <= 20:
        yield f"times differ by {shift}"


def compare(name, file, packets):
    """Whether both say the same; prints where not."""
    seen, wrong, summary = read(file)
    told = sent(packets)
    if all(what[0] in ("tlp", "dllp") for _, what in told):  # a file that does not tell ordered sets
        seen = [one for one in seen if one[1][0] in ("tlp", "dllp")]
    lines = [*disagreements(seen, told), *wrong]
    for line in lines[:10]:
        print(f"{name}: {line[:300]}")
    if len(lines) > 10:
        print(f"{name}: {len(lines) - 10} more")
    return not lines, len(told), summary["symbol_times"]


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


def random_streams(program, count, seed):
    """(right, packets, symbol times) of `count` streams that the program makes."""
    right = packets = times = 0
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "one.symbols")
        for _ in range(count):
            words = words_of(draw)
            done = subprocess.run([program, "symbols", "make", file, *words], capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{' '.join(words)}: {done.stderr.strip()}")
                continue
            well, some, long = compare(" ".join(words), file, f"{file}.packets")
            right, packets, times = right + well, packets + some, times + long
    return right, packets, times


def main():
    words = sys.argv[1:]
    if words[:1] == ["--program"] and 2 <= len(words) <= 4:
        count, seed = (int(word) for word in (words[2:] + ["500", "1"][len(words) - 2:]))
        right, packets, times = random_streams(words[1], count, seed)
    elif len(words) == 2:
        count = 1
        right, packets, times = compare(words[0], *words)
    else:
        sys.exit("usage: judge.py FILE PACKETS | judge.py --program LANESCOPE [COUNT] [SEED]")
    print(f"{packets} packets and ordered sets, {times} symbol times: {right} of {count} streams read as they were sent")
    return int(right != count)


if __name__ == "__main__":
    sys.exit(main())
