# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
"""Wrong versions of the RTL: those that a person thought of (PLANTED), and those that a seed draws.

A drawn one changes one line in one of five ways: a number by one, a condition inverted, an assignment dropped, the
operands of an operator that minds them exchanged, an operator changed for its neighbour. Comments, declarations, ports,
checks of parameters and what is only there to be unused are left alone."""

import random
import re
from collections import namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# file below rtl/; the text that is replaced, the n-th of its kind; by what; what it is
Mutant = namedtuple("Mutant", "name file old new nth what")

# What a person thought of: the file, the text, its replacement. The first five were missed once.
PLANTED = [
    ("mps_512_taken_as_1024", "ls_write_engine.sv", "13'h1f80 << ((mps_i > MaxCode) ? MaxCode : mps_i)",
     "13'h1f80 << ((mps_i > MaxCode) ? MaxCode : (mps_i == 3'd2) ? 3'd3 : mps_i)"),
    ("mrrs_256_taken_as_512", "ls_read_engine.sv", "13'h1f80 << ((mrrs_i > MaxCode) ? MaxCode : mrrs_i)",
     "13'h1f80 << ((mrrs_i > MaxCode) ? MaxCode : (mrrs_i == 3'd1) ? 3'd2 : mrrs_i)"),
    ("a_fetch_beyond_the_end_of_a_ring_of_eight", "ls_desc_ring.sv", "~next_q[7:0] & mask_q[7:0] & 8'",
     "~next_q[7:0] & ((mask_q == 16'd7) ? 8'd15 : mask_q[7:0]) & 8'"),
    ("an_interrupt_before_its_record", "ls_records.sv", "irq_o <= rst_ni && rec_sent_i && irq_out_q;",
     "irq_o <= rst_ni && send && (irq_q || (fault_q && last_q.cause != CauseNone));"),
    ("an_interrupt_lost_in_a_collision", "ls_msix.sv", "(pend_q & ~(busy_q ? '0 : pick)) | irq_i",
     "(pend_q | irq_i) & ~(busy_q ? '0 : pick)"),
    ("the_rule_of_4_kib_dropped", "ls_write_engine.sv", "assign first_cap  = 13'd0 - offset;",
     "assign first_cap  = (13'd0 - above_ahead_q);"),
    ("last_byte_enables_wrong", "ls_write_engine.sv", "assign be_last  = 4'hf >> (2'd0 - p_size_q[1:0]);",
     "assign be_last  = 4'hf >> (2'd3 - p_size_q[1:0]);"),
    ("a_tag_freed_early", "ls_read_fill.sv", "assign b_done = a_valid_q && a_eop_q && good && final_cpl;",
     "assign b_done = a_valid_q && a_eop_q && good;"),
    ("a_record_written_twice", "ls_records.sv", "else if (rec_sent_i || rec_gone_i) busy_q <= 1'b0;",
     "else if ((rec_sent_i && slot_q[0]) || rec_gone_i) busy_q <= 1'b0;"),
    ("lanes_exchanged_in_alignment", "ls_window_rd.sv", "(at_q[0] ? at[2] : at[3])", "(at_q[0] ? at[3] : at[2])"),
    ("completion_status_ignored", "ls_read_fill.sv", "rx_hdr_i.kind == TlpCplD && rx_hdr_i.status == CplSc;",
     "1'b1;"),
    ("a_reset_that_cuts_a_tlp", "ls_flr.sv", "assign start = state_q == StStop && &stop_q;", "assign start = state_q == StStop;"),
    ("a_gate_that_opens_within_a_tlp", "ls_flr.sv", "else if (move ? in_eop_i[i] : !in_mid_q[i] && !in_valid_i[i])",
     "else"),
    ("a_withdrawn_fetch_is_made", "ls_fetch.sv", "assign load        = wanted && read_q && !pushed_q;", "assign load        = pick_q != '0 && read_q && !pushed_q;"),
    ("a_fault_lost_to_its_clearing", "ls_csr.sv", "               | fault_i;", "               & ~fault_i | (fault_i & ~fault_q);"),
    ("memory_overrun", "ls_axi_fifo.sv", "used_q <= Fits && len_room", "len_room"),
    ("a_burst_read_before_its_answer", "ls_axi_fifo.sv", "(b_good ? (PtrBits+1)'(flag_len) : '0)", "(aw ? (PtrBits+1)'(aw_n_q) : '0)"),
    ("no_room_for_a_burst_that_is_read", "ls_axi_fifo.sv", "room_q >= OutBits'(Beats)", "room_q != '0"),
    ("a_tail_that_stays", "ls_axi_fifo.sv", "(all_here || quiet) &&", "all_here &&"),
    ("a_refused_write_ignored", "ls_axi_fifo.sv", "wr_bad_o <= mm_i.b_resp;", "wr_bad_o <= '0;"),
    ("data_waits_for_its_address_to_be_taken", "ls_axi_fifo.sv", ".valid_i(fresh), .ready_o(len_room)", ".valid_i(aw), .ready_o(len_room)"),
    ("card_data_waits_for_its_address_to_be_taken", "ls_mm_write.sv", ".valid_i(fresh), .ready_o(burst_ready)",
     ".valid_i(cut_ready), .ready_o(burst_ready)"),
    ("a_refused_read_ignored", "ls_axi_fifo.sv", "rd_bad_o <= mm_i.r_resp;", "rd_bad_o <= '0;"),
]

# Drawn ones that nothing can tell from the RTL: the file, the line as it becomes (of a dropped one with its number), the reason.
EQUIVALENT = {
    ("ls_desc_ring.sv", "assign wdata = {(push_high_q || left < 11'd4) ? 8'd1 : (left > 11'(Width / 32)) ? 8'(PerRow) : 8'(left >> 2),"):
        "with just a row left, Width / 32 DWs, the other branch says the same: Width / 32 >> 2 is PerRow",
    ("ls_window_rd.sv", "assign at[k] = near[((i + 2 * ((k - 4 - (i / 2) % 4) % 4)) % Bytes)*8+:8];"):
        "unsigned, because Bytes is: 4 less or 4 more is the same modulo 4",
    ("ls_csr.sv", "assign at_ram   = entry || (here != '0 && word < 5'd7);"):
        "+0x38 of a channel's page is no register (docs/ls_core.md)",
    ("ls_records.sv", "assign done_room_o = used < 5'd7;"):
        "no command is taken with seven reports waiting, where it was eight: reports wait only while records cannot leave, and then "
        "it is those that set the pace; no report is lost with more room to spare",
    ("ls_read_tags.sv", "else if (tick_i && grace_q != '0)  grace_q <= grace_q + 1'b1;"):
        "of two bits, and only held against 0: 2, 3, 0 takes as many ticks as 2, 1, 0",
    ("ls_csr.sv", "else         push_o <= push ? here[Rings-0:0] : '0;"):
        "push_o has Rings bits: the one above is cut off",
    ("ls_csr.sv", "cfg_q.vector     <= reg_wdata_i[16:12];"):
        "a vector has four bits: the one above is cut off",
    ("ls_read_fill.sv", "upto_o  <= (left > 13'(Bytes)) ? (LaneBits+1)'(Bytes) : left[LaneBits:0];"):
        "with just a row left the other branch says the same",
    ("ls_p2p_window.sv", "upto_q <= (left > 13'(Bytes)) ? (LaneBits+1)'(Bytes) : left[LaneBits:0];"):
        "with just a row left the other branch says the same",
    ("ls_write_input.sv", ".valid_i, .pos_i(pos_i[LaneBits+2:0]), .adv_i, .ok_o, .data_o"):
        "the port has LaneBits + 2 bits: the one above is cut off",
    ("ls_read_engine.sv", "assign round_row = commit_pos_q[PosBits-1:LaneBits] + (RowBits+1)'(commit_pos_q[LaneBits-1:1] != '0);"):
        "where a flush begins anew is any row at which writing, reading and committing agree, and all three take this one; a row of "
        "which one byte is committed has not been read, because whole rows are",
    ("ls_read_engine.sv", "assign room_now = CmpBits'(free_bytes) > CmpBits'(ahead);"):
        "a request that would fill the buffer to its last byte waits until anything leaves; the buffer is at least twice as long as "
        "a request, so something that leaves is there, and no place is given out that is not free",
    ("ls_desc_ring.sv", "cmd_q.bad   <= 1'b0;"):
        "its length is zero, and a command of length zero is refused behind the register",
    ("ls_ram.sv", "for (int unsigned i = 0; i <= Bytes; i++) begin"):
        "beyond the last byte there is neither an enable nor a place: what is out of range selects and writes nothing",
    # What a reset leaves out, or sets otherwise.
    ("ls_desc_order.sv", "age_q    <= 1'b1;"):
        "looked at only while a fetch is out, or rests after one, and the start of each sets it",
    ("ls_desc_order.sv", "119: // dropped"):
        "looked at only while a fetch is out, or rests after one, and the start of each sets it",
    ("ls_core.sv", "if (!rst_ni)                               to_win_q <= 1'b1;"):
        "a TLP begins with its first beat, which does not look at it and sets it",
    ("ls_records.sv", "75: // dropped"):
        "a channel is disabled by a reset, and that clears it in the next cycle; until then nothing is counted",
    ("ls_records.sv", "76: // dropped"):
        "a channel is disabled by a reset, and that clears it in the next cycle; until then nothing is counted",
    ("ls_hold.sv", "stop_q <= 1'b0;"):
        "no source shows anything in the first cycle after a reset, and in that it takes the value of hold_i",
    ("ls_cpl_route.sv", "56: // dropped"):
        "a completion begins with its first beat, which does not look at it and sets it",
    ("ls_read_fill.sv", "write_o <= 1'b1;"):
        "one write into the buffer after a reset, wherever it goes: no row is read before it was written anew",
    ("ls_p2p_window.sv", "97: // dropped"):
        "one write into the buffer after a reset, wherever it goes: no row is read before it was written anew",
    ("ls_hold.sv", "31: // dropped"):
        "no source shows anything in the first cycle after a reset, and in that it takes the value that the settings ask for",
    ("ls_flr.sv", "60: // dropped"):
        "the engine shows nothing in the first cycle after a reset, and in that it takes the value that it has while it runs",
    ("ls_tx_mux.sv", "81: // dropped"):
        "any value is a turn, and it decides once who of two is first; the proof of turns holds without it",
}

SKIP = re.compile(r"^\s*(//|input|output|parameter|localparam|typedef|import|module|package|end|begin|\(\*|\)|\$error"
                  r"|logic unused|assign unused|else begin|function|always|return$|`)|\$error|gen_check|unused")
LOGIC = re.compile(r"<=|=(?!=)|\?|\bif\b|\bcase\b|\.\w+\(")


def off_by_one(line, rng):
    at = [m for m in re.finditer(r"(?<![\w'])(\d+)(?!['\w])|(?<=\d'd)(\d+)\b", line)]
    if not at:
        return None
    m = rng.choice(at)
    n = int(m.group(0))
    return line[:m.start()] + str(n + 1 if n == 0 or rng.random() < 0.5 else n - 1) + line[m.end():]


def inverted(line, rng):
    m = re.search(r"\bif \((.*)\)( begin|\s+\S.*)?$", line)
    if m and m.group(1).count("(") == m.group(1).count(")"):
        return line[:m.start(1)] + "!(" + m.group(1) + ")" + line[m.end(1):]
    at = [m for m in re.finditer(r"==|!=|(?<![&|^~!=<>\w])!(?=[\w(])", line)]
    if not at:
        return None
    m = rng.choice(at)
    return line[:m.start()] + {"==": "!=", "!=": "=="}.get(m.group(0), "") + line[m.end():]


def dropped(line, rng):
    """A register keeps its value."""
    m = re.match(r"^(\s*)(if \(.*\)|else if \(.*\)|else)?\s*([\w.\[\]{}, :+*()-]+?)\s*<=\s*[^;]*;(\s*//.*)?$", line)
    if not m:
        return None
    return (m.group(1) + (m.group(2) or "") + " ;") if m.group(2) else m.group(1) + "// dropped"


def swapped(line, rng):
    """Operands of a difference, a comparison, a shift or a choice."""
    name = r"([A-Za-z_][\w.]*(?:\[[\w:+-]+\])?|\d+'[bdh]\w+|\d+)"
    at = [m for m in re.finditer(rf"(?<![\w'.]){name} (-|<|>|>=|<<|>>) {name}(?![\w'(.\[])", line)]
    at += [m for m in re.finditer(rf"\? {name} (:) {name}(?![\w'(.\[])", line)]
    if not at:
        return None
    m = rng.choice(at)
    if m.group(1) == m.group(3):
        return None
    return line[:m.start(1)] + m.group(3) + " " + m.group(2) + " " + m.group(1) + line[m.end(3):]


def neighbour(line, rng):
    pairs = {"&&": "||", "||": "&&", " & ": " | ", " | ": " & ", " + ": " - ", " - ": " + ", " < ": " <= ", " >= ": " > ",
             "1'b1": "1'b0", "1'b0": "1'b1", "'1": "'0", " ^ ": " | "}
    at = [m for m in re.finditer("|".join(map(re.escape, pairs)), line)]
    if not at:
        return None
    m = rng.choice(at)
    return line[:m.start()] + pairs[m.group(0)] + line[m.end():]


def key(file, nth, new):
    """By which EQUIVALENT names it."""
    return file, f"{nth}: {new.strip()}" if new.strip() == "// dropped" else new.strip()


WAYS = (off_by_one, inverted, dropped, swapped, neighbour)


def planted():
    return [Mutant(name, file, old, new, 0, "planted") for name, file, old, new in PLANTED]


def lines():
    """(file, number, line) of every line that may be changed."""
    for path in sorted((ROOT / "rtl").glob("ls_*.sv")):
        if path.name.endswith("_pkg.sv"):
            continue
        for i, line in enumerate(path.read_text().split("\n")):
            if not SKIP.search(line) and LOGIC.search(line.split("//")[0]):
                yield path.name, i, line


def drawn(seed, count):
    rng, every, out, seen = random.Random(seed), list(lines()), [], set()
    while len(out) < count:
        file, at, line = rng.choice(every)
        code = line.split("//")[0].rstrip()
        way = rng.choice(WAYS)
        new = way(code, rng)
        if new is None or new == code or (file, at, new) in seen:
            continue
        seen.add((file, at, new))
        out.append(Mutant(f"{seed}.{len(out)}", file, line, new, at + 1, way.__name__))
    return out


def apply(mutant, root):
    """Writes the mutant into a copy of the tree."""
    path = root / "rtl" / mutant.file
    text = path.read_text()
    if mutant.nth:
        every = text.split("\n")
        assert every[mutant.nth - 1] == mutant.old, mutant
        every[mutant.nth - 1] = mutant.new
        path.write_text("\n".join(every))
    else:
        assert text.count(mutant.old) == 1, (mutant.name, text.count(mutant.old))
        path.write_text(text.replace(mutant.old, mutant.new))
