// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What the host asks of the card's BARs: registers of the engine and of the user's design, what no BAR takes, and
// the window that other cards write to; in one order, as posted writes and reads go. Each answer, each byte of
// the user's registers and of the window's stream is known ahead.
#pragma once
#include "world.h"

#include <deque>

struct Requests {
  using Then = std::function<void(uint64_t)>;
  uint64_t answers = 0, bytes = 0, frames = 0;
  unsigned faults_may = 0, faults_must = 0;     // bits of the fault register

  bool quiet() const { return queue.empty() && expected.empty(); }
  bool idle() const { return quiet() && win.empty(); }
  size_t waiting() const { return queue.size(); }
  size_t to_come() const { return win.size(); }
  size_t unanswered() const { return expected.size(); }

  // ---- what is asked ---------------------------------------------------------------------------------
  void write(unsigned addr, uint64_t value) {
    uint8_t raw[8];
    for (unsigned i = 0; i < 8; i++) raw[i] = uint8_t(value >> (8 * i));
    post(request(MemWr, 0, addr, 2, 15, 15), raw);
  }
  void write_low(unsigned addr, uint32_t value) {
    uint8_t raw[4];
    for (unsigned i = 0; i < 4; i++) raw[i] = uint8_t(value >> (8 * i));
    post(request(MemWr, 0, addr, 1, 15, 0), raw);
  }
  void read(unsigned addr, Then then) { ask(request(MemRd, 0, addr, 2, 15, 15), 0, false, 0, then); }

  // Something that a host might do.
  void some_access() {
    Rng& rng = world.rng;
    unsigned kind = rng.below(16);
    if (kind == 0) {                    // no BAR takes it
      Header h = request(rng.chance(512) ? MemRd : MemWr, rng.chance(512) ? 7 : 3, 0x8000, rng.range(1, 4), 15, 15);
      if (h.len_dw == 1) h.last_be = 0;
      faults_must |= 1 << 5;
      if (h.kind == MemRd) return ask(h, 1, false, 0, nullptr);
      uint8_t raw[16] = {};
      return post(h, raw);
    }
    if (kind == 1) {                    // too long
      faults_must |= 1 << 5;
      return ask(request(MemRd, 0, 0x8000, rng.range(3, 16), 15, 15), 4, false, 0, nullptr);
    }
    if (kind == 2 && rng.chance(200)) { // nobody answers, or with an error
      faults_must |= 1 << 4;
      return ask(request(MemRd, 0, rng.chance(512) ? 0xe000 : 0xf000, rng.range(1, 2), 15, 15), 4, false, 0, nullptr);
    }
    bool write = kind < 8;
    unsigned dw = write ? rng.chance(200) ? rng.range(1, 64) : rng.range(1, 3) : rng.range(1, 2);
    unsigned addr = 0x8000 + 4 * rng.below(256);
    static const unsigned firsts[] = {15, 14, 12, 8}, lasts[] = {15, 7, 3, 1}, ones[] = {15, 14, 12, 8, 7, 3, 1, 6, 2, 4, 0};
    Header h = request(write ? MemWr : MemRd, 0, addr, dw, dw == 1 ? ones[rng.below(11)] : firsts[rng.below(4)], dw == 1 ? 0 : lasts[rng.below(4)]);
    if (!write) return ask(h, 0, true, 0, nullptr);
    std::vector<uint8_t> raw(dw * 4);
    for (auto& b : raw) b = uint8_t(rng.next() >> 33);
    h.ep = rng.chance(40);
    if (h.ep) faults_must |= 1 << 6;
    else
      for (unsigned i = 0; i < raw.size(); i++) if (enabled(h, i)) shadow[(addr - 0x8000 + i) & 0x7fff] = raw[i];
    post(h, raw.data());
  }

  // A write to the window; `end`: with the address bit that ends a frame.
  void to_window(bool end) {
    Rng& rng = world.rng;
    unsigned dw = rng.chance(300) ? rng.range(1, 3) : rng.range(1, world.mps / 4);
    static const unsigned firsts[] = {15, 14, 12, 8}, lasts[] = {15, 7, 3, 1}, ones[] = {15, 14, 12, 8, 7, 3, 1, 6, 0};
    unsigned addr = rng.below(128) << 12 | 4 * rng.below(1024 - dw + 1) | (end ? 1u << 19 : 0);
    Header h = request(MemWr, 2, addr, dw, dw == 1 ? ones[rng.below(9)] : firsts[rng.below(4)], dw == 1 ? 0 : lasts[rng.below(4)]);
    if (end && dw == 1) h.first_be = 15;
    std::vector<uint8_t> raw(dw * 4);
    unsigned n = 0;
    for (unsigned i = 0; i < raw.size(); i++) {
      raw[i] = uint8_t(rng.next() >> 33);
      if (enabled(h, i)) win.push_back({raw[i], false, false}), n++;
    }
    unsigned broken = world.mood.fault && rng.chance(30) ? rng.range(1, 2) : 0;
    if (n) poison |= broken != 0;
    if (n && end) win.back().last = true, win.back().error = poison, poison = false;
    h.ep = broken == 1;
    post(h, raw.data());
    if (broken == 2) queue.back().hdr.ep = 1;       // told with the last beat only
  }

  // ---- the way in ----------------------------------------------------------------------------------------
  bool shown = false;               // the first beat stands at the card's port
  const Beat* next() { return queue.empty() ? nullptr : &queue.front(); }
  void taken() {
    middle = !queue.front().eop;
    shown = false;
    queue.pop_front();
  }

  // A reset: what is shown or has begun goes on, the rest is forgotten.
  void forget() {
    size_t keep = 0;
    if (shown || middle) while (!queue[keep++].eop) {}
    queue.resize(keep);
    expected.clear();
    win.clear();
    poison = user_wait = false;
    faults_must = 0;
  }

  // ---- answers -------------------------------------------------------------------------------------------
  void answer(const Header& h, uint64_t data) {
    must(!expected.empty(), "an answer to nothing, tag %u", h.tag);
    Asked a = expected.front();
    expected.pop_front();
    answers++;
    must(h.tag == a.hdr.tag && h.requester == a.hdr.requester && h.tc == a.hdr.tc && h.attr == a.hdr.attr,
         "an answer for tag %u of %x and not %u of %x", h.tag, h.requester, a.hdr.tag, a.hdr.requester);
    must(h.status == a.status && h.kind == (a.status ? Cpl : CplD), "answer to %llx with status %u, kind %u", (u64)a.hdr.addr, h.status, h.kind);
    if (a.status) return;
    unsigned lead = a.hdr.first_be ? unsigned(__builtin_ctz(a.hdr.first_be)) : 0;
    unsigned tail = a.hdr.len_dw == 1 ? a.hdr.first_be : a.hdr.last_be;
    unsigned count = tail ? a.hdr.len_dw * 4 - lead - unsigned(__builtin_clz(tail << 28)) : 1;
    must(h.len_dw == a.hdr.len_dw && h.byte_count == count && (h.addr & 0x7f) == ((a.hdr.addr + lead) & 0x7f),
         "answer: %u DW, %u bytes, address %llx", h.len_dw, h.byte_count, (u64)h.addr);
    for (unsigned i = 0; a.user && i < a.hdr.len_dw * 4; i++)
      must(!enabled(a.hdr, i) || uint8_t(data >> (8 * i)) == uint8_t(a.data >> (8 * i)), "register %llx reads %llx and not %llx",
           (u64)a.hdr.addr, (u64)data, (u64)a.data);
    if (a.then) a.then(data);
  }

  // ---- the user's registers: whether they answer in this cycle ---------------------------------------------
  bool user_ready(unsigned addr) {
    if ((addr & 0x7000) == 0x7000) return false;            // never
    if (!user_wait) user_wait = true, user_left = world.rng.chance(700) ? 0 : world.rng.below(12);
    return user_left == 0;
  }
  bool user_error(unsigned addr) const { return (addr & 0x7000) == 0x6000; }
  uint64_t user_data(unsigned addr) const {
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++) v |= uint64_t(regs[(addr + i) & 0x7fff]) << (8 * i);
    return v;
  }
  void user_access(bool valid, bool ready, bool write, unsigned addr, uint64_t data, unsigned strb) {
    if (!valid) { user_wait = false; return; }
    if (!ready) { if (user_wait && user_left) user_left--; return; }
    user_wait = false;
    if (write) for (unsigned i = 0; i < 8; i++) if (strb >> i & 1) regs[(addr + i) & 0x7fff] = uint8_t(data >> (8 * i));
  }
  void forget_shadow() { std::copy(regs, regs + sizeof(regs), shadow); }   // writes may have been lost

  // ---- the window's stream ---------------------------------------------------------------------------------
  void beat(const uint8_t* data, unsigned n, bool last, bool error) {
    must(n && (last || n == Bytes), "window: a beat of %u bytes", n);
    bytes += n;
    for (unsigned i = 0; i < n; i++) {
      must(!win.empty(), "window: a byte that nobody wrote");
      Byte b = win.front();
      win.pop_front();
      must(b.value == data[i], "window: a wrong byte");
      bool ends = last && i == n - 1;
      must(ends == b.last, "window: a frame ends at the wrong byte");
      frames += ends;
      must(!ends || error == b.error, "window: a frame with error %u", error);
    }
  }

 private:
  struct Asked {
    Header hdr;
    unsigned status;
    bool user;
    uint64_t data;
    Then then;
  };
  struct Byte {
    uint8_t value;
    bool last, error;
  };
  std::deque<Beat> queue;
  std::deque<Asked> expected;
  std::deque<Byte> win;
  uint8_t regs[0x8000] = {}, shadow[0x8000] = {};
  bool middle = false, poison = false, user_wait = false;
  unsigned user_left = 0;

  static bool enabled(const Header& h, unsigned i) {
    unsigned be = i < 4 ? h.first_be : i / 4 == h.len_dw - 1 ? h.last_be : 15;
    return be >> i % 4 & 1;
  }
  Header request(unsigned kind, unsigned bar, unsigned addr, unsigned dw, unsigned first, unsigned last) {
    Header h;
    h.kind = kind;
    h.bar = bar;
    h.addr = 0xc0000000ull + addr;
    h.len_dw = dw;
    h.first_be = first;
    h.last_be = last;
    h.tag = world.rng.below(256);
    h.requester = world.rng.below(65536);
    h.tc = world.rng.below(8);
    h.attr = world.rng.below(8);
    return h;
  }
  void post(const Header& h, const uint8_t* raw) {
    for (auto& b : beats_of(h, raw, h.len_dw * 4)) queue.push_back(b);
  }
  void ask(Header h, unsigned status, bool user, uint64_t data, Then then) {
    if (h.len_dw == 1) h.last_be = 0;
    for (unsigned i = 0; user && i < 8 && i < h.len_dw * 4; i++) data |= uint64_t(shadow[(h.addr + i) & 0x7fff]) << (8 * i);
    expected.push_back({h, status, user, data, then});
    Beat b{h, true, true, {}};
    queue.push_back(b);
  }
};
