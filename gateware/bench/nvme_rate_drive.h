// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A drive without limits of its own, and its end of the link: it answers each command after a latency that is given,
// its blocks hold words that follow from the address that the user has for them. It may take no data for a time,
// after so many bytes.
//
// The host's block: a TLP is sent when its last beat has come, requests before completions, and one that
// arrives is shown after its last byte, a beat a cycle.
#pragma once
#include "nvme_drive.h"
#include "nvme_link.h"
#include "nvme_options.h"

#include <functional>

static inline uint64_t word_of(uint64_t at) {          // of the eight bytes at the user's byte `at`
  uint64_t x = (at / 8 + 1) * 0x9e3779b97f4a7c15ull;
  return x ^ x >> 31;
}

class RateDrive : public Drive {
 public:
  const Options& o;
  uint64_t taken = 0, paused_at = 0;
  double pause_until = 0;
  std::function<void(unsigned)> moves;                  // bytes written
  std::function<uint64_t(uint64_t)> user = [](uint64_t at) { return at; };   // the user's address of a byte; blocks stay whole

  explicit RateDrive(const Options& given) : Drive(given.mps == 128 ? 0 : given.mps == 256 ? 1 : 2, 5, 20), o(given) {}
  void pauses() {
    if (!o.cache || taken - paused_at < o.cache || now < pause_until) return;
    paused_at = taken;
    pause_until = now + o.pause_ns * o.mhz / 1000;
  }

 protected:
  double latency(const Command&) override { return o.latency_ns * o.mhz / 1000; }
  bool takes_data() override { return now >= pause_until; }
  // A TLP's data is within a block: blocks are multiples of 512 bytes in the buffer as well, and no TLP crosses these.
  void want(Command& c, unsigned pos, uint8_t* to, unsigned n) override {
    uint64_t at = user(c.at + pos);
    for (unsigned i = 0; i < n; i += 8) {
      uint64_t word = word_of(at + i);
      memcpy(to + i, &word, 8);
    }
  }
  void have(Command& c, unsigned pos, const uint8_t* from, unsigned n) override {
    uint64_t at = user(c.at + pos);
    for (unsigned i = 0; i < n; i += 8) {
      uint64_t word;
      memcpy(&word, from + i, 8);
      if (word != word_of(at + i)) wrong("a wrong word to block " + std::to_string((c.at + pos + i) / 512));
    }
    moves(n);
    taken += n;
  }
};

// The ports of one host (`Top`, as PortsOf has it), the link below it, and the drive.
template <typename Top> struct End {
  static constexpr unsigned TxBuffer = 2048;
  Top* top;
  PortsOf<Top> ports;
  Link link;
  RateDrive drive;
  unsigned tx_used = 0, mps;

  End(Top* t, const Options& o) : top(t), ports(t), link(o.gen, o.mhz, o.mps, o.flight_ns), drive(o), mps(o.mps) {
    drive.flight = link.flight;
    top->rq_ready_i = 1;
  }
  // Before the clock.
  void show() {
    ports.show();
    top->cpl_ready_i = ports.mid || tx_used + mps + 24 <= TxBuffer;
  }
  // With the outputs of this cycle.
  void move() {
    ports.mps = drive.mps;
    if (top->cpl_valid_o && top->cpl_ready_i && top->cpl_sop_o) tx_used += get_header(top->cpl_hdr_o).len_dw * 4 + 20;
    ports.move();
  }
  // After it.
  void wires(uint64_t now) {
    Tlp t;
    link.now = drive.now = now;
    while (link.come(link.up, link.down, t)) ports.rx.push_back(std::move(t));
    while (link.come(link.down, link.up, t)) {
      if (t.is_cpl()) drive.completion(t);
      else drive.request(t);
    }
    drive.work();
    drive.pauses();
    link.dllps(link.down);
    link.dllps(link.up);
    while (link.room(link.down) && (!ports.rq.empty() || !ports.cpl.empty())) {
      auto& from = ports.rq.empty() ? ports.cpl : ports.rq;
      if (&from == &ports.cpl) tx_used -= from[0].bytes + 20;
      link.put(link.down, std::move(from[0]));
      from.pop_front();
    }
    while (link.room(link.up) && drive.next(t)) link.put(link.up, std::move(t));
  }
};
