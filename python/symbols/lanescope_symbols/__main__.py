"""`python -m lanescope_symbols FILE [--json]`: a transcript of a symbol file, one line an event; `-` reads standard input.

Ends with 1 where there were errors, with 2 where the file cannot be read."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from .decoder import Decoder
from .events import Event
from .reader import FormatError, open_stream, read

CLOCKS = 64


def events(decoder: Decoder, rows: Iterator[tuple[int, ...]]) -> Iterator[Event]:
    count = 0
    for row in rows:
        decoder.put(row)
        count += 1
        if count % CLOCKS == 0:
            yield from decoder.run()
    yield from decoder.run()
    yield from decoder.finish()


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="lanescope_symbols", description="What the symbols of a PCI Express link carry.")
    options.add_argument("file", metavar="FILE", help="a symbol file (docs/symbols.md), or - for standard input")
    options.add_argument("--json", action="store_true", help="one JSON object a line")
    options.add_argument("--resume", action="store_true", help="from 8 GT/s: read on after the next SKP where a receiver waits for SDS")
    options.add_argument("--errors", action="store_true", help="only what is wrong, and the summary")
    return options


def main() -> int:
    chosen = parser().parse_args()
    wrong = False
    try:
        stream = read(sys.stdin.buffer, "standard input") if chosen.file == "-" else open_stream(Path(chosen.file))
        decoder = Decoder(stream.generation, stream.lanes, stream.form == "code", resume=chosen.resume)
        for event in events(decoder, stream.rows()):
            wrong |= event.is_wrong
            if not chosen.errors or event.is_wrong or event.kind == "summary":
                print(event.as_json() if chosen.json else event)
    except BrokenPipeError:
        sys.stderr.close()
        return int(wrong)
    except (FormatError, OSError, ValueError) as error:
        print(f"lanescope_symbols: {error}", file=sys.stderr)
        return 2
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
