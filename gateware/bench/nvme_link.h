// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// A link of four lanes on which every TLP and DLLP takes its time. Four bytes for four lanes at each symbol time, less what
// ordered sets take (a SKP of four symbols each 1180 at 8b/10b, one of a block and its EDS each 370 blocks at
// 128b/130b). A TLP is its header of 3 DWs, or 4 where the address needs 64 bits, its payload, and 8 bytes around it:
// sequence number, LCRC and framing. A DLLP is 8 bytes; each direction owes an ACK and an UpdateFC for three TLPs
// received, or earlier, at the standard's latency limit. DLLPs go before TLPs.
#pragma once
#include "nvme_tlp.h"

constexpr unsigned Lanes = 4;

struct Wire {
  struct Due {
    unsigned count = 0;
    double since = 0;
    void add(double now) {
      if (!count++) since = now;
    }
    bool due(double now, double timer) const { return count >= 3 || (count && now - since >= timer); }
  };
  double free = 0, busy = 0;                            // cycles; bytes' time so far
  Due ack, fc;                                          // for what came on the other wire
  std::deque<std::pair<double, Tlp>> flying;
};

struct Link {
  double per_cycle, timer, flight;                      // bytes; cycles
  unsigned mps;
  Wire down, up;
  uint64_t now = 0;

  Link(unsigned gen, unsigned mhz, unsigned largest, double flight_ns) : mps(largest) {
    double raw = gen == 1 ? 1e9 : gen == 2 ? 2e9 : 4e9 * 128 / 130;
    double skp = gen < 3 ? 4.0 / 1180 : (16.0 * Lanes + 4) / (370 * 16 * Lanes);
    per_cycle = raw * (1 - skp) / (mhz * 1e6);
    double symbols = (mps + 28) * 1.4 / Lanes + (gen == 1 ? 19 : gen == 2 ? 70 : 115);
    timer = symbols * Lanes / per_cycle;
    flight = flight_ns * mhz / 1000;
  }
  void dllps(Wire& w) {
    for (Wire::Due* d : {&w.ack, &w.fc})
      if (w.free < now + 1 && d->due(now, timer)) {
        w.free = std::max<double>(w.free, now) + 8 / per_cycle;
        w.busy += 8 / per_cycle;
        d->count = 0;
      }
  }
  void put(Wire& w, Tlp&& t) {
    double n = t.wire() / per_cycle;
    w.free = std::max<double>(w.free, now) + n;
    w.busy += n;
    w.flying.emplace_back(w.free + flight, std::move(t));
    dllps(w);
  }
  // Whether one has come on this wire; what the other wire owes for it is booked.
  bool come(Wire& w, Wire& back, Tlp& t) {
    if (w.flying.empty() || w.flying[0].first > now) return false;
    t = std::move(w.flying[0].second);
    w.flying.pop_front();
    back.ack.add(now);
    if (t.h.kind == MemRd || t.h.kind == MemWr) back.fc.add(now);
    return true;
  }
  bool room(const Wire& w) const { return w.free < now + 1; }
};
