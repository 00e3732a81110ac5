// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Host to card as it must be: each request is the next piece of the next command of one of two sources (the ring,
// the command port), each byte of the stream the one that was asked for in its turn, each frame ends where its
// command does and is in error if, and only if, one of its reads went wrong.
#pragma once
#include "world.h"

#include <deque>

struct Source {
  std::deque<CommandP> todo;        // not asked for, or not wholly
  std::deque<CommandP> unreported;
  void clear() { todo.clear(); unreported.clear(); }
};

struct ReadModel {
  Source src[2];                    // ring, command port
  unsigned max_request = 512, attr = 0;
  std::function<void(const Command&)> on_begin;     // of the ring's
  std::function<bool()> on_close;                   // whether its descriptors may have failed
  bool lax = false;                 // being aborted: what is not in error is still right
  uint64_t lax_since = 0, bytes = 0, frames = 0, bad_frames = 0;

  void clear() {
    src[0].clear();
    src[1].clear();
    out.clear();
    now.reset();
    open = out_open = broken = lax = in_error = may_err = differs = false;
  }
  bool idle() const { return src[0].todo.empty() && src[1].todo.empty() && out.empty() && src[0].unreported.empty() && src[1].unreported.empty(); }
  bool stream_open() const { return out_open; }
  size_t to_come() const { return out.size(); }

  void given(unsigned s, CommandP c) {
    src[s].todo.push_back(c);
    src[s].unreported.push_back(c);
    if (!now) refused(s);
  }

  // A request for data has left.
  ReadP asked(const Header& h) {
    Place p = world.place(h.addr);
    must(p == H2cRing || p == H2cPort, "a read of %llx, where no command was", (u64)h.addr);
    unsigned s = p == H2cRing ? 0 : 1;
    if (!now) {
      must(!src[s].todo.empty(), "a read of %llx without a command", (u64)h.addr);
      now = src[s].todo.front();
      if (s == 0 && on_begin) on_begin(*now);
      now->begun = true;
    } else {
      must(s == turn, "a read of another command before the last was done: %llx", (u64)h.addr);
    }
    turn = s;
    uint64_t at = now->addr + now->moved;
    unsigned n = piece(at, now->len - now->moved, std::min(world.mrrs, max_request));
    check_span(h, at, n, "read");
    must(h.attr == attr, "a read with attributes %u and not %u", h.attr, attr);
    auto r = std::make_shared<Read>();
    r->addr = at;
    r->n = n;
    r->sent = world.now;
    now->reads.push_back(r);
    now->moved += n;
    bool all = now->moved == now->len;
    out.push_back({r, 0, all && now->eof, s});
    open = !(all && now->eof);
    if (all) {
      src[s].todo.pop_front();
      now.reset();
      refused(0);
      refused(1);
    }
    return r;
  }

  // A beat has left on the stream.
  void beat(const uint8_t* data, unsigned n, bool last, bool error) {
    must(n && (last || n == Bytes), "host to card: a beat of %u bytes", n);
    bytes += n;
    for (unsigned i = 0; i < n && !broken; i++) {
      if (out.empty()) {
        // The report of a failed fetch closes a frame that its ring has left open.
        if (open && i == n - 1 && last && error && on_close && on_close()) {
          open = false;
          in_error = true;
          break;
        }
        deviates("a byte that nobody asked for");
        break;
      }
      Piece& p = out.front();
      bool ends = p.ends && (!p.read || p.at + 1 == p.read->n);
      if (!p.read) in_error = true;
      else {
        Read& r = *p.read;
        unsigned ways = r.ways();
        bool good = ways == bit(None);
        must(!good || p.at < r.given, "host to card: a byte that has not come, %llx", (u64)(r.addr + p.at));
        bool same = data[i] == world.area[p.from ? H2cPort : H2cRing].at(r.addr + p.at);
        if (!(ways & bit(None))) in_error = true;
        else if (!good) may_err = true, differs |= !same;
        else if (!same) {
          deviates("a wrong byte");
          break;
        }
      }
      if (!p.read || ++p.at == p.read->n) out.pop_front();
      if (ends != (last && i == n - 1)) {
        deviates(ends ? "a frame does not end where its command does" : "a frame ends too early");
        break;
      }
    }
    out_open = !last;
    if (!last) return;
    frames++;
    bad_frames += error;
    if (broken) must(error, "host to card: a frame that was broken off is not in error");
    else if (error) must(in_error || may_err, "host to card: a good frame is in error");
    else must(!in_error && !differs, "host to card: a bad frame is not in error");
    in_error = may_err = differs = false;
  }

  // What a report, or a record, of the next command of a source must say.
  CommandP reported(unsigned s, unsigned cause, unsigned len, bool eof, unsigned id, const char* who) {
    must(!src[s].unreported.empty(), "%s: a report of nothing", who);
    CommandP c = src[s].unreported.front();
    src[s].unreported.pop_front();
    must(id == c->id, "%s: report of %u and not of %u", who, id, c->id);
    unsigned may = 0;
    bool all = c->bad || c->moved == c->len, settled = true;
    if (c->bad) may = bit(Length);
    else {
      may = bit(None);
      for (auto& r : c->reads) {
        if (!(may & bit(None))) break;
        settled &= r->settled || (r->ways() & bit(Timeout));
        may = (may & ~bit(None)) | r->ways();
      }
    }
    // A request that is dropped while bus mastering is off is waited for, too.
    if (lax) may |= bit(Abort) | (world.master_off >= lax_since ? bit(Timeout) : 0);
    must(may & bit(cause), "%s: cause %u of command %u, which may have %x", who, cause, id, may);
    if (!lax || cause == None) must(all && settled, "%s: command %u is said to be over before it is", who, id);
    if (!lax || cause == None) {
      must(len == (c->bad ? 0 : c->len), "%s: %u bytes of command %u", who, len, id);
      must(c->bad || eof == c->eof, "%s: end of frame of command %u", who, id);
    }
    c->complete = true;
    return c;
  }

 private:
  struct Piece {
    ReadP read;                     // none: one byte in error that closes a frame
    unsigned at;
    bool ends;
    unsigned from;
  };
  CommandP now;
  unsigned turn = 0;
  std::deque<Piece> out;
  bool open = false, out_open = false, broken = false, in_error = false, may_err = false, differs = false;

  // A refused command closes the frame that it would have continued.
  void refused(unsigned s) {
    while (!src[s].todo.empty() && src[s].todo.front()->bad) {
      if (open) out.push_back({nullptr, 0, true, s});
      open = false;
      src[s].todo.pop_front();
    }
  }
  void deviates(const char* what) {
    must(lax, "host to card: %s", what);
    broken = true;
  }
};
