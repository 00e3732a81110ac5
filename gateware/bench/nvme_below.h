// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What is below the host at its full rate: a block that sends a TLP when its last beat has come, requests before
// completions, and shows one that arrives after its last byte, a beat a cycle; the link (nvme_link.h), and a drive, or what is
// in its place. Who
// owns it calls `show` before the clock, `move` with the outputs of the cycle, and `wires` after it.
#pragma once
#include "nvme_drive.h"
#include "nvme_link.h"

template <typename Top, typename Device = Drive> struct Below {
  static constexpr unsigned TxBuffer = 2048;            // bytes of completions in the block
  Top* top;
  PortsOf<Top> ports;
  Link link;
  Device& drive;
  unsigned tx_used = 0;

  Below(Top* t, unsigned gen, unsigned mhz, unsigned mps, double flight_ns, Device& d)
      : top(t), ports(t), link(gen, mhz, mps, flight_ns), drive(d) {
    top->rq_ready_i = 1;
  }
  void show() {
    ports.show();
    top->cpl_ready_i = ports.mid || tx_used + link.mps + 24 <= TxBuffer;
  }
  void move() {
    ports.mps = drive.mps;
    if (top->cpl_valid_o && top->cpl_ready_i && top->cpl_sop_o) tx_used += get_header(top->cpl_hdr_o).len_dw * 4 + 20;
    ports.move();
  }
  void wires(uint64_t now) {
    Tlp t;
    link.now = drive.now = now;
    while (link.come(link.up, link.down, t)) ports.rx.push_back(std::move(t));
    while (link.come(link.down, link.up, t)) drive.comes_in(t);
    drive.work_on();
    link.dllps(link.down);
    link.dllps(link.up);
    while (link.room(link.down) && (!ports.rq.empty() || !ports.cpl.empty())) {
      auto& from = ports.rq.empty() ? ports.cpl : ports.rq;
      if (&from == &ports.cpl) tx_used -= from[0].bytes + 20;
      link.put(link.down, std::move(from[0]));
      from.pop_front();
    }
    while (link.room(link.up) && drive.sends(t)) link.put(link.up, std::move(t));
  }
};

inline uint64_t word_of(uint64_t at) {                  // of the eight bytes at `at` of the drive, or of a stream
  uint64_t x = (at / 8 + 1) * 0x9e3779b97f4a7c15ull;
  return x ^ x >> 31;
}
inline void line(const char* name, double v) { printf("%s\t%.9g\n", name, v); }
