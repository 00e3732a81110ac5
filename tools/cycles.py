#!/usr/bin/env python3
"""Finds import cycles between the modules of Rust crates: `cycles.py CRATE_DIR ...`.

A module is a file below `src`; the modules written inside it belong to it. A file imports another where it names something
that is defined there: in a `use`, or as a path in its code (`crate::a::B`, `super::B`, `a::B`). What a third file only passes
on (`pub use`) counts for the file that defines it. A `mod` declaration is no import, and what is behind `#[cfg(test)]` is not
looked at. A method that is called is not seen, only names are.

Two kinds of cycle are told: files that import one another in a ring, and rooms (a module with all that is below it) that do so
beside one another, though their files do not: `--files-only` leaves the latter out.

Exit code 0 where there is none, 1 where there are, 2 where there is no crate to look at. Standard library only.
"""

import argparse
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

IDENT = r"[A-Za-z_]\w*"
PATH = re.compile(rf"(?<![\w:.'])(?:r#)?({IDENT}(?:\s*::\s*{IDENT})+)")
USE = re.compile(r"\b(?:pub(?:\s*\([^)]*\))?\s+)?use\s+([^;]+);")
MOD = re.compile(rf"\bmod\s+({IDENT})\s*([;{{])")
ITEM = re.compile(rf"\b(?:struct|enum|union|trait|type|const|static|fn)\s+(?:mut\s+|ref\s+)?({IDENT})")
MACRO = re.compile(rf"\bmacro_rules!\s+({IDENT})")
CFG_TEST = re.compile(r"#\s*\[\s*cfg\s*\(\s*test\s*\)\s*\]")
# Comments, strings and characters (no lifetimes): where none of their text is code.
NO_CODE = re.compile(
    r"""//[^\n]*|/\*|\bb?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\])'""", re.DOTALL
)


@dataclass
class Module:
    """One file, or one module inside of it."""

    path: tuple
    file: Path
    items: set = field(default_factory=set)
    children: set = field(default_factory=set)
    # What a `use` brings in: name -> absolute path of module and name, or None for another crate's.
    names: dict = field(default_factory=dict)
    globs: list = field(default_factory=list)
    # Of the root: all macros, which are its own wherever they are written.
    macros: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Import:
    source: Path
    target: Path
    line: int


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("crates", type=Path, nargs="+", metavar="CRATE_DIR", help="folders with a src")
    parser.add_argument("--files-only", action="store_true", help="rooms may import one another, as long as no files do")
    asked = parser.parse_args()
    for crate in asked.crates:
        if not (crate / "src").is_dir():
            parser.error(f"{crate} has no src")
    return 1 if sum(tell(crate, asked.files_only) for crate in asked.crates) else 0


def tell(crate, files_only):
    """Prints what is found in one crate; how many cycles that are."""
    sources, imports = read(crate / "src")
    found = [("files", *cycle) for cycle in file_cycles(crate / "src", imports)]
    if not files_only:
        found += [("rooms", *cycle) for cycle in room_cycles(crate / "src", imports)]
    for kind, names, ways in found:
        print(f"{crate}: {kind} in a cycle: {', '.join(names)}")
        for way in sorted(ways):
            first, *more = sorted(ways[way], key=lambda one: (str(one.source), one.line))
            print(f"  {' -> '.join(way)}" + (f", in {1 + len(more)} lines" if more else ""))
            print(f"    {first.source}:{first.line}: {sources[first.source].splitlines()[first.line - 1].strip()}")
    pairs = len({(one.source, one.target) for one in imports})
    print(f"{crate}: {len(sources)} files, {pairs} imports of one by another, {len(found)} cycles")
    return len(found)


def read(src):
    """The text of each file, and all imports between them."""
    roots = [src / name for name in ("lib.rs", "main.rs") if (src / name).is_file()]
    sources, codes, modules = {}, {}, {}
    for root in roots:
        load(root, (root.name,), root.parent, sources, codes, modules)
    for (path, file), code in codes.items():
        bring_in(modules, modules[path], uses(own(code)))
    imports = set()
    for (path, file), code in codes.items():
        module, inside = modules[path], own(code)
        for target, line in named(modules, module, inside):
            if target != file:
                imports.add(Import(file, target, line))
    return sources, imports


def load(file, path, folder, sources, codes, modules):
    """Reads `file`, which is module `path`, and what it declares."""
    sources[file] = file.read_text(encoding="utf-8")
    take(without_tests(bare(sources[file])), file, path, folder, sources, codes, modules)


def take(code, file, path, folder, sources, codes, modules):
    """Takes up the module `path`, whose modules with files of their own lie in `folder`."""
    module = modules[path] = Module(path, file)
    codes[(path, file)] = code
    for name, start, end in modules_of(code):
        module.children.add(name)
        if start is None:
            below = [folder / f"{name}.rs", folder / name / "mod.rs"]
            for one in filter(Path.is_file, below):
                load(one, (*path, name), folder / name, sources, codes, modules)
        else:
            inner = blank(code[:start]) + code[start:end] + blank(code[end:])
            take(inner, file, (*path, name), folder / name, sources, codes, modules)
    module.items = {match[1] for match in ITEM.finditer(outermost(own(code)))}
    root = modules[path[:1]]
    root.macros |= {match[1]: module for match in MACRO.finditer(code)}


def modules_of(code):
    """The modules that `code` declares at its outermost level: name, and begin and end of those that are written inside."""
    at = 0
    while match := MOD.search(code, at):
        at = match.end()
        if match[2] == ";":
            yield match[1], None, None
        else:
            at = closing(code, match.end() - 1)
            yield match[1], match.end(), at - 1


def own(code):
    """`code` without the modules inside of it."""
    for _, start, end in list(modules_of(code)):
        if start is not None:
            code = code[:start] + blank(code[start:end]) + code[end:]
    return code


def outermost(code):
    """`code` without what stands in braces."""
    parts, at = [], 0
    while (start := code.find("{", at)) >= 0:
        end = closing(code, start)
        parts += [code[at:start], blank(code[start:end])]
        at = end
    return "".join(parts) + code[at:]


def bare(text):
    """`text` with blanks in the place of comments and strings."""
    parts, at = [], 0
    while match := NO_CODE.search(text, at):
        end = match.end()
        if match[0] == "/*":
            end = end_of_comment(text, match.start())
        parts += [text[at : match.start()], blank(text[match.start() : end])]
        at = end
    return "".join(parts) + text[at:]


def end_of_comment(text, at):
    """Where the comment that begins at `at` ends: they nest."""
    depth = 0
    for match in re.compile(r"/\*|\*/").finditer(text, at):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    return len(text)


def without_tests(code):
    """`code` with blanks in the place of every item behind `#[cfg(test)]`."""
    while match := CFG_TEST.search(code):
        end = re.compile(r"[;{]").search(code, match.end())
        end = len(code) if end is None else closing(code, end.start()) if end[0] == "{" else end.end()
        code = code[: match.start()] + blank(code[match.start() : end]) + code[end:]
    return code


def closing(code, at):
    """Behind the brace that closes the one at `at`."""
    depth = 0
    for place in range(at, len(code)):
        depth += {"{": 1, "}": -1}.get(code[place], 0)
        if depth == 0:
            return place + 1
    return len(code)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def uses(code):
    """Every path that a `use` of `code` names, its name here (`*` for all), and where it stands."""
    for match in USE.finditer(code):
        yield from tree(code, match.start(1), match.end(1), ())


def tree(code, start, end, before):
    """The leaves of a tree of paths as a `use` has it."""
    head = re.compile(rf"\s*(?:::)?\s*((?:{IDENT}\s*::\s*)*)").match(code, start, end)
    path = before + tuple(re.findall(IDENT, head[1]))
    rest = code[head.end() : end]
    if rest.lstrip().startswith("{"):
        at = head.end() + rest.index("{")
        for first, last in pieces(code, at + 1, closing(code, at) - 1):
            yield from tree(code, first, last, path)
        return
    at = head.end() + len(rest) - len(rest.lstrip())
    if rest.strip() == "*":
        yield path, "*", at
    elif match := re.compile(rf"\s*({IDENT})(?:\s+as\s+({IDENT}))?").match(code, head.end(), end):
        if match[1] == "self" and path:
            yield path, match[2] or path[-1], at
        else:
            yield (*path, match[1]), match[2] or match[1], at


def pieces(code, start, end):
    """What stands between the commas of one pair of braces."""
    depth, first = 0, start
    for place in range(start, end):
        depth += {"{": 1, "}": -1}.get(code[place], 0)
        if depth == 0 and code[place] == ",":
            yield first, place
            first = place + 1
    if code[first:end].strip():
        yield first, end


def bring_in(modules, module, brought):
    for path, name, _ in brought:
        if name == "*":
            module.globs.append(path)
        else:
            module.names[name] = path


def named(modules, module, code):
    """The files of what `code` names of its crate, and the lines."""
    without_uses = USE.sub(lambda match: blank(match[0]), code)
    words = set(re.findall(IDENT, without_uses))
    for path, name, at in uses(code):
        if name == "*":
            files = behind_glob(modules, module, path, words)
        else:
            files = [resolve(modules, module, path)]
        for file in filter(None, files):
            yield file, line_of(code, at)
    for match in PATH.finditer(without_uses):
        path = tuple(re.findall(IDENT, match[1]))
        if file := resolve(modules, module, path):
            yield file, line_of(code, match.start())


def behind_glob(modules, module, path, words):
    """The files of what is known by `use path::*` and is said in `words`."""
    target = place(modules, module, path)
    if target is None:
        return
    yield target.file
    for name in words & (set(target.names) | target.children):
        yield resolve(modules, target, (name,))


def line_of(code, at):
    return code.count("\n", 0, at) + 1


def resolve(modules, module, path):
    """The file that defines what `path` names in `module`; None of another crate's."""
    found = find(modules, module, path, set())
    return found and found[0].file


def place(modules, module, path):
    """The module that `path` is in `module`; None where it is none of this crate's."""
    found = find(modules, module, path, set())
    return found[0] if found and found[1] is None else None


def find(modules, module, path, seen):
    """Module and name of what `path` names as it stands in `module`; the name is None of a module."""
    here, rest = module, path
    if rest[0] == "crate":
        here, rest = modules[module.path[:1]], rest[1:]
    elif rest[0] in ("self", "super"):
        while rest and rest[0] in ("self", "super"):
            if rest[0] == "super":
                here = modules.get(here.path[:-1])
                if here is None:
                    return None
            rest = rest[1:]
    elif not known(modules, here, rest[0], seen):
        return None
    return walk(modules, here, rest, seen)


def known(modules, module, name, seen):
    """True where `name` is of this crate, said in `module`."""
    return walk(modules, module, (name,), set(seen), strict=True) is not None


def walk(modules, here, rest, seen, strict=False):
    """Goes down from the module `here`; where a name on the way is only passed on, from where it is defined."""
    while rest:
        name = rest[0]
        if (here.path, name) in seen:
            return None
        if name in here.children:
            below = modules.get((*here.path, name))
            if below is None:
                return None
            here, rest = below, rest[1:]
        elif name in here.items:
            return here, name
        elif name in here.macros:
            return here.macros[name], name
        else:
            return passed_on(modules, here, rest, seen | {(here.path, name)}, strict)
    return here, None


def passed_on(modules, here, rest, seen, strict):
    name = rest[0]
    if name in here.names:
        found = find(modules, here, here.names[name], seen)
        return found and (walk(modules, found[0], rest[1:], seen) if found[1] is None else found)
    for glob in here.globs:
        target = find(modules, here, glob, seen)
        if target and target[1] is None and (found := walk(modules, target[0], rest, seen, strict=True)):
            return found
    return None if strict else (here, name)


def file_cycles(src, imports):
    """Cycles between files: their names, and the imports by who imports whom."""
    return cycles([("/".join(room_of(src, one.source)), "/".join(room_of(src, one.target)), one) for one in imports])


def room_cycles(src, imports):
    """Cycles between what lies beside one another, each with all that is below it, at every level, that are none of files."""
    levels = {}
    for one in imports:
        source, target = room_of(src, one.source), room_of(src, one.target)
        common = next((n for n, (a, b) in enumerate(zip(source, target)) if a != b), None)
        if common is not None:
            way = ("/".join(source[: common + 1]), "/".join(target[: common + 1]), one)
            levels.setdefault(source[:common], []).append(way)
    of_files = [names for names, _ in file_cycles(src, imports)]
    for level in sorted(levels):
        yield from (cycle for cycle in cycles(levels[level]) if cycle[0] not in of_files)


def room_of(src, file):
    parts = file.relative_to(src).with_suffix("").parts
    return parts[:-1] if parts[-1] == "mod" else parts


def cycles(imports):
    """The strongly connected parts of more than one node: their names, and the imports between them by way."""
    ways = {}
    for source, target, one in imports:
        ways.setdefault((source, target), []).append(one)
    nodes = sorted({node for way in ways for node in way})
    reached = {node: reach(node, ways) for node in nodes}
    done = set()
    for node in nodes:
        ring = {other for other in reached[node] if node in reached[other]}
        if node not in done and len(ring) > 1:
            yield sorted(ring), {way: ones for way, ones in ways.items() if ring.issuperset(way)}
        done |= ring


def reach(start, ways):
    following = {}
    for source, target in ways:
        following.setdefault(source, []).append(target)
    seen, todo = set(), [start]
    while todo:
        for target in following.get(todo.pop(), []):
            if target not in seen:
                seen.add(target)
                todo.append(target)
    return seen


if __name__ == "__main__":
    sys.exit(main())
