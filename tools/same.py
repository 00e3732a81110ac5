#!/usr/bin/env python3
"""Compares what two builds of lanescope answer: `same.py OLD NEW [FILE.yaml ...]`.

Asks both programs the same questions (`validate`; `show`, `limit` and `run` of every machine that comes with lanescope and of
the files named; `inspect` of every captured machine in the folder that LANESCOPE_DUMPS names) and compares the answers as
JSON, value by value. Lists are compared element by element; where their elements have names, by these.

A value that differs, or that only the old build has, is a difference. What only the new build has (a field, an element of
a list that is known by its name) is listed apart. Numbers are the same where their digits are; `--apart SHARE` allows that
much between them. Counts of events and hops say how the work was done, and what is to be read as an error message may say
it in other words: these are listed apart too.

Exit code 0 where nothing differs, 1 where something does, 2 where a program could not be asked. Standard library only.
"""

import argparse
import json
import os
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Exit codes that come with an answer: none or some bounds missed, an error found in a machine.
ANSWERED = (0, 1)

# How the work was done.
WORK = {"events", "tlp_hops", "most_pending", "tried"}

# What an element of a list is known by: the first of these that all of its elements have, and no two alike.
NAMES = (("name",), ("part",), ("kind",), ("field",), ("system", "experiment", "at"), ("experiment", "at"), ("at",), ("figure",))


def main():
    asked = arguments()
    questions = list(questions_of(asked.old, asked.files, os.environ.get("LANESCOPE_DUMPS")))
    with ThreadPoolExecutor(asked.jobs) as pool:
        compared = list(pool.map(lambda question: (question, compare(question, asked)), questions))
    differ, new, other = (tell(compared, kind, asked.most) for kind in ("differs", "new", "other words or work"))
    print(f"{len(questions)} questions: {differ} values differ, {new} are new, {other} of words or work differ")
    return 1 if differ else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="the build that is right")
    parser.add_argument("new", type=Path, help="the build to compare with it")
    parser.add_argument("files", type=Path, nargs="*", help="descriptions of machines to ask about, too")
    parser.add_argument("--apart", type=float, default=0.0, metavar="SHARE", help="numbers may be so far apart; 0 where left out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="questions at a time")
    parser.add_argument("--most", type=int, default=20, metavar="N", help="lines of each kind that are printed for a question")
    asked = parser.parse_args()
    for program in (asked.old, asked.new):
        if not os.access(program, os.X_OK):
            parser.error(f"{program} is no program")
    return asked


def questions_of(program, files, dumps):
    """Each is a list of arguments that has JSON for an answer."""
    yield ["validate", "--json"]
    for command in ("kinds", "parts"):
        yield [command, "--json"]
    named = {entry["system"] for entry in ask(program, ["systems", "--json"])}
    for system in [*sorted(named), *map(str, files)]:
        for command in ("show", "limit", "run"):
            yield [command, system, "--json"]
    if dumps is None:
        print("LANESCOPE_DUMPS is not set: no captured machine is asked about")
        return
    for dump in sorted(Path(dumps).iterdir()):
        if dump.suffix in (".txt", ".gz", ".xz", ".zst"):
            yield ["inspect", str(dump), "--json"]


def ask(program, question):
    """The answer, parsed; a complaint, as a text, where there is none."""
    found = subprocess.run([program, *question], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if found.returncode not in ANSWERED:
        return {"complaint": found.stderr}
    try:
        return json.loads(found.stdout)
    except json.JSONDecodeError as error:
        sys.exit(f"same.py: {program} {' '.join(question)}: no JSON: {error}")


def compare(question, asked):
    old, new = ask(asked.old, question), ask(asked.new, question)
    return list(differences(old, new, "", asked.apart))


def differences(old, new, place, apart):
    """(kind, place, text) of each; a kind is `differs`, `new` or `other words or work`."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            yield from member(old, new, key, f"{place}.{key}" if place else key, apart)
    elif isinstance(old, list) and isinstance(new, list):
        yield from lists(old, new, place, apart)
    elif not alike(old, new, apart):
        yield ("differs", place, f"{short(old)} -> {short(new)}")


def member(old, new, key, place, apart):
    if key not in new:
        yield ("differs", place, f"{short(old[key])} is gone")
    elif key not in old:
        yield ("new", place, short(new[key]))
    elif key in WORK or key == "complaint":
        if old[key] != new[key]:
            yield ("other words or work", place, f"{short(old[key])} -> {short(new[key])}")
    else:
        yield from differences(old[key], new[key], place, apart)


def lists(old, new, place, apart):
    names = next((names for names in NAMES if named(old, names) and named(new, names)), None)
    if names is None:
        if len(old) != len(new):
            yield ("differs", place, f"{len(old)} elements -> {len(new)}")
        for number, (one, other) in enumerate(zip(old, new)):
            yield from differences(one, other, f"{place}[{number}]", apart)
        return
    by_name = lambda elements: {name_of(element, names): element for element in elements}
    yield from differences(by_name(old), by_name(new), place, apart)
    both = [name_of(element, names) for element in old if name_of(element, names) in by_name(new)]
    if both != [name_of(element, names) for element in new if name_of(element, names) in by_name(old)]:
        yield ("differs", place, "another order")


def named(elements, names):
    if not elements or not all(isinstance(element, dict) and all(name in element for name in names) for element in elements):
        return False
    return max(Counter(name_of(element, names) for element in elements).values()) == 1


def name_of(element, names):
    return " ".join(str(element[name]) for name in names)


def alike(old, new, apart):
    number = (int, float)
    if isinstance(old, number) and isinstance(new, number) and not isinstance(old, bool) and not isinstance(new, bool):
        return abs(old - new) <= apart * max(abs(old), abs(new))
    return type(old) is type(new) and old == new


def short(value):
    text = json.dumps(value)
    return text if len(text) <= 100 else text[:97] + "..."


def tell(compared, kind, most):
    """Prints what is of that kind, and says how much it is."""
    count = 0
    for question, found in compared:
        own = [(place, text) for each, place, text in found if each == kind]
        count += len(own)
        if own:
            print(f"{kind}: lanescope {' '.join(question)}")
        for place, text in own[:most]:
            print(f"  {place or 'the whole answer'}: {text}")
        if len(own) > most:
            print(f"  and {len(own) - most} more")
    return count


if __name__ == "__main__":
    sys.exit(main())
