// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A host for throughput runs: it takes every write at once, answers reads after a set time in
// completions cut as a root complex cuts them, one beat a cycle, and counts. The bytes are real
// and are compared, so a rate that is printed is a rate at which the data was right.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <vector>

#ifndef WIDTH
#error "WIDTH must be given"
#endif
constexpr unsigned Width = WIDTH, Bytes = WIDTH / 8;

struct Header {
  unsigned kind = 0, len_dw = 0, first_be = 0, last_be = 0, tag = 0, requester = 0, attr = 0, tc = 0,
           ep = 0, status = 0, byte_count = 0, bar = 0;
  uint64_t addr = 0;
};
enum { MemRd = 0, MemWr = 1, Cpl = 2, CplD = 3 };

// Packed structs as Verilator stores them: 32-bit words, lowest first.
template <typename W> uint64_t take(const W& words, unsigned& at, unsigned bits) {
  uint64_t v = 0;
  for (unsigned i = 0; i < bits; i++, at++) v |= uint64_t(words[at / 32] >> (at % 32) & 1) << i;
  return v;
}
template <typename W> void put(W& words, unsigned& at, unsigned bits, uint64_t v) {
  for (unsigned i = 0; i < bits; i++, at++) {
    words[at / 32] &= ~(1u << (at % 32));
    words[at / 32] |= uint32_t(v >> i & 1) << (at % 32);
  }
}
template <typename W> Header get_header(const W& w) {
  Header h;
  unsigned at = 0;
  h.bar = take(w, at, 3);        h.byte_count = take(w, at, 13);
  h.status = take(w, at, 3);     h.ep = take(w, at, 1);
  h.tc = take(w, at, 3);         h.attr = take(w, at, 3);
  h.requester = take(w, at, 16); h.tag = take(w, at, 8);
  h.last_be = take(w, at, 4);    h.first_be = take(w, at, 4);
  h.len_dw = take(w, at, 11);    h.addr = take(w, at, 64);
  h.kind = take(w, at, 2);
  return h;
}
template <typename W> void put_header(W& w, const Header& h) {
  unsigned at = 0;
  put(w, at, 3, h.bar);        put(w, at, 13, h.byte_count);
  put(w, at, 3, h.status);     put(w, at, 1, h.ep);
  put(w, at, 3, h.tc);         put(w, at, 3, h.attr);
  put(w, at, 16, h.requester); put(w, at, 8, h.tag);
  put(w, at, 4, h.last_be);    put(w, at, 4, h.first_be);
  put(w, at, 11, h.len_dw);    put(w, at, 64, h.addr);
  put(w, at, 2, h.kind);
}
template <typename W> void put_command(W& w, uint64_t addr, unsigned len, bool eof) {
  unsigned at = 0;
  put(w, at, 24, 0); put(w, at, 1, 0); put(w, at, 1, 0); put(w, at, 1, 0); put(w, at, 1, 0);
  put(w, at, 1, eof); put(w, at, 1, 1); put(w, at, 24, len); put(w, at, 64, addr);
}

// Data ports are a 64-bit integer at 64 bit and words above.
#if WIDTH == 64
inline void set_data(uint64_t& port, const uint8_t* from) {
  port = 0;
  for (unsigned i = 0; i < 8; i++) port |= uint64_t(from[i]) << (8 * i);
}
inline uint8_t get_byte(const uint64_t& port, unsigned i) { return port >> (8 * i); }
#else
template <typename W> void set_data(W& port, const uint8_t* from) {
  for (unsigned i = 0; i < Bytes / 4; i++)
    port[i] = from[4 * i] | from[4 * i + 1] << 8 | from[4 * i + 2] << 16 | uint32_t(from[4 * i + 3]) << 24;
}
template <typename W> uint8_t get_byte(const W& port, unsigned i) { return port[i / 4] >> (8 * (i % 4)); }
#endif

struct Beat {
  Header hdr;
  bool sop, eop;
  uint8_t data[Bytes];
};

inline std::vector<Beat> beats_of(const Header& h, const uint8_t* payload, unsigned bytes) {
  std::vector<Beat> out;
  for (unsigned at = 0; at == 0 || at < bytes; at += Bytes) {
    Beat b{h, at == 0, at + Bytes >= bytes, {}};
    for (unsigned i = 0; i < Bytes && at + i < bytes; i++) b.data[i] = payload[at + i];
    out.push_back(b);
  }
  return out;
}

struct Memory {
  std::vector<uint8_t> bytes = std::vector<uint8_t>(1 << 22);
  uint8_t& operator[](uint64_t a) { return bytes[a & (bytes.size() - 1)]; }
};

// Reads in, completions out, in order, after `latency` cycles there and back.
struct Completer {
  Memory& mem;
  unsigned latency = 0, max_payload = 256;
  std::deque<std::pair<uint64_t, Beat>> queue;
  explicit Completer(Memory& m) : mem(m) {}

  void read(const Header& h, uint64_t now) {
    unsigned lead = __builtin_ctz(h.first_be ? h.first_be : 1);
    unsigned tail_be = h.len_dw == 1 ? h.first_be : h.last_be;
    unsigned trail = tail_be ? __builtin_clz(tail_be << 28) : 0;
    unsigned left = h.len_dw * 4 - lead - trail;
    uint64_t at = h.addr + lead;
    while (left) {
      unsigned n = max_payload - at % max_payload;
      if (n > left) n = left;
      Header c;
      c.kind = CplD;
      c.tag = h.tag;
      c.byte_count = left;
      c.addr = at & 0x7f;
      c.len_dw = (at % 4 + n + 3) / 4;
      std::vector<uint8_t> payload(c.len_dw * 4);
      for (unsigned i = 0; i < payload.size(); i++) payload[i] = mem[(at & ~3ull) + i];
      for (auto& b : beats_of(c, payload.data(), payload.size())) queue.emplace_back(now + latency, b);
      at += n;
      left -= n;
    }
  }
};
