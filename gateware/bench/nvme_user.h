// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The user of a host or of a stripe (`Vtop`, with streams of RowBytes): gives commands, and write data where they are
// writes, compares what is read, and notes when what moved. Every byte is compared; a wrong one ends the run.
#pragma once
#include "nvme_command.h"
#include "nvme_lane.h"
#include "nvme_options.h"

class User {
 public:
  const Options& o;
  Vtop* top;
  bool started = false;
  uint64_t now = 0;
  uint64_t first = 0, last = 0, moved = 0, quarter = 0, most = 0, at_quarter = 0, at_most = 0;
  uint64_t given = 0, reported = 0, s_stall = 0;
  double done_sum = 0;

  User(const Options& given_o, Vtop* t) : o(given_o), top(t) { top->done_ready_i = top->m_ready_i = 1; }

  bool done() const { return moved >= o.bytes && reported * o.command >= o.bytes; }

  // Bytes that have come where they go: to the user, or to a drive.
  void moves(unsigned n) {
    uint64_t before = moved;
    moved += n;
    auto crosses = [&](double share) { return before < o.bytes * share && moved >= o.bytes * share; };
    if (crosses(0.25)) quarter = now, at_quarter = moved;
    if (crosses(0.9)) most = now, at_most = moved;
  }

  // Before the clock.
  void show() {
    user_ = started && given * o.command < o.bytes && given - reported < o.depth;
    top->cmd_valid_i = user_;
    if (user_) put_user(top->cmd_i, o.write ? OpWrite : OpRead, where(given) / 512, o.command / 512, given & 0xffff);
    s_ = started && o.write && s_at_ < o.bytes && now >= s_due_;
    top->s_valid_i = s_;
    if (s_) {
      uint64_t words[RowBytes / 8];
      for (unsigned i = 0; i < RowBytes; i += 8) words[i / 8] = word_of(s_at_ + i);
      memcpy(&top->s_data_i, words, RowBytes);
    }
  }
  // With the outputs of this cycle.
  void move() {
    if (top->stray_o) wrong("a TLP that nobody waits for");
    if (user_ && top->cmd_ready_o) {
      if (!given) first = now;
      if (!o.write) expect_.push_back(where(given));
      given_at_.push_back(now);
      given++;
    }
    if (s_ && top->s_ready_o) {
      if (s_at_ && now > s_last_ + 1) s_stall = std::max(s_stall, now - s_last_ - 1);
      s_at_ += RowBytes;
      s_last_ = now;
      if (o.input) {
        s_due_ = std::max(s_due_ + RowBytes / o.input * o.mhz * 1e6, double(now));
        s_last_ = std::max<uint64_t>(now, uint64_t(s_due_));
      }
    }
    if (top->done_valid_o) {
      Report r = get_report(top->done_o >> (Drives > 1 ? 4 : 0));        // below it: whose the error is
      if (r.why || r.tag != (reported & 0xffff)) wrong("report " + std::to_string(reported) + ": why " + std::to_string(r.why));
      reported++;
      done_sum += now - given_at_[0];
      given_at_.pop_front();
      if (o.write) last = now;
    }
    if (top->m_valid_o) beat_out();
  }

 private:
  uint64_t where(uint64_t n) const {                    // where user command n begins
    if (!o.random) return n * o.command;
    uint64_t x = (n + 1) * 0xd1342543de82ef95ull;
    x ^= x >> 29;
    return (x * 0x9e3779b97f4a7c15ull >> 20) % (Blocks / 16) * o.command;
  }
  void beat_out() {
    if (top->m_error_o) wrong("a read that failed");
    if (!want_left_) {
      if (expect_.empty()) wrong("data that nobody asked for");
      want_ = expect_[0];
      expect_.pop_front();
      want_left_ = o.command;
    }
    uint64_t words[RowBytes / 8];
    memcpy(words, &top->m_data_o, RowBytes);
    for (unsigned i = 0; i < RowBytes; i += 8)
      if (words[i / 8] != word_of(want_ + i)) wrong("a wrong word of block " + std::to_string((want_ + i) / 512));
    want_ += RowBytes;
    want_left_ -= RowBytes;
    if (bool(top->m_last_o) != !want_left_) wrong("a frame of the wrong length");
    moves(RowBytes);
    last = now;
  }

  bool user_ = false, s_ = false;
  std::deque<uint64_t> expect_, given_at_;              // where the reads that were given begin
  uint64_t want_ = 0, want_left_ = 0, s_at_ = 0, s_last_ = 0;
  double s_due_ = 0;
};
