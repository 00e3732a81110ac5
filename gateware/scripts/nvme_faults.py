# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Faults of the NVMe host: runs bench/nvme_faults.cpp. Random ones at each width (`--faults N --seed S --width W`, 10,000
unless told), of a host with all that it has beside the commands too (retries, Abort, health, Format, new beginnings), of a
stripe of two drives at 64 bit, below two root ports and below one switch, and that each check can fail. `--mutants` builds RTL with a fault in it and
says which are found. `--write` puts each fault at each phase, the figures of the random runs and what was found into
docs/ls_nvme_host.md, docs/ls_nvme_stripe.md and docs/ls_nvme_share.md."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import page
from page import ROOT, table

WIDTHS = (64, 256)
DOCS = {(1, ""): "docs/ls_nvme_host.md", (1, "beside"): "docs/ls_nvme_host.md", (2, ""): "docs/ls_nvme_stripe.md", (2, "shared"): "docs/ls_nvme_share.md"}
PHASES = ("bring-up", "admin commands", "reading", "writing", "flush")
# What the checks see is made wrong: the name, a word of the complaint.
PLANTS = (("read_byte", "a wrong word"), ("write_byte", "a wrong word of write data"), ("report_lost", "in the place of"),
          ("error_hidden", "not reported"), ("cause", "that nothing has brought"), ("flush", "which cannot be there"),
          ("zero", "which cannot be there"), ("trim", "which cannot be there"),
          ("hang", "that does not end"))
# Likewise of a host with all that is beside the commands.
PLANTS_BESIDE = (("format", "which cannot be there"), ("again", "given again without an error"), ("log", "not as the drive sent it"),
                 ("lost", "had to tell of a loss"))
# The RTL is made wrong: the name, the file, the text, its replacement, words of which the complaint has one, the width,
# how many drives, and which kind of build it is.
MUTANTS = (
    ("a_buffer_freed_while_the_drive_reads_it", "ls_nvme_host.sv", "kill_q <= kill && (answered || !link_i);", "kill_q <= kill;",
     ("a wrong word of write data", "of a command that has ended"), 256, 1, ""),
    ("a_flush_that_outlives_a_failure", "ls_nvme_seq.sv", "assign begins  = dead_o && again_o && empty_i && idle_i;", "assign begins  = dead_o && again_o;",
     ("which cannot be there",), 64, 1, ""),
    ("a_poisoned_identify_believed", "ls_nvme_host.sv", "if (poison)                fault_q", "if (poison && run_o)       fault_q",
     ("that nothing has brought",), 64, 1, ""),
    ("an_error_status_ignored", "ls_nvme_table.sv", "failed_o <= !head_back || at_head[14:0] != '0;", "failed_o <= !head_back;",
     ("not reported", "disagree", "a wrong word"), 64, 1, ""),
    ("an_identifier_not_checked", "ls_nvme_table.sv", "assign bad_cid_o = cpl_valid_i && !known;", "assign bad_cid_o = 1'b0;",
     ("that nothing has brought",), 64, 1, ""),
    ("Do_Not_Retry_ignored", "ls_nvme_retry.sv", "rec_i.op <= OpTrim && !status_i[Dnr] && run_i", "rec_i.op <= OpTrim && run_i",
     ("in spite of DNR",), 64, 1, "beside"),
    ("a_command_given_again_with_the_place_of_another", "ls_nvme_retry.sv", "more_t'(mores[number_q[CidBits-1:0]]);", "more_t'(mores[CidBits'(number_q + 1'b1)]);",
     ("which cannot be there", "a wrong word", "nobody has given", "not reported", "given again"), 64, 1, "beside"),
    ("a_loss_told_by_a_flush_of_before", "ls_nvme_seq.sv", "lost_o <= (begins && self_q && ran_q)", "lost_o <= (by_self && ran_q)",
     ("a loss that there was not",), 64, 1, "beside"),
    ("a_Format_reported_before_its_end", "ls_nvme_serve.sv", "StAsk:   if (end_i) state_q <= StCpl;", "StAsk:   state_q <= StCpl;",
     ("Format", "that no command got"), 64, 1, "beside"),
    ("a_second_completion_of_the_log_believed", "ls_nvme_run_pkg.sv", "p = rg(p, InOr, 4'd9);", "p = rg(p, InMov, 4'd9);",
     ("not as the drive sent it",), 64, 1, "beside"),
    ("an_answer_that_comes_late_taken_for_another", "ls_nvme_req.sv",
     "(time_q[11:0] > 12'(ReqTicks) && why_q != WhyCrs) begin\n            why_q   <= WhyTimeout;\n            state_q <= StDone;\n            tag_q   <= tag_q + 1'b1;",
     "(time_q[11:0] > 12'(ReqTicks) && why_q != WhyCrs) begin\n            why_q   <= WhyTimeout;\n            state_q <= StDone;",
     ("that nothing has brought",), 64, 2, "shared"),
    ("an_answer_given_to_all_hosts", "ls_nvme_share.sv", "Drives'(1) << rx_cpl_hdr_i.tag[4:TagBits]", "'1",
     ("that nothing has brought",), 64, 2, "shared"),
    ("what_a_drive_reads_answered_by_the_first_host", "ls_nvme_share.sv", "assign at_sop           = known_sop ? AtBits'(bus) : '0;",
     "assign at_sop           = known_sop && rx_req_hdr_i.kind == TlpMemWr ? AtBits'(bus) : '0;", ("that nothing has brought", "that does not come up"), 64, 2, "shared"),
)


def build(width, rtl=None, drives=1, kind=""):
    """The program's path; built where something is newer. Of several drives, they are one stripe. `kind` is "beside" of a
    host with all that it has beside the commands, "shared" of drives below one switch."""
    env = dict(os.environ, **({"RTL": str(rtl)} if rtl else {}))
    words = [str(drives), kind] if drives > 1 or kind else []
    p = subprocess.run(["sh", "bench/build.sh", str(width), "nvme_faults", *words], cwd=ROOT, capture_output=True, text=True, env=env)
    if p.returncode:
        raise RuntimeError(f"faults at {width} bit cannot be built\n" + p.stdout[-1000:] + p.stderr[-3000:])
    return ROOT / p.stdout.strip().split("\n")[-1]


def run(exe, *words):
    """(whether all went well, what it said)."""
    p = subprocess.run([exe, *map(str, words)], capture_output=True, text=True)
    return p.returncode == 0, (p.stdout + p.stderr).strip()


def faults(exe, seed, count, plant=None):
    return run(exe, "--seed", seed, "--faults", count, *(["--plant", plant] if plant else []))


def last(said):
    return said.split("\n")[-1]


def plants(exe, which):
    """Of each plant: its name, whether it was noticed as what it is, what was said."""
    for name, complaint in which:
        ok, said = faults(exe, 1, 2000, name)
        yield name, not ok and complaint in last(said), said


def mutants():
    """Likewise of each mutant."""
    for name, file, old, new, complaints, width, drives, kind in MUTANTS:
        with tempfile.TemporaryDirectory() as folder:
            rtl = Path(folder) / "rtl"
            shutil.copytree(ROOT / "rtl", rtl)
            text = (rtl / file).read_text()
            if text.count(old) != 1:
                yield name, False, f"{file} has {text.count(old)} times: {old}"
                continue
            (rtl / file).write_text(text.replace(old, new))
            exe = build(width, rtl, drives, kind)
            for seed, count in ((1, 1000), (2, 4000), (3, 4000)):
                ok, said = faults(exe, seed, count)
                if not ok:
                    break
            yield name, not ok and any(c in last(said) for c in complaints), said


def figures(said):
    return {k: float(v) for k, v in (line.split("\t") for line in said.split("\n"))}


def never(found):
    """What has not happened once."""
    return [k for k, v in found.items() if not v and k != "reported, reset"]


def matrix(exe):
    """(whether all went well, by fault and phase what became of it; else what was said)."""
    ok, said = run(exe, "--matrix", 1)
    if not ok:
        return ok, said
    out = {}
    for line in said.split("\n"):
        fault, phase, text = line.split("\t")
        out.setdefault(fault, {})[phase] = text
    return ok, out


def tables(cells, runs):
    most = max(runs.values(), key=len)
    rows = [k for k in most if not k.startswith("fault,") and k != "reported, reset"]
    return table(["fault", *PHASES], [[f, *(texts.get(p, "") for p in PHASES)] for f, texts in cells.items()]) + "\n" + \
        table(["random faults", *runs], [[k, *("" if k not in m else f"{m[k]:.6g}" if m[k] % 1 else f"{m[k]:.0f}" for m in runs.values())] for k in rows])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--faults", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--width", type=int, nargs="+", default=WIDTHS, choices=(64, 128, 256, 512))
    parser.add_argument("--mutants", action="store_true")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    bad, good, runs, cells = 0, 0, {doc: {} for doc in DOCS.values()}, {}       # by page

    def note(name, ok, said, since):
        nonlocal bad, good
        good, bad = good + bool(ok), bad + (not ok)
        print(f"{'ok  ' if ok else 'FAIL'} {name} ({time.time() - since:.0f} s)" + ("" if ok else "\n" + said), flush=True)
    if args.mutants:
        t, found = time.time(), []
        for name, noticed, said in mutants():
            note(f"faults.finds_{name}", noticed, said, t)
            print("     " + last(said), flush=True)
            found.append([name.replace("_", " "), last(said) if noticed else "not found"])
            t = time.time()
        if args.write:
            page.write("docs/ls_nvme_host.md", table(["wrong RTL", "what the random faults said of it"], found), "mutants")
    else:
        for drives, width, kind in [(1, w, k) for k in ("", "beside") for w in args.width] + [(2, 64, ""), (2, 64, "shared")]:
            name = f"{width} bit" if drives == 1 else f"{drives} drives, {width} bit"
            name += {"beside": ", all that is beside", "shared": ", one switch", "": ""}[kind]
            doc = DOCS[drives, kind]
            t, exe = time.time(), build(width, drives=drives, kind=kind)
            ok, said = faults(exe, args.seed, args.faults)
            print(said)
            if ok:
                runs[doc][name] = figures(said)
            missed = never(figures(said)) if ok and args.faults >= 10_000 else []
            note(f"faults, {name}, seed {args.seed}", ok and not missed, "never happened: " + ", ".join(missed), t)
            t = time.time()
            if kind == "beside":
                for plant, noticed, said in plants(exe, PLANTS_BESIDE) if width == args.width[-1] else ():
                    note(f"faults.notices_{plant}", noticed, said, time.time())
                continue
            ok, found = matrix(exe)
            note(f"faults at each phase, {name}", ok, str(found), t)
            cells.setdefault(doc, found)
            if drives == 1 and width == args.width[-1]:
                for plant, noticed, said in plants(exe, PLANTS):
                    note(f"faults.notices_{plant}", noticed, said, time.time())
        if args.write and not bad:
            for doc in runs:
                page.write(doc, tables(cells[doc], runs[doc]), "faults")
    print(f"nvme faults: {good} passed, {bad} failed")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
