// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// The host's memory as a completer: reads in, completions out, split and between each other, late, refused,
// poisoned, broken off, with pieces missing, or never. Of each read it is known in which ways it may end.
#pragma once
#include "world.h"

#include <deque>

enum class Fault { None, Refused, Aborted, Misfit, Poisoned, Broken, Lost, Piece };

struct RootMemory {
  uint64_t sent = 0, faults = 0, late = 0;

  // `fetch`: it brings descriptors, and its time is up a tick earlier.
  void asked(const Header& h, ReadP r, bool fetch) {
    Job j;
    j.read = r;
    j.tag = h.tag;
    j.at = r->addr;
    j.left = r->n;
    j.fetch = fetch;
    const Mood& m = world.mood;
    j.ready = world.now + 1 + (m.latency ? world.rng.below(m.latency) : 0);
    if (world.rng.chance(m.late)) j.ready = world.now + world.rng.range(world.tick / 2, fetch ? 2 * world.tick : 3 * world.tick);
    if (world.rng.chance(m.fault)) {
      j.fault = Fault(world.rng.range(1, 7));
      if (fetch && j.fault == Fault::Misfit) j.fault = Fault::Refused;
      faults++;
      static const unsigned cause[] = {None, Ur, Ca, Unexpected, Poison, Poison, Timeout, None};
      r->causes = bit(cause[unsigned(j.fault)]);
      if (j.fault == Fault::Piece) r->causes = bit(r->n > 128 ? Unexpected : Timeout), j.whole = false;
      if (j.fault == Fault::Piece && r->n <= 128) j.fault = Fault::Lost;
      // In which of its pieces: the first ones, as often as not.
      j.fault_at = world.rng.chance(512) ? 0 : world.rng.below(r->n);
    }
    jobs.push_back(j);
  }
  bool begun() const { return !beats.empty() && !beats.front().sop; }
  bool idle() const { return jobs.empty() && beats.empty(); }
  size_t waiting() const { return jobs.size(); }
  // A reset: what has not begun is forgotten.
  void forget(unsigned in1024) {
    for (size_t i = 0; i < jobs.size();) {
      if (world.rng.chance(in1024)) jobs.erase(jobs.begin() + long(i));
      else i++;
    }
  }

  void forget_all() {               // but for a completion that has begun
    jobs.clear();
    if (!beats.empty() && beats.front().sop) beats.clear(), now.reset();
  }

  // The beat that is shown in this cycle, or none.
  const Beat* next() {
    if (beats.empty()) choose();
    return beats.empty() ? nullptr : &beats.front();
  }
  void taken() {
    bool last = beats.front().eop;
    beats.pop_front();
    if (!last) return;
    sent++;
    if (!now) return;
    if (now->causes && over) now->settled = true;
    now->given += counted;
    now.reset();
  }

 private:
  struct Job {
    ReadP read;
    uint64_t at = 0, ready = 0;
    unsigned tag = 0, left = 0, fault_at = 0;
    Fault fault = Fault::None;
    bool fetch = false, whole = true, holed = false;
  };
  std::deque<Job> jobs;
  std::deque<Beat> beats;
  ReadP now;
  unsigned counted = 0;
  bool over = false;

  void choose() {
    // What would come so late that its tag may be another's does not come at all.
    for (size_t i = 0; i < jobs.size();) {
      Job& j = jobs[i];
      uint64_t limit = j.read->sent + (j.fetch ? 2 : 3) * uint64_t(world.tick) - world.tick / 4;
      if (j.fault == Fault::Lost && j.fault_at == 0) limit = 0;
      if (world.now + 80 > limit) {
        j.read->causes = bit(Timeout);
        j.read->settled = true;
        j.read->good = std::min(j.read->good, unsigned(j.at - j.read->addr));
        if (limit) late++;
        jobs.erase(jobs.begin() + long(i));
      } else i++;
    }
    size_t ripe = 0;
    for (auto& j : jobs) ripe += j.ready <= world.now;
    if (!ripe) return;
    size_t pick = world.mood.in_order ? 0 : world.rng.below(unsigned(ripe)), i = 0;
    for (;; i++)
      if (jobs[i].ready <= world.now && !pick--) break;
    if (piece_of(jobs[i])) jobs.erase(jobs.begin() + long(i));
  }

  // The next completion of a read; whether it was the last.
  bool piece_of(Job& j) {
    const Mood& m = world.mood;
    unsigned most = world.mps, n = j.left;
    if (m.cut == 1 || j.fault == Fault::Piece) n = std::min<unsigned>(n, 64 - j.at % 64);
    else {
      n = std::min<unsigned>(n, most - j.at % most);
      if (m.cut == 2 && n > 64) {
        unsigned k = unsigned(64 - j.at % 64) + 64 * world.rng.below(n / 64);
        n = std::min(n, k);
      }
    }
    bool last = n == j.left;
    bool hit = j.fault != Fault::None && (last || j.at + n > j.read->addr + j.fault_at);
    if (world.now + 200 > j.read->sent + world.tick) j.read->causes |= bit(Timeout);
    Header c;
    c.kind = CplD;
    c.tag = j.tag;
    c.byte_count = j.left;
    c.addr = j.at & 0x7f;
    c.len_dw = unsigned((j.at % 4 + n + 3) / 4);
    std::vector<uint8_t> payload(c.len_dw * 4);
    Area& area = world.area[world.place(j.read->addr)];
    for (unsigned i = 0; i < payload.size(); i++) payload[i] = area.at((j.at & ~3ull) + i);
    bool drop = false;
    if (hit) {
      j.read->good = std::min(j.read->good, unsigned(j.at - j.read->addr));
      switch (j.fault) {
        case Fault::Refused: case Fault::Aborted: case Fault::Misfit:
          c.kind = Cpl;
          c.len_dw = 0;
          c.status = j.fault == Fault::Refused ? 1 : j.fault == Fault::Aborted ? 4 : 6;
          payload.clear();
          last = true;
          break;
        case Fault::Poisoned: c.ep = 1; break;
        case Fault::Lost:
          drop = last = true;
          break;
        case Fault::Piece:
          drop = !j.holed;
          j.holed = true;
          break;
        default: break;
      }
    }
    if (drop && last) {             // nothing comes after it that could tell
      j.read->causes = bit(Timeout);
      j.read->settled = true;
      return true;
    }
    if (!drop) {
      for (auto& b : beats_of(c, payload.data(), unsigned(payload.size()))) beats.push_back(b);
      if (hit && j.fault == Fault::Broken) beats.back().hdr.ep = 1;
      now = j.read;
      counted = c.kind == CplD ? n : 0;
      over = last;
    }
    if (hit && (j.fault == Fault::Poisoned || j.fault == Fault::Broken)) j.fault = Fault::None;
    j.at += n;
    j.left -= n;
    // Between its pieces others may come, and time may go by.
    if (!last && world.rng.chance(100)) j.ready = world.now + world.rng.below(m.latency / 2 + 1);
    return last;
  }
};
