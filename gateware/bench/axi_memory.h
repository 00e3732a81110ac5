// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A board's memory behind an AXI4 port, in cycles of the port's clock: bursts are done one after another in the order in
// which they are here, reads and writes in turn where both wait, each takes bytes / rate, and nothing is done while the
// memory refreshes. A write is in memory, and its answer (B) leaves, `latency` after it was done; a read takes what is
// there when it is done, and comes as long after. So a read that is asked for before its write is there finds what was before.
// `Top` is a Verilated module with the port mm of ls_axi_fifo; whoever owns it calls `show` before the clock, `move` with
// the outputs of the cycle.
#pragma once
#include "host.h"
#include <algorithm>
#include <cstring>
#include <string>

template <class Top>
class AxiMemory {
 public:
  double rate = 0;                      // bytes a cycle, of reads and writes together
  double latency = 0;                   // cycles
  double refresh_each = 0, refresh = 0; // cycles from one refresh to the next, and of one; 0: none
  uint64_t refuse = ~0ull;              // the write with this number is answered with SLVERR
  uint64_t writes = 0, reads = 0;       // bursts

  AxiMemory(Top* t, uint64_t bytes) : top(t), mask(bytes - 1), rows(static_cast<uint8_t*>(calloc(bytes, 1))) {
    if (!rows) fprintf(stderr, "no memory for %llu bytes\n", static_cast<unsigned long long>(bytes)), exit(1);
  }
  ~AxiMemory() { free(rows); }
  AxiMemory(const AxiMemory&) = delete;
  AxiMemory& operator=(const AxiMemory&) = delete;

  void show(double now) {
    work(now);
    b = !answers.empty() && answers.front().at <= now;
    r = !back.empty() && back.front().at <= now;
    aw_ready = asked.size() < Queue;
    ar_ready = wanted.size() < Queue;
    w_ready = asked.size() + full.size() < 2 * Queue;
    unsigned resp_b = b ? answers.front().resp : 0, resp_r = 0;
    unsigned last = r && sent + Bytes == back.front().data.size();
    top->mm_i = resp_r | last << 2 | r << 3 | ar_ready << 4 | resp_b << 5 | b << 7 | w_ready << 8 | aw_ready << 9;
    if (r) memcpy(&top->mm_rdata_i, back.front().data.data() + sent, Bytes);
  }
  void move() {
    unsigned at = 0;
    uint32_t words[3];
    memcpy(words, &top->mm_o, sizeof words);
    bool r_ready = take(words, at, 1);
    unsigned ar_len = take(words, at, 8);
    uint64_t ar_addr = take(words, at, 32);
    bool ar = take(words, at, 1), b_ready = take(words, at, 1), w_last = take(words, at, 1), w = take(words, at, 1);
    unsigned aw_len = take(words, at, 8);
    uint64_t aw_addr = take(words, at, 32);
    bool aw = take(words, at, 1);
    if (b && b_ready) answers.pop_front();
    if (r && r_ready && (sent += Bytes) == back.front().data.size()) back.pop_front(), sent = 0;
    if (aw && aw_ready) asked.push_back({aw_addr, (aw_len + 1) * Bytes, {}});
    if (ar && ar_ready) wanted.push_back({ar_addr, (ar_len + 1) * Bytes, {}}), reads++;
    if (w && w_ready) {
      if (asked.empty()) fail("data before its address");
      Burst& to = asked.front();
      const uint8_t* from = reinterpret_cast<const uint8_t*>(&top->mm_wdata_o);
      to.data.insert(to.data.end(), from, from + Bytes);
      if (w_last != (to.data.size() == to.bytes)) fail("the last beat is not where its burst ends");
      if (w_last) full.push_back(std::move(to)), asked.pop_front();
    }
  }

 private:
  static constexpr size_t Queue = 16;
  struct Burst {
    uint64_t addr;
    unsigned bytes;
    std::vector<uint8_t> data;
    double at = 0;
    unsigned resp = 0;
  };
  Top* top;
  uint64_t mask;
  uint8_t* rows;
  std::deque<Burst> asked, full, wanted, landing, answers, back;
  unsigned b = 0, r = 0, aw_ready = 0, ar_ready = 0, w_ready = 0, sent = 0;
  double due = 0, next_refresh = 0;
  bool wrote = false;

  [[noreturn]] static void fail(const std::string& what) {
    fprintf(stderr, "memory: %s\n", what.c_str());
    exit(1);
  }
  // All that is done until now.
  void work(double now) {
    while (due <= now && !(full.empty() && wanted.empty())) {
      if (refresh_each && std::max(due, now - 1) >= next_refresh) {
        due = std::max(due, next_refresh) + refresh;
        while (next_refresh <= now) next_refresh += refresh_each;
        continue;
      }
      bool write = !full.empty() && (wanted.empty() || !wrote);
      std::deque<Burst>& from = write ? full : wanted;
      Burst x = std::move(from.front());
      from.pop_front();
      wrote = write;
      due = std::max(due, now - 1) + x.bytes / rate;
      x.at = due + latency;
      if (write) {
        x.resp = writes++ == refuse ? 2 : 0;
        landing.push_back(std::move(x));
      } else {
        x.data.resize(x.bytes);
        for (unsigned i = 0; i < x.bytes; i++) x.data[i] = rows[(x.addr + i) & mask];
        back.push_back(std::move(x));
      }
    }
    while (!landing.empty() && landing.front().at <= now) {
      Burst& x = landing.front();
      for (unsigned i = 0; !x.resp && i < x.bytes; i++) rows[(x.addr + i) & mask] = x.data[i];
      x.data.clear();
      answers.push_back(std::move(x));
      landing.pop_front();
    }
  }
};
