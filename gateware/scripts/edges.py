# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Parameters at the edges of their ranges: each legal combination elaborates and no sized cast loses bits there, each illegal one
stops with the instance's name. `edges.py [TOP ...]` prints all; `edges.py list` the casts that are looked at.

The RTL is copied, and behind each module stands for every sized cast whether it loses bits. A cast of constants may never, nor
one of what a drive says of itself; one of a signal only where it is listed here, on purpose. All
combinations of a top are instances in one module, so one run of Verilator looks at all of them."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/edges"

MIB = 1 << 20
CORE = [dict(Width=w) for w in (64, 128, 256, 512)] + [
    dict(Width=64, H2c=8, C2h=8, Tags=8), dict(Width=512, H2c=8, C2h=8, Tags=192, Batch=256, Fetches=4), dict(Tags=1), dict(Tags=254, Fetches=1),
    dict(Tags=254, Fetches=1, Width=512, MaxRequest=4096, MaxPayload=4096, BufBytes=MIB, WindowBuf=MIB), dict(MaxPayload=128, MaxRequest=128, BufBytes=256),
    dict(Width=512, MaxRequest=128, BufBytes=1024, WindowBuf=1024), dict(Width=64, WindowBuf=128), dict(WindowBits=12), dict(WindowBits=40),
    dict(Vectors=2), dict(Vectors=16, Msi=1), dict(AnswerTime=1), dict(AnswerTime=65536), dict(Mm=1, BurstBytes=8), dict(Mm=1, BurstBytes=2048),
    dict(Width=512, Mm=1, BurstBytes=4096), dict(Batch=8), dict(Batch=256), dict(Fetches=1), dict(Fetches=16)]
HOST = [dict(Width=w) for w in (64, 128, 256, 512)] + [
    dict(Cmds=1), dict(Cmds=256), dict(Width=512, Cmds=1), dict(Width=512, Cmds=256, RdBytes=64 * MIB, WrBytes=64 * MIB, CmdBytes=262144),
    dict(WrBytes=32768, RdBytes=32768, CmdBytes=4096), dict(RdBytes=8 * MIB), dict(WrBytes=8 * MIB, RdBytes=32768), dict(RdBytes=64 * MIB, Retries=15),
    dict(WrBytes=64 * MIB, Retries=1), dict(WrBytes=262144, RdBytes=262144, CmdBytes=262144), dict(MaxPayload=128), dict(MaxPayload=4096),
    dict(Reads=2), dict(Reads=256), dict(TickCycles=1), dict(TickCycles=1 << 30), dict(ReqTicks=1), dict(ReqTicks=4095), dict(CmdTicks=1, Retries=1),
    dict(CmdTicks=1 << 30, AbortTicks=1 << 30, FormatTicks=1 << 30, Restarts=1 << 30, RestartTicks=1 << 30, Retries=15),
    dict(FormatTicks=1, AbortTicks=1, Restarts=1, RestartTicks=1), dict(Switch=4, Bdf="16'hf700"), dict(Share=8, Place=7, Bdf="16'hf600"), dict(Share=1),
    dict(WriteCache=2, PowerState=31), dict(PowerState=0), dict(MemBase="64'd0"), dict(MemBase="64'hffff_ffff_0000_0000", BarBase="64'h20_0000_0000")]
LEGAL = {
    "ls_core": CORE,
    "ls_nvme_host": HOST,
    "ls_axi_fifo": [dict(Width=16, BurstBytes=4), dict(Width=512, BurstBytes=4096, SizeLog2=17), dict(SizeLog2=32), dict(Width=128, BurstBytes=4096, SizeLog2=32),
                    dict(Width=64, BurstBytes=16, InBytes=32, OutBytes=32, SizeLog2=7), dict(FlushCycles=1, Bursts=2), dict(FlushCycles=65536, Bursts=256),
                    dict(InBytes=MIB, OutBytes=MIB, SizeLog2=22), dict(SizeLog2=31, Base="32'h8000_0000")],
    "ls_nvme_stripe": [dict(Drives=8, Width=64, ChunkBytes=512), dict(Drives=2, ChunkBytes=MIB), dict(Drives=8, Width=512, ChunkBytes=MIB, Pending=2, Ahead=2),
                       dict(Drives=4, RdBytes=64 * MIB, WrBytes=64 * MIB, CmdBytes=262144), dict(Share=1, Drives=8)],
    "ls_nvme_share": [dict(Drives=n, Width=w) for n, w in ((2, 64), (3, 128), (8, 512))],
    "ls_nvme_recorder": [dict(FifoBytes=0), dict(GigLog2=4), dict(GigLog2=38), dict(Width=512, GigLog2=38, ExtLog2=32), dict(FifoBytes=16),
                         dict(RdBytes=64 * MIB, WrBytes=64 * MIB, CmdBytes=262144)],
    "ls_nvme_7s": [dict(Width=64, Switch=4), dict(Width=128, Reserve=8, LookCycles=16, WaitCycles=0), dict(WaitCycles=1 << 30, LookCycles=1 << 30, MaxPayload=4096)],
    "ls_nvme_usp": [dict(Width=64, Switch=4), dict(Width=512, LookCycles=16, WaitCycles=0, MaxPayload=128), dict(WaitCycles=1 << 30, LookCycles=1 << 30)],
    "ls_top_7s": [dict(Width=w, TwoClocks=t, FlrRest=64) for w in (64, 128) for t in (0, 1)] + [dict(FlrRest=1 << 31, Reserve=1), dict(Msi=1, Vectors=16, Reserve=15), dict(Mm=1, AxiIdBits=16)],
    "ls_top_usp": [dict(Width=w, TwoClocks=1, FlrRest=64) for w in (64, 512)] + [dict(Width=512, Straddle=1, FlrRest=1 << 31), dict(Width=256, Straddle=1, Msi=1)],
}
LEGAL["ls_mac"] = [dict(), dict(Down=1, Elastic=0, Link=255), dict(MsCycles=1, Ts1Count=1, SkpSymbols=64), dict(MsCycles=250_000, SkpSymbols=1538)]
LEGAL["ls_link"] = [dict(), dict(ReplayBytes=1024, Tlps=4, RefreshCycles=64, Latency=0), dict(ReplayBytes=32768, Tlps=256, RefreshCycles=1 << 20, Latency=117)]
LEGAL["ls_tl"] = [dict(), dict(Bar0Bits=12, Bar2Bits=12, Vectors=1, PostedHdr=1, PostedData=32, PostedBytes=1024, NonPostedHdr=2, NonPostedData=1, NonPostedBytes=1024, CplBytes=1024),
                  dict(Bar0Bits=30, Bar2Bits=40, Vectors=2048, PostedHdr=127, PostedData=1888, PostedBytes=32768, NonPostedHdr=64, NonPostedData=1900, NonPostedBytes=32768, CplBytes=32768)]
ILLEGAL = {
    "ls_core": [(dict(Width=96), "u_read"), (dict(Tags=0), ""), (dict(Tags=255), ""), (dict(H2c=0), ""), (dict(H2c=9), ""), (dict(C2h=0), ""), (dict(C2h=9), ""),
                (dict(Vectors=32), "u_msix"), (dict(Vectors=3), "u_msix"), (dict(Vectors=1), "u_msix"), (dict(MaxPayload=100), "u_"), (dict(MaxPayload=8192), "u_"),
                (dict(MaxRequest=3000), "u_read"), (dict(MaxRequest=8192), "u_read"), (dict(BufBytes=1000), "u_read"), (dict(BufBytes=512), "u_read"),
                (dict(Batch=7), "u_ring"), (dict(Batch=512), "u_ring"), (dict(Fetches=3), "u_"), (dict(WindowBits=11), ""), (dict(WindowBits=41), ""),
                (dict(WindowBits=50), ""), (dict(WindowBuf=96), "u_window"), (dict(AnswerTime=0), ""),
                (dict(Mm=1, BurstBytes=4), "u_cut"), (dict(Mm=1, BurstBytes=4096), "u_cut"), (dict(Mm=1, BurstBytes=96), "u_cut")],
    "ls_nvme_host": [(p, "") for p in (
        dict(Width=32), dict(Width=1024), dict(Width=96), dict(Cmds=0), dict(Cmds=3), dict(Cmds=512), dict(WrBytes=16384), dict(RdBytes=16384), dict(RdBytes=98304),
        dict(RdBytes=128 * MIB), dict(WrBytes=128 * MIB), dict(CmdBytes=2048), dict(CmdBytes=524288), dict(CmdBytes=131072), dict(MaxPayload=64),
        dict(MaxPayload=8192), dict(Reads=3), dict(Reads=1), dict(Reads=0), dict(TickCycles=0), dict(ReqTicks=0), dict(ReqTicks=4096), dict(CmdTicks=0),
        dict(CmdTicks="32'hffff_ffff"), dict(AbortTicks="32'h8000_0000"), dict(FormatTicks=0), dict(FormatTicks="32'h8000_0000"), dict(Retries=16),
        dict(Restarts="32'hffff_ffff"), dict(RestartTicks="32'hffff_ffff"), dict(Switch=5), dict(Bdf="16'h0108"), dict(Switch=4, Bdf="16'hf800"), dict(Share=9), dict(Place=1),
        dict(Share=2, Place=2), dict(Share=2, Switch=1), dict(Share=2, BarStep=65536), dict(WriteCache=3), dict(PowerState=33), dict(MemBase="64'h1_0001_0000"),
        dict(BarBase="64'hffff_f000"), dict(BarBase="64'he000_0800"))],
    "ls_axi_fifo": [(p, "") for p in (
        dict(Width=8), dict(Width=48), dict(BurstBytes=96), dict(BurstBytes=8192), dict(Width=64, BurstBytes=8), dict(Width=16, BurstBytes=1024), dict(InBytes=1024),
        dict(OutBytes=3000), dict(SizeLog2=12), dict(SizeLog2=33), dict(SizeLog2=40), dict(Base="32'h1000"), dict(FlushCycles=0), dict(Bursts=1), dict(Bursts=3))],
    "ls_nvme_stripe": [(dict(Drives=1), ""), (dict(Drives=3), ""), (dict(Drives=16), ""), (dict(ChunkBytes=256), ""), (dict(ChunkBytes=2 * MIB), ""),
                       (dict(ChunkBytes=512, Drives=8, Width=1024), ""), (dict(Pending=3), ""), (dict(Ahead=3), "")],
    "ls_nvme_share": [(dict(Drives=1), ""), (dict(Drives=9), "")],
    "ls_nvme_recorder": [(dict(FifoBytes=8), ""), (dict(FifoBytes=3000), ""), (dict(GigLog2=39), ""), (dict(GigLog2=3), ""), (dict(ExtLog2=33), "")],
    "ls_nvme_7s": [(dict(Width=256), ""), (dict(LookCycles=15), ""), (dict(WindowBytes="64'd0"), ""), (dict(BarBase="64'hffff_f000"), "")],
    "ls_nvme_usp": [(dict(Width=96), ""), (dict(LookCycles=15), "")],
    "ls_top_7s": [(dict(Width=256), ""), (dict(FlrRest=63), ""), (dict(AxiIdBits=0), "u_mm")],
    "ls_top_usp": [(dict(Width=1024), ""), (dict(FlrRest=63), "")],
    "ls_fifo": [(dict(Depth=3), ""), (dict(Depth=1), "")],
    "ls_mac": [(dict(SkpSymbols=63), "u_tx"), (dict(SkpSymbols=1539), "u_tx"), (dict(MsCycles=0), "u_ltssm"), (dict(Ts1Count=0), "u_ltssm"), (dict(Ts1Count=1025), "u_ltssm")],
    "ls_link": [(dict(ReplayBytes=512), "u_replay"), (dict(ReplayBytes=3000), "u_replay"), (dict(ReplayBytes=65536), "u_replay"), (dict(Tlps=2), "u_replay"),
                (dict(Tlps=48), "u_replay"), (dict(Tlps=512), "u_replay"), (dict(RefreshCycles=63), "u_fc"), (dict(Latency=118), "")],
    "ls_tl": [(p, "") for p in (dict(PostedHdr=0), dict(PostedHdr=128), dict(PostedData=16), dict(PostedBytes=2048), dict(NonPostedHdr=3), dict(NonPostedData=0), dict(NonPostedBytes=1024),
                                dict(Vectors=0), dict(Vectors=2049), dict(Bar0Bits=11), dict(Bar0Bits=31), dict(Bar2Bits=11), dict(Bar2Bits=41))] + [(dict(CplBytes=512), "u_buffer"), (dict(CplBytes=3000), "u_buffer")],
    "ls_elastic": [(dict(Depth=4), ""), (dict(Depth=12), "")],
}
# Casts that lose bits on purpose at some edge, each looked at: positions and numbers that count modulo a buffer or a tag space, and
# what is known to be small there.
ON_PURPOSE = {
    # positions in a buffer, modulo its size
    "ls_write_engine.sv: PosBits'(cut_n_q)", "ls_write_engine.sv: 13'(left_here)",       # at most MaxPayload, where it ends in this TLP
    "ls_read_engine.sv: PosBits'(ahead)", "ls_read_engine.sv: PosBits'(n)", "ls_read_fill.sv: PosBits'(a_upto_q)",
    "ls_nvme_split.sv: (WrBits+1)'(units_q)", "ls_nvme_split.sv: (RdBits+1)'(units_q)", "ls_nvme_retire.sv: (WrBits+1)'(rec_i.units)",
    "ls_nvme_host.sv: SqBits'(mem_addr)",                                               # within its region
    # numbers of a tag or a slot that is known to be this module's
    "ls_read_engine.sv: TagBits'(rx_hdr_i.tag)", "ls_read_fill.sv: TagBits'(a_hdr_q.tag)", "ls_channel.sv: OutBits'(rx_i.id)",
    "ls_nvme_share.sv: AtBits'(bus)", "ls_nvme_stripe_walk.sv: DriveBits'(plan_i.drive)",
    # the less of two, which fits
    "ls_desc_ring.sv: AskBits'(avail_q)", "ls_mm_cut.sv: (EdgeBits+1)'(len_q)", "ls_axi_fifo.sv: (BeatBits+1)'(have_q)", "ls_axi_fifo.sv: (BeatBits+1)'(avail_q)",
    "ls_replay.sv: 10'(length)",
    # DWs of a completion within its batch, and of a beat
    "ls_desc_order.sv: DwBits'(see_len_i)", "ls_pio.sv: DwBits'(step)",
}


# ---- the casts of a module -------------------------------------------------------------------------
def balanced(text, at):
    """The index behind the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i + 1
    raise ValueError(text[at:at + 80])


def opening(text, at):
    """The index of the bracket that the one at `at` closes."""
    depth = 0
    for i in range(at, -1, -1):
        depth += (text[i] == ")") - (text[i] == "(")
        if depth == 0:
            return i
    raise ValueError(text[:at][-80:])


def constants():
    """Names of constants in the packages."""
    text = "".join(p.read_text() for p in (ROOT / "rtl").rglob("ls_*pkg.sv"))
    return set(re.findall(r"\b[A-Z]\w*(?=\s*(?:=|,|\}))", text))


def casts(text, known):
    """(line, kind, width, operand) of the sized casts of a module that can be judged at its end: constant, drive or signal."""
    text = re.sub(r"//[^\n]*", "", text)
    params = set(re.findall(r"^\s*(?:localparam|parameter)\b[^=\n]*?\b([A-Z]\w*)\s*=", text, re.M))
    inner = set(re.findall(r"^ {4,}localparam\b[^=\n]*?\b([A-Z]\w*)\s*=", text[text.index(");"):], re.M))
    const = (params - inner) | known
    signals = set()
    for names in re.findall(r"^  (?:input|output)\s+(?:logic|\w+_[te])\s*(?:\[[^\n]*?\])?\s*(\w+)\s*,?\s*$", text, re.M):
        signals.add(names)
    for names in re.findall(r"^  (?:logic|\w+_[te])\s*(?:\[[^\n;]*?\])?\s*([\w\s,]+);", text, re.M):
        signals |= {n.strip() for n in names.split(",")}

    def constant(expr):
        expr = re.sub(r"\$bits\(\w+\)|\$clog2|\d+'[hdb][0-9a-f_]+|'[01]|\b(?:sq|cq|region|rom)_bits\b|\b\d+\b", " ", expr)
        return all(n in const for n in re.findall(r"[A-Za-z_]\w*", expr))
    for m in re.finditer(r"'\(", text):
        at, end = m.start(), balanced(text, m.start() + 1)
        start = opening(text, at - 1) if text[at - 1] == ")" else re.search(r"\w+$", text[:at]).start() if re.search(r"\w+$", text[:at]) else at
        width, operand = text[start:at], text[at + 2:end - 1].strip()
        if not width or width in ("int", "bit") or re.fullmatch(r"\w+_[te]", width) or not constant(width):
            continue
        line = text.count("\n", 0, at) + 1
        if re.search(r"[A-Za-z]", operand) and constant(operand):
            yield line, "constant", width, operand
        elif (name := re.fullmatch(r"(\w+)(\.\w+)*", operand)) and name[1] in signals:
            yield line, "drive" if name[1].startswith("drive_") else "signal", width, operand


def copies():
    """The RTL; the same with a question behind each module for each of its casts; the words that stand for them."""
    BUILD.mkdir(parents=True, exist_ok=True)
    known, asked, plain, files = constants(), {}, [], []
    for path in sorted((ROOT / "rtl").rglob("ls_*.sv"), key=lambda p: (not p.name.endswith("_pkg.sv"), p.name)):
        text = path.read_text()
        # The program of the bring-up takes seconds to assemble, and is looked at by the lint.
        text = text.replace("localparam program_t Program = assemble();", "localparam program_t Program = '0;")
        plain.append(put(path.name, text))
        if not path.name.endswith("_pkg.sv"):
            more = ""
            for n, (line, kind, width, operand) in enumerate(casts(text, known)):
                word = f"{path.name}:{line}: {width}'({operand})"
                asked[word] = kind
                lost = f"$bits({operand}) > 32'({width})" if kind != "constant" else f"128'(unsigned'({operand})) != 128'(unsigned'({width}'({operand})))"
                more += f'  if ({lost}) begin : gen_fits_{n}\n    $warning("%m: loses bits: {word}");\n  end\n'
            text = text.replace("\nendmodule", "\n" + more + "\nendmodule")
        files.append(put("asked_" + path.name, text))
    return plain, files, asked


def put(name, text):
    path = BUILD / name
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
    return path


def elaborate(files, top, combinations):
    """What Verilator says of a module with an instance for each, i0 on."""
    all_ = BUILD / f"edges_{top}.sv"
    all_.write_text("module edges;\n" + "".join(
        f"  {top} #({', '.join(f'.{k}({v})' for k, v in p.items())}) i{n} ();\n" for n, p in enumerate(combinations)) + "endmodule\n")
    said = subprocess.run(["verilator", "--lint-only", "-sv", "-Wno-lint", "-Wno-style", "-Wno-fatal", "--error-limit", "100000", "--top", "edges",
                           *map(str, files), str(all_)], capture_output=True, text=True)
    return said.stderr


def split(said):
    """The messages, each with what belongs to it; by the number of the instance, if it says one."""
    parts = re.split(r"^(?=%)", said, flags=re.M)
    return [(int(m[1]) if (m := re.search(r"In instance 'edges\.i(\d+)", p) or re.search(r"edges\.i(\d+)\b", p)) else None, p) for p in parts if p.startswith("%")]


def name(top, params):
    return f"{top}." + ",".join(f"{k}={v}" for k, v in params.items())


def legal(files, asked, top):
    """(name, what is wrong or "") for each legal combination, and for the casts of all. Of instances that are alike Verilator names one."""
    messages = split(elaborate(files, top, LEGAL[top]))
    for n, params in enumerate(LEGAL[top]):
        yield name(top, params), "".join(p for at, p in messages if p.startswith("%Error") and at in (n, None))
    lost = {m[1]: p for _, p in messages if (m := re.search(r"loses bits: ([^\n\"]*)", p))}
    wrong = [p for word, p in lost.items() if re.sub(r":\d+:", ":", word.strip(), count=1) not in ON_PURPOSE]
    yield f"{top}: no cast loses bits", "".join(wrong)


def illegal(files, top):
    """(name, what is wrong or "") for each illegal combination."""
    left = ILLEGAL[top]
    while left:         # of what is alike Verilator says only the first: the others again
        messages = split(elaborate(files, top, [p for p, _ in left]))
        told = lambda n, where: any(at == n and "USERERROR" in p and where in p for at, p in messages)
        right = [told(n, where) for n, (_, where) in enumerate(left)]
        if not any(right):
            break
        yield from ((name(top, params), "") for ok, (params, _) in zip(right, left) if ok)
        left = [case for ok, case in zip(right, left) if not ok]
    for n, (params, _) in enumerate(left):
        yield name(top, params), "elaborates, or stops without the instance's name:\n" + "".join(p for at, p in messages if at == n and p.startswith("%Error"))


def run(tops=()):
    """(name, right, what was said) for all."""
    plain, files, asked = copies()
    for top in tops or LEGAL:
        for case, wrong in legal(files, asked, top):
            yield f"legal.{case}", not wrong, wrong
    for top in tops or ILLEGAL:
        for case, wrong in illegal(plain, top):
            yield f"refused.{case}", not wrong, wrong


if __name__ == "__main__":
    if sys.argv[1:] == ["list"]:
        for word, kind in copies()[2].items():
            print(kind, word)
        sys.exit()
    bad = 0
    for case, ok, said in run(sys.argv[1:]):
        print("ok  " if ok else "FAIL", case, "" if ok else said, flush=True)
        bad += not ok
    sys.exit(bad != 0)
