# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Many mutants in one build: each mutated statement holds both versions, and `+mutant=N` chooses. Building costs more
than running, so this is how all mutants can meet the random traffic.

`schemata(mutants)` gives (files, numbers): the text of each changed file, and which mutant has which number. What cannot
be chosen while it runs (widths, parameters, generated parts, outputs) is left out, and has to be built by itself."""

import re

from mutants import ROOT

PKG = """
  // Which mutant this is; 0: none.
  function automatic int which();
    int n;
    if (!$value$plusargs("mutant=%d", n)) n = 0;
    return n;
  endfunction
  int mutant = which();
"""


def code(line):
    return line.split("//")[0].rstrip()


def balanced(text):
    return all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))


def pick(number, new, old):
    return f"((ls_pkg::mutant == {number}) ? ({new}) : ({old}))"


def statement(lines, at):
    """The lines from the begin of the statement to its end, first and after the last."""
    first, last = at, at
    while first and not re.search(r"(;|\bbegin(\s*:\s*\w+)?|\bend|\belse|\*/|\bcase \(.*\)|:|^)$", code(lines[first - 1]).strip()):
        first -= 1
    while last < len(lines) - 1 and not re.search(r"(;|\bbegin(\s*:\s*\w+)?)$", code(lines[last])):
        last += 1
    return first, last + 1


def condition(text):
    """(before, condition, after) of `[label:] [end] [else] if (condition) ...`; None if there is none."""
    m = re.match(r"((?:[\w', ]+:\s*)?(?:end\s+)?(?:else\s+)?)if \(", text)
    if not m:
        return None
    depth = 1
    for i in range(m.end(), len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if not depth:
            return m.group(1), text[m.end():i], text[i + 1:].strip()
    return None


def both(number, new, old):
    """A statement that is either; None if that cannot be chosen while it runs."""
    new, old = " ".join(new.split()), " ".join(old.split())
    m = re.match(r"assign\s+(.+?)\s*=(?!=)\s*(.*);$", old, re.S)
    if m:
        n = re.match(r"assign\s+(.+?)\s*=(?!=)\s*(.*);$", new, re.S)
        if not n or n.group(1) != m.group(1):
            return None
        return f"assign {m.group(1)} = {pick(number, n.group(2), m.group(2))};"
    m, n = re.match(r"return (.*);$", old, re.S), re.match(r"return (.*);$", new, re.S)
    if m and n:
        return f"return {pick(number, n.group(1), m.group(1))};"
    m = condition(old)
    if m:
        n = condition(new)
        if not n or n[0] != m[0]:
            return None
        cond = m[1] if n[1] == m[1] else pick(number, n[1], m[1])
        if m[2] == n[2]:
            rest = m[2]
        elif m[2].endswith(";"):
            inner = both(number, n[2], m[2])
            rest = inner and f"begin {inner} end"
        else:
            return None
        return rest is not None and f"{m[0]}if ({cond}) {rest}" or None
    m = re.match(r"((?:[\w']+\s*:\s*)?(?:else\s+)?)([\w.\[\]{}, :+*()'-]+?\s*<?=(?!=).*;)$", old, re.S)
    if m:
        rest = new[len(m.group(1)):] if new.startswith(m.group(1)) else new if new in ("", ";") else None
        if rest is None or re.match(r"\s*(for|if|case|logic|localparam)\b", m.group(2)) or not balanced(m.group(2)):
            return None
        dropped = not rest.strip() or rest.strip() == ";"
        this = ";" if dropped else rest.strip()
        if not dropped and re.split(r"<?=(?!=)", this)[0] != re.split(r"<?=(?!=)", m.group(2))[0]:
            return None
        return f"{m.group(1)}begin if (ls_pkg::mutant == {number}) {this} else {m.group(2)} end"
    return None


def connections(line):
    """[(begin, end)] of what is in the parentheses of each `.name(...)`."""
    out = []
    for m in re.finditer(r"\.\w+\(", line):
        depth = 1
        for i in range(m.end(), len(line)):
            depth += {"(": 1, ")": -1}.get(line[i], 0)
            if not depth:
                out.append((m.end(), i))
                break
    return out


def connected(number, new, old):
    """A line of connections of an instance, or of an assignment pattern, of which one differs."""
    a, b = connections(old), connections(new)
    differ = [i for i, (x, y) in enumerate(zip(a, b)) if old[x[0]:x[1]] != new[y[0]:y[1]]]
    if len(a) == len(b) and len(differ) == 1 and "#(" not in old:
        x, y = a[differ[0]], b[differ[0]]
        if re.search(r"\.\w+_o\($", old[:x[0]]):         # an output: two cannot be connected
            return None
        return old[:x[0]] + pick(number, new[y[0]:y[1]], old[x[0]:x[1]]) + old[x[1]:]
    m, n = re.match(r"(\s*\w+\s*:\s*)([^;]*?)(,?)$", old), re.match(r"(\s*\w+\s*:\s*)([^;]*?)(,?)$", new)
    if not a and m and n and m.group(1) == n.group(1) and balanced(m.group(2)) and "?" not in m.group(1):
        return m.group(1) + pick(number, n.group(2), m.group(2)) + m.group(3)
    return None


def schemata(mutants, avoid=()):
    """(texts by file, {mutant: number}); a statement is changed by one of them only. `avoid`: mutants that cannot be."""
    texts, numbers, taken = {}, {}, set()
    for number, m in enumerate(mutants, 1):
        if not m.nth or m in avoid:
            continue
        lines = texts.setdefault(m.file, (ROOT / "rtl" / m.file).read_text().split("\n"))
        at = m.nth - 1
        old, new = code(m.old), code(m.new)
        first, last = statement(lines, at)
        if any((m.file, i) in taken for i in range(first, last)):
            continue
        whole = [code(x) for x in lines[first:last]]
        changed = whole[:at - first] + [new] + whole[at - first + 1:]
        alone = both(number, "\n".join(changed), "\n".join(whole))
        if alone:
            lines[first:last] = [alone] + [""] * (last - first - 1)
            # One line as before, so that numbers of lines stay: the newlines within become blanks.
            lines[first] = " ".join(alone.split())
            taken |= {(m.file, i) for i in range(first, last)}
        else:
            line = connected(number, new, old)
            if not line:
                continue
            lines[at] = line
            taken |= {(m.file, i) for i in range(first, last)}
        numbers[m] = number
    pkg = (ROOT / "rtl/ls_pkg.sv").read_text()
    end = pkg.rindex("endpackage")
    out = {f: "\n".join(x) for f, x in texts.items()}
    out["ls_pkg.sv"] = pkg[:end] + PKG + pkg[end:]
    return out, numbers
