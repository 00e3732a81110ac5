// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A drive without limits of its own, and its end of the link: it answers each command after a latency that is given,
// its blocks hold words that follow from the address that the user has for them. It may take no data for a time,
// after so many bytes.
#pragma once
#include "nvme_below.h"
#include "nvme_options.h"

#include <functional>

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

// One host's end (`Top`, as PortsOf has it): the drive, and what is between the two.
template <typename Top> struct End {
  RateDrive drive;
  Below<Top> below;

  End(Top* t, const Options& o) : drive(o), below(t, o.gen, o.mhz, o.mps, o.flight_ns, drive) {
    drive.flight = below.link.flight;
  }
  void wires(uint64_t now) {
    below.wires(now);
    drive.pauses();
  }
  void moves(const std::function<void(unsigned)>& f) { drive.moves = f; }
};
