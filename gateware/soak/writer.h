// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Card to host, and card to card: a stream of frames that is made up as it goes, and the TLPs that must come of it:
// each is the next piece of the next command of one of two sources, with the stream's next bytes.
#pragma once
#include "reader.h"

struct WriteModel {
  Source src[2];
  const char* who;
  Place from[2];
  unsigned max_payload = 512, attr = 0, fixed = 0;  // fixed: length of every frame, or 0
  uint64_t eof_bit = 0;                             // address bit of the end of a frame, card to card
  bool first = false;                               // of the ring's commands those that are not marked begin no frame
  bool closed = false;                              // the ring's channel has said that its abort is over
  uint64_t ends = 0, skips = 0;
  bool lax = false, held = false;                   // being aborted; over, but not released: no frame begins
  std::function<void(const Command&)> on_begin;     // of the ring's
  uint64_t lax_since = 0, bytes = 0;

  WriteModel(const char* name, Place a, Place b) : who(name), from{a, b} {}

  void clear() {                    // after a reset
    drop();
    frames.clear();
    shown = dropping = held = false;
  }
  // After an abort: what is here is forgotten, and the rest of a frame that is under way.
  void drop() {
    for (auto& s : src) s.clear();
    now.reset();
    told.clear();
    lax = false;
    held = true;
    edge = true;
    bool under_way = !frames.empty() && frames.back().sent < frames.back().bytes.size() && (frames.back().sent || shown);
    std::deque<Frame> rest;
    if (under_way) rest.push_back(frames.back()), dropping = true;
    frames = rest;
  }
  // What an abort must have ended.
  void none_left(const char* where) const {
    for (auto& s : src)
      must(s.unreported.empty(), "%s: an abort has left command %u without report: %u of %u bytes, %zu commands, %zu reports", where,
           s.unreported.front()->id, s.unreported.front()->moved, s.unreported.front()->len, s.unreported.size(), told.size());
  }
  bool idle() const { return src[0].unreported.empty() && src[1].unreported.empty() && !now; }

  void given(unsigned s, CommandP c) {
    src[s].todo.push_back(c);
    src[s].unreported.push_back(c);
    if (!now) refused(s);
  }

  // ---- the stream -----------------------------------------------------------------------------------
  // The next beat, if there is to be one: number of bytes.
  unsigned offer(uint8_t (&row)[Bytes], bool& last) {
    if (frames.empty() || frames.back().sent == frames.back().bytes.size()) {
      if (lax || held || frames.size() > 64) return 0;
      Frame f;
      unsigned n = world.calls ? world.rng.range(1, 400) : fixed ? fixed : world.rng.chance(400) ? world.rng.range(1, 2 * Bytes) : world.rng.range(1, 5000);
      f.bytes.resize(n);
      for (auto& b : f.bytes) b = uint8_t(world.rng.next() >> 40);
      frames.push_back(f);
      dropping = false;
    }
    Frame& f = frames.back();
    if ((lax || held) && !shown && !f.sent) return 0;         // one that has not begun does not begin now
    unsigned n = unsigned(std::min<size_t>(Bytes, f.bytes.size() - f.sent));
    for (unsigned i = 0; i < n; i++) row[i] = f.bytes[f.sent + i];
    last = f.sent + n == f.bytes.size();
    shown = true;
    return n;
  }
  void accepted(unsigned n) {
    Frame& f = frames.back();
    f.sent += n;
    shown = false;
    if (dropping && f.sent == f.bytes.size()) frames.clear(), dropping = false;
  }

  // ---- TLPs -------------------------------------------------------------------------------------------
  bool mine(Place p) const { return p == from[0] || p == from[1]; }
  void tlp(const Header& h, const std::vector<uint8_t>& data) {
    Place p = world.place(h.addr & ~eof_bit);
    unsigned s = p == from[0] ? 0 : 1;
    // A TLP may have been dropped before this one, if bus mastering was off in an abort.
    for (unsigned skipped = 0;; skipped++) {
      begin(s, h.addr);
      if (!lax || world.master_off < lax_since || skipped > 64 || same(h)) break;
      now->gapped = true;
      step();
    }
    must(s || !closed, "%s: a write to %llx after the record that ends an abort", who, (u64)h.addr);
    must(s == turn, "%s: a write of another command before the last was done: %llx", who, (u64)h.addr);
    uint64_t at = now->addr + now->moved;
    Frame& f = frames.front();
    unsigned n = next();
    bool ended = n == f.bytes.size() - f.used;
    Header seen = h;
    if (eof_bit && ended && now->eof) {
      must(h.addr & eof_bit, "%s: the end of a frame is not in the address", who);
      seen.addr &= ~eof_bit;
    }
    check_span(seen, at, n, who);
    must(f.used + n <= f.sent, "%s: a byte that was not there yet", who);
    must(h.attr == attr && !h.ep, "%s: attributes %u and not %u", who, h.attr, attr);
    for (unsigned i = 0; i < n; i++)
      must(data[at % 4 + i] == f.bytes[f.used + i], "%s: a wrong byte at %llx, number %u of the TLP", who, (u64)(at + i), i);
    bytes += n;
    step();
  }

  // A report at the command port. It may come before its last TLP has left the engine.
  void done(unsigned cause, unsigned len, bool eof, unsigned id) {
    told.push_back({cause, len, eof, id});
    settle();
  }
  CommandP reported(unsigned s, unsigned cause, unsigned len, bool eof, unsigned id, const char* where) {
    must(!src[s].unreported.empty(), "%s: a report of nothing", where);
    CommandP c = src[s].unreported.front();
    if (s == 0 && cause == None && !len && !c->complete && may_skip(*c)) skip();
    src[s].unreported.pop_front();
    must(id == c->id, "%s: report of %u and not of %u", where, id, c->id);
    if (lax && cause == Abort) return c;
    must(c->complete, "%s: command %u is said to be over before it is", where, id);
    must(!c->gapped, "%s: command %u is said to be done, and a TLP of it was dropped", where, id);
    must(cause == c->cause && len == c->moved && eof == c->ended_frame, "%s: cause %u, %u bytes, end %u of command %u: must be %u %u %u",
         where, cause, len, eof, id, c->cause, c->moved, c->ended_frame);
    return c;
  }
  // The ring's next command may have been skipped: one that is not marked, since the last of them where a frame begins.
  bool may_skip(const Command& c) const {
    return first && !c.sof && !c.bad && !c.begun && !now_is(0) && !src[0].todo.empty() && src[0].todo.front().get() == &c && (edge || boundary());
  }
  void skip() {
    Command& c = *src[0].todo.front();
    c.skipped = c.complete = true;
    skips++;
    if (on_begin) on_begin(c);
    src[0].todo.pop_front();
    refused(0);
  }
  bool regular(const Command& c) const { return c.skipped || regular_move(c); }
  bool regular_move(const Command& c) const { return !c.bad && c.moved == c.len && c.ended_frame == c.eof; }
  void settle() {
    while (!told.empty() && !src[1].unreported.empty()) {
      Told t = told.front();
      Command& c = *src[1].unreported.front();
      // One that is refused may come after one that is aborted, of which no more is seen.
      if (lax && c.bad && t.cause == Length) c.complete = true, c.cause = Length;
      if (!c.complete && !(lax && t.cause == Abort)) break;
      told.pop_front();
      reported(1, t.cause, t.len, t.eof, t.id, who);
    }
    must(told.size() < 16, "%s: reports of what is not done", who);
  }

 private:
  struct Frame {
    std::vector<uint8_t> bytes;
    size_t sent = 0, used = 0;
  };
  struct Told {
    unsigned cause, len;
    bool eof;
    unsigned id;
  };
  std::deque<Frame> frames;
  std::deque<Told> told;
  CommandP now;
  unsigned turn = 0;
  bool shown = false, dropping = false;
  bool edge = true;                                 // since the ring's last command the stream has been where a frame begins

  bool boundary() const { return frames.empty() || dropping || !frames.front().used; }
  bool now_is(unsigned s) const { return now && turn == s; }
  unsigned next() const {
    const Frame& f = frames.front();
    unsigned n = piece(now->addr + now->moved, now->len - now->moved, std::min(world.mps, max_payload));
    return unsigned(std::min<size_t>(n, f.bytes.size() - f.used));
  }
  bool same(const Header& h) const {
    uint64_t at = now->addr + now->moved;
    return (h.addr & ~eof_bit) == (at & ~3ull) && h.len_dw == (at % 4 + next() + 3) / 4;
  }
  void begin(unsigned s, uint64_t addr) {
    if (!now) {
      // What is not marked and did not write this was skipped.
      while (s == 0 && !src[0].todo.empty() && may_skip(*src[0].todo.front()) &&
             (boundary() || (src[0].todo.front()->addr & ~3ull) != (addr & ~eof_bit)))
        skip();
      must(!src[s].todo.empty(), "%s: a write to %llx without a command", who, (u64)addr);
      now = src[s].todo.front();
      if (s == 0 && on_begin) on_begin(*now);
      now->begun = true;
      turn = s;
      must(!frames.empty(), "%s: a write to %llx without data", who, (u64)addr);
      now->began_frame = !frames.front().used;
      must(s || !first || now->sof || !now->began_frame, "%s: a frame begins in command %u, which is not marked", who, now->id);
      if (s == 0) edge = false;
    }
    must(!frames.empty(), "%s: a write to %llx without data", who, (u64)addr);
  }
  // The next piece is over.
  void step() {
    Frame& f = frames.front();
    unsigned n = next();
    f.used += n;
    now->moved += n;
    bool ended = f.used == f.bytes.size();
    bool over = f.sent == f.bytes.size();
    if (ended) {
      must(over || lax, "%s: the end of a frame that is not there", who);
      frames.pop_front();
      edge = true;
      ends++;
    }
    if (ended || now->moved == now->len) {
      now->ended_frame = ended;
      now->complete = true;
      src[turn].todo.pop_front();
      now.reset();
      refused(0);
      refused(1);
    }
    settle();
  }
  void refused(unsigned s) {
    while (!src[s].todo.empty() && src[s].todo.front()->bad) {
      src[s].todo.front()->cause = Length;
      src[s].todo.front()->complete = true;
      src[s].todo.pop_front();
    }
    settle();
  }
};
