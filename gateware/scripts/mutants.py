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
    # The core: its MAC, and its data link layer.
    ("a_state_that_does_not_end", "phy/ls_ltssm.sv", "!(state_q inside {DetectQuiet, L0})) state = DetectQuiet;", "!(state_q inside {DetectQuiet, L0, RcvrIdle})) state = DetectQuiet;"),
    ("a_state_that_ends_late", "phy/ls_ltssm.sv", "PollActive, WidthStart, RcvrLock: limit = 6'd24;", "PollActive, WidthStart, RcvrLock: limit = 6'd25;"),
    ("a_replay_timer_that_never_starts", "link/ls_replay.sv", "timed_q <= end_i;", "timed_q <= 1'b0;"),
    ("a_replay_timer_that_starts_anew_with_each_tlp", "link/ls_replay.sv", "end else if (!timed_q) begin", "end else if (!timed_q || end_i) begin"),
    ("a_replay_timer_that_an_ack_does_not_stop", "link/ls_replay.sv", "timed_q <= upto_q != held;", "timed_q <= 1'b1;"),
    ("a_replay_timer_that_an_ack_stops_for_all", "link/ls_replay.sv", "timed_q <= upto_q != held;", "timed_q <= 1'b0;"),
    ("a_replay_timer_that_runs_in_recovery", "link/ls_replay.sv", "else if (l0_i && !expired) time_q", "else if (!expired) time_q"),
    ("a_replay_too_early", "link/ls_replay.sv", "time_q >= limit_i;", "time_q >= 10'(limit_i - 10'd8);"),
    ("a_replay_of_what_was_acknowledged", "link/ls_replay.sv", "tx_q <= first_q;", "tx_q <= first_q - 1'b1;"),
    ("a_replay_from_the_wrong_place", "link/ls_replay.sv", "rd_q <= free_q;", "rd_q <= start_q;"),
    ("a_replay_that_goes_on_with_what_is_acknowledged", "link/ls_replay.sv", "passed_q <= run_i && seq_t'(tx_q - first_q) > held;", "passed_q <= 1'b0;"),
    ("a_rollover_after_five", "link/ls_replay.sv", "if (progress) replays_q <= '0;", "if (progress || time_q == 10'd9) replays_q <= '0;"),
    ("a_rollover_that_an_ack_does_not_put_off", "link/ls_replay.sv", "if (progress) replays_q <= '0;\n      else if", "if"),
    ("a_rollover_that_is_not_told", "link/ls_replay.sv", "|| (retrain_o && l0_i);", "&& !l0_i;"),
    ("a_tlp_sent_while_the_link_is_to_train", "link/ls_replay.sv", "&& !passed_q && !retrain_o;", "&& !passed_q;"),
    ("a_buffer_that_is_overwritten", "link/ls_replay.sv", "(wr_q - free_q) != ptr_t'(Words) && ", ""),
    ("a_table_that_is_overwritten", "link/ls_replay.sv", " && (in_q - first_q) != seq_t'(Tlps));", ");"),
    ("an_end_that_is_read_too_early", "link/ls_replay.sv", "& {2{!begin_i && !jump && !progress}};", "| 2'b11;"),
    ("a_tlp_that_is_seen_before_its_end", "link/ls_replay.sv", "seen_q <= in_q; ", "seen_q <= in_q + seq_t'(keep); "),
    ("a_nullified_tlp_that_is_sent", "link/ls_replay.sv", "take && last_i && !null_i && !drop;", "take && last_i && !drop;"),
    ("a_nullified_tlp_that_stays", "link/ls_replay.sv", "last_i && null_i ? start_q : wr_next;", "wr_next;"),
    ("an_ack_of_what_was_not_sent", "link/ls_replay.sv", "within_q <= upto <= held;", "within_q <= !upto[11];"),
    ("an_old_ack_that_is_an_error", "link/ls_replay.sv", "beyond != '0 && !beyond[11];", "beyond != '0;"),
    ("a_nak_taken_for_an_ack", "link/ls_replay.sv", "(known && nak_i) ||", ""),
    ("an_ack_taken_for_a_nak", "link/ls_replay.sv", "(known && nak_i) ||", "known ||"),
    ("half_a_tlp_of_a_link_that_was_down", "link/ls_replay.sv", "drop_q <= run_i ? drop_q && mid : mid;", "drop_q <= 1'b0;"),
    ("an_lcrc_that_is_not_checked", "link/ls_tlp_rx.sv", "crc_q != (edb_q ? '0 : LcrcRight);", "(edb_q && crc_q != '0);"),
    ("an_edb_that_is_not_checked", "link/ls_tlp_rx.sv", "crc_q != (edb_q ? '0 : LcrcRight);", "(!edb_q && crc_q != LcrcRight);"),
    ("an_edb_that_is_not_looked_at", "link/ls_tlp_rx.sv", "crc_q != (edb_q ? '0 : LcrcRight);", "crc_q != LcrcRight;"),
    ("a_tlp_that_the_mac_told_as_hit", "link/ls_tlp_rx.sv", "hit_q || !whole_q ||", "!whole_q ||"),
    ("a_tlp_of_nothing", "link/ls_tlp_rx.sv", "hit_q || !whole_q ||", "hit_q ||"),
    ("a_duplicate_that_is_asked_for", "link/ls_tlp_rx.sv", "ahead != '0 && !ahead[11]));", "ahead != '0));"),
    ("a_duplicate_that_is_not_acknowledged", "link/ls_tlp_rx.sv", "ack_o     <= took || again ||", "ack_o     <= took ||"),
    ("a_duplicate_whose_ack_waits", "link/ls_tlp_rx.sv", "ack_now_o <= again ||", "ack_now_o <="),
    ("half_the_numbers_are_duplicates", "link/ls_tlp_rx.sv", "!edb_q && ahead[11];", "!edb_q && ahead[11] && ahead[10];"),
    ("a_number_that_is_not_looked_at", "link/ls_tlp_rx.sv", "!broken && !edb_q && ahead == '0;", "!broken && !edb_q && !ahead[11];"),
    ("a_nak_for_each", "link/ls_tlp_rx.sv", "(miss && !asked_q) ||", "miss ||"),
    ("one_nak_for_ever", "link/ls_tlp_rx.sv", "miss || (asked_q && !took);", "miss || asked_q;"),
    ("an_ack_that_is_forgotten", "link/ls_tlp_rx.sv", "ack_o     <= took || again || (ack_o && !sent_i);", "ack_o     <= (took || again || ack_o) && !sent_i;"),
    ("an_ack_without_its_time", "link/ls_tlp_rx.sv", "else if (!(&ack_age_o)) ack_age_o <= ack_age_o + 1'b1;", ""),
    ("a_dllp_whose_crc_is_not_checked", "link/ls_dllp_rx.sv", "count == 3'd3 && right;", "count == 3'd3;"),
    ("a_dllp_of_any_length", "link/ls_dllp_rx.sv", "&& count == 3'd3 && right;", "&& right;"),
    ("a_dllp_that_the_mac_told_as_hit", "link/ls_dllp_rx.sv", "in_q && !bad_i && !edb_i &&", "in_q && !edb_i &&"),
    ("a_dllp_that_ends_with_edb", "link/ls_dllp_rx.sv", "in_q && !bad_i && !edb_i &&", "in_q && !bad_i &&"),
    ("credits_of_another_channel", "link/ls_link_fc.sv", "of_class != 2'd3 && dllp_i[3:0] == '0;", "of_class != 2'd3;"),
    ("active_before_the_other_end_knows", "link/ls_link_fc.sv", "if (heard_q && told_q) state_q", "if (heard_q) state_q"),
    ("active_before_the_other_end_is", "link/ls_link_fc.sv", "if (heard_q && told_q) state_q", "if (told_q) state_q"),
    ("two_classes_are_enough", "link/ls_link_fc.sv", "DlInit1:    if (&got_q)", "DlInit1:    if (&got_q[1:0])"),
    ("the_second_half_begins_anywhere", "link/ls_link_fc.sv", "if (state_q == DlInit1 && &got_q) at_q <= '0;", "if (1'b0) at_q <= '0;"),
    ("credits_that_are_told_without_bound", "link/ls_link_fc.sv", "want_q[i] <= !ours_free_q[i] &&", "want_q[i] <="),
    ("credits_that_are_not_told_again", "link/ls_link_fc.sv", "again_q <= '1;", "again_q <= '0;"),
    ("credits_that_are_told_of_one_class", "link/ls_link_fc.sv", "else if (sent_i || (state_q == DlActive && !want_q[at_q])) at_q", "else if (sent_i) at_q"),
    ("an_update_that_does_not_wait_for_the_tlp", "link/ls_link_tx.sv", "12'(update_age_i) + 12'(behind) >=", "12'(update_age_i) >="),
    ("an_ack_behind_the_tlp", "link/ls_link_tx.sv", "12'(ack_age_i) + 12'(behind) >=", "12'(ack_age_i) >="),
    ("an_ack_before_a_nak", "link/ls_link_tx.sv", "dllp_ack(nak_i, ack_seq_i)", "dllp_ack(nak_i && !ack_i, ack_seq_i)"),
    ("a_tlp_cut_short_that_looks_whole", "link/ls_link_tx.sv", "null_q <= state_q == Body && !run_i;", "null_q <= 1'b0;"),
    ("a_packet_that_never_ends", "link/ls_link_tx.sv", "if (last_i || !run_i) state_q <= Check;", "if (last_i) state_q <= Check;"),
    ("the_times_of_another_size", "link/ls_link.sv", "2'd1:    {ack_limit", "2'd3:    {ack_limit"),
    ("tlps_before_the_link_is_ready", "link/ls_link.sv", "state inside {DlInit2, DlActive};", "state inside {DlActive};"),
    # And its transaction layer.
    ("a_length_that_is_not_checked", "tl/ls_tl_rx.sv", "|| count_q != want_q ||", "||"),
    ("a_digest_that_is_not_counted", "tl/ls_tl_rx.sv", " + {10'd0, digest_q, 1'b0};", ";"),
    ("a_payload_above_its_maximum", "tl/ls_tl_rx.sv", " || large_q;", ";"),
    ("a_header_of_four_taken_for_three", "tl/ls_tl_rx.sv", "(four_q ? 12'd8 : 12'd6)", "12'd6"),
    ("a_header_credit_that_is_not_looked_at", "tl/ls_tl_rx.sv", "given_q[c].hdr != used_q[c].hdr && ", ""),
    ("a_data_credit_that_is_not_looked_at", "tl/ls_tl_rx.sv", " && given_q[c].data - used_q[c].data >= 12'(data);", ";"),
    ("a_header_credit_lost_with_a_malformed_tlp", "tl/ls_tl_rx.sv", " + 8'(gone_i[c]) + 8'(bad && is[c]);", " + 8'(gone_i[c]);"),
    ("data_credits_lost_with_a_malformed_tlp", "tl/ls_tl_rx.sv", " + (bad && is[c] ? 12'(data) : '0);", ";"),
    ("a_header_credit_that_is_not_returned", "tl/ls_tl_rx.sv", "+ 8'(gone_i[c]) +", "+ 8'(gone_i[c] && given_q[c].hdr != 8'd77) +"),
    ("data_credits_rounded_down", "tl/ls_tl_pkg.sv", "(len_dw + 11'd3) >> 2", "len_dw >> 2"),
    ("credits_of_the_other_class", "tl/ls_tl_rx.sv", "is    = {class_q == ClassNp, class_q == ClassP};", "is    = {class_q == ClassP, class_q == ClassNp};"),
    ("a_tlp_that_was_hit_is_kept", "tl/ls_tl_rx.sv", "good_q <= good_i;", "good_q <= 1'b1;"),
    ("a_tlp_that_was_hit_takes_credits", "tl/ls_tl_rx.sv", "if (mine && is[c] && !over) begin", "if (end_q && is[c] && !over) begin"),
    ("what_is_over_takes_credits", "tl/ls_tl_rx.sv", "if (mine && is[c] && !over) begin", "if (mine && is[c]) begin"),
    ("what_is_too_long_overwrites_others", "tl/ls_tl_buffer.sv", "valid_i && !used[PtrBits];", "valid_i;"),
    ("what_was_forgotten_stays", "tl/ls_tl_buffer.sv", "if (forget_i) wr_q <= kept_q;\n      else if (push)", "if (push)"),
    ("a_tlp_read_before_its_end", "tl/ls_tl_buffer.sv", "kept_q != rd_q &&", "used != '0 &&"),
    ("a_buffer_that_is_read_over", "tl/ls_tl_buffer.sv", "(!valid_o || ready_i);", "(!valid_o || ready_i || used == (PtrBits+1)'(Words / 4));"),
    ("a_request_that_passes_a_write", "tl/ls_tl_order.sv", " && !ahead[7];", ";"),
    ("two_requests_at_a_time", "tl/ls_tl_order.sv", " && !busy_q && ", " && "),
    ("a_write_that_waits_for_an_answer", "tl/ls_tl_order.sv", ": {1'b0, valid_i[0]};", ": {1'b0, valid_i[0] && !(busy_q && valid_i[1])};"),
    ("a_stamp_of_the_next", "tl/ls_tl_order.sv", ".data_i(came_q)", ".data_i(came_q - 8'd1)"),
    ("an_odd_end_with_what_was_before", "tl/ls_tl_unpack.sv", "assign beat    = ends ||", "assign beat    ="),
    ("a_digest_taken_for_a_header", "tl/ls_tl_unpack.sv", "if (ends) state_q <= digest ? Digest : Last;", "if (ends) state_q <= Last;"),
    ("a_header_that_does_not_wait", "tl/ls_tl_unpack.sv", "default: if (!full_q || ready_i) state_q <= Header;", "default: state_q <= Header;"),
    ("a_beat_that_is_overwritten", "tl/ls_tl_unpack.sv", "!(beat && full_q && !ready_i));", "1'b1);"),
    ("a_length_of_1024_taken_for_none", "tl/ls_tl_unpack.sv", "hdr_o.byte_count   = {brings && {", "hdr_o.byte_count   = {1'b0 && {"),
    ("a_bar_of_half_its_size", "tl/ls_tl_route.sv", "hdr_i.addr[63:Bar0Bits] == {32'd0, bar0_i[31:Bar0Bits]};", "!hdr_i.addr[Bar0Bits-1] && hdr_i.addr[63:Bar0Bits] == {32'd0, bar0_i[31:Bar0Bits]};"),
    ("a_bar_below_4_gib_seen_above", "tl/ls_tl_route.sv", "hdr_i.addr[63:Bar0Bits] == {32'd0, bar0_i[31:Bar0Bits]};", "hdr_i.addr[31:Bar0Bits] == bar0_i[31:Bar0Bits];"),
    ("a_bar_that_is_off_and_decodes", "tl/ls_tl_route.sv", "assign in2     = memory_i && memory &&", "assign in2     = memory &&"),
    ("a_locked_read_taken_for_a_read", "tl/ls_tl_route.sv", "assign memory  = kind_i[4:0] == '0;", "assign memory  = kind_i[4:1] == '0;"),
    ("another_function_that_answers", "tl/ls_tl_route.sv", "config0 && hdr_i.addr[18:16] == '0 &&", "config0 &&"),
    ("a_poisoned_write_that_configures", "tl/ls_tl_route.sv", " && !(write && hdr_i.ep)) way = ToConfig;", ") way = ToConfig;"),
    ("a_message_that_is_an_error", "tl/ls_tl_route.sv", "way == ToNowhere && !message;", "way == ToNowhere;"),
    ("an_answer_to_a_posted_request", "tl/ls_tl_route.sv", "else if (posted) way = ToNowhere;", ""),
    ("a_bus_number_from_a_read", "tl/ls_tl_route.sv", "if (cfg_valid_o && write) id_o", "if (cfg_valid_o) id_o"),
    ("a_byte_count_too_large", "tl/ls_tl_route.sv", " - 13'(2'd3 - high);", ";"),
    ("an_answer_before_it_is_ready", "tl/ls_tl_route.sv", "crs_q      <= !config_i;", "crs_q      <= 1'b0;"),
    ("byte_enables_of_registers_ignored", "tl/ls_tl_cfg.sv", "(q & ~(be & Row.rw) & ~(be & data_i & Row.w1c)) | (be & data_i & Row.rw)", "(q & ~Row.rw & ~(be & data_i & Row.w1c)) | (data_i & Row.rw)"),
    ("an_error_that_a_write_of_0_clears", "tl/ls_tl_cfg.sv", "& ~(be & data_i & Row.w1c))", "& ~(be & Row.w1c))"),
    ("what_is_sticky_is_forgotten", "tl/ls_tl_cfg.sv", "(after & kept) | (Row.value & ~kept)", "(after & kept & ~Row.sticky) | (Row.value & ~(kept & ~Row.sticky))"),
    ("what_a_function_level_reset_leaves_lost", "tl/ls_tl_cfg.sv", "Row.sticky | (link_i ? Row.flr_keeps : '0);", "Row.sticky;"),
    ("a_link_that_was_down_leaves_registers", "tl/ls_tl_cfg.sv", "Row.sticky | (link_i ? Row.flr_keeps : '0);", "Row.sticky | Row.flr_keeps;"),
    ("a_reset_by_another_byte", "tl/ls_tl_cfg.sv", "dw_i == Table[AtDevice].dw && be_i[1] &&", "dw_i == Table[AtDevice].dw &&"),
    ("a_severity_that_nobody_asks", "tl/ls_tl_cfg.sv", "(uncor | advisory) & severity", "uncor & severity"),
    ("an_advisory_error_that_is_always_one", "tl/ls_tl_cfg.sv", "(advisory & ~severity) != '0;", "advisory != '0;"),
    ("a_tlp_without_a_header_credit", "tl/ls_tl_tx.sv", "(free_hdr || left.hdr != '0) &&", "1'b1 &&"),
    ("a_tlp_without_data_credits", "tl/ls_tl_tx.sv", "(free_data || left.data >= 12'(data));", "(free_data || left.data != '0);"),
    ("a_data_credit_too_few", "tl/ls_tl_tx.sv", "left.data >= 12'(data)", "left.data > 12'(data)"),
    ("no_bound_taken_for_none", "tl/ls_tl_tx.sv", "(free_hdr || left.hdr", "(left.hdr"),
    ("a_read_counted_as_a_write", "tl/ls_tl_tx.sv", "pick == Tx ? ClassP : ClassNp;", "ClassP;"),
    ("credits_that_a_new_link_remembers", "tl/ls_tl_tx.sv", "if (!rst_ni || !up_i) used_q[c] <= '0;", "if (!rst_ni) used_q[c] <= '0;"),
    ("a_write_that_stops_completions", "tl/ls_tl_tx.sv", "if (fits_q[Own])      pick = Own;\n    else if (fits_q[Cpl])", "if (fits_q[Own] && !tx_valid_i)      pick = Own;\n    else if (fits_q[Cpl])"),
    ("writes_that_starve_reads", "tl/ls_tl_tx.sv", "fits_q[Tx] && !(fits_q[Rq] && turn_q)", "fits_q[Tx]"),
    ("a_short_header_for_a_long_address", "tl/ls_tl_tx.sv", "!is_cpl && hdr.addr[63:32] != '0;", "!is_cpl && hdr.addr[63:33] != '0;"),
    ("half_a_tlp_when_the_link_goes", "tl/ls_tl_tx.sv", "if (!up_i && state_q inside {Header, Payload} && !(out && last_o)) state_q <= Break;", "if (!up_i) state_q <= Choose;"),
    ("a_completion_for_another", "tl/ls_tl.sv", "cpl_mine_q <= rx_cpl_hdr_o.requester_id == id_o;", "cpl_mine_q <= 1'b1;"),
    ("memory_space_in_d3", "tl/ls_tl.sv", "assign memory = command[1] && pmcsr[1:0] == '0;", "assign memory = command[1];"),
    ("the_size_of_512_taken_for_256", "tl/ls_tl.sv", "device[7] || device[6] ? 2'd2 :", "device[7] ? 2'd2 :"),
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
    for path in sorted((ROOT / "rtl").rglob("ls_*.sv")):
        if path.name.endswith("_pkg.sv"):
            continue
        for i, line in enumerate(path.read_text().split("\n")):
            if not SKIP.search(line) and LOGIC.search(line.split("//")[0]):
                yield str(path.relative_to(ROOT / "rtl")), i, line


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
